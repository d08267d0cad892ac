//! One side of a comparison: its bytes, and where its lines lie.

use std::sync::Arc;

/// How a line ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Ending {
    /// With a line feed.
    Lf,
    /// With a carriage return and a line feed.
    CrLf,
    /// With the end of the text.
    None,
}

/// The bytes of one side and the places of its lines. Cheap to clone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Side {
    bytes: Arc<[u8]>,
    /// Where each line ends, its newline included.
    ends: Arc<[usize]>,
    present: bool,
}

impl Side {
    /// A side; `None` where there is no such file.
    pub fn new(bytes: Option<Vec<u8>>) -> Self {
        let present = bytes.is_some();
        let bytes = bytes.unwrap_or_default();
        let mut ends: Vec<usize> = memchr::memchr_iter(b'\n', &bytes)
            .map(|at| at + 1)
            .collect();
        if ends.last().copied().unwrap_or(0) < bytes.len() {
            ends.push(bytes.len());
        }
        Self {
            bytes: bytes.into(),
            ends: ends.into(),
            present,
        }
    }

    /// False where there is no such file, which differs from an empty one.
    pub fn is_present(&self) -> bool {
        self.present
    }

    /// All bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Number of lines; a last line without newline counts.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// True without lines.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// A line counted from 0, without its line feed; empty past the end. A carriage return stays, so that
    /// it can be seen.
    pub fn line(&self, index: usize) -> &[u8] {
        let line = self.whole_line(index);
        line.strip_suffix(b"\n").unwrap_or(line)
    }

    /// How a line ends.
    pub fn ending(&self, index: usize) -> Ending {
        match self.whole_line(index) {
            [.., b'\r', b'\n'] => Ending::CrLf,
            [.., b'\n'] => Ending::Lf,
            _ => Ending::None,
        }
    }

    /// The lines with their newlines.
    pub fn whole_lines(&self) -> impl Iterator<Item = &[u8]> + '_ {
        (0..self.len()).map(|index| self.whole_line(index))
    }

    fn whole_line(&self, index: usize) -> &[u8] {
        let start = match index.checked_sub(1) {
            None => 0,
            Some(before) => self.ends.get(before).copied().unwrap_or(self.bytes.len()),
        };
        let end = self.ends.get(index).copied().unwrap_or(start);
        self.bytes.get(start..end).unwrap_or_default()
    }
}

/// A line with every run of blanks made one space, and none at its ends.
pub(super) fn squeeze(line: &[u8]) -> Vec<u8> {
    line.split(u8::is_ascii_whitespace)
        .filter(|word| !word.is_empty())
        .collect::<Vec<_>>()
        .join(&b' ')
}
