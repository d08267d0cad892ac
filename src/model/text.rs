//! Foreign text and the one place where it becomes presentable (safety.md C1-C5 and section 6).
//!
//! [`Foreign`] keeps the true bytes. [`Clean`] is made from it here and nowhere else, and is all that a
//! view or a printer accepts. The mapping is injective: two different strings never look alike, because
//! every sign the mapping itself uses is escaped where it occurs in the input.

use std::borrow::Cow;
use std::ffi::OsStr;
use std::fmt;
use std::fmt::Write as _;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};
use unicode_width::UnicodeWidthChar as _;

/// Marks kept on one base character; more are shown by number.
const MARKS: usize = 4;

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
/// line, at most [`MARKS`] combining marks on a base.
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
            1..=11 => "…".to_owned(),
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
        Self(part.trim_start_matches(is_mark).to_owned())
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

/// Formats like `format!` into a [`Clean`](crate::model::Clean), making every argument presentable first. The literal is ours.
#[macro_export]
macro_rules! clean {
    ($format:literal $(, $arg:expr)* $(,)?) => {
        $crate::model::text::Clean::from_clean_parts(
            ::std::format_args!($format $(, $crate::model::text::Present::present(&$arg))*)
        )
    };
}

/// Four hex digits that tell two texts apart.
fn short_hash(bytes: &[u8]) -> String {
    let digest = Sha256::digest(bytes);
    digest.iter().take(2).fold(String::new(), |mut hex, byte| {
        let _ = write!(hex, "{byte:02x}");
        hex
    })
}

/// Writes valid text in its presentable form. `marks` counts combining marks on the current base.
fn present(text: &str, marks: &mut usize, out: &mut String) {
    let mut rest = text.chars();
    while let Some(c) = rest.next() {
        if is_mark(c) {
            *marks += 1;
            // A mark without a base would land on whatever stands before the text.
            if *marks > MARKS || out.is_empty() {
                numbered(c, out);
            } else {
                out.push(c);
            }
            continue;
        }
        *marks = 0;
        match c {
            '\u{0}'..='\u{1f}' => out.extend(char::from_u32(0x2400 + c as u32)),
            '\u{7f}' => out.push('\u{2421}'),
            '\u{2400}'..='\u{2426}' => numbered(c, out),
            '<' if rest.as_str().starts_with("U+") => numbered(c, out),
            '\\' if rest.as_str().starts_with('x') => numbered(c, out),
            _ if is_hidden(c) => numbered(c, out),
            _ => out.push(c),
        }
    }
}

fn numbered(c: char, out: &mut String) {
    let _ = write!(out, "<U+{:04X}>", c as u32);
}

/// Combining marks: they take no cell of their own but are visible.
fn is_mark(c: char) -> bool {
    !is_hidden(c) && c.width() == Some(0) && !c.is_control()
}

