//! Conferences: what the events of an end say is on record, and how the next round begins.

use std::fs;

use super::autoconference::{DIR, document, iteration};
use crate::cli_acting::sandbox::Sandbox;

/// A conference before the end of its second round.
fn reviewed() -> Sandbox {
    let sandbox = Sandbox::new();
    document(&sandbox, "poster_session_round_2.md");
    document(&sandbox, "peer_review_round_2.md");
    sandbox.recorded(&[DIR, "round.poster_session"]);
    sandbox.recorded(&[DIR, "round.peer_review"]);
    sandbox
}

/// Everything that a command prints.
fn said(sandbox: &Sandbox, args: &[&str]) -> String {
    let output = sandbox.run(args);
    let all = [output.stdout, output.stderr].concat();
    let text = String::from_utf8(all).unwrap();
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn the_best_result_of_a_round_is_on_record() {
    let sandbox = reviewed();
    let end = [DIR, "round.completed"];
    for (payload, said) in [
        (
            &["best_metric=9999"][..],
            "best_metric is 9999, and no iteration on record has this value.",
        ),
        (&["best_researcher=Z"], "There is no researcher Z."),
        (
            &["best_metric=44.8", "best_researcher=B"],
            "best_researcher is B, and no iteration of researcher B has the value 44.8.",
        ),
    ] {
        let text = sandbox.refused(3, &[&end, payload].concat());
        assert_eq!(text, said);
    }
    sandbox.recorded(&[
        DIR,
        "round.completed",
        "best_metric=44.80",
        "best_researcher=researcher_A",
    ]);
}

/// An iteration that was reverted has no say in what the best result is.
#[test]
fn a_better_value_that_was_reverted_does_not_refuse_the_best_one() {
    let sandbox = reviewed();
    let path = sandbox.path(&format!("{DIR}/researcher_B_results.tsv"));
    let text = fs::read_to_string(&path).unwrap();
    let columns: Vec<&str> = text.lines().next().unwrap().split('\t').collect();
    let last = text.lines().next_back().unwrap().split('\t');
    let cells = columns
        .iter()
        .zip(last)
        .map(|(column, cell)| match *column {
            "iteration" => (cell.parse::<u64>().unwrap() + 1).to_string(),
            "metric_value" => "46".to_owned(),
            "status" => "reverted".to_owned(),
            _ => cell.to_owned(),
        });
    let row = cells.collect::<Vec<_>>().join("\t");
    fs::write(&path, format!("{text}{row}\n")).unwrap();
    let best = ["best_metric=44.8", "best_researcher=A"];
    sandbox.recorded(&[&[DIR, "round.completed"][..], &best].concat());
    sandbox.recorded(&[DIR, "conference.converged", "final_best_metric=44.8"]);
}

/// The orchestrator's own word is said, though only its conference.converged ends the conference.
#[test]
fn a_round_that_converged_is_not_said_to_end_nothing() {
    let sandbox = reviewed();
    sandbox.recorded(&[DIR, "round.completed", "converged=true"]);
    let points = said(&sandbox, &["points", DIR]);
    let word =
        "Round 2 is completed, and its event says that the conference converged (CONVERGED).";
    assert!(points.contains(word), "{points}");
}

/// A round after the end that the orchestrator declared needs a person's word, as verify says of one that has none.
#[test]
fn no_round_follows_one_that_converged() {
    let sandbox = reviewed();
    sandbox.recorded(&[DIR, "round.completed", "converged=true"]);
    let why = "round.started cannot be recorded now: the event of round 2 says that the conference converged.";
    assert_eq!(sandbox.refused(3, &[DIR, "round.started"]), why);
    let (_, answer) = sandbox.json(&["record", DIR, "round.started"]);
    let point = "recovery_point=Start of Round 3, Phase 1";
    let dir = sandbox.path(DIR);
    let again = format!(
        "relight record {} conference.resumed '{point}' round=3",
        dir.display()
    );
    let hints = [
        "Expected: conference.converged.".to_owned(),
        format!("For another round: {again}"),
    ];
    assert_eq!(answer["error"]["hints"], serde_json::json!(hints));
    sandbox.recorded(&[DIR, "conference.resumed", point, "round=3"]);
    sandbox.recorded(&[DIR, "round.started"]);
    let (_, verify) = sandbox.json(&["verify", DIR]);
    let rounds = verify["checks"].as_array().unwrap().iter();
    let rounds: Vec<_> = rounds.filter(|check| check["id"] == "A7").collect();
    assert_eq!(rounds[0]["verdict"], "pass", "{verify}");
}

#[test]
fn the_end_of_a_conference_names_what_is_there() {
    let sandbox = reviewed();
    sandbox.recorded(&[DIR, "round.completed"]);
    for (payload, said) in [
        (
            "final_best_metric=1",
            "final_best_metric is 1, and no iteration on record has this value.",
        ),
        (
            "round_count=7",
            "round_count is 7, and 2 completed rounds are on record.",
        ),
    ] {
        assert_eq!(
            sandbox.refused(3, &[DIR, "conference.converged", payload]),
            said
        );
    }
    sandbox.recorded(&[
        DIR,
        "conference.converged",
        "round_count=2",
        "final_best_metric=44.8",
    ]);
    for name in ["synthesis.md", "final_report.md"] {
        fs::write(sandbox.path(&format!("{DIR}/{name}")), "# End\n").unwrap();
    }
    let said = sandbox.refused(3, &[DIR, "round.started"]);
    let why = "both end documents exist, and only the event of the end is missing";
    assert_eq!(
        said,
        format!("round.started cannot be recorded now: {why}.")
    );
    for (payload, said) in [
        (
            "synthesis_path=nope.md",
            "synthesis_path is nope.md, and the document is synthesis.md.",
        ),
        (
            "final_report_path=/tmp/final_report.md",
            "final_report_path is /tmp/final_report.md, and the document is final_report.md.",
        ),
        (
            "total_iterations=99",
            "total_iterations is 99, and 15 iterations are on record.",
        ),
    ] {
        assert_eq!(
            sandbox.refused(3, &[DIR, "conference.completed", payload]),
            said
        );
    }
    sandbox.recorded(&[
        DIR,
        "conference.completed",
        "synthesis_path=tokenizer-speed/synthesis.md",
    ]);
}

/// What may be recorded is what verify accepts.
#[test]
fn every_round_begins_with_its_baseline() {
    let sandbox = reviewed();
    sandbox.recorded(&[DIR, "round.completed"]);
    sandbox.recorded(&[DIR, "round.started"]);
    let said = sandbox.refused(3, &iteration("A", "1", "45", "kept"));
    assert_eq!(said, "Iteration 1 of A cannot be recorded in round 3.");
    sandbox.recorded(&iteration("A", "0", "44.8", "baseline"));
    sandbox.recorded(&iteration("A", "1", "45", "kept"));
    let (_, verify) = sandbox.json(&["verify", DIR]);
    let checks = verify["checks"].as_array().unwrap();
    let resets = checks.iter().filter(|check| check["id"] == "A11");
    let verdicts: Vec<_> = resets.map(|check| &check["verdict"]).collect();
    assert_eq!(verdicts, ["pass", "pass"], "{verify}");
}
