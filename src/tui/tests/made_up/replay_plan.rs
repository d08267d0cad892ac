//! The synthetic plan of a replay: nine dispatches, two of which conflict once a template is swapped.

use super::stamp;
use crate::model::*;

pub(super) struct Row(
    pub(super) u64,
    pub(super) &'static str,
    pub(super) &'static str,
    pub(super) &'static str,
    pub(super) DispatchStatus,
    pub(super) u64,
    pub(super) usize,
);

/// Nine dispatches: number, role, template, phase, status, seconds, wave.
pub(super) const ROWS: &[Row] = &[
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
        scratch_dir: None,
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
    let resolved = |text: &str| MergePiece::Resolved(text.as_bytes().to_vec());
    let head = "Rule of the template.\n".repeat(12);
    Merge {
        pieces: vec![
            resolved(&head),
            MergePiece::Conflict {
                template: b"Look for {{AREA}} first.\n".to_vec(),
                dispatch:
                    "Look for the price cache (日本) first.\nThe user said: \u{1b}[31mhurry.\n"
                        .into(),
                replacement: b"Attack {{AREA}} first, then its callers.\n".to_vec(),
            },
            resolved("Then write a report.\nEnd with PASS or FAIL.\n"),
            MergePiece::Conflict {
                template: Vec::new(),
                dispatch: b"Context: commit 3fa2.\n".to_vec(),
                replacement: b"Be brief.\n".to_vec(),
            },
            resolved("The end.\n"),
        ],
    }
}

/// Half an hour for each run, and 12 MiB.
fn cost(ask: &ReplayAsk, dispatches: usize) -> ReplayCost {
    let runs = ask.repeat * ask.arms().len();
    let each = 12 << 20;
    ReplayCost {
        runs,
        dispatches: runs * dispatches,
        time_s: Some(1_800 * runs.div_ceil(ask.parallel) as u64),
        disk: Some(DiskCost {
            each,
            all: each * (runs + ask.parallel) as u64,
            free: Some(31 << 30),
        }),
        tokens: None,
    }
}

/// The plan of what was asked: with a mutation, two dispatches conflict until they are resolved.
pub(super) fn plan(ask: &ReplayAsk) -> ReplayPlan {
    let experiment = experiment();
    let swapped = !ask.mutations.is_empty();
    let resolved = |seq: u64| {
        ask.resolutions
            .iter()
            .any(|one| one.seq == Some(seq) || one.seq.is_none())
    };
    let steps = ROWS
        .iter()
        .filter(|row| swapped || row.0 > 5)
        .map(|row| ReplayStep {
            control: (swapped && row.2 == "red-team").then(|| b"# As it was\n".to_vec()),
            original: dispatch(row),
            wave: row.6,
            mutation: (swapped && row.2 == "red-team").then_some(0),
            body: if swapped && row.2 == "red-team" && !resolved(row.0) {
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
            argv: vec!["relight".into(), "stub-runner".into(), "{file}".into()],
            timeout_s: 1_800,
            retries: 1,
            models: std::collections::BTreeMap::new(),
        }),
    };
    let steps: Vec<ReplayStep> = steps.collect();
    let dispatches = steps.len();
    ReplayPlan {
        fingerprint: Fingerprint("beef".repeat(16)),
        pipeline: super::replays::id(),
        ask: ask.clone(),
        start: if swapped { 1 } else { 2 },
        commit: Some("5f0c".repeat(10)),
        steps,
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
        isolation: Isolation {
            named: vec![NamedFolder {
                path: "/projects/shop".into(),
                mentions: 2,
                dispatches: 1,
            }],
            rewritten: vec![RewrittenText {
                seq: 4,
                before: b"Work in /projects/shop.\nRead /projects/shop/a.md.\nGo.".to_vec(),
                after: b"Work in RUN/tree.\nRead RUN/tree/a.md.\nGo.".to_vec(),
            }],
            ..Isolation::default()
        },
        unlike_original: Vec::new(),
        cost: cost(ask, dispatches),
        earlier: None,
        offered: Offered {
            metrics: vec![OwnMetric {
                name: "lines".to_owned(),
                command: vec!["wc".to_owned(), "-l".to_owned(), "out.txt".to_owned()],
                lower_is_better: true,
                margin: None,
                primary: false,
            }],
            no_slurm: ask
                .mutations
                .is_empty()
                .then(|| "sbatch is not installed".to_owned()),
        },
    }
}

/// The plan for the one pipeline that can be replayed; a file that is called lost is not there.
pub(super) fn answer(id: &PipelineId, ask: &ReplayAsk) -> Result<ReplayPlan> {
    if *id != super::replays::id() {
        let error = super::error("Replays of this system are not supported.");
        return Err(error.hint("relight compare works."));
    }
    let lost = ask
        .mutations
        .iter()
        .find(|one| one.replacement.ends_with("lost.md"));
    if let Some(one) = lost {
        let text = "The replacement lost.md cannot be used: not found.";
        return Err(EngineError {
            part: Some(ReplayPart::Mutation(one.original.clone())),
            ..super::error(text)
        });
    }
    Ok(plan(ask))
}

/// Paths that begin like this one.
pub(super) fn paths(typed: &str) -> Vec<String> {
    let known = ["rt-v2.md", "rt-v3.md", "赤い/", "beside/rt-v4.md"];
    let fits = known.into_iter().filter(|path| path.starts_with(typed));
    fits.map(str::to_owned).collect()
}
