//! Runs from dispatches: the original, and a replay of it. Pure.

use std::collections::HashMap;

use super::reported_outcome;
use crate::model::{
    Dispatch, DispatchStatus, Experiment, Foreign, PointId, Run, RunKind, RunTree, SessionId,
    TestOutcome, Usage, Work, WorkStatus,
};
use crate::text::distinct;

/// What is known of a replay's dispatches besides their lines.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Reported {
    /// The boundary it began at.
    pub start: Option<PointId>,
    /// What whole outputs say of pass or fail, by the dispatch's number.
    pub verdicts: HashMap<u64, TestOutcome>,
    /// Tokens and money, by the dispatch's number.
    pub usage: HashMap<u64, Usage>,
}

/// The original run: every dispatch that no replay session wrote, keyed by its number.
pub fn original(experiment: &Experiment, tree: RunTree) -> Run {
    let work = |one: &Dispatch| work(one, one.seq.to_string(), false);
    let work: Vec<Work> = experiment.original().map(work).collect();
    Run {
        name: "original".to_owned(),
        kind: RunKind::Original,
        title: "the original run".into(),
        session: Some(SessionId(experiment.session.lossy().into_owned())),
        started_at: experiment.started_at,
        outcome: acceptance(&work.iter().collect::<Vec<_>>()),
        unfinished: work.iter().any(|one| one.status == WorkStatus::Open),
        work,
        tree,
        ..Run::default()
    }
}

/// A replay: the dispatches of one session, each keyed by its original. `dispatches` may contain those of other
/// sessions, too, because a replay of a replay leads through them. If an original was replayed several times, the
/// newest is paired.
pub fn replay(
    experiment: &Experiment,
    dispatches: &[Dispatch],
    run: Run,
    reported: Reported,
) -> Run {
    let chains = Chains::new(experiment, dispatches);
    let mine = dispatches.iter().filter(|one| one.session == run.session);
    let mut mine: Vec<&Dispatch> = mine.collect();
    mine.sort_by_key(|one| one.seq);
    let roots: Vec<Option<u64>> = mine.iter().map(|one| chains.root(one)).collect();
    let work = mine.iter().zip(&roots).map(|(one, root)| {
        let key = root.map_or_else(|| format!("+{}", one.seq), |root| root.to_string());
        let said = work(one, key, root.is_none());
        Work {
            verdict: *reported.verdicts.get(&one.seq).unwrap_or(&said.verdict),
            usage: reported.usage.get(&one.seq).copied(),
            ..said
        }
    });
    let work: Vec<Work> = work.collect();
    let unfinished = run.unfinished || newest(&work).any(|one| one.status == WorkStatus::Open);
    let first = planned_first(experiment, reported.start.as_ref());
    let first = first.or_else(|| roots.iter().flatten().copied().min());
    let unknown = || PointId("unknown".to_owned());
    let point = reported.start.unwrap_or_else(unknown);
    let began = work.iter().filter_map(|one| one.begun_at).min();
    Run {
        name: run.session.iter().map(|id| id.0.as_str()).collect(),
        kind: RunKind::Replay,
        start: first.map(|first| (point, first)),
        mutations: if run.mutations.is_empty() {
            recorded(&work)
        } else {
            run.mutations
        },
        started_at: run.started_at.or(began),
        outcome: replayed_outcome(&work.iter().collect::<Vec<_>>(), unfinished),
        unfinished,
        work,
        ..run
    }
}

/// The last work of each key.
pub(in crate::replay) fn newest(work: &[Work]) -> impl Iterator<Item = &Work> {
    let places = work.iter().enumerate();
    let last: HashMap<&str, usize> = places.map(|(at, one)| (one.key.as_str(), at)).collect();
    let is_last = move |(at, one): &(usize, &Work)| last.get(one.key.as_str()) == Some(at);
    work.iter().enumerate().filter(is_last).map(|(_, one)| one)
}

/// The first original dispatch after a boundary.
fn planned_first(experiment: &Experiment, start: Option<&PointId>) -> Option<u64> {
    let start = start?;
    let found = experiment.starts.iter().find(|one| one.point == *start)?;
    found.redo.iter().copied().min()
}

