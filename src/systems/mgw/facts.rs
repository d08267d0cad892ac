//! Everything about one issue, read once: its files, the project's files, git, and the evidence.

pub(crate) mod branch;
pub(crate) mod causes;
pub(crate) mod discovery;
pub(crate) mod evidence;
pub(crate) mod irreversible;
pub(crate) mod liveness;
pub(crate) mod lookup;
pub(crate) mod phase_history;
pub(crate) mod reading;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use chrono::{DateTime, Utc};

use crate::formats::{json, stamp};
use crate::model::Place;
use crate::systems::kit::odd_files::OddFile;
use crate::systems::mgw::shape::cross_refs::{self, Link};
use crate::systems::mgw::shape::{Home, Listed, Shared, Stage, State, StateFile, state_files};
use crate::world::git::Worktree;
use crate::world::{Clock, World};

pub(crate) use branch::{BranchFacts, COMMITS};
pub(crate) use evidence::Evidence;
pub(crate) use lookup::{Lookup, Seen, Where};
pub(crate) use phase_history::PhaseHistory;

/// Where the state of an issue was read from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Source {
    /// The state file.
    File,
    /// The complete `.tmp` file of an interrupted write: the state file is missing or cannot be read.
    Tmp,
    /// Neither: only the entry in project.json, and the evidence.
    Nothing,
}

/// The facts.
#[derive(Debug, Clone)]
pub(crate) struct Facts {
    pub(crate) root: PathBuf,
    /// The number, the digits of the file name.
    pub(crate) number: String,
    /// The state files in the order in which the orchestrator would find them; the first one counts.
    pub(crate) files: Vec<StateFile>,
    /// The `.tmp` files of interrupted writes.
    pub(crate) tmp_files: Vec<StateFile>,
    /// A folder of state files that cannot be listed: one that counts more may be in it.
    pub(crate) closed: Option<(PathBuf, OddFile)>,
    /// Where the state was read from.
    pub(crate) source: Source,
    /// The state; without a readable file, the facts from other records.
    state: Option<State>,
    pub(crate) project: Shared,
    pub(crate) refs: Shared,
    pub(crate) links: Vec<Link>,
    /// Entries of `cross-refs.json` that the orchestrator would skip, a phrase each.
    pub(crate) bad_links: Vec<String>,
    pub(crate) branch: BranchFacts,
    pub(crate) evidence: Evidence,
    pub(crate) lookup: Lookup,
    /// The agent program that the installation was made for.
    pub(crate) program: &'static str,
}

impl Facts {
    pub(crate) fn gather(world: &dyn World, root: &Path, number: &str) -> Self {
        Self::gather_for(world, root, number, None)
    }

    /// The same, as if the state file had this state: it may name another branch.
    pub(crate) fn gather_for(
        world: &dyn World,
        root: &Path,
        number: &str,
        written: Option<&State>,
    ) -> Self {
        let trees = world.git().worktrees(root).unwrap_or_default();
        let all = all_files(world, root, number, &trees);
        let (tmp_files, files): (Vec<_>, Vec<_>) = all.into_iter().partition(|file| file.name.tmp);
        let project = Shared::read(world, root, "project.json");
        let refs = Shared::read(world, root, "cross-refs.json");
        let (links, bad_links) = refs.map().map(cross_refs::links).unwrap_or_default();
        let listed = project.listed(number);
        let (source, state) = written.map_or_else(
            || source(&files, &tmp_files, listed),
            |state| (Source::File, state.clone()),
        );
        let named = files.first().or_else(|| tmp_files.first());
        let slug = named.map_or_else(String::new, |file| file.name.slug.lossy().into_owned());
        let recorded = recorded_branches(&state, &links, number);
        let branch = branch::gather(world, root, number, &slug, &recorded, &trees);
        let lookup = Lookup {
            worktree: branch.present().map(Path::to_owned),
            root: root.to_owned(),
            tip: branch.tip.clone(),
            unread: branch.is_unread(),
            ..Lookup::default()
        };
        let modified = files.first().and_then(|file| file.modified);
        let since = match source {
            Source::Nothing => None,
            Source::File | Source::Tmp => since(&state, modified, world.clock()),
        };
        let mut facts = Self {
            root: root.to_owned(),
            number: number.to_owned(),
            closed: state_files::closed_home(world, root),
            files,
            tmp_files,
            source,
            state: None,
            project,
            refs,
            links,
            bad_links,
            branch,
            evidence: Evidence::default(),
            lookup,
            program: program(world),
        };
        facts.evidence = evidence::scan(world, &facts, &state, since);
        let known = source != Source::Nothing
            || state.stage().is_some_and(Stage::at_work)
            || facts.branch.present().is_some()
            || facts.evidence.finished(None).is_some();
        facts.state = known.then_some(state);
        facts
    }

