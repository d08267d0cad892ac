//! What ends a conference besides its number of rounds. All of it must be declared, so it is only said.

use crate::systems::autoconference::testdata::{CONFIG, Dir, log};

/// Completed rounds in which A reached these values.
fn rounds(values: &[&str]) -> String {
    let round = |(n, value): (usize, &&str)| {
        [
            format!("researcher.iteration {n} A 3 {value} kept"),
            format!("researcher.iteration {n} B 3 4.5 kept"),
            format!("round.completed {n}"),
        ]
    };
    let lines = (1..).zip(values).flat_map(round);
    let lines: Vec<String> = std::iter::once("conference.started".to_owned())
        .chain(lines)
        .collect();
    log(&lines.iter().map(String::as_str).collect::<Vec<_>>())
}

fn reason(config: &str, events: &str, files: &[(&str, &str)]) -> String {
    let dir = Dir::usual(events, "", "");
    dir.put("conference.md", config.as_bytes());
    for (name, text) in files {
        dir.put(name, text.as_bytes());
    }
    let done = events.matches("round.completed").count();
    let next = format!("round-{}-phase-1*", done + 1);
    assert!(dir.points().contains(&next), "{:?}", dir.points());
    dir.open().reading().claim.reason.lossy().into_owned()
}

#[test]
fn a_used_up_budget_of_iterations_is_said() {
    let limit = "## Constraints\n- **Max total iterations:** 2\n\n## Shared";
    let config = CONFIG.replace("## Shared", limit);
    let said = reason(&config, &rounds(&["50"]), &[]);
    let budget = "2 of 2 iterations are used up (BUDGET_STOP)";
    assert!(said.contains(budget), "{said}");
}

#[test]
fn a_round_in_which_everybody_was_stuck_is_said() {
    let events = rounds(&["50"]);
    let stuck = |id: &str, level: u64| {
        format!(
            "{{\"event\": \"researcher.stuck\", \"timestamp\": \"2026-05-02T08:03:00Z\", \"payload\": {{\"round\": 1, \"researcher\": \"{id}\", \"stuck_level\": {level}}}}}\n"
        )
    };
    for (level, all) in [(2, true), (1, false)] {
        let said = reason(
            CONFIG,
            &(events.clone() + &stuck("A", 2) + &stuck("B", level)),
            &[],
        );
        let stalled = "every researcher was stuck in round 1 (STALLED)";
        assert_eq!(said.contains(stalled), all, "{said}");
    }
}

/// 0.1 for percentages, else 0.1 % of the first result.
#[test]
fn a_change_below_the_noise_is_a_plateau() {
    for (target, values, flat) in [
        (">= 80%", ["50", "50.05", "50.08"], true),
        (">= 80%", ["50", "50.05", "50.2"], false),
        (">= 80", ["50.5", "50.5", "50.54"], true),
        (">= 80", ["50.5", "50.5", "50.56"], false),
    ] {
        let config = CONFIG.replace(">= 80", target);
        let said = reason(&config, &rounds(&values), &[]);
        let plateau = format!("the best metric stayed at {} for two rounds", values[2]);
        assert_eq!(said.contains(&plateau), flat, "{target} {values:?}: {said}");
    }
}

#[test]
fn scores_of_two_rounds_end_a_conference_without_a_metric() {
    let config = CONFIG.replace(
        "## Mode\nmetric",
        "## Mode\nqualitative\n\n## Success Criteria\nclear",
    );
    let review = |scores: [&str; 2]| {
        let [a, b] = scores;
        format!(
            "# Peer Review\n\n**Claim:** c\n**Verdict:** validated\n\n| Researcher | Reviewer Score |\n|---|---|\n| A | {a}/10 |\n| B | {b} |\n"
        )
    };
    let good = "the reviewer gave at least 8 of 10 to all in two rounds (CONVERGED)";
    let flat = "the reviewer's scores stayed flat below 8 of 10 (STALLED)";
    for (before, now, ending) in [
        (["8", "9"], ["8.5", "8"], Some(good)),
        (["8", "7"], ["8.5", "8"], None),
        (["6", "7"], ["7", "5"], Some(flat)),
        (["6", "7"], ["7.5", "5"], None),
    ] {
        let files = [
            ("peer_review_round_1.md", review(before)),
            ("peer_review_round_2.md", review(now)),
        ];
        let files = files.each_ref().map(|(name, text)| (*name, text.as_str()));
        let said = reason(&config, &rounds(&["50", "60"]), &files);
        for word in [good, flat] {
            assert_eq!(said.contains(word), ending == Some(word), "{now:?}: {said}");
        }
    }
}
