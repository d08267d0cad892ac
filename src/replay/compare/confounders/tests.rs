use super::super::pairs::pairs;
use super::super::testing::{original, replays};
use super::*;
use crate::model::PointId;

fn found(a: &Party, b: &Party) -> Vec<String> {
    let found = all(a, b, &pairs(a, b));
    found.iter().map(|one| one.lossy().into_owned()).collect()
}

#[test]
fn a_fair_comparison_has_none() {
    assert!(found(&original("PPP"), &replays(&["PPP", "PFP"])).is_empty());
}

#[test]
fn what_differs_beside_the_template_is_named() {
    type Spoil = fn(&mut Party, &mut Party);
    let table: &[(Spoil, &str)] = &[
        (
            |_, b| b.runs[0].confounders = vec!["HEAD is another commit.".into()],
            "HEAD is another commit.",
        ),
        (
            |a, b| {
                a.runs[0].work[1].model = Some("opus".into());
                b.runs[0].work[1].model = Some("sonnet".into());
            },
            "The model is another one in 1 pair: opus in side A, sonnet in side B.",
        ),
        (
            |_, b| b.runs[1].start = Some((PointId("wave-2".to_owned()), 1)),
            "The replays begin at several boundaries: wave-1, wave-2.",
        ),
        (
            |_, b| {
                b.runs[0].mutations = vec!["a.md -> b.md".into()];
                b.runs[0].work[0].mutation = Some("a.md -> b.md".into());
            },
            "The runs of side B did not all replace the same templates.",
        ),
        (
            |_, b| {
                for run in &mut b.runs {
                    run.mutations = vec!["a.md -> b.md".into()];
                }
                b.runs[0].work[0].mutation = Some("a.md -> b.md".into());
            },
            "No dispatch of 1775431900-2 was written with a.md -> b.md, which its session records.",
        ),
        (
            |_, b| b.runs[0].work[0].mutation = Some("a.md -> c.md".into()),
            "A dispatch of 1775431900-1 was written with a.md -> c.md, which its session does not record.",
        ),
        (
            |a, _| {
                a.runs[0].unfinished = true;
                a.runs[0].work[0].status = WorkStatus::Open;
            },
            "1 run of side A has not ended: 1 dispatch is open.",
        ),
    ];
    for (spoil, expected) in table {
        let (mut a, mut b) = (original("PPP"), replays(&["PPP", "PPP"]));
        spoil(&mut a, &mut b);
        assert_eq!(found(&a, &b), [*expected]);
    }
}

#[test]
fn a_model_that_is_known_on_one_side_only_says_nothing() {
    let (mut a, b) = (original("PPP"), replays(&["PPP"]));
    a.runs[0].work[0].model = Some("opus".into());
    assert!(found(&a, &b).is_empty());
}

#[test]
fn what_several_runs_bring_is_said_once() {
    let (a, mut b) = (original("PPP"), replays(&["PPP", "PPP"]));
    for run in &mut b.runs {
        run.confounders = vec!["No template is pinned.".into()];
    }
    assert_eq!(found(&a, &b).len(), 1);
}

#[test]
fn whatever_the_runs_were_not_all_run_with_alike_is_named() {
    for name in [
        "runner",
        "model mapping",
        "limits",
        "jobs",
        "setup",
        "checkpoint",
        "template pin",
        "sandbox",
    ] {
        let with = |value: &str| {
            Some(crate::model::RunConditions {
                settings: vec![(name, value.into())],
                ..crate::model::RunConditions::default()
            })
        };
        let (mut a, mut b) = (replays(&["PPP"]), replays(&["PPP"]));
        a.runs[0].conditions = with("this");
        b.runs[0].conditions = with("this");
        assert!(found(&a, &b).is_empty(), "{name}");
        b.runs[0].conditions = with("that");
        let expected =
            format!("The {name} is not the same in all runs: this in side A, that in side B.");
        assert_eq!(found(&a, &b), [expected]);
    }
    let (a, mut b) = (replays(&["PPP"]), replays(&["PPP"]));
    b.runs[0].conditions = Some(crate::model::RunConditions {
        kept_paths: Some("2 paths stay as they are (--keep-paths).".into()),
        ..crate::model::RunConditions::default()
    });
    assert_eq!(found(&a, &b), ["2 paths stay as they are (--keep-paths)."]);
}