    /// The facts once the worktree is reset to a commit of the branch and these files of it are removed.
    pub(crate) fn reset_to(
        &self,
        world: &dyn World,
        commit: &str,
        removed: BTreeSet<PathBuf>,
    ) -> Self {
        let mut after = self.clone();
        let git = world.git();
        let beyond = |other: &str| {
            let counts = git.ahead_behind(&self.root, commit, other);
            counts.ok().map(|(ahead, _)| ahead)
        };
        let upstream = git.upstream(&self.root, &self.branch.name).ok().flatten();
        after.branch.tip = Some(commit.to_owned());
        after.branch.ahead = self.branch.base.as_deref().and_then(beyond);
        after.branch.unpushed = upstream.as_deref().and_then(beyond);
        after.lookup.tip.clone_from(&after.branch.tip);
        after.lookup.removed = removed;
        if let Some(state) = self.state() {
            after.evidence = evidence::scan(world, &after, state, self.evidence.since);
        }
        after
    }

    /// The evidence for another state than that of the state file, as if that file had it since `written`.
    pub(crate) fn evidence_for(
        &self,
        world: &dyn World,
        state: &State,
        written: Option<DateTime<Utc>>,
    ) -> Evidence {
        evidence::scan(world, self, state, since(state, written, world.clock()))
    }

    /// The same, if no state file was found elsewhere.
    pub(crate) fn closed(&self) -> Option<&(PathBuf, OddFile)> {
        let found = !self.files.is_empty() || !self.tmp_files.is_empty();
        self.closed.as_ref().filter(|_| !found)
    }

    /// The file that counts.
    pub(crate) fn file(&self) -> Option<&StateFile> {
        self.files.first()
    }

    /// Whether the file that counts is archived.
    pub(crate) fn is_archived(&self) -> bool {
        self.file().is_some_and(|file| file.home == Home::Completed)
    }

    /// The file that counts, if it can be read, with its content.
    pub(crate) fn parsed(&self) -> Option<(&StateFile, &State)> {
        let file = self.file()?;
        Some((file, file.state()?))
    }

    /// The state; without a readable file, the facts from other records. `None` if there are none.
    pub(crate) fn state(&self) -> Option<&State> {
        self.state.as_ref()
    }

    /// The state as a file records it: the state file, or its complete `.tmp` file.
    pub(crate) fn recorded(&self) -> Option<&State> {
        self.state().filter(|_| self.source != Source::Nothing)
    }

    /// The newest complete `.tmp` file, unless it has the same bytes as the state file.
    pub(crate) fn valid_tmp(&self) -> Option<&StateFile> {
        let whole = self.tmp_files.iter().filter(|tmp| tmp.parsed.is_ok());
        let news = whole.filter(|tmp| self.file().is_none_or(|file| file.bytes != tmp.bytes));
        news.max_by_key(|tmp| tmp.modified)
    }

