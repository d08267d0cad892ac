//! A synthetic comparison: nine pairs in every bucket, five repeats, confounders, files.

use super::blocks::statistics;
use super::{replays, stamp};
use crate::model::*;

fn swap() -> TemplateSwap {
    TemplateSwap {
        mutation: Mutation {
            original: "red-team-prompt.md".into(),
            replacement: "/home/ada/rt-v2.md".into(),
        },
        template: Some(b"Look for it first.\n".to_vec()),
        template_from: "skills/red-team/red-team-prompt.md at 3fa91c02".into(),
        replacement: b"Attack it first.\n".to_vec(),
        dispatches: 2,
    }
}

struct Row(
    &'static str,
    &'static str,
    &'static str,
    WorkStatus,
    WorkStatus,
    Bucket,
    u64,
    u64,
);

const ROWS: &[Row] = &[
    Row(
        "4",
        "planner",
        "2",
        WorkStatus::Completed,
        WorkStatus::Completed,
        Bucket::Unchanged,
        600,
        540,
    ),
    Row(
        "5",
        "red-team",
        "2",
        WorkStatus::Completed,
        WorkStatus::Completed,
        Bucket::Regressed,
        420,
        660,
    ),
    Row(
        "6",
        "implementer",
        "3",
        WorkStatus::Completed,
        WorkStatus::Failed,
        Bucket::Regressed,
        1_500,
        1_200,
    ),
    Row(
        "7",
        "implementer",
        "3",
        WorkStatus::Failed,
        WorkStatus::Completed,
        Bucket::Fixed,
        1_260,
        1_300,
    ),
    Row(
        "8",
        "reviewer",
        "3",
        WorkStatus::Completed,
        WorkStatus::Error,
        Bucket::NoAnswer,
        300,
        1_800,
    ),
    Row(
        "9",
        "implementer",
        "3",
        WorkStatus::Completed,
        WorkStatus::Skipped,
        Bucket::NotReplayed,
        900,
        0,
    ),
    Row(
        "10",
        "red-team",
        "4",
        WorkStatus::Completed,
        WorkStatus::Completed,
        Bucket::Unchanged,
        480,
        480,
    ),
    Row(
        "11",
        "inquisitor",
        "4",
        WorkStatus::Failed,
        WorkStatus::Failed,
        Bucket::StillFailing,
        360,
        330,
    ),
    Row(
        "n1",
        "fix-agent",
        "4",
        WorkStatus::Open,
        WorkStatus::Completed,
        Bucket::New,
        0,
        700,
    ),
];

fn work(row: &Row, status: WorkStatus, duration: u64, replay: bool) -> Work {
    let red = row.1 == "red-team";
    let summary = match status {
        WorkStatus::Failed => "FAIL: two tests of the cache do not pass",
        WorkStatus::Error => "stopped after 30m \u{1b}[2J\u{202e}日本語",
        _ if row.0 == "5" && replay => "FAIL: three attacks on the cache succeed",
        _ => "PASS: no open findings",
    };
    Work {
        key: row.0.to_owned(),
        new: row.5 == Bucket::New,
        seq: row.0.parse().ok(),
        role: row.1.into(),
        template: Some(row.1.into()),
        phase: row.2.into(),
        status,
        verdict: if status == WorkStatus::Failed || (row.0 == "5" && replay) {
            TestOutcome::Fail
        } else {
            TestOutcome::Pass
        },
        duration_s: Some(duration),
        begun_at: Some(stamp(3_600)),
        summary: Some(summary.into()),
        dispatch: Some(format!("/tmp/crucible/{}.md", row.0).into()),
        output: replay.then(|| format!("/state/outputs/{}.txt", row.0).into()),
        mutation: (red && replay).then(|| "red-team-prompt.md -> rt-v2.md".into()),
        model: Some("opus".into()),
        ..Work::default()
    }
}

fn run(name: &str, kind: RunKind) -> Run {
    let replay = kind == RunKind::Replay;
    Run {
        name: name.to_owned(),
        kind,
        title: "a run".into(),
        session: replay.then(|| SessionId(name.to_owned())),
        start: replay.then(|| (PointId("phase-2".to_owned()), 4)),
        mutations: if replay {
            vec!["red-team-prompt.md -> rt-v2.md".into()]
        } else {
            Vec::new()
        },
        started_at: Some(stamp(7_200)),
        ..Run::default()
    }
}

fn pair(row: &Row, runs: usize) -> Pair {
    let a = (row.5 != Bucket::New).then(|| work(row, row.3, row.6, false));
    let b = (0..runs).map(|run| {
        // One run of several goes another way.
        let status = if run == 1 && row.5 == Bucket::Regressed {
            WorkStatus::Completed
        } else {
            row.4
        };
        (row.5 != Bucket::NotReplayed).then(|| work(row, status, row.7 + run as u64 * 30, true))
    });
    Pair {
        key: row.0.to_owned(),
        role: row.1.into(),
        phase: row.2.into(),
        a: vec![a],
        b: b.collect(),
        bucket: (runs < 2 || matches!(row.5, Bucket::NotReplayed | Bucket::New | Bucket::NoAnswer))
            .then_some(row.5),
        differs: row.5 != Bucket::Unchanged,
        review: false,
        verdict_changed: row.1 == "red-team" && row.0 == "5",
    }
}

