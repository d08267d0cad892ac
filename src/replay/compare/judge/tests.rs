use super::super::testing::{original, party, replays, run};
use super::super::{Inputs, compare};
use crate::model::{
    Artifact, ArtifactChange, Artifacts, Comparison, ComparisonVerdict as Verdict, Party,
    PipelineId, RunKind,
};

fn compared(a: Party, b: Party) -> Comparison {
    with_files(a, b, None)
}

fn with_files(a: Party, b: Party, artifacts: Option<Artifacts>) -> Comparison {
    compare(Inputs {
        pipeline: PipelineId("crucible-1775430161~ab12".to_owned()),
        a,
        b,
        templates: Vec::new(),
        artifacts,
        skipped: Vec::new(),
    })
}

#[test]
fn the_verdict_says_no_more_than_the_pairs_bear() {
    use Verdict::{Better, NoMeaningfulChange, Same, Undecided, Unfinished, Worse};
    let table: &[(&str, &[&str], Verdict)] = &[
        // One run: the same, or nothing can be said, however clear it looks.
        ("PPPPPP", &["PPPPPP"], Same),
        ("FFFFFF", &["PPPPPP"], Undecided),
        // Six pairs and three runs are enough where all of them point one way.
        ("FFFFFF", &["PPPPPP"; 3], Better),
        ("PPPPPP", &["FFFFFF"; 3], Worse),
        ("FFFFFFPP", &["PPPPPPPP"; 3], Better),
        // Too few runs, too few pairs, too likely by chance.
        ("FFFFFF", &["PPPPPP"; 2], Undecided),
        ("FFFFF", &["PPPPP"; 9], Undecided),
        ("FFPPPPPPP", &["PPPPPPPPP"; 5], Undecided),
        ("FFFFFFPP", &["PPPPPEEP", "PPPPEEPP", "EEPPPPPP"], Better),
        ("FFFFFF", &["EEEEEE"; 5], Undecided),
        // Nothing differs: enough answers narrow what could.
        ("PPPPPPPPP", &["PPPPPPPPP"; 5], NoMeaningfulChange),
        ("PPPPPP", &["PPPPPP"; 3], Undecided),
        // Not run to an end.
        ("PPPPPP", &["PPPPPO"], Unfinished),
        ("FFFFFF", &["PPPPPP", "PPPPPO", "PPPPPP"], Unfinished),
    ];
    for (a, b, expected) in table {
        let mut b = replays(b);
        for run in &mut b.runs {
            run.unfinished = run.work.iter().any(|one| one.status.word() == "open");
        }
        let comparison = compared(original(a), b);
        let text = comparison.verdict_text.lossy().into_owned();
        assert_eq!(comparison.verdict, *expected, "{a}: {text}");
        let spoken = [text.contains("better"), text.contains("worse")];
        assert_eq!(spoken, [*expected == Better, *expected == Worse], "{text}");
    }
}

#[test]
fn a_confounder_or_a_missing_pair_withholds_the_word() {
    let mut confounded = replays(&["PPPPPP"; 3]);
    confounded.runs[1].confounders = vec!["The template is newer than the run.".into()];
    let comparison = compared(original("FFFFFF"), confounded);
    assert_eq!(comparison.verdict, Verdict::Confounded);
    let text = comparison.verdict_text.lossy().into_owned();
    assert!(
        text.starts_with("The difference cannot be put down to the template: 1 confounder stands."),
        "{text}"
    );

    for b in ["PPPPPP-", "PPPPPPPP"] {
        let comparison = compared(original("FFFFFFP"), replays(&[b; 3]));
        assert_eq!(comparison.verdict, Verdict::Confounded, "{b}");
        let text = comparison.verdict_text.lossy().into_owned();
        assert!(text.contains("template: 1 dispatch has no pair."), "{text}");
    }
}

#[test]
fn what_lies_before_the_resume_point_needs_no_pair() {
    let mut b = replays(&["--PPPPPP"; 3]);
    for run in &mut b.runs {
        run.start.as_mut().unwrap().1 = 3;
    }
    let comparison = compared(original("PPFFFFFF"), b);
    assert_eq!(comparison.verdict, Verdict::Better);
    assert_eq!(
        comparison.verdict_text.lossy(),
        "B is better over 3 runs. 0 of 6 pairs succeed in both; 0 regressed, 6 fixed. \
         Success +100 points (95 %: +85 to +100), p = 0.031. Time 0 % (95 %: 0 to 0), p = 1.00."
    );
}

