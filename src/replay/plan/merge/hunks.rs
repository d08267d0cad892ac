//! Where a side differs from the base, and which differences of the two sides overlap.

use std::collections::HashMap;
use std::ops::Range;
use std::time::{Duration, Instant};

use similar::{Algorithm, DiffOp, capture_diff_slices_deadline};

/// How long a diff may take. After that it is coarser: there are more conflicts, but no wrong result.
const LIMIT: Duration = Duration::from_secs(5);

/// How a line ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Ending {
    /// With the text.
    None,
    /// With a line feed.
    Lf,
    /// With a carriage return and a line feed.
    CrLf,
}

/// A text as lines, each with its ending.
#[derive(Debug, Clone)]
pub(super) struct Lines<'a>(pub(super) Vec<&'a [u8]>);

impl<'a> Lines<'a> {
    /// Splits a text into lines.
    pub(super) fn of(text: &'a [u8]) -> Self {
        Self(text.split_inclusive(|byte| *byte == b'\n').collect())
    }

    /// Lines of a range, with their endings; empty past the end.
    pub(super) fn part(&self, range: Range<usize>) -> &[&'a [u8]] {
        self.0.get(range).unwrap_or_default()
    }

    /// One line with its ending; empty past the end.
    pub(super) fn line(&self, at: usize) -> &'a [u8] {
        self.0.get(at).copied().unwrap_or_default()
    }

    /// How many.
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// The ending of all lines (a last line without one aside); `None` if they differ.
    pub(super) fn style(&self) -> Option<Ending> {
        let mut endings = self.0.iter().map(|line| ending(line));
        let first = endings.next().filter(|first| *first != Ending::None)?;
        endings
            .all(|one| one == first || one == Ending::None)
            .then_some(first)
    }
}

/// How a line ends.
pub(super) fn ending(line: &[u8]) -> Ending {
    match line {
        [.., b'\r', b'\n'] => Ending::CrLf,
        [.., b'\n'] => Ending::Lf,
        _ => Ending::None,
    }
}

/// A line without its ending.
pub(super) fn bare(line: &[u8]) -> &[u8] {
    let cut = match ending(line) {
        Ending::None => 0,
        Ending::Lf => 1,
        Ending::CrLf => 2,
    };
    line.get(..line.len().saturating_sub(cut))
        .unwrap_or_default()
}

/// A range of the base that a side changed. Two hunks of one side have at least one common line between them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Hunk {
    /// Lines of the base; empty for an insertion.
    pub(super) base: Range<usize>,
    /// Lines of the side.
    pub(super) side: Range<usize>,
}

impl Hunk {
    /// Whether two hunks of different sides overlap. Replaced lines that touch do. An insertion at the edge of replaced
    /// lines does not if the order is clear: lines were replaced one for one, or by at most one line, so it cannot
    /// belong between new lines.
    fn meets(&self, other: &Self) -> bool {
        let (a, b) = (&self.base, &other.base);
        match (a.is_empty(), b.is_empty()) {
            (true, true) => a.start == b.start,
            (true, false) => other.holds(a.start),
            (false, true) => self.holds(b.start),
            // Touching counts as overlapping, as in git: whether a person meant one change or two cannot be seen from
            // the lines.
            (false, false) => a.start <= b.end && b.start <= a.end,
        }
    }

    /// Whether something inserted at this line would be among the hunk's own lines.
    fn holds(&self, at: usize) -> bool {
        // Between new lines, the place of the other side's insertion is unknown: that is a conflict.
        let plain = self.side.len() <= 1 || self.side.len() == self.base.len();
        let (start, end) = (self.base.start, self.base.end);
        if plain {
            start < at && at < end
        } else {
            start <= at && at <= end
        }
    }
}

