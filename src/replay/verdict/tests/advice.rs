//! What a verdict advises, and where it must not.

use super::*;
use crate::text::format::{count_of, split_words};

/// Whatever the blocks show, runs that say nothing about a template are no reason to use it, to keep it, or to run more
/// of them.
#[test]
fn runs_that_are_no_evidence_give_no_advice() {
    let why = "The runner is no agent.";
    let no_evidence = |facts: ExperimentFacts| ExperimentFacts {
        no_evidence: Some(why.into()),
        ..facts
    };
    let table = [
        ("xxxxxxxxxx", "oooooooooo", facts(10)),
        ("oooooooooo", "xxxxxxxxxx", facts(10)),
        ("oooooooooooo", "oooooooooooo", facts(12)),
        ("xxxxxx", "oxxxxx", facts(6)),
        ("oooooooo", "xooooooo", facts(8)),
        ("x", "o", facts(1)),
    ];
    let advice = [
        "Use the",
        "Keep the",
        "Add ",
        "add 9",
        "Measure",
        "--repeat +",
        "--continue",
    ];
    for (control, mutated, facts) in table {
        let with_evidence = judged(strip(control, mutated), &facts);
        let (verdict, text, statistics) = judged(strip(control, mutated), &no_evidence(facts));
        assert_eq!((verdict, &statistics), (with_evidence.0, &with_evidence.2));
        assert!(advice.iter().any(|one| with_evidence.1.contains(one)));
        assert!(text.starts_with(why), "{text}");
        for one in advice {
            assert!(!text.contains(one), "{text}");
        }
        assert!(
            text.contains("replay with an agent: relight replay p"),
            "{text}"
        );
    }
}

#[test]
fn what_only_lacks_a_value_is_to_be_measured_and_not_run() {
    for (unmeasured, lead) in [(0, "To run them: "), (2, "To measure them again: ")] {
        let facts = ExperimentFacts {
            unmeasured,
            ..facts(3)
        };
        let (_, text, _) = judged(strip("xx?", "o?o"), &facts);
        assert!(text.contains(lead), "{text}");
    }
}

/// All pairs of rows of so many marks.
fn rows(marks: &[char], blocks: usize) -> Vec<(String, String)> {
    let mut all = vec![String::new()];
    for _ in 0..blocks {
        let longer = |row: &String| marks.iter().map(|mark| format!("{row}{mark}")).collect();
        all = all
            .iter()
            .flat_map(|row| -> Vec<String> { longer(row) })
            .collect();
    }
    let pairs = all
        .iter()
        .flat_map(|one| all.iter().map(move |other| (one.clone(), other.clone())));
    pairs.collect()
}

/// Every sentence over a sweep of blocks, complete and not, with what is true of it.
fn sweep(check: impl Fn(&str, &VerdictText, &Statistics, &ExperimentFacts)) {
    for blocks in 0..=2 {
        for (control, mutated) in rows(&['o', 'x', '?'], blocks) {
            for planned in [2, 6, 12] {
                for (tail, times) in [("", 0), ("xo", 4), ("oo", 7), ("ox", 3)] {
                    let (c, m) = tail.split_at(tail.len() / 2);
                    let (c, m) = (c.repeat(times), m.repeat(times));
                    let facts = facts(planned.max(u32::try_from(blocks + times).unwrap()));
                    let rows = (format!("{control}{c}"), format!("{mutated}{m}"));
                    let statistics = statistics(strip(&rows.0, &rows.1), &facts);
                    let (_, text) = judge(&statistics, &facts);
                    let about = format!("{rows:?} of {}: {:?}", facts.planned, text);
                    check(&about, &text, &statistics, &facts);
                }
            }
        }
    }
}

#[test]
fn every_command_is_complete() {
    let is_complete = |about: &str, text: &VerdictText| {
        let Some(command) = text.command.as_ref() else {
            return;
        };
        let words = split_words(command.as_str().unwrap()).unwrap();
        assert_eq!(words[0], "relight", "{about}");
        let is_placeholder = |word: &String| {
            word.contains('…') || word.split('=').any(|part| part == "NAME" || part == "CMD")
        };
        assert!(!words.iter().any(is_placeholder), "{about}");
    };
    sweep(|about, text, _, facts| {
        is_complete(about, text);
        assert!(!text.whole().lossy().contains('…'), "{about}");
        let others = [
            ExperimentFacts {
                no_evidence: Some("Why.".into()),
                ..facts.clone()
            },
            ExperimentFacts {
                confounders: vec!["Another runner.".into()],
                ..facts.clone()
            },
        ];
        for facts in others {
            let statistics = statistics(strip("xxxxxx", "oooooo"), &facts);
            is_complete(about, &judge(&statistics, &facts).1);
        }
    });
}

/// Blocks that are advised make a verdict possible, and are as many as the command adds and no more than it takes.
#[test]
fn the_blocks_that_are_advised_make_a_verdict_possible() {
    sweep(|about, text, before, facts| {
        let Some(adds) = text.adds else { return };
        let more = ExperimentFacts {
            planned: facts.planned + adds,
            ..facts.clone()
        };
        let after = statistics(before.blocks.clone(), &more);
        assert!(!after.unreachable, "{about}");
        assert_eq!(after.lacking, 0, "{about}");
        let command = text.command.as_ref().unwrap().lossy().into_owned();
        assert!(command.ends_with(&format!(" --repeat +{adds}")), "{about}");
        // The control that is known of leaves room for it.
        assert_ne!(
            (after.can_show, after.tally.losses == 0, known(&after)),
            (Some(None), true, true),
            "{about}"
        );
    });
}

