//! Events, checks, checkpoints and points of a synthetic run.

#![expect(clippy::too_many_lines, reason = "a made-up world is a table")]

use super::stamp;
use crate::model::*;
use EventMark::{Error, Plain, Warning};

/// Events of a synthetic run: a failure, a retry, a silence, hostile text.
pub(in crate::tui) fn events() -> Vec<Event> {
    let event = |ago: i64,
                 kind: &str,
                 phase: &str,
                 subject: &str,
                 status: Option<&str>,
                 text: &str,
                 mark| Event {
        at: Some(stamp(ago)),
        at_text: None,
        kind: kind.into(),
        phase: Some(phase.into()),
        subject: subject.into(),
        status: status.map(Foreign::from),
        text: text.into(),
        duration_s: match kind {
            "completed" => Some(2_700),
            "failed" => Some(960),
            _ => None,
        },
        origin: Origin::line("/home/ada/src/shop/.state/manifest.jsonl", 1),
        mark,
    };
    vec![
        event(
            90_000,
            "dispatched",
            "1",
            "researcher",
            None,
            "Design: one cache a product",
            Plain,
        ),
        event(
            89_000,
            "completed",
            "1",
            "researcher",
            Some("pass"),
            "PASS after 2 rounds",
            Plain,
        ),
        event(
            80_000,
            "dispatched",
            "2",
            "plan-writer",
            None,
            "Plan: 4 tasks in 2 waves",
            Plain,
        ),
        event(
            79_900,
            "skipped",
            "2",
            "line 4",
            None,
            "not JSON: cut at byte 81 204",
            Warning,
        ),
        event(
            79_000,
            "completed",
            "2",
            "red-team",
            Some("pass"),
            "no open findings",
            Plain,
        ),
        event(
            14_000,
            "dispatched",
            "3",
            "implementer, task 4",
            None,
            "Task 4: 日本語 \u{1b}[2J\u{202e} text",
            Plain,
        ),
        event(
            13_000,
            "failed",
            "3",
            "implementer, task 4",
            Some("failed"),
            "3 tests fail in cache.rs",
            Error,
        ),
        event(
            12_900,
            "dispatched",
            "3",
            "implementer, task 4",
            Some("retry"),
            "second attempt",
            Warning,
        ),
        event(
            10_800,
            "dispatched",
            "3",
            "implementer, task 5",
            None,
            "Task 5: warm the cache",
            Plain,
        ),
    ]
}

pub(super) fn checks() -> Vec<Check> {
    vec![
        Check::new(
            "F1",
            "manifest integrity",
            Verdict::Pass,
            "16 lines can be read.",
        ),
        Check::new(
            "F4",
            "phase 3, dispatch 8",
            Verdict::Fail,
            "The dispatch says that src/cache.rs was written, but the file is not there.",
        )
        .remedy("Resume before dispatch 8: point wave-1."),
        Check::new(
            "F9",
            "branch",
            Verdict::Warn,
            "The run was on feat/price-cache; main is checked out.",
        )
        .remedy("git switch feat/price-cache"),
        Check::new(
            "F12",
            "checkpoint store",
            Verdict::Skipped,
            "The store is in a format that cannot be read here.",
        ),
        Check::new("F13", "scratch files", Verdict::Pass, "All 12 are there."),
    ]
}

pub(super) fn checkpoint(reason: &str, hex: &str, ago: i64) -> Checkpoint {
    Checkpoint {
        id: hex.repeat(10),
        kind: CheckpointKind::Shadow {
            store: "/home/ada/.claude/checkpoints/shop".into(),
        },
        reason: reason.into(),
        taken_at: Some(stamp(ago)),
        source: "the shadow store".into(),
        brings_back: "214 files of the work tree".into(),
        cannot: vec!["Ignored files are not in the checkpoint.".into()],
        drift: None,
    }
}

pub(super) fn checkpoints() -> Vec<Checkpoint> {
    vec![
        checkpoint("pre-wave-1", "3fa2", 15_000),
        checkpoint("pre-wave-2", "9c01", 11_000),
        Checkpoint {
            kind: CheckpointKind::Record {
                path: "/home/ada/x.tsv".into(),
            },
            id: "row-12".into(),
            ..checkpoint("row 12", "aaaa", 10_900)
        },
    ]
}

