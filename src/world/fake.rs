//! A world for tests: real files, a fixed clock, and git facts and processes that the test defines.
//!
//! Both the unit tests and those in `tests` compile this file, so it names the crate as they do.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use chrono::DateTime;

use relight::model::{Drift, Foreign};
use relight::world::agents::Agents;
use relight::world::clock::FixedClock;
use relight::world::files::Files;
use relight::world::git::{Commit, Git, GitError, RepoFacts, ShadowFacts, StatusPath, Worktree};
use relight::world::process::{Process, Processes, TmuxSession};
use relight::world::real_files::RealFiles;
use relight::world::{Clock, Places, World};

/// A world that a test defines. Every field can be set directly.
#[derive(Debug)]
pub(crate) struct FakeWorld<G = FakeGit> {
    /// The clock.
    pub(crate) clock: FixedClock,
    /// Files of a folder that the test made.
    pub(crate) files: RealFiles,
    /// Repositories: fakes by the top of their work tree, or real ones.
    pub(crate) git: G,
    /// Processes and sessions.
    pub(crate) processes: FakeProcesses,
    /// Places.
    pub(crate) places: Places,
}

impl From<&str> for FakeWorld {
    /// An empty world at a moment (RFC 3339). Falls back to 1970 for a moment that cannot be read.
    fn from(now: &str) -> Self {
        Self {
            clock: FixedClock(DateTime::parse_from_rfc3339(now).unwrap_or_default()),
            files: RealFiles,
            git: FakeGit::default(),
            processes: FakeProcesses::default(),
            places: Places::default(),
        }
    }
}

impl<G: Git> World for FakeWorld<G> {
    fn clock(&self) -> &dyn Clock {
        &self.clock
    }

    fn files(&self) -> &dyn Files {
        &self.files
    }

    fn git(&self) -> &dyn Git {
        &self.git
    }

    fn processes(&self) -> &dyn Processes {
        &self.processes
    }

    fn places(&self) -> &Places {
        &self.places
    }

    fn know_agents(&mut self, agents: Agents) {
        self.processes.agents = agents;
    }
}

/// One repository of a [`FakeGit`].
#[derive(Debug, Clone, Default)]
pub(crate) struct FakeRepo {
    /// The branch HEAD names.
    pub(crate) branch: Option<String>,
    /// Commits by branch, newest first.
    pub(crate) branches: BTreeMap<String, Vec<Commit>>,
    /// The operation in progress.
    pub(crate) busy: Option<&'static str>,
    /// Paths with unresolved conflicts.
    pub(crate) unmerged: Vec<Foreign>,
    /// Whether `index.lock` exists.
    pub(crate) index_locked: bool,
    /// Main branch.
    pub(crate) default_branch: Option<String>,
    /// Worktrees other than this one.
    pub(crate) worktrees: Vec<Worktree>,
    /// Uncommitted changes.
    pub(crate) status: Vec<StatusPath>,
    /// Contents by `(commit or blob id, path)`.
    pub(crate) blobs: BTreeMap<(String, PathBuf), Vec<u8>>,
    /// Paths that are ignored.
    pub(crate) ignored: BTreeSet<PathBuf>,
    /// For a shadow store: its configured work tree.
    pub(crate) shadow_work_tree: Option<PathBuf>,
    /// Drift by commit.
    pub(crate) drift: BTreeMap<String, Drift>,
    /// The error that every question returns.
    pub(crate) broken: Option<GitError>,
    /// The branches, commits and index that cannot be read, and the paths whose content or folder cannot.
    pub(crate) unread: BTreeMap<String, GitError>,
}

/// Repositories that a test defines.
#[derive(Debug, Clone, Default)]
pub(crate) struct FakeGit {
    /// By the top of the work tree, or the git directory of a shadow store.
    pub(crate) repos: BTreeMap<PathBuf, FakeRepo>,
}

impl FakeGit {
    fn find(&self, dir: &Path) -> Result<(&Path, &FakeRepo), GitError> {
        let found = dir.ancestors().find_map(|at| self.repos.get_key_value(at));
        let (top, repo) = found.ok_or(GitError::NotARepository)?;
        match &repo.broken {
            Some(error) => Err(error.clone()),
            None => Ok((top, repo)),
        }
    }

    /// The same, for a question about a branch or path.
    fn find_for(&self, dir: &Path, asked: &str) -> Result<&FakeRepo, GitError> {
        let (_, repo) = self.find(dir)?;
        repo.unread.get(asked).cloned().map_or(Ok(repo), Err)
    }

    fn commits(&self, dir: &Path) -> Result<Vec<Commit>, GitError> {
        let (_, repo) = self.find(dir)?;
        let mut all: Vec<Commit> = repo.branches.values().flatten().cloned().collect();
        all.sort_by(|a, b| (b.time, &b.id).cmp(&(a.time, &a.id)));
        all.dedup_by(|a, b| a.id == b.id);
        Ok(all)
    }