fn known(statistics: &Statistics) -> bool {
    statistics.passed.is_some_and(|[(_, of), _]| of >= 4)
}

/// What the sentence says to run is what continuing the experiment runs: whatever is not complete of it.
#[test]
fn the_runs_that_are_left_are_all_that_are_not_complete() {
    sweep(|about, text, statistics, facts| {
        let missing: u32 = statistics.missing.iter().sum();
        let all = text.whole().lossy().into_owned();
        if missing == 0 || !all.contains("--continue") {
            return;
        }
        let ended: u32 = statistics
            .passed
            .map_or(0, |both| both.iter().map(|(_, of)| of).sum());
        let left = 2 * facts.planned - ended;
        let runs = count_of(left, "run is", "runs are");
        let what = if left == missing { "missing" } else { "left" };
        let said = format!("{runs} {what}");
        assert!(all.contains(&said), "{said}: {about}");
    });
}

#[test]
fn missing_runs_are_run_by_the_experiment_that_they_belong_to() {
    let mut blocks = strip("oo", "??");
    for block in &mut blocks {
        block.experiment = SessionId("3".to_owned());
    }
    blocks.extend(strip("o", "x"));
    let facts = |planned| ExperimentFacts {
        earlier: vec![(SessionId("3".to_owned()), planned)],
        ..facts(1)
    };
    for (planned, expected) in [
        (
            2,
            "2 runs are missing. To run them: relight replay p --continue 3",
        ),
        (
            4,
            "2 runs are missing, and 2 blocks have not begun: 6 runs are left. To run them: relight replay p --continue 3",
        ),
    ] {
        let (_, text, _) = judged(
            blocks.clone(),
            &ExperimentFacts {
                planned: 2,
                ..facts(planned)
            },
        );
        assert!(text.ends_with(expected), "{text}");
    }
    blocks.push(block(2, RunValue::Pass, RunValue::Missing));
    let (_, text, _) = judged(
        blocks,
        &ExperimentFacts {
            planned: 2,
            ..facts(2)
        },
    );
    let expected = "3 runs are missing, 2 of them in experiment 3. To run those of 3: relight replay p --continue 3";
    assert!(text.ends_with(expected), "{text}");
}

/// The sentence follows from the numbers: those at the blocks that were fixed, and those of today.
#[test]
fn no_meaningful_change_says_at_how_many_blocks_and_what_came_later() {
    let fixed = ExperimentFacts {
        fixed: Some(12),
        ..facts(18)
    };
    let at = |control: &str, mutated: &str| {
        let rows = [control, mutated].map(|later| format!("{}{later}", "o".repeat(12)));
        judged(strip(&rows[0], &rows[1]), &fixed)
    };
    let first = "At the 12 blocks that were fixed, the pass rates differ by less than 20 points: better in 0, worse in 0, \
                 the same in 12 of 12 blocks (90 % interval: -18.4 to +18.4 points).";
    for (control, mutated, later) in [
        ("", "", " Keep the simpler template."),
        (
            "oooooo",
            "oooooo",
            " Later blocks agree with this: at 18 blocks the 90 % interval is -13.1 to +13.1 points.",
        ),
        (
            "xxxxxx",
            "ooooxx",
            " Later blocks weakened this: at 18 blocks the 90 % interval is ",
        ),
    ] {
        let (verdict, text, statistics) = at(control, mutated);
        assert_eq!(verdict, Verdict::NoMeaningfulChange);
        assert!(text.starts_with(&format!("{first}{later}")), "{text}");
        assert_eq!(statistics.equal_at, Some(12));
        assert!(
            next_is_useless(&statistics, &fixed),
            "more blocks change no verdict"
        );
    }
}

/// A run that ended is counted where it is shown, whatever became of the other run of its block.
#[test]
fn the_counts_beside_the_strip_are_those_of_the_strip() {
    sweep(|about, _, statistics, _| {
        let cells = statistics.strip();
        for (arm, total) in statistics.totals().iter().take(2).enumerate() {
            let marks: Vec<&str> = cells.iter().map(|block| block[arm].as_str()).collect();
            let number = |mark: &str| marks.iter().filter(|one| **one == mark).count();
            let expected = format!("{} of {} passed", number("o"), number("o") + number("x"));
            assert!(total.starts_with(&expected), "{total}: {about}");
            assert_eq!(
                total.contains(" missing"),
                number("?") > 0,
                "{total}: {about}"
            );
        }
    });
}

#[test]
fn what_was_chosen_afterwards_has_no_interval() {
    let pool = ExperimentFacts {
        unjudged: Some("A pool.".to_owned()),
        ..facts(8)
    };
    let confounded = ExperimentFacts {
        confounders: vec!["Another runner.".into()],
        ..facts(8)
    };
    for facts in [pool, confounded] {
        let (_, _, statistics) = judged(strip("xxxxxxxx", "ooooooxx"), &facts);
        assert_eq!(statistics.interval, None);
    }
}
