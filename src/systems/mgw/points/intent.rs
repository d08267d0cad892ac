//! The intent of a point: work kept and work run again, the one edit, its guards and losses.

use crate::formats::json::{NOW, duplicates};
use crate::model::{
    ClockStyle, Guard, Intent, Loss, PlanOptions, PointId, Stamp, Step as Change, WorkItem,
};
use crate::systems::mgw::facts::reading::{unreadable, waits_for};
use crate::systems::mgw::facts::{Facts, Source};
use crate::systems::mgw::points::{Point, Scene, applying};
use crate::systems::mgw::record::{self, rewind};
use crate::systems::mgw::shape::{RETRIES, Route, SCHEMA, State, StateFile, Step};
use crate::text::Shown as _;
use crate::text::format::{count, shell_path};

pub(crate) fn intent(scene: &Scene<'_>, id: &PointId, options: &PlanOptions) -> Option<Intent> {
    let facts = scene.facts;
    let mut points = applying(scene).into_iter();
    let point = points.find(|point| point.id() == *id)?;
    let (kept, redone) = work(scene, point);
    let (steps, mut guards) = if point == Point::FromTmp {
        from_tmp(facts)
    } else if facts.source == Source::File {
        state_edit(scene, point)
    } else if point == Point::ReTriage {
        (Vec::new(), Vec::new())
    } else {
        (Vec::new(), vec![required(facts)])
    };
    guards.extend(misplaced(facts).filter(|_| point != Point::ReTriage));
    guards.extend(asks(scene, point));
    let mut intent = Intent {
        kept,
        redone,
        steps,
        guards,
        tree: None,
        losses: losses(scene, point),
    };
    rewind::add(scene, point, options, &mut intent);
    Some(intent)
}

/// Questions that only the person can answer: a gate at which the run would stop, its override, a step that failed
/// repeatedly.
fn asks(scene: &Scene<'_>, point: Point) -> Vec<Guard> {
    let (state, number) = (scene.state, &scene.facts.number);
    let mut all = Vec::new();
    if matches!(point, Point::Cleanup | Point::ReTriage) {
        return all;
    }
    if let Some(gate) = scene.gate() {
        let why = waits_for(state, number).unwrap_or_default();
        let (id, question) = if point == Point::Override {
            ("override", "Override this gate?")
        } else {
            ("gate", "The run stops at this gate. Hand off anyway?")
        };
        let id = format!("{id}:{}", gate.word());
        all.push(Guard::ask(id, format!("{why} {question}")));
    }
    all.extend(scene.gaps(point).map(|gaps| {
        let asks = "The agent will ask before it creates the pull request. Hand it over?";
        Guard::ask("gate:verification", format!("{gaps}. {asks}"))
    }));
    let failed = state.has_failed() && state.retry_count() >= RETRIES;
    if let Some(step) = scene.leads_to(point).step().filter(|_| failed) {
        let times = count(state.retry_count().unsigned_abs(), "time");
        let step = step.word();
        all.push(Guard::ask(
            format!("repeat-failure:{step}"),
            format!("#{number} was retried {times} and failed. Run {step} again?"),
        ));
    }
    all
}

/// A state file inside a worktree, where the orchestrator's commands in the project do not look.
fn misplaced(facts: &Facts) -> Option<Guard> {
    let file = facts.file().filter(|file| file.stray)?;
    let home = facts.root.join(".mgw").join(file.home.word());
    let cure = match shell_path(&file.path).zip(shell_path(&home)) {
        Some((file, home)) => format!("Copy it there: mkdir -p {home} && cp {file} {home}/"),
        None => "Copy it there.".to_owned(),
    };
    let (path, home) = (file.path.shown(), home.shown());
    let text = format!("The state file is in a worktree: {path}. /mgw:run looks only in {home}.");
    Some(Guard::fails("required_file", text, cure))
}

/// The edit of the state file, with its guards; empty for a point that writes nothing.
fn state_edit(scene: &Scene<'_>, point: Point) -> (Vec<Change>, Vec<Guard>) {
    let Some((file, state)) = scene.facts.parsed() else {
        return (Vec::new(), Vec::new());
    };
    let edits = record::edits(scene, point);
    if scene.is_chosen(point) || (edits.is_empty() && point != Point::Fresh) {
        return (Vec::new(), Vec::new());
    }
    let dated = edits.iter().any(record::is_dated);
    let content = record::edited(&file.bytes, state, &edits);
    let mut guards = guards(file, state, content.is_some());
    if dated && memchr::memmem::find(&file.bytes, NOW.as_bytes()).is_some() {
        // The placeholder is replaced wherever it occurs, so the file must not contain it already.
        guards.push(Guard::fails(
            "placeholder",
            format!("The state file contains the text {NOW} itself."),
            "Remove that text from it by hand.",
        ));
    }
    let step = content.map(|content| {
        let (before, clock) = (file.bytes.clone(), dated.then_some(ClockStyle::UtcMillis));
        let summary = summary(point, scene.gate().is_some());
        Change::replace_file(&file.path, Some(before), content, clock, summary)
    });
    let steps = step.into_iter().filter(|step| step.change().is_some());
    (steps.collect(), guards)
}

/// The complete .tmp file becomes the state file, byte for byte. The .tmp file itself is kept.
fn from_tmp(facts: &Facts) -> (Vec<Change>, Vec<Guard>) {
    let Some(tmp) = facts.valid_tmp() else {
        return (Vec::new(), Vec::new());
    };
    let old = facts.file();
    if let Some(cure) = old.and_then(StateFile::cure) {
        let why = unreadable(facts);
        let text = format!("{why} Its content could not be kept for undo.");
        return (Vec::new(), vec![Guard::fails("state_file", text, cure)]);
    }
    let path = old.map_or_else(|| tmp.path.with_extension(""), |file| file.path.clone());
    let (old, content) = (old.map(|file| file.bytes.clone()), tmp.bytes.clone());
    let summary = "The state file becomes its .tmp file, byte for byte.";
    let step = Change::replace_file(path, old, content, None, summary);
    let text = "The .tmp file is a complete state of this issue.";
    (vec![step], vec![Guard::holds("state_file", text)])
}

