mod never_written;
mod trees;

use super::*;
use crate::model::{
    Aliveness, ChangeCounts, Claim, DriftPath, LifeEvidence, LifeSign, Loss, PathChange, PathState,
    PipelineId, Preference, Progress, Reading, RestoreMode, SignKind, SignVerdict, Status,
    SystemName, TreeNeed, Verdict,
};
use crate::recover::{assess, resume_points};

/// The state of the work tree.
const HEAD: &str = "cccccccccccccccccccccccccccccccccccccccc";

fn pipeline() -> Pipeline {
    let reading = Reading {
        system: SystemName("crucible"),
        native: "1".into(),
        title: "t".into(),
        root: "/w".into(),
        state_files: vec![],
        work_tree: None,
        branch: None,
        pull_request: None,
        started_at: None,
        last_activity_at: None,
        claim: Claim {
            status: Status::Interrupted,
            reason: "r".into(),
        },
        life: LifeEvidence {
            signs: vec![LifeSign::new(
                SignKind::Process,
                SignVerdict::Negative,
                "none",
            )],
            last_write: None,
            last_talk: None,
            quiet_after_s: 0,
            of_conversation: false,
        },
        stopped_where: "s".into(),
        progress: Progress::new(Some(0), None, "phases"),
        badges: vec![],
        phases: vec![],
        findings: vec![],
    };
    let pipeline = assess::pipeline(
        &reading,
        &reading.life,
        PipelineId("crucible-1~0000".into()),
        chrono::DateTime::default(),
    );
    assert_eq!(pipeline.standing.liveness.verdict, Aliveness::Dead);
    pipeline
}

fn plan(steps: Vec<Step>, drift: Option<Drift>, options: &PlanOptions) -> Plan {
    let measured = drift.map(|drift| Measured {
        drift,
        head: Some(HEAD.to_owned()),
        ..Measured::default()
    });
    plan_of(steps, measured, vec![], options)
}

fn plan_of(
    steps: Vec<Step>,
    measured: Option<Measured>,
    losses: Vec<Loss>,
    options: &PlanOptions,
) -> Plan {
    let pipeline = pipeline();
    let each = std::iter::repeat_n(measured, steps.len());
    let decided = |(step, measured): (&Step, Option<Measured>)| {
        let (kind, ..) = step.tree()?;
        Some(Decided::new(kind, measured?, options))
    };
    let decided = steps.iter().zip(each).map(decided).collect();
    let boundary = resume_points::tests::boundary(
        "wave-1",
        Preference::Chosen("x".into()),
        Verdict::Pass,
        false,
    );
    let point = resume_points::climb(vec![boundary], |_| None).remove(0);
    let intent = Intent {
        kept: vec![],
        redone: vec![],
        steps,
        guards: vec![],
        tree: Some(TreeNeed {
            work_tree: "/w".into(),
            branch: Some("main".into()),
            baseline: None,
        }),
        losses,
    };
    let tree = Some(TreeFacts {
        branch: Some("main".into()),
        head: Some(HEAD.to_owned()),
        ..TreeFacts::default()
    });
    compile(Inputs {
        head: None,
        asked: Asked::Resume {
            choice: PointChoice::Recommended,
            options: options.clone(),
        },
        pipeline: &pipeline,
        point,
        intent,
        options,
        decided,
        tree,
        extra_guards: vec![],
        basis: vec![],
    })
}

fn restore() -> Vec<Step> {
    vec![Step::RestoreTree {
        store: "/s".into(),
        commit: "a".repeat(40),
        work_tree: "/w".into(),
    }]
}

fn drift() -> Drift {
    let path = |path: &str, state| DriftPath {
        path: path.into(),
        state,
        blob: None,
        forms: crate::model::Forms::default(),
        seen: None,
    };
    Drift {
        modified: 1,
        missing: 1,
        created: 1,
        not_covered: 1,
        paths: vec![
            path("a", PathState::Modified),
            path("b/c", PathState::Missing),
            path("new", PathState::Created),
            path("sub", PathState::NotCovered),
        ],
    }
}

#[test]
fn overlay_keeps_what_came_since_and_exact_lists_it() {
    for (mode, change, removed) in [
        (RestoreMode::Overlay, PathChange::KeepNewer, 0),
        (RestoreMode::Exact, PathChange::Remove, 1),
    ] {
        let plan = plan(
            restore(),
            Some(drift()),
            &PlanOptions {
                mode,
                ..PlanOptions::default()
            },
        );
        let action = &plan.actions[0];
        assert_eq!(
            action.changes,
            Some(ChangeCounts {
                modified: 1,
                added: 1,
                removed,
                branch: None
            })
        );
        assert_eq!(action.paths[2].change, change);
        assert!(plan.destructive);
        assert!(plan.guards.iter().all(|g| g.holds));
    }
}

#[test]
fn chosen_paths_limit_the_action_to_them() {
    let options = PlanOptions {
        paths: vec!["b".into()],
        ..PlanOptions::default()
    };
    let plan = plan(restore(), Some(drift()), &options);
    assert_eq!(
        plan.actions[0]
            .paths
            .iter()
            .map(|p| p.path.clone())
            .collect::<Vec<_>>(),
        ["b/c"]
    );
    assert!(!plan.destructive, "bringing a file back destroys nothing");
}

