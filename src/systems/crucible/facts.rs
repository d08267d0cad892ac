//! Reads all files of one session into a [`Run`]: the facts for every decision.

pub(crate) mod causes;
pub(crate) mod copies;
pub(crate) mod dispatch_files;
pub(crate) mod documents;
pub(crate) mod evidence;
pub(crate) mod finished;
pub(crate) mod marks;
pub(crate) mod own_resume;
pub(crate) mod phase_order;
pub(crate) mod project;
pub(crate) mod reading;
pub(crate) mod roles;
pub(crate) mod sources;
pub(crate) mod stores;
pub(crate) mod templates;
pub(crate) mod undone;
pub(crate) mod waves;
pub(crate) mod work;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use chrono::{DateTime, Utc};

use super::shape;
use super::shape::manifest::{Entry, Manifest};
use super::shape::sniff::{is_eval, place_of};
use crate::model::{Finding, Foreign, Origin, Place, Stamp, Status};
use crate::systems::Candidate;
use crate::text::Shown as _;
use crate::world::World;
use crate::world::git::Commit;
use dispatch_files::DispatchFiles;
use documents::Documents;
use finished::Finished;
use own_resume::Resumed;
use project::Project;
use stores::{Window, is_reason};
use undone::Undone;
use waves::Grouping;
use work::Work;

pub(crate) use dispatch_files::MARK;
pub(crate) use phase_order::Rank;
pub(crate) use sources::{Lost, Sources};
pub(crate) use stores::{Saved, Store};
pub(crate) use work::{PhaseFacts, Unit, UnitState};

/// The kind of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RunKind {
    /// A regular session.
    Session,
    /// A run of crucible's evaluation harness, which is not resumed.
    Eval,
    /// The copy in a scratch folder that is left after a successful run of the first versions.
    SuccessCopy,
}

impl RunKind {
    fn of(candidate: &Candidate) -> Self {
        let anchor = &candidate.anchor;
        if anchor.file_name().is_some_and(is_eval) {
            Self::Eval
        } else if anchor.ends_with("memory") {
            Self::SuccessCopy
        } else {
            Self::Session
        }
    }
}

/// All facts of one session.
pub(crate) struct Run {
    pub(crate) session: String,
    pub(crate) kind: RunKind,
    pub(crate) sources: Sources,
    /// What is left of it once it is recorded as finished.
    pub(crate) finished: Finished,
    pub(crate) manifest: Option<Arc<Manifest>>,
    pub(crate) skill: String,
    /// The existing dispatch files. A durable copy has some too only after an escalation.
    pub(crate) files: DispatchFiles,
    /// True if a shorter copy was dropped or the copies differ: the run continued after it was copied.
    pub(crate) copies_differ: bool,
    pub(crate) documents: Documents,
    pub(crate) project: Option<Project>,
    pub(crate) stores: Vec<Store>,
    /// The run's checkpoints, oldest first.
    pub(crate) saved: Vec<Saved>,
    /// Checkpoints of work that an undo discarded, and of a missing work tree (of a moved project?): shown, never chosen.
    pub(crate) stranded: Vec<Saved>,
    /// The waves according to the decisions log.
    pub(crate) grouping: Grouping,
    pub(crate) started_at: Option<Stamp>,
    /// From its start to the start of the next run of the folder.
    pub(crate) window: Window,
    pub(crate) work: Work,
    /// relight's own latest resume at a boundary, which discarded the work after it.
    pub(crate) resumed: Option<Resumed>,
    /// What relight's own resume or restore did not restore, in a sentence.
    pub(crate) not_restored: Option<Foreign>,
    /// The work that undos of relight's own discarded.
    pub(crate) undone: Undone,
    pub(crate) last_write: Option<DateTime<Utc>>,
    /// Whether there was work, and no manifest that says which: what it kept and what runs again cannot be counted.
    pub(crate) is_uncounted: bool,
    pub(crate) findings: Vec<Finding>,
    commits: OnceLock<Result<Vec<Commit>, String>>,
}

