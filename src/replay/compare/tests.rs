//! What holds for every comparison.

use proptest::prelude::*;

use super::testing::{original, replays};
use super::testing::{party, run};
use super::*;
use crate::model::{
    Arm, MetricValue, OwnMetric, PipelineId, RunConditions, RunKind, RunPlace, RunValue, SessionId,
    StartAnew,
};

fn of(a: Party, b: Party) -> Comparison {
    compare(Comparison::new(PipelineId("p".to_owned()), a, b), None)
}

fn marks() -> impl Strategy<Value = String> {
    "[PFEO-]{0,9}"
}

fn number(value: Option<MetricValue>) -> Option<f64> {
    match value? {
        MetricValue::Count(n) | MetricValue::Seconds(n) | MetricValue::Number(n) => Some(n),
        MetricValue::Outcome(_) => None,
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn the_order_of_the_runs_does_not_matter(
        a in marks(),
        rows in prop::collection::vec(marks(), 2..5),
        turn in 0_usize..5,
    ) {
        let rows: Vec<&str> = rows.iter().map(String::as_str).collect();
        let b = replays(&rows);
        let mut turned = b.clone();
        turned.runs.rotate_left(turn % rows.len());
        let (one, other) = (of(original(&a), b), of(original(&a), turned));
        prop_assert_eq!(one.metrics, other.metrics);
        prop_assert_eq!(one.verdict, other.verdict);
        prop_assert_eq!(one.verdict_text, other.verdict_text);
    }

    #[test]
    fn swapping_the_sides_negates_differences(
        a in prop::collection::vec(marks(), 1..4),
        b in prop::collection::vec(marks(), 2..4),
    ) {
        let rows = |rows: &[String]| replays(&rows.iter().map(String::as_str).collect::<Vec<_>>());
        let (a, b) = (rows(&a), rows(&b));
        let (there, back) = (of(a.clone(), b.clone()), of(b, a));
        for metric in &there.metrics {
            let same = |one: &&crate::model::Metric| {
                one.name == metric.name && one.from_resume_point == metric.from_resume_point
            };
            let other = back.metrics.iter().find(same).unwrap();
            prop_assert_eq!((metric.a, metric.b), (other.b, other.a));
            prop_assert_eq!(number(metric.delta), number(other.delta).map(|n| 0.0 - n));
        }
    }

    #[test]
    fn every_work_stands_in_exactly_one_pair(a in marks(), b in prop::collection::vec(marks(), 1..4)) {
        let rows: Vec<&str> = b.iter().map(String::as_str).collect();
        let comparison = of(original(&a), replays(&rows));
        let held = |side: fn(&crate::model::Pair) -> &Vec<Option<crate::model::Work>>| {
            comparison.pairs.iter().flat_map(side).flatten().count()
        };
        let made = |runs: &[crate::model::Run]| runs.iter().map(|run| run.work.len()).sum::<usize>();
        prop_assert_eq!(held(|pair| &pair.a), made(&comparison.a.runs));
        prop_assert_eq!(held(|pair| &pair.b), made(&comparison.b.runs));
    }
}

/// A change of what is known of an experiment.
type Change = fn(&mut ExperimentFacts);

/// An experiment whose control always fails and whose mutated arm always passes, with these facts changed.
fn six_to_nothing(change: Change) -> Comparison {
    let side = |arm: Arm, marks: &str| {
        let runs = (1..=6).map(|block| {
            let mut one = run(RunKind::Replay, &format!("7-{}-{block}", arm.word()), marks);
            one.place = Some(RunPlace {
                experiment: SessionId("7".to_owned()),
                arm,
                block,
            });
            one
        });
        party(arm.word(), runs.collect())
    };
    let (a, b) = (side(Arm::Control, "F"), side(Arm::Mutated, "P"));
    let mut facts = six_to_nothing_facts();
    change(&mut facts);
    compare(
        Comparison::new(PipelineId("p".to_owned()), a, b),
        Some(facts),
    )
}

fn six_to_nothing_facts() -> ExperimentFacts {
    ExperimentFacts {
        pipeline: PipelineId("p".to_owned()),
        id: SessionId("7".to_owned()),
        planned: 6,
        fixed: Some(6),
        primary: None,
        primaries: 1,
        others: Vec::new(),
        earlier: Vec::new(),
        left_out: 0,
        disturbed: 0,
        deleted: Vec::new(),
        unswapped: 0,
        confounders: Vec::new(),
        no_evidence: None,
        at_least: 0,
        unmeasured: 0,
        running: 0,
        original: None,
        unjudged: None,
        anew: Some(StartAnew {
            options: "relight replay p --mutate a.md=/b.md --repeat 10 --fresh".to_owned(),
            runner: " -- agent --quick".to_owned(),
        }),
    }
}

#[test]
fn the_stub_runner_is_named_first_and_once() {
    let mut compared = six_to_nothing(|_| {});
    assert_eq!(compared.verdict_text.title(compared.verdict), "better");
    for run in compared.a.runs.iter_mut().chain(&mut compared.b.runs) {
        run.conditions = Some(RunConditions {
            is_stub: true,
            ..RunConditions::default()
        });
        run.confounders = vec![STUB_SAYS_NOTHING.into(), "Another day.".into()];
    }
    let facts = six_to_nothing_facts();
    let gathered = Comparison::new(PipelineId("p".to_owned()), compared.a, compared.b);
    let compared = compare(gathered, Some(facts));
    assert_eq!(compared.verdict, ComparisonVerdict::Better);
    let title = compared.verdict_text.title(compared.verdict);
    assert_eq!(title, "no evidence (better)");
    let text = compared.verdict_text.whole();
    assert!(text.lossy().starts_with(STUB_SAYS_NOTHING), "{text:?}");
    assert_eq!(
        compared.notes,
        [crate::model::Foreign::from("Another day.")]
    );
}

/// Blocks are added for all metrics that decide: whoever follows any advice has enough for each of them.
#[test]
fn every_metric_that_decides_advises_the_blocks_that_all_of_them_need() {
    let metric = |name: &str| OwnMetric {
        name: name.to_owned(),
        command: vec!["wc".to_owned()],
        lower_is_better: false,
        margin: None,
        primary: true,
    };
    // By the first metric every block is a win, by the second every other one a loss.
    let side = |arm: Arm, blocks: usize| {
        let runs = (1..=blocks).map(|block| {
            let name = format!("7-{}-{block}", arm.word());
            let mut one = run(RunKind::Replay, &name, "P");
            one.place = Some(RunPlace {
                experiment: SessionId("7".to_owned()),
                arm,
                block,
            });
            let won = f64::from(u8::from(arm == Arm::Mutated));
            let second = if block % 2 == 0 { won } else { -won };
            let values = [("first", won), ("second", second)];
            let values = values.map(|(name, value)| (name.to_owned(), RunValue::Number(value)));
            one.measured = values.to_vec();
            one
        });
        party(arm.word(), runs.collect())
    };
    for (blocks, adds) in [(1, 11), (4, 12), (8, 15)] {
        let facts = ExperimentFacts {
            planned: u32::try_from(blocks).unwrap(),
            fixed: None,
            primary: Some(metric("first")),
            primaries: 2,
            others: vec![metric("second")],
            ..six_to_nothing_facts()
        };
        let (a, b) = (side(Arm::Control, blocks), side(Arm::Mutated, blocks));
        let gathered = Comparison::new(PipelineId("p".to_owned()), a, b);
        let compared = compare(gathered, Some(facts));
        let mut texts = vec![&compared.verdict_text];
        texts.extend(compared.others.iter().map(|one| &one.text));
        // One that has a verdict needs nothing more.
        texts.retain(|text| text.adds.is_some());
        assert_eq!(texts.len(), if blocks == 8 { 1 } else { 2 }, "{texts:?}");
        for text in texts {
            assert_eq!(text.adds, Some(adds), "{text:?}");
            assert!(text.whole().lossy().contains(&format!(" --repeat +{adds}")));
        }
    }
}

#[test]
fn the_strip_names_better_or_worse_only_where_that_is_the_verdict() {
    use ComparisonVerdict::{Better, Confounded, NotJudged};
    let table: [(Change, ComparisonVerdict); 3] = [
        (|_| {}, Better),
        (
            |facts| facts.confounders = vec!["Another runner.".into()],
            Confounded,
        ),
        (
            |facts| facts.unjudged = Some("A pool is a view.".to_owned()),
            NotJudged,
        ),
    ];
    for (change, expected) in table {
        let compared = six_to_nothing(change);
        assert_eq!(compared.verdict, expected);
        let statistics = compared.statistics.unwrap();
        let [.., last] = statistics.totals();
        assert_eq!(last.contains("BETTER"), expected == Better, "{last}");
        assert_eq!(statistics.decided_at.is_some(), expected == Better);
    }
}

#[test]
fn nothing_differs_only_where_no_pair_does() {
    let table = [
        (["P", "P", "P"], "No difference was found"),
        (["P", "P", "F"], "1 of 1 pair came out differently."),
        (["F", "F", "F"], "1 of 1 pair came out differently."),
    ];
    for (rows, expected) in table {
        let text = of(replays(&["P", "P", "P"]), replays(&rows)).verdict_text;
        let text = text.whole().lossy().into_owned();
        assert!(text.contains(expected), "{rows:?}: {text}");
    }
}
