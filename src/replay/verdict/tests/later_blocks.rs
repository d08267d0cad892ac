//! A verdict that later blocks weaken or oppose.

use super::*;

#[test]
fn a_verdict_stays_and_says_when_the_evidence_fell_later() {
    for (before, after, word, strip) in [
        ('x', 'o', Verdict::Better, "BETTER (6 to 5; 6 to 0"),
        ('o', 'x', Verdict::Worse, "WORSE (6 to 5; 6 to 0"),
    ] {
        let row = |first: char, later: char| {
            let rows = [first.to_string().repeat(6), later.to_string().repeat(5)];
            rows.concat()
        };
        let (verdict, text, statistics) = verdict_of(&row(before, after), &row(after, before));
        assert_eq!(verdict, word);
        assert!(statistics.evidence < ENOUGH);
        assert!(statistics.totals()[2].contains(strip));
        assert!(
            text.contains("Later blocks weakened the evidence"),
            "{text}"
        );
        assert!(text.ends_with(sentence::WEAKENED), "{text}");
    }
}

#[test]
fn a_verdict_that_more_blocks_oppose_than_support_is_undecided() {
    let (verdict, text, statistics) = verdict_of("xxxxxxooooooo", "ooooooxxxxxxx");
    assert_eq!(verdict, Verdict::Undecided);
    // Nothing refuses more blocks, which may turn it.
    assert!(!next_is_useless(&statistics, &facts(13)));
    assert_eq!(
        text,
        "The mutated arm was better at 6 blocks, and is worse on average since later blocks: better in 6, worse in 7, \
         the same in 0 of 13 blocks. Look at the later blocks before you choose a template."
    );
    // Of numbers the mean decides, and the strip names the blocks for the verdict first.
    let number = RunValue::Number;
    let blocks = (1..=13).map(|at| match at {
        1..=6 => block(at, number(1.0), number(9.0)),
        _ => block(at, number(1.0), number(0.9)),
    });
    let (verdict, _, statistics) = judged(blocks.collect(), &facts(13));
    assert_eq!(verdict, Verdict::Better);
    assert!(statistics.totals()[2].contains("BETTER (6 to 7; 6 to 0 was enough)"));
}

#[test]
fn no_meaningful_change_stays_when_later_blocks_differ() {
    let facts = ExperimentFacts {
        fixed: Some(11),
        ..facts(21)
    };
    let control = format!("{}{}", "o".repeat(11), "x".repeat(10));
    let mutated = format!("{}{}", "o".repeat(11), "o".repeat(10));
    let (verdict, text, _) = judged(strip(&control, &mutated), &facts);
    assert_eq!(verdict, Verdict::NoMeaningfulChange);
    assert!(text.contains("Later blocks weakened this"), "{text}");
    assert!(text.ends_with(sentence::WEAKENED), "{text}");
}
