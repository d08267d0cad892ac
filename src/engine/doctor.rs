//! What `relight doctor` reports about the machine: the places it searched and the results, git, and relight's own
//! state. Reads only.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::write_place::remedy;
use super::{Engine, Hidden, History, Request, Result, Scope, Skipped, Survey};
use crate::apply::preflight::SPARE_BYTES;
use crate::foreign;
use crate::model::{Foreign, Pipeline, Recovery, RecoveryId, RecoveryState, Status, Verdict};
use crate::world::command::find;
use crate::world::file_facts::{disk_usage, unusable};

/// A place that pipelines are looked for in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchedPlace {
    /// Its path.
    pub path: PathBuf,
    /// Why it is looked at.
    pub kind: &'static str,
    /// Whether it is there.
    pub exists: bool,
    /// Pipelines in it, complete ones too.
    pub pipelines: usize,
}

/// What was found of a system.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SystemCount {
    /// Its name.
    pub name: &'static str,
    /// Pipelines by status, those that there are.
    pub statuses: Vec<(Status, usize)>,
}

/// The facts of a report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Health {
    /// The scope that was searched.
    pub scope: Scope,
    /// The places that were searched.
    pub places: Vec<SearchedPlace>,
    /// What was found, for each system.
    pub systems: Vec<SystemCount>,
    /// What the scope leaves out.
    pub hidden: Hidden,
    /// Files and directories that are no pipelines, and why.
    pub skipped: Vec<Skipped>,
    /// Pipelines whose verification failed.
    pub failing: usize,
    /// The version of the git library that relight reads repositories with.
    pub library: String,
    /// The `git` on `PATH`, which people and orchestrators use.
    pub git: Option<PathBuf>,
    /// The work tree of the current directory.
    pub work_tree: Option<PathBuf>,
    /// Whether that is in a bare repository, which has none.
    pub is_bare: bool,
    /// Why it is unknown, if the repository cannot be read.
    pub git_trouble: Option<String>,
    /// Index locks that are held in the work trees of pipelines, each with the recovery of relight's own that holds it.
    pub index_locks: Vec<(PathBuf, Option<String>)>,
    /// Where relight keeps its own state.
    pub state: Option<PathBuf>,
    /// The bytes of it, by what they are.
    pub space: Vec<(&'static str, u64)>,
    /// The bytes that are free there.
    pub free: Option<u64>,
    /// The bytes that a restore needs there, beside what it writes.
    pub needed: u64,
    /// A work tree that it lies in, so that nothing can be restored there.
    pub state_within: Option<PathBuf>,
    /// What prevents relight from using it: the path in the way, the reason, and the remedy as a part of a sentence.
    pub state_trouble: Option<(PathBuf, Foreign, String)>,
    /// Recoveries that a crash left pending.
    pub pending: Vec<RecoveryId>,
    /// Recoveries that are applied, and why they cannot be undone, a sentence each.
    pub out_of_reach: Vec<(RecoveryId, Vec<Foreign>)>,
    /// The pipelines' files of records that were interrupted.
    pub interrupted_records: Vec<PathBuf>,
    /// Entries of the history that cannot be read.
    pub unreadable: Vec<Skipped>,
}

