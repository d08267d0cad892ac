//! Differences between two texts, as rows that stand side by side.
//!
//! Works on bytes and knows nothing of terminals: a line is handed out as bytes and made presentable
//! by whoever shows it. The line diff keeps to a deadline and says when it had to be coarse; the emphasis
//! inside a line ([`inline`]) is computed only for the pairs that are looked at; unchanged stretches are
//! folded by [`fold`]; [`find`] looks for a text on both sides, [`overview`] says where changes are, and
//! [`json`] makes one line of JSON readable.

pub mod count;
pub mod find;
pub mod fold;
pub mod inline;
pub mod json;
mod lines;
pub mod overview;
mod pairing;
mod row;

use std::time::{Duration, Instant};

use similar::{Algorithm, DiffTag, capture_diff_slices_deadline};

pub use lines::{Ending, Side};
use pairing::Pairing;
pub use row::{Row, Stats};

/// The most bytes of one side that are compared line by line; more is only measured.
pub const LARGEST: usize = 32 * 1024 * 1024;

/// Pairs of lines that are weighed for likeness in one difference.
const PAIRS: usize = 100_000;

/// How far into a side a NUL byte makes it binary, as git looks.
const SNIFF: usize = 8000;

/// What a person may ask of a comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// How long the line diff may take before it falls back to coarse blocks.
    pub deadline: Duration,
    /// Compare lines without regard to blanks at their ends and the number of blanks within.
    pub ignore_blanks: bool,
    /// Compare files that are one long line of JSON by their indented forms; [`Diff::indented`] says so then.
    pub indent_json: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            deadline: Duration::from_millis(100),
            ignore_blanks: false,
            indent_json: false,
        }
    }
}

/// Which way two sides could be compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Line by line.
    Text,
    /// At least one side holds NUL bytes near its beginning: only sizes are known.
    Binary,
    /// At least one side is larger than [`LARGEST`]: only sizes are known.
    Huge,
}

/// How much alike two sides are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Likeness {
    /// They hold the same bytes.
    Same,
    /// They would, if all their lines ended alike.
    ButForEndings,
    /// They differ.
    Different,
}

/// Two texts and how they differ.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diff {
    /// The old side.
    pub old: Side,
    /// The new side.
    pub new: Side,
    /// How they could be compared.
    pub kind: Kind,
    /// The rows in order; empty unless the kind is [`Kind::Text`].
    pub rows: Vec<Row>,
    /// Numbers of lines.
    pub stats: Stats,
    /// True where the deadline passed and the rows are larger blocks than they need be.
    pub coarse: bool,
    /// How much alike the sides are.
    pub likeness: Likeness,
    /// True where the sides are indented forms of one line of JSON each, and not the bytes of the files.
    pub indented: bool,
    /// Bytes of the old file and of the new one, whatever is shown of them.
    pub sizes: [usize; 2],
}

impl Diff {
    /// True where both sides hold the same bytes.
    pub fn is_same(&self) -> bool {
        self.likeness == Likeness::Same
    }

    /// The same comparison with its sides exchanged. Doing it twice changes nothing.
    #[must_use]
    pub fn swapped(&self) -> Self {
        let exchange = |row: &Row| match *row {
            Row::Same { old, new } => Row::Same { old: new, new: old },
            Row::Changed { old, new } => Row::Changed { old: new, new: old },
            Row::Removed { old } => Row::Added { new: old },
            Row::Added { new } => Row::Removed { old: new },
        };
        Self {
            old: self.new.clone(),
            new: self.old.clone(),
            rows: self.rows.iter().map(exchange).collect(),
            stats: Stats {
                removed: self.stats.added,
                added: self.stats.removed,
            },
            sizes: [self.sizes[1], self.sizes[0]],
            ..*self
        }
    }
}

