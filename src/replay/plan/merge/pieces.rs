//! From the hunks of two sides to the pieces of the merge.

use std::ops::Range;

use super::hunks::{Ending, Group, Hunk, Lines, bare, ending};
use crate::model::{Merge, MergePiece};

/// The pieces so far; adjacent resolved bytes are joined.
struct Pieces {
    done: Vec<MergePiece>,
    resolved: Vec<u8>,
    newline: &'static [u8],
    /// Whether lines of the replacement take the dispatch's line ending.
    adapt: bool,
}

impl Pieces {
    /// Adds a resolved line. If the line before it has no newline because it ended a text, it gets one.
    fn line(&mut self, line: &[u8]) {
        self.end_line();
        self.resolved.extend_from_slice(line);
    }

    fn end_line(&mut self) {
        if self.resolved.last().is_some_and(|last| *last != b'\n') {
            self.resolved.extend_from_slice(self.newline);
        }
    }

    /// Adds resolved lines.
    fn lines<'l>(&mut self, lines: impl Iterator<Item = &'l [u8]>) {
        for line in lines {
            self.line(line);
        }
    }

    /// Lines of the replacement with the ending that this dispatch uses.
    fn adapted(&self, lines: &[&[u8]]) -> Vec<Vec<u8>> {
        let crlf = |line: &[u8]| match ending(line) {
            Ending::Lf if self.adapt => [bare(line), b"\r\n"].concat(),
            Ending::Lf | Ending::CrLf | Ending::None => line.to_vec(),
        };
        lines.iter().map(|line| crlf(line)).collect()
    }

    fn conflict(&mut self, template: &[&[u8]], dispatch: &[&[u8]], replacement: &[&[u8]]) {
        self.end_line();
        self.close();
        let replacement = self.adapted(replacement).concat();
        self.done.push(MergePiece::Conflict {
            template: template.concat(),
            dispatch: dispatch.concat(),
            replacement,
        });
    }

    fn close(&mut self) {
        if !self.resolved.is_empty() {
            let resolved = std::mem::take(&mut self.resolved);
            self.done.push(MergePiece::Resolved(resolved));
        }
    }
}

/// Assembles the pieces. `doubts` says for each line of the base whether its place in the dispatch is uncertain.
pub(super) fn weave(
    base: &Lines<'_>,
    ours: &Lines<'_>,
    theirs: &Lines<'_>,
    groups: &[Group],
    doubts: &[bool],
) -> Merge {
    let windows = ours.style() == Some(Ending::CrLf);
    // Only in the clear case: the dispatch was written on another system than its template. Mixed endings were chosen
    // by somebody and stay.
    let others = [base, theirs].map(|side| side.style() == Some(Ending::Lf));
    let mut pieces = Pieces {
        done: Vec::new(),
        resolved: Vec::new(),
        newline: if windows { b"\r\n" } else { b"\n" },
        adapt: windows && others == [true, true],
    };
    let (mut b, mut o, mut t) = (0, 0, 0);
    for group in groups {
        let span = group.base();
        same(&mut pieces, base, ours, theirs, (b..span.start, o, t));
        (o, t) = (o + span.start - b, t + span.start - b);
        let mine = o..o + grown(span.len(), &group.ours);
        let other = t..t + grown(span.len(), &group.theirs);
        let (in_ours, in_theirs) = (ours.part(mine.clone()), theirs.part(other.clone()));
        let alike = in_ours.len() == in_theirs.len()
            && in_ours
                .iter()
                .zip(in_theirs)
                .all(|(a, b)| bare(a) == bare(b));
        // Only the dispatch differs: that is injected context, and it stays.
        if group.theirs.is_empty() {
            pieces.lines(in_ours.iter().copied());
        } else if alike && !group.ours.is_empty() {
            // Both made the same change. The longer of the two endings is kept, so that no line is joined to the next.
            let both = in_ours.iter().zip(in_theirs);
            pieces.lines(both.map(|(mine, other)| longer(mine, other)));
        } else if group.ours.is_empty() && !doubtful(doubts, &span) {
            // Only the template changed, and it has one place in the dispatch.
            let lines = pieces.adapted(in_theirs);
            pieces.lines(lines.iter().map(Vec::as_slice));
        } else {
            // Both changed it, or its place is uncertain: a person decides, never the order of the lines.
            pieces.conflict(base.part(span.clone()), in_ours, in_theirs);
        }
        (b, o, t) = (span.end, mine.end, other.end);
    }
    same(&mut pieces, base, ours, theirs, (b..base.len(), o, t));
    pieces.close();
    Merge {
        pieces: pieces.done,
    }
}

/// The number of lines that a side has in place of `len` lines of the base.
fn grown(len: usize, hunks: &[Hunk]) -> usize {
    let side: usize = hunks.iter().map(|hunk| hunk.side.len()).sum();
    let base: usize = hunks.iter().map(|hunk| hunk.base.len()).sum();
    (len + side).saturating_sub(base)
}

/// Lines that all three have. Their endings are merged like everything else.
fn same(
    pieces: &mut Pieces,
    base: &Lines<'_>,
    ours: &Lines<'_>,
    theirs: &Lines<'_>,
    (span, o, t): (Range<usize>, usize, usize),
) {
    for (step, b) in span.enumerate() {
        let (was, mine, other) = (base.line(b), ours.line(o + step), theirs.line(t + step));
        let line = if ending(mine) == ending(was) {
            other
        } else if ending(other) == ending(was) {
            mine
        } else {
            longer(mine, other)
        };
        pieces.line(line);
    }
}

/// The line with the longer ending, of two that differ only in their ending.
fn longer<'a>(mine: &'a [u8], other: &'a [u8]) -> &'a [u8] {
    if ending(mine) >= ending(other) {
        mine
    } else {
        other
    }
}

/// Whether the place of changed lines is uncertain: of a line that is removed, or of one next to inserted lines.
fn doubtful(doubts: &[bool], span: &Range<usize>) -> bool {
    // An insertion has no base line of its own, so its neighbors decide: if one of them is repeated, it may go to the
    // wrong copy.
    let around = if span.is_empty() {
        span.start.saturating_sub(1)..span.end + 1
    } else {
        span.clone()
    };
    let mut inside = doubts.iter().skip(around.start).take(around.len());
    inside.any(|doubt| *doubt)
}
