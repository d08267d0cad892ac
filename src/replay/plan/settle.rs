//! Conflicts that the person has settled.

use super::{Refused, merge};
use crate::model::{Merge, SettledBy, Settlement, StepBody};

/// Settles the conflicts that the person has decided. Each is named by its dispatch, or by none for all others.
pub(super) fn settle(
    steps: &mut [(u64, &mut StepBody)],
    settlements: &[Settlement],
) -> Result<(), Refused> {
    let in_conflict = |body: &StepBody| matches!(body, StepBody::Conflict(_));
    for (at, settlement) in settlements.iter().enumerate() {
        let Some(seq) = settlement.seq else {
            continue;
        };
        let found = steps
            .iter()
            .any(|(one, body)| *one == seq && in_conflict(body));
        if !found {
            return Err(
                Refused::usage(format!("Dispatch {seq} has no conflict to settle."))
                    .hint("Leave its --settle out."),
            );
        }
        let again = settlements.iter().skip(at + 1);
        if again.into_iter().any(|other| other.seq == Some(seq)) {
            return Err(Refused::usage(format!("Dispatch {seq} is settled twice.")));
        }
    }
    let general: Vec<&Settlement> = settlements.iter().filter(|one| one.seq.is_none()).collect();
    if general.len() > 1 {
        return Err(
            Refused::usage("More than one --settle is for all conflicts.")
                .hint("Name the dispatch: --settle SEQ=HOW."),
        );
    }
    let named = |seq: u64| settlements.iter().find(|one| one.seq == Some(seq));
    let open = steps
        .iter()
        .filter(|(seq, body)| in_conflict(body) && named(*seq).is_none());
    let for_all = general.first().map(|one| &one.how);
    if matches!(for_all, Some(SettledBy::Edited(_))) && open.count() > 1 {
        return Err(
            Refused::usage("One edited text cannot stand for several dispatches.")
                .hint("Name the dispatch: --settle SEQ=FILE."),
        );
    }
    for (seq, body) in steps {
        let how = named(*seq).map(|one| &one.how).or(for_all);
        if let (StepBody::Conflict(merged), Some(how)) = (&**body, how) {
            **body = StepBody::Ready(decided(*seq, merged, how)?);
        }
    }
    Ok(())
}

/// The text of a settled conflict.
fn decided(seq: u64, merged: &Merge, how: &SettledBy) -> Result<Vec<u8>, Refused> {
    match how {
        SettledBy::Replacement => Ok(merge::settled(merged, true)),
        SettledBy::Original => Ok(merge::settled(merged, false)),
        SettledBy::Edited(text) => {
            let marked =
                |line: &[u8]| line.starts_with(b"<<<<<<< ") || line.starts_with(b">>>>>>> ");
            if text.split(|byte| *byte == b'\n').any(marked) {
                return Err(Refused::usage(format!(
                    "The edited text of dispatch {seq} still holds conflict markers."
                )));
            }
            Ok(text.clone())
        }
    }
}
