//! What a person should know before choosing a point.

use crate::model::{Check, Verdict};
use crate::systems::superscientist::facts::{Facts, Flow, Next, Row, Session, jobs};
use crate::systems::superscientist::points::{Point, Verb, list};
use crate::systems::superscientist::shape::{Stage, StageStatus};
use crate::text::format::{count, plural};

/// What a person should know before choosing a point.
pub(crate) fn of(facts: &Facts, flow: &Flow, point: Point, again: &[usize]) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    if facts.paused {
        let text = "The workflow is paused: a runner waits until the file PAUSE is removed.";
        all.push(text.to_owned());
    }
    if flow.state.is_autonomous() && flow.next != Next::Nothing {
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
    if let Some(stage) = point.of(flow) {
        of_stage(flow, stage, point.verb, &mut all);
    }
    all.extend(failures(flow, point));
    all.extend(old_markers(flow, &marked(flow, point, again)));
    let launched = |at: &usize| again.contains(at) || point.stage == Some(*at);
    all.extend(unseen_markers(flow, launched));
    all
}

/// The failures of other stages, which the work that a point orders comes before: a sentence for each that is not
/// recorded yet, and one for the others.
pub(crate) fn failures(flow: &Flow, point: Point) -> Vec<String> {
    let orders = point.verb.orders() && !flow.is_large();
    let Some(own) = point.stage.filter(|_| orders) else {
        return Vec::new();
    };
    let after = flow.graph.downstream(own);
    let stages = flow.state.stages.iter();
    // For one without a retry left, a person decides.
    let other = stages.filter(|s| {
        let exhausted = s.status == StageStatus::Failed && flow.state.is_exhausted(s);
        s.index != own && !after.contains(&s.index) && !exhausted
    });
    let (mut all, mut recorded) = (Vec::new(), Vec::new());
    for stage in other.filter(|stage| flow.has_failed(stage)) {
        if stage.status == StageStatus::Failed {
            recorded.push(stage.index);
        } else {
            let words = flow.job_words(stage.index).unwrap_or_default();
            let id = &stage.id;
            all.push(format!(
                "{id}: {words}. Mark it as failed before anything new."
            ));
        }
    }
    if !recorded.is_empty() {
        let (ids, them) = (flow.ids(&recorded), plural(recorded.len(), "it", "them"));
        all.push(format!(
            "{ids} failed: debug and retry {them} once nothing else can run."
        ));
    }
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

/// What to do for some stages where nobody may look for a done marker, as a sentence.
pub(crate) fn unseen_markers(flow: &Flow, of: impl Fn(&usize) -> bool) -> Option<String> {
    let unseen: Vec<usize> = flow.unseen.keys().copied().filter(of).collect();
    let have = plural(unseen.len(), "has a done marker", "have done markers");
    (!unseen.is_empty()).then(|| {
        let ids = flow.ids(&unseen);
        format!("Whether {ids} {have} of an earlier attempt is unknown: look before the launch.")
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
    let ready = |stage: &Stage| stage.status == StageStatus::Ready;
    let promotes = point.verb == Verb::Rerun && !point.of(flow).is_some_and(ready);
    let by_hand = list::recommended(flow) != Some(point);
    let moves = by_hand && (point.verb == Verb::Retry || promotes);
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