impl Run {
    /// Reads the session of a candidate.
    pub(crate) fn gather(candidate: &Candidate, world: &dyn World) -> Self {
        let mut sources = Sources::find(candidate, world);
        let mut findings = std::mem::take(&mut sources.findings);
        let places = sources.manifests(world);
        let (manifest, unread) = copies::read_best(&places, world, &mut findings);
        let manifest = manifest.map(Arc::new);
        sources.unreadable_manifest = unread;
        let finished = Finished::find(&candidate.native.lossy(), &sources, world);
        let marker = sources.marker().or(finished.marker.as_ref()).cloned();
        let debugging = sources.debug.is_some();
        let skill = marker
            .as_ref()
            .map(|marker| marker.skill.trim().to_lowercase());
        // Without a marker, the kind of folder decides.
        let usual = || if debugging { "debugging" } else { "build" }.to_owned();
        let skill = skill.unwrap_or_else(usual);
        let mut files = DispatchFiles::default();
        for dir in sources.dispatch.iter().chain(&sources.copies) {
            files.read(dir, sources.copies.contains(dir), world);
        }
        for dir in &finished.dirs {
            files.read(dir, false, world);
        }
        files.closed = files.closed.or_else(|| sources.closed_dispatch.take());
        let first = files.clock.values().min().copied();
        let stated = marker.as_ref().and_then(|m| m.start_time);
        let started_at = stated.into_iter().chain(first).min();
        let started_at = started_at.or_else(|| sources::epoch(&candidate.native.lossy()));
        let window = window(started_at, &sources, manifest.as_deref());
        let baseline = marker.as_ref().and_then(|m| m.baseline_sha.as_deref());
        let mut stores = stores::in_projects(&sources.projects, world);
        let mut stranded = Vec::new();
        let named = candidate.work_tree.as_ref();
        let named = named.and_then(|path| world.files().canonical(path));
        let project = named.map(|path| Project {
            path,
            inferred: None,
        });
        let mut project = project.or_else(|| {
            let proven = stores.iter().filter_map(Store::proven_work_tree);
            let proven = proven.map(Path::to_owned);
            project::find(&sources.projects, proven, baseline, world)
        });
        sources.joined &= candidate.work_tree.is_none();
        if let Some(project) = &mut project {
            if sources.joined {
                project
                    .inferred
                    .get_or_insert("the times of its checkpoints");
            }
            stranded = stores::stranded(&stores, &project.path, window, world);
            stores.retain(Store::is_unlisted);
            stores.extend(stores::of_work_tree(&project.path, world));
            findings.extend(project.finding(&sources));
        }
        let documents = Documents::read(&sources, project.as_ref(), window, world);
        let closed = documents.unread("memory");
        sources.seek_marker(closed.map(|(folder, _)| folder.as_path()), world);
        let unread = documents.unread.iter();
        findings.extend(unread.map(|(path, odd)| {
            let text = format!("It {}.", odd.problem);
            Finding::warn("unreadable-file", Origin::file(path), text)
        }));
        let mut run = Self {
            session: candidate.native.lossy().into_owned(),
            kind: RunKind::of(candidate),
            manifest,
            skill,
            files,
            copies_differ: copies::differ(&places, world),
            finished,
            documents,
            project,
            saved: stores::saved(&stores, window),
            stranded,
            stores,
            grouping: Grouping::read(&candidate.native.lossy(), world),
            started_at,
            window,
            work: Work::default(),
            resumed: None,
            not_restored: None,
            undone: Undone::default(),
            last_write: None,
            is_uncounted: false,
            findings,
            commits: OnceLock::new(),
            sources,
        };
        run.last_write = run.last_write(world);
        run.undone = Undone::find(&mut run, candidate, world);
        let is_sound = run.manifest.as_ref().is_some_and(|m| m.bad_count == 0);
        let has_begun = !evidence::is_not_started(&run, world);
        run.is_uncounted = run.usable().is_none() && has_begun;
        if is_sound && run.files.places.is_empty() {
            run.findings.retain(|one| one.code != "empty-manifest");
        }
        run.evaluate();
        run
    }

