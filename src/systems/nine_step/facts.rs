//! The facts about one pipeline, gathered once when it is opened: its state files, its worktree, its plan and git.
//! Reading, checks and points are computed from them.

pub(crate) mod causes;
pub(crate) mod discovery;
pub(crate) mod git_history;
pub(crate) mod layout;
pub(crate) mod ledger;
pub(crate) mod merging;
mod phase_commits;
pub(crate) mod reading;

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::formats::json;
use crate::model::{Foreign, Place};
use crate::systems::Candidate;
use crate::systems::kit::damage::Damage;
use crate::systems::kit::odd_files::no_file;
use crate::systems::nine_step::facts::git_history::History;
use crate::systems::nine_step::shape::plan_document::{self, Plan};
use crate::systems::nine_step::shape::rollback_log::{self, Rollbacks};
use crate::systems::nine_step::shape::{
    self, Doc, PlanFound, Record, State, StepNo, feature_names,
};
use crate::world::World;
use crate::world::git::Worktree;

pub(crate) use layout::Layout;
pub(crate) use ledger::{Approval, Ledger, Position};
pub(crate) use merging::Merged;

/// Where the work of a pipeline is.
#[derive(Debug, Clone)]
pub(crate) enum Home {
    /// A linked worktree that git lists.
    Linked(Worktree),
    /// The main work tree: the worktree does not exist yet, or the state was saved at the project's top.
    Main(PathBuf),
    /// A directory that git no longer lists.
    Orphan(PathBuf),
    /// A branch that no worktree has checked out.
    BranchOnly(String),
}

/// Where the state was read from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Source {
    /// The state file.
    State,
    /// Its backup, because the state file cannot be used.
    Backup,
    /// No file: only worktree, plan and commits.
    Inferred,
}

/// Which save a backup is. The plugin's own is one save older; whoever restored it swapped the two.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BackupAge {
    /// An older one than the state file.
    Older,
    /// A newer one.
    Newer,
    /// The records do not say.
    Unknown,
}

/// The facts about a pipeline.
#[derive(Debug)]
pub(crate) struct Facts {
    /// The native key.
    pub(crate) native: Foreign,
    /// The project.
    pub(crate) layout: Layout,
    /// Where the work is.
    pub(crate) home: Home,
    /// State files, the decisive one first.
    pub(crate) docs: Vec<Doc>,
    /// The backup of the first one.
    pub(crate) backup: Option<Doc>,
    /// Where the state was read from.
    pub(crate) source: Source,
    /// The state, if any is usable.
    pub(crate) state: Option<Arc<State>>,
    /// Its records.
    pub(crate) ledger: Option<Ledger>,
    /// The plan.
    pub(crate) plan: Plan,
    /// git's facts.
    pub(crate) git: History,
    /// Files in `.test/`.
    pub(crate) tests: Vec<Foreign>,
    /// Earlier rollbacks, and where they are logged.
    pub(crate) rollbacks: Rollbacks,
}

impl Facts {
    /// Gathers the facts of a candidate.
    pub(crate) fn gather(world: &dyn World, candidate: &Candidate) -> Self {
        let layout = Layout::of(world, &candidate.anchor);
        let mut docs = docs(world, candidate, &layout.top);
        // The newest save decides, and of two the same the one beside the work: a merge brings a copy to the top.
        let newest = |doc: &Doc| (doc.state().map(State::age), doc.dir != layout.top);
        docs.sort_by_key(|doc| std::cmp::Reverse(newest(doc)));
        let backup = |doc: &Doc| shape::load(world, &doc.dir, &format!("{}.backup", doc.name));
        let backup = docs.first().and_then(backup);
        let (state, source) = chosen(&docs, backup.as_ref());
        let mut facts = Self {
            native: candidate.native.clone(),
            home: home(world, candidate, &layout, &docs, state.as_deref()),
            layout,
            docs,
            backup,
            source,
            ledger: state.as_deref().map(Ledger::of),
            state,
            plan: Plan::missing(PlanFound::Missing),
            git: History::default(),
            tests: Vec::new(),
            rollbacks: Rollbacks::default(),
        };
        facts.plan = plan_document::find(
            world,
            facts.text("plan_reference"),
            facts.dir(),
            &facts.layout.top,
            &facts.names(),
        );
        facts.git = git_history::gather(world, &facts);
        facts.tests = tests(world, facts.dir());
        facts.rollbacks = rollback_log::read(world, &facts.layout.top, &facts.feature());
        facts
    }

    /// The names of the feature: its key, its name in the state, and its branches.
    pub(crate) fn names(&self) -> Vec<String> {
        let recorded = self.state.as_ref().map(|state| state.feature.clone());
        let branch = self.text("branch_name").map(str::to_owned);
        let native = Some(self.native.lossy().into_owned());
        let all = [native, recorded, branch, self.home.branch()];
        all.into_iter().flatten().collect()
    }

    /// Where the work stopped, by the records.
    pub(crate) fn position(&self) -> Option<&Position> {
        self.ledger.as_ref().map(|ledger| &ledger.position)
    }

