//! Synthetic replays for tests.

use crate::cli::prelude::*;
use crate::model::{
    DispatchCounts, DispatchStatus, Experiment, Fingerprint, Merge, MergePiece, Mutation, Origin,
    PointId, ReplayProgress, ReplayStart, ReplayStep, Runner, SessionId, SessionProgress, StepBody,
    StepProgress, StepState, TemplateSwap,
};

pub(super) fn dispatch(seq: u64, role: &str, phase: &str) -> Dispatch {
    Dispatch {
        seq,
        file: format!("{seq}-{role}.md").into(),
        template: role.into(),
        role: role.into(),
        phase: phase.into(),
        task: None,
        status: DispatchStatus::Completed,
        duration_s: Some(300),
        summary: Some(format!("What {role} said in the end | with a bar").into()),
        input_chars: None,
        output_chars: None,
        tool_calls: None,
        model_tier: Some("opus".into()),
        model: None,
        begun_at: None,
        path: None,
        output: None,
        wave: None,
        replay_of: None,
        session: None,
        mutation: None,
        origin: Origin::line("/m/manifest.jsonl", seq),
    }
}

fn step(seq: u64, role: &str, mutation: Option<usize>, body: StepBody) -> ReplayStep {
    ReplayStep {
        control: mutation.map(|_| b"as it was\n".to_vec()),
        original: dispatch(seq, role, "3"),
        wave: usize::from(seq > 5),
        mutation,
        body,
    }
}

/// Dispatches 4 to 6 again, the last with a swapped template, with a conflict if asked.
pub(super) fn plan(conflict: bool) -> ReplayPlan {
    let ready = |text: &str| StepBody::Ready(text.as_bytes().to_vec());
    let merge = Merge {
        pieces: vec![
            MergePiece::Resolved(b"# Dispatch: red-team\n\n---\n".to_vec()),
            MergePiece::Conflict {
                template: b"Find flaws.\n".to_vec(),
                dispatch: b"Find flaws in the price cache.\n".to_vec(),
                replacement: b"Find at most three flaws.\x1b[2J\n".to_vec(),
            },
        ],
    };
    let last = if conflict {
        StepBody::Conflict(merge)
    } else {
        ready("merged\n")
    };
    let dispatches = [
        dispatch(1, "researcher", "1"),
        dispatch(2, "quality-gate", "1"),
        dispatch(3, "plan-writer", "2"),
        dispatch(4, "implementer", "3"),
        dispatch(5, "implementer", "3"),
        dispatch(6, "red-team", "3"),
    ];
    let mutation = Mutation {
        original: "red-team-prompt.md".into(),
        replacement: PathBuf::from("/here/red-team-v2.md"),
    };
    ReplayPlan {
        fingerprint: Fingerprint("ab".repeat(32)),
        pipeline: PipelineId("crucible-17~27b5".to_owned()),
        ask: ReplayAsk {
            mutations: vec![mutation.clone()],
            repeat: 5,
            ..ReplayAsk::default()
        },
        experiment: experiment(dispatches.to_vec()),
        start: 0,
        commit: Some("5f0c9e2d7b1a4c3e8f6d9a0b2c4e6f8091a3b5c7".to_owned()),
        steps: vec![
            step(4, "implementer", None, ready("four\n")),
            step(5, "implementer", None, ready("five\n")),
            step(6, "red-team", Some(0), last),
        ],
        mutations: vec![TemplateSwap {
            mutation,
            template: Some(b"Find flaws.\n".to_vec()),
            template_from: "skills/build/red-team-prompt.md at 3fa91c02".into(),
            replacement: b"Find at most three flaws.\n".to_vec(),
            dispatches: 1,
        }],
        confounders: vec!["The templates are not pinned to a commit.".into()],
        notes: vec!["2 ignored files are not in the tree.".into()],
        runner: Some(Runner {
            name: "claude".into(),
            argv: ["claude", "-p", "{prompt}"].map(Into::into).to_vec(),
            timeout_s: 1_800,
            retries: 1,
            models: std::collections::BTreeMap::new(),
        }),
        handoff: None,
        isolation: crate::model::Isolation::default(),
        unlike_original: Vec::new(),
        cost: crate::model::ReplayCost::default(),
        earlier: None,
        offered: crate::model::Offered::default(),
    }
}

fn experiment(dispatches: Vec<Dispatch>) -> Experiment {
    Experiment {
        session: "1775430161".into(),
        skill: "build".into(),
        manifest: PathBuf::from("/m/manifest.jsonl"),
        dispatch_dir: None,
        scratch_dir: None,
        started_at: Stamp::from_unix(1_775_430_161),
        work_tree: Some(PathBuf::from("/projects/shop")),
        branch: None,
        baseline: None,
        end: None,
        dispatches,
        starts: vec![ReplayStart {
            point: PointId("wave-1".to_owned()),
            label: "Wave 1 of phase 3".into(),
            phase: "3".into(),
            redo: vec![4, 5, 6],
            checkpoint: None,
            unusable: None,
        }],
        plugin_templates: vec![],
    }
}

/// The K-th of this many runs.
pub(super) fn session(at: usize, of: usize, state: SessionState) -> ReplaySession {
    let id = if of > 1 {
        format!("1775431900-{at}")
    } else {
        "1775431900".to_owned()
    };
    ReplaySession {
        id: SessionId(id),
        place: None,
        measured: Vec::new(),
        unnumbered: Vec::new(),
        cut_short: false,
        rejected: None,
        pipeline: PipelineId("crucible-17~27b5".to_owned()),
        repeat: (at, of),
        group: SessionId("1775431900".to_owned()),
        state,
        folder: Some(PathBuf::from("/state/relight/replays/x")),
        tree: None,
        manifest: PathBuf::from("/state/relight/replays/x/manifest.jsonl"),
        start: Some(PointId("wave-1".to_owned())),
        mutations: vec!["red-team-prompt.md -> red-team-v2.md".into()],
        runner: "claude".into(),
        in_place: false,
        started_at: Stamp::from_unix(1_775_431_900),
        ended_at: None,
        dispatches: DispatchCounts {
            done: 3,
            ..DispatchCounts::default()
        },
        handoff: None,
        outside: Vec::new(),
        trouble: vec![],
    }
}

/// A session under way, with the state of its steps.
pub(in crate::cli) fn progress(states: &[(StepState, Option<u64>)]) -> ReplayProgress {
    let step = |(at, (state, duration)): (usize, &(StepState, Option<u64>))| StepProgress {
        of: at as u64 + 4,
        seq: None,
        label: Foreign::from(format!("implementer, task {}", at + 1)),
        state: *state,
        attempt: u32::from(*state != StepState::Waiting),
        begun_at: None,
        duration_s: *duration,
        original_s: Some(300),
        summary: Some("it said so".into()),
        output: None,
    };
    ReplayProgress {
        sessions: vec![SessionProgress {
            waiting: None,
            id: SessionId("1775431900-2".to_owned()),
            state: Some(SessionState::Running),
            tree: (9, 9),
            steps: states.iter().enumerate().map(step).collect(),
        }],
    }
}
