//! A restore of a checkpoint's files: it says what it does and nothing of any point, and logs only grow.

use std::fs;
use std::time::{Duration, SystemTime};

use super::super::testing::Scene;
use crate::apply::Consent;
use crate::engine::{Engine, ErrorKind, Request};
use crate::git::scratch::Scratch;
use crate::git::testing::{git, git_is_there};
use crate::model::{
    ActionKind, Cancel, CheckpointAsk, PathChange, PipelineId, Plan, PlanOptions, PointChoice,
};

const WF: &str = "projects/science/polymer-ring";

/// The polymer ring in a repository whose only commit holds the plan, nothing begun. Gives its id and the commit.
fn planned(damage: impl FnOnce(&Scene)) -> (Scene, PipelineId, String) {
    let mut commit = String::new();
    let scene = Scene::edited(|scene| {
        let wf = scene.path(WF);
        let names = ["workflow-state.json", "progress.log"];
        let now = names.map(|name| fs::read_to_string(wf.join(name)).unwrap());
        let mut plan = now[0].clone();
        for word in ["completed", "failed", "invalidated"] {
            plan = plan.replace(
                &format!("\"status\": \"{word}\""),
                "\"status\": \"pending\"",
            );
        }
        let first = format!("{}\n", now[1].lines().next().unwrap());
        let at = chrono::DateTime::from_timestamp(1_780_000_000, 0).unwrap();
        let repo = Scratch::init(&wf, "main", at).unwrap();
        let files = [
            (names[0], Some(plan.as_bytes())),
            (names[1], Some(first.as_bytes())),
        ];
        commit = repo.commit(&files, "Plan", "", at).unwrap();
        for (name, text) in names.iter().zip(&now) {
            fs::write(wf.join(name), text).unwrap();
        }
        damage(scene);
        let long_ago = SystemTime::now() - Duration::from_secs(7_200);
        for name in names {
            if let Ok(file) = fs::File::options().write(true).open(wf.join(name)) {
                file.set_modified(long_ago).unwrap();
            }
        }
    });
    let id = scene.id("superscientist-polymer").clone();
    (scene, id, commit)
}

fn restore(engine: &Engine, id: &PipelineId, commit: &str) -> Plan {
    let choice = PointChoice::Checkpoint(commit.to_owned());
    let options = PlanOptions {
        assume_stopped: true,
        ..PlanOptions::default()
    };
    engine.plan(id, &choice, &options).unwrap()
}

/// H11: the plan describes this restore and no point; the log is kept and says what was restored; a done marker of
/// a stage that is to run again is moved aside.
#[test]
fn h11_a_restore_describes_itself_and_logs_only_grow() {
    let (scene, id, commit) = planned(|_| {});
    let log = fs::read_to_string(scene.path(WF).join("progress.log")).unwrap();
    let plan = restore(&scene.engine, &id, &commit);
    assert_eq!(plan.point.boundary.id.0, "checkpoint");
    assert!(plan.kept.is_empty() && plan.redone.is_empty() && plan.warnings.is_empty());
    assert!(plan.handoff.prompt.is_empty());
    let tree = &plan.actions[0];
    let written = tree.paths.iter().filter(|p| p.change == PathChange::Write);
    let written: Vec<_> = written.map(|p| p.path.lossy().into_owned()).collect();
    assert_eq!(written, ["workflow-state.json"]);
    let left: Vec<_> = plan
        .left_out
        .iter()
        .map(|p| p.lossy().into_owned())
        .collect();
    assert_eq!(left, ["progress.log"]);
    let said: Vec<_> = plan.losses.iter().map(|l| l.lossy().into_owned()).collect();
    let kept = "Kept, because logs are only appended to: progress.log.";
    assert!(said.iter().any(|l| l == kept), "{said:?}");
    let kinds: Vec<_> = plan.actions.iter().map(|a| a.kind).collect();
    assert_eq!(
        kinds,
        [
            ActionKind::RestoreTree,
            ActionKind::MoveAside,
            ActionKind::MoveAside,
            ActionKind::AppendLines
        ]
    );
    let consent = Consent::yes(&plan);
    scene
        .engine
        .apply(&plan, &consent, &|_| {}, &Cancel::new())
        .unwrap();
    let after = fs::read_to_string(scene.path(WF).join("progress.log")).unwrap();
    let added = after.strip_prefix(&log).unwrap();
    assert!(added.contains("relight: state file restored:"), "{added}");
    assert!(!scene.path(WF).join("stage-2/DPDISP_DONE").exists());
    // The log still says which results are there: they are verified, not made again.
    let points = scene.engine.dossier(&id).unwrap().points;
    let next = points.iter().find(|p| p.recommended).unwrap();
    assert_eq!(next.boundary.id.0, "stage-1:verify");
    // Nothing to restore now: nothing is moved, no line is added.
    assert!(restore(&scene.engine, &id, &commit).actions.is_empty());
}

