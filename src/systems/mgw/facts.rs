//! Everything about one issue, read once: its files, the project's files, git, and the evidence.

use std::path::{Path, PathBuf};

use super::branch::{self, BranchFacts};
use super::evidence::{self, Evidence};
use super::files::{self, StateFile};
use super::links::{self, Link};
use super::lookup::Lookup;
use super::project::{self, Listed, Shared};
use super::state::State;
use crate::formats::json;
use crate::model::Place;
use crate::world::World;
use crate::world::git::Worktree;

/// The facts.
#[derive(Debug, Clone)]
pub(super) struct Facts {
    pub(super) root: PathBuf,
    /// The issue's number, the digits of the file name.
    pub(super) number: String,
    /// The state files in the order in which the orchestrator would take them; the first is the one that
    /// counts.
    pub(super) files: Vec<StateFile>,
    /// Leftovers of interrupted writes.
    pub(super) leftovers: Vec<StateFile>,
    pub(super) project: Shared,
    pub(super) refs: Shared,
    pub(super) links: Vec<Link>,
    /// Entries of `cross-refs.json` that the orchestrator would skip, a phrase each.
    pub(super) bad_links: Vec<String>,
    pub(super) branch: BranchFacts,
    pub(super) evidence: Evidence,
    pub(super) lookup: Lookup,
    /// The agent program that the installation was made for.
    pub(super) program: &'static str,
}

impl Facts {
    pub(super) fn gather(world: &dyn World, root: &Path, number: &str) -> Self {
        let trees = world.git().worktrees(root).unwrap_or_default();
        let all = all_files(world, root, number, &trees);
        let (leftovers, files): (Vec<_>, Vec<_>) = all.into_iter().partition(|file| file.name.tmp);
        let state = files.first().and_then(StateFile::state);
        let project = Shared::read(world, root, "project.json");
        let refs = Shared::read(world, root, "cross-refs.json");
        let (links, bad_links) = refs.map().map(links::links).unwrap_or_default();
        let named = files.first().or_else(|| leftovers.first());
        let slug = named.map_or_else(String::new, |file| file.name.slug.lossy().into_owned());
        let recorded = recorded_branches(state, &links, number);
        let branch = branch::gather(world, root, number, &slug, &recorded, &trees);
        let lookup = Lookup {
            worktree: branch.present().map(Path::to_owned),
            root: root.to_owned(),
            tip: branch.tip.clone(),
        };
        let phase = number
            .parse()
            .ok()
            .and_then(|number| project::find(project.map()?, number))
            .and_then(|listed| project::plain(listed.issue.get("phase_number")?));
        let evidence = evidence::scan(world, &lookup, state, &branch, phase.as_deref());
        Self {
            root: root.to_owned(),
            number: number.to_owned(),
            files,
            leftovers,
            project,
            refs,
            links,
            bad_links,
            branch,
            evidence,
            lookup,
            program: program(world),
        }
    }

    /// The file that counts.
    pub(super) fn file(&self) -> Option<&StateFile> {
        self.files.first()
    }

    /// Its state, where it could be read.
    pub(super) fn state(&self) -> Option<&State> {
        self.file().and_then(StateFile::state)
    }

    /// The entry of the issue in `project.json`.
    pub(super) fn listed(&self) -> Option<Listed<'_>> {
        project::find(self.project.map()?, self.number.parse().ok()?)
    }

    /// What the issue is about.
    pub(super) fn title(&self) -> String {
        self.state()
            .and_then(State::title)
            .or_else(|| self.listed().and_then(|listed| listed.title()))
            .map_or_else(
                || {
                    let named = self.file().or_else(|| self.leftovers.first());
                    named.map_or_else(String::new, |file| file.name.slug.lossy().replace('-', " "))
                },
                str::to_owned,
            )
    }
}

/// The files of one issue in ROOT and in worktrees with a `.mgw` of their own, each once.
fn all_files(world: &dyn World, root: &Path, number: &str, listed: &[Worktree]) -> Vec<StateFile> {
    let wanted = |digits: &str| digits == number;
    let mut all = files::state_files(world, root, false, wanted);
    let trees: Vec<PathBuf> = listed
        .iter()
        .filter(|tree| !tree.main && !tree.prunable)
        .filter_map(|tree| world.files().canonical(&tree.path))
        .chain(files::usual_worktrees(world, root))
        .collect();
    for top in files::stray_tops(world, root, &trees) {
        all.extend(files::state_files(world, &top, true, wanted));
    }
    all
}

/// Branch names that the records name for this issue.
fn recorded_branches(state: Option<&State>, links: &[Link], number: &str) -> Vec<String> {
    let listed = state.map(|state| json::texts(state.map(), "linked_branches"));
    let context = state
        .and_then(State::checkpoint)
        .and_then(|checkpoint| checkpoint.context_text("branch"));
    let linked = links::linked(links, number)
        .into_iter()
        .filter_map(|(_, other)| other.strip_prefix("branch:"));
    context
        .into_iter()
        .chain(listed.into_iter().flatten())
        .chain(linked)
        .filter(|name| !name.is_empty())
        .map(str::to_owned)
        .collect()
}

/// The program of the installation's provider; anything unknown is the usual one.
fn program(world: &dyn World) -> &'static str {
    let home = world.places().home.as_ref();
    let place = home.and_then(|home| Place::known(home, ".mgw-install-state.json").ok());
    let provider = place
        .and_then(|place| world.files().read(&place, 64 << 10).ok())
        .and_then(|bytes| json::object(&bytes).ok())
        .and_then(|map| json::text(&map, "provider").map(str::to_owned));
    ["gemini", "opencode"]
        .into_iter()
        .find(|known| provider.as_deref() == Some(known))
        .unwrap_or("claude")
}
