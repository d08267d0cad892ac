//! Synthetic comparison for tests.

use crate::cli::prelude::*;
use crate::model::{
    Artifact, ArtifactChange, Artifacts, Block, BlockTally, Bucket, ComparisonVerdict, Metric,
    MetricValue, Mutation, Pair, Party, Run, RunKind, RunValue, SessionId, Sign, Statistics,
    TemplateSwap, TestOutcome, Work, WorkStatus,
};

fn work(key: &str, status: WorkStatus, verdict: TestOutcome, summary: &str) -> Work {
    Work {
        key: key.to_owned(),
        seq: key.parse().ok(),
        role: "red-team".into(),
        phase: "3".into(),
        status,
        verdict,
        duration_s: Some(150),
        summary: Some(summary.into()),
        ..Work::default()
    }
}

fn run(name: &str, kind: RunKind) -> Run {
    Run {
        name: name.to_owned(),
        kind,
        title: "a run".into(),
        outcome: TestOutcome::Pass,
        ..Run::default()
    }
}

fn party(name: &str, title: &str, kind: RunKind, runs: usize) -> Party {
    Party {
        name: name.to_owned(),
        title: title.into(),
        runs: (0..runs).map(|_| run(name, kind)).collect(),
    }
}

/// A regressed pair with a summary that would move a terminal's cursor, and one that two of three runs answer.
fn pairs(unchanged: usize) -> Vec<Pair> {
    use TestOutcome::{Fail, Pass, Unknown};
    use WorkStatus::{Completed, Error};
    let pair = |key: &str, a, b: Vec<Option<Work>>, bucket| Pair {
        key: key.to_owned(),
        role: "red-team".into(),
        phase: "3".into(),
        a: vec![a],
        // Of several runs only what one side does not have has a word.
        bucket: (b.len() == 1 || bucket == Bucket::NotReplayed).then_some(bucket),
        b,
        differs: bucket != Bucket::Unchanged,
        review: false,
        verdict_changed: bucket == Bucket::Regressed,
    };
    let work =
        |key: &str, status, verdict, summary: &str| Some(work(key, status, verdict, summary));
    let good = |key: &str| work(key, Completed, Unknown, "done");
    let mut pairs: Vec<Pair> = (1..=unchanged)
        .map(|at| {
            let key = at.to_string();
            pair(&key, good(&key), vec![good(&key); 3], Bucket::Unchanged)
        })
        .collect();
    pairs.push(pair(
        "90",
        work("90", Completed, Pass, "PASS: no open findings"),
        vec![work("90", Completed, Fail, "FAIL:\x1b[2J 4 findings")],
        Bucket::Regressed,
    ));
    pairs.push(pair(
        "91",
        good("91"),
        vec![good("91"), good("91"), work("91", Error, Unknown, "killed")],
        Bucket::Unchanged,
    ));
    pairs.push(pair("92", good("92"), vec![None; 3], Bucket::NotReplayed));
    pairs
}

/// Three repeats against the original, with this many unchanged pairs before the rest.
pub(super) fn comparison(unchanged: usize) -> Comparison {
    let metric = |name: &str, from, a, b, delta| Metric {
        name: name.to_owned(),
        from_resume_point: from,
        a,
        b,
        delta,
        mixed: [None, None],
    };
    let count = |number| Some(MetricValue::Count(number));
    Comparison {
        pipeline: PipelineId("crucible-17~27b5".to_owned()),
        a: party("original", "build 1775430161", RunKind::Original, 1),
        b: party("1775431900", "replay from wave-1", RunKind::Replay, 3),
        templates: vec![TemplateSwap {
            mutation: Mutation {
                original: "red-team-prompt.md".into(),
                replacement: PathBuf::from("/here/red-team-v2.md"),
            },
            template: None,
            template_from: "".into(),
            replacement: vec![],
            dispatches: 1,
        }],
        metrics: vec![
            metric("dispatches", false, count(9.0), count(3.0), count(-6.0)),
            metric("dispatches", true, count(3.0), count(3.0), count(0.0)),
            metric(
                "wall clock",
                false,
                Some(MetricValue::Seconds(8_460.0)),
                None,
                None,
            ),
        ],
        pairs: pairs(unchanged),
        judged_by: None,
        beside: crate::model::Beside::default(),
        others: Vec::new(),
        divergence: Some(unchanged),
        artifacts: Some(Artifacts {
            files: (0..14)
                .map(|at| Artifact {
                    path: format!("src/file-{at}.rs").into(),
                    change: ArtifactChange::Modified,
                    from: None,
                    forms: crate::model::Forms::default(),
                    insertions: Some(3),
                    deletions: (at > 0).then_some(1),
                })
                .collect(),
            insertions: 42,
            deletions: 13,
            between: "git diff 5f0c9e2d..3fa91c02".into(),
            unmeasured: 1,
        }),
        original: None,
        notes: vec!["The original ran on opus.".into()],
        statistics: Some(statistics()),
        verdict: ComparisonVerdict::Confounded,
        verdict_text:
            "1 of 3 pairs regressed, and a confounder stands, so that no more can be said.".into(),
        confounders: vec!["The templates are not pinned to a commit.".into()],
        skipped: vec!["/m/9-x.md could not be read: permission denied.".into()],
    }
}

/// Three blocks, one of them better.
fn statistics() -> Statistics {
    let (pass, fail) = (RunValue::Pass, RunValue::Fail);
    let rows = [
        (fail, pass, Sign::Win),
        (pass, pass, Sign::Tie),
        (fail, fail, Sign::Tie),
    ];
    let blocks = rows.into_iter().enumerate();
    Statistics {
        metric: "outcome".to_owned(),
        blocks: blocks
            .map(|(at, (control, mutated, sign))| Block {
                experiment: SessionId("1775431900".to_owned()),
                number: at + 1,
                control_run: Some(at),
                mutated_run: Some(at),
                control,
                mutated,
                sign: Some(sign),
            })
            .collect(),
        tally: BlockTally {
            wins: 1,
            losses: 0,
            ties: 2,
        },
        evidence: 1.0,
        enough: 20.0,
        decided_at: None,
        equal_at: None,
        passed: Some([(1, 3), (2, 3)]),
        missing: [0, 0],
        numbers: None,
        interval: None,
        can_show: Some(None),
        planned: 3,
        earlier: 0,
        left_out: 0,
        unreachable: false,
        lacking: 0,
    }
}