    /// The same run after relight's own resume.
    pub(crate) fn resumed_at(mut self, resumed: Resumed) -> Self {
        let stopped = Some(reading::stopped_where(&self, Status::Interrupted));
        self.resumed = Some(Resumed { stopped, ..resumed });
        self.evaluate();
        self
    }

    fn evaluate(&mut self) {
        let crossings = self.crossings();
        self.work = match &self.manifest {
            Some(manifest) => Work::of(manifest, &self.skill, &crossings),
            None => Work::without_manifest(&self.skill, &crossings),
        };
    }

    /// The manifest, if any of its lines can be read.
    pub(crate) fn usable(&self) -> Option<&Manifest> {
        let manifest = self.manifest.as_deref();
        manifest.filter(|manifest| !manifest.rows.is_empty())
    }

    /// The commits of the run's branch since its start, newest first; the error is a sentence.
    pub(crate) fn commits(&self, world: &dyn World) -> Result<&[Commit], &str> {
        let read = self.commits.get_or_init(|| evidence::commits(self, world));
        read.as_deref().map_err(String::as_str)
    }

    /// The marker of this session, if there is one.
    pub(crate) fn marker(&self) -> Option<&shape::Marker> {
        self.sources.marker()
    }

    /// What its marker says, or said when it was recorded as finished.
    pub(crate) fn record(&self) -> Option<&shape::Marker> {
        self.marker().or(self.finished.marker.as_ref())
    }

    /// The project's work tree.
    pub(crate) fn work_tree(&self) -> Option<&Path> {
        self.project.as_ref().map(|project| project.path.as_path())
    }

    /// Whether there may be checkpoints of the run in a store that cannot be read.
    pub(crate) fn has_unread_store(&self) -> bool {
        // A table without any commit is of a store whose references are lost or damaged.
        let lost = |store: &Store| store.commits().is_empty() && !store.rows.is_empty();
        let mut stores = self.stores.iter();
        stores.any(|store| store.facts.is_err() || lost(store))
    }

