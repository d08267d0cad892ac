//! What a person should know before choosing a point.

use crate::model::{Check, Verdict};
use crate::systems::superscientist::facts::{Facts, Flow, Next, Row, Session, jobs};
use crate::systems::superscientist::points::{self, Point, Verb, list};
use crate::systems::superscientist::shape::{Stage, StageStatus};
use crate::text::format::{count, plural};

/// What a person should know before choosing a point.
pub(crate) fn of(facts: &Facts, flow: &Flow, point: Point, again: &[usize]) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    if facts.paused {
        all.push(
            "The workflow is paused: a runner waits until the file PAUSE is removed.".to_owned(),
        );
    }
    if flow.state.is_autonomous() && !points::is_finished(flow) {
        all.push("The workflow is autonomous: a session that you start by hand starts a runner in the background.".to_owned());
    }
    all.extend(of_task(flow, point, again));
    all
}

/// What contradicts that every stage is done: lost outputs, results older than an amendment.
pub(crate) fn disputing(checks: &[Check]) -> impl Iterator<Item = &Check> {
    checks.iter().filter(|check| match check.id.0.as_str() {
        "S7" | "S12" => check.verdict >= Verdict::Warn,
        "S8" => check.verdict == Verdict::Fail,
        _ => false,
    })
}

/// What a person should know before the work of a point is done, whoever orders it.
pub(crate) fn of_task(flow: &Flow, point: Point, again: &[usize]) -> Vec<String> {
    let mut all = Vec::new();
    if let Some(stage) = point.stage.and_then(|at| flow.stage(at)) {
        of_stage(flow, stage, point.verb, &mut all);
    }
    all.extend(failures(flow, point));
    all.extend(old_markers(flow, &marked(flow, point, again)));
    all
}

/// The failures of other stages, which the work that a point orders comes before: a sentence for each that is not
/// recorded yet, and one for the others.
pub(crate) fn failures(flow: &Flow, point: Point) -> Vec<String> {
    let orders = matches!(
        point.verb,
        Verb::Monitor | Verb::Verify | Verb::Retry | Verb::Rerun | Verb::Fail
    );
    let Some(own) = point.stage.filter(|_| orders && !flow.is_large()) else {
        return Vec::new();
    };
    let after = flow.graph.downstream(own);
    let stages = flow.state.stages.iter();
    // For one without a retry left, a person decides.
    let other = stages.filter(|s| {
        let exhausted = s.status == StageStatus::Failed && flow.state.is_exhausted(s);
        s.index != own && !after.contains(&s.index) && !exhausted
    });
    let (recorded, found): (Vec<&Stage>, Vec<&Stage>) = other
        .filter(|stage| flow.has_failed(stage))
        .partition(|stage| stage.status == StageStatus::Failed);
    let mut all: Vec<String> = found
        .into_iter()
        .map(|stage| {
            let words = flow.job_words(stage.index).unwrap_or_default();
            let id = &stage.id;
            format!("{id}: {words}. Mark it as failed before anything new.")
        })
        .collect();
    let (ids, count): (Vec<usize>, usize) =
        (recorded.iter().map(|s| s.index).collect(), recorded.len());
    all.extend((count > 0).then(|| {
        format!(
            "{} failed: debug and retry {} once nothing else can run.",
            flow.ids(&ids),
            plural(count, "it", "them")
        )
    }));
    all
}

fn of_stage(flow: &Flow, stage: &Stage, verb: Verb, all: &mut Vec<String>) {
    let id = &stage.id;
    if let Some(job) = flow.jobs.get(&stage.index) {
        if verb != Verb::Monitor && matches!(job.session, Session::Alive) {
            all.push(format!(
                "A tmux session of {id} is alive; relight does not end it."
            ));
        }
        if verb != Verb::Monitor && job.is_remote_unknown() {
            all.push(format!(
                "The remote job of {id} may still be running; ask its scheduler first."
            ));
        }
        if matches!(job.row, Row::AskMarker | Row::AskExit | Row::AskSession) {
            all.push(format!("{id}: {}; a person must decide.", jobs::words(job)));
        }
    }
    if verb == Verb::Retry && flow.state.is_exhausted(stage) {
        let limit = count(flow.state.retry_limit(stage), "retry");
        all.push(format!("This exceeds the limit of {limit}."));
    }
    let after_skip = flow.next == Next::AfterSkip(stage.index) || list::needs_skipped(flow, stage);
    if verb == Verb::Rerun && after_skip {
        let unmet = list::skipped_needs(flow, stage.index);
        all.push(format!(
            "{id} needs {unmet}: the session asks whether a skipped stage counts as done before it runs {id}."
        ));
    }
    if verb == Verb::Skip && !flow.is_large() {
        let mut after = flow.graph.downstream(stage.index);
        after.retain(|at| flow.stage(*at).is_some_and(|s| !s.status.is_done()));
        if !after.is_empty() {
            all.push(format!("These depend on it and wait until a person says that a skipped stage counts as done: {}.", flow.ids(&after)));
        }
    }
}

/// What to do with done markers of earlier attempts, as a sentence.
pub(crate) fn old_markers(flow: &Flow, marked: &[usize]) -> Option<String> {
    let (ids, count) = (flow.ids(marked), marked.len());
    (count > 0).then(|| {
        format!(
            "{ids} {} of {}: move {} aside before the launch.",
            plural(count, "has a done marker", "have done markers"),
            plural(count, "an earlier attempt", "earlier attempts"),
            plural(count, "it", "them")
        )
    })
}

/// Stages that are launched sooner or later, with a done marker of an earlier attempt.
pub(crate) fn all_marked(flow: &Flow) -> Vec<usize> {
    let failed = flow.jobs.iter().filter(|(_, job)| job.row.is_failure());
    let all = flow.leftovers.keys().chain(failed.map(|(at, _)| at));
    let mut all: Vec<usize> = all.copied().filter(|at| flow.is_marked(*at)).collect();
    all.sort_unstable();
    all
}

/// The stages that a point launches, or orders to launch, with an old done marker that it does not move aside.
fn marked(flow: &Flow, point: Point, again: &[usize]) -> Vec<usize> {
    let launches = matches!(point.verb, Verb::Retry | Verb::Rerun | Verb::Fail);
    let own = point.stage.filter(|_| launches);
    // A retry and a promotion by hand move the markers of their stage.
    let moves = list::recommended(flow) != Some(point)
        && match point.verb {
            Verb::Retry => true,
            Verb::Rerun => own
                .and_then(|at| flow.stage(at))
                .is_none_or(|s| s.status != StageStatus::Ready),
            Verb::Monitor
            | Verb::Verify
            | Verb::Skip
            | Verb::Fail
            | Verb::Amend
            | Verb::Completion => false,
        };
    let mut all: Vec<usize> = again.iter().copied().chain(own).collect();
    all.sort_unstable();
    all.dedup();
    // Whether the marker of a job to launch again is old is the question of its guard.
    let asked = point.stage.filter(|_| point.verb == Verb::Monitor);
    all.retain(|at| {
        let own = moves && Some(*at) == own || Some(*at) == asked;
        flow.is_marked(*at) && !own
    });
    all
}
