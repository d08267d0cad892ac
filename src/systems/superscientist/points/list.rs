//! The list of points: which verbs apply to which stage, in a fixed order, with labels, reasons and warnings.

use crate::model::{AmendKind, PointId};
use crate::string_enum;
use crate::systems::superscientist::facts::{Flow, Next, Row};
use crate::systems::superscientist::points;
use crate::systems::superscientist::record::guards::contradictions;
use crate::systems::superscientist::shape::{Stage, StageStatus};

string_enum! {
    /// What a point does with a stage, in list order.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub(crate) enum Verb {
        Monitor = "monitor",
        Verify = "verify",
        Retry = "retry",
        Rerun = "rerun",
        Skip = "skip",
        Fail = "fail",
        /// Changes the plan; never listed, because a person must specify the change.
        Amend = "amend",
        /// The last step of the workflow; it has no stage.
        Completion = "completion",
    }
}

impl Verb {
    /// Whether the session does work on the stage first, before it goes on with the others.
    pub(crate) fn orders(self) -> bool {
        !matches!(self, Self::Skip | Self::Amend | Self::Completion)
    }
}

/// A verb with its stage; completion has none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Point {
    pub(crate) stage: Option<usize>,
    pub(crate) verb: Verb,
}

impl Point {
    /// Its stage.
    pub(crate) fn of(self, flow: &Flow) -> Option<&Stage> {
        flow.stage(self.stage?)
    }
}

/// Every point, in order.
pub(crate) fn all(flow: &Flow) -> Vec<Point> {
    let large = flow.is_large();
    let mut seen = std::collections::HashSet::new();
    let mut points = Vec::new();
    for stage in &flow.state.stages {
        // A second stage with the same id would be indistinguishable from the first.
        if !seen.insert(stage.id.as_str()) || (large && stage.status.is_done()) {
            continue;
        }
        points.extend(of_stage(stage).filter(|point| applies(flow, stage, point.verb)));
    }
    if flow.next == Next::Completion {
        points.push(Point {
            stage: None,
            verb: Verb::Completion,
        });
    }
    points
}

/// A point for each verb with a stage.
fn of_stage(stage: &Stage) -> impl Iterator<Item = Point> {
    let stage = Some(stage.index);
    let verbs = Verb::ALL.into_iter();
    let verbs = verbs.filter(|verb| *verb != Verb::Completion);
    verbs.map(move |verb| Point { stage, verb })
}

fn applies(flow: &Flow, stage: &Stage, verb: Verb) -> bool {
    let row = flow.row(stage);
    let is = |fits: fn(Row) -> bool| row.is_some_and(fits);
    match verb {
        Verb::Monitor => is(Row::is_monitor),
        Verb::Verify => {
            let ends = [Row::Verify, Row::Ended, Row::AskMarker, Row::AskExit];
            flow.logged.contains_key(&stage.index) || row.is_some_and(|row| ends.contains(&row))
        }
        Verb::Retry => {
            let failed = stage.status == StageStatus::Failed || is(Row::is_failure);
            failed && can_start(flow, stage)
        }
        Verb::Rerun => reruns(flow, stage),
        Verb::Skip => !stage.status.is_done(),
        Verb::Fail => row.is_some(),
        Verb::Amend | Verb::Completion => false,
    }
}

/// A completed stage can be invalidated; a stage that can start can be run.
fn reruns(flow: &Flow, stage: &Stage) -> bool {
    use StageStatus::{Completed, Invalidated, Pending, Ready};
    let next = matches!(
        flow.next,
        Next::Run(at) | Next::AfterSkip(at) | Next::Deadlock(at) if at == stage.index
    );
    // An invalidated dependency leaves a ready stage without its input.
    let waits = matches!(stage.status, Ready | Pending | Invalidated);
    next || stage.status == Completed || waits && can_start(flow, stage)
}

/// Whether everything that a stage depends on is done.
fn can_start(flow: &Flow, stage: &Stage) -> bool {
    let (at, stages) = (stage.index, &flow.state.stages);
    flow.graph.satisfied(at, stages, StageStatus::is_done)
}

/// The recommended point by the protocol's order; `None` if nothing is left.
pub(crate) fn recommended(flow: &Flow) -> Option<Point> {
    let verb = match flow.next {
        Next::Nothing => return None,
        Next::Monitor(_) => Verb::Monitor,
        Next::Verify(_) => Verb::Verify,
        Next::Run(_) | Next::AfterSkip(_) | Next::Deadlock(_) => Verb::Rerun,
        Next::Retry(_) | Next::Exhausted(_) => Verb::Retry,
        Next::Completion => Verb::Completion,
    };
    Some(Point {
        stage: flow.next.stage(),
        verb,
    })
}

