//! Made-up replays: runs that ended, one that was cut short, a plan with conflicts, what is told on the way.

use super::{pipelines, stamp};
use crate::model::*;
use crate::tui::data::Operand;

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
        },
        handoff: None,
        trouble: Vec::new(),
    }
}

/// Newest first: five runs together, one that a crash cut short, one by hand, one that is hostile.
pub(super) fn sessions() -> Vec<ReplaySession> {
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

struct Row(
    u64,
    &'static str,
    &'static str,
    &'static str,
    DispatchStatus,
    u64,
    usize,
);

/// Nine dispatches: number, role, template, phase, status, seconds, wave.
const ROWS: &[Row] = &[
    Row(
        4,
        "planner",
        "build-planner",
        "2",
        DispatchStatus::Completed,
        600,
        0,
    ),
    Row(
        5,
        "red-team",
        "red-team",
        "2",
        DispatchStatus::Completed,
        420,
        0,
    ),
    Row(
        6,
        "implementer",
        "build-implementer",
        "3",
        DispatchStatus::Completed,
        1_500,
        1,
    ),
    Row(
        7,
        "implementer",
        "build-implementer",
        "3",
        DispatchStatus::Failed,
        1_260,
        1,
    ),
    Row(
        8,
        "reviewer",
        "build-reviewer",
        "3",
        DispatchStatus::Completed,
        300,
        2,
    ),
    Row(
        9,
        "implementer",
        "build-implementer",
        "3",
        DispatchStatus::Completed,
        900,
        3,
    ),
    Row(
        10,
        "red-team",
        "red-team",
        "4",
        DispatchStatus::Completed,
        480,
        4,
    ),
    Row(
        11,
        "inquisitor",
        "build-inquisitor",
        "4",
        DispatchStatus::Failed,
        360,
        5,
    ),
    Row(
        12,
        "acceptance",
        "acceptance",
        "4",
        DispatchStatus::Completed,
        240,
        6,
    ),
];

fn dispatch(row: &Row) -> Dispatch {
    let Row(seq, role, template, phase, status, duration, wave) = *row;
    let file = format!("{seq}-{template}.md");
    Dispatch {
        seq,
        path: Some(format!("/tmp/crucible/{file}").into()),
        file: file.into(),
        template: template.into(),
        role: role.into(),
        phase: phase.into(),
        task: (role == "implementer").then(|| format!("task {}", seq - 3).into()),
        status,
        duration_s: Some(duration),
        summary: Some("PASS: no open findings".into()),
        input_chars: Some(8_811),
        output_chars: Some(4_200),
        tool_calls: Some(12),
        model_tier: Some("opus".into()),
        model: None,
        begun_at: Some(stamp(90_000 - i64::try_from(seq).unwrap() * 600)),
        output: None,
        wave: u64::try_from(wave).ok(),
        replay_of: None,
        session: None,
        mutation: None,
        origin: Origin::line("/home/ada/src/shop/.state/manifest.jsonl", seq),
    }
}

fn experiment() -> Experiment {
    let start =
        |point: &str, label: &str, phase: &str, from: u64, unusable: Option<&str>| ReplayStart {
            point: PointId(point.to_owned()),
            label: label.into(),
            phase: phase.into(),
            redo: (from..=12).collect(),
            checkpoint: super::checkpoints().into_iter().next(),
            unusable: unusable.map(Foreign::from),
        };
    Experiment {
        session: "1795".into(),
        skill: "build".into(),
        manifest: "/home/ada/src/shop/.state/manifest.jsonl".into(),
        dispatch_dir: Some("/tmp/crucible".into()),
        started_at: Some(stamp(90_000)),
        work_tree: Some("/home/ada/src/shop".into()),
        branch: Some("feat/price-cache".into()),
        baseline: Some("5f0c".repeat(10)),
        end: None,
        dispatches: ROWS.iter().map(dispatch).collect(),
        starts: vec![
            start(
                "start",
                "before everything",
                "1",
                4,
                Some("no files were saved there"),
            ),
            start("phase-2", "phase 2", "2", 4, None),
            start("wave-1", "phase 3, wave 1", "3", 6, None),
        ],
        plugin_templates: vec!["/home/ada/.claude/plugins/crucible/skills".into()],
    }
}

fn merge() -> Merge {
    let settled = |text: &str| MergePiece::SettledBy(text.as_bytes().to_vec());
    let head: String = (1..=12)
        .map(|line| format!("Rule {line} of the template.\n"))
        .collect();
    Merge {
        pieces: vec![
            settled(&head),
            MergePiece::Conflict {
                template: b"Look for {{AREA}} first.\n".to_vec(),
                dispatch:
                    "Look for the price cache (日本) first.\nThe user said: \u{1b}[31mhurry.\n"
                        .into(),
                replacement: b"Attack {{AREA}} first, then its callers.\n".to_vec(),
            },
            settled("Then write a report.\nEnd with PASS or FAIL.\n"),
            MergePiece::Conflict {
                template: Vec::new(),
                dispatch: b"Context: commit 3fa2.\n".to_vec(),
                replacement: b"Be brief.\n".to_vec(),
            },
            settled("The end.\n"),
        ],
    }
}

/// The plan of what was asked: with a mutation, two dispatches conflict until they are settled.
pub(super) fn plan(ask: &ReplayAsk) -> ReplayPlan {
    let experiment = experiment();
    let swapped = !ask.mutations.is_empty();
    let settled = |seq: u64| {
        ask.settlements
            .iter()
            .any(|one| one.seq == Some(seq) || one.seq.is_none())
    };
    let steps = ROWS
        .iter()
        .filter(|row| swapped || row.0 > 5)
        .map(|row| ReplayStep {
            original: dispatch(row),
            wave: row.6,
            mutation: (swapped && row.2 == "red-team").then_some(0),
            body: if swapped && row.2 == "red-team" && !settled(row.0) {
                StepBody::Conflict(merge())
            } else {
                StepBody::Ready(b"# Dispatch\n".to_vec())
            },
        });
    let mutations = ask.mutations.iter().map(|mutation| TemplateSwap {
        mutation: mutation.clone(),
        template: Some(b"Look for {{AREA}} first.\n".to_vec()),
        template_from: "skills/red-team/red-team-prompt.md at 3fa91c02".into(),
        replacement: b"Attack {{AREA}} first, then its callers.\n".to_vec(),
        dispatches: 2,
    });
    let runner = match &ask.runner {
        RunnerAsk::Nobody => None,
        _ => Some(Runner {
            name: "stand-in".into(),
            argv: vec!["relight".into(), "stand-in".into(), "{file}".into()],
            timeout_s: 1_800,
            retries: 1,
        }),
    };
    ReplayPlan {
        fingerprint: Fingerprint("beef".repeat(16)),
        pipeline: id(),
        ask: ask.clone(),
        start: if swapped { 1 } else { 2 },
        commit: Some("5f0c".repeat(10)),
        steps: steps.collect(),
        mutations: mutations.collect(),
        confounders: vec![
            "The template red-team-prompt.md was changed after the original run began, and no commit of it is pinned, \
             so that other changes than the mutation may count."
                .into(),
            "The original ran on opus; the runner does not say which model it uses.".into(),
        ],
        notes: vec!["2 files beside the checkpoint are not covered: .env and vendor/\u{1b}[2J日本.".into()],
        experiment,
        runner,
        handoff: None,
    }
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

/// What came of a replay that was begun now.
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
