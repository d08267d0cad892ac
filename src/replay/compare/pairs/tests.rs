use super::super::testing::{original, party, replays, run, work};
use super::*;

#[test]
fn a_pair_lands_in_the_bucket_that_its_answers_make() {
    use Bucket::{Fixed, New, NoAnswer, NotReplayed, Regressed, StillFailing, Unchanged};
    // Marks of the runs of A and of B for one key. `None` where the runs are counted.
    let table: &[(&str, &str, Option<Bucket>)] = &[
        ("P", "P", Some(Unchanged)),
        ("P", "F", Some(Regressed)),
        ("F", "P", Some(Fixed)),
        ("F", "F", Some(StillFailing)),
        // Crashes, lost and skipped work say nothing.
        ("P", "E", Some(NoAnswer)),
        ("E", "P", Some(NoAnswer)),
        ("P", "O", Some(NoAnswer)),
        ("P", "S", Some(NoAnswer)),
        ("P", "-", Some(NotReplayed)),
        ("-", "P", Some(New)),
        // No word is true of each of several runs.
        ("P", "PPF", None),
        ("P", "PFF", None),
        ("PF", "PF", None),
        ("P", "PEE", None),
        ("P", "EEE", Some(NoAnswer)),
        ("PP", "---", Some(NotReplayed)),
    ];
    for (a, b, expected) in table {
        let runs = |marks: &str| {
            let each = marks
                .chars()
                .map(|mark| run(RunKind::Replay, "x", &mark.to_string()));
            party("x", each.collect())
        };
        let pairs = pairs(&runs(a), &runs(b));
        assert_eq!(pairs[0].bucket, *expected, "{a} {b}");
        assert_eq!(pairs[0].said(true).is_empty(), expected.is_none());
        assert_eq!(pairs[0].a.len(), a.len());
        assert_eq!(pairs[0].b.len(), b.len());
    }
}

#[test]
fn tests_succeed_only_where_they_say_that_they_passed() {
    let side = |marks: &str| {
        let runs = marks.chars().map(|mark| {
            let (status, summary) = match mark {
                'P' => (WorkStatus::Completed, "PASS"),
                'E' => (WorkStatus::Error, "timed out"),
                _ => (WorkStatus::Completed, "cargo is not installed"),
            };
            let mut tests = work("1", status, summary);
            tests.role = "test-runner".into();
            Run {
                work: vec![tests],
                ..run(RunKind::Replay, "x", "")
            }
        });
        party("x", runs.collect())
    };
    let table = [
        ("P", "?", Some(Bucket::Regressed), "0 of 1 ok"),
        ("?", "?", Some(Bucket::StillFailing), "0 of 1 ok"),
        ("?", "P", Some(Bucket::Fixed), "1 of 1 ok"),
        ("P", "P??", None, "1 of 3 ok"),
        ("P", "P?E", None, "1 of 3 ok"),
    ];
    for (a, b, bucket, counts) in table {
        let pairs = pairs(&side(a), &side(b));
        let pair = &pairs[0];
        assert_eq!(pair.bucket, bucket, "{a} {b}");
        assert_eq!(pair.counts(&pair.b).as_deref(), Some(counts), "{a} {b}");
        assert_eq!(pair.differs, a != "P" || b != "P", "{a} {b}");
    }
}

#[test]
fn rows_keep_the_order_of_a_and_new_work_follows_its_phase() {
    let mut a = original("PPPP");
    for (one, phase) in a.runs[0].work.iter_mut().zip(["2", "3", "3", "4"]) {
        one.phase = phase.into();
    }
    let mut b = replays(&["-PPP"]);
    for (phase, key) in [("3", "+5"), ("9", "+6"), ("3", "+7"), ("2", "+8")] {
        let mut new = work(key, WorkStatus::Completed, "x");
        new.phase = phase.into();
        b.runs[0].work.insert(0, new);
    }
    let pairs = pairs(&a, &b);
    let keys: Vec<_> = pairs.iter().map(|pair| pair.key.as_str()).collect();
    assert_eq!(keys, ["1", "+8", "2", "3", "+7", "+5", "4", "+6"]);
}

#[test]
fn the_first_divergence_is_the_first_row_that_ended_otherwise() {
    /// A's ends, those of B's runs, the first that was to be replayed, the row.
    type Row<'a> = (&'a str, &'a [&'a str], Option<u64>, Option<usize>);
    let table: &[Row<'_>] = &[
        ("PPP", &["PPP"], None, None),
        ("PPP", &["PFP"], None, Some(1)),
        ("PPP", &["PPE"], None, Some(2)),
        // What was never to be replayed parts nothing.
        ("PPP", &["-PP"], Some(2), None),
        ("PPP", &["-P-"], Some(2), Some(2)),
        ("PPP", &["PPP", "PPF", "PPP"], None, None),
        ("PPP", &["PPP", "PFP", "PFP"], None, Some(1)),
        ("PPP", &["PEP", "PPP", "PPP"], None, Some(1)),
    ];
    for (a, b, from, expected) in table {
        let pairs = pairs(&original(a), &replays(b));
        assert_eq!(divergence(&pairs, *from), *expected, "{a} {b:?}");
    }
}

