//! Dispatches from the entries of a manifest and the dispatch files of its folders.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};

use crate::model::{Dispatch, Foreign, Origin, Place, SessionId, Stamp};
use crate::systems::crucible::facts::Unit;
use crate::systems::crucible::facts::dispatch_files::DispatchFiles;
use crate::systems::crucible::facts::waves::Waves;
use crate::systems::crucible::facts::work::Work;
use crate::systems::crucible::shape::manifest::{Line, template};
use crate::systems::crucible::shape::{Entry, Manifest};
use crate::world::files::Files;

/// The manifest to list.
pub(crate) struct Listing<'a> {
    pub(crate) manifest: &'a Manifest,
    pub(crate) work: &'a Work,
    pub(crate) waves: Waves<'a>,
}

impl Listing<'_> {
    /// All dispatches by number. `folders` returns where the files of a number and session are; the session is empty
    /// for the original run.
    pub(crate) fn all<'f>(
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
            self.waves.wave(facts.name.rank, task, begun_at)
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
