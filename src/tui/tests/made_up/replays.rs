//! Synthetic replays: runs that ended, one that was interrupted, what is told on the way.

use super::replay_plan::{ROWS, Row};
use super::{pipelines, stamp};
use crate::model::*;
use crate::tui::worker::deleted;

pub(in crate::tui::tests) fn id() -> PipelineId {
    pipelines::id(&pipelines::SKETCHES[0])
}

fn session(
    id_text: &str,
    group: &str,
    repeat: (usize, usize),
    state: SessionState,
    ago: i64,
    counts: (u64, u64, u64, u64),
) -> ReplaySession {
    let folder = format!("/home/ada/.local/state/relight/replays/crucible-1795~ab12/{id_text}");
    let ended = matches!(state, SessionState::Done | SessionState::Cancelled);
    ReplaySession {
        id: SessionId(id_text.to_owned()),
        place: None,
        measured: Vec::new(),
        unnumbered: Vec::new(),
        cut_short: false,
        rejected: None,
        pipeline: id(),
        repeat,
        group: SessionId(group.to_owned()),
        state,
        tree: Some(format!("{folder}/tree").into()),
        manifest: format!("{folder}/manifest.jsonl").into(),
        folder: Some(folder.into()),
        start: Some(PointId("wave-1".to_owned())),
        mutations: vec!["red-team-prompt.md -> rt-v2.md".into()],
        runner: "stand-in".into(),
        in_place: false,
        started_at: Some(stamp(ago)),
        ended_at: ended.then(|| stamp(ago - 1_800)),
        dispatches: DispatchCounts {
            done: counts.0,
            failed: counts.1,
            error: counts.2,
            left: counts.3,
            unknown: 0,
        },
        handoff: None,
        outside: Vec::new(),
        trouble: Vec::new(),
    }
}

/// An experiment of ten blocks that ended after six, because a verdict stood.
const JUDGED: &str = "1795258800";

/// An experiment that was killed before its first run.
const KILLED: &str = "1795244400";

fn experiment(id: &str, end: Option<ExperimentEnd>) -> ReplayExperiment {
    ReplayExperiment {
        id: SessionId(id.to_owned()),
        arms: vec![Arm::Control, Arm::Mutated],
        blocks: 10,
        fixed: 10,
        all: false,
        fresh: false,
        parallel: 1,
        on: crate::model::RunsOn::Local,
        seed: "5eed".to_owned(),
        question: "beef".to_owned(),
        metrics: Vec::new(),
        unswapped: 0,
        purged: Vec::new(),
        started_at: Some(stamp(18_000)),
        rejected: None,
        end,
    }
}

/// The runs of six blocks, control first.
fn judged_runs() -> impl Iterator<Item = ReplaySession> {
    (1..=12).map(|run| {
        let control = run % 2 == 1;
        let counts = if control { (8, 1, 0, 0) } else { (9, 0, 0, 0) };
        let id = format!("{JUDGED}-{run}");
        let mut one = session(&id, JUDGED, (run, 20), SessionState::Done, 3_600, counts);
        one.place = Some(RunPlace {
            experiment: SessionId(JUDGED.to_owned()),
            arm: if control { Arm::Control } else { Arm::Mutated },
            block: run.div_ceil(2),
        });
        if control {
            one.mutations.clear();
        }
        one
    })
}

/// Everything that was replayed.
pub(in crate::tui::tests) fn list() -> ReplayList {
    let mut sessions: Vec<ReplaySession> = judged_runs().collect();
    sessions.extend(self::sessions());
    ReplayList {
        sessions,
        experiments: vec![
            experiment(KILLED, None),
            experiment(JUDGED, Some(ExperimentEnd::Decided)),
        ],
        unsupported: None,
    }
}

/// The verdict of the one that has one, and what each run takes.
pub(in crate::tui::tests) fn details() -> ReplayDetails {
    let bytes = |one: ReplaySession| (one.id, 48 << 20);
    ReplayDetails {
        judged: vec![JudgedExperiment {
            id: SessionId(JUDGED.to_owned()),
            verdict: ComparisonVerdict::Better,
            text: "The mutated arm is better: better in 6, worse in 0, the same in 0 of 6 blocks (6 to 0 was enough)."
                .into(),
            statistics: super::blocks::statistics(JUDGED, "xxxxxx", "oooooo"),
            others: Vec::new(),
        }],
        bytes: list().sessions.into_iter().map(bytes).collect(),
    }
}

/// What is deleted of one.
pub(in crate::tui::tests) fn purged(id: &SessionId) -> (Vec<String>, usize) {
    let meant = |one: &&ReplaySession| one.id == *id || one.group == *id;
    let number = list().sessions.iter().filter(meant).count();
    (vec![deleted(number, number as u64 * (48 << 20))], 0)
}

