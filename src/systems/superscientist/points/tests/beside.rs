//! Points other than the recommended one: what they record, and that nothing they say contradicts it.

use super::*;
use crate::model::{Action, Prospect};

fn boundary(site: &Site, point: &str) -> Boundary {
    let mut all = site.boundaries().into_iter();
    all.find(|one| one.id.0 == point)
        .unwrap_or_else(|| panic!("{point}"))
}

/// The briefing of a plan, with what it changes.
fn briefing(site: &Site, point: &str) -> String {
    let steps = site.intent(point).steps;
    let actions: Vec<Action> = steps
        .iter()
        .filter_map(|one| one.change().cloned())
        .collect();
    let id = PointId(point.to_owned());
    let prospect = Prospect {
        actions: &actions,
        ..Prospect::new(&id, &[])
    };
    let handoff = site.open().handoff(&prospect, &site.world);
    handoff.briefing.lossy().into_owned()
}

/// Names before and after.
type Moves<'a> = &'a [(&'a str, &'a str)];

/// A job that runs, and every kind of work beside it.
fn busy() -> Site {
    let mut site = Site::new(&[
        ("stage-1", "running", &[]),
        ("stage-2", "running", &[]),
        ("stage-3", "running", &[]),
        ("stage-4", "pending", &[]),
        ("stage-5", "invalidated", &[]),
        ("stage-6", "ready", &["stage-4"]),
        ("stage-7", "pending", &[]),
        ("stage-8", "ready", &[]),
    ]);
    site.job("stage-1", false);
    site.job("stage-2", false);
    let wf = site.wf.clone();
    site.session("dpdisp_stage-1", &wf);
    site.session("workflow-runner-demo-2026-06-01", &wf);
    site.write("stage-2/DPDISP_DONE", "");
    let marker = site.wf.join("stage-2/DPDISP_DONE");
    let old = std::fs::File::options().write(true).open(marker).unwrap();
    old.set_modified(std::time::SystemTime::UNIX_EPOCH).unwrap();
    site.write("stage-2/dpdisp-run.sh", "");
    site.write("stage-5/run.sh", "");
    site.write("stage-7/DPDISP_DONE", "");
    let text = site.text("workflow-state.json");
    let (head, tail) = text.split_at(text.find("\"id\": \"stage-5\"").unwrap());
    let tail = tail.replacen("_at\": null", "_at\": \"2026-06-01T09:00:00Z\"", 2);
    site.write("workflow-state.json", format!("{head}{tail}"));
    site
}