/// A commit of the project is a checkpoint like any other: the content of later commits is reverted by it where they have
/// a file that is restored, and the plan says so of those.
#[test]
fn a_restored_commit_says_which_later_commits_it_reverts() {
    if !git_is_there() {
        return;
    }
    let state = "workflow-state.json";
    let (scene, id, commit) = planned(|scene| {
        let wf = scene.path(WF);
        fs::write(wf.join("notes.txt"), "later\n").unwrap();
        let who = ["-c", "user.name=x", "-c", "user.email=x"];
        for (file, subject) in [(state, "Later"), ("notes.txt", "Notes")] {
            git(&wf, &["add", file]);
            git(&wf, &[&who[..], &["commit", "-qm", subject]].concat());
        }
    });
    let said = |plan: &Plan| -> Vec<String> {
        let losses = plan.losses.iter().map(|loss| loss.lossy().into_owned());
        losses
            .filter(|loss| loss.contains("is newer than") || loss.contains("are newer than"))
            .collect()
    };
    let plan = restore(&scene.engine, &id, &commit);
    let reverted = "2 commits of the project are newer than the checkpoint, the newest “Notes”. They stay on the branch, and git status shows what 1 of them changed in the restored files as reverted.";
    assert_eq!(said(&plan), [reverted]);
    let options = PlanOptions {
        paths: vec![scene.path(WF).join("other.txt")],
        assume_stopped: true,
        ..PlanOptions::default()
    };
    let choice = PointChoice::Checkpoint(commit);
    let plan = scene.engine.plan(&id, &choice, &options).unwrap();
    let kept = "2 commits of the project are newer than the checkpoint, the newest “Notes”. They stay on the branch: no restored file is in them.";
    assert_eq!(said(&plan), [kept]);
}

/// F20: with a torn or missing state file everything that the checks name can be done from the command line.
#[test]
fn f20_a_torn_state_file_is_restored_from_git() {
    type Damage = fn(&Scene);
    let table: [(&str, Damage); 2] = [
        ("torn", |scene| {
            let file = scene.path(WF).join("workflow-state.json");
            let text = fs::read_to_string(&file).unwrap();
            fs::write(file, text.get(..text.len() / 2).unwrap()).unwrap();
        }),
        ("gone", |scene| {
            fs::remove_file(scene.path(WF).join("workflow-state.json")).unwrap();
        }),
    ];
    for (name, damage) in table {
        let (scene, id, commit) = planned(damage);
        let dossier = scene.engine.dossier(&id).unwrap();
        assert_eq!(
            dossier.pipeline.standing.status.word(),
            "interrupted",
            "{name}"
        );
        assert!(dossier.points.is_empty());
        assert_eq!(
            dossier.pipeline.reading.progress.done,
            Some(1),
            "by the log"
        );
        assert!(dossier.checkpoints.iter().any(|c| c.id == commit));
        let resume = scene
            .engine
            .plan(&id, &PointChoice::Recommended, &PlanOptions::default());
        let error = resume.unwrap_err();
        assert_eq!(error.kind, ErrorKind::Unreadable, "{name}");
        let hints: Vec<_> = error.hints.iter().map(|h| h.lossy().into_owned()).collect();
        let short = commit.get(..12).unwrap();
        let root = scene.path(WF).canonicalize().unwrap();
        let command = format!(
            "relight restore {} --checkpoint {short} --path workflow-state.json",
            root.display()
        );
        assert!(hints[0].contains(&command), "{hints:?}");
        let plan = restore(&scene.engine, &id, &commit);
        let consent = Consent::yes(&plan);
        scene
            .engine
            .apply(&plan, &consent, &|_| {}, &Cancel::new())
            .unwrap();
        let points = scene.engine.dossier(&id).unwrap().points;
        assert!(points.iter().any(|p| p.recommended), "{name}");
    }
}

/// Takes one of relight's own checkpoints of a pipeline.
fn take(scene: &Scene, dir: &str) -> String {
    let ask = CheckpointAsk {
        pipeline: scene.path(dir).into(),
        reason: "before".to_owned(),
        ..CheckpointAsk::default()
    };
    let request = Request {
        cwd: scene.path("projects"),
        ..Request::default()
    };
    scene
        .engine
        .checkpoint(&ask, &request, &Cancel::new())
        .unwrap()
        .id
}

fn kinds(plan: &Plan) -> Vec<ActionKind> {
    plan.actions.iter().map(|action| action.kind).collect()
}

fn apply(scene: &Scene, plan: &Plan) {
    let consent = Consent::yes(plan);
    let engine = &scene.engine;
    engine
        .apply(plan, &consent, &|_| {}, &Cancel::new())
        .unwrap();
}

/// Sets the times of files back, so that nobody seems to write them.
fn age(scene: &Scene, dir: &str, names: &[&str]) {
    for name in names {
        let file = fs::File::options()
            .write(true)
            .open(scene.path(dir).join(name));
        let long_ago = SystemTime::now() - Duration::from_secs(7_200);
        file.unwrap().set_modified(long_ago).unwrap();
    }
}

