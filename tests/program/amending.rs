//! `relight amend`: the five types of amendment, what each makes stale, what is refused, and undo.

mod said;
mod workflow;

use std::fs;

use serde_json::{Value, json};

use workflow::{WF, Workflow};

#[test]
fn changed_parameters_invalidate_everything_that_was_computed_from_them() {
    let wf = Workflow::new();
    let before = wf.text("workflow-state.json");
    let set = [
        "--set",
        "parameters.mesh=80",
        "--set",
        "parameters.tol=1e-8",
        "--set",
        "parameters.name=12",
    ];
    let kind = ["--type", "parameter_change", "--stage", "stage-2"];
    let record = wf.amended(&[&kind[..], &set].concat());
    assert_eq!(
        wf.statuses(),
        "1=completed 2=invalidated 3=invalidated 4=pending"
    );
    assert_eq!(
        record["changes"],
        json!({"parameters": {"mesh": {"old": 40, "new": 80}, "tol": {"old": 1e-6, "new": 1e-8}, "name": {"old": "fine", "new": "12"}}})
    );
    assert_eq!(
        record["invalidated_stages"],
        json!(["stage-2", "stage-3", "stage-4"])
    );
    assert_eq!(
        (&record["approved_by"], &record["version"]),
        (&json!("Ada"), &json!(2))
    );
    assert_eq!(record["description"], "It must.");
    assert_eq!(wf.state()["version"], 2);
    assert!(
        wf.text("workflow-state.json")
            .contains("{\"mesh\": 80, \"tol\": 1e-8, \"name\": \"12\", \"deep\": {\"on\": true}}")
    );
    assert!(wf.path("stage-2.v1/out.dat").exists() && wf.path("stage-3.v1/out.dat").exists());
    assert!(wf.path("stage-1/out.dat").exists());
    let log = wf.text("progress.log");
    assert!(
        log.contains("Amendment amend-1 (parameter_change): stage-2. It must. Approved by Ada.")
    );
    assert!(log.contains("stage-3 (S3): status -> invalidated"));
    assert_eq!(wf.flagged(), [""; 0]);
    let (code, answer) = wf.0.json(&["undo", "--yes", "--assume-stopped"]);
    assert_eq!(code, 0, "{answer}");
    assert_eq!(wf.text("workflow-state.json"), before);
    assert!(wf.path("stage-2/out.dat").exists() && !wf.path("stage-2.v1").exists());
}

#[test]
fn changed_criteria_invalidate_the_stage_alone() {
    let wf = Workflow::new();
    let set = "success_criteria=κ = 5 ± 1 %";
    let record = wf.amended(&[
        "--type",
        "criteria_change",
        "--stage",
        "stage-2",
        "--set",
        set,
    ]);
    assert_eq!(
        wf.statuses(),
        "1=completed 2=invalidated 3=completed 4=pending"
    );
    assert_eq!(record["invalidated_stages"], json!(["stage-2"]));
    assert_eq!(wf.state()["stages"][1]["success_criteria"], "κ = 5 ± 1 %");
    // A completed stage after an invalidated one is reported until the stage ran again.
    assert_eq!(wf.flagged(), ["S7"]);
}

