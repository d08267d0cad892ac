//! Which of several causes is chosen.

use super::*;

fn one(kind: CauseKind, sure: Sure, time: &str) -> Cause {
    Cause {
        kind,
        sure,
        at: (!time.is_empty()).then(|| at(&format!("2026-11-22T{time}:00Z"))),
        ..Cause::unknown("x")
    }
}

#[test]
fn the_newest_and_surest_cause_is_chosen() {
    use CauseKind as K;
    let (c, l) = (Sure::Certain, Sure::Likely);
    let scene = Scene::new();
    scene.conversation(ONE, &scene.project, "2026-11-22T08:00:00Z", &[ended()]);
    let template = scene.found(Depth::All).remove(0);
    // The causes from conversations, those from the pipeline's own records, and the expected one.
    let table = [
        // Nearly as new: the surest wins, on either side of an hour.
        (
            vec![one(K::KilledInTool, l, "08:01")],
            vec![one(K::ScriptFailed, c, "07:58")],
            K::ScriptFailed,
        ),
        (
            vec![one(K::UsageLimit, c, "08:01")],
            vec![one(K::ScriptFailed, c, "07:58")],
            K::UsageLimit,
        ),
        // Newer: the newest wins.
        (
            vec![one(K::KilledInTool, l, "08:30")],
            vec![one(K::ScriptFailed, c, "07:58")],
            K::KilledInTool,
        ),
        (
            vec![one(K::UsageLimit, c, "07:00"), one(K::ApiError, c, "06:00")],
            vec![],
            K::UsageLimit,
        ),
        // A normal end of a turn explains nothing if a record does.
        (
            vec![one(K::TurnEnded, c, "09:30")],
            vec![one(K::WaitingAnswer, c, "07:58")],
            K::WaitingAnswer,
        ),
        (
            vec![
                one(K::TurnEnded, c, "09:30"),
                one(K::KilledInTool, l, "07:59"),
            ],
            vec![],
            K::TurnEnded,
        ),
        (
            vec![one(K::TurnEnded, c, "09:30")],
            vec![one(K::TurnEnded, c, "07:58")],
            K::TurnEnded,
        ),
        // An open conversation is newer than any record.
        (
            vec![one(K::WaitingPermission, c, "07:00")],
            vec![one(K::WaitingAnswer, c, "07:58")],
            K::WaitingPermission,
        ),
        // Several records: those of dispatches among them.
        (
            vec![one(K::KilledInTool, l, "08:00")],
            vec![
                one(K::ScriptFailed, c, "07:00"),
                one(K::UsageLimit, c, "07:59"),
            ],
            K::UsageLimit,
        ),
        (
            vec![one(K::Unknown, Sure::Guess, "08:00")],
            vec![],
            K::Unknown,
        ),
    ];
    for (of_conversations, recorded, expected) in table {
        let all: Vec<Conversation> = of_conversations
            .iter()
            .map(|cause| Conversation {
                cause: cause.clone(),
                ..template.clone()
            })
            .collect();
        let found = cause(recorded.clone(), &all, &scene.reading());
        assert_eq!(found.kind, expected, "{of_conversations:?} {recorded:?}");
    }
}

#[test]
fn an_unknown_cause_has_no_grade() {
    let facts = Cause::unknown("x").facts();
    let said = |label| facts.iter().find(|(name, _)| *name == label);
    let (_, cause) = said("cause").unwrap();
    assert_eq!(cause.as_str(), CauseKind::Unknown.label());
}