/// Characters that a terminal shows as nothing, as a plain space, or by moving others about.
fn is_hidden(c: char) -> bool {
    matches!(c,
        '\u{80}'..='\u{9f}'                       // C1 controls.
        | '\u{ad}'                                // Soft hyphen.
        | '\u{34f}'                               // Grapheme joiner.
        | '\u{61c}'                               // Arabic letter mark.
        | '\u{600}'..='\u{605}' | '\u{6dd}' | '\u{70f}' | '\u{890}'..='\u{891}' | '\u{8e2}' // Prepended format characters.
        | '\u{115f}'..='\u{1160}' | '\u{3164}' | '\u{ffa0}' // Hangul fillers.
        | '\u{17b4}'..='\u{17b5}'                 // Khmer inherent vowels.
        | '\u{180b}'..='\u{180f}'                 // Mongolian selectors.
        | '\u{200b}'..='\u{200f}'                 // Zero width, direction marks.
        | '\u{2028}'..='\u{202e}'                 // Line separators, bidi embedding and override.
        | '\u{2060}'..='\u{206f}'                 // Word joiner, invisible operators, bidi isolates.
        | '\u{2800}'                              // Blank braille pattern.
        | '\u{fe00}'..='\u{fe0f}'                 // Variation selectors.
        | '\u{feff}'                              // Byte order mark.
        | '\u{fff0}'..='\u{fffb}'                 // Specials: unassigned and interlinear annotation.
        | '\u{110bd}' | '\u{110cd}'               // Kaithi number signs.
        | '\u{13430}'..='\u{1343f}'               // Egyptian format controls.
        | '\u{1bca0}'..='\u{1bca3}'               // Shorthand format controls.
        | '\u{1d173}'..='\u{1d17a}'               // Musical format controls.
        | '\u{e0000}'..='\u{e0fff}'               // Tags, more variation selectors.
        | '\u{a0}' | '\u{1680}' | '\u{2000}'..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{3000}' // Spaces that are not the space.
        | '\u{fdd0}'..='\u{fdef}'                 // Noncharacters.
        | '\u{e000}'..='\u{f8ff}' | '\u{f0000}'..='\u{10ffff}' // Private use: a font's own pictures.
    ) || (c as u32) & 0xfffe == 0xfffe
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn shows_what_terminals_obey_or_hide() {
        let table: &[(&str, &str)] = &[
            ("plain text", "plain text"),
            ("a\tb", "a␉b"),
            ("a\nb", "a␊b"),
            ("a\rb", "a␍b"),
            ("\u{1b}[31mred", "␛[31mred"),
            ("\u{1b}]52;c;aGk=\u{7}", "␛]52;c;aGk=␇"),
            ("\u{7f}", "␡"),
            ("\u{9b}31m", "<U+009B>31m"),
            ("a\u{202e}b", "a<U+202E>b"),
            ("\u{200b}", "<U+200B>"),
            ("x\u{fe0f}", "x<U+FE0F>"),
            ("\u{e0041}", "<U+E0041>"),
            ("\u{3164}", "<U+3164>"),
            ("<U+202E>", "<U+003C>U+202E>"),
            ("\\xFF", "<U+005C>xFF"),
            ("␛", "<U+241B>"),
            ("a<b \\n", "a<b \\n"),
            (
                "e\u{301}\u{301}\u{301}\u{301}\u{301}",
                "e\u{301}\u{301}\u{301}\u{301}<U+0301>",
            ),
            ("\u{301}a", "<U+0301>a"),
            ("日本", "日本"),
            ("a\u{a0}b", "a<U+00A0>b"),
        ];
        for (raw, shown) in table {
            assert_eq!(Clean::new(raw).as_str(), *shown);
        }
        assert_eq!(Clean::from_bytes(b"a\xff\xfeb").as_str(), "a\\xFF\\xFEb");
    }

    #[test]
    fn a_clip_keeps_to_its_cells_and_still_differs() {
        let a = Clean::new(&format!("{}a", "日".repeat(50)));
        let b = Clean::new(&format!("{}b", "日".repeat(50)));
        for cells in 0..60 {
            assert!(a.clip(cells).width() <= cells, "{cells}");
            assert!(a.clip_start(cells).width() <= cells, "{cells}");
        }
        assert_ne!(a.clip(30), b.clip(30));
    }

    #[test]
    fn a_part_is_clean_whatever_is_asked_for() {
        let text = Clean::new("ae\u{301}日x");
        assert_eq!(text.part(0..1).as_str(), "a");
        assert_eq!(text.part(2..4).as_str(), "");
        assert_eq!(text.part(4..7).as_str(), "日");
        assert_eq!(text.part(5..7).as_str(), "");
        assert_eq!(text.part(0..99).as_str(), "");
    }

    #[test]
    fn the_macro_cleans_its_arguments() {
        let branch = Foreign::from("x\u{1b}[2J");
        assert_eq!(clean!("on {} ({})", branch, 3_u64).as_str(), "on x␛[2J (3)");
    }

    proptest! {
        #[test]
        fn never_lets_a_dangerous_character_through(bytes in proptest::collection::vec(any::<u8>(), 0..64), text in any::<String>()) {
            for clean in [Clean::from_bytes(&bytes), Clean::new(&text)] {
                prop_assert!(clean.as_str().chars().all(|c| !c.is_control() && !is_hidden(c)));
            }
        }

        #[test]
        fn different_texts_look_different(a in "[a-c<>U+x\\\\0-2\u{0}-\u{1f}\u{200b}\u{202e}\u{301}\u{2400}-\u{2426}]{0,8}", b in "[a-c<>U+x\\\\0-2\u{0}-\u{1f}\u{200b}\u{202e}\u{301}\u{2400}-\u{2426}]{0,8}") {
            prop_assert_eq!(a == b, Clean::new(&a) == Clean::new(&b));
        }

        #[test]
        fn different_bytes_look_different(a in proptest::collection::vec(prop_oneof![Just(b'\\'), Just(b'x'), Just(b'F'), Just(0xff_u8), Just(0xe2_u8), Just(0x90_u8), Just(0x80_u8)], 0..8),
                                          b in proptest::collection::vec(prop_oneof![Just(b'\\'), Just(b'x'), Just(b'F'), Just(0xff_u8), Just(0xe2_u8), Just(0x90_u8), Just(0x80_u8)], 0..8)) {
            prop_assert_eq!(a == b, Clean::from_bytes(&a) == Clean::from_bytes(&b));
        }
    }
}