/// Whether a point changes the state file, unless it is recommended.
pub(crate) fn edits(flow: &Flow, point: Point) -> bool {
    let is = |status| point.of(flow).is_some_and(|stage| stage.status == status);
    let recorded = match point.verb {
        Verb::Monitor => true,
        Verb::Verify => is(StageStatus::PostProcessing),
        Verb::Rerun => is(StageStatus::Ready),
        Verb::Retry | Verb::Skip | Verb::Fail | Verb::Amend | Verb::Completion => false,
    };
    // A workflow that is recorded as completed is also set back to pending.
    !recorded || flow.next == Next::Nothing
}

/// The id of a point. A stage id with unusual characters is replaced by its index, so that the point's id stays safe to
/// show and to type.
pub(crate) fn id(flow: &Flow, point: Point) -> PointId {
    let word = point.verb.word();
    match point.of(flow) {
        None => PointId(word.to_owned()),
        Some(stage) => PointId(format!("{}:{word}", stage.plain_id())),
    }
}

/// The point with an id, even an unlisted one: an amendment may name any stage.
pub(crate) fn of_id(flow: &Flow, wanted: &PointId) -> Option<Point> {
    let of_stage = flow.state.stages.iter().flat_map(of_stage);
    let mut listed = all(flow).into_iter().chain(of_stage);
    listed.find(|point| id(flow, *point) == *wanted)
}

/// Whether the monitor of a stage launches its job again.
pub(crate) fn relaunches(flow: &Flow, at: usize) -> bool {
    flow.jobs.get(&at).is_some_and(|job| job.row.is_relaunch())
}

/// The label of a point.
pub(crate) fn label(flow: &Flow, point: Point) -> String {
    let Some(stage) = point.of(flow) else {
        return "Completion step".to_owned();
    };
    let name = stage.label();
    match point.verb {
        Verb::Monitor if relaunches(flow, stage.index) => {
            format!("Launch the job of {name} again")
        }
        Verb::Monitor => format!("Watch the job of {name}"),
        Verb::Verify => format!("Verify the results of {name}"),
        Verb::Retry => format!("Debug and retry {name}"),
        Verb::Rerun if stage.status == StageStatus::Completed => {
            format!("Invalidate {name} and run it again")
        }
        Verb::Rerun if flow.next == Next::Deadlock(stage.index) => {
            format!("Find out what blocks {name}")
        }
        Verb::Rerun => format!("Run {name}"),
        Verb::Skip => format!("Skip {name}"),
        Verb::Fail => format!("Mark {name} as failed"),
        Verb::Amend => format!("Amend {name}"),
        Verb::Completion => "Completion step".to_owned(),
    }
}

/// The new stage of the newest amendment, as a clause; `None` if that inserted none.
pub(crate) fn inserted(after: Option<&Flow>) -> Option<String> {
    let state = &after?.state;
    let newest = state.amendments.last();
    let newest = newest.filter(|one| one.kind == AmendKind::StageInsert.word())?;
    let new = state.stage(newest.stage_id.as_deref()?)?;
    Some(format!("{} was inserted", new.label()))
}

/// What the changes of a point did, as a clause, from the state before and after them.
pub(crate) fn done(flow: &Flow, after: Option<&Flow>, point: Point) -> String {
    let Some(stage) = point.of(flow) else {
        return "the state file was changed".to_owned();
    };
    let name = stage.label();
    match point.verb {
        Verb::Skip => format!("{name} was skipped"),
        Verb::Rerun if stage.status == StageStatus::Completed => {
            let ids = flow.ids(&points::invalidated(flow, stage.index));
            format!("invalidated: {ids}")
        }
        Verb::Rerun | Verb::Retry => format!("{name} was made ready"),
        Verb::Fail => format!("{name} was marked as failed"),
        Verb::Amend => inserted(after).unwrap_or_else(|| format!("the plan of {name} was amended")),
        Verb::Monitor | Verb::Verify | Verb::Completion => {
            format!("the status of {name} was changed")
        }
    }
}

