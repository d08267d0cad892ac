//! Why a run stopped, according to its records and the files of its subagents.

use super::*;
use crate::model::{Aliveness, CauseKind, Client, Sure};

/// Two finished dispatches, then these lines.
fn run(last: &[String]) -> Kit {
    let kit = Kit::new();
    kit.marker("3");
    let mut lines = [done(1, "planner", "2", 0), done(2, "implementer", "3", 1)].concat();
    lines.extend_from_slice(last);
    kit.manifest(&lines);
    kit.header(3, "reviewer", "10:40:00");
    kit
}

fn recorded(kit: &Kit) -> Option<Cause> {
    kit.open().recorded_cause(None, &kit.world)
}

fn dispatched(seq: u64) -> String {
    line(seq, "reviewer", "3", 2, "dispatched", "")
}

#[test]
fn the_last_dispatch_failed_or_rejected_the_work() {
    let ended = |status| run(&[dispatched(3), line(3, "reviewer", "3", 2, status, "")]);
    for (status, text) in [
        (
            "failed",
            "Dispatch 3 (reviewer, task 2) failed. Its summary: did it.",
        ),
        (
            "error",
            "Dispatch 3 (reviewer, task 2) ended with an error. Its summary: did it.",
        ),
    ] {
        let found = recorded(&ended(status)).unwrap();
        assert_eq!(
            (found.kind, found.sure),
            (CauseKind::ScriptFailed, Sure::Certain)
        );
        assert_eq!(found.text.lossy(), text);
        assert_eq!(
            found.at.map(|at| at.at.to_utc()),
            Some(testdata::at("2026-04-08T10:41:00Z"))
        );
        let record = &found.evidence[0];
        assert!(record.file.ends_with("manifest.jsonl"));
        assert_eq!(
            (record.line, &*record.text.lossy()),
            (Some(6), "Its summary: did it")
        );
    }
    let passed = ended("completed");
    assert_eq!(recorded(&passed), None);
    let receipts = "{\"dispatch_id\":\"2-implementer\",\"verdict\":\"PASS\"}\n{\"dispatch_id\":\"3-reviewer\",\"verdict\":\"FAIL\"}\n";
    passed.write(&passed.dispatch().join("receipt-ledger.jsonl"), receipts);
    let rejected = recorded(&passed).unwrap();
    assert_eq!(
        rejected.text.lossy(),
        "Dispatch 3 (reviewer, task 2) rejected the work: its receipt says FAIL. Its summary: did it."
    );
    assert!(rejected.evidence[0].file.ends_with("receipt-ledger.jsonl"));
    assert_eq!(rejected.evidence[0].line, Some(2));
    // The work continued after it.
    let later = run(&[
        dispatched(3),
        line(3, "reviewer", "3", 2, "failed", ""),
        dispatched(4),
    ]);
    assert_eq!(recorded(&later), None);
}

#[test]
fn a_gate_that_was_not_passed_waits_for_an_approval() {
    let kit = run(&[dispatched(3)]);
    let verdict = "# Gate\nVerdict: ESCALATED\nPhase: code\nTimestamp: 2026-04-08T10:50:00Z\n";
    let file = kit.memory().join("quality-gate/gate-verdict-1.md");
    kit.write(&file, verdict);
    let found = recorded(&kit).unwrap();
    assert_eq!(
        (found.kind, found.sure),
        (CauseKind::WaitingApproval, Sure::Certain)
    );
    assert_eq!(found.evidence[0].file, file);
    assert_eq!(found.evidence[0].line, Some(2));
    assert_eq!(
        found.at.map(|at| at.at.to_utc()),
        Some(testdata::at("2026-04-08T10:50:00Z"))
    );
}

/// The id of the conversation.
const ID: &str = "5c5b2a7e-0000-4000-8000-000000000001";

/// A conversation with subagents: the number of the file, its prompt, its last line.
fn conversation(kit: &Kit, agents: &[(u64, String, &str)]) -> Conversation {
    agents_in(kit, &format!("{ID}/subagents/agent-a"), ID, agents)
}

/// The same, with the beginning of the path of each agent's file and the conversation that it names.
fn agents_in(kit: &Kit, path: &str, of: &str, agents: &[(u64, String, &str)]) -> Conversation {
    let file = kit.project().join(format!("{ID}.jsonl"));
    for (number, prompt, last) in agents {
        let prompt = format!(
            "{{\"type\":\"user\",\"isSidechain\":true,\"sessionId\":\"{of}\",\"message\":{{\"content\":\"CANARY {prompt}\"}}}}"
        );
        let path = file.with_file_name(format!("{path}{number}.jsonl"));
        kit.write(&path, &format!("{prompt}\n{last}\n"));
        let written =
            testdata::at("2026-04-08T11:00:00Z") + chrono::TimeDelta::minutes(number.cast_signed());
        let opened = std::fs::File::options().append(true).open(&path).unwrap();
        opened.set_modified(written.into()).unwrap();
    }
    Conversation {
        client: Client::ClaudeCode,
        id: "x".into(),
        file,
        cwd: None,
        branch: None,
        started_at: None,
        last_at: None,
        tokens: None,
        alive: Aliveness::Dead,
        reasons: vec![],
        expires_at: None,
        resume: None,
        cause: Cause::unknown("x"),
        went_on: false,
        quotes: vec![],
    }
}