    /// Every commit reachable from one, itself first.
    fn reachable(&self, dir: &Path, from: &str) -> Result<Vec<Commit>, GitError> {
        let all = self.commits(dir)?;
        let mut todo = vec![from.to_owned()];
        let mut seen: Vec<Commit> = Vec::new();
        while let Some(id) = todo.pop() {
            if seen.iter().any(|c| c.id == id) {
                continue;
            }
            if let Some(commit) = all.iter().find(|c| c.id == id) {
                todo.extend(commit.parents.iter().cloned());
                seen.push(commit.clone());
            }
        }
        seen.sort_by_key(|commit| std::cmp::Reverse(commit.time));
        Ok(seen)
    }
}

impl Git for FakeGit {
    fn repo(&self, dir: &Path) -> Result<RepoFacts, GitError> {
        let (top, repo) = self.find(dir)?;
        let head = repo
            .branch
            .as_ref()
            .and_then(|b| repo.branches.get(b))
            .and_then(|c| c.first());
        Ok(RepoFacts {
            work_tree: Some(top.to_owned()),
            git_dir: top.join(".git"),
            common_dir: top.join(".git"),
            branch: repo.branch.as_deref().map(Foreign::from),
            head: head.map(|c| c.id.clone()),
            busy: repo.busy,
            index_locked: repo.index_locked,
            ref_lock: None,
            default_branch: repo.default_branch.as_deref().map(Foreign::from),
            linked: false,
        })
    }

    fn user_name(&self, _dir: &Path) -> Option<String> {
        None
    }

    fn revision(&self, _dir: &Path, revision: &str) -> Result<String, GitError> {
        Err(GitError::Missing(revision.to_owned()))
    }

    fn changed_paths(&self, _dir: &Path, commits: &[&str]) -> Vec<Option<Vec<Foreign>>> {
        vec![None; commits.len()]
    }

    fn shadow_work_tree(&self, store: &Path) -> Result<Option<PathBuf>, GitError> {
        Ok(self.shadow(store)?.work_tree)
    }

    fn resettable(&self, _work_tree: &Path) -> Result<(), GitError> {
        Ok(())
    }

    fn worktrees(&self, dir: &Path) -> Result<Vec<Worktree>, GitError> {
        let facts = self.repo(dir)?;
        let (top, repo) = self.find(dir)?;
        let own = Worktree {
            path: top.to_owned(),
            branch: facts.branch,
            head: facts.head,
            main: true,
            locked: false,
            prunable: false,
        };
        Ok(std::iter::once(own)
            .chain(repo.worktrees.iter().cloned())
            .collect())
    }

    fn branches(&self, dir: &Path) -> Result<Vec<Foreign>, GitError> {
        let branches = self.find_for(dir, "packed-refs")?.branches.keys();
        Ok(branches.map(|b| Foreign::from(b.as_str())).collect())
    }

    fn branch_tip(&self, dir: &Path, branch: &str) -> Result<String, GitError> {
        let repo = self.find_for(dir, branch)?;
        let tip = repo.branches.get(branch).and_then(|c| c.first());
        tip.map(|c| c.id.clone())
            .ok_or_else(|| GitError::Missing(branch.to_owned()))
    }

    fn branch_with(&self, dir: &Path, commit: &str) -> Result<Option<Foreign>, GitError> {
        let mut unread = None;
        for name in self.branches(dir)?.iter().filter_map(Foreign::as_str) {
            let tip = self.branch_tip(dir, name);
            let remote = name.starts_with("origin/");
            let kind = if remote { "remotes" } else { "heads" };
            match tip.and_then(|tip| self.is_ancestor(dir, commit, &tip)) {
                Ok(true) => return Ok(Some(format!("refs/{kind}/{name}").into())),
                Ok(false) => {}
                Err(why) => unread = Some(why),
            }
        }
        unread.map_or(Ok(None), Err)
    }

    fn find_commit(&self, dir: &Path, id: &str) -> Result<Commit, GitError> {
        let all = self.commits(dir)?;
        all.into_iter()
            .find(|c| c.id.starts_with(id))
            .ok_or_else(|| GitError::Missing(id.to_owned()))
    }

    fn log(
        &self,
        dir: &Path,
        tip: &str,
        base: Option<&str>,
        limit: usize,
    ) -> Result<Vec<Commit>, GitError> {
        let hidden = base.map_or_else(|| Ok(Vec::new()), |base| self.reachable(dir, base))?;
        let mut commits = self.reachable(dir, tip)?;
        commits.retain(|c| !hidden.iter().any(|h| h.id == c.id));
        commits.truncate(limit);
        let read = commits.iter().map(|c| self.find_for(dir, &c.id));
        read.collect::<Result<Vec<_>, _>>()?;
        Ok(commits)
    }

    fn is_ancestor(&self, dir: &Path, ancestor: &str, descendant: &str) -> Result<bool, GitError> {
        let found = self.reachable(dir, descendant)?;
        Ok(found.iter().any(|c| c.id == ancestor))
    }

