//! What would be done at a point: kept and redone, the one edit, its guards, its losses, the hand-off.

use super::super::facts::Facts;
use super::super::files::StateFile;
use super::super::read::{duration, past};
use super::super::state::{SCHEMA, State};
use super::super::target::Target;
use super::super::twice;
use super::super::words::Step;
use super::points::{Point, applying};
use super::{edit, rewind};
use crate::formats::stamp;
use crate::model::{
    Foreign, Guard, Intent, LocalTime, PlanOptions, PointId, Step as Change, WorkItem,
};
use crate::world::World;

pub(in super::super) fn intent(
    world: &dyn World,
    facts: &Facts,
    target: &Target,
    id: &PointId,
    options: &PlanOptions,
) -> Option<Intent> {
    let file = facts.file()?;
    let state = file.state()?;
    let point = applying(state, target)
        .into_iter()
        .find(|point| point.id() == *id)?;
    let work = work(state, target, point, world.clock());
    let (mut steps, mut guards) = (Vec::new(), Vec::new());
    if !point.is_chosen(target) {
        let members = edit::members(facts, state, point);
        let content = edit::edited(&file.bytes, state, &members);
        guards = self::guards(file, state, content.is_some());
        steps = content
            .filter(|content| *content != file.bytes && twice::twice(&file.bytes).is_empty())
            .map(|content| Change::ReplaceFile {
                path: file.path.clone(),
                expect: Some(file.bytes.clone()),
                content,
                clock: None,
                summary: summary(point).into(),
            })
            .into_iter()
            .collect();
    }
    let rewind = rewind::of(world, facts, state, point, options.rewind_branch);
    guards.extend(rewind.guards);
    // The state file lies outside the worktree, so the order says only what comes first on the screen.
    steps.splice(0..0, rewind.step);
    let mut losses = losses(state, point);
    losses.extend(rewind.losses);
    Some(Intent {
        kept: work.0,
        redone: work.1,
        steps,
        guards,
        tree: rewind.tree,
        losses,
    })
}

/// The steps kept and done again.
fn work(
    state: &State,
    target: &Target,
    point: Point,
    zone: &dyn LocalTime,
) -> (Vec<WorkItem>, Vec<WorkItem>) {
    let kept = point.kept(target);
    let done = Step::ALL.get(..target.done()).unwrap_or_default();
    let item = |step: &Step| item(state, *step, zone);
    let keeps = done.get(..kept).unwrap_or_default();
    let again = done.get(kept..).unwrap_or_default();
    (
        keeps.iter().map(item).collect(),
        again.iter().map(item).collect(),
    )
}

fn item(state: &State, step: Step, zone: &dyn LocalTime) -> WorkItem {
    let past = past(state, step);
    let last = past.last();
    let detail = last.and_then(|past| past.output.clone());
    let ended = |step: Step| {
        let past = super::super::read::past(state, step);
        stamp::parse(past.last()?.completed_at.as_deref()?, zone)
    };
    let started = || stamp::parse(state.checkpoint()?.started_at.as_deref()?, zone);
    let earlier = Step::ALL.into_iter().filter(|other| *other < step);
    let before = earlier.filter_map(ended).next_back().or_else(started);
    WorkItem {
        id: step.word().into(),
        label: step.name().into(),
        detail: detail.unwrap_or_default().into(),
        duration_s: duration(before, ended(step)),
    }
}

fn summary(point: Point) -> String {
    let what = match point {
        Point::Fresh => "Set checkpoint to null and the stage to triaged".to_owned(),
        Point::Retry => "Reset the retries and set the stage to triaged".to_owned(),
        Point::Cleanup => "Nothing".to_owned(),
        Point::Step(step) => format!(
            "Set step, action, context and stage of the checkpoint to the beginning of {}",
            step.word()
        ),
    };
    format!("{what}; updated_at and all histories stay as they are.")
}

/// A file is written only where its every byte is understood.
fn guards(file: &StateFile, state: &State, can_splice: bool) -> Vec<Guard> {
    let schema = state
        .checkpoint()
        .map_or(SCHEMA, |checkpoint| checkpoint.schema);
    let twice = twice::twice(&file.bytes);
    let twice_text = twice.first().map_or_else(
        || "No key occurs twice.".to_owned(),
        |pair| {
            format!(
                "The key {} occurs twice in the state file, as {} and as {}.",
                pair.key, pair.first, pair.second
            )
        },
    );
    let mut guards = vec![
        guard(
            "schema",
            schema <= SCHEMA,
            format!("The checkpoint has version {schema}, and {SCHEMA} is written."),
            "Go on with the orchestrator itself; a newer version is never written.",
        ),
        guard(
            "duplicate_keys",
            twice.is_empty(),
            twice_text,
            "Remove one of the two by hand.",
        ),
    ];
    if twice.is_empty() && !can_splice {
        guards.push(guard(
            "state_file",
            false,
            "The members cannot be set without rewriting the file.".to_owned(),
            "Edit the state file by hand.",
        ));
    }
    guards
}

fn guard(id: &'static str, holds: bool, text: String, cure: &str) -> Guard {
    Guard::either(id, holds, text, cure)
}

fn losses(state: &State, point: Point) -> Vec<Foreign> {
    let Some(checkpoint) = state.checkpoint() else {
        return Vec::new();
    };
    match point {
        Point::Fresh => {
            let (past, documents) = (checkpoint.history.len(), checkpoint.artifacts.len());
            vec![format!(
                "The state file forgets {past} recorded steps and {documents} listed documents; the documents themselves stay."
            )
            .into()]
        }
        Point::Step(_) | Point::Retry | Point::Cleanup => Vec::new(),
    }
}
