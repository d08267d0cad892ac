//! Times: what is recorded while the clock or the zone of another recorder is ahead, and times of the past.

use std::fs;

use serde_json::Value;

use super::crucible::run;
use crate::cli_acting::sandbox::Sandbox;

const TREE: &str = "projects/trader/.worktree/price-alerts";
const ISSUE: &str = "projects/notes/.mgw/active/57-cache-lookups.json";
const WF: &str = "projects/science/polymer-ring";

/// Records a step of phase 2 in a zone.
fn step(sandbox: &Sandbox, zone: &str, step: &str, more: &[&str]) -> Value {
    let own = [
        "record", TREE, "--phase", "2", "--json", "--step", step, "--status",
    ];
    let output = sandbox.run_with(&[("TZ", zone)], &[&own[..], more].concat());
    assert!(output.status.success(), "{step}: {output:?}");
    serde_json::from_slice(&output.stdout).unwrap()
}

/// The state as the records of a person in Tokyo leave it: nine hours ahead of a machine in UTC.
fn ahead(sandbox: &Sandbox, steps: &[&str]) {
    step(sandbox, "Asia/Tokyo", "3", &["completed"]);
    for one in steps {
        step(sandbox, "Asia/Tokyo", one, &["approved"]);
    }
}

/// What relight recorded is believed, whatever the clocks say: the failure, the rejection and the open gate are seen
/// by every command.
#[test]
fn a_record_is_the_newest_one_whatever_the_clocks_say() {
    for (steps, last, more, status, point) in [
        (
            &[][..],
            "4",
            &["failed", "--error", "bad"][..],
            "interrupted",
            "phase-2-step-3",
        ),
        (
            &["4"],
            "5",
            &["in_progress"],
            "interrupted",
            "phase-2-step-5",
        ),
        (
            &["4", "5", "6"],
            "7",
            &["waiting_approval"],
            "waiting",
            "phase-2-step-7",
        ),
        (&["4", "5"], "6", &["rejected"], "waiting", "phase-2-step-6"),
        (
            &["4", "5"],
            "6",
            &["failed", "--error", "bad"],
            "interrupted",
            "phase-2-step-5",
        ),
    ] {
        let sandbox = Sandbox::new();
        ahead(&sandbox, steps);
        let answer = step(&sandbox, "UTC", last, more);
        assert!(
            answer["notes"]
                .to_string()
                .contains("ahead of this machine's clock"),
            "{answer}"
        );
        // It is dated after the others, and the answer has the time that the file has.
        let state = sandbox.value(&format!("{TREE}/workflow-state.json"));
        let stamp = state["last_execution"]["timestamp"].as_str().unwrap();
        let done = state["completed_steps"].as_array().unwrap().iter();
        let mut done = done.filter(|one| **one != state["last_execution"]);
        assert!(
            done.all(|one| one["timestamp"].as_str().unwrap() < stamp),
            "{state:#}"
        );
        assert_eq!(answer["recorded"]["at"], format!("{stamp}Z"), "{answer}");
        let (_, shown) = sandbox.json(&["show", "price-alerts"]);
        let shown = &shown["pipeline"];
        let place = shown["stopped_where"].as_str().unwrap();
        assert!(place.contains(&format!("step {last}")), "{last}: {place}");
        assert_eq!(shown["status"], status, "{last}");
        assert_eq!(sandbox.recommended("price-alerts"), point, "{last}");
        if more.contains(&"bad") {
            let (_, why) = sandbox.json(&["why", "price-alerts"]);
            assert!(why["cause"].to_string().contains("bad"), "{why}");
        }
        // The next one in the zone that is ahead follows as well, and nothing goes back in time.
        step(&sandbox, "UTC", "3", &["completed"]);
        let state = sandbox.value(&format!("{TREE}/workflow-state.json"));
        let done = state["completed_steps"].as_array().unwrap();
        let times: Vec<&str> = done
            .iter()
            .map(|one| one["timestamp"].as_str().unwrap())
            .collect();
        assert!(times.is_sorted(), "{times:?}");
        assert_eq!(sandbox.recommended("price-alerts"), "phase-2-step-4");
    }
}

/// The plugin writes fractions of a second, and a record has none: in the same second it is still the later one. With an
/// empty error it has none, and a repeated answer has the time of the record.
#[test]
fn a_record_is_not_before_the_fraction_of_the_last_one() {
    let sandbox = Sandbox::new();
    let file = format!("{TREE}/workflow-state.json");
    let state = fs::read_to_string(sandbox.path(&file)).unwrap();
    let value: Value = serde_json::from_str(&state).unwrap();
    let last = value["last_execution"]["timestamp"].as_str().unwrap();
    let second = last.get(..19).unwrap();
    let state = state.replace(last, &format!("{second}.120933"));
    fs::write(sandbox.path(&file), state).unwrap();
    let at = format!("{second}.500Z");
    let dated = ["failed", "--error", "", "--at", &at, "--once", "one"];
    let answer = step(&sandbox, "UTC", "3", &dated);
    let state = sandbox.value(&file);
    let stamp = state["last_execution"]["timestamp"].as_str().unwrap();
    assert!(stamp > format!("{second}.120933").as_str(), "{stamp}");
    assert_eq!(answer["recorded"]["at"], format!("{stamp}Z"));
    assert!(state["last_execution"].get("error_message").is_none());
    let again = step(&sandbox, "UTC", "3", &dated);
    assert_eq!(again["recorded"]["repeated"], true);
    assert_eq!(again["recorded"]["at"], format!("{stamp}Z"));
}

/// A time of the past must not be before what is recorded: the checks would find it.
#[test]
fn a_time_before_the_last_record_is_refused_in_every_system() {
    let sandbox = Sandbox::new();
    fs::write(sandbox.path("body.md"), "x").unwrap();
    let (session, _) = run(&sandbox);
    let session = session.as_str();
    let dispatch = ["r", "--phase", "3", "--template", "t", "--body", "body.md"];
    let dispatch = [&[session, "dispatch"], &dispatch[..]].concat();
    sandbox.recorded(&dispatch);
    sandbox.recorded(&[WF, "log", "a line of now"]);
    let records: &[&[&str]] = &[
        &[TREE, "--phase", "2", "--step", "3", "--status", "completed"],
        &[ISSUE, "--step", "execute", "--stage", "executing"],
        &[WF, "log", "an older line"],
        &[WF, "session", "start"],
        &dispatch,
        &[
            session,
            "done",
            "8",
            "--status",
            "completed",
            "--summary",
            "x",
        ],
        &[session, "phase", "3"],
    ];
    for record in records {
        let dated = [record, &["--at", "2020-01-01T00:00:00Z"][..]].concat();
        let why = sandbox.refused(3, &dated);
        assert!(why.contains("later than --at"), "{dated:?}: {why}");
    }
    // Whoever meets a lock reads how long it is held, whatever time a record states.
    let locks = fs::read_dir(sandbox.path("home/.local/state/relight/locks")).unwrap();
    let signed = locks.map(|lock| fs::read_to_string(lock.unwrap().path()).unwrap());
    let signed: String = signed.collect();
    assert!(signed.contains("relight record"), "{signed}");
    assert!(!signed.contains("since 2020"), "{signed}");
}