/// The reason to choose a point, as a sentence.
pub(crate) fn reason(flow: &Flow, point: Point) -> String {
    if recommended(flow) == Some(point) {
        return chosen(flow);
    }
    let Some(stage) = point.of(flow) else {
        return "Every stage is done.".to_owned();
    };
    match point.verb {
        Verb::Monitor if relaunches(flow, stage.index) => {
            "No session waits for its job anymore.".to_owned()
        }
        Verb::Monitor => "Its job may still be running.".to_owned(),
        Verb::Verify => if stage.status == StageStatus::PostProcessing {
            "Its results were never verified."
        } else if matches!(flow.row(stage), Some(Row::AskMarker | Row::AskExit)) {
            "Choose this if its work ended successfully; this records it in the state file."
        } else {
            "Its work ended successfully; this records it in the state file."
        }
        .to_owned(),
        Verb::Retry => "Make it ready for one more attempt.".to_owned(),
        Verb::Rerun if stage.status == StageStatus::Completed => {
            let all = points::invalidated(flow, stage.index);
            let also = match all.len().saturating_sub(1) {
                0 => String::new(),
                1 => " It also invalidates a completed stage that depends on it.".to_owned(),
                others => {
                    format!(" It also invalidates {others} completed stages that depend on it.")
                }
            };
            format!("Choose this if its results are wrong or lost.{also}")
        }
        Verb::Rerun if flow.next == Next::Nothing => {
            "It can run; this also sets the workflow back from completed to pending.".to_owned()
        }
        Verb::Rerun => "It can run now; another stage is earlier in the order.".to_owned(),
        Verb::Skip => "Choose this if the stage is not needed.".to_owned(),
        Verb::Fail => "Choose this if its job is lost; a session then debugs it.".to_owned(),
        Verb::Amend => "Choose this to change the plan.".to_owned(),
        Verb::Completion => "Every stage is done.".to_owned(),
    }
}

/// Why the recommended point is recommended.
fn chosen(flow: &Flow) -> String {
    let stage = flow.next_stage();
    let id = stage.map_or("", |s| s.id.as_str());
    let words = |at: usize| flow.job_words(at).unwrap_or_default();
    match flow.next {
        Next::Nothing => "Nothing is left to do.".to_owned(),
        Next::Monitor(at) => format!("{id} needs attention first: {}.", words(at)),
        Next::Verify(at) => {
            let words = flow.verify_words(at);
            format!("{id} needs verification before anything new: {words}.")
        }
        Next::Run(_) => {
            let ready = stage.is_some_and(|s| s.status == StageStatus::Ready);
            let how = if ready {
                ""
            } else {
                ", so it is promoted to ready"
            };
            format!("{id} is the first stage in order whose dependencies are completed{how}.")
        }
        Next::Retry(at) => {
            let count = stage.map_or(0, |s| s.retry_count);
            let limit = stage.map_or(3, |s| flow.state.retry_limit(s));
            let why = flow.job_words(at).unwrap_or_else(|| "it failed".to_owned());
            format!("Nothing else can start; {id} has used {count} of {limit} retries: {why}.")
        }
        Next::Exhausted(_) => format!(
            "Everything left depends on {id}, which has no retries left: decide in the session."
        ),
        Next::Completion => {
            "Every stage is completed or skipped, but the report and the final status are missing."
                .to_owned()
        }
        Next::AfterSkip(at) => {
            let unmet = skipped_needs(flow, at);
            format!(
                "No other stage can start; {id} needs {unmet}, which was skipped: a person says whether this counts as done."
            )
        }
        Next::Deadlock(_) => {
            let why = stage.map_or_else(String::new, |stage| deadlock(flow, stage));
            format!("No stage can continue. {why}")
        }
    }
}

/// The stages that a stage needs and that are not completed.
pub(crate) fn skipped_needs(flow: &Flow, at: usize) -> String {
    let (graph, stages) = (&flow.graph, &flow.state.stages);
    flow.ids(&graph.unmet(at, stages, |status| status == StageStatus::Completed))
}

/// Why no stage can start: a status that nothing leads on from, a plan that contradicts itself, or what a stage waits
/// for.
fn deadlock(flow: &Flow, stage: &Stage) -> String {
    if let Some(unknown) = flow.state.with(StageStatus::Unknown).next() {
        return format!(
            "{} has the unknown status \"{}\".",
            unknown.id, unknown.word
        );
    }
    if flow.graph.is_broken() {
        return contradictions(flow);
    }
    format!("{} waits for {}.", stage.id, flow.ids(&flow.unmet(stage)))
}

/// Whether a stage needs one that was skipped, which counts as done only after a person has confirmed it.
pub(crate) fn needs_skipped(flow: &Flow, stage: &Stage) -> bool {
    let needs = flow.graph.needs(stage.index).iter();
    let mut needs = needs.filter_map(|at| flow.stage(*at));
    stage.status != StageStatus::Completed && needs.any(|s| s.status == StageStatus::Skipped)
}