impl Engine {
    /// Gathers the report.
    pub fn health(&self, request: &Request) -> Result<Health> {
        let request = Request {
            all: true,
            ..request.clone()
        };
        let (rows, mut survey) = self.rows(&request, true)?;
        let worst = rows.iter().filter_map(|row| row.checks.as_ref());
        let failing = worst.filter(|checks| checks.worst == Verdict::Fail).count();
        let pipelines = rows
            .into_iter()
            .map(|row| Arc::unwrap_or_clone(row.pipeline));
        survey.pipelines = pipelines.collect();
        let state = self.world.places().state.as_ref();
        let state = state.map(|state| state.join("relight"));
        let me = self.world.places().uid;
        let obstacle = state.as_deref().and_then(|state| unusable(state, me));
        let mut trouble = obstacle.map(|found| {
            let remedy = remedy(&found, "it");
            (found.path, found.fault.to_string().into(), remedy)
        });
        // What stops every other command is what this one reports.
        let history = self.history(&Request {
            scope: Some(Scope::Machine),
            ..request.clone()
        });
        let history = history.unwrap_or_else(|error| {
            if trouble.is_none() {
                let remedy = "change its permissions".to_owned();
                trouble = state.clone().map(|state| (state, error.text, remedy));
            }
            History::default()
        });
        let mut unreadable = history.unreadable.clone();
        let far = history
            .recoveries
            .iter()
            .filter(|one| one.is_out_of_reach() && !one.is_undo());
        let far = far.map(|one| (one.id.clone(), one.trouble.clone()));
        let out_of_reach = far.collect();
        let stores = survey.pipelines.iter();
        let stores = stores.filter_map(|one| self.own_checkpoints(&one.id).1);
        unreadable.extend(stores.map(|odd| Skipped {
            path: odd.origin.file,
            reason: odd.text,
            unread: true,
        }));
        let pending = history.recoveries.iter();
        let pending =
            pending.filter(|one| one.state == RecoveryState::NeedsAttention && !one.running);
        let repo = self.world.git().repo(&request.cwd);
        let git_trouble = repo.as_ref().err().filter(|error| error.leaves_open());
        let git_trouble = git_trouble.map(ToString::to_string);
        let repo = repo.ok();
        let trees = survey.pipelines.iter();
        let trees = trees.filter_map(|one| one.reading.work_tree.as_deref());
        Ok(Health {
            scope: survey.scope,
            places: self.searched(&survey),
            systems: self.counted(&survey.pipelines),
            failing,
            library: crate::git::library_version(),
            git: find("git", std::env::var_os("PATH").as_deref()),
            work_tree: repo.as_ref().and_then(|repo| repo.work_tree.clone()),
            is_bare: repo.as_ref().is_some_and(|repo| repo.work_tree.is_none()),
            git_trouble,
            index_locks: self.index_locks(&survey.pipelines, &history.recoveries),
            space: state.as_deref().map_or_else(Vec::new, space),
            free: state
                .as_deref()
                .filter(|_| trouble.is_none())
                .and_then(crate::replay::session::free_space),
            needed: SPARE_BYTES,
            state_within: self.state_within(
                trees.chain(repo.as_ref().and_then(|repo| repo.work_tree.as_deref())),
            ),
            state,
            state_trouble: trouble,
            pending: pending.map(|one| one.id.clone()).collect(),
            interrupted_records: self.interrupted_records(&Request::everywhere())?,
            out_of_reach,
            unreadable,
            hidden: survey.hidden,
            skipped: self.skipped(survey.skipped),
        })
    }

    /// What a survey skipped, with the conversations that cannot be read.
    fn skipped(&self, mut all: Vec<Skipped>) -> Vec<Skipped> {
        let unread = self.conversations().unread(self.world.as_ref());
        all.extend(unread.into_iter().map(|one| Skipped {
            unread: one.is_trouble(),
            reason: foreign!("holds conversations that were not read: {}", &one.why),
            path: one.path,
        }));
        all
    }