#[test]
fn an_inserted_stage_comes_between() {
    let wf = Workflow::new();
    wf.edit(
        "\"updated\"",
        "\"workflow_status\": \"completed\",\n  \"updated\"",
    );
    fs::write(
        wf.path("new.json"),
        r#"{"name": "Anneal", "success_criteria": "below 300 K", "parameters": {"t": 300}}"#,
    )
    .unwrap();
    let file = wf.path("new.json");
    let from = file.to_str().unwrap();
    let record = wf.amended(&[
        "--type",
        "stage_insert",
        "--after",
        "stage-2",
        "--from",
        from,
    ]);
    assert_eq!(
        wf.statuses(),
        "1=completed 2=completed 5=pending 3=invalidated 4=pending"
    );
    let state = wf.state();
    assert_eq!(state["stages"][2]["depends_on"], json!(["stage-2"]));
    assert_eq!(
        state["stages"][3]["depends_on"],
        json!(["stage-2", "stage-5"])
    );
    assert_eq!(state["stages"][4]["depends_on"], json!(["stage-3"]));
    assert_eq!(state["workflow_status"], "pending");
    assert_eq!(record["stage_id"], "stage-5");
    assert_eq!(
        record["invalidated_stages"],
        json!(["stage-5", "stage-3", "stage-4"])
    );
    assert_eq!(
        record["changes"]["name"],
        json!({"old": null, "new": "Anneal"})
    );
    assert_eq!(wf.flagged(), [""; 0]);
    // What cannot be a stage of this plan.
    for (new, why) in [
        (
            r#"{"name": "A", "success_criteria": "b", "depends_on": ["stage-9"]}"#,
            "stage-9",
        ),
        (
            r#"{"name": "A", "success_criteria": "b", "depends_on": ["stage-4"]}"#,
            "cycle",
        ),
        (
            r#"{"name": "A", "success_criteria": "b", "backend": "x"}"#,
            "backend",
        ),
        (
            r#"{"name": "A", "success_criteria": "b", "color": 1}"#,
            "color",
        ),
        (
            r#"{"name": "A", "success_criteria": "b", "outputs": ["../../x.dat"]}"#,
            "outside",
        ),
        (r#"{"success_criteria": "b"}"#, "name"),
        ("[]", "--from"),
    ] {
        fs::write(wf.path("new.json"), new).unwrap();
        let said = wf.refused(
            3,
            &[
                "--type",
                "stage_insert",
                "--after",
                "stage-2",
                "--from",
                from,
            ],
        );
        assert!(said.contains(why), "{new}: {said}");
    }
}

#[test]
fn a_rerun_and_a_skip_are_those_of_the_resume_points() {
    for (kind, point, stage) in [
        ("stage_rerun", "stage-2:rerun", "stage-2"),
        ("stage_skip", "stage-4:skip", "stage-4"),
    ] {
        let (one, other) = (Workflow::new(), Workflow::new());
        one.amended(&["--type", kind, "--stage", stage]);
        let (code, answer) = other.0.json(&[
            "resume",
            WF,
            point,
            "--reason",
            "It must.",
            "--assume-stopped",
            "--yes",
        ]);
        assert_eq!(code, 0, "{answer}");
        let plain = |wf: &Workflow| {
            let mut state = wf.state();
            state["updated"] = Value::Null;
            state["amendments"][0]["timestamp"] = Value::Null;
            state["amendments"][0]["approved_by"] = Value::Null;
            state
        };
        assert_eq!(plain(&one), plain(&other));
        assert_eq!(other.state()["amendments"][0]["approved_by"], "user");
    }
}

#[test]
fn what_no_amendment_may_change_is_refused() {
    let wf = Workflow::new();
    let kinds = |kind: &'static str, rest: &[&'static str]| [&["--type", kind], rest].concat();
    let parameter =
        |set: &'static str| kinds("parameter_change", &["--stage", "stage-2", "--set", set]);
    for (code, why, args) in [
        (3, "status", parameter("status=completed")),
        (3, "depends_on", parameter("depends_on=[]")),
        (3, "already", parameter("parameters.mesh=40")),
        (3, "is a number", parameter("parameters.mesh=fine")),
        (3, "true or false", parameter("parameters.deep.on=1")),
        (3, "parent", parameter("parameters.no.such=1")),
        (3, "backend profile", parameter("backend=cloud")),
        (2, "PATH=VALUE", parameter("parameters.mesh")),
        (3, "finite", parameter("parameters.new=NaN")),
        (
            2,
            "--set",
            kinds("parameter_change", &["--stage", "stage-2"]),
        ),
        (
            2,
            "--stage",
            kinds("parameter_change", &["--set", "parameters.mesh=1"]),
        ),
        (
            2,
            "no stage stage-9",
            kinds("stage_skip", &["--stage", "stage-9"]),
        ),
        (
            2,
            "--set",
            kinds(
                "stage_skip",
                &["--stage", "stage-4", "--set", "parameters.mesh=1"],
            ),
        ),
        (
            3,
            "is completed",
            kinds("stage_skip", &["--stage", "stage-1"]),
        ),
        (
            3,
            "is pending",
            kinds("stage_rerun", &["--stage", "stage-4"]),
        ),
        (2, "--from", kinds("stage_insert", &["--after", "stage-2"])),
        (
            3,
            "does not set",
            kinds(
                "criteria_change",
                &["--stage", "stage-2", "--set", "parameters.mesh=1"],
            ),
        ),
    ] {
        let said = wf.refused(code, &args);
        assert!(said.contains(why), "{args:?}: {said}");
    }
    // The type changes only where JSON is said.
    wf.amended(&parameter("parameters.mesh:=\"auto\""));
    assert_eq!(wf.state()["stages"][1]["parameters"]["mesh"], "auto");
}

