//! The three-way merge of a dispatch: the template as base, the original dispatch on one side and the replacement on
//! the other. Pure. What one side changed alone is taken; what both changed alike is taken
//! once; everything else is a conflict. It never drops a line that the dispatch has and the template has not.
//!
//! Lines are compared without their endings, so that a template saved with other line endings is still the same
//! template; endings are merged by themselves.

mod alignment;
mod hunks;
mod pieces;

#[cfg(test)]
mod tests;

use crate::model::{Merge, MergePiece};

pub(super) use alignment::{fits, missing};
use hunks::{Lines, hunks};

/// Merges a replacement into a dispatch. Where one side only inserts at the very edge of lines that the other
/// replaced line for line, their order is plain and both are taken, though git calls that a conflict. A line that the dispatch holds
/// several times, so that nobody can say which of them is the template's, is a conflict where it is changed.
pub(super) fn inject(base: &[u8], dispatch: &[u8], replacement: &[u8]) -> Merge {
    // A diff may align a repeated line with the wrong copy. Such lines are never changed without a person.
    let (template, sent) = (Lines::of(base), Lines::of(dispatch));
    let doubts = alignment::doubts(&template, &sent);
    let doubts = doubts.unwrap_or_else(|| alignment::repeated(&template, &sent));
    three(base, dispatch, replacement, Some(&doubts))
}

/// Where no text of the template fits: everything is in conflict.
pub(super) fn all_in_conflict(template: &[u8], dispatch: &[u8], replacement: &[u8]) -> Merge {
    let pieces = if dispatch == replacement {
        vec![MergePiece::Resolved(dispatch.to_vec())]
    } else {
        vec![MergePiece::Conflict {
            template: template.to_vec(),
            dispatch: dispatch.to_vec(),
            replacement: replacement.to_vec(),
        }]
    };
    Merge { pieces }
}

fn three(base: &[u8], ours: &[u8], theirs: &[u8], doubts: Option<&[bool]>) -> Merge {
    let (base, ours, theirs) = (Lines::of(base), Lines::of(ours), Lines::of(theirs));
    let groups = hunks::groups(hunks(&base, &ours), hunks(&base, &theirs));
    pieces::weave(&base, &ours, &theirs, &groups, doubts)
}

/// The text of a merge without conflicts; `None` where it has one.
pub(super) fn text(merge: &Merge) -> Option<Vec<u8>> {
    let settled = merge.pieces.iter().map(|piece| match piece {
        MergePiece::Resolved(bytes) => Some(bytes.as_slice()),
        MergePiece::Conflict { .. } => None,
    });
    Some(settled.collect::<Option<Vec<_>>>()?.concat())
}

/// The text with every conflict settled for one side: the replacement's, else the dispatch's. A line is never glued
/// to the one before it.
pub(super) fn settled(merge: &Merge, for_replacement: bool) -> Vec<u8> {
    let mut text: Vec<u8> = Vec::new();
    for piece in &merge.pieces {
        let bytes = match piece {
            MergePiece::Resolved(bytes) => bytes,
            MergePiece::Conflict { replacement, .. } if for_replacement => replacement,
            MergePiece::Conflict { dispatch, .. } => dispatch,
        };
        if !bytes.is_empty() && text.last().is_some_and(|last| *last != b'\n') {
            // The side that was not taken may have held the newline.
            text.push(b'\n');
        }
        text.extend_from_slice(bytes);
    }
    text
}
