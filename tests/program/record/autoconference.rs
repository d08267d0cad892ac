//! Conferences: events follow the decision that recommends the resume point.

use std::fs;

use serde_json::Value;

use crate::cli_acting::sandbox::Sandbox;

pub(super) const DIR: &str = "projects/lab/tokenizer-speed";

fn log(sandbox: &Sandbox) -> Vec<Value> {
    let text = sandbox.text(&format!("{DIR}/conference_events.jsonl"));
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

pub(super) fn document(sandbox: &Sandbox, name: &str) {
    let from = if name.starts_with("poster") {
        "poster_session_round_1.md"
    } else {
        "peer_review_round_1.md"
    };
    let text = sandbox
        .text(&format!("{DIR}/{from}"))
        .replace("Round 1", "Round 2");
    fs::write(sandbox.path(&format!("{DIR}/{name}")), text).unwrap();
}

#[test]
fn a_round_goes_through_its_phases_in_order() {
    let sandbox = Sandbox::new();
    let next = |answer: &Value| {
        answer["next"]["id"]
            .as_str()
            .unwrap_or("nothing")
            .to_owned()
    };
    for (event, expected) in [
        ("round.peer_review", 3),
        ("round.completed", 3),
        ("round.started", 3),
        ("conference.started", 3),
        ("conference.completed", 3),
    ] {
        sandbox.refused(expected, &[DIR, event]);
    }
    // The poster itself is missing.
    sandbox.refused(3, &[DIR, "round.poster_session", "summary=x"]);
    document(&sandbox, "poster_session_round_2.md");
    let answer = sandbox.recorded(&[
        DIR,
        "round.poster_session",
        "summary=two findings",
        "--round",
        "2",
    ]);
    assert_eq!(next(&answer), "round-2-phase-3");
    assert_eq!(sandbox.recommended("tokenizer-speed"), "round-2-phase-3");
    sandbox.refused(3, &[DIR, "round.poster_session", "summary=again"]);
    document(&sandbox, "peer_review_round_2.md");
    let answer = sandbox.recorded(&[
        DIR,
        "round.peer_review",
        "challenged_count=0",
        "validated_count=2",
    ]);
    assert_eq!(next(&answer), "round-2-phase-4");
    assert_eq!(sandbox.recommended("tokenizer-speed"), "round-2-phase-4");
    let answer = sandbox.recorded(&[
        DIR,
        "round.completed",
        "best_metric=44.80",
        "best_researcher=A",
        "converged=false",
    ]);
    assert_eq!(next(&answer), "round-3-phase-1");
    let text = sandbox.text(&format!("{DIR}/conference_events.jsonl"));
    let last = text.lines().last().unwrap();
    // Members in the order of the format, numbers as they were typed.
    assert!(last.contains("\"payload\": {\"round\": 2, \"best_metric\": 44.80, \"best_researcher\": \"A\", \"converged\": false}}"), "{last}");
    sandbox.recorded(&[
        DIR,
        "round.started",
        "researcher_states:=[\"A:ready\", \"B:ready\"]",
    ]);
    let answer = sandbox.recorded(&[DIR, "researcher.stuck", "researcher=B", "stuck_level=2"]);
    assert_eq!(log(&sandbox).last().unwrap()["payload"]["round"], 3);
    assert!(next(&answer).starts_with("round-3"), "{answer}");
}

#[test]
fn a_conference_ends_once() {
    let sandbox = Sandbox::new();
    document(&sandbox, "poster_session_round_2.md");
    document(&sandbox, "peer_review_round_2.md");
    for event in [
        &["round.poster_session"][..],
        &["round.peer_review"],
        &["round.completed", "round=2"],
    ] {
        sandbox.recorded(&[&[DIR], event].concat());
    }
    let answer = sandbox.recorded(&[DIR, "conference.converged", "reason=target reached"]);
    assert_eq!(answer["next"]["id"], "synthesis");
    sandbox.refused(3, &[DIR, "conference.converged"]);
    sandbox.refused(3, &[DIR, "round.started"]);
    sandbox.refused(3, &[DIR, "conference.completed"]);
    for name in ["synthesis.md", "final_report.md"] {
        fs::write(sandbox.path(&format!("{DIR}/{name}")), "# End\n").unwrap();
    }
    let answer = sandbox.recorded(&[DIR, "conference.completed", "synthesis_path=synthesis.md"]);
    assert_eq!(answer["next"], Value::Null);
    for event in [
        "conference.completed",
        "conference.resumed",
        "round.started",
    ] {
        sandbox.refused(3, &[DIR, event]);
    }
    let (_, list) = sandbox.json(&["list", "--all", DIR]);
    assert_eq!(list["pipelines"][0]["status"], "complete");
}

#[test]
fn what_is_not_valid_is_refused_and_changes_nothing() {
    let sandbox = Sandbox::new();
    for (code, args) in [
        (2, &[][..]),
        (2, &["round.poster_session", "summary"]),
        (2, &["researcher.stuck", "researcher=AB", "stuck_level=2"]),
        (2, &["conference.resumed", "--step", "plan"]),
        (3, &["researcher.stuck", "researcher=B", "stuck_level=9"]),
        (3, &["researcher.iteration", "researcher=B"]),
        (3, &["conference.stalled"]),
        (3, &["conference.failed"]),
        (2, &["round.ended"]),
        (3, &["round.poster_session", "--round", "3"]),
    ] {
        sandbox.refused(code, &[&[DIR], args].concat());
    }
}

#[test]
fn a_torn_tail_is_closed_and_stays() {
    let sandbox = Sandbox::new();
    let path = sandbox.path(&format!("{DIR}/conference_events.jsonl"));
    let torn = format!(
        "{}{{\"event\": \"researcher.it",
        fs::read_to_string(&path).unwrap()
    );
    fs::write(&path, &torn).unwrap();
    sandbox.recorded(&[
        DIR,
        "conference.resumed",
        "recovery_point=x {now}",
        "round=2",
    ]);
    let text = fs::read_to_string(&path).unwrap();
    let added = text.strip_prefix(&torn).unwrap();
    assert!(
        added.starts_with('\n') && added.ends_with("}}\n"),
        "{added}"
    );
    let event: Value = serde_json::from_str(added.trim()).unwrap();
    assert_eq!(event["payload"]["recovery_point"], "x {now}");
}

#[test]
fn a_row_that_was_cut_off_is_replaced_by_the_record_of_its_iteration() {
    let name = "researcher_B_results.tsv";
    let sandbox = Sandbox::new();
    let before = sandbox.text(&format!("{DIR}/{name}"));
    let columns: Vec<&str> = before.lines().next().unwrap().split('\t').collect();
    let key = columns
        .iter()
        .rposition(|column| ["round", "iteration"].contains(column));
    sandbox.recorded(&iteration("B", "3", "40.5", "kept"));
    let after = sandbox.text(&format!("{DIR}/{name}"));
    let row = after.strip_prefix(&before).unwrap().trim_end();
    let key: usize = row
        .split('\t')
        .take(key.unwrap() + 1)
        .map(|cell| cell.len() + 1)
        .sum();

    for (cut, healed) in [
        (1, false),
        (key - 1, false),
        (key, true),
        (key + 2, true),
        (row.len(), true),
    ] {
        let sandbox = Sandbox::new();
        let path = sandbox.path(&format!("{DIR}/{name}"));
        fs::write(&path, format!("{before}{}", row.get(..cut).unwrap())).unwrap();
        if healed {
            sandbox.recorded(&iteration("B", "3", "40.5", "kept"));
            let text = fs::read_to_string(&path).unwrap();
            let own = text.strip_prefix(&before).unwrap();
            assert_eq!(own.lines().count(), 1, "{cut}: {own}");
            assert_eq!(own.split('\t').count(), columns.len(), "{cut}: {own}");
        } else {
            sandbox.refused(3, &iteration("B", "3", "40.5", "kept"));
        }
    }
}

#[test]
fn a_row_begins_its_own_line_below_a_header_that_lacks_its_newline() {
    let sandbox = Sandbox::new();
    let name = "conference_results.tsv";
    let text = sandbox.text(&format!("{DIR}/{name}"));
    let header = text.lines().next().unwrap();
    fs::write(sandbox.path(&format!("{DIR}/{name}")), header).unwrap();
    sandbox.recorded(&iteration("B", "3", "40.5", "kept"));
    assert_eq!(rows(&sandbox, name).len(), 2);
}

fn rows(sandbox: &Sandbox, name: &str) -> Vec<Vec<String>> {
    let text = sandbox.text(&format!("{DIR}/{name}"));
    text.lines()
        .map(|line| line.split('\t').map(str::to_owned).collect())
        .collect()
}

pub(super) fn iteration<'a>(
    id: &'a str,
    number: &'a str,
    value: &'a str,
    status: &'a str,
) -> Vec<&'a str> {
    vec![
        DIR,
        "iteration",
        "--researcher",
        id,
        "--iteration",
        number,
        "--value",
        value,
        "--status",
        status,
        "--description",
        "what \u{fc} was tried",
        "--verified-by",
        "script:bench.py",
    ]
}

