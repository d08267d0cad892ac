//! Foreign text and the one place where it becomes presentable (safety.md C1-C5 and section 6).
//!
//! [`Foreign`] keeps the true bytes. [`Clean`] is made from it here and nowhere else, and is all that a
//! view or a printer accepts. The mapping is injective: two different strings never look alike, because
//! every sign the mapping itself uses is escaped where it occurs in the input.

mod presentable;
mod tabs;

use std::borrow::Cow;
use std::ffi::OsStr;
use std::fmt;
use std::fmt::Write as _;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};
use unicode_width::UnicodeWidthChar as _;

pub use presentable::is_hidden;
use presentable::present;
pub use tabs::Tabbed;

/// Text whose bytes came, wholly or in part, from outside: files, paths, branches, process lists. Sentences
/// that relight composes around such text are foreign too.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Foreign(Vec<u8>);

impl Foreign {
    /// The true bytes.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// The text if it is valid UTF-8.
    pub fn as_str(&self) -> Option<&str> {
        std::str::from_utf8(&self.0).ok()
    }

    /// The text with invalid bytes replaced: for comparing and for JSON, never for a terminal.
    pub fn lossy(&self) -> Cow<'_, str> {
        String::from_utf8_lossy(&self.0)
    }

    /// True without bytes.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The presentable form, whole.
    pub fn clean(&self) -> Clean {
        Clean::from_bytes(&self.0)
    }

    /// The lines of a text of several lines, each still foreign.
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

/// Text that any terminal may be given: no control, bidi, zero-width or other invisible character, one
/// line, at most four combining marks on a base.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Clean(String);

impl Clean {
    /// Nothing.
    pub const fn empty() -> Self {
        Self(String::new())
    }

    /// Makes any text presentable.
    pub fn new(text: &str) -> Self {
        Self::from_bytes(text.as_bytes())
    }

    /// Makes any bytes presentable; those that are not UTF-8 are shown as `\xFF`.
    pub fn from_bytes(bytes: &[u8]) -> Self {
        let mut out = String::with_capacity(bytes.len());
        let mut marks = 0;
        for chunk in bytes.utf8_chunks() {
            present(chunk.valid(), &mut marks, &mut out);
            for byte in chunk.invalid() {
                let _ = write!(out, "\\x{byte:02X}");
                marks = 0;
            }
        }
        Self(out)
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The text, given away.
    pub fn into_string(self) -> String {
        self.0
    }

    /// Width in terminal cells, by the same table that the terminal library uses.
    pub fn width(&self) -> usize {
        unicode_width::UnicodeWidthStr::width(self.0.as_str())
    }

    /// At most this many cells. What is cut ends in `…` and four hex digits of a hash of the whole, so that
    /// two long strings that differ late still differ; where there is no room for that, in `…` alone.
    #[must_use]
    pub fn clip(&self, cells: usize) -> Self {
        if self.0.len() <= cells || self.width() <= cells {
            return self.clone();
        }
        let tail = match cells {
            0 => return Self::empty(),
            1..=23 => "…".to_owned(),
            _ => format!("…{}", short_hash(self.0.as_bytes())),
        };
        let room = cells - unicode_width::UnicodeWidthStr::width(tail.as_str());
        let mut used = 0;
        let mut out = String::new();
        for c in self.0.chars() {
            let width = c.width().unwrap_or(0);
            if used + width > room {
                break;
            }
            used += width;
            out.push(c);
        }
        out.push_str(&tail);
        Self(out)
    }

    /// At most this many cells, keeping the end: for paths, whose last component says most.
    #[must_use]
    pub fn clip_start(&self, cells: usize) -> Self {
        if self.width() <= cells {
            return self.clone();
        }
        if cells == 0 {
            return Self::empty();
        }
        let mut used = 1;
        let mut kept: Vec<char> = Vec::new();
        for c in self.0.chars().rev() {
            used += c.width().unwrap_or(0);
            if used > cells {
                break;
            }
            kept.push(c);
        }
        Self(std::iter::once('…').chain(kept.into_iter().rev()).collect())
    }

    /// The part between two byte places; empty where they are no places between characters, and without
    /// the marks that would lose their base.
    #[must_use]
    pub fn part(&self, range: std::ops::Range<usize>) -> Self {
        let part = self.0.get(range).unwrap_or_default();
        Self(part.trim_start_matches(presentable::is_mark).to_owned())
    }

    /// Clean texts one after the other.
    pub fn concat<'a>(parts: impl IntoIterator<Item = &'a Self>) -> Self {
        Self(parts.into_iter().map(Self::as_str).collect())
    }

    /// Used by [`clean!`](crate::clean): formats arguments that are clean already.
    #[doc(hidden)]
    pub fn from_clean_parts(args: fmt::Arguments<'_>) -> Self {
        Self(args.to_string())
    }
}

impl fmt::Display for Clean {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl fmt::Debug for Clean {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.0)
    }
}

impl AsRef<str> for Clean {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl From<&Foreign> for Clean {
    fn from(text: &Foreign) -> Self {
        text.clean()
    }
}

/// What [`clean!`](crate::clean) takes as an argument: everything becomes clean on its way in.
pub trait Present {
    /// The presentable form.
    fn present(&self) -> Clean;
}

impl Present for Clean {
    fn present(&self) -> Clean {
        self.clone()
    }
}

impl Present for Foreign {
    fn present(&self) -> Clean {
        self.clean()
    }
}

impl Present for str {
    fn present(&self) -> Clean {
        Clean::new(self)
    }
}

impl Present for String {
    fn present(&self) -> Clean {
        Clean::new(self)
    }
}

impl Present for Cow<'_, str> {
    fn present(&self) -> Clean {
        Clean::new(self)
    }
}

impl Present for Path {
    fn present(&self) -> Clean {
        Clean::from_bytes(self.as_os_str().as_bytes())
    }
}

impl Present for PathBuf {
    fn present(&self) -> Clean {
        self.as_path().present()
    }
}

impl<T: Present + ?Sized> Present for &T {
    fn present(&self) -> Clean {
        (**self).present()
    }
}

macro_rules! present_numbers {
    ($($number:ty),*) => {$(
        impl Present for $number {
            fn present(&self) -> Clean {
                Clean(self.to_string())
            }
        }
    )*};
}
present_numbers!(u8, u16, u32, u64, usize, i32, i64, isize, char);

/// Formats like `format!` into a [`Clean`], making every argument presentable
/// first. The literal is ours.
#[macro_export]
macro_rules! clean {
    ($format:literal $(, $arg:expr)* $(,)?) => {
        $crate::model::text::Clean::from_clean_parts(
            ::std::format_args!($format $(, $crate::model::text::Present::present(&$arg))*)
        )
    };
}

/// Lower-case hex.
pub fn hex(bytes: &[u8]) -> String {
    bytes
        .iter()
        .fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
            let _ = write!(text, "{byte:02x}");
            text
        })
}

/// Four hex digits that tell two texts apart.
fn short_hash(bytes: &[u8]) -> String {
    let digest = Sha256::digest(bytes);
    hex(digest.get(..2).unwrap_or_default())
}

#[cfg(test)]
mod tests;
