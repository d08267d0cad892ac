//! Writes the state file: a changed state with its `.backup`, or the backup in place of a damaged file.

use std::iter;

use crate::formats::json::NOW;
use crate::model::{ClockStyle, DATED, Guard, Intent, Loss, Step};
use crate::systems::kit::forms::replace;
use crate::systems::nine_step::Scene;
use crate::systems::nine_step::facts::{Facts, Source};
use crate::systems::nine_step::record::{self, Change};
use crate::systems::nine_step::shape::Doc;
use crate::text::Shown as _;

/// Adds a changed state to an intent, or the guard that says why it cannot be written.
pub(crate) fn write(scene: Scene<'_>, change: &Change, intent: &mut Intent) {
    let facts = scene.facts;
    let usable = original(facts).zip(facts.state.as_ref());
    let Some(((doc, original), state)) = usable else {
        intent.losses.push(Loss::not_restored(
            "There is no usable state file, so none is written: the briefing has all the information.",
        ));
        return;
    };
    match record::apply(&original.bytes, state, change) {
        Ok(content) => {
            let holds = Guard::holds("state_file", "The state file can be changed in place.");
            intent.guards.push(holds);
            let clock = change.is_dated().then_some(ClockStyle::LocalNaive);
            // The placeholder is replaced wherever it occurs, so the file must not contain it already.
            let clash = memchr::memmem::find(&original.bytes, NOW.as_bytes()).is_some();
            if clock.is_some() && clash {
                intent.guards.push(Guard::fails(
                    "placeholder",
                    format!("The state file contains the text {NOW} itself."),
                    "Remove that text from it by hand.",
                ));
            }
            put(scene, doc, content, clock, summary(change), intent);
        }
        Err(why) => intent.guards.push(Guard::fails(
            "state_file",
            format!("The state file is not written: {why}."),
            "Repair the file by hand.",
        )),
    }
}

fn summary(change: &Change) -> String {
    match &change.resume_plan {
        Some((phase, step, _)) => {
            format!("The state file then says: continue at phase {phase}, step {step}. {DATED}")
        }
        None => "The state file then says how many phases there are.".to_owned(),
    }
}

/// The file to write, and the file whose bytes are changed: the same, or its backup if it is damaged.
fn original(facts: &Facts) -> Option<(&Doc, &Doc)> {
    let doc = facts.doc()?;
    match facts.source {
        Source::State => Some((doc, doc)),
        Source::Backup => Some((doc, facts.backup.as_ref()?)),
        Source::Inferred => None,
    }
}

/// The actions that change the state file and keep its old content. They belong in one transaction: a new state without
/// its `.backup` would violate the format's own rule.
fn put(
    scene: Scene<'_>,
    doc: &Doc,
    content: Vec<u8>,
    clock: Option<ClockStyle>,
    summary: String,
    intent: &mut Intent,
) {
    let mut both = iter::once(doc).chain(&scene.facts.backup);
    if let Some((path, cure)) = both.find_map(|doc| Some((doc.path(), doc.cure()?))) {
        let path = path.shown();
        let text = format!("{path} cannot be read, so its content could not be kept.");
        intent.guards.push(Guard::fails("state_file", text, cure));
        return;
    }
    let old = doc.modified.map(|_| doc.bytes.clone());
    let kept = old.clone().map(|old| keep(scene, doc, old));
    intent.steps.extend(kept);
    let step = Step::replace_file(doc.path(), old, content, clock, summary);
    intent.steps.push(step);
}

/// The old state becomes `.backup`. A damaged one gets another name, because then the backup is the good copy.
fn keep(scene: Scene<'_>, doc: &Doc, old: Vec<u8>) -> Step {
    let facts = scene.facts;
    if facts.source == Source::State {
        let path = doc.dir.join(format!("{}.backup", doc.name));
        let before = facts.backup.as_ref().map(|backup| backup.bytes.clone());
        return replace(path, before, old, "The current state file, byte for byte.");
    }
    let when = doc.modified.map(|at| record::in_name(at, scene.world));
    let name = format!("{}.corrupt-{}", doc.name, when.unwrap_or_default());
    let summary = "The damaged state file, byte for byte; the time in its name is its last write.";
    replace(doc.dir.join(name), None, old, summary)
}

/// The backup's bytes become the state file.
pub(crate) fn from_backup(scene: Scene<'_>, intent: &mut Intent) {
    let facts = scene.facts;
    let Some((doc, backup)) = facts.doc().zip(facts.backup.as_ref()) else {
        return;
    };
    let states = doc.state().zip(backup.state());
    let other = states.is_some_and(|(new, old)| new.feature != old.feature);
    intent.guards.push(if other {
        Guard::fails(
            "backup",
            "The backup is of another feature.",
            "Find a backup that names the same feature.",
        )
    } else {
        Guard::holds("backup", "The backup belongs to this work.")
    });
    let summary = "The state file is its backup again, byte for byte.".to_owned();
    put(scene, doc, backup.bytes.clone(), None, summary, intent);
    let lost = "The current content of the state file is replaced.";
    intent.losses.push(Loss::overwritten(lost));
}