#[test]
fn the_sentences_carry_their_figures() {
    let table: &[(&str, &[&str], &str)] = &[
        (
            "PPPPPPPFF",
            &["PPPPPPPPP"],
            "One run cannot tell noise from effect; --repeat 5 gives five. 7 of 9 pairs succeed in \
             both; 0 regressed, 2 fixed.",
        ),
        (
            "PP",
            &["PP"],
            "Nothing differs: 2 pairs ended alike, and the files could not be compared.",
        ),
        (
            "FFFFF",
            &["PPPPP"; 3],
            "Too few pairs to say: 5 pairs have an answer on both sides, and 6 are needed however \
             often it is run. 0 of 5 pairs succeed in both; 0 regressed, 5 fixed. Success +100 points \
             (95 %: +82 to +100), p = 0.062. Time 0 % (95 %: 0 to 0), p = 1.00.",
        ),
        (
            "PPPPPPPFF",
            &["PPPPPPPPP"; 5],
            "This may be chance. About 18 runs would be needed to tell. 7 of 9 pairs succeed in \
             both; 0 regressed, 2 fixed. Success +22 points (95 %: 0 to +56), p = 0.50. Time 0 % (95 %: \
             0 to 0), p = 1.00.",
        ),
        (
            "PF",
            &["EE"; 3],
            "Nothing can be said. No pair has an answer on both sides: 2 without an answer.",
        ),
    ];
    for (a, b, expected) in table {
        let comparison = compared(original(a), replays(b));
        assert_eq!(comparison.verdict_text.lossy(), *expected);
    }
}

#[test]
fn sides_that_are_no_experiment_are_the_same_or_different() {
    let round = |name: &str, marks: &str| party(name, vec![run(RunKind::Round, name, marks)]);
    let same = compared(round("round-1", "PPF"), round("round-2", "PPF"));
    assert_eq!(same.verdict, Verdict::Same);
    let other = compared(round("round-1", "PPF"), round("round-2", "PFF"));
    assert_eq!(other.verdict, Verdict::Different);
    assert_eq!(other.verdict_text.lossy(), "1 of 3 pieces of work differs.");
    let files = Artifacts {
        files: vec![Artifact {
            path: "a".into(),
            change: ArtifactChange::Modified,
            insertions: Some(1),
            deletions: Some(0),
        }],
        ..Artifacts::default()
    };
    let state = |name: &str, kind| party(name, vec![run(kind, name, "")]);
    let (before, after) = (state("before", RunKind::Before), state("r", RunKind::After));
    let touched = with_files(before.clone(), after.clone(), Some(files));
    assert_eq!(touched.verdict, Verdict::Different);
    assert_eq!(touched.verdict_text.lossy(), "1 file differs.");
    let untouched = with_files(before, after, Some(Artifacts::default()));
    assert_eq!(untouched.verdict, Verdict::Same);
}

#[test]
fn a_file_that_differs_is_a_difference_of_a_single_replay() {
    let files = Artifacts {
        files: vec![Artifact {
            path: "a".into(),
            change: ArtifactChange::Added,
            insertions: None,
            deletions: None,
        }],
        ..Artifacts::default()
    };
    let comparison = with_files(original("PP"), replays(&["PP"]), Some(files));
    assert_eq!(comparison.verdict, Verdict::Undecided);
}

#[test]
fn what_has_not_come_to_an_end_is_counted_in_its_own_words() {
    let open = |mut side: Party| {
        side.runs[0].unfinished = true;
        side
    };
    let round = |name: &str, marks: &str| party(name, vec![run(RunKind::Round, name, marks)]);
    let table = [
        (
            compared(original("PPF"), open(replays(&["POO"]))),
            "B has not come to an end: 2 dispatches are open, and figures may change. 1 of 1 pair \
             succeeds in both; 0 regressed, 0 fixed, 2 without an answer.",
        ),
        (
            compared(round("round-1", "PP-P"), open(round("round-2", "OPP"))),
            "B has not come to an end: 1 piece of work is open, and figures may change. 1 of 1 pair \
             succeeds in both; 0 regressed, 0 fixed, 1 without an answer, 1 in A alone, 1 in B alone.",
        ),
        (
            compared(original("P"), open(replays(&["-"]))),
            "B has not come to an end: something is still to be run, and figures may change. No pair \
             has an answer on both sides: 1 not replayed.",
        ),
    ];
    for (comparison, expected) in table {
        assert_eq!(comparison.verdict, Verdict::Unfinished);
        assert_eq!(comparison.verdict_text.lossy(), expected);
    }
}
