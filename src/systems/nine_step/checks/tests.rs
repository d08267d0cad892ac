use crate::model::Verdict;
use Verdict::{Fail, Pass, Skipped, Warn};

use crate::systems::nine_step::checks::*;
use crate::systems::nine_step::tests::scene::{STATE, Scene, at, change, commit, full, head};

const FILE: &str = ".worktree/price-alerts/workflow-state.json";

/// A state without a single finished step on record.
const BARE: &str = r#"{"feature_name": "price-alerts", "current_phase": 1, "current_step": 3, "last_execution": {"phase": 1, "step": 3, "status": "in_progress"}}"#;

/// A change of the scene, and the expected verdict of a check.
type Row = (&'static str, fn(&mut Scene), &'static str, Verdict);

fn rewrite(scene: &Scene, from: &str, to: &str) {
    assert!(STATE.contains(from), "{from}");
    scene.write(FILE, STATE.replace(from, to));
}

fn whole(scene: &mut Scene) {
    scene.write(
        &format!("{FILE}.backup"),
        STATE.replace("15:12:44", "15:02:44"),
    );
}

fn hold(rows: &[Row]) {
    for (about, prepare, id, verdict) in rows {
        let mut scene = Scene::with_state(STATE);
        prepare(&mut scene);
        assert_eq!(scene.verdict(id), *verdict, "{id}: {about}");
    }
}

#[test]
fn the_state_file_and_its_backup() {
    hold(&[
        ("whole", whole, "N1", Pass),
        (
            "no total",
            |s| rewrite(s, "\"total_phases\": 3,", ""),
            "N1",
            Warn,
        ),
        ("cut", |s| s.write(FILE, head(100)), "N1", Fail),
        (
            "none",
            |s| std::fs::remove_file(s.top.join(FILE)).unwrap(),
            "N1",
            Skipped,
        ),
        ("whole", whole, "N2", Pass),
        (
            "phase as text",
            |s| rewrite(s, "\"current_phase\": 2", "\"current_phase\": \"2\""),
            "N2",
            Warn,
        ),
        (
            "phase out of range",
            |s| rewrite(s, "\"total_phases\": 3", "\"total_phases\": 1"),
            "N2",
            Fail,
        ),
        (
            "step out of list",
            |s| rewrite(s, "\"current_step\": 4", "\"current_step\": 3.5"),
            "N2",
            Fail,
        ),
        ("whole", whole, "N3", Pass),
        ("no backup", |_| {}, "N3", Warn),
        (
            "newer backup",
            |s| {
                s.write(
                    &format!("{FILE}.backup"),
                    STATE.replace("15:12:44", "16:02:44"),
                );
            },
            "N3",
            Warn,
        ),
        (
            "other backup",
            |s| {
                s.write(
                    &format!("{FILE}.backup"),
                    STATE.replace("\"price-alerts\"", "\"other\""),
                );
            },
            "N3",
            Fail,
        ),
    ]);
}

#[test]
fn worktree_and_branch() {
    hold(&[
        ("whole", whole, "N4", Pass),
        (
            "other path",
            |s| rewrite(s, "\".worktree/price-alerts\"", "\"/elsewhere\""),
            "N4",
            Warn,
        ),
        (
            "locked",
            |s| s.repo().worktrees[0].locked = true,
            "N4",
            Warn,
        ),
        ("absent", |s| s.repo().worktrees.clear(), "N4", Fail),
        (
            "no git",
            |s| s.repo().broken = Some(crate::world::git::GitError::Unsupported("reftable".into())),
            "N4",
            Skipped,
        ),
        ("whole", whole, "N5", Pass),
        (
            "other spelling",
            |s| rewrite(s, "\"feature/price-alerts\"", "\"feat/price_alerts\""),
            "N5",
            Warn,
        ),
        (
            "other branch",
            |s| rewrite(s, "\"feature/price-alerts\"", "\"feature/other\""),
            "N5",
            Fail,
        ),
        (
            "detached",
            |s| s.repo().worktrees[0].branch = None,
            "N5",
            Fail,
        ),
    ]);
}

#[test]
fn changes_plan_and_commits() {
    hold(&[
        ("whole", whole, "N6", Pass),
        (
            "clean in the middle",
            |s| s.repo().status.clear(),
            "N6",
            Warn,
        ),
        (
            "state files do not count",
            |s| {
                s.repo().status = vec![
                    change("workflow-state.json"),
                    change("workflow-state.json.backup"),
                ];
            },
            "N6",
            Warn,
        ),
        ("merging", |s| s.repo().busy = Some("merge"), "N6", Fail),
        (
            "conflicts",
            |s| s.repo().unmerged = vec!["src/alerts.rs".into()],
            "N6",
            Fail,
        ),
        ("whole", whole, "N7", Pass),
        (
            "by name",
            |s| rewrite(s, "price_alerts_plan.md", "other_plan.md"),
            "N7",
            Warn,
        ),
        (
            "no plan",
            |s| std::fs::remove_dir_all(s.top.join(".plan")).unwrap(),
            "N7",
            Fail,
        ),
        ("whole", whole, "N8", Pass),
        (
            "another time",
            |s| rewrite(s, "2025-11-09T14:30:02.551020", "2025-11-08T14:30:02"),
            "N8",
            Warn,
        ),
        (
            "no commit",
            |s| {
                let base = s.repo().branches["main"].clone();
                s.repo()
                    .branches
                    .insert("feature/price-alerts".into(), base);
            },
            "N8",
            Fail,
        ),
    ]);
}

