//! Text from outside, with its original bytes.

use std::borrow::Cow;
use std::ffi::OsStr;
use std::fmt;
use std::fmt::Write as _;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use super::{Clean, format};

/// Text whose bytes came, wholly or in part, from outside: files, paths, branches, process lists. A sentence that
/// relight builds around such text is foreign too.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Foreign(Vec<u8>);

impl Foreign {
    /// The original bytes.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// The text if it is valid UTF-8.
    pub fn as_str(&self) -> Option<&str> {
        std::str::from_utf8(&self.0).ok()
    }

    /// The text as a path. Foreign paths are opened only under a root.
    pub fn as_path(&self) -> &Path {
        Path::new(OsStr::from_bytes(&self.0))
    }

    /// The text with invalid bytes replaced: for comparing and for JSON, never for a terminal.
    pub fn lossy(&self) -> Cow<'_, str> {
        // Most text is valid, and checking validity is faster than searching for invalid bytes.
        self.as_str()
            .map_or_else(|| String::from_utf8_lossy(&self.0), Cow::Borrowed)
    }

    /// The first of these names as a list: `a, b and 3 more`.
    pub fn list_first(names: impl IntoIterator<Item = Self>, most: usize) -> Self {
        Self::from_marked(&format::list_first(names.into_iter().map(Marked), most))
    }

    /// The text that [`foreign!`](crate::foreign) formatted, with the bytes that its marks stand for.
    #[doc(hidden)]
    pub fn from_marked(text: &str) -> Self {
        if !text.as_bytes().contains(&MARKED) {
            return Self(text.as_bytes().to_vec());
        }
        let mut bytes = Vec::with_capacity(text.len());
        for sign in text.chars() {
            match u8::try_from(u32::from(sign).wrapping_sub(MARK)) {
                Ok(byte) => bytes.push(byte),
                Err(_) => bytes.extend_from_slice(sign.encode_utf8(&mut [0; 4]).as_bytes()),
            }
        }
        Self(bytes)
    }

    /// True for the empty text.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The text as a terminal can show it.
    pub fn clean(&self) -> Clean {
        Clean::from_bytes(&self.0)
    }

    /// The text of a prompt or a briefing, which is handed over as it is: exactly so, if a terminal can print it. What
    /// looks like an escaped character in it is not escaped again.
    pub fn verbatim(&self) -> Clean {
        let text = std::str::from_utf8(&self.0).ok();
        text.and_then(Clean::printable)
            .unwrap_or_else(|| self.clean())
    }

    /// The lines of the text; a newline at its end does not start another.
    pub fn lines(&self) -> impl Iterator<Item = Self> + '_ {
        let body = self.0.strip_suffix(b"\n").unwrap_or(&self.0);
        body.split(|b| *b == b'\n').map(|line| Self(line.to_vec()))
    }
}

/// The first of 256 private characters that stand for a byte each while a sentence is formatted.
const MARK: u32 = 0x10_FF00;

/// The byte that every mark begins with.
pub(super) const MARKED: u8 = 0xF4;

/// A part of a sentence that [`foreign!`](crate::foreign) formats.
#[doc(hidden)]
pub struct Marked(pub Foreign);

impl fmt::Display for Marked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mark = |byte: &u8| char::from_u32(MARK + u32::from(*byte)).unwrap_or_default();
        let marks = |bytes: &[u8]| bytes.iter().map(mark).collect::<String>();
        for chunk in self.0.as_bytes().utf8_chunks() {
            for sign in chunk.valid().chars() {
                // A mark that is in the text itself would come back as another byte.
                if u32::from(sign) >= MARK {
                    f.write_str(&marks(sign.encode_utf8(&mut [0; 4]).as_bytes()))?;
                } else {
                    f.write_char(sign)?;
                }
            }
            f.write_str(&marks(chunk.invalid()))?;
        }
        Ok(())
    }
}