/// The mutations that the dispatches record, each once, in order.
pub(super) fn recorded(work: &[Work]) -> Vec<Foreign> {
    distinct(work.iter().filter_map(|one| one.mutation.clone()))
}

/// Who re-executes whom.
struct Chains {
    /// By number: what it re-executes, and whether it is of the original run.
    links: HashMap<u64, (Option<u64>, bool)>,
}

impl Chains {
    fn new(experiment: &Experiment, dispatches: &[Dispatch]) -> Self {
        // In a copied manifest, own numbers follow the copied ones, so its own lines come last.
        let all = experiment.dispatches.iter().chain(dispatches);
        let links = all.map(|one| (one.seq, (one.replay_of, one.session.is_none())));
        Self {
            links: links.collect(),
        }
    }

    /// The original of a dispatch; `None` for new work. A missing number counts as an original whose lines are lost,
    /// and a circular chain ends where it would repeat.
    fn root(&self, one: &Dispatch) -> Option<u64> {
        let mut at = one.replay_of?;
        for _ in 0..self.links.len() {
            match self.links.get(&at) {
                Some((Some(of), false)) if *of != one.seq => at = *of,
                Some((None, false)) => return None,
                _ => break,
            }
        }
        Some(at)
    }
}

fn work(one: &Dispatch, key: String, new: bool) -> Work {
    let summary = one.summary.as_ref();
    let verdict = summary.map(|text| reported_outcome::verdict(text.as_bytes()));
    Work {
        key,
        new,
        seq: Some(one.seq),
        role: one.role.clone(),
        template: Some(one.template.clone()),
        phase: one.phase.clone(),
        status: status(one.status),
        verdict: verdict.unwrap_or_default(),
        duration_s: one.duration_s,
        begun_at: one.begun_at,
        summary: one.summary.clone(),
        dispatch: one.path.clone(),
        output: one.output.clone(),
        mutation: one.mutation.clone(),
        model: one.model.clone().or_else(|| one.model_tier.clone()),
        output_chars: one.output_chars,
        usage: None,
    }
}

/// An unknown status word does not count as an end.
fn status(status: DispatchStatus) -> WorkStatus {
    match status {
        DispatchStatus::Completed => WorkStatus::Completed,
        DispatchStatus::Failed => WorkStatus::Failed,
        DispatchStatus::Error => WorkStatus::Error,
        DispatchStatus::Skipped => WorkStatus::Skipped,
        DispatchStatus::Dispatched | DispatchStatus::Unknown => WorkStatus::Open,
    }
}

/// How the acceptance tests ended: the last work that mentions acceptance and says it, else the last that speaks
/// of tests and says it.
pub(super) fn acceptance(work: &[&Work]) -> TestOutcome {
    let says = |about: fn(&str) -> bool| {
        let mut known = work
            .iter()
            .rev()
            .filter(|one| one.verdict != TestOutcome::Unknown);
        let about = |one: &&&Work| texts(one).any(|text| about(&text.lossy().to_ascii_lowercase()));
        known.find(about).map(|one| one.verdict)
    };
    let acceptance = says(|text| text.contains("acceptance"));
    acceptance
        .or_else(|| says(speaks_of_tests))
        .unwrap_or_default()
}

/// The same of a replay, whose outcome is judged: tests that ended and did not pass have failed, and before the end of
/// the run nothing has.
pub(super) fn replayed_outcome(work: &[&Work], unfinished: bool) -> TestOutcome {
    let tests = work.iter().rev().find(|one| one.runs_tests());
    match tests.map(|tests| tests.succeeded()) {
        _ if unfinished => TestOutcome::Unknown,
        Some(None | Some(false)) => TestOutcome::Fail,
        Some(Some(true)) | None => acceptance(work),
    }
}

fn texts(work: &Work) -> impl Iterator<Item = &Foreign> {
    let named = [work.template.as_ref(), work.summary.as_ref()];
    std::iter::once(&work.role).chain(named.into_iter().flatten())
}

fn speaks_of_tests(text: &str) -> bool {
    let mut words = text.split(|c: char| !c.is_alphanumeric());
    words.any(|word| matches!(word, "test" | "tests" | "tester" | "testing"))
}

#[cfg(test)]
mod tests;
