//! One side of a comparison: its bytes and the offsets of its lines.

use std::sync::Arc;

/// Lines that are checked one by one before a binary search of the rest.
const NEAR: usize = 8;

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

/// The bytes of one side and the offsets of its lines. Cheap to clone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Side {
    bytes: Arc<[u8]>,
    /// The end offset of each line, its newline included.
    ends: Arc<[usize]>,
    present: bool,
}

impl Side {
    /// A side; `None` if there is no such file.
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

    /// False if there is no such file, which differs from an empty one.
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

    /// True if there are no lines.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// A line counted from 0, without its line feed; empty past the end. A carriage return is kept, so that it can be
    /// shown.
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

    /// The line that contains a byte, searched from line `from`; the number of lines for a byte past the end.
    pub fn line_at(&self, byte: usize, from: usize) -> usize {
        let rest = self.ends.get(from..).unwrap_or_default();
        let near = rest.iter().take(NEAR).position(|end| *end > byte);
        from + near.unwrap_or_else(|| rest.partition_point(|end| *end <= byte))
    }

    /// The end offset of a line, its newline included; the end of the text for a line past the end.
    pub fn end_of(&self, index: usize) -> usize {
        self.ends.get(index).copied().unwrap_or(self.bytes.len())
    }

    fn whole_line(&self, index: usize) -> &[u8] {
        let start = index.checked_sub(1).map_or(0, |before| self.end_of(before));
        self.bytes
            .get(start..self.end_of(index))
            .unwrap_or_default()
    }
}

/// True if both sides have the same lines, whatever their endings.
pub(super) fn alike_but_for_endings(old: &Side, new: &Side) -> bool {
    fn bare(line: &[u8]) -> &[u8] {
        let ([bare @ .., b'\r', b'\n'] | [bare @ .., b'\n'] | bare) = line;
        bare
    }
    let [old, new] = [old, new].map(|side| side.whole_lines().map(bare));
    old.eq(new)
}

/// A line with every run of blanks replaced by one space and its ends trimmed.
pub(super) fn squeeze(line: &[u8]) -> Vec<u8> {
    line.split(u8::is_ascii_whitespace)
        .filter(|word| !word.is_empty())
        .collect::<Vec<_>>()
        .join(&b' ')
}
