//! What is kept when work runs again, and the log line of an undo.

use super::*;
use crate::model::Prospect;

#[test]
fn outputs_outside_the_folder_are_kept_unless_still_needed() {
    let site = Site::new(CHAIN);
    let outputs = "\"outputs\": [\"stage-1/out.dat\", \"structures/ring.dat\", \"shared/all.csv\", \"raw.dat\", \"gone.dat\", \"../outside\", \"progress.log\"]";
    site.edit("\"outputs\": [\"stage-1/out.dat\"]", outputs);
    // The stage itself reads one of them, and stage-5, which keeps its results, reads another.
    site.edit("\"inputs\": []", "\"inputs\": [\"raw.dat\"]");
    let text = site.text("workflow-state.json");
    let (head, tail) = text.rsplit_once("\"inputs\": []").unwrap();
    let tail = format!("{head}\"inputs\": [\"shared/\"]{tail}");
    site.write("workflow-state.json", tail);
    for path in [
        "structures/ring.dat",
        "structures/ring.dat.v1",
        "shared/all.csv",
        "raw.dat",
    ] {
        site.write(path, "x");
    }
    let intent = site.intent("stage-1:rerun");
    let moved = moves(&site, &intent);
    let beside: Vec<_> = moved
        .iter()
        .filter(|(from, _)| !from.starts_with("stage-"))
        .collect();
    assert_eq!(
        beside,
        [&(
            "structures/ring.dat".to_owned(),
            "structures/ring.dat.v2".to_owned()
        )]
    );
    let lost: Vec<_> = intent
        .losses
        .iter()
        .map(|l| l.lossy().into_owned())
        .collect();
    assert_eq!(
        lost[0],
        "3 outputs of stage-1 outside its directory stay in place, and the new run overwrites them: shared/all.csv, raw.dat and progress.log."
    );
    let lines = written(&intent).1;
    let kept = "[{now}] stage-1: structures/ring.dat kept as structures/ring.dat.v2";
    assert!(lines.iter().any(|line| line == kept), "{lines:?}");
}

/// A new run would write through a link. The link itself is renamed, so that what it leads to is kept.
#[test]
fn links_are_kept_like_what_they_lead_to() {
    use std::os::unix::fs::symlink;
    let site = Site::new(&[("stage-1", "completed", &[])]);
    let outputs = "\"outputs\": [\"stage-1/out.dat\", \"all.csv\", \"away/b.csv\"]";
    site.edit("\"outputs\": [\"stage-1/out.dat\"]", outputs);
    std::fs::remove_dir_all(site.wf.join("stage-1")).unwrap();
    for name in ["stage-1", "all.csv", "away"] {
        symlink("/nowhere", site.wf.join(name)).unwrap();
    }
    let intent = site.intent("stage-1:rerun");
    let moved = [("stage-1", "stage-1.v1"), ("all.csv", "all.csv.v1")];
    let moved = moved.map(|(from, to)| (from.to_owned(), to.to_owned()));
    assert_eq!(moves(&site, &intent), moved);
    let mut steps = intent.steps.iter().filter_map(Step::change);
    let folder = steps.find(|step| step.target.ends_with("stage-1"));
    let summary = folder.unwrap().summary.lossy().into_owned();
    assert_eq!(
        summary, "Keeps stage-1 under a new name.",
        "nothing of what is in it"
    );
    let left = "1 output of stage-1 outside its directory stays in place, and the new run overwrites it: away/b.csv.";
    assert_eq!(intent.losses[0].lossy(), left);
}

/// A wait follows the link and ends at once with the marker of the attempt before.
#[test]
fn a_marker_in_a_directory_that_is_a_link_is_looked_for_by_hand() {
    let site = Site::new(&[("stage-1", "failed", &[])]);
    std::os::unix::fs::symlink("/nowhere", site.wf.join("stage-1")).unwrap();
    let prompt = site.handoff("stage-1:retry").prompt;
    let said = "Whether stage-1 has a done marker of an earlier attempt is unknown: look before";
    assert!(prompt.lossy().contains(said), "{}", prompt.lossy());
}

#[test]
fn a_retry_overwrites_files_only_if_there_are_some() {
    let site = Site::new(&[("stage-1", "failed", &[])]);
    let said = |site: &Site| site.intent("stage-1:retry").losses.len();
    assert_eq!(said(&site), 0);
    site.write("stage-1/err", "x");
    assert_eq!(said(&site), 1);
}