#[test]
fn an_iteration_is_in_the_log_and_in_both_tables() {
    let sandbox = Sandbox::new();
    let before = (
        rows(&sandbox, "researcher_B_results.tsv"),
        rows(&sandbox, "conference_results.tsv"),
    );
    sandbox.refused(3, &iteration("B", "9", "40.5", "kept"));
    sandbox.refused(3, &iteration("B", "2", "40.5", "kept"));
    sandbox.refused(3, &iteration("B", "3", "NaN", "kept"));
    sandbox.refused(3, &iteration("B", "3", "40.5", "baseline"));
    sandbox.refused(3, &iteration("B", "3", "40.5", "lost"));
    sandbox.refused(3, &iteration("Z", "3", "40.5", "kept"));
    sandbox.refused(2, &iteration("B", "3", "40.5", "kept")[..8]);
    let mut tabbed = iteration("B", "3", "40.5", "kept");
    tabbed[11] = "a\tb";
    sandbox.refused(3, &tabbed);
    let answer = sandbox.recorded(&iteration("B", "3", "40.50", "kept"));
    assert_eq!(answer["recorded"]["files"].as_array().unwrap().len(), 3);
    let own = rows(&sandbox, "researcher_B_results.tsv");
    let all = rows(&sandbox, "conference_results.tsv");
    assert_eq!(
        (own.len(), all.len()),
        (before.0.len() + 1, before.1.len() + 1)
    );
    assert_eq!(own[..before.0.len()], before.0[..]);
    let row = own.last().unwrap();
    let cell = |row: &[String], name: &str, table: &[Vec<String>]| {
        let at = table[0].iter().position(|column| column == name).unwrap();
        row[at].clone()
    };
    assert_eq!(row.len(), own[0].len());
    assert_eq!(cell(row, "metric_value", &own), "40.50");
    assert_eq!(cell(row, "description", &own), "what \u{fc} was tried");
    let event = log(&sandbox).pop().unwrap();
    let last = all.last().unwrap();
    for (key, value) in [
        ("delta", &event["payload"]["delta"]),
        ("status", &"kept".into()),
    ] {
        assert_eq!(cell(row, key, &own), value.as_str().unwrap(), "{key}");
        assert_eq!(cell(last, key, &all), value.as_str().unwrap(), "{key}");
    }
    assert_eq!(event["payload"]["round"], 2);
    assert!(
        sandbox
            .text(&format!("{DIR}/conference_events.jsonl"))
            .contains("\"metric_value\": 40.50,")
    );
    assert_eq!(cell(last, "peer_review_verdict", &all), "-");
}