    fn searched(&self, survey: &Survey) -> Vec<SearchedPlace> {
        let place = |path: PathBuf, kind: &'static str| SearchedPlace {
            exists: self.known_path(&path).is_some(),
            pipelines: 0,
            kind,
            path,
        };
        let named = self.roots.iter().map(|path| {
            let is_demo = self.sandboxed && self.roots.last() == Some(path);
            let kind = if is_demo { "sandbox" } else { "configured" };
            (self.known_path(path), place(path.clone(), kind))
        });
        let (there, gone): (Vec<_>, Vec<_>) = named.partition(|(_, one)| one.exists);
        let walked = survey.roots.iter().cloned().map(|path| {
            // One that is there was walked in its canonical form, in the scope of the machine.
            let mut there = there.iter();
            let named = there.find(|(real, _)| real.as_ref() == Some(&path));
            place(path, named.map_or("searched", |(_, one)| one.kind))
        });
        let world = self.world.places();
        let claude = world.claude.iter().map(|claude| claude.join("projects"));
        let mut places: Vec<_> = walked.chain(gone.into_iter().map(|(_, one)| one)).collect();
        places.extend(claude.map(|path| place(path, "Claude's projects")));
        places.extend(
            world
                .temp
                .iter()
                .map(|path| place(path.clone(), "temporary")),
        );
        for pipeline in &survey.pipelines {
            let reading = &pipeline.reading;
            let paths = reading.state_files.iter().chain([&reading.root]);
            // Each of its files is found in the innermost place: a repository may be in a temporary directory.
            let innermost = |path: &PathBuf| {
                let around = places.iter().enumerate();
                let around = around.filter(|(_, place)| path.starts_with(&place.path));
                around
                    .max_by_key(|(_, place)| place.path.as_os_str().len())
                    .map(|(at, _)| at)
            };
            let found: BTreeSet<usize> = paths.filter_map(innermost).collect();
            for at in found {
                if let Some(place) = places.get_mut(at) {
                    place.pipelines += 1;
                }
            }
        }
        places
    }

    fn counted(&self, pipelines: &[Pipeline]) -> Vec<SystemCount> {
        let of = |name: &'static str| {
            let mine = pipelines.iter().filter(|one| one.reading.system.0 == name);
            let mut statuses: Vec<(Status, usize)> = Vec::new();
            for status in mine.map(|one| one.standing.status) {
                match statuses.iter_mut().find(|known| known.0 == status) {
                    Some(known) => known.1 += 1,
                    None => statuses.push((status, 1)),
                }
            }
            SystemCount { name, statuses }
        };
        self.systems().map(of).collect()
    }

    /// The locks of git that hinder the pipelines; one of a recovery that is running is as it should be.
    fn index_locks(
        &self,
        pipelines: &[Pipeline],
        recoveries: &[Recovery],
    ) -> Vec<(PathBuf, Option<String>)> {
        let running = |(_, holder): &(PathBuf, Option<String>)| {
            let mut running = recoveries.iter().filter(|one| one.running);
            running.any(|one| holder.as_ref() == Some(&one.id.0))
        };
        let trees = pipelines
            .iter()
            .filter_map(|one| one.reading.work_tree.as_ref());
        let repos = trees.filter_map(|tree| self.world.git().repo(tree).ok());
        let locks = repos.map(|repo| {
            let holder = self.index_lock_of(&repo.git_dir);
            (repo.git_dir.join("index.lock"), holder)
        });
        let mut held: Vec<_> = locks
            .filter(|(lock, _)| self.world.files().canonical(lock).is_some())
            .filter(|lock| !running(lock))
            .collect();
        held.sort();
        held.dedup();
        held
    }
}

/// What the folders of relight's own state take. What is none of the others holds the backups of recoveries.
fn space(state: &Path) -> Vec<(&'static str, u64)> {
    let known = [
        ("checkpoints", "checkpoints"),
        ("replays", "replays"),
        ("rehearsals", "rehearsals"),
        ("handoffs", "hand-offs"),
        ("locks", "locks"),
    ];
    let mut space: Vec<_> = known
        .into_iter()
        .map(|(folder, what)| (what, disk_usage(&state.join(folder))))
        .collect();
    let all = disk_usage(state);
    let rest = all.saturating_sub(space.iter().map(|(_, bytes)| bytes).sum());
    space.insert(0, ("backups and records", rest));
    space.retain(|(_, bytes)| *bytes > 0);
    space
}