/// Newest first: five runs together, one that a crash cut short, one by hand, one that is hostile.
pub(in crate::tui::tests) fn sessions() -> Vec<ReplaySession> {
    use SessionState::{Cancelled, Done, HandedOver, Interrupted, Unreadable};
    let mut all: Vec<ReplaySession> = (1..=5)
        .map(|run| {
            let id = format!("1795255200-{run}");
            let failed = u64::from(run == 2) + u64::from(run == 4);
            session(
                &id,
                "1795255200",
                (run, 5),
                Done,
                7_200,
                (9 - failed, failed, 0, 0),
            )
        })
        .collect();
    let mut cut = session(
        "1795248000",
        "1795248000",
        (1, 1),
        Interrupted,
        14_400,
        (3, 1, 1, 4),
    );
    cut.trouble = vec!["The last line of its manifest was cut mid-write; it is left out.".into()];
    let mut by_hand = session(
        "1795240800",
        "1795240800",
        (1, 1),
        HandedOver,
        21_600,
        (0, 0, 0, 9),
    );
    by_hand.runner = Foreign::default();
    by_hand.handoff = Some(Handoff {
        cwd: "/home/ada/src/shop".into(),
        argv: vec!["claude".into()],
        prompt: "Go on with the dispatches.".into(),
        briefing: "Nine dispatch files wait.".into(),
        ..Handoff::default()
    });
    let mut hostile = session(
        "1795233600",
        "1795233600",
        (1, 1),
        Unreadable,
        28_800,
        (0, 0, 0, 0),
    );
    hostile.mutations = vec![
        "\u{1b}[2J日本語.md -> \u{202e}b.md".into(),
        "x.md -> y.md".into(),
    ];
    let cancelled = session(
        "1795226400",
        "1795226400",
        (1, 1),
        Cancelled,
        36_000,
        (2, 0, 0, 7),
    );
    all.extend([cut, by_hand, hostile, cancelled]);
    all
}

/// How far a replay is: of `runs` runs the second is at work.
pub(in crate::tui::tests) fn progress(runs: usize) -> ReplayProgress {
    let step = |run: usize, row: &Row| {
        let place = ROWS.iter().position(|one| one.0 == row.0).unwrap();
        let state = match (run, place) {
            (0, 3) => StepState::Failed,
            (0, _) | (1, 0..=2) => StepState::Completed,
            (1, 3) => StepState::Error,
            (1, 4) => StepState::Running,
            _ => StepState::Waiting,
        };
        let ended = !matches!(state, StepState::Waiting | StepState::Running);
        let begun = state != StepState::Waiting;
        StepProgress {
            of: row.0,
            seq: begun.then(|| 13 + place as u64),
            label: match row.1 {
                "implementer" => format!("implementer, task {}", row.0 - 3).into(),
                role => role.into(),
            },
            state,
            attempt: if state == StepState::Error {
                2
            } else {
                u32::from(begun)
            },
            begun_at: begun.then(|| stamp(130)),
            duration_s: ended.then_some(row.5 / 2),
            original_s: Some(row.5),
            summary: match state {
                StepState::Completed => Some("PASS: no open findings, 日本語 \u{1b}[2J".into()),
                StepState::Failed => Some("FAIL: two tests of the cache do not pass".into()),
                StepState::Error => Some("stopped after 30m".into()),
                _ => None,
            },
            output: begun.then(|| format!("/state/outputs/{}.txt", row.0).into()),
        }
    };
    let sessions = (0..runs).map(|run| SessionProgress {
        waiting: (run > 1).then(|| format!("job 12_{run} is pending (Resources) for 40s").into()),
        id: SessionId(format!("1795262400-{}", run + 1)),
        state: match run {
            0 => Some(SessionState::Done),
            1 => Some(SessionState::Running),
            _ => None,
        },
        tree: if run < 2 { (412, 412) } else { (0, 0) },
        steps: ROWS.iter().map(|row| step(run, row)).collect(),
    });
    ReplayProgress {
        sessions: sessions.collect(),
    }
}

/// The outcome of a replay that was started now.
pub(in crate::tui::tests) fn ran(runs: usize, cancelled: bool) -> Vec<ReplaySession> {
    let state = if cancelled {
        SessionState::Cancelled
    } else {
        SessionState::Done
    };
    (1..=runs)
        .map(|run| {
            let group = "1795262400";
            let id = if runs == 1 {
                group.to_owned()
            } else {
                format!("{group}-{run}")
            };
            let left = if cancelled { 5 } else { 0 };
            session(&id, group, (run, runs), state, 0, (8 - left, 1, 0, left))
        })
        .collect()
}

/// What can be compared: the original, a group, a session, a recovery.
pub(super) fn operands() -> Vec<Operand> {
    let rows = [
        ("original", "the run itself, begun 2026-11-20 11:00:00"),
        (
            "1795248000",
            "replay, interrupted, red-team-prompt.md -> rt-v2.md",
        ),
        ("1795255200", "5 replays, red-team-prompt.md -> rt-v2.md"),
        ("before-0193", "the state before the recovery \u{1b}[2J日本"),
        ("after-0193", "the state after it"),
    ];
    rows.into_iter()
        .map(|(name, title)| Operand {
            name: name.to_owned(),
            title: title.into(),
        })
        .collect()
}
