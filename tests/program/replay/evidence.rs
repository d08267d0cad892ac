//! What counts as evidence: plan, dry run, run and comparison agree on it, and what they print can be run.

use super::kit::{Labels, kind, parsed, runs_as_printed, text, unwrapped};

/// A runner whose mutated runs pass and whose control runs fail; `lost` says which runs lose it, as a condition of a shell.
fn runner(lost: &str) -> String {
    format!(
        "if {lost}; then kill -9 $$; fi; \
         if [ \"$RELIGHT_ARM\" = mutated ]; then echo 'PASS: 9 of 9 tests passed'; \
         else echo 'FAIL: 2 of 9 tests failed'; fi"
    )
}

/// The notes of a dry run.
fn notes(labels: &Labels, options: &[&str], script: &str) -> String {
    let options = [options, &["--dry-run"]].concat();
    let (code, dry) = labels.json(&options, &["/bin/sh", "-c", script]);
    assert_eq!(code, 0, "{dry}");
    dry["plan"]["notes"].to_string()
}

#[test]
fn only_the_same_conditions_are_the_same_question() {
    let labels = Labels::new();
    let swap = labels.late();
    let script = runner("false");
    let words = ["/bin/sh", "-c", script.as_str()];
    let same = ["--mutate", &swap, "--sandbox", "off", "--repeat", "2"];
    let (code, done) = labels.json(&same, &words);
    assert_eq!(code, 0, "{done}");
    let promised = "2 blocks of 1 earlier experiment of the same question are counted too";
    let said = notes(&labels, &same, &script);
    assert!(said.contains(promised), "{said}");
    let others: [&[&str]; 4] = [
        &["--timeout", "100"],
        &["--retries", "1"],
        &["--setup", "true"],
        &["--jobs", "2"],
    ];
    for other in others {
        let said = notes(&labels, &[&same[..], other].concat(), &script);
        assert!(!said.contains("earlier"), "{other:?}: {said}");
    }
    // What was promised is what the comparison counts.
    let setup = [&same[..], &["--setup", "true", "--diff"]].concat();
    let (_, alone) = labels.json(&setup, &words);
    let again = [&same[..], &["--diff"]].concat();
    let (_, joined) = labels.json(&again, &words);
    for (done, blocks, earlier) in [(&alone, 2, 0), (&joined, 4, 1)] {
        let statistics = &done["comparison"]["statistics"];
        assert_eq!(done["comparison"]["verdict"], "undecided", "{done}");
        assert_eq!(statistics["planned_blocks"], blocks, "{statistics}");
        assert_eq!(statistics["better"], blocks, "{statistics}");
        assert_eq!(statistics["earlier_experiments"], earlier, "{statistics}");
    }
}

#[test]
fn a_block_without_its_mate_is_no_evidence_and_is_run_where_it_belongs() {
    let labels = Labels::new();
    let swap = labels.late();
    let healed = labels.scratch().join("healed");
    let lost = format!(
        "[ ! -e '{}' ] && [ \"$RELIGHT_ARM\" = mutated ]",
        healed.display()
    );
    let script = runner(&lost);
    let words = ["/bin/sh", "-c", script.as_str()];
    let options = ["--mutate", &swap, "--sandbox", "off", "--repeat", "2"];
    let (_, first) = labels.json(&options, &words);
    let first = first["experiment"]["id"].as_str().unwrap().to_owned();
    let (_, compared) = labels.sandbox.json(&["compare", &labels.id, &first]);
    let statistics = &compared["statistics"];
    assert_eq!(statistics["control"]["of"], 2, "{statistics}");
    assert_eq!(statistics["mutated"]["missing"], 2, "{statistics}");
    let said = notes(&labels, &options, &script);
    assert!(!said.contains("counted too"), "{said}");
    let missing = "2 runs of 1 earlier experiment of the same question are missing";
    assert!(said.contains(missing), "{said}");

    std::fs::write(&healed, "").unwrap();
    let (code, second) = labels.json(&options, &words);
    assert_eq!(code, 0, "{second}");
    let second = second["experiment"]["id"].as_str().unwrap().to_owned();
    let compare = ["compare", labels.id.as_str(), &second];
    let (_, compared) = labels.sandbox.json(&compare);
    let said = compared["verdict_text"].as_str().unwrap();
    let command = format!("relight replay {} --continue {first}", labels.id);
    assert!(said.ends_with(&command), "{said}");
    runs_as_printed(&labels, said);
    let (code, ran) = labels.json(&["--continue", &first], &[]);
    assert_eq!(code, 0, "{ran}");
    let (_, compared) = labels.sandbox.json(&compare);
    assert_eq!(compared["statistics"]["better"], 4, "{compared}");
    assert_eq!(compared["statistics"]["mutated"]["missing"], 0);
}