fn metrics() -> Vec<Metric> {
    let metric = |name: &str, from, a: Option<MetricValue>, b: Option<MetricValue>| {
        let delta = match (a, b) {
            (Some(MetricValue::Count(a)), Some(MetricValue::Count(b))) => {
                Some(MetricValue::Count(b - a))
            }
            (Some(MetricValue::Seconds(a)), Some(MetricValue::Seconds(b))) => {
                Some(MetricValue::Seconds(b - a))
            }
            _ => None,
        };
        Metric {
            name: name.to_owned(),
            from_resume_point: from,
            a,
            b,
            delta,
            mixed: [None, None],
        }
    };
    let count = |number: f64| Some(MetricValue::Count(number));
    let seconds = |number: f64| Some(MetricValue::Seconds(number));
    let mut all = Vec::new();
    for from in [false, true] {
        all.extend([
            metric(
                "dispatches",
                from,
                count(if from { 9.0 } else { 12.0 }),
                count(9.0),
            ),
            metric("dispatches of phase 3", from, count(4.0), count(3.0)),
            metric("gate rounds", from, count(4.0), count(2.0)),
            metric("wall clock", from, seconds(8_460.0), seconds(7_010.0)),
            metric(
                "acceptance tests",
                from,
                Some(MetricValue::Outcome(TestOutcome::Pass)),
                Some(MetricValue::Outcome(TestOutcome::Fail)),
            ),
            metric("tokens", from, None, count(81_000.0)),
        ]);
    }
    all
}

fn artifacts() -> Artifacts {
    let file = |path: &str, change, insertions, deletions| Artifact {
        path: path.into(),
        change,
        from: None,
        forms: crate::model::Forms::default(),
        insertions,
        deletions,
    };
    Artifacts {
        files: vec![
            file("src/cache.rs", ArtifactChange::Modified, Some(61), Some(30)),
            file(
                "src/日本語/\u{1b}[2Jprice.rs",
                ArtifactChange::Added,
                Some(27),
                Some(0),
            ),
            file("docs/old.md", ArtifactChange::Removed, Some(0), Some(1)),
            file("assets/logo.png", ArtifactChange::Modified, None, None),
        ],
        insertions: 88,
        deletions: 31,
        between: "git diff 5f0c9e2d..3fa91c02".into(),
        unmeasured: 1,
    }
}

/// Two sides; a group of replays has five runs. Sides that are no experiment have neither statistics nor templates.
pub(super) fn comparison(a: Option<&str>, b: Option<&str>) -> Comparison {
    let group = [a, b].contains(&Some("1795255200"));
    let runs = if group { 5 } else { 1 };
    let recovery =
        a.is_some_and(|a| a.starts_with("before")) || a.is_some_and(|a| a.starts_with("after"));
    let b_name = b.unwrap_or("1795248000");
    let runs_of_b = (1..=runs).map(|run_of| {
        let name = if group {
            format!("{b_name}-{run_of}")
        } else {
            b_name.to_owned()
        };
        run(&name, RunKind::Replay)
    });
    let ten = || statistics("1795255200", "xxxxxoxxxx", "ooooxxxxxo");
    let statistics = group.then(ten);
    Comparison {
        pipeline: replays::id(),
        a: Party {
            name: a.unwrap_or("original").to_owned(),
            title: "the run itself".into(),
            runs: vec![run("original", RunKind::Original)],
        },
        b: Party {
            name: b_name.to_owned(),
            title: "replays with red-team-prompt.md -> rt-v2.md".into(),
            runs: runs_of_b.collect(),
        },
        original: None,
        notes: Vec::new(),
        templates: if recovery { Vec::new() } else { vec![swap()] },
        metrics: metrics(),
        pairs: if recovery {
            Vec::new()
        } else {
            ROWS.iter().map(|row| pair(row, runs)).collect()
        },
        judged_by: None,
        beside: crate::model::Beside::default(),
        others: Vec::new(),
        divergence: (!recovery).then_some(1),
        artifacts: Some(artifacts()),
        statistics,
        verdict: match (recovery, group) {
            (false, true) => ComparisonVerdict::Undecided,
            (true, _) | (false, false) => ComparisonVerdict::NotJudged,
        },
        verdict_text: if group {
            VerdictText {
                no_evidence: None,
                sentences: "Better in 5, worse in 1, the same in 4 of 10 blocks. 5 more wins without a loss would decide. \
                            Add 5 blocks"
                    .into(),
                lead: None,
                command: Some(crate::foreign!(
                    "relight replay {} --continue 1795255200 --repeat +5",
                    replays::id().0
                )),
                adds: Some(5),
            }
        } else {
            "A single run on each side: 1 pair regressed and 1 was fixed, which says nothing about which is better.".into()
        },
        confounders: if recovery {
            Vec::new()
        } else {
            vec![
                "The template red-team-prompt.md was changed after the original run began, and no commit of it is pinned."
                    .into(),
                "The original ran on opus; the replay does not say which model it used.".into(),
                "The replay began at another commit of the branch: \u{1b}[2J3fa91c02 instead of 5f0c9e2d.".into(),
            ]
        },
        skipped: vec!["/state/outputs/8.txt is not there.".into()],
    }
}

/// Two texts of it.
pub(super) fn sides(comparison: &Comparison, what: Compared) -> crate::model::Sides {
    let of = |swap: Option<&TemplateSwap>| {
        let swap = swap.cloned();
        let before = swap.as_ref().and_then(|swap| swap.template.clone());
        (before, swap.map(|swap| swap.replacement))
    };
    let (before, after) = match what {
        Compared::Template(place) => of(comparison.templates.get(place)),
        _ => (
            Some(b"PASS\nno open findings\n".to_vec()),
            Some("FAIL\ntwo tests do not pass, 日本 \u{1b}[2J\n".into()),
        ),
    };
    crate::model::Sides {
        before,
        after,
        title: format!("{what:?}").into(),
        forms: crate::model::Forms::default(),
    }
}