/// Compares two texts. An absent side is an empty one.
pub fn rows(before: Option<Vec<u8>>, after: Option<Vec<u8>>, options: Options) -> Diff {
    // What follows the line diff takes its time, too.
    let most = options.deadline.saturating_sub(options.deadline / 20);
    let by = Instant::now().checked_add(most);
    let size = |side: &Option<Vec<u8>>| side.as_ref().map_or(0, Vec::len);
    let sizes = [size(&before), size(&after)];
    let likeness = if before.as_deref().unwrap_or_default() == after.as_deref().unwrap_or_default()
    {
        Likeness::Same
    } else {
        Likeness::Different
    };
    let read = options.indent_json && likeness == Likeness::Different;
    let indented = read.then(|| readable(before.as_deref(), after.as_deref()));
    let (old, new, indented) = match indented.flatten() {
        Some([old, new]) => (Side::new(old), Side::new(new), true),
        None => (Side::new(before), Side::new(after), false),
    };
    let mut diff = Diff {
        kind: kind_of(&old, &new),
        old,
        new,
        rows: Vec::new(),
        stats: Stats::default(),
        coarse: false,
        likeness,
        indented,
        sizes,
    };
    if diff.kind == Kind::Text {
        compare(&mut diff, options, by);
        if diff.likeness == Likeness::Different
            && lines::alike_but_for_endings(&diff.old, &diff.new)
        {
            diff.likeness = Likeness::ButForEndings;
        }
    }
    diff
}

/// Both sides with their JSON indented; `None` where that shows less, or cannot be done.
fn readable(before: Option<&[u8]>, after: Option<&[u8]>) -> Option<[Option<Vec<u8>>; 2]> {
    let longest = before
        .map_or(0, <[u8]>::len)
        .max(after.map_or(0, <[u8]>::len));
    if !(json::LEAST..=LARGEST).contains(&longest) {
        return None;
    }
    let form = |side: Option<&[u8]>| match side {
        Some(text) => json::indented(text).map(Some),
        None => Some(None),
    };
    let sides = [form(before)?, form(after)?];
    // Files that differ only between their tokens would look the same.
    (sides[0] != sides[1]).then_some(sides)
}

fn kind_of(old: &Side, new: &Side) -> Kind {
    let sides = [old.bytes(), new.bytes()];
    if sides.iter().any(|bytes| bytes.len() > LARGEST) {
        return Kind::Huge;
    }
    let binary = |bytes: &&[u8]| memchr::memchr(0, bytes.get(..SNIFF).unwrap_or(bytes)).is_some();
    if sides.iter().any(binary) {
        return Kind::Binary;
    }
    Kind::Text
}

fn compare(diff: &mut Diff, options: Options, by: Option<Instant>) {
    // The newline takes part, so that a missing one at the end and a changed ending are differences.
    let key = |line: &[u8]| -> Vec<u8> {
        if options.ignore_blanks {
            lines::squeeze(line)
        } else {
            line.to_vec()
        }
    };
    let ops = if options.ignore_blanks {
        let old: Vec<_> = diff.old.whole_lines().map(key).collect();
        let new: Vec<_> = diff.new.whole_lines().map(key).collect();
        capture_diff_slices_deadline(Algorithm::Myers, &old, &new, by)
    } else {
        let old: Vec<_> = diff.old.whole_lines().collect();
        let new: Vec<_> = diff.new.whole_lines().collect();
        capture_diff_slices_deadline(Algorithm::Myers, &old, &new, by)
    };
    diff.coarse = by.is_some_and(|by| Instant::now() >= by);
    let mut pairing = Pairing {
        old: &diff.old,
        new: &diff.new,
        left: PAIRS,
    };
    for op in ops {
        let (tag, old, new) = op.as_tag_tuple();
        if tag != DiffTag::Equal {
            diff.stats.removed += old.len();
            diff.stats.added += new.len();
        }
        if tag == DiffTag::Equal {
            let same = old.zip(new).map(|(old, new)| Row::Same { old, new });
            diff.rows.extend(same);
        } else {
            pairing.rows(&mut diff.rows, old, new);
        }
    }
}

#[cfg(test)]
mod properties;
#[cfg(test)]
mod tests;