pub(super) fn points() -> Vec<ResumePoint> {
    let point = |id: &str,
                 label: &str,
                 kind,
                 verified,
                 kept,
                 redone,
                 lost,
                 checkpoint,
                 readiness,
                 reason: &str,
                 recommended| ResumePoint {
        boundary: Boundary {
            id: PointId(id.to_owned()),
            label: label.into(),
            phase: Some("3".into()),
            kind,
            verified,
            failing: if verified == Verdict::Fail {
                vec![(CheckId("F4".to_owned()), Verdict::Fail)]
            } else {
                Vec::new()
            },
            checkpoint,
            edits_records: kind == PointKind::StateEdit,
            kept,
            redone,
            time_lost_s: lost,
            warnings: if recommended {
                vec!["Two files were created after the checkpoint.".into()]
            } else {
                Vec::new()
            },
            reason: reason.into(),
            preference: Preference::Rung,
        },
        recommended,
        reason: reason.into(),
        readiness,
    };
    vec![
        point(
            "phase-2",
            "Phase 2, from before the plan gate",
            PointKind::Boundary,
            Verdict::Pass,
            Some(2),
            Some(7),
            Some(2820),
            CheckpointNeed::Missing {
                wanted: "pre-phase-2".into(),
            },
            Readiness::Blocked(vec!["There is no checkpoint pre-phase-2.".into()]),
            "Its checkpoint is gone.",
            false,
        ),
        point(
            "wave-1",
            "Wave 1 of phase 3",
            PointKind::Boundary,
            Verdict::Pass,
            Some(4),
            Some(5),
            Some(1860),
            CheckpointNeed::Found(checkpoint("pre-wave-1", "3fa2", 15_000)),
            Readiness::NeedsRestore,
            "Everything before it is verified, and its checkpoint can be read.",
            true,
        ),
        point(
            "wave-2",
            "Wave 2 of phase 3",
            PointKind::Boundary,
            Verdict::Fail,
            Some(6),
            Some(3),
            Some(700),
            CheckpointNeed::Found(checkpoint("pre-wave-2", "9c01", 11_000)),
            Readiness::NeedsRestore,
            "A file that it rests on is not there.",
            false,
        ),
        point(
            "disk",
            "Current state",
            PointKind::CurrentState,
            Verdict::Warn,
            Some(7),
            Some(2),
            Some(0),
            CheckpointNeed::None,
            Readiness::Ready,
            "Nothing is restored.",
            false,
        ),
        point(
            "fresh",
            "Start over",
            PointKind::Fresh,
            Verdict::Pass,
            Some(0),
            Some(9),
            None,
            CheckpointNeed::None,
            Readiness::Ready,
            "Everything is done again.",
            false,
        ),
    ]
}

/// A usage limit that stopped it, and two conversations that worked on it.
pub(in crate::tui) fn why() -> Why {
    let file = std::path::PathBuf::from("/home/ada/.claude/projects/-home-ada-src-shop/one.jsonl");
    let cause = |kind, text: &str, ago: i64| Cause {
        kind,
        text: text.into(),
        at: Some(stamp(ago)),
        until: None,
        sure: Sure::Certain,
        evidence: vec![CauseEvidence {
            file: file.clone(),
            line: Some(812),
            text: format!("Claude Code 2.1.281: {text}").into(),
        }],
        next: Vec::new(),
        open: false,
    };
    let resume = |id: &str| ResumeCommand {
        cwd: Some("/home/ada/src/shop".into()),
        argv: ["claude", "--resume", id].map(Foreign::from).to_vec(),
    };
    let conversation = |id: &str, ago: i64, cause: Cause| Conversation {
        client: Client::ClaudeCode,
        id: id.into(),
        file: file.clone(),
        cwd: Some("/home/ada/src/shop".into()),
        branch: Some("feat/price-cache".into()),
        started_at: Some(stamp(ago + 9_000)),
        last_at: Some(stamp(ago)),
        tokens: Some(128_400),
        alive: Aliveness::Dead,
        reasons: vec![
            "It wrote .state/manifest.jsonl, which belongs to this pipeline.".into(),
            "It ran in this project's directory.".into(),
        ],
        expires_at: Some(stamp(-2_000_000)),
        resume: Some(resume(id)),
        cause,
        went_on: false,
        quotes: Vec::new(),
    };
    let limit = Cause {
        until: Some(stamp(-3_600)),
        next: vec!["After 2026-01-01 17:50 UTC, continue: cd /home/ada/src/shop && claude --resume 5c5b2a7e-0000-4000-8000-000000000002".into()],
        ..cause(
            CauseKind::UsageLimit,
            "The session limit of the plan was reached.",
            7_200,
        )
    };
    let ended = cause(
        CauseKind::TurnEnded,
        "The turn ended normally; nothing more was asked.",
        80_000,
    );
    Why {
        outdated: false,
        notes: vec![],
        conversations: vec![
            conversation("5c5b2a7e-0000-4000-8000-000000000002", 7_200, limit.clone()),
            conversation("5c5b2a7e-0000-4000-8000-000000000001", 80_000, ended),
        ],
        cause: limit,
    }
}

/// What was said in a conversation.
pub(in crate::tui) fn passages() -> Vec<Clean> {
    [
        "person: Make the price page fast",
        "agent: Which currency is shown first?",
    ]
    .map(Clean::new)
    .to_vec()
}