/// The exit code of a replay and its error.
fn refusal(labels: &Labels, options: &[&str], runner: &[&str]) -> (i32, String) {
    let (code, done) = labels.json(options, runner);
    let text = done["error"]["text"].as_str().unwrap_or_default();
    (code, text.to_owned())
}

#[test]
fn a_dry_run_refuses_what_the_run_refuses() {
    let labels = Labels::new();
    let swap = labels.late();
    let script = runner("false");
    let words = ["/bin/sh", "-c", script.as_str()];
    let options = ["--mutate", &swap, "--sandbox", "off", "--repeat"];
    let with = |blocks: &'static str| [&options[..], &[blocks]].concat();
    let (code, done) = labels.json(&[&with("8")[..], &["--diff"]].concat(), &words);
    assert_eq!(code, 0, "{done}");
    assert_eq!(done["comparison"]["verdict"], "better", "{done}");
    let id = done["experiment"]["id"].as_str().unwrap();
    let table: [(Vec<&str>, &[&str], i32); 4] = [
        (with("3"), &words, 1),
        (vec!["--repeat", "+2"], &[], 1),
        (vec!["--continue", id], &[], 1),
        (with("3"), &["/no/such/runner"], 3),
    ];
    for (options, runner, expected) in table {
        let ran = refusal(&labels, &options, runner);
        let dry = refusal(&labels, &[&options[..], &["--dry-run"]].concat(), runner);
        assert_eq!(dry, ran, "{options:?}");
        assert_eq!(ran.0, expected, "{options:?}: {}", ran.1);
        assert!(!ran.1.is_empty(), "{options:?}");
    }
    let dry = labels.replay(&[&with("3")[..], &["--dry-run"]].concat(), &words);
    let page = text(&dry.stdout);
    let first = page.lines().next().unwrap();
    assert!(first.contains("This would be refused: "), "{page}");
    assert!(!page.contains("--sandbox off --repeat 3 -- "), "{page}");
}

#[test]
fn blocks_that_can_reach_no_verdict_are_all_run_and_that_is_said_before() {
    let labels = Labels::new();
    let swap = labels.late();
    let words = ["/bin/sh", "-c", "echo 'PASS: 9 of 9 tests passed'"];
    let options = ["--mutate", &swap, "--sandbox", "off", "--repeat", "2"];
    let (code, done) = labels.json(&options, &words);
    assert_eq!(code, 0, "{done}");
    let dry = labels.replay(&["--repeat", "+2", "--dry-run"], &[]);
    let page = unwrapped(&dry.stdout);
    assert!(page.contains("at most 4 runs"), "{page}");
    assert!(page.contains("It takes --repeat +6 or more"), "{page}");
    let dry = labels.replay(&["--repeat", "+6", "--dry-run"], &[]);
    let page = unwrapped(&dry.stdout);
    assert!(!page.contains("No verdict can be reached"), "{page}");
}

/// The arms are the same two sides in either order, and the original is no confounder of theirs.
#[test]
fn the_arms_are_judged_in_either_order() {
    let labels = Labels::new();
    let swap = labels.late();
    let script = runner("false");
    let words = ["/bin/sh", "-c", script.as_str()];
    let options = ["--mutate", &swap, "--sandbox", "off", "--repeat", "2"];
    let (_, done) = labels.json(&options, &words);
    let id = done["experiment"]["id"].as_str().unwrap();
    let arms = ["control", "mutated"].map(|arm| format!("{id}-{arm}"));
    let [one, other] = [[0, 1], [1, 0]].map(|order| {
        let [a, b] = order.map(|at: usize| arms[at].as_str());
        labels.sandbox.json(&["compare", &labels.id, a, b]).1
    });
    assert_eq!(one, other);
    assert_eq!(one["verdict"], "undecided", "{one}");
    let runs = [1, 2].map(|run| format!("{id}-{run}"));
    let (_, block) = labels
        .sandbox
        .json(&["compare", &labels.id, &runs[0], &runs[1]]);
    assert_eq!(block["confounders"], serde_json::json!([]), "{block}");
    for sides in [vec!["original", &runs[0]], vec![&runs[0], &runs[1]]] {
        let words = [&["compare", &labels.id, "--json"], &sides[..]].concat();
        let (_, lone) = parsed(&labels.sandbox.run(&words));
        let said = lone["verdict_text"].as_str().unwrap();
        let command = format!("relight compare {} {id}", labels.id);
        assert!(said.ends_with(&command), "{said}");
        assert!(!said.contains("--repeat"), "{said}");
    }
}