    /// Why a checkpoint for one of these reasons is not used, if it is not known to be missing.
    pub(crate) fn unused_checkpoint(&self, reasons: &[String]) -> Option<&'static str> {
        let is_it = |saved: &Saved| {
            reasons
                .iter()
                .any(|reason| is_reason(&saved.reason, reason))
        };
        if let Some(saved) = self.stranded.iter().find(|saved| is_it(saved)) {
            Some(if self.undone.holds(saved.at) {
                "has the files of work that an undo discarded"
            } else {
                "belongs to the old path of the project"
            })
        } else if self.has_unread_store() {
            Some("was not found, and a checkpoint store cannot be read")
        } else {
            None
        }
    }

    /// Where the project was, if its checkpoint stores prove it and it is found neither there nor elsewhere.
    pub(crate) fn lost_project(&self) -> Option<PathBuf> {
        let proven = self.stores.iter().filter_map(Store::proven_work_tree);
        project::only(proven.map(Path::to_owned)).filter(|_| self.project.is_none())
    }

    /// Why there is no work tree, in a sentence.
    pub(crate) fn without_project(&self) -> String {
        match self.lost_project() {
            Some(path) => format!("The project of this run, {}, is missing.", path.shown()),
            None => "The project of the run is unknown; name it with --work-tree PATH.".to_owned(),
        }
    }

    /// The branch in the marker; an empty one counts as none.
    pub(crate) fn branch(&self) -> Option<&str> {
        let branch = self.marker()?.branch.as_deref()?;
        (!branch.is_empty()).then_some(branch)
    }

    /// A dispatch by its number, and how it counts.
    pub(crate) fn unit(&self, seq: u64) -> Option<(Unit, &Entry)> {
        let entries = &self.manifest.as_deref()?.entries;
        let at = entries.binary_search_by_key(&seq, |entry| entry.seq).ok()?;
        Some((*self.work.units.get(at)?, entries.get(at)?))
    }

    /// The dispatches that count for the run.
    pub(crate) fn counted(&self) -> impl Iterator<Item = (Unit, &Entry)> {
        let manifest = self.manifest.as_deref().into_iter();
        manifest.flat_map(|manifest| self.work.counted(manifest))
    }

    /// The dispatches of a phase that count for the run.
    pub(crate) fn counted_in(&self, rank: Rank) -> impl Iterator<Item = (Unit, &Entry)> {
        self.counted()
            .filter(move |(unit, _)| self.work.is_in(*unit, rank))
    }

    /// The role of a dispatch; `-` if it has none.
    pub(crate) fn role(&self, entry: &Entry) -> &str {
        let manifest = self.manifest.as_deref();
        manifest.map_or("-", |manifest| manifest.role(entry))
    }

    /// The position of a phase, by its label.
    pub(crate) fn rank(&self, label: &str) -> Option<Rank> {
        phase_order::understand(&self.skill, label).map(|phase| phase.rank)
    }

    /// The position of the phase of a dispatch.
    pub(crate) fn rank_of(&self, unit: Unit) -> Option<Rank> {
        self.work.phase_of(unit).map(|facts| facts.name.rank)
    }

    /// When each dispatch started, by number.
    pub(crate) fn starts(&self) -> impl Iterator<Item = (u64, Stamp)> {
        self.files.clock.iter().map(|(seq, at)| (*seq, *at))
    }

    /// When a dispatch started.
    pub(crate) fn start_of(&self, entry: &Entry) -> Option<Stamp> {
        self.files.clock.get(&entry.seq).copied()
    }

    /// True for the only skill that crucible can replay.
    pub(crate) fn is_build(&self) -> bool {
        self.skill == "build"
    }

    /// True if the run can continue; other skills and a run without a dispatch can only start over.
    pub(crate) fn is_resumable(&self, world: &dyn World) -> bool {
        let begun = self.usable().is_some() || !evidence::is_not_started(self, world);
        self.is_build() && self.kind != RunKind::Eval && begun
    }

    fn last_write(&self, world: &dyn World) -> Option<DateTime<Utc>> {
        let modified = |place: &Place| world.files().modified(place);
        let dirs = self.sources.dispatch.iter().chain(&self.sources.copies);
        let in_dirs = dirs.flat_map(|dir| {
            let entries = world.files().list(dir).unwrap_or_default();
            entries
                .into_iter()
                .take(dispatch_files::CAP)
                .filter(|entry| self.kind != RunKind::SuccessCopy || entry.name == "manifest.jsonl")
                .filter_map(|entry| modified(&dir.join(&entry.name).ok()?))
        });
        let marker = self.sources.marker.as_ref();
        let marker = marker.and_then(|(_, path)| modified(&place_of(world, path)?));
        in_dirs.chain(self.documents.last_write).chain(marker).max()
    }
}

/// From the run's start to the next run's start. A replay of this run is not another run.
fn window(from: Option<Stamp>, sources: &Sources, manifest: Option<&Manifest>) -> Window {
    let own: BTreeSet<&str> = manifest.map_or_else(BTreeSet::new, |all| {
        let sessions = all.entries.iter().map(|entry| all.session(entry));
        sessions.filter_map(|session| all.word(session)).collect()
    });
    let until = from.and_then(|from| {
        let others = sources.other_starts.iter();
        let others = others.filter(|(session, at)| *at > from && !own.contains(session.as_str()));
        others.map(|(_, at)| *at).min()
    });
    Window { from, until }
}

/// A finding about a file that could not be used.
pub(crate) fn unusable(path: PathBuf, why: impl std::fmt::Display) -> Finding {
    let text = format!("It cannot be read: {why}.");
    Finding::warn("unreadable-file", Origin::file(path), text)
}