/// Formats like `format!` into a [`Foreign`] that keeps every byte of its arguments, so that a name that is not UTF-8
/// looks the same in a sentence and in a list.
#[macro_export]
macro_rules! foreign {
    ($format:literal $(, $arg:expr)* $(,)?) => {
        $crate::text::Foreign::from_marked(&::std::format!(
            $format $(, $crate::text::Marked($crate::text::Foreign::from($arg)))*
        ))
    };
}

impl fmt::Debug for Foreign {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.clean().as_str())
    }
}

/// A name in a sentence that `format!` makes. The sentence keeps every byte of it once it is [`Foreign`] or [`Clean`],
/// which escapes it once.
pub trait Shown {
    /// The name.
    fn shown(&self) -> Marked;
}

impl<T: ?Sized> Shown for T
where
    for<'a> Foreign: From<&'a T>,
{
    fn shown(&self) -> Marked {
        Marked(self.into())
    }
}

impl From<&Self> for Foreign {
    fn from(text: &Self) -> Self {
        text.clone()
    }
}

impl From<&str> for Foreign {
    fn from(text: &str) -> Self {
        Self::from_marked(text)
    }
}

impl From<String> for Foreign {
    fn from(text: String) -> Self {
        if text.as_bytes().contains(&MARKED) {
            return Self::from_marked(&text);
        }
        Self(text.into_bytes())
    }
}

impl From<Cow<'_, str>> for Foreign {
    fn from(text: Cow<'_, str>) -> Self {
        Self::from_marked(&text)
    }
}

impl From<Vec<u8>> for Foreign {
    fn from(bytes: Vec<u8>) -> Self {
        Self(bytes)
    }
}

impl From<&[u8]> for Foreign {
    fn from(bytes: &[u8]) -> Self {
        Self(bytes.to_vec())
    }
}

impl From<&OsStr> for Foreign {
    fn from(text: &OsStr) -> Self {
        Self(text.as_bytes().to_vec())
    }
}

impl From<&Path> for Foreign {
    fn from(path: &Path) -> Self {
        Self(path.as_os_str().as_bytes().to_vec())
    }
}

impl From<&PathBuf> for Foreign {
    fn from(path: &PathBuf) -> Self {
        Self::from(path.as_path())
    }
}

impl AsRef<[u8]> for Foreign {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

impl PartialEq<str> for Foreign {
    fn eq(&self, other: &str) -> bool {
        self.0 == other.as_bytes()
    }
}

impl PartialEq<&str> for Foreign {
    fn eq(&self, other: &&str) -> bool {
        self.0 == other.as_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_keeps_every_byte_of_its_parts() {
        let parts: [&[u8]; 5] = [
            b"plain",
            b"od\xffd\xfe",
            "日本\u{10ff41}\u{10ffff}".as_bytes(),
            b"",
            b"\xf4\x8f\xbd",
        ];
        for part in parts {
            let expected = [b"In ", part, b": 3 files."].concat();
            assert_eq!(foreign!("In {}: {}.", part, "3 files").as_bytes(), expected);
        }
        let path = Path::new(OsStr::from_bytes(b"/od\xff\n\\xd"));
        let sentence = format!("In {}.", path.shown());
        assert_eq!(
            Foreign::from(sentence.as_str()).as_bytes(),
            b"In /od\xff\n\\xd."
        );
        assert_eq!(
            Clean::new(&sentence).as_str(),
            "In /od\\xFF\u{240a}<U+005C>xd."
        );
        let told = Foreign::from("Check a<U+200D>b.");
        assert_eq!(told.verbatim().as_str(), "Check a<U+200D>b.");
        let hidden = Foreign::from("a\u{200d}b");
        assert_eq!(hidden.verbatim(), hidden.clean());
        let names = parts[..3].iter().map(|part| Foreign::from(*part));
        let list = Foreign::list_first(names, 2);
        assert_eq!(list.as_bytes(), b"plain, od\xffd\xfe and 1 more");
    }
}
