//! Why a conference stopped, according to its log.

use super::{A_1, B_1, Dir, ROUND_1, dir, log};
use crate::model::{Cause, CauseKind, Sure};
use crate::systems::autoconference::testdata::fresh;

fn cause(dir: &Dir) -> Option<Cause> {
    dir.open().recorded_cause(None, &dir.world)
}

fn after(more: &[&'static str]) -> Option<Cause> {
    cause(&dir(&[ROUND_1, more].concat(), A_1, B_1))
}

#[test]
fn the_events_that_end_or_break_it() {
    let certain = Sure::Certain;
    let line = ROUND_1.len() as u64 + 1;
    let failed = "researcher.iteration 2 A 1 51 failed";
    for (events, expected) in [
        (
            &["round.started 2", "conference.failed"][..],
            Some((CauseKind::ScriptFailed, certain, line + 1)),
        ),
        (
            &["conference.stalled"],
            Some((CauseKind::TurnEnded, certain, line)),
        ),
        (&["conference.converged"], None),
        (
            &["round.started 2", failed],
            Some((CauseKind::ScriptFailed, Sure::Likely, line + 1)),
        ),
        // The work continued after it.
        (
            &[
                "round.started 2",
                failed,
                "researcher.iteration 2 B 1 51 kept",
            ],
            None,
        ),
        (&["conference.completed"], None),
        (&[], None),
    ] {
        let found = after(events);
        let shown = found
            .as_ref()
            .map(|one| (one.kind, one.sure, one.evidence[0].line.unwrap()));
        assert_eq!(shown, expected, "{events:?}: {found:?}");
        if let Some(found) = found {
            assert!(found.at.is_some(), "{found:?}");
            assert!(found.evidence[0].file.ends_with("conference_events.jsonl"));
        }
    }
}

#[test]
fn a_conference_that_never_began_waits_for_its_start() {
    let waiting = cause(&Dir::with(&[
        ("conference.md", &fresh()),
        ("conference_events.jsonl", &log(&[])),
    ]));
    let waiting = waiting.unwrap();
    assert_eq!(
        (waiting.kind, waiting.sure),
        (CauseKind::WaitingApproval, Sure::Certain)
    );
    assert!(waiting.evidence[0].file.ends_with("conference.md"));
}
