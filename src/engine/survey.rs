//! The survey: walk, recognize, read, judge. Rows are delivered as they are found.

mod hits;

use std::collections::hash_map::Entry;
use std::collections::{HashMap, VecDeque};
use std::num::NonZero;
use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex};

use super::search_area::{SearchArea, unreadable};
use super::{Engine, EngineError, Hidden, Opened, Request, Result, Scope, Skipped, Survey, ids};
use crate::model::{Foreign, Pipeline, PipelineId, Status, SystemName, lock};
use crate::systems::{Candidate, Hit, Marker, Sniffed, System};
use crate::text::Shown as _;
use crate::world::World;
use crate::world::cached::CachedWorld;
use crate::world::files::ReadError;
use hits::{refused, unopened, wants};

type Key = (SystemName, Foreign, PathBuf);
/// A pipeline, and what it was read from.
type Read = (Pipeline, Candidate);

/// What of a survey stays at hand for later questions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Keep {
    /// Every pipeline, as it was read. It is read as soon as it is found, and once more if more of its files were found
    /// after that.
    All,
    /// Only what could not be named while it was found, because its id is that of another one. Each is read once, when
    /// all of its files were found.
    Unnamed,
}

/// What was found of a pipeline so far.
struct Known {
    candidate: Candidate,
    /// It is to be read when all is found.
    waits: bool,
}

/// What is known so far, shared by the readers, and the world that they ask.
struct Catch<'a> {
    world: &'a dyn World,
    wanted: &'a (dyn Fn(&Candidate) -> bool + Sync),
    keep: Keep,
    known: Mutex<HashMap<Key, Known>>,
    /// What is to be read when all is found, in the order in which it was.
    waiting: Mutex<VecDeque<Key>>,
    read: Mutex<HashMap<Key, Read>>,
    skipped: Mutex<Vec<Skipped>>,
}

impl Catch<'_> {
    fn skip(&self, path: PathBuf, reason: impl Into<Foreign>) {
        self.leave(path, reason.into(), false);
    }

    /// Something cannot be read, so the answer may lack pipelines.
    fn unread(&self, path: PathBuf, why: &ReadError) {
        self.leave(path, format!("cannot be read: {why}").into(), true);
    }

    fn leave(&self, path: PathBuf, reason: Foreign, unread: bool) {
        lock(&self.skipped).push(Skipped {
            path,
            reason,
            unread,
        });
    }
}

impl Engine {
    /// Finds the pipelines of a request. `found` gets each row as soon as it is read; a row may come again,
    /// with more facts. Complete and out-of-scope ones come only with the whole answer, and only as counts.
    pub fn survey(&self, request: &Request, found: &(dyn Fn(&Pipeline) + Sync)) -> Result<Survey> {
        let world = &self.cached();
        let found = |opened: &Opened| found(&opened.pipeline);
        self.survey_in(world, request, &|_| true, &found, Keep::All)
    }

    /// The same in a world that other questions are asked of. Of the pipelines only those that are wanted are read.
    /// `found` may get one again before it is done with it, on another thread and with more sources.
    pub(super) fn survey_in(
        &self,
        world: &CachedWorld<'_>,
        request: &Request,
        wanted: &(dyn Fn(&Candidate) -> bool + Sync),
        found: &(dyn Fn(&Opened) + Sync),
        keep: Keep,
    ) -> Result<Survey> {
        let area = self.search_area(request)?;
        let systems = self.chosen(request)?;
        self.world.processes().refresh();
        self.forget_conversations();
        self.forget_own_recoveries();
        let catch = Catch {
            world,
            wanted,
            keep,
            known: Mutex::default(),
            waiting: Mutex::default(),
            read: Mutex::default(),
            skipped: Mutex::default(),
        };
        let show = |opened: &Opened| {
            let shown = area.holds(&opened.pipeline)
                && self.settings.ignored(&opened.pipeline).is_none()
                && (request.all || opened.pipeline.standing.status != Status::Complete);
            if shown {
                found(opened);
            }
        };
        let (hits, inbox) = channel::<Hit>();
        let inbox = Mutex::new(inbox);
        // Some recognize and read while others walk.
        let readers = std::thread::available_parallelism().map_or(2, NonZero::get);
        let readers = readers.max(2);
        self.telling(|| {
            std::thread::scope(|scope| {
                for _ in 0..readers {
                    scope.spawn(|| self.read_hits(&systems, &inbox, &catch, &show));
                }
                let tally = self.look(&systems, &area, world, hits);
                for (path, why) in tally.left_out {
                    catch.skip(path, format!("not looked at: {why}"));
                }
                for (path, why) in tally.unread {
                    catch.unread(path, &why);
                }
            });
            std::thread::scope(|scope| {
                for _ in 1..readers {
                    scope.spawn(|| self.read_waiting(&catch, &show));
                }
                self.read_waiting(&catch, &show);
            });
        });
        for (path, why) in world.unread() {
            catch.unread(path, &why);
        }
        self.answer(request, area, &catch)
    }