#[test]
fn an_own_checkpoint_of_a_workflow_moves_stale_markers_aside_as_a_commit_does() {
    let (scene, id, commit) = planned(|_| {});
    let file = scene.path(WF).join("workflow-state.json");
    let log = fs::read_to_string(scene.path(WF).join("progress.log")).unwrap();
    let now = fs::read(&file).unwrap();
    let name = std::path::Path::new("workflow-state.json");
    let plan = scene
        .engine
        .world
        .git()
        .blob(&scene.path(WF), &commit, name);
    fs::write(&file, plan.unwrap()).unwrap();
    let own = take(&scene, WF);
    fs::write(&file, now).unwrap();
    age(&scene, WF, &["workflow-state.json"]);

    let plan = restore(&scene.engine, &id, &own);
    let wanted = [
        ActionKind::ReplaceFile,
        ActionKind::MoveAside,
        ActionKind::MoveAside,
        ActionKind::AppendLines,
    ];
    assert_eq!(kinds(&plan), wanted);
    apply(&scene, &plan);
    assert!(!scene.path(WF).join("stage-2/DPDISP_DONE").exists());
    let after = fs::read_to_string(scene.path(WF).join("progress.log")).unwrap();
    let added = after.strip_prefix(&log).unwrap();
    assert!(added.contains("relight: state file restored:"), "{added}");
}

#[test]
fn an_own_checkpoint_of_a_conference_logs_that_it_was_resumed() {
    const DIR: &str = "projects/lab/tokenizer-speed";
    let scene = Scene::new();
    let id = scene.id("autoconference-tokenizer").clone();
    let table = scene.path(DIR).join("conference_results.tsv");
    let before = fs::read_to_string(&table).unwrap();
    let own = take(&scene, DIR);
    let (first, _) = before.trim_end().rsplit_once('\n').unwrap();
    fs::write(&table, format!("{first}\n")).unwrap();
    let names = ["conference_results.tsv", "conference_events.jsonl"];
    let log = fs::read_to_string(scene.path(DIR).join(names[1])).unwrap();
    age(&scene, DIR, &names);

    let plan = restore(&scene.engine, &id, &own);
    assert_eq!(
        kinds(&plan),
        [ActionKind::ReplaceFile, ActionKind::AppendLines]
    );
    apply(&scene, &plan);
    assert_eq!(fs::read_to_string(&table).unwrap(), before);
    let after = fs::read_to_string(scene.path(DIR).join(names[1])).unwrap();
    let added = after.strip_prefix(&log).unwrap();
    let event: serde_json::Value = serde_json::from_str(added.trim()).unwrap();
    assert_eq!(event["event"], "conference.resumed", "{added}");
}

/// Nothing of a workflow lies outside its directory, and nothing there is restored or counted.
#[test]
fn a_workflow_within_a_repository_has_only_its_directory_restored_and_compared() {
    if !git_is_there() {
        return;
    }
    let scene = Scene::edited(|scene| {
        let science = scene.path("projects/science");
        let who = ["-c", "user.name=x", "-c", "user.email=x"];
        git(&science, &["init", "-q", "-b", "main"]);
        git(&science, &["add", "-A"]);
        git(&science, &[&who[..], &["commit", "-qm", "All"]].concat());
        let edited = ["polymer-ring/progress.log", "catalyst-scan/progress.log"];
        for file in edited {
            let path = science.join(file);
            let mut text = fs::read_to_string(&path).unwrap();
            text.push_str("[2026-06-01T00:40:00+02:00] Note: later\n");
            fs::write(path, text).unwrap();
        }
        fs::remove_file(science.join("polymer-ring/workflow-state.json.backup")).ok();
        fs::write(science.join("catalyst-scan/new.txt"), "created\n").unwrap();
        fs::write(science.join("polymer-ring/new.txt"), "created\n").unwrap();
    });
    let id = scene.id("superscientist-polymer").clone();
    let checkpoints = scene.engine.dossier(&id).unwrap().checkpoints;
    let commit = checkpoints.iter().find(|one| one.id.len() == 40).unwrap();
    let drift = scene.engine.drift(&id, commit).unwrap().unwrap();
    let paths = drift
        .paths
        .iter()
        .map(|path| path.path.lossy().into_owned());
    let paths: Vec<String> = paths.filter(|path| !path.starts_with('(')).collect();
    assert!(paths.len() >= 2, "{paths:?}");
    let outside = |path: &&String| !path.starts_with("polymer-ring/");
    assert_eq!(paths.iter().find(outside), None, "{paths:?}");
    assert_eq!((drift.modified, drift.created), (1, 1), "{paths:?}");
    for action in restore(&scene.engine, &id, &commit.id).actions {
        for path in &action.paths {
            let path = path.path.lossy().into_owned();
            assert!(!outside(&&path), "{path}");
        }
    }
}