const LIMIT: &str = "{\"type\":\"assistant\",\"timestamp\":\"2026-04-08T10:44:00Z\",\"isSidechain\":true,\"isApiErrorMessage\":true,\"error\":\"rate_limit\",\"apiErrorStatus\":429,\"message\":{\"model\":\"<synthetic>\",\"stop_reason\":\"stop_sequence\",\"content\":[{\"type\":\"text\",\"text\":\"You've hit your session limit · resets 5:50pm (Asia/Tokyo)\"}]}}";
const ENDED: &str = "{\"type\":\"assistant\",\"timestamp\":\"2026-04-08T10:45:00Z\",\"isSidechain\":true,\"message\":{\"id\":\"m\",\"model\":\"x\",\"stop_reason\":\"end_turn\",\"content\":[{\"type\":\"text\",\"text\":\"CANARY\"}]}}";

fn ends(kit: &Kit, conversations: &[Conversation]) -> Vec<(CauseKind, String, Option<u64>)> {
    let causes = kit.open().dispatch_causes(conversations, &kit.world);
    let shown = causes.iter().map(|cause| {
        assert_eq!(cause.evidence.len(), 1);
        assert!(!format!("{cause:?}").contains("CANARY"), "{cause:?}");
        (
            cause.kind,
            cause.text.lossy().into_owned(),
            cause.evidence[0].line,
        )
    });
    shown.collect()
}

#[test]
fn an_unfinished_dispatch_is_explained_by_its_own_subagent() {
    let kit = run(&[dispatched(3), dispatched(4)]);
    let named = |seq: u64| format!("Read /tmp/crucible-dispatch-{SID}/{seq}-reviewer.md");
    // The prompt of a dispatch may name files of earlier ones, never of later ones.
    let review = format!("{} and review {}", named(4), named(3));
    let other = "Read /tmp/crucible-dispatch-1/3-reviewer.md".to_owned();
    let found = conversation(
        &kit,
        &[
            (1, named(3), ENDED),
            (2, named(3), LIMIT),
            (3, review, ENDED),
            (4, named(2), LIMIT),
            (5, other, LIMIT),
            (6, "no dispatch".to_owned(), LIMIT),
        ],
    );
    let expected = [
        (
            CauseKind::TurnEnded,
            "Dispatch 4 (reviewer, task 2): It finished, and its outcome was not recorded.",
        ),
        (
            CauseKind::UsageLimit,
            "Dispatch 3 (reviewer, task 2): The session limit was reached.",
        ),
    ];
    let expected: Vec<_> = expected
        .iter()
        .map(|(kind, text)| (*kind, (*text).to_owned(), Some(2)))
        .collect();
    let shown: Vec<_> = ends(&kit, std::slice::from_ref(&found));
    assert_eq!(
        shown.iter().map(|one| (one.0, one.2)).collect::<Vec<_>>(),
        expected
            .iter()
            .map(|one| (one.0, one.2))
            .collect::<Vec<_>>()
    );
    assert_eq!(shown[0].1, expected[0].1);
    assert!(
        shown[1]
            .1
            .starts_with("Dispatch 3 (reviewer, task 2): The session limit"),
        "{shown:?}"
    );

    let meta = found
        .file
        .with_extension("")
        .join("subagents/agent-a2.meta.json");
    kit.write(&meta, "{\"description\":\"CANARY\",\"stoppedByUser\":true}");
    assert_eq!(
        ends(&kit, std::slice::from_ref(&found))[1].1,
        "Dispatch 3 (reviewer, task 2): A person stopped it."
    );
    // An agent of an open conversation may still be working.
    let open = Conversation {
        alive: Aliveness::Alive,
        ..found
    };
    assert_eq!(ends(&kit, &[open]), []);
    // A dispatch with an outcome needs no explanation.
    let finished = run(&done(3, "reviewer", "3", 2));
    let agents = conversation(&finished, &[(1, named(3), LIMIT)]);
    assert_eq!(ends(&finished, &[agents]), []);
}

/// A prompt contains all that the agent needs to know, and older clients wrote the files of agents beside that of the
/// conversation.
#[test]
fn the_end_of_a_subagent_is_found_after_a_long_prompt_and_in_the_older_layout() {
    let inside = format!("{ID}/subagents/agent-a");
    for (path, of, found) in [
        (inside.as_str(), ID, true),
        ("agent-a", ID, true),
        ("agent-a", "5c5b2a7e-0000-4000-8000-000000000002", false),
    ] {
        for long in [0, 20 << 10, 3 << 20] {
            let kit = run(&[dispatched(3)]);
            let padding = "p".repeat(long);
            let named =
                format!("{padding} Read /tmp/crucible-dispatch-{SID}/3-reviewer.md {padding}");
            let one = agents_in(&kit, path, of, &[(1, named, LIMIT)]);
            let kinds: Vec<CauseKind> = ends(&kit, &[one]).iter().map(|one| one.0).collect();
            let expected: &[_] = if found { &[CauseKind::UsageLimit] } else { &[] };
            assert_eq!(kinds, expected, "{path} {long}");
        }
    }
}