    /// The systems a request speaks of.
    pub(super) fn chosen(&self, request: &Request) -> Result<Vec<&'static dyn System>> {
        let Some(name) = &request.system else {
            return Ok(self.systems.to_vec());
        };
        let named = self.systems.iter().copied();
        let chosen: Vec<_> = named.filter(|system| system.name().0 == name).collect();
        if chosen.is_empty() {
            return Err(self.no_system(name));
        }
        Ok(chosen)
    }

    /// The error for the name of a system that there is not.
    pub fn no_system(&self, name: &str) -> EngineError {
        let known: Vec<&str> = self.systems().collect();
        EngineError::usage(format!("There is no system {name}."))
            .near(name, known.iter().copied())
            .hint(format!("The systems are {}.", known.join(", ")))
    }

    /// Recognises and reads until there are no more hits.
    fn read_hits(
        &self,
        systems: &[&'static dyn System],
        inbox: &Mutex<Receiver<Hit>>,
        catch: &Catch<'_>,
        show: &(dyn Fn(&Opened) + Sync),
    ) {
        loop {
            let next = lock(inbox).recv();
            let Ok(hit) = next else { return };
            if let Some(reason) = unopened(&hit, catch.world) {
                catch.skip(hit.path, reason);
                continue;
            }
            let mut reasons = Vec::new();
            let mut ours = false;
            for system in systems.iter().filter(|system| wants(**system, &hit)) {
                match system.sniff(&hit, catch.world) {
                    Sniffed::Ours(candidates) => {
                        ours = true;
                        for candidate in candidates {
                            self.take(candidate, catch, show);
                        }
                    }
                    Sniffed::NotOurs(reason) => reasons.push((system.name(), reason)),
                }
            }
            // A name that two systems share is skipped only when neither knows it.
            if ours || reasons.is_empty() {
                continue;
            }
            if let Some(why) = refused(&hit, catch.world) {
                catch.unread(hit.path, &why);
            } else if hit.marker != Marker::Repository {
                let reasons = reasons.iter();
                let reasons = reasons.map(|(system, why)| format!("{system}: {}", why.shown()));
                catch.skip(hit.path, reasons.collect::<Vec<_>>().join("; "));
            }
        }
    }

    /// Merges a candidate into what is known of the same pipeline, and reads it now or has it read later.
    fn take(&self, candidate: Candidate, catch: &Catch<'_>, show: &(dyn Fn(&Opened) + Sync)) {
        if !(catch.wanted)(&candidate) {
            return;
        }
        let (native, anchor) = (candidate.native.clone(), candidate.anchor.clone());
        let key = (candidate.system, native, anchor);
        let mut all = lock(&catch.known);
        let (known, is_new) = match all.entry(key.clone()) {
            Entry::Vacant(new) => {
                let candidate = candidate.clone();
                let waits = false;
                (new.insert(Known { candidate, waits }), true)
            }
            Entry::Occupied(known) => {
                let known = known.into_mut();
                let mut news = candidate.sources.clone();
                news.retain(|source| !known.candidate.sources.contains(source));
                if news.is_empty() {
                    return;
                }
                known.candidate.sources.extend(news);
                // In whichever order they were found.
                known.candidate.sources.sort();
                (known, false)
            }
        };
        if is_new && catch.keep == Keep::All {
            drop(all);
            self.read(key, candidate, catch, show);
        } else if !std::mem::replace(&mut known.waits, true) {
            lock(&catch.waiting).push_back(key);
        }
    }

    /// Reads what waits until all is found.
    fn read_waiting(&self, catch: &Catch<'_>, show: &(dyn Fn(&Opened) + Sync)) {
        loop {
            let next = lock(&catch.waiting).pop_front();
            let Some(key) = next else { return };
            let known = lock(&catch.known).remove(&key);
            if let Some(known) = known {
                self.read(key, known.candidate, catch, show);
            }
        }
    }

    fn read(
        &self,
        key: Key,
        candidate: Candidate,
        catch: &Catch<'_>,
        show: &(dyn Fn(&Opened) + Sync),
    ) {
        let Some(opened) = self.open(candidate, catch.world) else {
            return;
        };
        self.search.pipelines.fetch_add(1, Ordering::Relaxed);
        let opened = Arc::new(opened);
        if catch.keep == Keep::All {
            self.remember(Arc::clone(&opened));
        }
        show(&opened);
        let read = (opened.pipeline.clone(), opened.candidate.clone());
        lock(&catch.read).insert(key, read);
    }

    /// The whole answer: one row a pipeline, ids made unambiguous, the hidden counted.
    fn answer(&self, request: &Request, area: SearchArea, catch: &Catch<'_>) -> Result<Survey> {
        let read = std::mem::take(&mut *lock(&catch.read));
        let read = self.unambiguous(read.into_values().collect(), catch.world);
        let mut hidden = Hidden {
            unwalked: area.scope != Scope::Machine && !self.roots.is_empty(),
            ..Hidden::default()
        };
        let mut pipelines = Vec::with_capacity(read.len());
        for pipeline in read {
            if let Some(reason) = self.settings.ignored(&pipeline) {
                let reading = &pipeline.reading;
                let file = reading.state_files.first().or(reading.work_tree.as_ref());
                catch.skip(file.unwrap_or(&reading.root).clone(), reason);
            } else if !area.holds(&pipeline) {
                // Complete ones too, whether they would be listed here or not: every front end names the same number.
                hidden.scope += 1;
            } else if !request.all && pipeline.standing.status == Status::Complete {
                hidden.complete += 1;
            } else {
                pipelines.push(pipeline);
            }
        }
        let newest = |p: &Pipeline| std::cmp::Reverse(p.reading.last_activity_at.map(|s| s.at));
        pipelines.sort_by(|a, b| newest(a).cmp(&newest(b)).then_with(|| a.id.cmp(&b.id)));
        let mut skipped = std::mem::take(&mut *lock(&catch.skipped));
        let order = |one: &Skipped| (one.path.clone(), !one.unread, one.reason.clone());
        skipped.sort_by_cached_key(order);
        skipped.dedup_by(|a, b| a.path == b.path);
        let named = |one: &&Skipped| one.unread && area.files.contains(&one.path);
        if let Some(one) = skipped.iter().find(named) {
            return Err(unreadable(&one.path, &one.reason.lossy()));
        }
        Ok(Survey {
            pipelines,
            skipped,
            hidden,
            scope: area.scope,
            roots: area.roots,
        })
    }

    /// Two roots can share four hex digits: their ids grow until they differ.
    fn unambiguous(&self, read: Vec<Read>, world: &dyn World) -> Vec<Pipeline> {
        let mut taken: HashMap<PipelineId, usize> = HashMap::new();
        for (pipeline, _) in &read {
            *taken.entry(pipeline.id.clone()).or_default() += 1;
        }
        let distinct = |(mut pipeline, candidate): Read| {
            if taken.get(&pipeline.id).is_some_and(|count| *count > 1) {
                pipeline.id = ids::id(&pipeline.reading, ids::USUAL * 3);
                let id = Some(pipeline.id.clone());
                if let Some(again) = self.open_as(id, candidate, world) {
                    self.remember(Arc::new(again));
                }
            }
            pipeline
        };
        read.into_iter().map(distinct).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::testing::Scene;

    #[test]
    fn a_folder_is_read_once_however_many_of_its_files_are_found() {
        let scene = Scene::shared();
        let request = Request {
            paths: vec![scene.path("projects")],
            all: true,
            ..Request::default()
        };
        let found = Mutex::new(Vec::new());
        let survey = scene
            .engine
            .survey(&request, &|one| lock(&found).push(one.id.clone()));
        let mut found = found.into_inner().unwrap();
        assert!(found.len() >= survey.unwrap().pipelines.len());
        let copied = |id: &PipelineId| id.0.starts_with("crucible-");
        found.sort();
        for same in found.chunk_by(|a, b| a == b) {
            // A crucible session comes once more when all copies of its manifest were found.
            assert!(same.len() <= 1 + usize::from(copied(&same[0])), "{same:?}");
        }
    }
}
