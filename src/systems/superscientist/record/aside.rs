//! Files that are renamed before work runs again: output folders, outputs outside them, and markers of an earlier
//! attempt.
//!
//! Every file stays in its directory, so that no bytes are copied and no mount is crossed; the new name is the lowest
//! unused `.v<k>`. No other move of the same plan enters a moved folder.

use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};

use crate::model::{Place, Step};
use crate::systems::superscientist::facts::{Facts, Flow, Scene, paths};
use crate::systems::superscientist::shape::{self, Stage};
use crate::world::World;
use crate::world::files::ReadError;

/// A stage's output folder, renamed to the lowest unused `.v<k>`.
pub(crate) fn folder(facts: &Facts, stage: &Stage, world: &dyn World) -> Option<Step> {
    let folder = stage.folder()?;
    let place = Place::known(&facts.wf, folder).ok()?;
    // A link is renamed as it is: a new run would write into what it leads to.
    world.files().stat(&place).ok()?;
    let to = facts.wf.join(facts.unused(folder));
    let summary = format!("Keeps {folder} under a new name.");
    Some(Step::move_aside(place.path(), to, summary))
}

/// The done marker and the exit code of an earlier attempt, renamed in their folder.
pub(crate) fn markers(wf: &Path, stage: &Stage, world: &dyn World) -> Vec<Step> {
    let files = stage.usual_job();
    let files = files.map(|job| [job.done_marker, job.exit_code_file]);
    let places = files.iter().flatten();
    let places = places.filter_map(|path| paths::beneath(wf, path).ok());
    let moves = places.filter_map(|place| {
        let from = place.path();
        let to = free(wf, &from, world).filter(|_| world.files().exists(&place))?;
        let summary = "Keeps a marker of an earlier attempt, so that no wait ends at once.";
        Some(Step::move_aside(from, to, summary))
    });
    moves.collect()
}

/// The lowest unused `<name>.v<k>` next to a path.
fn free(wf: &Path, from: &Path, world: &dyn World) -> Option<PathBuf> {
    let name = from.file_name()?;
    (1_u32..1000).find_map(|k| {
        let mut kept = name.to_owned();
        kept.push(format!(".v{k}"));
        let to = from.with_file_name(kept);
        let rel = to.strip_prefix(wf).ok()?;
        let there = Place::known(wf, rel).is_ok_and(|p| world.files().stat(&p).is_ok());
        (!there).then_some(to)
    })
}

/// Outputs of some stages outside their folders.
#[derive(Debug, Default)]
pub(crate) struct Outside {
    /// A stage, and the rename that keeps its output.
    pub(crate) moves: Vec<(usize, Step)>,
    /// A stage, and an output that stays where the new run overwrites it.
    pub(crate) left: Vec<(usize, String)>,
}

/// The outputs outside the folders when these stages run again. Outputs that another stage still uses, or that the
/// workflow itself needs, stay.
pub(crate) fn outside(scene: Scene<'_>, again: &[usize]) -> Outside {
    let Scene { facts, flow, world } = scene;
    let mut found = Outside::default();
    let mut moved: BTreeSet<PathBuf> = BTreeSet::new();
    for stage in again.iter().filter_map(|at| flow.stage(*at)) {
        for output in beside(stage) {
            let Ok(place) = paths::beneath(&facts.wf, output) else {
                continue;
            };
            let Some(rel) = place.beneath().map(|rel| rel.as_path().to_owned()) else {
                continue;
            };
            let stat = world.files().stat(&place);
            // What a directory that is a link leads to is overwritten too, and stays where it is.
            let linked = matches!(stat, Err(ReadError::Link));
            let there = stat.is_ok() || linked;
            if !there || moved.iter().any(|done| rel.starts_with(done)) {
                continue;
            }
            let needed = linked
                || is_own(&rel)
                || used(flow, again, stage, &rel)
                || moved.iter().any(|done| done.starts_with(&rel));
            let to = free(&facts.wf, &place.path(), world).filter(|_| !needed);
            let Some(to) = to else {
                found.left.push((stage.index, output.to_owned()));
                continue;
            };
            let summary = format!("Keeps an output of {} outside its directory.", stage.id);
            let step = Step::move_aside(place.path(), to, summary);
            found.moves.push((stage.index, step));
            moved.insert(rel);
        }
    }
    found
}

/// Outputs that are not in the stage's own folder.
pub(crate) fn beside(stage: &Stage) -> impl Iterator<Item = &str> {
    let prefix = format!("{}/", stage.id);
    let outputs = stage.outputs.iter().map(String::as_str);
    outputs.filter(move |path| {
        let path = path.trim_start_matches("./").trim_end_matches('/');
        path != prefix.trim_end_matches('/') && !path.starts_with(&prefix)
    })
}

/// Whether a path is, contains or is inside something that the workflow itself needs: its three files, its documents, a
/// stage's folder.
fn is_own(rel: &Path) -> bool {
    let first = rel.components().next().map(Component::as_os_str);
    let first = first.and_then(|name| name.to_str()).unwrap_or_default();
    let stage = first.split(".v").next().unwrap_or_default();
    [shape::STATE, shape::LOG, shape::INIT, shape::PAUSE, "docs"].contains(&first)
        || shape::stage_number(stage).is_some()
}

/// Whether a stage that keeps its results uses the path, or the stage itself reads it.
fn used(flow: &Flow, again: &[usize], own: &Stage, rel: &Path) -> bool {
    let touches = |path: &String| {
        let path = Path::new(path.trim_start_matches("./"));
        path.starts_with(rel) || rel.starts_with(path)
    };
    let kept = flow.state.stages.iter();
    let mut kept = kept.filter(|s| s.status.is_done() && !again.contains(&s.index));
    let reads = |stage: &Stage| flow.state.inputs(stage.index).iter().any(touches);
    reads(own) || kept.any(|stage| stage.outputs.iter().any(touches) || reads(stage))
}
