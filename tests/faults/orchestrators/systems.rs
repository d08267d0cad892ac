//! The orchestrator of each system, and where it can be resumed after each of its calls.

use super::{GIT, Orchestrator};

#[test]
fn a_run_of_crucible() {
    Orchestrator {
        script: "crucible.sh",
        setup: GIT,
        folder: ".",
        pipeline: "1900000000",
        points: &[
            None,
            None,
            Some("fresh"),
            Some("fresh"),
            Some("fresh"),
            Some("fresh"),
            Some("phase-2"),
            Some("phase-2"),
            Some("phase-2"),
            Some("phase-2"),
            Some("phase-2"),
            Some("wave-1"),
            Some("wave-1"),
            Some("wave-1"),
            Some("wave-1"),
            Some("phase-4"),
            Some("phase-4"),
            Some("phase-4-inquisitor"),
            None,
        ],
        // The commit at a boundary is its checkpoint, unless it is of the second in which the next work began.
        also: &[(10, "wave-1"), (14, "phase-4"), (17, "phase-4")],
        // Before the first dispatch there is no manifest.
        fails: &["F1"],
    }
    .killed_anywhere();
}

#[test]
fn an_issue_of_mgw() {
    Orchestrator {
        script: "mgw.sh",
        setup: GIT,
        folder: ".",
        pipeline: "7",
        points: &[
            None,
            Some("step-triage"),
            Some("step-plan"),
            Some("step-plan"),
            Some("step-execute"),
            Some("step-execute"),
            Some("step-execute"),
            Some("step-execute"),
            Some("step-verify"),
            Some("step-verify"),
            Some("step-pr"),
            Some("cleanup"),
            None,
        ],
        also: &[],
        fails: &[],
    }
    .killed_anywhere();
}

#[test]
fn a_workflow_of_superscientist() {
    Orchestrator {
        script: "superscientist.sh",
        setup: "echo design > design.md; echo plan > plan.md",
        folder: ".",
        pipeline: ".",
        points: &[
            None,
            Some("stage-1:rerun"),
            Some("stage-1:rerun"),
            Some("stage-1:rerun"),
            Some("stage-1:retry"),
            Some("stage-1:verify"),
            Some("stage-1:verify"),
            Some("stage-1:verify"),
            Some("stage-2:rerun"),
            Some("stage-2:rerun"),
            Some("stage-2:retry"),
            Some("stage-2:verify"),
            Some("stage-2:verify"),
            Some("stage-2:verify"),
            Some("stage-3:rerun"),
            Some("stage-3:rerun"),
            Some("stage-3:retry"),
            Some("stage-3:verify"),
            Some("stage-3:verify"),
            Some("stage-3:verify"),
            Some("completion"),
            None,
            None,
        ],
        also: &[],
        // A subagent died while preparing its stage.
        fails: &["S10"],
    }
    .killed_anywhere();
}

#[test]
fn a_feature_of_nine_step() {
    Orchestrator {
        script: "nine-step.sh",
        setup: "git init -q -b main . && mkdir .plan && echo '# Plan' > .plan/alerts_plan.md && git add . \
            && git commit -q -m first && git worktree add -q -b feature/alerts .worktree/alerts",
        folder: ".worktree/alerts",
        pipeline: ".worktree/alerts",
        points: &[
            Some("phase-1-step-3"),
            Some("phase-1-step-3"),
            Some("phase-1-step-2"),
            Some("phase-1-step-2.5"),
            Some("phase-1-step-3"),
            Some("phase-1-step-4"),
            Some("phase-1-step-5"),
            Some("phase-1-step-6"),
            Some("phase-1-step-7"),
            Some("phase-1-step-8"),
            Some("phase-1-step-9"),
            Some("phase-2-step-1"),
            Some("phase-2-step-2"),
            Some("phase-2-step-2.5"),
            Some("phase-2-step-3"),
            Some("phase-2-step-4"),
            Some("phase-2-step-5"),
            Some("phase-2-step-6"),
            Some("phase-2-step-7"),
            Some("phase-2-step-8"),
            Some("phase-2-step-9"),
            Some("merge"),
        ],
        also: &[],
        // It is merged: only the cleanup is left.
        fails: &["N13"],
    }
    .killed_anywhere();
}

#[test]
fn a_conference() {
    Orchestrator {
        script: "autoconference.sh",
        setup: CONFERENCE,
        folder: ".",
        pipeline: ".",
        points: &[
            Some("round-1-phase-1"),
            Some("round-1-phase-1"),
            Some("round-1-phase-1"),
            Some("round-1-mid"),
            Some("round-1-mid"),
            Some("round-1-mid"),
            Some("round-1-mid"),
            Some("round-1-mid"),
            Some("round-1-phase-2"),
            Some("round-1-phase-3"),
            Some("round-1-phase-4"),
            Some("round-2-phase-1"),
            Some("round-2-phase-1"),
            Some("round-2-mid"),
            Some("round-2-mid"),
            Some("round-2-mid"),
            Some("round-2-mid"),
            Some("round-2-mid"),
            Some("round-2-phase-2"),
            Some("round-2-phase-3"),
            Some("round-2-phase-4"),
            None,
            None,
        ],
        // Before the work that follows.
        also: &[(21, "synthesis")],
        // Before the first record there is no log.
        fails: &["A2"],
    }
    .killed_anywhere();
}

const CONFERENCE: &str = r"cat > conference.md <<'END'
# Conference: Make the tokenizer fast

## Goal
Make the tokenizer fast

## Mode
metric

## Success Metric
- **Metric:** MB/s
- **Target:** > 60
- **Direction:** maximize

## Researchers
- **Count:** 2
- **Iterations per round:** 3
- **Max rounds:** 2

## Search Space Partitioning
- **Strategy:** assigned

## Constraints
- **Max total iterations:** 40
- **Time budget:** 3d
- **Researcher timeout:** 30m

## Shared Knowledge

## Conference Log
| Round | Researcher | Best Metric | Key Finding | Status |
|---|---|---|---|---|
END
";
