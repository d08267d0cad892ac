//! Ten pipelines in every state, one of them hostile to a terminal.

use std::path::PathBuf;

use super::stamp;
use crate::model::*;

pub(super) struct Sketch(
    &'static str,
    &'static str,
    &'static str,
    Status,
    &'static str,
    (u64, Option<u64>, &'static str),
    i64,
    &'static [Badge],
);

pub(super) const SKETCHES: &[Sketch] = &[
    Sketch(
        "crucible",
        "1795",
        "Make the price page fast with a cache",
        Status::Interrupted,
        "phase 3, wave 2 · implementer, task 5",
        (2, Some(4), "phases"),
        3 * 3600,
        &[Badge::BranchMismatch, Badge::Dirty],
    ),
    Sketch(
        "autoconference",
        "tokenizer",
        "Make the tokenizer fast",
        Status::Interrupted,
        "round 2, phase 1 · researcher B",
        (1, Some(3), "rounds"),
        7 * 3600,
        &[Badge::Inferred],
    ),
    Sketch(
        "mgw",
        "87",
        "Dark mode",
        Status::Waiting,
        "plan · blocked by #85",
        (1, Some(5), "steps"),
        3 * 86_400,
        &[Badge::Stale],
    ),
    Sketch(
        "superscientist",
        "ring",
        "the radius of a polymer ring",
        Status::Interrupted,
        "stage-2 (Relax) · failed",
        (1, Some(3), "stages"),
        12 * 3600,
        &[],
    ),
    Sketch(
        "nine-step",
        "two-factor",
        "two-factor",
        Status::Waiting,
        "phase 1, step 2.5 (approval)",
        (0, Some(2), "phases"),
        4 * 86_400,
        &[Badge::Orphan],
    ),
    Sketch(
        "crucible",
        "1801",
        "日本語の検索を速くする、とても長い題名の例",
        Status::Live,
        "phase 2 · plan-writer",
        (1, Some(4), "phases"),
        20,
        &[],
    ),
    Sketch(
        "mgw",
        "91",
        "evil \u{1b}[31mred\u{1b}[0m \u{202e}gnp.exe\u{200b} \u{7} title",
        Status::Interrupted,
        "execute\nstep",
        (3, Some(5), "steps"),
        5 * 3600,
        &[Badge::Damaged],
    ),
    Sketch(
        "mgw",
        "92",
        "",
        Status::Unreadable,
        "unreadable",
        (0, None, "steps"),
        86_400,
        &[Badge::Damaged, Badge::Stale],
    ),
    Sketch(
        "superscientist",
        "catalyst",
        "find a catalyst",
        Status::Complete,
        "done",
        (2, Some(2), "stages"),
        9 * 86_400,
        &[],
    ),
    Sketch(
        "nine-step",
        "alerts",
        "price-alerts",
        Status::Complete,
        "merged",
        (3, Some(3), "phases"),
        20 * 86_400,
        &[Badge::CleanupPending],
    ),
];

pub(super) fn id(sketch: &Sketch) -> PipelineId {
    PipelineId(format!("{}-{}~ab12", sketch.0, sketch.1))
}

pub(super) fn pipeline(sketch: &Sketch) -> Pipeline {
    let Sketch(system, native, title, status, place, progress, age, badges) = sketch;
    let root = PathBuf::from(format!(
        "/home/ada/src/{}",
        if *system == "crucible" { "shop" } else { "lab" }
    ));
    let alive = *status == Status::Live;
    let reason: Foreign = match status {
        Status::Live => "An agent works in its project.".into(),
        Status::Waiting => "It waits for a person: an approval is asked for.".into(),
        Status::Interrupted => {
            "Phase 3 is not finished, and the marker of the run was left behind.".into()
        }
        Status::Unreadable => "The state file holds no JSON.".into(),
        Status::Complete => "Every phase is finished.".into(),
    };
    let liveness = Liveness {
        verdict: if alive {
            Aliveness::Alive
        } else {
            Aliveness::Dead
        },
        evidence: vec![if alive {
            "pid 4711, started 11:58, works in /home/ada/src/shop.".into()
        } else {
            "No agent program works in the project; the last write is 3 h old.".into()
        }],
    };
    let reading = Reading {
        claim: Claim {
            status: *status,
            reason: reason.clone(),
        },
        life: LifeEvidence::default(),
        system: SystemName(system),
        native: (*native).into(),
        title: (*title).into(),
        state_files: vec![root.join(".state/manifest.jsonl")],
        work_tree: Some(root.clone()),
        root,
        branch: Some(Branch {
            expected: Some("feat/price-cache".into()),
            actual: Some(if badges.contains(&Badge::BranchMismatch) {
                "main".into()
            } else {
                "feat/price-cache".into()
            }),
        }),
        pull_request: None,
        started_at: Some(stamp(age + 7200)),
        last_activity_at: Some(stamp(*age)),
        stopped_where: (*place).into(),
        progress: Progress::new(Some(progress.0), progress.1, progress.2),
        badges: badges.to_vec(),
        phases: phases(),
        findings: if badges.contains(&Badge::Damaged) {
            vec![Finding::new(
                Severity::Warn,
                "torn-line",
                Origin::line("/home/ada/src/lab/.state/manifest.jsonl", 17),
                "The last line is cut mid-write.",
            )]
        } else {
            Vec::new()
        },
    };
    Pipeline {
        id: id(sketch),
        reading,
        standing: Standing {
            status: *status,
            reason,
            liveness,
        },
    }
}

pub(super) fn phases() -> Vec<Phase> {
    let phase = |id: &str, name: &str, status, done, total, attempts, took| Phase {
        id: id.into(),
        name: name.into(),
        status,
        native_status: "x".into(),
        done,
        total,
        at_least: false,
        attempts,
        started_at: Some(stamp(9000)),
        ended_at: None,
        duration_s: took,
        detail: Foreign::default(),
    };
    vec![
        phase(
            "1",
            "Phase 1 · design",
            PhaseStatus::Done,
            Some(2),
            Some(2),
            1,
            Some(780),
        ),
        phase(
            "2",
            "Phase 2 · plan",
            PhaseStatus::Done,
            Some(2),
            Some(2),
            2,
            Some(960),
        ),
        phase(
            "3",
            "Phase 3 · build 日本",
            PhaseStatus::Active,
            Some(3),
            Some(5),
            1,
            Some(1860),
        ),
        phase(
            "3.5",
            "Phase 3.5 · mend",
            PhaseStatus::Invalidated,
            Some(1),
            Some(1),
            1,
            None,
        ),
        phase(
            "4",
            "Phase 4 · review",
            PhaseStatus::Pending,
            Some(0),
            None,
            0,
            None,
        ),
    ]
}
