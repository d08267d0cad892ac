//! The facts for running a build again: its dispatches, the boundaries at which a replay can start, where it ended. It
//! states the facts of the files; `replay` plans the run.

mod starts;

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

use super::facts::dispatch_files::DispatchFiles;
use super::facts::marks::Marks;
use super::facts::work::{Crossings, Work};
use super::facts::{Run, Unit, templates, waves};
use super::shape::is_commit_id;
use super::shape::manifest::{Entry, Line, Manifest, Sym, template};
use crate::model::{Checkpoint, Dispatch, Experiment, Foreign, Origin, Place, SessionId, Stamp};
use crate::text::Shown as _;
use crate::world::World;
use crate::world::files::Files;

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
        run,
        marks: Marks::of(run),
    };
    let dispatches = listing.all(world.files(), |_, _| vec![&run.files]);
    let baseline = run.record().and_then(|m| m.baseline_sha.as_deref());
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
        run,
        marks: Marks::of(run),
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

/// The manifest to list.
struct Listing<'a> {
    manifest: &'a Manifest,
    work: &'a Work,
    run: &'a Run,
    marks: Marks,
}

impl Listing<'_> {
    /// All dispatches by number. `folders` returns where the files of a number and session are; the session is empty
    /// for the original run.
    fn all<'f>(
        &self,
        files: &dyn Files,
        folders: impl Fn(u64, &str) -> Vec<&'f DispatchFiles>,
    ) -> Vec<Dispatch> {
        let manifest = self.manifest;
        let mut lines = manifest.reread(files);
        let origins = originals(manifest);
        let entries = manifest.entries.iter().zip(&self.work.units);
        let all = entries.map(|(entry, unit)| {
            let session = manifest.word(manifest.session(entry)).unwrap_or_default();
            let folders = folders(entry.seq, session);
            let line = lines.members(entry).unwrap_or_default();
            Dispatch {
                replay_of: origins.get(&entry.seq).copied(),
                ..self.dispatch(entry, *unit, &line, &folders)
            }
        });
        let mut all: Vec<Dispatch> = all.collect();
        inherit_waves(&mut all);
        all
    }

    fn dispatch(
        &self,
        entry: &Entry,
        unit: Unit,
        line: &Line<'_>,
        folders: &[&DispatchFiles],
    ) -> Dispatch {
        let manifest = self.manifest;
        let named = line.shown("file").filter(|name| !name.is_empty());
        let mut places = folders.iter();
        let place = places.find_map(|folder| folder.find(entry.seq, named.as_deref()));
        let on_disk = place.and_then(|place| Some(place.path().file_name()?.to_str()?.to_owned()));
        let mut clocks = folders.iter().map(|folder| &folder.clock);
        let begun_at: Option<Stamp> = clocks.find_map(|clock| clock.get(&entry.seq).copied());
        let facts = self.work.phase_of(unit);
        let word = |sym| manifest.word(sym).map(Foreign::from);
        let session = manifest.word(manifest.session(entry));
        let wave = facts.filter(|_| session.is_none()).and_then(|facts| {
            let task = manifest.word(entry.task);
            waves::of_dispatch(self.run, &self.marks, facts.name.rank, task, begun_at)
        });
        let template = template_of(line, on_disk.as_deref());
        let file = named.map(Cow::into_owned).or(on_disk);
        Dispatch {
            seq: entry.seq,
            template: template.into(),
            file: file.unwrap_or_default().into(),
            role: manifest.role(entry).into(),
            phase: facts.map_or("-", |facts| facts.name.base.as_str()).into(),
            task: word(entry.task),
            status: entry.status,
            duration_s: entry.duration_s(),
            summary: text(line, &["summary"]),
            input_chars: count(line, &["input_chars", "diff_chars"]),
            output_chars: count(line, &["output_chars"]),
            tool_calls: count(line, &["tool_calls"]),
            model_tier: text(line, &["model_tier", "model_profile"]),
            model: text(line, &["actual_model"]),
            begun_at,
            path: place.map(Place::path),
            output: None,
            wave,
            replay_of: None,
            session: session.map(|id| SessionId(id.to_owned())),
            mutation: word(manifest.mutation(entry)),
            origin: Origin::at(manifest.path(), manifest.line_of(entry)),
        }
    }
}

/// The name of the template: an old tool writes `unknown` where it had lost it, and the file may know better.
fn template_of(line: &Line<'_>, on_disk: Option<&str>) -> String {
    let recorded = template(|key| line.shown(key)).map(Cow::into_owned);
    let recorded = recorded.filter(|name| name != "unknown" && !name.is_empty());
    let of_file = || {
        let stem = on_disk?.strip_suffix(".md")?;
        Some(stem.split_once('-')?.1.to_owned())
    };
    recorded.or_else(of_file).unwrap_or_default()
}

fn text(line: &Line<'_>, keys: &[&str]) -> Option<Foreign> {
    let found = keys.iter().find_map(|key| line.shown(key));
    found.filter(|text| !text.is_empty()).map(Foreign::from)
}

fn count(line: &Line<'_>, keys: &[&str]) -> Option<u64> {
    let number = keys.iter().find_map(|key| line.int(key));
    number.and_then(|number| u64::try_from(number).ok())
}

/// A replay of a dispatch belongs to the wave of that dispatch; its own time does not count, because it ran outside the
/// run.
fn inherit_waves(all: &mut [Dispatch]) {
    let waves: HashMap<u64, Option<u64>> = all.iter().map(|one| (one.seq, one.wave)).collect();
    for one in all.iter_mut().filter(|one| one.session.is_some()) {
        let of = one.replay_of.and_then(|seq| waves.get(&seq).copied());
        one.wave = of.flatten();
    }
}

/// The number at the end of each chain of `replay_of`: a second replay still runs the first dispatch again. Cyclic
/// links have no end.
fn originals(manifest: &Manifest) -> BTreeMap<u64, u64> {
    let entries = manifest.entries.iter();
    let of: BTreeMap<u64, u64> = entries
        .filter_map(|entry| Some((entry.seq, manifest.replay_of(entry)?)))
        .collect();
    let mut known: BTreeMap<u64, Option<u64>> = BTreeMap::new();
    for start in of.keys() {
        let mut path = Vec::new();
        let mut at = *start;
        // A number of this walk is marked as having no end, so a cycle ends the walk.
        let end = loop {
            if let Some(end) = known.get(&at) {
                break *end;
            }
            let Some(next) = of.get(&at) else {
                break Some(at);
            };
            known.insert(at, None);
            path.push(at);
            at = *next;
        };
        known.extend(path.into_iter().map(|seq| (seq, end)));
    }
    let ended = known.into_iter().filter_map(|(seq, end)| Some((seq, end?)));
    ended.collect()
}

#[cfg(test)]
mod tests;
