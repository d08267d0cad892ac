//! Conflicts that the person has resolved.

use std::collections::HashSet;

use super::merge;
use crate::model::{EngineError, Merge, MergePiece, Resolution, Resolved, Result, StepBody};

/// Applies the person's resolutions. Each names its dispatch, or none for all others. Returns the dispatches that lose
/// injected context by it.
pub(super) fn resolve(
    steps: &mut [(u64, &mut StepBody)],
    resolutions: &[Resolution],
) -> Result<Vec<u64>> {
    let in_conflict = |body: &StepBody| matches!(body, StepBody::Conflict(_));
    for (at, resolution) in resolutions.iter().enumerate() {
        let Some(seq) = resolution.seq else {
            continue;
        };
        let mut steps = steps.iter();
        if !steps.any(|(one, body)| *one == seq && in_conflict(body)) {
            let text = format!("Dispatch {seq} has no conflict to resolve.");
            return Err(EngineError::usage(text).hint("Leave its --resolve out."));
        }
        let mut again = resolutions.iter().skip(at + 1);
        if again.any(|other| other.seq == Some(seq)) {
            let text = format!("Dispatch {seq} is resolved twice.");
            return Err(EngineError::usage(text));
        }
    }
    let of = |seq| {
        resolutions
            .iter()
            .filter(move |one| one.seq == seq)
            .map(|one| &one.how)
    };
    if of(None).count() > 1 {
        let text = "More than one --resolve is for all conflicts.";
        return Err(EngineError::usage(text).hint("Name the dispatch: --resolve SEQ=HOW."));
    }
    let named = |seq: u64| of(Some(seq)).next();
    let open = steps
        .iter()
        .filter(|(seq, body)| in_conflict(body) && named(*seq).is_none());
    let for_all = of(None).next();
    if matches!(for_all, Some(Resolved::Edited(_))) && open.count() > 1 {
        let text = "One edited text cannot be used for several dispatches.";
        return Err(EngineError::usage(text).hint("Name the dispatch: --resolve SEQ=FILE."));
    }
    let mut lost = Vec::new();
    for (seq, body) in steps {
        let how = named(*seq).or(for_all);
        if let (StepBody::Conflict(merged), Some(how)) = (&**body, how) {
            let text = decided(*seq, merged, how)?;
            if loses(merged, &text) {
                lost.push(*seq);
            }
            **body = StepBody::Ready(text);
        }
    }
    Ok(lost)
}

/// The text of a resolved conflict.
fn decided(seq: u64, merged: &Merge, how: &Resolved) -> Result<Vec<u8>> {
    match how {
        Resolved::Replacement => Ok(merge::resolved(merged, true)),
        Resolved::Original => Ok(merge::resolved(merged, false)),
        Resolved::Edited(text) => {
            let marked =
                |line: &[u8]| line.starts_with(b"<<<<<<< ") || line.starts_with(b">>>>>>> ");
            if text.split(|byte| *byte == b'\n').any(marked) {
                let text =
                    format!("The edited text of dispatch {seq} still contains conflict markers.");
                return Err(EngineError::usage(text));
            }
            Ok(text.clone())
        }
    }
}

/// Whether the resolved text lacks a line that only the dispatch had: such lines are injected context.
fn loses(merged: &Merge, text: &[u8]) -> bool {
    let lines = |text: &[u8]| -> HashSet<Vec<u8>> {
        let bare = text.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii);
        let filled = bare.filter(|line| !line.is_empty());
        filled.map(<[u8]>::to_vec).collect()
    };
    let kept = lines(text);
    merged.pieces.iter().any(|piece| match piece {
        MergePiece::Resolved(_) => false,
        MergePiece::Conflict {
            template, dispatch, ..
        } => {
            let known = lines(template);
            let own = lines(dispatch);
            own.difference(&known).any(|line| !kept.contains(line))
        }
    })
}
