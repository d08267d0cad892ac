//! Checks of the files that stages left: S8 and S9.

use crate::model::Place;
use crate::systems::superscientist::checks::rerun_command;
use crate::systems::superscientist::facts::runs::folder::is_secret;
use crate::systems::superscientist::facts::{Scene, jobs, paths};
use crate::systems::superscientist::shape::{Stage, StageStatus};
use crate::world::files::{FileKind, ReadError, SMALL_CAP};

use crate::systems::kit::checks::{Outcome, fail, pass, warn};

/// How many bytes at the end of a stream are searched for error words.
const TAIL: usize = 256 << 10;
/// How many outputs of a stage are named in a sentence.
const NAMED: usize = 8;

/// S8: the outputs of completed stages exist and are not empty.
pub(crate) fn present(scene: &Scene<'_>) -> Vec<Outcome> {
    let completed = scene.flow.state.with(StageStatus::Completed);
    let found = completed.map(|stage| stage_outputs(scene, stage).about(stage.subject()));
    found.collect()
}

fn stage_outputs(scene: &Scene<'_>, stage: &Stage) -> Outcome {
    let (mut wrong, mut patterns) = (Vec::new(), Vec::new());
    for path in &stage.outputs {
        match problem(scene, path) {
            None => {}
            Some(_) if path.contains('*') => patterns.push(path.as_str()),
            Some(why) => wrong.push(format!("{path} {why}")),
        }
    }
    let count = stage.outputs.len();
    if wrong.is_empty() && patterns.is_empty() {
        let text = match count {
            0 => "It lists no outputs.".to_owned(),
            1 => "Its output exists and is not empty.".to_owned(),
            _ => format!("All {count} outputs exist and are not empty."),
        };
        return pass(text);
    }
    if wrong.is_empty() {
        let patterns = patterns.join(", ");
        let text = format!("Listed as a pattern and not checked: {patterns}.");
        return warn(text, "Check the files yourself, or list them individually.");
    }
    let ignored = stage.outputs.iter().any(|path| is_ignored(scene, path));
    let bad = wrong.len();
    let more = bad.saturating_sub(NAMED);
    wrong.truncate(NAMED);
    if more > 0 {
        wrong.push(format!("and {more} more"));
    }
    let wrong = wrong.join("; ");
    let mut text = match count {
        1 => format!("Its output {wrong}."),
        _ => format!("{bad} of {count} outputs: {wrong}."),
    };
    if ignored {
        text.push_str(" git ignores outputs here, so a fresh clone does not have them.");
    }
    let plan = rerun_command(scene, stage);
    let remedy = format!("Copy the files back from where the stage ran, or re-run it: {plan}.");
    fail(text, remedy)
}

/// What is wrong with an output, as a clause without its subject.
fn problem(scene: &Scene<'_>, path: &str) -> Option<String> {
    let place = match paths::beneath(&scene.facts.wf, path) {
        Ok(place) => place,
        Err(why) => return Some(format!("is not opened: {why}")),
    };
    match scene.world.files().stat(&place) {
        Ok(stat) => match stat.kind {
            FileKind::File => (stat.size == 0).then(|| "is empty".to_owned()),
            FileKind::Dir => {
                let listed = scene.world.files().list(&place);
                let empty = listed.is_ok_and(|list| list.is_empty());
                empty.then(|| "is an empty directory".to_owned())
            }
            FileKind::Link => Some("is a link, which is not followed".to_owned()),
            FileKind::Other => Some("is not a regular file".to_owned()),
        },
        Err(ReadError::NotFound) => Some("is not found".to_owned()),
        Err(error) => Some(format!("cannot be read: {error}")),
    }
}

fn is_ignored(scene: &Scene<'_>, path: &str) -> bool {
    let place = scene.facts.in_repo(path);
    place.is_some_and(|(top, rel)| scene.world.git().is_ignored(top, &rel).unwrap_or(false))
}

/// S9: outputs parse, the job ended with 0, and its streams have no error words.
pub(crate) fn sound(scene: &Scene<'_>) -> Vec<Outcome> {
    let ended = [StageStatus::Completed, StageStatus::PostProcessing];
    let done = scene.stages().iter().filter(|s| ended.contains(&s.status));
    done.filter_map(|stage| stage_soundness(scene, stage))
        .collect()
}

fn stage_soundness(scene: &Scene<'_>, stage: &Stage) -> Option<Outcome> {
    let wf = &scene.facts.wf;
    let outputs = stage.outputs.iter().filter(|path| !is_secret(path));
    let torn = outputs.filter_map(|path| {
        let place = paths::beneath(wf, path).ok()?;
        Some(format!("{path} {}", torn(scene, path, &place)?))
    });
    let exit = jobs::ended(wf, stage, &scene.facts.log, scene.world);
    let exit = exit.filter(|exit| *exit != Ok(0));
    let ended = exit
        .as_ref()
        .map(|exit| format!("its job {}", jobs::how(exit)));
    let mut wrong: Vec<String> = ended.into_iter().chain(torn).collect();
    if let Some(folder) = stage.folder() {
        for name in ["log", "err"] {
            let place = Place::known(wf, format!("{folder}/{name}")).ok();
            let word = place.and_then(|place| trouble(scene, &place));
            wrong.extend(word.map(|word| format!("{folder}/{name} has the word {word}")));
        }
    }
    wrong.truncate(NAMED);
    let text = format!("Possible problems: {}.", wrong.join("; "));
    let remedy = match exit {
        Some(_) => "Check the job's output, then run the stage again or accept its results.",
        None => "Read the file; if it is truncated, run the stage again.",
    };
    (!wrong.is_empty()).then(|| warn(text, remedy).about(stage.subject()))
}

/// Evidence that an output is truncated.
fn torn(scene: &Scene<'_>, path: &str, place: &Place) -> Option<&'static str> {
    let lower = path.to_ascii_lowercase();
    let ends = |ending: &&str| lower.ends_with(*ending);
    if ends(&".json") {
        let bytes = scene.world.files().read(place, SMALL_CAP).ok()?;
        let broken = serde_json::from_slice::<serde::de::IgnoredAny>(&bytes).is_err();
        return broken.then_some("is not valid JSON");
    }
    let mut texts = [".csv", ".tsv", ".dat", ".txt", ".log", ".md", ".out"].iter();
    if !texts.any(ends) {
        return None;
    }
    let files = scene.world.files();
    let end = files.stat(place).ok()?.size;
    let last = files.read_range(place, end.saturating_sub(1), 1);
    (last.ok()? == [0]).then_some("ends in NUL bytes, as after a power failure")
}

/// The first error word near the end of a stream.
fn trouble(scene: &Scene<'_>, place: &Place) -> Option<&'static str> {
    let stat = scene.world.files().stat(place).ok()?;
    let from = stat.size.saturating_sub(TAIL as u64);
    let bytes = scene.world.files().read_range(place, from, TAIL).ok()?;
    ["ERROR", "FAILED", "WARN"]
        .into_iter()
        .find(|word| memchr::memmem::find(&bytes, word.as_bytes()).is_some())
}
