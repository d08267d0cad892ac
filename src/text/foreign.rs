//! Text from outside, with its original bytes.

use std::borrow::Cow;
use std::ffi::OsStr;
use std::fmt;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use super::Clean;

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

    /// The text with invalid bytes replaced: for comparing and for JSON, never for a terminal.
    pub fn lossy(&self) -> Cow<'_, str> {
        // Most text is valid, and checking validity is faster than searching for invalid bytes.
        self.as_str()
            .map_or_else(|| String::from_utf8_lossy(&self.0), Cow::Borrowed)
    }

    /// True for the empty text.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The text as a terminal can show it.
    pub fn clean(&self) -> Clean {
        Clean::from_bytes(&self.0)
    }

    /// The lines of the text; a newline at its end does not start another.
    pub fn lines(&self) -> impl Iterator<Item = Self> + '_ {
        let body = self.0.strip_suffix(b"\n").unwrap_or(&self.0);
        body.split(|b| *b == b'\n').map(|line| Self(line.to_vec()))
    }
}

impl fmt::Debug for Foreign {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.clean().as_str())
    }
}

impl From<&str> for Foreign {
    fn from(text: &str) -> Self {
        Self(text.as_bytes().to_vec())
    }
}

impl From<String> for Foreign {
    fn from(text: String) -> Self {
        Self(text.into_bytes())
    }
}

impl From<Cow<'_, str>> for Foreign {
    fn from(text: Cow<'_, str>) -> Self {
        Self(text.into_owned().into_bytes())
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
