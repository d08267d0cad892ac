//! The facts for running a build again: its dispatches, the boundaries at which a replay can start, where it ended. It
//! states the facts of the files; `replay` plans the run.

mod dispatches;
mod starts;

use std::path::{Path, PathBuf};

use self::dispatches::Listing;
use super::facts::dispatch_files::DispatchFiles;
use super::facts::waves::Waves;
use super::facts::work::{Crossings, Work};
use super::facts::{Run, templates};
use super::shape::is_commit_id;
use super::shape::manifest::{Manifest, Sym};
use crate::model::{Checkpoint, Dispatch, Experiment, Foreign, Place};
use crate::text::Shown as _;
use crate::world::World;

/// All facts of a run; `None` without a manifest.
pub(crate) fn experiment(
    run: &Run,
    checkpoints: &[Checkpoint],
    world: &dyn World,
) -> Option<Experiment> {
    let manifest = run.manifest.as_deref()?;
    let listing = Listing {
        manifest,
        work: &run.work,
        waves: Waves::of(run),
    };
    let dispatches = listing.all(world.files(), |_, _| vec![&run.files]);
    let baseline = run.marker().and_then(|m| m.baseline_sha.as_deref());
    Some(Experiment {
        session: run.session.as_str().into(),
        skill: run.skill.as_str().into(),
        manifest: manifest.path(),
        dispatch_dir: dispatch_dir(run),
        scratch_dir: run.sources.scratch(),
        started_at: run.started_at,
        work_tree: run.work_tree().map(Path::to_owned),
        branch: run.branch().map(Foreign::from),
        baseline: baseline.and_then(|id| full_id(run, id, world)),
        end: end(run, world),
        starts: starts::all(run, &dispatches, checkpoints, world),
        dispatches,
        plugin_templates: templates::folders(&run.skill, world),
    })
}

/// The dispatches of a copy of the run's manifest that a replay continues. The files of a replay's dispatches are only
/// in its own folder, because the run itself may have used the same numbers since. The error is a sentence.
pub(crate) fn continued(
    run: &Run,
    manifest: &Place,
    dispatch_dir: &Path,
    world: &dyn World,
) -> Result<Vec<Dispatch>, Foreign> {
    let read = Manifest::read(world.files(), manifest);
    let read = read.map_err(|why| {
        let path = manifest.path();
        format!("The manifest {} cannot be read: {why}.", path.shown())
    })?;
    let root = manifest.opened_root();
    let beneath = dispatch_dir.strip_prefix(root).ok();
    let dir = beneath.and_then(|rest| Place::known(root, rest).ok());
    let dir = dir.unwrap_or_else(|| Place::root(dispatch_dir));
    let mut files = DispatchFiles::default();
    files.read(&dir, false, world);
    let work = Work::of(&read, &run.skill, &Crossings::default());
    let listing = Listing {
        manifest: &read,
        work: &work,
        waves: Waves::of(run),
    };
    let original = run.manifest.as_deref();
    Ok(listing.all(world.files(), |seq, session| {
        if session.is_empty() || is_of(original, seq, session) {
            vec![&run.files, &files]
        } else {
            vec![&files]
        }
    }))
}

/// True if the run's own manifest has this number in the same replay session.
fn is_of(manifest: Option<&Manifest>, seq: u64, session: &str) -> bool {
    manifest.is_some_and(|manifest| {
        let entry = manifest.entry(seq);
        let sym = entry.map_or(Sym::NONE, |entry| manifest.session(entry));
        manifest.word(sym) == Some(session)
    })
}

/// The folder with dispatch files, else the folder where they will be created.
fn dispatch_dir(run: &Run) -> Option<PathBuf> {
    let held = run.files.places.values().flatten().next();
    let held = held.and_then(|place| Some(place.path().parent()?.to_owned()));
    held.or_else(|| run.sources.dispatch.first().map(Place::path))
}

/// The full id of a commit of the project. An id that is already full is kept even if the project does not have it.
fn full_id(run: &Run, id: &str, world: &dyn World) -> Option<String> {
    let known = run.work_tree().and_then(|path| {
        let commit = world.git().find_commit(path, id).ok()?;
        Some(commit.id)
    });
    known.or_else(|| (id.len() == 40).then(|| id.to_owned()))
}

/// The commit that was handed to phase 4, from a recent hand-off: no other record shows the end of a run.
fn end(run: &Run, world: &dyn World) -> Option<String> {
    let handoffs = run.documents.handoffs.iter().rev();
    let mut last = handoffs.filter(|doc| doc.what.from == "3" && doc.what.to == "4");
    let inputs = &last.next()?.what.inputs;
    let head = inputs.iter().find(|(name, _)| {
        let name = name.to_lowercase();
        name.contains("head") && (name.contains("sha") || name.contains("commit"))
    })?;
    let mut words = head.1.split(|c: char| !c.is_ascii_alphanumeric());
    let id = words.find(|word| is_commit_id(word))?;
    full_id(run, &id.to_lowercase(), world)
}

#[cfg(test)]
mod tests;