#[test]
fn w14_an_undone_recovery_does_not_contradict_the_log() {
    let site = Site::new(CHAIN);
    let log = site.text("progress.log");
    let taken = "[2026-06-02T09:00:00+00:00] stage-1 (Name of stage-1): status -> invalidated\n";
    site.write("progress.log", format!("{log}{taken}"));
    assert_eq!(site.verdict("S14"), Verdict::Warn);
    let done = crate::systems::testing::recovery("20260602T090000", "stage-1:rerun\n{now}");
    let undo = site.open().undo_lines(&done, &[]);
    let state = [site.wf.join("workflow-state.json")];
    assert!(
        site.open().undo_lines(&done, &state).is_empty(),
        "a kept state"
    );
    assert_eq!(undo.len(), 1, "{undo:?}");
    let (path, lines) = appended(&undo[0]).unwrap();
    assert_eq!(path, site.wf.join("progress.log"));
    assert_eq!((lines.len(), lines[0].matches("{now}").count()), (1, 1));
    let line = lines[0].replace("{now}", "2026-06-02T10:00:00+00:00");
    let said =
        "[2026-06-02T10:00:00+00:00] relight: recovery 20260602T090000 undone: stage-1:rerun";
    assert!(line.starts_with(said), "{line}");
    site.write("progress.log", format!("{log}{taken}{line}\n"));
    assert_eq!(site.verdict("S14"), Verdict::Pass);
    let later = "[2026-06-02T11:00:00+00:00] stage-1: status -> failed\n";
    site.write("progress.log", format!("{log}{taken}{line}\n{later}"));
    assert_eq!(site.verdict("S14"), Verdict::Warn, "later lines count");
}

/// A restore is recognized by its actions, not by its label.
#[test]
fn the_undo_of_a_restore_keeps_the_lines_of_the_log() {
    use crate::model::{Action, ActionKind, Foreign, Preview, Recovery};
    let site = Site::new(CHAIN);
    let restored = |kind, label| Recovery {
        actions: vec![Action {
            kind,
            target: site.wf.clone(),
            summary: Foreign::default(),
            changes: None,
            paths: Vec::new(),
            preview: Preview::Kept { pairs: Vec::new() },
        }],
        ..crate::systems::testing::recovery("20260602T090000", label)
    };
    for (kind, label, is_restore) in [
        (ActionKind::RestoreTree, "files of 1a2b3c4", true),
        (ActionKind::ReplaceFile, "checkpoint-stage:rerun", false),
    ] {
        let undo = site.open().undo_lines(&restored(kind, label), &[]);
        assert_eq!(undo.len(), 1, "{undo:?}");
        let (_, lines) = appended(&undo[0]).unwrap();
        let told = lines[0].contains("relight: restore undone:");
        assert_eq!(told, is_restore, "{}", lines[0]);
    }
}

/// F21: every edit updates `updated`, and the person's reason is recorded in the file and the log.
#[test]
fn f21_every_edit_is_dated_and_carries_the_reason() {
    let site = Site::new(&[
        ("stage-1", "completed", &[]),
        ("stage-2", "failed", &["stage-1"]),
        ("stage-3", "running", &["stage-1"]),
        ("stage-4", "pending", &["stage-1"]),
    ]);
    site.job("stage-3", false);
    site.write("stage-3/DPDISP_DONE", "");
    let options = PlanOptions {
        reason: Some("the mesh was too coarse.".to_owned()),
        ..PlanOptions::default()
    };
    let table = [
        (
            "stage-1:rerun",
            "\"description\": \"the mesh was too coarse.\"",
            "stage-1. the mesh was too coarse. Approved",
        ),
        (
            "stage-2:retry",
            "\"retry_count\": 1",
            "after fix: the mesh was too coarse.",
        ),
        (
            "stage-2:skip",
            "\"description\": \"the mesh was too coarse.\"",
            "stage-2. the mesh was too coarse. Approved",
        ),
        (
            "stage-3:fail",
            "marked as failed by the user: the mesh was too coarse; its job ended",
            "failed (marked as failed by the user: the mesh",
        ),
        (
            "stage-3:verify",
            "\"post_processing\"",
            "post_processing (the mesh was too coarse; its job ended",
        ),
    ];
    for (point, in_state, in_log) in table {
        let case = site.open();
        let id = PointId(point.to_owned());
        let intent = case.intent(&id, &options, &site.world).unwrap();
        let (state, lines) = written(&intent);
        assert!(state.contains("\"updated\": \"{now}\""), "{point}: {state}");
        assert!(state.contains(in_state), "{point}: {state}");
        assert!(
            lines.iter().any(|line| line.contains(in_log)),
            "{point}: {lines:?}"
        );
    }
}