    /// The recorded steps that are done, oldest first.
    pub(crate) fn records(&self) -> impl DoubleEndedIterator<Item = &Record> {
        self.ledger.iter().flat_map(|ledger| &ledger.done)
    }

    /// Whether every phase is recorded as committed.
    pub(crate) fn is_all_committed(&self) -> bool {
        let ledger = self.ledger.as_ref().zip(self.total());
        ledger.is_some_and(|(ledger, total)| ledger.has((total, StepNo::Commit)))
    }

    /// The phases whose commit is recorded. Others may have been left out.
    pub(crate) fn recorded_phases(&self) -> BTreeSet<i64> {
        let commits = self.records().filter_map(Record::spot);
        let commits = commits.filter(|(_, step)| *step == StepNo::Commit);
        commits.map(|(phase, _)| phase).collect()
    }

    /// The recorded phases that the branch has no commit of, as far as git knows.
    pub(crate) fn lost_phases(&self) -> Vec<i64> {
        let git = &self.git;
        if git.error.is_some() || git.unread_commits.is_some() || git.tip.is_none() {
            return Vec::new();
        }
        let has = |phase: &i64| git.phases.contains_key(phase) || git.earlier.contains_key(phase);
        let all = self.recorded_phases().into_iter();
        all.filter(|phase| !has(phase)).collect()
    }

    /// Why it is unknown which phases are committed, where only git can say: without records, and where no commit of a
    /// phase was read.
    pub(crate) fn unknown_phases(&self) -> Option<&str> {
        let git = &self.git;
        let asked = self.source == Source::Inferred && git.phases.is_empty();
        let why = git.error.as_deref().or(git.unread_commits.as_deref());
        why.filter(|_| asked)
    }

    /// Whether a file at the top of the work tree does not count as uncommitted work: state files are untracked by
    /// design.
    pub(crate) fn is_own(&self, path: &Foreign) -> bool {
        let own = |name: &str| {
            shape::STATE_NAMES.contains(&name) || self.docs.iter().any(|doc| doc.name == name)
        };
        let name = path.as_str().unwrap_or_default();
        own(name) || name.strip_suffix(".backup").is_some_and(own)
    }

    /// The directory of the work; the project's top for a branch alone.
    pub(crate) fn dir(&self) -> &Path {
        self.home.dir(&self.layout)
    }

    /// A text of the state, as written.
    pub(crate) fn text(&self, key: &str) -> Option<&str> {
        json::text(&self.state.as_ref()?.map, key)
    }

    /// The feature's name from the state, else the native key.
    pub(crate) fn feature(&self) -> String {
        let named = self.state.as_ref().map(|state| state.feature.clone());
        named.unwrap_or_else(|| self.native.lossy().into_owned())
    }

    /// The number of phases: as recorded, else from the plan.
    pub(crate) fn total(&self) -> Option<i64> {
        let recorded = self.state.as_ref().and_then(|state| state.total);
        let recorded = recorded.filter(|total| *total >= 1);
        recorded.or_else(|| self.plan.total())
    }

    /// The phase that a rollback leaves: as recorded, else the last one that was committed, or the one after it where
    /// there is uncommitted work, or may be.
    pub(crate) fn current_phase(&self) -> i64 {
        let recorded = self.position().map(|position| position.phase);
        let committed = self.git.phases.keys().next_back().copied();
        let begun = |committed: i64| {
            let more = self.total().is_none_or(|total| committed < total);
            let clean = self.git.unread.is_none() && self.git.dirty.is_empty();
            committed.saturating_add(i64::from(more && !clean))
        };
        recorded.or_else(|| committed.map(begun)).unwrap_or(1)
    }

    /// What a phase is called: by the state, else by the plan.
    pub(crate) fn phase_name(&self, phase: i64) -> Option<&str> {
        let state = self.state.as_ref();
        let described = state.and_then(|state| state.descriptions.get(&phase));
        let planned = || self.plan.phases.get(&phase);
        described.or_else(planned).map(String::as_str)
    }

    /// Which save the backup is.
    pub(crate) fn backup_age(&self) -> BackupAge {
        let saved = |doc: &Doc| doc.state()?.age();
        let times = self.backup.as_ref().and_then(saved);
        match times.zip(self.doc().and_then(saved)) {
            Some((backup, state)) if backup < state => BackupAge::Older,
            Some((backup, state)) if backup > state => BackupAge::Newer,
            Some(_) | None => BackupAge::Unknown,
        }
    }

    /// The state file that the state was read from, or should have been.
    pub(crate) fn doc(&self) -> Option<&Doc> {
        self.docs.first()
    }

    /// The file that the records are in: the state file, or its backup.
    pub(crate) fn records_file(&self) -> Option<&Doc> {
        match self.source {
            Source::Backup => self.backup.as_ref(),
            Source::State | Source::Inferred => self.doc(),
        }
    }
}

impl Home {
    /// The directory, the project's top for a branch alone.
    pub(crate) fn dir<'a>(&'a self, layout: &'a Layout) -> &'a Path {
        match self {
            Self::Linked(worktree) => &worktree.path,
            Self::Main(dir) | Self::Orphan(dir) => dir,
            Self::BranchOnly(_) => &layout.top,
        }
    }

