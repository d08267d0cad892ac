//! Text that is safe to print on a terminal. [`Clean`] is created here and nowhere else.
//!
//! The mapping is injective: two different strings never look alike, because every character that the mapping itself
//! uses is escaped where it occurs in the input.

mod escape;

use std::borrow::Cow;
use std::fmt;
use std::fmt::Write as _;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use unicode_segmentation::UnicodeSegmentation as _;
use unicode_width::UnicodeWidthStr;

use super::foreign::MARKED;
use super::{Foreign, format};
use escape::escape;
pub use escape::is_hidden;

/// Text that any terminal can print: no control, bidirectional, zero-width or other invisible character, one line, at
/// most four combining marks on a character.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Clean(pub(super) String);

impl Clean {
    /// The empty text.
    pub const fn empty() -> Self {
        Self(String::new())
    }

    /// Escapes control and invisible characters.
    pub fn new(text: &str) -> Self {
        if text.as_bytes().contains(&MARKED) {
            return Self::from_bytes(Foreign::from(text).as_bytes());
        }
        Self::from_bytes(text.as_bytes())
    }

    /// Escapes control and invisible characters; bytes that are not UTF-8 become `\xFF`.
    pub fn from_bytes(bytes: &[u8]) -> Self {
        let mut out = String::with_capacity(bytes.len());
        let mut marks = 0;
        for chunk in bytes.utf8_chunks() {
            escape(chunk.valid(), true, &mut marks, &mut out);
            for byte in chunk.invalid() {
                let _ = write!(out, "\\x{byte:02X}");
                marks = 0;
            }
        }
        Self(out)
    }

    /// Text exactly as it is, if a terminal can print it; it may contain what `new` writes for other characters.
    pub(super) fn printable(text: &str) -> Option<Self> {
        let mut out = String::with_capacity(text.len());
        escape(text, false, &mut 0, &mut out);
        (out == text).then_some(Self(out))
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The text with another one in each place of `from`.
    #[must_use]
    pub fn replace(&self, from: &str, to: &Self) -> Self {
        Self(self.0.replace(from, &to.0))
    }

    /// The text, owned.
    pub fn into_string(self) -> String {
        self.0
    }

    /// Width in terminal cells. A terminal places one sign after the other and joins none, so that Arabic letters with
    /// a common form have their own cells.
    pub fn width(&self) -> usize {
        if self.0.is_ascii() {
            return self.0.len();
        }
        self.0.graphemes(true).map(UnicodeWidthStr::width).sum()
    }

    /// At most this many cells. Cut text ends in `…` and four hex digits of a hash of the whole, so that two long
    /// strings that differ late still look different; if there is no room for that, in `…` alone.
    #[must_use]
    pub fn clip(&self, cells: usize) -> Self {
        if cells < 24 {
            return self.ellipsis(cells);
        }
        let hash = format::hash_suffix(self.0.as_bytes());
        self.cut(cells, &format!("…{hash}"))
    }

    /// At most this many cells. Cut text ends in `…` alone, so that more cells always show more.
    #[must_use]
    pub fn ellipsis(&self, cells: usize) -> Self {
        self.cut(cells, "…")
    }

    fn cut(&self, cells: usize, tail: &str) -> Self {
        if self.0.len() <= cells || self.width() <= cells {
            return self.clone();
        }
        if cells == 0 {
            return Self::empty();
        }
        let room = cells - tail.width();
        let mut used = 0;
        let kept = self.0.graphemes(true).take_while(|sign| {
            used += sign.width();
            used <= room
        });
        Self(kept.chain([tail]).collect())
    }

    /// At most this many cells, keeping the end: the last component of a path says most.
    #[must_use]
    pub fn clip_start(&self, cells: usize) -> Self {
        if self.width() <= cells {
            return self.clone();
        }
        if cells == 0 {
            return Self::empty();
        }
        let mut used = 1;
        let kept = self.0.graphemes(true).rev().take_while(|sign| {
            used += sign.width();
            used <= cells
        });
        let kept: Vec<&str> = kept.collect();
        Self(["…"].into_iter().chain(kept.into_iter().rev()).collect())
    }

    /// At most this many cells, keeping most of the beginning and the end: names of one family differ there. Of several
    /// names of a path, the first tells it from others.
    #[must_use]
    pub fn clip_middle(&self, cells: usize) -> Self {
        if self.width() <= cells {
            return self.clone();
        }
        if let Some(slash) = self.0.find('/').filter(|slash| *slash > 0) {
            // Always with a mark: a directory is not the project.
            let first = self.part(0..slash);
            return match first.width() {
                short if short <= cells => self.clip(cells),
                _ => first.clip_middle(cells),
            };
        }
        let end = self.clip_start((cells / 3 + 1).min(cells));
        let begin = self.cut(cells - end.width(), "");
        Self::concat([&begin, &end])
    }

    /// The part between two byte offsets, without combining marks that would lose their base; empty if an offset is
    /// inside a character.
    #[must_use]
    pub fn part(&self, range: std::ops::Range<usize>) -> Self {
        let part = self.0.get(range).unwrap_or_default();
        Self(part.trim_start_matches(escape::is_mark).to_owned())
    }

    /// The concatenation of clean texts.
    pub fn concat<'a>(parts: impl IntoIterator<Item = &'a Self>) -> Self {
        Self(parts.into_iter().map(Self::as_str).collect())
    }

    /// Formats arguments that are already clean; [`clean!`](crate::clean) cleans them.
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

impl From<&str> for Clean {
    fn from(text: &str) -> Self {
        Self::new(text)
    }
}

impl From<String> for Clean {
    fn from(text: String) -> Self {
        Self::new(&text)
    }
}

/// An argument of [`clean!`](crate::clean).
pub trait Present {
    /// The text as a terminal can show it.
    fn present(&self) -> Clean;

    /// The file or folder that the text names.
    fn file(&self) -> Option<&Path> {
        None
    }
}

/// A text that contains the name of a file or folder.
#[derive(Debug, Clone, Copy)]
pub struct Naming<'a>(pub &'a Clean, pub &'a Path);

impl Present for Naming<'_> {
    fn present(&self) -> Clean {
        self.0.clone()
    }

    fn file(&self) -> Option<&Path> {
        self.1.file()
    }
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

    fn file(&self) -> Option<&Path> {
        // A relative path would link to another file from another directory.
        self.is_absolute().then_some(self)
    }
}

impl Present for PathBuf {
    fn present(&self) -> Clean {
        self.as_path().present()
    }

    fn file(&self) -> Option<&Path> {
        self.as_path().file()
    }
}

impl<T: Present + ?Sized> Present for &T {
    fn present(&self) -> Clean {
        (**self).present()
    }

    fn file(&self) -> Option<&Path> {
        (**self).file()
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

/// Formats like `format!` into a [`Clean`]; every argument is cleaned first.
#[macro_export]
macro_rules! clean {
    ($format:literal $(, $arg:expr)* $(,)?) => {
        $crate::text::Clean::from_clean_parts(
            ::std::format_args!($format $(, $crate::text::Present::present(&$arg))*)
        )
    };
}

#[cfg(test)]
mod tests;