#[test]
fn a_point_beside_the_recommended_one_records_what_it_makes_ready() {
    let site = busy();
    assert_eq!(site.chosen().as_deref(), Some("stage-1:monitor"));
    let no_data = "it is recorded as running without any process data";
    let failed = format!("[{{now}}] stage-3 (Name of stage-3): status -> failed ({no_data})");
    let table: [(&str, Moves<'_>, &[&str]); 5] = [
        (
            "stage-2:monitor",
            &[("stage-2/DPDISP_DONE", "stage-2/DPDISP_DONE.v1")],
            &["[{now}] stage-2: stage-2/DPDISP_DONE kept as stage-2/DPDISP_DONE.v1"],
        ),
        (
            "stage-3:retry",
            &[],
            &[
                &failed,
                "[{now}] stage-3: retry #1 after fix: requested by the user",
                "[{now}] stage-3 (Name of stage-3): status -> ready",
            ],
        ),
        (
            "stage-4:rerun",
            &[],
            &["[{now}] stage-4 (Name of stage-4): status -> ready"],
        ),
        (
            "stage-5:rerun",
            &[("stage-5", "stage-5.v1")],
            &[
                "[{now}] stage-5 (Name of stage-5): status -> ready",
                "[{now}] stage-5: stage-5 kept as stage-5.v1",
            ],
        ),
        (
            "stage-7:rerun",
            &[("stage-7/DPDISP_DONE", "stage-7/DPDISP_DONE.v1")],
            &[
                "[{now}] stage-7 (Name of stage-7): status -> ready",
                "[{now}] stage-7: stage-7/DPDISP_DONE kept as stage-7/DPDISP_DONE.v1",
            ],
        ),
    ];
    for (point, moved, lines) in table {
        let intent = site.intent(point);
        let own = |(from, to): &(&str, &str)| ((*from).to_owned(), (*to).to_owned());
        let moved: Vec<_> = moved.iter().map(own).collect();
        assert_eq!(moves(&site, &intent), moved, "{point}");
        assert_eq!(written(&intent).1, lines, "{point}");
        // A directory that is moved takes its scripts along.
        let again = "Scripts and inputs in the moved directories are prepared again.";
        let said = intent.losses.iter().any(|loss| loss.text.lossy() == again);
        assert_eq!(said, point == "stage-5:rerun", "{point}");
    }
    let error = format!("\"last_error\": \"{no_data}\"");
    assert!(written(&site.intent("stage-3:retry")).0.contains(&error));
    let (state, _) = written(&site.intent("stage-5:rerun"));
    assert!(!state.contains("2026-06-01T09:00:00Z"), "{state}");
}

#[test]
fn a_briefing_beside_a_running_job_says_what_was_done_and_what_runs() {
    let site = busy();
    for (point, said) in [
        (
            "stage-4:rerun",
            "Done by relight: stage-4 (Name of stage-4) was made ready.",
        ),
        (
            "stage-3:retry",
            "Done by relight: stage-3 (Name of stage-3) was made ready.",
        ),
        (
            "stage-1:monitor",
            "Set these back to pending, because their dependencies are not done: stage-6.",
        ),
        (
            "stage-2:monitor",
            "The old done marker of stage-2 was moved aside: launch its wrapper again",
        ),
        (
            "stage-2:monitor",
            "The runner is alive: workflow-runner-demo-2026-06-01. Do not start a second one.",
        ),
    ] {
        let text = briefing(&site, point);
        assert!(text.contains(said), "{point}: {text}");
    }
    let reason = |point: &str| boundary(&site, point).reason.lossy().into_owned();
    let now = "It can run now; another stage is earlier in the order.";
    assert_eq!(reason("stage-4:rerun"), now);
    // Whether an old marker means success is the person's to say.
    let asks = "Choose this if its work ended successfully; this records it in the state file.";
    assert_eq!(reason("stage-2:verify"), asks);
    for point in ids(&site) {
        let edits = boundary(&site, &point).kind == crate::model::PointKind::StateEdit;
        let (state, _) = written(&site.intent(&point));
        assert_eq!(!state.is_empty(), edits, "{point}");
    }
}

/// The orchestrator never resumes a workflow that is recorded as completed, so work that a point orders reopens it.
#[test]
fn every_point_that_orders_work_reopens_a_completed_workflow() {
    let site = Site::new(&[
        ("stage-1", "completed", &[]),
        ("stage-2", "pending", &["stage-1"]),
        ("stage-3", "failed", &["stage-1"]),
        ("stage-4", "post_processing", &["stage-1"]),
        ("stage-5", "running", &["stage-1"]),
    ]);
    site.job("stage-5", false);
    let completed = "\"workflow_status\": \"completed\",\n  \"version\": 1";
    site.edit("\"version\": 1", completed);
    assert_eq!(site.chosen(), None);
    let nothing = "Next action: none; nothing is left to do.";
    for point in ids(&site) {
        let orders = !point.ends_with(":skip");
        let (state, _) = written(&site.intent(&point));
        let reopened = state.contains("\"workflow_status\": \"pending\"");
        assert_eq!(reopened, orders, "{point}");
        let text = briefing(&site, &point);
        assert_eq!(text.contains(nothing), !orders, "{point}: {text}");
        let kind = boundary(&site, &point).kind;
        assert_eq!(kind, crate::model::PointKind::StateEdit, "{point}");
    }
    let found = boundary(&site, "stage-2:rerun");
    let reason = "It can run; this also sets the workflow back from completed to pending.";
    assert_eq!(found.reason, reason);
}

#[test]
fn an_exit_code_and_a_log_that_are_directories_are_named() {
    let site = Site::new(&[("stage-1", "running", &[])]);
    site.job("stage-1", false);
    site.write("stage-1/DPDISP_DONE", "");
    site.write("stage-1/DPDISP_EXIT_CODE/x", "");
    std::fs::remove_file(site.wf.join("progress.log")).unwrap();
    site.write("progress.log/x", "");
    assert_eq!(site.chosen().as_deref(), Some("stage-1:retry"));
    for said in [
        "its job ended with an unknown result: the exit code file cannot be read: not a regular file",
        "progress.log is a directory: ask me before you write to it.",
    ] {
        let prompt = site.handoff("stage-1:retry").prompt;
        assert!(prompt.lossy().contains(said), "{prompt:?}");
    }
}

#[test]
fn a_copy_of_the_state_file_is_a_checkpoint() {
    let site = Site::new(CHAIN);
    site.write("workflow-state.json.bak", "{}");
    let case = site.open();
    let all = case.checkpoints(&site.world).into_iter();
    let copies = all.filter(|one| one.id == "workflow-state.json.bak");
    let reasons: Vec<Foreign> = copies.map(|one| one.reason).collect();
    assert_eq!(reasons, ["a copy of the state file"]);
}
