//! What a verdict advises, and where it must not.

use super::{ExperimentFacts, facts, judged, strip};

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
        "--repeat",
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