#[test]
fn a_conference_begins_from_its_configuration() {
    let sandbox = Sandbox::new();
    let dir = "projects/lab/new";
    fs::create_dir(sandbox.path(dir)).unwrap();
    sandbox.refused(2, &[dir, "init"]);
    let text = sandbox.text(&format!("{DIR}/conference.md"));
    // Without the traces of the rounds that were held.
    let text = text.lines().filter(|line| {
        !line.contains("Round 1") && !line.starts_with("1. ") && !line.starts_with("| 1 ")
    });
    let text = text.collect::<Vec<_>>().join("\n") + "\n";
    fs::write(sandbox.path(&format!("{dir}/conference.md")), text).unwrap();
    let scaffold = "iteration\tmetric_value\tdelta\tdelta_pct\tstatus\tdescription\tevaluator_source\ttimestamp\n0\tTBD\t-\t-\tbaseline\tscaffold\t-\t2026-01-01\n";
    fs::write(
        sandbox.path(&format!("{dir}/researcher_A_results.tsv")),
        scaffold,
    )
    .unwrap();
    sandbox.refused(3, &[dir, "round.started"]);
    let answer = sandbox.recorded(&[dir, "init"]);
    assert_eq!(answer["next"]["id"], "round-1-phase-1");
    sandbox.refused(3, &[dir, "init"]);
    assert_eq!(
        sandbox.text(&format!("{dir}/researcher_A_results.tsv")),
        scaffold
    );
    assert!(
        sandbox
            .text(&format!("{dir}/researcher_B_results.tsv"))
            .ends_with("\ttimestamp\n")
    );
    sandbox.refused(
        3,
        &[
            dir,
            "iteration",
            "--researcher",
            "A",
            "--iteration",
            "0",
            "--value",
            "1",
            "--status",
            "baseline",
            "--description",
            "x",
        ],
    );
    sandbox.recorded(&[dir, "round.started"]);
    let answer = sandbox.recorded(&[
        dir,
        "iteration",
        "--researcher",
        "A",
        "--iteration",
        "0",
        "--value",
        "38",
        "--status",
        "baseline",
        "--description",
        "as it is",
    ]);
    assert_eq!(answer["next"]["id"], "round-1-mid");
    let table = sandbox.text(&format!("{dir}/researcher_A_results.tsv"));
    assert!(
        !table.contains("TBD") && table.lines().count() == 2,
        "{table}"
    );
    sandbox.recorded(&[
        dir,
        "iteration",
        "--researcher",
        "A",
        "--iteration",
        "1",
        "--value",
        "38.75",
        "--status",
        "kept",
        "--description",
        "cache",
    ]);
    let table = sandbox.text(&format!("{dir}/researcher_A_results.tsv"));
    assert!(
        table.contains("\n1\t38.75\t+0.75\t+2.0%\tkept\tcache\t-\t"),
        "{table}"
    );
    let (_, verify) = sandbox.json(&["verify", dir]);
    assert_ne!(verify["verdict"], "fail", "{verify}");
}
