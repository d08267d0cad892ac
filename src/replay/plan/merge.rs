//! The three-way merge of a dispatch: the template is the base, the original dispatch one side, the replacement the
//! other. Pure. A change that only one side made is taken; a change that both made alike is taken once; everything else
//! is a conflict. The merge never drops a line that the dispatch has and the template has not.
//!
//! Lines are compared without their endings, because a template saved with other line endings is still the same
//! template. Endings are merged separately.

mod alignment;
mod hunks;
mod pieces;

#[cfg(test)]
mod tests;

use crate::model::{Merge, MergePiece};

pub(super) use alignment::{fits, missing};
use hunks::{Lines, hunks};

/// Merges a replacement into a dispatch. Where one side only inserts at the edge of lines that the other replaced line
/// for line, the order is clear and both are taken, though git reports a conflict. A changed line that the dispatch
/// contains several times is a conflict, because nobody can say which of them is the template's.
pub(super) fn inject(base: &[u8], dispatch: &[u8], replacement: &[u8]) -> Merge {
    // A diff may align a repeated line with the wrong copy. Such lines are never changed without a person.
    let (template, sent) = (Lines::of(base), Lines::of(dispatch));
    let doubts = alignment::doubts(&template, &sent);
    let doubts = doubts.unwrap_or_else(|| alignment::repeated(&template, &sent));
    three(base, dispatch, replacement, &doubts)
}

/// The merge where no text of the template fits: one conflict for the whole text.
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

fn three(base: &[u8], ours: &[u8], theirs: &[u8], doubts: &[bool]) -> Merge {
    let (base, ours, theirs) = (Lines::of(base), Lines::of(ours), Lines::of(theirs));
    let groups = hunks::groups(hunks(&base, &ours), hunks(&base, &theirs));
    pieces::weave(&base, &ours, &theirs, &groups, doubts)
}

/// The text of a merge without conflicts; `None` if it has one.
pub(super) fn text(merge: &Merge) -> Option<Vec<u8>> {
    let resolved = merge.pieces.iter().map(|piece| match piece {
        MergePiece::Resolved(bytes) => Some(bytes.as_slice()),
        MergePiece::Conflict { .. } => None,
    });
    Some(resolved.collect::<Option<Vec<_>>>()?.concat())
}

/// The text with every conflict resolved for one side: the replacement's, or else the dispatch's. A line is never
/// joined to the one before it.
pub(super) fn resolved(merge: &Merge, for_replacement: bool) -> Vec<u8> {
    let mut text: Vec<u8> = Vec::new();
    for piece in &merge.pieces {
        let bytes = match piece {
            MergePiece::Resolved(bytes) => bytes,
            MergePiece::Conflict { replacement, .. } if for_replacement => replacement,
            MergePiece::Conflict { dispatch, .. } => dispatch,
        };
        if !bytes.is_empty() && text.last().is_some_and(|last| *last != b'\n') {
            // The side that was not taken may have contained the newline.
            text.push(b'\n');
        }
        text.extend_from_slice(bytes);
    }
    text
}