    /// The entry of the issue in `project.json`.
    pub(crate) fn listed(&self) -> Option<Listed<'_>> {
        self.project.listed(&self.number)
    }

    /// What the issue is about.
    pub(crate) fn title(&self) -> String {
        let title = self.state().and_then(State::title);
        let title = title.or_else(|| self.listed()?.title()).map(str::to_owned);
        let named = || {
            let file = self.file().or_else(|| self.tmp_files.first())?;
            Some(file.name.slug.lossy().replace('-', " "))
        };
        title.or_else(named).unwrap_or_default()
    }
}

/// Where the state is read from, and the state.
fn source(
    files: &[StateFile],
    tmp_files: &[StateFile],
    listed: Option<Listed<'_>>,
) -> (Source, State) {
    if let Some(state) = files.first().and_then(StateFile::state) {
        return (Source::File, state.clone());
    }
    let whole = tmp_files.iter().filter(|tmp| tmp.parsed.is_ok());
    let newest = whole.max_by_key(|tmp| tmp.modified);
    if let Some(state) = newest.and_then(StateFile::state) {
        return (Source::Tmp, state.clone());
    }
    let known = listed.map(|listed| State::new(listed.known()));
    (Source::Nothing, known.unwrap_or_default())
}

/// A time further in the future than this is ignored, in seconds.
const AHEAD_S: i64 = 60;

/// When the state was last known to be true, if recorded: older evidence was known then. For an issue that is only
/// triaged, the file's own time is used. A time in the future is ignored.
fn since(
    state: &State,
    written: Option<DateTime<Utc>>,
    clock: &dyn Clock,
) -> Option<DateTime<Utc>> {
    let read = |text: &str| stamp::parse(text, clock).map(|stamp| stamp.at.to_utc());
    let checkpoint = state.checkpoint().and_then(|c| c.recorded_at());
    let early = matches!(state.stage(), Some(Stage::New | Stage::Triaged));
    let moved = || state.moved_at().and_then(read).max(written);
    let at = checkpoint.and_then(read);
    let at = at.or_else(|| moved().filter(|_| early))?;
    (at.timestamp() <= clock.now().timestamp() + AHEAD_S).then_some(at)
}

/// The files of one issue in ROOT and in worktrees with their own `.mgw`, each once.
fn all_files(world: &dyn World, root: &Path, number: &str, listed: &[Worktree]) -> Vec<StateFile> {
    let wanted = |digits: &str| digits == number;
    let mut all = state_files::state_files(world, root, false, wanted);
    let linked = listed.iter().filter(|tree| !tree.main && !tree.prunable);
    let linked = linked.filter_map(|tree| world.files().canonical(&tree.path));
    let trees = linked.chain(state_files::usual_worktrees(world, root));
    let strays = trees.filter(|tree| tree != root && state_files::is_folder(world, tree));
    for top in strays.collect::<BTreeSet<_>>() {
        all.extend(state_files::state_files(world, &top, true, wanted));
    }
    all
}

/// Branch names for this issue in the records.
fn recorded_branches(state: &State, links: &[Link], number: &str) -> Vec<String> {
    let checkpoint = state.checkpoint();
    let context = checkpoint.and_then(|checkpoint| checkpoint.context_text("branch"));
    let listed = json::texts(state.map(), "linked_branches");
    let linked = cross_refs::linked(links, number).into_iter();
    let linked = linked.filter_map(|(_, other)| other.strip_prefix("branch:"));
    let all = context.into_iter().chain(listed).chain(linked);
    let all = all.filter(|name| !name.is_empty());
    all.map(str::to_owned).collect()
}

/// The program of the installation's provider; `claude` for an unknown one.
fn program(world: &dyn World) -> &'static str {
    let home = world.places().home.as_ref();
    let place = home.and_then(|home| Place::known(home, ".mgw-install-state.json").ok());
    let bytes = place.and_then(|place| world.files().read(&place, 64 << 10).ok());
    let map = bytes.and_then(|bytes| json::object(&bytes).ok());
    match map.as_ref().and_then(|map| json::text(map, "provider")) {
        Some("gemini") => "gemini",
        Some("opencode") => "opencode",
        _ => "claude",
    }
}