#[test]
fn a_pool_shows_the_runs_of_all_and_is_not_judged() {
    let labels = Labels::new();
    let swap = labels.late();
    let script = runner("false");
    let words = ["/bin/sh", "-c", script.as_str()];
    let options = ["--mutate", &swap, "--sandbox", "off", "--repeat", "2"];
    let run = |more: &[&str]| {
        let (code, done) = labels.json(&[&options[..], more].concat(), &words);
        assert_eq!(code, 0, "{done}");
        done["experiment"]["id"].as_str().unwrap().to_owned()
    };
    let (one, two) = (run(&[]), run(&["--fresh"]));
    let compare = |words: &[&str]| {
        let words = [&["compare", labels.id.as_str()], words].concat();
        labels.sandbox.json(&words)
    };
    let (code, pool) = compare(&[&format!("{one}+{two}")]);
    assert_eq!(code, 0, "{pool}");
    let (said, statistics) = (&pool["verdict_text"], &pool["statistics"]);
    let said = said.as_str().unwrap();
    assert!(
        said.starts_with("A pool is a view of experiments"),
        "{said}"
    );
    assert_eq!(statistics["better"], 4, "{pool}");
    assert!(statistics["interval"].is_null(), "{pool}");
    let table: [(&[&str], &str, &str); 4] = [
        (
            &[&format!("{one}+original")],
            "usage",
            "original is not an experiment with two arms.",
        ),
        (
            &["original", &one, "--metric", "speed"],
            "usage",
            "--metric is for the two arms of an experiment.",
        ),
        (
            &[&one, "--metric", "speed"],
            "not_found",
            "No run of the experiment measured speed.",
        ),
        (
            &[&format!("{one}+")],
            "not_found",
            " has no  that could be compared.",
        ),
    ];
    for (words, expected, text) in table {
        let (code, refused) = compare(words);
        let error = &refused["error"];
        assert_eq!(
            (code, kind(&refused)),
            (2, expected),
            "{words:?}: {refused}"
        );
        assert!(error["text"].as_str().unwrap().ends_with(text), "{refused}");
    }
}

/// An experiment of two blocks that is over.
fn two_blocks(labels: &Labels) -> String {
    let late = labels.late();
    let args = ["--mutate", &late, "--sandbox", "off", "--repeat", "2"];
    let (_, done) = labels.json(&args, &["/bin/sh", "-c", "echo PASS"]);
    done["experiment"]["id"].as_str().unwrap().to_owned()
}

#[test]
fn runs_that_were_deleted_are_announced_before_they_are_run_again() {
    let labels = Labels::new();
    let id = two_blocks(&labels);
    let (code, purged) = labels.sandbox.json(&["purge", &format!("{id}-1"), "--yes"]);
    assert_eq!(code, 0, "{purged}");
    let planned = unwrapped(&labels.replay(&["--continue", &id, "--dry-run"], &[]).stdout);
    assert!(planned.contains("! 1 run was deleted: once"), "{planned}");
    assert!(planned.contains("--fresh"), "{planned}");
}

/// The directory with the dispatches is a temporary one, and the next start of the machine clears it.
#[test]
fn replays_of_a_run_whose_manifest_is_gone_are_kept_and_no_command_for_them_is_offered() {
    let labels = Labels::new();
    let id = two_blocks(&labels);
    std::fs::remove_dir_all(labels.manifest.parent().unwrap()).unwrap();
    let why = "The run has no readable manifest, so its dispatches are unknown.";
    let show = labels.sandbox.run(&["show", &labels.id]);
    for page in [labels.replay(&["--list"], &[]), show] {
        let page = unwrapped(&page.stdout);
        assert!(page.contains(&format!("{id}-1")), "{page}");
        assert!(page.contains(why), "{page}");
        assert!(
            !page.contains("relight compare") && !page.contains("--continue"),
            "{page}"
        );
    }
    let compare = ["compare", labels.id.as_str()];
    let arms = ["compare", labels.id.as_str(), &id];
    for (code, said) in [
        labels.sandbox.json(&compare),
        labels.sandbox.json(&arms),
        labels.json(&["--continue", &id, "--repeat", "+1"], &[]),
    ] {
        assert_eq!(
            (code, said["error"]["text"].as_str()),
            (5, Some(why)),
            "{said}"
        );
    }
}