/// H10: every way of starting a session gets the task, and only existing files are named.
#[test]
fn h10_every_way_of_resuming_has_the_task_and_names_only_existing_files() {
    let site = Site::new(&[
        ("stage-1", "completed", &[]),
        ("stage-2", "invalidated", &["stage-1"]),
    ]);
    site.write("run-workflow.sh", "");
    let handoff = site.handoff("stage-2:rerun");
    let briefing = handoff.briefing.lossy().into_owned();
    let line = |start: &str| {
        let found = briefing.lines().find(|line| line.starts_with(start));
        found
            .unwrap_or_else(|| panic!("{start}: {briefing}"))
            .to_owned()
    };
    for text in [
        handoff.prompt.lossy().into_owned(),
        line("One session:"),
        line("Chain of sessions:"),
    ] {
        assert!(
            text.contains("promote an invalidated stage to ready"),
            "{text}"
        );
        assert!(text.contains("stage-2"), "{text}");
    }
    assert!(briefing.contains("the last 50 lines of the log") && briefing.contains("run init.sh"));
    std::fs::remove_file(site.wf.join("progress.log")).unwrap();
    std::fs::remove_file(site.wf.join("init.sh")).unwrap();
    let handoff = site.handoff("stage-2:rerun");
    let briefing = handoff.briefing.lossy().into_owned();
    for gone in ["lines of the log", "run init.sh", "tail -f", "git log"] {
        assert!(!briefing.contains(gone), "{gone}: {briefing}");
    }
    assert!(
        handoff
            .prompt
            .lossy()
            .contains("progress.log is missing: create it")
    );
}

/// The runner starts claude, whatever client the configuration names; only the log says whether it ran.
#[test]
fn the_runner_is_offered_beside_another_client_only_if_the_log_has_it() {
    let site = Site::new(CHAIN);
    site.write("run-workflow.sh", "");
    let with = |client| {
        let id = PointId("stage-2:retry".to_owned());
        let prospect = Prospect {
            client,
            ..Prospect::new(&id, &[])
        };
        let handoff = site.open().handoff(&prospect, &site.world);
        handoff.briefing.lossy().into_owned()
    };
    let briefing = || with(Some("codex"));
    // The system's own client with other options, wherever it is installed, is no other one.
    for client in ["claude", "/opt/bin/claude"] {
        assert_eq!(with(Some(client)), with(None));
    }
    let said = briefing();
    assert!(!said.contains("claude"), "{said}");
    assert!(!said.contains("Chain of sessions") && !said.contains("kill-session"));
    let log = site.text("progress.log");
    let line = "[2026-06-01T10:00:00+00:00] Autonomous workflow runner started (max_sessions=20)\n";
    site.write("progress.log", log + line);
    let said = briefing();
    assert!(said.contains("the log has sessions of it"), "{said}");
    assert!(said.contains("Chain of sessions") && said.contains("kill-session"));
}

/// What runs again because a stage runs again does so before the rerun is recorded and after it.
#[test]
fn a_rerun_names_the_same_work_once_it_is_recorded() {
    let site = Site::new(&[
        ("stage-1", "completed", &[]),
        ("stage-2", "failed", &["stage-1"]),
        ("stage-3", "completed", &["stage-2"]),
        ("stage-4", "completed", &[]),
    ]);
    site.write("stage-2/DPDISP_DONE", "");
    let told = |site: &Site| {
        let intent = site.intent("stage-1:rerun");
        let ids = |items: &[crate::model::WorkItem]| -> Vec<String> {
            items
                .iter()
                .map(|item| item.id.lossy().into_owned())
                .collect()
        };
        let boundary = site.boundaries().remove(0);
        assert_eq!(boundary.id.0, "stage-1:rerun");
        assert_eq!(boundary.redone, Some(intent.redone.len() as u64));
        let warnings: Vec<String> = boundary
            .warnings
            .iter()
            .map(|warning| warning.lossy().into_owned())
            .filter(|warning| warning.contains("stage-2"))
            .collect();
        let retried = intent
            .losses
            .iter()
            .filter(|loss| loss.lossy().contains("The retry"));
        (
            ids(&intent.kept),
            ids(&intent.redone),
            warnings,
            retried.count(),
        )
    };
    let before = told(&site);
    assert_eq!(before.0, ["stage-4"]);
    assert_eq!(before.1, ["stage-1", "stage-2", "stage-3"]);
    assert_eq!(before.3, 1);
    let (state, _) = written(&site.intent("stage-1:rerun"));
    site.write("workflow-state.json", state);
    assert_eq!(told(&site), before);
}