    fn merge_base(&self, dir: &Path, a: &str, b: &str) -> Result<Option<String>, GitError> {
        let (left, right) = (self.reachable(dir, a)?, self.reachable(dir, b)?);
        let mut both = left.into_iter().map(|c| c.id);
        Ok(both.find(|id| right.iter().any(|r| r.id == *id)))
    }

    fn ahead_behind(&self, dir: &Path, a: &str, b: &str) -> Result<(u64, u64), GitError> {
        let ahead = self.log(dir, a, Some(b), usize::MAX)?.len();
        let behind = self.log(dir, b, Some(a), usize::MAX)?.len();
        Ok((ahead as u64, behind as u64))
    }

    fn upstream(&self, dir: &Path, branch: &str) -> Result<Option<String>, GitError> {
        let (_, repo) = self.find(dir)?;
        let theirs = repo.branches.get(&format!("origin/{branch}"));
        Ok(theirs.and_then(|c| c.first()).map(|c| c.id.clone()))
    }

    fn status(&self, work_tree: &Path) -> Result<Vec<StatusPath>, GitError> {
        Ok(self.find_for(work_tree, "index")?.status.clone())
    }

    fn unmerged(&self, work_tree: &Path) -> Result<Vec<Foreign>, GitError> {
        Ok(self.find(work_tree)?.1.unmerged.clone())
    }

    fn is_ignored(&self, work_tree: &Path, path: &Path) -> Result<bool, GitError> {
        Ok(self.find(work_tree)?.1.ignored.contains(path))
    }

    fn blob(&self, dir: &Path, commit: &str, path: &Path) -> Result<Vec<u8>, GitError> {
        let repo = self.find_for(dir, &path.to_string_lossy())?;
        let found = repo.blobs.get(&(commit.to_owned(), path.to_owned()));
        found
            .cloned()
            .ok_or_else(|| GitError::Missing(path.display().to_string()))
    }

    fn blob_by_id(&self, dir: &Path, blob: &str) -> Result<Vec<u8>, GitError> {
        let (_, repo) = self.find(dir)?;
        let found = repo.blobs.get(&(blob.to_owned(), PathBuf::new()));
        found
            .cloned()
            .ok_or_else(|| GitError::Missing(blob.to_owned()))
    }

    fn tree_paths(
        &self,
        dir: &Path,
        commit: &str,
        beneath: &Path,
    ) -> Result<Vec<Foreign>, GitError> {
        let repo = self.find_for(dir, &beneath.to_string_lossy())?;
        let paths = repo
            .blobs
            .keys()
            .filter(|(at, path)| at == commit && path.starts_with(beneath));
        Ok(paths.map(|(_, path)| Foreign::from(path)).collect())
    }

    fn path_history(&self, dir: &Path, path: &Path, limit: usize) -> Result<Vec<Commit>, GitError> {
        let (_, repo) = self.find(dir)?;
        let mut commits = self.commits(dir)?;
        commits.retain(|c| repo.blobs.contains_key(&(c.id.clone(), path.to_owned())));
        commits.truncate(limit);
        Ok(commits)
    }

    fn shadow(&self, store: &Path) -> Result<ShadowFacts, GitError> {
        let (_, repo) = self.find(store)?;
        Ok(ShadowFacts {
            work_tree: repo.shadow_work_tree.clone(),
            commits: self.commits(store)?,
        })
    }

    fn drift_except(
        &self,
        (store, commit): (&Path, &str),
        _work_tree: &Path,
        _attributes: &BTreeSet<Foreign>,
    ) -> Result<Drift, GitError> {
        let (_, repo) = self.find(store)?;
        let drift = repo.drift.get(commit).cloned();
        drift.ok_or_else(|| GitError::Missing(commit.to_owned()))
    }
}

/// Processes that a test defines.
#[derive(Debug, Clone, Default)]
pub(crate) struct FakeProcesses {
    /// The processes.
    pub(crate) list: Vec<Process>,
    /// The error if they cannot be listed.
    pub(crate) unreadable: Option<String>,
    /// The tmux sessions.
    pub(crate) tmux: Vec<TmuxSession>,
    /// The error if tmux cannot be queried.
    pub(crate) tmux_unreadable: Option<String>,
    /// relight's own process and its parents.
    pub(crate) ancestors: Vec<u32>,
    /// Programs on the path.
    pub(crate) programs: BTreeSet<String>,
    /// Which programs are agents.
    pub(crate) agents: Agents,
}

impl Processes for FakeProcesses {
    fn list(&self) -> Result<Vec<Process>, Foreign> {
        let why = self.unreadable.as_deref();
        why.map_or_else(|| Ok(self.list.clone()), |why| Err(why.into()))
    }

    fn tmux(&self) -> Result<Vec<TmuxSession>, Foreign> {
        let why = self.tmux_unreadable.as_deref();
        why.map_or_else(|| Ok(self.tmux.clone()), |why| Err(why.into()))
    }

    fn ancestors(&self) -> Vec<u32> {
        self.ancestors.clone()
    }

    fn agents(&self) -> &Agents {
        &self.agents
    }

    fn on_path(&self, program: &str) -> bool {
        self.programs.contains(program)
    }

    fn refresh(&self) {}
}