/// Where a side differs from the base, in order.
pub(super) fn hunks(base: &Lines<'_>, side: &Lines<'_>) -> Vec<Hunk> {
    let mut found = Vec::new();
    let (mut b, mut s) = (0, 0);
    let end = (base.len(), side.len());
    for (next_b, next_s) in matches(base, side).into_iter().chain([end]) {
        if next_b > b || next_s > s {
            found.push(Hunk {
                base: b..next_b,
                side: s..next_s,
            });
        }
        (b, s) = (next_b + 1, next_s + 1);
    }
    found
}

/// The lines that both texts have, as pairs of line numbers in ascending order. Lines that only one has are removed
/// before the diff: most of a dispatch is injected context, which would make it slow.
fn matches(base: &Lines<'_>, side: &Lines<'_>) -> Vec<(usize, usize)> {
    // Endings do not count: an editor that changes all of them would make every line a conflict.
    let mut ids: HashMap<&[u8], (usize, bool)> = HashMap::new();
    for line in &base.0 {
        let next = ids.len();
        ids.entry(bare(line)).or_insert((next, false));
    }
    let mut kept_side = Vec::new();
    for (at, line) in side.0.iter().enumerate() {
        if let Some((id, shared)) = ids.get_mut(bare(line)) {
            *shared = true;
            kept_side.push((*id, at));
        }
    }
    let kept_base: Vec<(usize, usize)> = base
        .0
        .iter()
        .enumerate()
        .filter_map(|(at, line)| {
            let (id, shared) = ids.get(bare(line))?;
            shared.then_some((*id, at))
        })
        .collect();
    let keys = |kept: &[(usize, usize)]| kept.iter().map(|(id, _)| *id).collect::<Vec<_>>();
    let until = Instant::now().checked_add(LIMIT);
    let ops = capture_diff_slices_deadline(
        // Templates repeat short lines (blank ones, rules, brackets), on which other algorithms align by accident.
        Algorithm::Patience,
        &keys(&kept_base),
        &keys(&kept_side),
        until,
    );
    let mut pairs = Vec::new();
    for op in ops {
        if let DiffOp::Equal {
            old_index,
            new_index,
            len,
        } = op
        {
            let old = kept_base.iter().skip(old_index).take(len);
            let new = kept_side.iter().skip(new_index).take(len);
            pairs.extend(old.zip(new).map(|((_, b), (_, s))| (*b, *s)));
        }
    }
    pairs
}

/// Overlapping hunks, or a single one that overlaps none.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Group {
    /// Of the one side.
    pub(super) ours: Vec<Hunk>,
    /// Of the other.
    pub(super) theirs: Vec<Hunk>,
}

impl Group {
    /// The range of the base that it covers.
    pub(super) fn base(&self) -> Range<usize> {
        let all = || self.ours.iter().chain(&self.theirs);
        let start = all().map(|hunk| hunk.base.start).min().unwrap_or(0);
        let end = all().map(|hunk| hunk.base.end).max().unwrap_or(0);
        start..end
    }
}

/// Sorts the hunks of both sides and groups those that overlap.
pub(super) fn groups(ours: Vec<Hunk>, theirs: Vec<Hunk>) -> Vec<Group> {
    let tagged = |hunks: Vec<Hunk>, mine: bool| hunks.into_iter().map(move |hunk| (mine, hunk));
    let mut all: Vec<(bool, Hunk)> = tagged(ours, true).chain(tagged(theirs, false)).collect();
    // An insertion comes before the lines that start at its place.
    all.sort_by_key(|(_, hunk)| (hunk.base.start, hunk.base.end));
    let mut groups: Vec<Group> = Vec::new();
    for (mine, hunk) in all {
        let meets = |group: &Group| {
            let others = if mine { &group.theirs } else { &group.ours };
            others.iter().any(|other| other.meets(&hunk))
        };
        // Only the last group can overlap it: hunks come in ascending order, and those of one side never overlap.
        let mut group = groups.pop_if(|last| meets(last)).unwrap_or_default();
        if mine {
            group.ours.push(hunk);
        } else {
            group.theirs.push(hunk);
        }
        groups.push(group);
    }
    groups
}
