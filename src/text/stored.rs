//! How bytes from outside are stored in JSON: as text where they are UTF-8, as `{"b64": …}` where they are not.
//!
//! Name this module in `#[serde(with = …)]` for paths, words of a command and contents of files, alone, in a list or
//! where there may be none. [`Foreign`] is stored in the same way by itself.

use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::PathBuf;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::de::{DeserializeOwned, Error as _};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::Foreign;

#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Stored {
    Plain(String),
    Raw { b64: String },
}

impl Serialize for Foreign {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let b64 = || STANDARD.encode(self.as_bytes());
        match self.as_str() {
            Some(text) => serializer.serialize_str(text),
            None => Stored::Raw { b64: b64() }.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for Foreign {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match Stored::deserialize(deserializer)? {
            Stored::Plain(text) => Ok(text.into()),
            Stored::Raw { b64 } => STANDARD
                .decode(b64)
                .map(Self::from)
                .map_err(D::Error::custom),
        }
    }
}

/// What is stored as [`Foreign`] is.
pub(crate) trait AsForeign {
    type Form: Serialize + DeserializeOwned;

    fn form(&self) -> Self::Form;
    fn of_form(form: Self::Form) -> Self;
}

impl AsForeign for Vec<u8> {
    type Form = Foreign;

    fn form(&self) -> Foreign {
        self.as_slice().into()
    }

    fn of_form(form: Foreign) -> Self {
        form.as_bytes().to_vec()
    }
}

impl AsForeign for OsString {
    type Form = Foreign;

    fn form(&self) -> Foreign {
        self.as_bytes().into()
    }

    fn of_form(form: Foreign) -> Self {
        Self::from_vec(Vec::of_form(form))
    }
}

impl AsForeign for PathBuf {
    type Form = Foreign;

    fn form(&self) -> Foreign {
        self.into()
    }

    fn of_form(form: Foreign) -> Self {
        OsString::of_form(form).into()
    }
}

impl<T: AsForeign> AsForeign for Vec<T> {
    type Form = Vec<T::Form>;

    fn form(&self) -> Self::Form {
        self.iter().map(T::form).collect()
    }

    fn of_form(form: Self::Form) -> Self {
        form.into_iter().map(T::of_form).collect()
    }
}

impl<T: AsForeign> AsForeign for Option<T> {
    type Form = Option<T::Form>;

    fn form(&self) -> Self::Form {
        self.as_ref().map(T::form)
    }

    fn of_form(form: Self::Form) -> Self {
        form.map(T::of_form)
    }
}

pub(crate) fn serialize<T: AsForeign, S: Serializer>(of: &T, to: S) -> Result<S::Ok, S::Error> {
    of.form().serialize(to)
}

pub(crate) fn deserialize<'de, T: AsForeign, D: Deserializer<'de>>(from: D) -> Result<T, D::Error> {
    T::Form::deserialize(from).map(T::of_form)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Record {
        #[serde(with = "super")]
        words: Vec<OsString>,
        #[serde(default, with = "super")]
        folder: Option<PathBuf>,
    }

    #[test]
    fn what_is_no_text_is_stored_in_base_64() {
        let record = Record {
            words: vec!["é".into(), OsString::from_vec(vec![b'a', 0xff])],
            folder: None,
        };
        let stored = serde_json::to_string(&record).unwrap();
        assert_eq!(stored, r#"{"words":["é",{"b64":"Yf8="}],"folder":null}"#);
        let read = |text: &str| serde_json::from_str::<Record>(text).unwrap();
        assert_eq!(read(&stored), record);
        assert_eq!(read(r#"{"words":[]}"#).folder, None);
    }
}
