//! What is never written, and what is never applied.

use super::trees::{row, rows, texts};
use super::*;
use crate::model::{Blob, Checkpoint, CheckpointKind, CheckpointNeed};

/// A sparse checkout left out all that the checkpoint has: nothing is written, and nothing matches.
#[test]
fn what_is_never_written_is_named_where_nothing_changes() {
    let left = DriftPath {
        blob: Some(Blob::as_stored("c".repeat(40))),
        ..row("src/lib.rs", PathState::NotCovered)
    };
    let drift = Drift {
        not_covered: 1,
        paths: vec![left],
        ..Drift::default()
    };
    let measured = Measured {
        drift,
        ..Measured::default()
    };
    let plan = plan_of(
        restore(),
        Some(measured),
        Vec::new(),
        &PlanOptions::default(),
    );
    assert_eq!(rows(&plan), Vec::<String>::new());
    assert_eq!(plan.left_out, [Foreign::from("src/lib.rs")]);
    let losses = texts(&plan);
    assert!(
        losses[0].starts_with("Not restored though the checkpoint has it")
            && losses[0].ends_with(": src/lib.rs."),
        "{losses:?}"
    );
    assert_eq!(
        plan.not_restored().unwrap(),
        "1 file that differs from the checkpoint was not restored: 'src/lib.rs'."
    );
}

/// A prompt with a line break in it is no command to copy.
#[test]
fn a_name_that_was_left_out_is_one_line_of_the_prompt() {
    let drift = Drift {
        modified: 1,
        paths: vec![row("new\nline", PathState::Modified)],
        ..Drift::default()
    };
    let measured = Measured {
        drift,
        ..Measured::default()
    };
    let options = PlanOptions {
        paths: vec!["other".into()],
        ..PlanOptions::default()
    };
    let plan = plan_of(restore(), Some(measured), Vec::new(), &options);
    let own = Handoff {
        prompt: "Resume.".into(),
        ..Handoff::default()
    };
    let prompt = crate::recover::handoff::finish(own, &plan).prompt;
    let prompt = prompt.lossy();
    assert!(prompt.contains("was not restored: 'new"), "{prompt}");
    assert!(!prompt.contains('\n'), "{prompt}");
}

/// A system knows what a restore overwrites, and not whether there is anything to restore.
#[test]
fn nothing_is_overwritten_where_the_files_match_already() {
    for (drifts, said) in [(false, false), (true, true)] {
        let paths = if drifts {
            vec![row("src/lib.rs", PathState::Modified)]
        } else {
            Vec::new()
        };
        let drift = Drift {
            modified: u64::from(drifts),
            paths,
            ..Drift::default()
        };
        let measured = Measured {
            drift,
            ..Measured::default()
        };
        let options = PlanOptions::default();
        let own = vec![Loss::overwritten("The work of phase 1.")];
        let plan = plan_of(restore(), Some(measured), own, &options);
        let kept = texts(&plan)
            .iter()
            .any(|text| text == "The work of phase 1.");
        assert_eq!(kept, said, "{drifts}");
    }
}

#[test]
fn the_hand_off_of_a_refused_plan_says_of_no_file_that_it_matches() {
    let nothing = Some(Measured::default());
    let mut plan = plan_of(restore(), nothing, Vec::new(), &PlanOptions::default());
    plan.point.boundary.checkpoint = CheckpointNeed::Found(Checkpoint {
        id: "a".repeat(40),
        kind: CheckpointKind::Commit { repo: "/s".into() },
        reason: "pre-wave-1".into(),
        taken_at: None,
        source: "x".into(),
        brings_back: "x".into(),
        cannot: Vec::new(),
        drift: None,
    });
    let own = Handoff {
        prompt: "Resume at wave 1.".into(),
        briefing: "Run x".into(),
        argv: vec!["claude".into()],
        ..Handoff::default()
    };
    let said = |plan: &Plan| {
        let found = crate::recover::handoff::finish(own.clone(), plan);
        format!("{} {}", found.prompt.lossy(), found.briefing.lossy())
    };
    assert!(said(&plan).contains("already match"), "{}", said(&plan));
    plan.guards.push(Guard::fails(
        "nested",
        "A repository is in the way.",
        "Move it.",
    ));
    let refused = said(&plan);
    assert!(refused.contains("relight refuses this plan"), "{refused}");
    assert!(!refused.contains("already match"), "{refused}");
}

/// How git writes the other files depends on them.
#[test]
fn attributes_that_are_not_as_in_the_checkpoint_afterwards_are_known() {
    let changed = row(".gitattributes", PathState::Modified);
    let created = row("a/.gitattributes", PathState::Created);
    let others = [
        row("b/.gitattributes", PathState::Missing),
        row("c", PathState::Created),
    ];
    let rows: Vec<DriftPath> = [changed, created].into_iter().chain(others).collect();
    let table: [(RestoreMode, &[&str], &[&str]); 4] = [
        (RestoreMode::Overlay, &[], &[]),
        (RestoreMode::Exact, &[], &["a/.gitattributes"]),
        (RestoreMode::Overlay, &["a", "b", "c"], &[".gitattributes"]),
        (
            RestoreMode::Exact,
            &["a"],
            &[".gitattributes", "a/.gitattributes"],
        ),
    ];
    for (mode, paths, want) in table {
        let options = PlanOptions {
            mode,
            paths: paths.iter().map(std::path::PathBuf::from).collect(),
            ..PlanOptions::default()
        };
        let measured = Measured {
            drift: Drift::of(rows.clone()),
            ..Measured::default()
        };
        let decided = Decided::new(ActionKind::RestoreTree, measured, &options);
        let found = decided.attributes_not_restored();
        let found: Vec<_> = found.iter().map(Foreign::lossy).collect();
        assert_eq!(found, want, "{mode:?} {paths:?}");
    }
}