#[test]
fn nothing_to_change_is_no_action_at_all() {
    let same = Step::replace_file("/f", Some(b"x".to_vec()), b"x".to_vec(), None, "s");
    assert!(
        plan(vec![same], None, &PlanOptions::default())
            .actions
            .is_empty()
    );
    assert!(
        plan(restore(), Some(Drift::default()), &PlanOptions::default())
            .actions
            .is_empty()
    );
    let cut = Step::truncate_rows("/t", b"a\nb\n".to_vec(), 4, "s");
    assert!(
        plan(vec![cut], None, &PlanOptions::default())
            .actions
            .is_empty()
    );
}

#[test]
fn the_rows_that_go_are_shown() {
    let cut = Step::truncate_rows("/t", b"a\nb\nc\n".to_vec(), 2, "s");
    let plan = plan(vec![cut], None, &PlanOptions::default());
    assert_eq!(
        plan.actions[0].preview,
        Preview::Rows {
            removed: vec!["b".into(), "c".into()],
            before: b"a\nb\nc\n".to_vec(),
            keep_bytes: 2,
        }
    );
}

#[test]
fn the_fingerprint_follows_every_part_and_nothing_else() {
    let base = plan(restore(), Some(drift()), &PlanOptions::default()).fingerprint;
    assert_eq!(
        base,
        plan(restore(), Some(drift()), &PlanOptions::default()).fingerprint
    );
    let exact = PlanOptions {
        mode: RestoreMode::Exact,
        ..PlanOptions::default()
    };
    assert_ne!(base, plan(restore(), Some(drift()), &exact).fingerprint);
    let mut more = drift();
    more.paths.remove(1);
    assert_ne!(
        base,
        plan(restore(), Some(more), &PlanOptions::default()).fingerprint
    );
    assert_eq!(base.0.len(), 64);
}

#[test]
fn a_reset_that_only_moves_the_branch_is_an_action() {
    let reset = |commit: &str| {
        vec![Step::ResetWorktree {
            worktree: "/w".into(),
            commit: commit.to_owned(),
        }]
    };
    let elsewhere = plan(
        reset(&"b".repeat(40)),
        Some(Drift::default()),
        &PlanOptions::default(),
    );
    assert_eq!(elsewhere.actions.len(), 1);
    assert!(elsewhere.guards.iter().any(|g| g.id == "branch"));
    let here = plan(reset(HEAD), Some(Drift::default()), &PlanOptions::default());
    assert!(here.actions.is_empty());
}

#[test]
fn a_hand_off_from_a_detached_head_needs_the_recorded_branch_named() {
    let mut pipeline = pipeline();
    pipeline.reading.work_tree = Some("/w".into());
    let recorded = |expected: &str, actual: Option<&str>| crate::model::Branch {
        expected: Some(expected.into()),
        actual: actual.map(Foreign::from),
    };
    let at = |head: &str, tip: &str, branch: Option<&str>, busy| TreeFacts {
        branch: branch.map(Foreign::from),
        head: Some(head.to_owned()),
        tip: Some(tip.to_owned()),
        busy,
        ..TreeFacts::default()
    };
    let tip = || Some(at("1", "1", None, None));
    let based = |is| {
        Some(TreeFacts {
            baseline_is_ancestor: is,
            ..at("1", "1", None, None)
        })
    };
    let table = [
        (Some("a"), None, None, Some(true)),
        (Some("b"), tip(), Some("a"), Some(false)),
        (None, tip(), None, Some(false)),
        (None, tip(), Some("a"), Some(true)),
        (None, based(Some(true)), Some("a"), Some(true)),
        (None, based(Some(false)), Some("a"), Some(false)),
        (None, Some(at("2", "1", None, None)), Some("a"), Some(false)),
        (
            None,
            Some(at("1", "1", None, Some("rebase"))),
            Some("a"),
            Some(false),
        ),
        (None, Some(TreeFacts::default()), Some("a"), Some(false)),
        (None, Some(at("1", "1", Some("c"), None)), None, None),
        (None, None, None, None),
    ];
    for (actual, head, named, holds) in table {
        pipeline.reading.branch = Some(recorded("a", actual));
        let options = PlanOptions {
            branch: named.map(str::to_owned),
            ..PlanOptions::default()
        };
        let guard = guards::handed_over(&pipeline, head.as_ref(), &options);
        let found = guard.as_ref().map(|guard| guard.holds);
        assert_eq!(found, holds, "{actual:?} {head:?} {named:?}");
    }
}

#[test]
fn what_helps_a_repository_of_another_user_is_to_trust_it() {
    let need = crate::model::TreeNeed {
        work_tree: "/w".into(),
        branch: None,
        baseline: None,
    };
    let facts = TreeFacts {
        trouble: Some("the repository belongs to another user".into()),
        ..TreeFacts::default()
    };
    let kinds = [ActionKind::RestoreTree];
    let guards = guards::tree(&kinds, Some(&need), Some(&facts), &PlanOptions::default());
    let cure = guards
        .first()
        .and_then(|guard| guard.would_hold_if.as_ref());
    assert!(
        cure.is_some_and(|cure| cure.lossy().contains(" trust ")),
        "{guards:?}"
    );
}