#[test]
fn a_running_stage_and_one_that_it_depends_on_are_left_alone() {
    let wf = Workflow::new();
    wf.edit(
        "\"status\": \"pending\", \"started_at\": null",
        "\"status\": \"running\", \"started_at\": \"2026-01-02T00:00:00Z\"",
    );
    for (stage, guard) in [
        ("stage-4", "stage_running"),
        ("stage-1", "downstream_running"),
    ] {
        let set = "parameters.mesh=1";
        let said = wf.refused(
            3,
            &["--type", "parameter_change", "--stage", stage, "--set", set],
        );
        assert!(said.contains(guard), "{said}");
    }
}

#[test]
fn consent_and_approval_are_asked_for() {
    let wf = Workflow::new();
    let args = [
        "amend",
        WF,
        "--type",
        "stage_skip",
        "--stage",
        "stage-4",
        "--reason",
        "r",
        "--assume-stopped",
    ];
    // Nobody is named, and git knows nobody here.
    let (code, answer) = wf.0.json(&[&args[..], &["--yes"]].concat());
    assert_eq!(code, 2, "{answer}");
    assert!(
        answer["error"]["hints"][0]
            .as_str()
            .unwrap()
            .contains("--approved-by")
    );
    let named = [&args[..], &["--approved-by", "Ada"]].concat();
    let (code, _) = wf.0.json(&named);
    assert_eq!(code, 4);
    let (code, dry) = wf.0.json(&[&named[..], &["--dry-run"]].concat());
    assert_eq!(code, 0, "{dry}");
    let print = dry["plan"]["fingerprint"].as_str().unwrap();
    let (code, _) =
        wf.0.json(&[&named[..], &["--confirm", &"0".repeat(64)]].concat());
    assert_eq!(code, 3);
    let (code, answer) = wf.0.json(&[&named[..], &["--confirm", print]].concat());
    assert_eq!(code, 0, "{answer}");
    assert_eq!(
        wf.statuses(),
        "1=completed 2=completed 3=completed 4=skipped"
    );
    assert!(
        answer["handoff"]["prompt"]
            .as_str()
            .unwrap()
            .contains("stage-4 was skipped")
    );
    // Only this system has a plan that can be amended.
    let id = wf.0.crucible();
    let (code, _) = wf.0.json(&[
        "amend",
        &id,
        "--type",
        "stage_skip",
        "--stage",
        "1",
        "--reason",
        "r",
        "--approved-by",
        "A",
    ]);
    assert_eq!(code, 2);
}

/// That a workflow cannot be amended at all comes before what the amendment lacks.
#[test]
fn the_worst_reason_against_an_amendment_comes_first() {
    let wf = Workflow::new();
    let refused = |id: &str| {
        let args = ["amend", id, "--type", "stage_insert", "--reason", "r"];
        let (code, answer) =
            wf.0.json(&[&args[..], &["--from", "missing.json"]].concat());
        (code, answer["error"]["text"].as_str().unwrap().to_owned())
    };
    let (code, text) = refused(&wf.0.crucible());
    assert_eq!(code, 2);
    assert_eq!(text, "crucible pipelines cannot be amended.");
}
