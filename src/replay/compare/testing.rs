//! Synthetic runs for the tests of comparing.

use crate::model::{
    Dispatch, DispatchStatus, Experiment, Foreign, Origin, Party, PointId, Run, RunKind, SessionId,
    Stamp, Work, WorkStatus,
};

/// A dispatch of the original run, completed, that began at minute `seq` and took as many seconds.
pub(in crate::replay) fn dispatch(seq: u64, role: &str, phase: &str, summary: &str) -> Dispatch {
    Dispatch {
        seq,
        file: format!("{seq}-build-{role}.md").into(),
        template: format!("build-{role}").into(),
        role: role.into(),
        phase: phase.into(),
        task: None,
        status: DispatchStatus::Completed,
        duration_s: Some(seq),
        summary: Some(summary.into()),
        input_chars: None,
        output_chars: None,
        tool_calls: None,
        model_tier: Some("opus".into()),
        model: None,
        begun_at: Stamp::from_unix(i64::try_from(seq * 60).unwrap()),
        path: None,
        output: None,
        wave: None,
        replay_of: None,
        session: None,
        mutation: None,
        origin: Origin::line("/m/manifest.jsonl", seq),
    }
}

/// The same as a replay.
pub(in crate::replay) fn replayed(mut one: Dispatch, of: Option<u64>, session: &str) -> Dispatch {
    one.replay_of = of;
    one.session = Some(SessionId(session.to_owned()));
    one
}

/// A pipeline with these dispatches.
pub(in crate::replay) fn experiment(dispatches: Vec<Dispatch>) -> Experiment {
    Experiment {
        session: "1775430161".into(),
        skill: "build".into(),
        manifest: "/m/manifest.jsonl".into(),
        dispatch_dir: None,
        scratch_dir: None,
        started_at: None,
        work_tree: None,
        branch: None,
        baseline: None,
        end: None,
        dispatches,
        starts: Vec::new(),
        plugin_templates: Vec::new(),
    }
}

/// Work that pairs by its key; the rest is as it likes.
pub(in crate::replay) fn work(key: &str, status: WorkStatus, summary: &str) -> Work {
    Work {
        key: key.to_owned(),
        new: key.starts_with('+'),
        seq: key.trim_start_matches('+').parse().ok(),
        role: "implementer".into(),
        phase: "3".into(),
        status,
        verdict: super::reported_outcome::verdict(summary.as_bytes()),
        duration_s: Some(60),
        summary: Some(summary.into()),
        ..Work::default()
    }
}

/// `P` passed, `F` failed, `E` error, `O` open, `S` skipped, `-` not there: one for each key from 1 on.
pub(in crate::replay) fn run(kind: RunKind, name: &str, marks: &str) -> Run {
    let work = marks.chars().enumerate().filter_map(|(at, mark)| {
        let (status, summary) = match mark {
            'P' => (WorkStatus::Completed, "PASS"),
            'F' => (WorkStatus::Completed, "FAIL"),
            'E' => (WorkStatus::Error, "timed out"),
            'O' => (WorkStatus::Open, ""),
            'S' => (WorkStatus::Skipped, ""),
            _ => return None,
        };
        Some(work(&(at + 1).to_string(), status, summary))
    });
    Run {
        name: name.to_owned(),
        kind,
        title: name.into(),
        session: (kind == RunKind::Replay).then(|| SessionId(name.to_owned())),
        start: (kind == RunKind::Replay).then(|| (PointId("wave-1".to_owned()), 1)),
        work: work.collect(),
        ..Run::default()
    }
}

/// The original with these marks.
pub(in crate::replay) fn original(marks: &str) -> Party {
    party("original", vec![run(RunKind::Original, "original", marks)])
}

/// Replays, one for each row of marks.
pub(in crate::replay) fn replays(rows: &[&str]) -> Party {
    let runs = rows.iter().enumerate();
    let runs =
        runs.map(|(at, marks)| run(RunKind::Replay, &format!("1775431900-{}", at + 1), marks));
    party("1775431900", runs.collect())
}

/// A party.
pub(in crate::replay) fn party(name: &str, runs: Vec<Run>) -> Party {
    Party {
        name: name.to_owned(),
        title: Foreign::from(name),
        runs,
    }
}
