//! Differences between two texts, as side-by-side rows.
//!
//! Works on bytes and knows nothing of terminals: a line is returned as bytes, and the caller cleans it for display.
//! The line diff has a deadline and reports when it had to be coarse. The emphasis inside a line ([`inline`]) is
//! computed only for displayed pairs. [`fold`] folds unchanged stretches, [`find`] searches both sides, [`overview`]
//! maps the changes, and [`json`] makes one line of JSON readable.

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

use crate::model::Forms;

pub use lines::{Ending, Side};
use pairing::Pairing;
pub use row::{Row, Stats};

/// How many bytes of one side are compared line by line; of a larger side only the size is known.
pub const LARGEST: usize = 32 * 1024 * 1024;

/// How many pairs of lines are compared for similarity in one diff.
const PAIRS: usize = 100_000;

/// How far into a side a NUL byte makes it binary, as in git.
const SNIFF: usize = 8000;

/// Options of a comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// How long the line diff may take before it falls back to coarse blocks.
    pub deadline: Duration,
    /// Ignore blanks at the ends of lines and the number of blanks inside.
    pub ignore_blanks: bool,
    /// Compare files that are one long line of JSON by their indented forms; [`Diff::indented`] is then set.
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

/// How two sides could be compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Line by line.
    Text,
    /// At least one side has NUL bytes near its start: only sizes are known.
    Binary,
    /// At least one side is larger than [`LARGEST`]: only sizes are known.
    Huge,
}

/// How similar two sides are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Likeness {
    /// Both have the same bytes.
    Same,
    /// Only their line endings differ.
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
    /// True if the deadline passed, so that some rows are in larger blocks than necessary.
    pub coarse: bool,
    /// How much alike the sides are.
    pub likeness: Likeness,
    /// True if the sides are the indented forms of one line of JSON each, not the bytes of the files.
    pub indented: bool,
    /// Sizes in bytes of the old file and the new one, whatever is shown of them.
    pub sizes: [usize; 2],
    /// What the old side and the new one are besides their bytes, where whoever compares them knows it.
    pub forms: Forms,
}

impl Diff {
    /// True if both sides have the same bytes.
    pub fn is_same(&self) -> bool {
        self.likeness == Likeness::Same
    }

    /// The same comparison with its sides exchanged. Swapping twice is the identity.
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
            forms: self.forms.swapped(),
            ..*self
        }
    }
}

/// Compares two texts. An absent side is an empty one.
pub fn rows(before: Option<Vec<u8>>, after: Option<Vec<u8>>, options: Options) -> Diff {
    // The steps after the line diff take time too.
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
        forms: Forms::default(),
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

/// Both sides with their JSON indented; `None` if that would hide differences or is impossible.
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
    // Files that differ only in layout would look the same.
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
    // The newline is part of the line, so that a missing final newline and a changed ending are differences.
    let [old, new] = [&diff.old, &diff.new].map(|side| side.whole_lines().collect::<Vec<_>>());
    let ops = if options.ignore_blanks {
        let squeezed =
            |lines: Vec<&[u8]>| lines.into_iter().map(lines::squeeze).collect::<Vec<_>>();
        let (old, new) = (squeezed(old), squeezed(new));
        capture_diff_slices_deadline(Algorithm::Myers, &old, &new, by)
    } else {
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
        if tag == DiffTag::Equal {
            let same = old.zip(new).map(|(old, new)| Row::Same { old, new });
            diff.rows.extend(same);
        } else {
            diff.stats.removed += old.len();
            diff.stats.added += new.len();
            pairing.rows(&mut diff.rows, old, new);
        }
    }
}

#[cfg(test)]
mod properties;
#[cfg(test)]
mod tests;