#[test]
fn another_summary_parts_single_runs_and_not_repeats() {
    let mut b = replays(&["PP"]);
    b.runs[0].work[1].summary = Some("PASS, in other words".into());
    let single = pairs(&original("PP"), &b);
    assert_eq!(divergence(&single, None), Some(1));
    // Another outcome says more, wherever it is.
    let mut later = replays(&["PPF"]);
    later.runs[0].work[1].summary = Some("PASS, in other words".into());
    let later = pairs(&original("PPP"), &later);
    assert_eq!(divergence(&later, None), Some(2));
    b.runs.push(b.runs[0].clone());
    let repeated = pairs(&original("PP"), &b);
    assert_eq!(divergence(&repeated, None), None);
}

#[test]
fn what_is_still_open_has_an_answer_yet_to_come() {
    let table: &[(&str, &[&str], &str)] = &[
        ("P", &["O"], "still open"),
        ("O", &["P"], "still open"),
        ("P", &["EO"], "no answer"),
        ("P", &["E"], "no answer"),
        ("P", &["P"], "ok in both"),
    ];
    for (a, b, said) in table {
        let pairs = pairs(&original(a), &replays(b));
        assert_eq!(pairs[0].said(true), *said, "{a} {b:?}");
    }
}

#[test]
fn a_verdict_changes_only_where_both_sides_have_one() {
    let table: &[(&str, &[&str], bool)] = &[
        ("P", &["F"], true),
        ("P", &["P"], false),
        ("P", &["E"], false),
        ("P", &["F", "F", "P"], true),
        ("P", &["F", "P"], false),
        ("P", &["-"], false),
    ];
    for (a, b, expected) in table {
        let pairs = pairs(&original(a), &replays(b));
        assert_eq!(pairs[0].verdict_changed, *expected, "{a} {b:?}");
    }
}

#[test]
fn several_runs_are_counted_and_differ_where_most_of_them_do() {
    let table: &[(&str, &str, [Option<&str>; 2], bool)] = &[
        (
            "P",
            "PPFPFFP",
            [Some("1 of 1 ok"), Some("4 of 7 ok")],
            false,
        ),
        ("P", "PFF", [Some("1 of 1 ok"), Some("1 of 3 ok")], true),
        ("PFF", "PP", [Some("1 of 3 ok"), Some("2 of 2 ok")], true),
        // A tie of B is as A is, and what has no answer does not count.
        ("P", "PFE", [Some("1 of 1 ok"), Some("1 of 2 ok")], false),
        ("P", "EE", [Some("1 of 1 ok"), None], true),
    ];
    for (a, b, counts, differs) in table {
        let one = |marks: &str| {
            let each = marks
                .chars()
                .map(|mark| run(RunKind::Replay, "x", &mark.to_string()));
            party("x", each.collect())
        };
        let pair = pairs(&one(a), &one(b)).remove(0);
        let found = [pair.counts(&pair.a), pair.counts(&pair.b)];
        let found = found.each_ref().map(Option::as_deref);
        assert_eq!((found, pair.differs), (*counts, *differs), "{a} {b}");
    }
}

#[test]
fn what_a_review_finds_is_neither_fixed_nor_regressed() {
    let table = [
        ("F", "P", "FAIL → PASS", true),
        ("P", "F", "PASS → FAIL", true),
        ("F", "F", "FAIL → FAIL", false),
        ("F", "E", "no answer", true),
    ];
    for (a, b, said, differs) in table {
        let side = |marks| {
            let mut run = run(RunKind::Replay, "x", marks);
            run.work[0].role = "red-team".into();
            party("x", vec![run])
        };
        let pair = pairs(&side(a), &side(b)).remove(0);
        assert_eq!((pair.said(true).as_str(), pair.differs), (said, differs));
        assert_eq!(pair.bucket.is_none(), said != "no answer");
        assert!(pair.review);
    }
}

#[test]
fn reviews_are_counted_by_what_they_say() {
    let side = |marks: &str| {
        let runs = marks.chars().map(|mark| {
            let mut run = run(RunKind::Replay, "x", if mark == '?' { "P" } else { "F" });
            run.work[0].role = "reviewer".into();
            run.work[0].verdict = match mark {
                'P' => TestOutcome::Pass,
                'F' => TestOutcome::Fail,
                _ => TestOutcome::Unknown,
            };
            run
        });
        party("x", runs.collect())
    };
    let pair = pairs(&side("PF?"), &side("??")).remove(0);
    let found = [pair.counts(&pair.a), pair.counts(&pair.b)];
    let found = found.each_ref().map(Option::as_deref);
    assert_eq!(found, [Some("1 of 2 PASS"), Some("no verdict")]);
}
