//! What would be done at a point: kept and redone, the one edit, its guards, its losses, the hand-off.

use std::path::Path;

use crate::model::{
    ClockStyle, Foreign, Guard, Intent, LocalTime, PlanOptions, PointId, Step as Change, WorkItem,
};
use crate::systems::mgw::facts::reading::{duration, lost, waits_for};
use crate::systems::mgw::facts::{Facts, Source};
use crate::systems::mgw::points::target::{Goal, Target};
use crate::systems::mgw::points::{Point, Scene, applying, handoff};
use crate::systems::mgw::record::{self, rewind};
use crate::systems::mgw::shape::duplicate_keys;
use crate::systems::mgw::shape::state::{SCHEMA, State};
use crate::systems::mgw::shape::state_files::StateFile;
use crate::systems::mgw::shape::vocabulary::{Route, Stage, Step};
use crate::world::World;

pub(crate) fn intent(
    world: &dyn World,
    facts: &Facts,
    target: &Target,
    id: &PointId,
    options: &PlanOptions,
) -> Option<Intent> {
    let scene = Scene::of(world, facts, target)?;
    let point = applying(&scene)
        .into_iter()
        .find(|point| point.id() == *id)?;
    let work = work(&scene, point, world.clock());
    let (mut steps, mut guards) = (Vec::new(), Vec::new());
    if point == Point::FromTmp {
        let (step, guard) = from_tmp(facts);
        steps.extend(step);
        guards.extend(guard);
    } else if facts.source == Source::File {
        (steps, guards) = state_edit(&scene, point);
    } else if point != Point::ReTriage {
        guards.push(required(facts));
    }
    guards.extend(astray(facts).filter(|_| point != Point::ReTriage));
    guards.extend(asks(&scene, point));
    guards.extend(detached(facts));
    let rewind = rewind::of(world, &scene, point, options.rewind_branch);
    guards.extend(rewind.guards);
    // The state file lies outside the worktree, so the order says only what comes first on the screen.
    steps.splice(0..0, rewind.step);
    let mut losses = losses(&scene, point);
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

/// The steps, in order.
static ALL: [Step; 5] = Step::ALL;

/// The most retries that the orchestrator makes.
const RETRIES: i64 = 3;

/// What only the person may answer: a gate that the run would stop at, its override, a step that failed again and
/// again.
fn asks(scene: &Scene<'_>, point: Point) -> Vec<Guard> {
    let (state, number) = (scene.state, &scene.facts.number);
    let mut all = Vec::new();
    let runs = !matches!(point, Point::Cleanup | Point::ReTriage);
    if let Some(gate) = scene.gate().filter(|_| runs) {
        let word = gate.word();
        let why = waits_for(state, number).unwrap_or_default();
        all.push(if point == Point::Override {
            Guard::ask(
                format!("override:{word}"),
                format!("{why} Override this gate?"),
            )
        } else {
            Guard::ask(
                format!("gate:{word}"),
                format!("{why} The run stops at this gate. Hand over all the same?"),
            )
        });
    }
    let failed = state.stage() == Some(Stage::Failed) || state.dead_letter();
    if let (true, Goal::Step(step)) = (failed && runs, scene.leads_to(point))
        && state.retry_count() >= RETRIES
    {
        all.push(Guard::ask(
            format!("repeat-failure:{}", step.word()),
            format!(
                "#{number} was retried {} times and failed. Run {} again?",
                state.retry_count(),
                step.word()
            ),
        ));
    }
    all
}

/// A state file inside a worktree, where the orchestrator's commands in the project do not look.
fn astray(facts: &Facts) -> Option<Guard> {
    let file = facts.file().filter(|file| file.stray)?;
    let home = facts.root.join(".mgw").join(file.home.folder());
    Some(Guard::fails(
        "required_file",
        format!(
            "The state file lies in a worktree: {}. /mgw:run looks only in {}.",
            file.path.to_string_lossy(),
            home.to_string_lossy()
        ),
        format!(
            "Copy it there: cp {} {}/",
            handoff::shell(&file.path),
            handoff::shell(&home)
        ),
    ))
}

/// A worktree whose HEAD names no branch: the commits that the run makes would be on none.
fn detached(facts: &Facts) -> Option<Guard> {
    let tree = facts.branch.tree.as_ref()?;
    let loose = tree.present && tree.registered && tree.branch.is_none();
    loose.then(|| {
        Guard::fails(
            "branch",
            format!(
                "HEAD of the worktree is detached; the issue is on {}.",
                facts.branch.name
            ),
            format!(
                "git -C {} switch {}",
                handoff::shell(&tree.path),
                handoff::shell(Path::new(&facts.branch.name))
            ),
        )
    })
}

/// The one edit of the state file, with its guards; nothing for a point that writes nothing.
fn state_edit(scene: &Scene<'_>, point: Point) -> (Vec<Change>, Vec<Guard>) {
    let Some((file, state)) = scene
        .facts
        .file()
        .and_then(|file| Some((file, file.state()?)))
    else {
        return (Vec::new(), Vec::new());
    };
    let edits = record::edits(scene, point);
    if scene.is_chosen(point) || (edits.is_empty() && point != Point::Fresh) {
        return (Vec::new(), Vec::new());
    }
    let dated = edits.iter().any(record::Edit::is_dated);
    let content = record::edited(&file.bytes, state, &edits);
    let mut guards = guards(file, state, content.is_some());
    if dated && memchr::memmem::find(&file.bytes, record::NOW.as_bytes()).is_some() {
        // Whoever writes fills the clock in wherever the placeholder is.
        guards.push(guard(
            "placeholder",
            false,
            format!("The state file holds the text {} itself.", record::NOW),
            "Remove that text from it by hand.",
        ));
    }
    let steps = content
        .filter(|content| *content != file.bytes && duplicate_keys::twice(&file.bytes).is_empty())
        .map(|content| Change::ReplaceFile {
            path: file.path.clone(),
            expect: Some(file.bytes.clone()),
            content,
            clock: dated.then_some(ClockStyle::UtcMillis),
            summary: summary(point).into(),
        });
    (steps.into_iter().collect(), guards)
}

/// The whole leftover becomes the state file, byte for byte; the leftover stays where it is.
fn from_tmp(facts: &Facts) -> (Option<Change>, Option<Guard>) {
    let Some(tmp) = facts.whole_tmp() else {
        return (None, None);
    };
    let old = facts.file();
    let kept = |file: &StateFile| !file.bytes.is_empty() || file.size == Some(0);
    if let Some(file) = old.filter(|file| !kept(file)) {
        let refusal = guard(
            "state_file",
            false,
            format!("{} What it holds could not be kept for undo.", lost(facts)),
            &format!(
                "Move it away first: mv {0} {0}.damaged",
                handoff::shell(&file.path)
            ),
        );
        return (None, Some(refusal));
    }
    let path = old.map_or_else(|| tmp.path.with_extension(""), |file| file.path.clone());
    let step = Change::ReplaceFile {
        path,
        expect: old.map(|file| file.bytes.clone()),
        content: tmp.bytes.clone(),
        clock: None,
        summary: "The state file becomes what its .tmp file holds, byte for byte.".into(),
    };
    let holds = guard(
        "state_file",
        true,
        "The .tmp file is a whole state of this issue.".to_owned(),
        "",
    );
    (Some(step), Some(holds))
}

/// Without a state file that can be read the orchestrator would triage the issue anew.
fn required(facts: &Facts) -> Guard {
    let number = &facts.number;
    guard(
        "required_file",
        false,
        format!(
            "{} The orchestrator needs it to resume; without it, it starts at triage.",
            lost(facts)
        ),
        &match facts.file() {
            Some(file) => format!(
                "Repair {} by hand, or triage the issue again: relight resume {number} --point re-triage",
                file.path.to_string_lossy()
            ),
            None => format!(
                "Put the state file back from a copy, or triage the issue again: relight resume {number} --point re-triage"
            ),
        },
    )
}

/// The work kept and done again: the phases before the one under way, then its steps.
pub(crate) fn work(
    scene: &Scene<'_>,
    point: Point,
    zone: &dyn LocalTime,
) -> (Vec<WorkItem>, Vec<WorkItem>) {
    let kept = scene.kept(point);
    let done: &'static [Step] = ALL.get(..scene.target.done()).unwrap_or_default();
    // A quick issue is never verified: that is neither work to keep nor work to do again.
    let skips = scene.state.route() == Route::Quick && scene.course.past(Step::Verify).is_empty();
    let real = |step: &&Step| !(skips && **step == Step::Verify);
    let step = |step: &Step| step_item(scene, *step, zone);
    let part = |steps: Option<&'static [Step]>| steps.unwrap_or_default().iter().filter(real);
    let keeps = part(done.get(..kept)).map(step);
    let again = part(done.get(kept..)).map(step);
    let phases = scene.course.finished.iter().map(|phase| WorkItem {
        id: format!("phase-{}", phase.number).into(),
        label: format!("Phase {} {}", phase.number, phase.name)
            .trim_end()
            .into(),
        detail: "verified".into(),
        duration_s: None,
    });
    let phases: Vec<WorkItem> = phases.collect();
    // Whoever begins before the phases goes through all of them again.
    if matches!(
        point,
        Point::Fresh | Point::ReTriage | Point::Step(Step::Triage)
    ) {
        (keeps.collect(), phases.into_iter().chain(again).collect())
    } else {
        (phases.into_iter().chain(keeps).collect(), again.collect())
    }
}

fn step_item(scene: &Scene<'_>, step: Step, zone: &dyn LocalTime) -> WorkItem {
    let course = &scene.course;
    let past = course.past(step);
    let detail = past.last().and_then(|past| past.output.clone());
    WorkItem {
        id: step.word().into(),
        label: step.name().into(),
        detail: detail.unwrap_or_default().into(),
        duration_s: duration(course.began(step, zone), course.ended(step, zone)),
    }
}

fn summary(point: Point) -> String {
    match point {
        Point::Fresh => {
            "Set checkpoint to null and the stage to triaged, unless the issue waits at a gate."
                .to_owned()
        }
        Point::Retry => {
            "Reset the retries and set the stage to triaged, unless the issue waits at a gate."
                .to_owned()
        }
        Point::Override => "Set the stage to what follows the gate.".to_owned(),
        Point::Step(step) => format!(
            "Set the checkpoint back to the beginning of {}; an entry in step_history and updated_at say when.",
            step.word()
        ),
        Point::Cleanup | Point::FromTmp | Point::ReTriage => String::new(),
    }
}

/// A file is written only where its every byte is understood.
fn guards(file: &StateFile, state: &State, can_splice: bool) -> Vec<Guard> {
    let schema = state
        .checkpoint()
        .map_or(SCHEMA, |checkpoint| checkpoint.schema);
    let twice = duplicate_keys::twice(&file.bytes);
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

fn losses(scene: &Scene<'_>, point: Point) -> Vec<Foreign> {
    let gate = scene.gate().map(Stage::word);
    let kept = |gate| format!("The stage stays {gate}: the gate is not overridden.");
    let mut all: Vec<Foreign> = Vec::new();
    if let (Point::Fresh, Some(checkpoint)) = (point, scene.state.checkpoint()) {
        let (past, documents) = (checkpoint.history.len(), checkpoint.artifacts.len());
        all.push(
            format!(
                "The state file forgets {past} recorded steps and {documents} listed documents; the documents themselves stay."
            )
            .into(),
        );
    }
    if matches!(point, Point::Fresh | Point::Retry | Point::Step(_)) && !scene.is_chosen(point) {
        all.extend(gate.map(kept).map(Foreign::from));
    }
    all
}