/// Without a readable state file the orchestrator would triage the issue again.
fn required(facts: &Facts) -> Guard {
    let number = &facts.number;
    let again = format!("or triage the issue again: relight resume {number} --point re-triage");
    let closed = || facts.closed().map(|(_, odd)| odd.remedy.as_str());
    let cure = match (
        facts.file(),
        facts.file().map_or_else(closed, StateFile::cure),
    ) {
        // Its content may be whole, so nothing is to be done without it.
        (_, Some(cure)) => cure.to_owned(),
        (Some(file), None) => format!("Repair {} by hand, {again}", file.path.shown()),
        (None, None) => format!("Restore the state file from a copy, {again}"),
    };
    let why = unreadable(facts);
    Guard::fails(
        "required_file",
        format!("{why} The orchestrator needs it to resume; without it, it starts at triage."),
        cure,
    )
}

/// The work kept and run again: the phases before the current one, then its steps.
pub(crate) fn work(scene: &Scene<'_>, point: Point) -> (Vec<WorkItem>, Vec<WorkItem>) {
    let history = &scene.history;
    // A quick issue is never verified: that is neither work to keep nor work to run again.
    let skips = scene.state.route() == Route::Quick && history.past(Step::Verify).is_empty();
    let kept = scene.kept(point);
    let done = Step::ALL.into_iter().take(scene.target.done());
    let done = done.filter(|step| !(skips && *step == Step::Verify));
    let (keeps, again): (Vec<Step>, Vec<Step>) = done.partition(|step| step.index() < kept);
    let items = |steps: Vec<Step>| steps.into_iter().map(|step| step_item(scene, step));
    let phases = history.finished.iter().map(|phase| {
        let label = format!("Phase {} {}", phase.number, phase.name);
        WorkItem::new(
            format!("phase-{}", phase.number),
            label.trim_end(),
            "verified",
        )
    });
    // A start before the phases runs all of them again.
    if [Point::Fresh, Point::ReTriage, Point::Step(Step::Triage)].contains(&point) {
        (items(keeps).collect(), phases.chain(items(again)).collect())
    } else {
        (phases.chain(items(keeps)).collect(), items(again).collect())
    }
}

fn step_item(scene: &Scene<'_>, step: Step) -> WorkItem {
    let (history, zone) = (&scene.history, scene.world.clock());
    let past = history.past(step);
    let detail = past.last().and_then(|past| past.output.clone());
    WorkItem {
        duration_s: Stamp::seconds_between(history.began(step, zone), history.ended(step, zone)),
        ..WorkItem::new(step.word(), step.name(), detail.unwrap_or_default())
    }
}

fn summary(point: Point, gated: bool) -> String {
    let stage = |stage: &'static str| if gated { "" } else { stage };
    match point {
        Point::Fresh => format!(
            "Set checkpoint to null{}.",
            stage(" and the stage to triaged")
        ),
        Point::Retry => format!(
            "Reset the retries{}.",
            stage(" and set the stage to triaged")
        ),
        Point::Override => "Set the stage to the one after the gate.".to_owned(),
        Point::Step(step) => format!(
            "Rewind the checkpoint to the start of {}; an entry in step_history and updated_at record when.",
            step.word()
        ),
        Point::Cleanup | Point::FromTmp | Point::ReTriage => String::new(),
    }
}

/// A file is written only if all of it is understood.
fn guards(file: &StateFile, state: &State, can_edit: bool) -> Vec<Guard> {
    let schema = state.checkpoint().map_or(SCHEMA, |one| one.schema);
    let duplicates = duplicates(&file.bytes);
    let text = match duplicates.first() {
        Some(pair) => format!(
            "The key {} is duplicated in the state file, as {} and as {}.",
            pair.key, pair.first, pair.second
        ),
        None => "There are no duplicate keys.".to_owned(),
    };
    let cure = "Remove one of the two by hand.";
    let mut guards = vec![
        Guard::either(
            "schema",
            schema <= SCHEMA,
            format!("The checkpoint has version {schema}; relight writes version {SCHEMA}."),
            "Continue with the orchestrator itself; a newer version is never written.",
        ),
        Guard::either("duplicate_keys", duplicates.is_empty(), text, cure),
    ];
    if duplicates.is_empty() && !can_edit {
        guards.push(Guard::fails(
            "state_file",
            "The members cannot be set without rewriting the file.",
            "Edit the state file by hand.",
        ));
    }
    guards
}

fn losses(scene: &Scene<'_>, point: Point) -> Vec<Loss> {
    let mut all = Vec::new();
    if let (Point::Fresh, Some(checkpoint)) = (point, scene.state.checkpoint()) {
        let steps = count(checkpoint.history.len(), "recorded step");
        let documents = count(checkpoint.artifacts.len(), "listed document");
        let both = format!("{steps} and {documents} are removed from the state file");
        all.push(Loss::overwritten(format!(
            "{both}; no document is deleted."
        )));
    }
    let edits = matches!(point, Point::Fresh | Point::Retry | Point::Step(_));
    if let Some(gate) = scene.gate().filter(|_| edits && !scene.is_chosen(point)) {
        let stage = gate.word();
        let text = format!("The stage stays {stage}: the gate is not overridden.");
        all.push(Loss::not_restored(text));
    }
    all
}