    /// The branch that is checked out there.
    fn branch(&self) -> Option<String> {
        match self {
            Self::Linked(w) => w.branch.as_ref().map(|b| b.lossy().into_owned()),
            Self::BranchOnly(branch) => Some(branch.clone()),
            Self::Main(_) | Self::Orphan(_) => None,
        }
    }
}

/// The state files of a candidate: every name in every directory of its sources.
fn docs(world: &dyn World, candidate: &Candidate, top: &Path) -> Vec<Doc> {
    let mut docs: Vec<Doc> = Vec::new();
    for source in &candidate.sources {
        let name = source.file_name().and_then(OsStr::to_str);
        let Some((dir, name)) = source.parent().zip(name) else {
            continue;
        };
        // A folder or a plan is the source of a pipeline without a state file.
        let is_state = shape::STATE_NAMES.contains(&name)
            || (feature_names::of_plan(name).is_none() && !world.files().has_dir(dir, name));
        if is_state && !docs.iter().any(|doc| doc.path() == *source) {
            docs.push(shape::load(world, dir, name).unwrap_or_else(|| gone(dir, name)));
        }
    }
    // What is in the place of a state file is no source, and no missing file either.
    let sources = candidate.sources.iter().map(PathBuf::as_path);
    for source in sources.chain([top]) {
        let is_dir = world.files().is_dir(&Place::root(source));
        let dir = if is_dir {
            source
        } else {
            source.parent().unwrap_or(source)
        };
        for name in shape::STATE_NAMES {
            let odd = Place::known(dir, name).is_ok_and(|place| no_file(&place, world).is_some());
            if odd && !docs.iter().any(|doc| doc.path() == dir.join(name)) {
                docs.extend(shape::load(world, dir, name));
            }
        }
    }
    docs
}

/// A state file that does not exist although its backup does.
fn gone(dir: &Path, name: &str) -> Doc {
    Doc {
        dir: dir.to_owned(),
        name: name.to_owned(),
        bytes: Vec::new(),
        modified: None,
        content: Err(Damage::new("missing-file", "the file does not exist")),
    }
}

/// The decisive state: the one of the newest usable file, else of its backup.
fn chosen(docs: &[Doc], backup: Option<&Doc>) -> (Option<Arc<State>>, Source) {
    let usable = |doc: &Doc| doc.content.as_ref().ok().cloned();
    if let Some(state) = docs.first().and_then(usable) {
        return (Some(state), Source::State);
    }
    let saved = backup.and_then(usable);
    let source = saved.as_ref().map_or(Source::Inferred, |_| Source::Backup);
    (saved, source)
}

fn home(
    world: &dyn World,
    candidate: &Candidate,
    layout: &Layout,
    docs: &[Doc],
    state: Option<&State>,
) -> Home {
    let mut sources = candidate.sources.iter();
    let mut dirs = docs.iter().map(|doc| &doc.dir).chain(sources.clone());
    let linked = dirs.find_map(|dir| layout.at(world, dir).filter(|w| !w.main));
    let named = || state.and_then(|state| discovery::linked_of(layout, state));
    if let Some(worktree) = linked.or_else(named) {
        return Home::Linked(worktree.clone());
    }
    if let Some(doc) = docs.first() {
        if doc.dir == layout.top {
            return Home::Main(layout.top.clone());
        }
        return Home::Orphan(doc.dir.clone());
    }
    if let Some(dir) = sources.find(|source| layout.in_worktree_dir(source)) {
        return Home::Orphan(dir.clone());
    }
    let name = git_history::branch_named(world.git(), &layout.top, &candidate.native);
    let name = name.unwrap_or_else(|| candidate.native.lossy().into_owned());
    let holder = layout.holder(&name.as_str().into());
    if holder.is_some_and(|w| w.main) {
        return Home::Main(layout.top.clone());
    }
    // A project that was moved: git lists its worktrees where they were.
    let places = layout.worktree_dirs(&candidate.native);
    let mut places = holder.map(|w| w.path.clone()).into_iter().chain(places);
    match places.find(|dir| is_worktree(world, dir)) {
        Some(dir) => Home::Orphan(dir),
        None => Home::BranchOnly(name),
    }
}

/// Whether a directory is, or was, a linked worktree: a file in it says where its repository is.
fn is_worktree(world: &dyn World, dir: &Path) -> bool {
    let entries = world.files().list(&Place::root(dir)).unwrap_or_default();
    entries
        .iter()
        .any(|entry| entry.name == ".git" && !entry.is_dir && !entry.is_link)
}

/// The entries of `.test/` in the work tree.
fn tests(world: &dyn World, dir: &Path) -> Vec<Foreign> {
    let entries = world.files().entries(dir, ".test").into_iter();
    let names = entries.map(|entry| entry.name);
    let kept = names.filter(|name| name != ".gitkeep" && name != ".gitignore");
    kept.map(|name| Foreign::from(name.as_os_str())).collect()
}