#[test]
fn recorded_commit_ids() {
    hold(&[
        ("none recorded", whole, "N9", Skipped),
        (
            "recorded",
            |s| {
                rewrite(
                    s,
                    "T14:30:02.551020\"",
                    &format!(
                        "T14:30:02.551020\", \"commit_sha\": \"{}\"",
                        full("c1").get(..7).unwrap()
                    ),
                );
            },
            "N9",
            Pass,
        ),
        (
            "unknown id",
            |s| {
                rewrite(
                    s,
                    "T14:30:02.551020\"",
                    "T14:30:02.551020\", \"commit_sha\": \"deadbeef\"",
                );
            },
            "N9",
            Fail,
        ),
        (
            "no id at all",
            |s| {
                rewrite(
                    s,
                    "T14:30:02.551020\"",
                    "T14:30:02.551020\", \"commit_sha\": \":/x\"",
                );
            },
            "N9",
            Fail,
        ),
        (
            "not in the branch",
            |s| {
                s.repo().branches.insert(
                    "x".into(),
                    vec![commit("e1", "x", "2025-11-09T10:00:00Z", &[])],
                );
                rewrite(
                    s,
                    "T14:30:02.551020\"",
                    &format!("T14:30:02.551020\", \"commit_sha\": \"{}\"", full("e1")),
                );
            },
            "N9",
            Warn,
        ),
    ]);
}

#[test]
fn sequence_times_and_approval() {
    hold(&[
        ("gap of an earlier phase", whole, "N10", Warn),
        (
            "missing review",
            |s| s.write(FILE, at("7", "failed")),
            "N10",
            Fail,
        ),
        ("whole", whole, "N11", Pass),
        (
            "future",
            |s| rewrite(s, "2025-11-09T15:12:44.120933", "2035-11-09T15:12:44"),
            "N11",
            Warn,
        ),
        (
            "backwards",
            |s| rewrite(s, "2025-11-09T15:01:10.004411", "2025-11-08T15:01:10"),
            "N11",
            Warn,
        ),
        ("implied", whole, "N12", Warn),
        (
            "recorded",
            |s| {
                rewrite(
                    s,
                    "\"completed_steps\": [",
                    "\"completed_steps\": [{\"phase\": 1, \"step\": 2.5, \"agent\": \"\", \"status\": \"approved\", \"timestamp\": \"2025-11-09T10:00:00\"},",
                );
            },
            "N12",
            Pass,
        ),
        (
            "a commit of the phase without a record",
            |s| s.write(FILE, BARE),
            "N12",
            Warn,
        ),
        (
            "neither",
            |s| {
                s.write(FILE, BARE);
                let branch = s.repo().branches.get_mut("feature/price-alerts");
                branch.unwrap().remove(0);
            },
            "N12",
            Fail,
        ),
    ]);
}

#[test]
fn merge_leftovers_and_upstream() {
    hold(&[
        ("whole", whole, "N13", Pass),
        ("no base", |s| s.repo().default_branch = None, "N13", Warn),
        (
            "merged",
            |s| {
                s.repo().status.clear();
                let merge = commit("m1", "Merge", "2025-11-09T17:00:00Z", &["b0", "c1"]);
                s.repo().branches.get_mut("main").unwrap().insert(0, merge);
            },
            "N13",
            Fail,
        ),
        ("whole", whole, "N14", Pass),
        (
            "tests before their step ended",
            |s| s.write(".worktree/price-alerts/.test/a.py", ""),
            "N14",
            Pass,
        ),
        (
            "tests after it",
            |s| {
                s.write(".worktree/price-alerts/.test/a.py", "");
                s.write(FILE, at("8", "failed"));
            },
            "N14",
            Warn,
        ),
        ("no upstream", whole, "N15", Pass),
        (
            "ahead",
            |s| {
                let base = s.repo().branches["main"].clone();
                s.repo()
                    .branches
                    .insert("origin/feature/price-alerts".into(), base);
            },
            "N15",
            Warn,
        ),
    ]);
}

#[test]
fn a_range_of_phases_in_one_commit_is_a_warning() {
    let mut scene = Scene::with_state(STATE);
    scene
        .repo()
        .branches
        .get_mut("feature/price-alerts")
        .unwrap()[0]
        .subject = "feat: Phase 1-2 - x".into();
    assert_eq!(scene.verdict("N8"), Warn);
}

#[test]
fn every_check_runs_and_has_a_remedy() {
    for scene in [
        Scene::with_state(STATE),
        Scene::with_state(head(80)),
        Scene::new(),
    ] {
        let facts = scene.facts();
        let decision = crate::systems::nine_step::points::decision::decide(&facts);
        let checks = checks(scene.of(&facts, &decision));
        let mut ids: Vec<&str> = checks.iter().map(|check| check.id.0.as_str()).collect();
        ids.dedup();
        let wanted: Vec<String> = (1..=15).map(|n| format!("N{n}")).collect();
        assert_eq!(ids, wanted);
        for check in checks {
            let needs = matches!(check.verdict, Warn | Fail);
            assert!(check.remedy.is_some() || !needs, "{check:?}");
        }
    }
}
