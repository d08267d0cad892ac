use crate::systems::mgw::shape::state::*;

fn state(text: &str) -> State {
    State::new(json::object(text.as_bytes()).unwrap())
}

#[test]
fn reads_the_three_shapes_of_an_issue() {
    for (text, number, title) in [
        (
            r#"{"issue":{"number":57,"title":"A"}}"#,
            Some(57),
            Some("A"),
        ),
        (r#"{"issue_number":57,"title":"B"}"#, Some(57), Some("B")),
        (
            r#"{"number":57,"state":"open","title":"C"}"#,
            Some(57),
            Some("C"),
        ),
        (r#"{"issue":57,"title":" "}"#, Some(57), None),
        (r#"{"issue":"57"}"#, Some(57), None),
        (r#"{"issue":{"number":[],"title":3}}"#, None, None),
    ] {
        let state = state(text);
        assert_eq!((state.number(), state.title()), (number, title), "{text}");
    }
}

#[test]
fn its_own_files_differ_from_foreign_ones() {
    for (text, ours) in [
        (r#"{"pipeline_stage":"planning"}"#, true),
        (r#"{"pipeline_stage":"anything"}"#, true),
        (r#"{"checkpoint":null}"#, true),
        (r#"{"checkpoint":{}}"#, true),
        (r#"{"pipeline_stage":3}"#, false),
        (r#"{"checkpoint":"x"}"#, false),
        (r#"{"number":4,"state":"open"}"#, false),
        ("{}", false),
    ] {
        assert_eq!(state(text).is_ours(), ours, "{text}");
    }
}

#[test]
fn the_effective_step_is_never_before_the_history() {
    let checkpoint = |step: &str, past: &[&str]| {
        let past: Vec<String> = past
            .iter()
            .map(|s| format!(r#"{{"step":"{s}"}}"#))
            .collect();
        let text = format!(
            r#"{{"checkpoint":{{"pipeline_step":"{step}","step_history":[{}]}}}}"#,
            past.join(",")
        );
        state(&text).checkpoint().cloned().unwrap()
    };
    for (step, past, effective, regressed) in [
        (
            "triage",
            &["triage", "plan", "execute"][..],
            Some(Step::Execute),
            true,
        ),
        ("plan", &["plan"][..], Some(Step::Plan), false),
        ("verify", &["plan"][..], Some(Step::Verify), false),
        // The next phase of a milestone begins again with its plan.
        (
            "plan",
            &["plan", "execute", "verify", "plan"][..],
            Some(Step::Plan),
            false,
        ),
        ("rewind", &["plan", "odd"][..], Some(Step::Plan), false),
        ("rewind", &[][..], None, false),
    ] {
        let checkpoint = checkpoint(step, past);
        assert_eq!(
            (checkpoint.effective(), checkpoint.regressed()),
            (effective, regressed),
            "{step} {past:?}"
        );
    }
}

#[test]
fn a_history_names_each_step_once_for_each_output() {
    let state = state(
        r#"{"checkpoint":{"step_history":[
            {"step":"plan","output_path":"a"},{"step":"plan","output_path":"a"},
            {"step":"plan","output_path":"b"},{"step":3},"x",{"step":"execute"}]}}"#,
    );
    let steps: Vec<&str> = state
        .checkpoint()
        .unwrap()
        .history
        .iter()
        .map(|past| past.step_text.as_str())
        .collect();
    assert_eq!(steps, ["plan", "plan", "execute"]);
}

#[test]
fn wrong_types_are_read_as_nothing() {
    let state = state(
        r#"{"pipeline_stage":3,"gsd_route":[],"retry_count":"2","dead_letter":"yes",
            "linked_pr":{},"linked_prs":["7",8,null],"checkpoint":{"schema_version":"x",
            "pipeline_step":7,"resume":[],"artifacts":{"a":1},"step_history":"x","context":3}}"#,
    );
    assert_eq!(state.stage(), None);
    assert_eq!(state.route(), Route::Unknown);
    assert_eq!(state.retry_count(), 2);
    assert!(!state.dead_letter());
    assert_eq!(state.linked_prs(), [7, 8]);
    let checkpoint = state.checkpoint().unwrap();
    assert_eq!(checkpoint.step, Some(Step::Triage));
    assert!(checkpoint.artifacts.is_empty() && checkpoint.history.is_empty());
}
