//! Bytes in JSON: names and paths need not be UTF-8, so they are written in base 64.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::{Component, Path, PathBuf};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use crate::model::path::is_git_dir;

/// Bytes that are written as base 64.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Bytes(pub Vec<u8>);

/// Whether a path consists of plain names only, none of them a git directory in any spelling. Names that other systems
/// would read differently are allowed: they are the person's own files.
pub fn is_plain(path: &Path) -> bool {
    let plain = |part: Component<'_>| matches!(part, Component::Normal(name) if !is_git_dir(name.as_bytes()));
    path.as_os_str().len() <= 4096 && path.components().all(plain)
}

impl std::fmt::Debug for Bytes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?}", String::from_utf8_lossy(&self.0))
    }
}

impl Bytes {
    /// As a path.
    pub fn path(&self) -> PathBuf {
        PathBuf::from(OsString::from_vec(self.0.clone()))
    }

    /// As a name.
    pub fn name(&self) -> &OsStr {
        OsStr::from_bytes(&self.0)
    }
}

impl From<&Path> for Bytes {
    fn from(path: &Path) -> Self {
        Self(path.as_os_str().as_bytes().to_vec())
    }
}

impl From<&OsStr> for Bytes {
    fn from(name: &OsStr) -> Self {
        Self(name.as_bytes().to_vec())
    }
}

impl From<&[u8]> for Bytes {
    fn from(bytes: &[u8]) -> Self {
        Self(bytes.to_vec())
    }
}

impl Serialize for Bytes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&STANDARD.encode(&self.0))
    }
}

impl<'de> Deserialize<'de> for Bytes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        STANDARD
            .decode(text)
            .map(Self)
            .map_err(|_bad| de::Error::custom("not base 64"))
    }
}

/// A SHA-256 as base 64, for `#[serde(with)]`. Journals of format 1 have its bytes as a list of numbers.
pub(super) mod digest {
    use std::fmt;

    use base64::Engine as _;
    use base64::engine::general_purpose::STANDARD;
    use serde::de::{SeqAccess, Visitor, value::SeqAccessDeserializer};
    use serde::{Deserialize as _, Deserializer, Serialize as _, Serializer, de};

    use crate::apply::disk::Digest;

    struct Written;

    impl<'de> Visitor<'de> for Written {
        type Value = Option<Digest>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a SHA-256")
        }

        fn visit_unit<E: de::Error>(self) -> Result<Self::Value, E> {
            Ok(None)
        }

        fn visit_str<E: de::Error>(self, text: &str) -> Result<Self::Value, E> {
            let bytes = STANDARD.decode(text).ok();
            let digest = bytes.and_then(|bytes| Digest::try_from(bytes).ok());
            digest.map(Some).ok_or_else(|| E::custom("not a SHA-256"))
        }

        fn visit_seq<A: SeqAccess<'de>>(self, bytes: A) -> Result<Self::Value, A::Error> {
            Digest::deserialize(SeqAccessDeserializer::new(bytes)).map(Some)
        }
    }

    #[expect(clippy::ref_option, reason = "serde asks for it")]
    pub(in crate::apply) fn serialize<S: Serializer>(
        digest: &Option<Digest>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        let text = digest.map(|digest| STANDARD.encode(digest));
        text.serialize(serializer)
    }

    pub(in crate::apply) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<Digest>, D::Error> {
        deserializer.deserialize_any(Written)
    }
}

#[cfg(test)]
mod tests {
    use serde::{Deserialize, Serialize};

    use super::super::disk::Digest;

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Held {
        #[serde(with = "super::digest")]
        digest: Option<Digest>,
    }

    #[test]
    fn a_digest_is_read_in_either_format() {
        let digest = std::array::from_fn(|at| u8::try_from(at * 7).unwrap());
        let numbers = serde_json::to_string(&digest.map(u32::from)).unwrap();
        let table = [
            ("null".to_owned(), None),
            (numbers, Some(digest)),
            (
                r#""AAcOFRwjKjE4P0ZNVFtiaXB3foWMk5qhqK+2vcTL0tk=""#.to_owned(),
                Some(digest),
            ),
        ];
        for (text, digest) in table {
            let read: Held = serde_json::from_str(&format!(r#"{{"digest":{text}}}"#)).unwrap();
            assert_eq!(read, Held { digest });
            let written = serde_json::to_string(&read).unwrap();
            assert_eq!(serde_json::from_str::<Held>(&written).unwrap(), read);
        }
        for bad in [r#""AAcO""#, r#""?""#, "[1,2]", "7"] {
            let read = serde_json::from_str::<Held>(&format!(r#"{{"digest":{bad}}}"#));
            assert!(read.is_err(), "{bad}");
        }
    }
}
