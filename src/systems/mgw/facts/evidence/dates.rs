//! When a document was written. A new work tree gives every file a new modification time, so a committed document is as
//! old as the commit that introduced it. Only uncommitted ones use their own time.

use std::path::Path;

use chrono::{DateTime, Utc};

use crate::model::Place;
use crate::systems::mgw::facts::evidence::Look;
use crate::systems::mgw::facts::{COMMITS, Lookup, Where};
use crate::systems::mgw::shape::State;
use crate::world::World;

impl<'a> Look<'a> {
    /// Reads the commits; none if the branch or its start is unknown.
    pub(super) fn of(
        world: &'a dyn World,
        lookup: &'a Lookup,
        state: &'a State,
        base: Option<&str>,
    ) -> Self {
        let (git, root) = (world.git(), &lookup.root);
        let tip = lookup.tip.as_deref();
        let log = tip.and_then(|tip| git.log(root, tip, base, COMMITS).ok());
        let base = base.filter(|_| tip.is_some()).and_then(|base| {
            let commit = git.find_commit(root, base).ok()?;
            Some((base.to_owned(), commit.time))
        });
        Self {
            world,
            lookup,
            state,
            commits: log.unwrap_or_default(),
            base,
        }
    }

    /// The times of the branch's own commits, newest first.
    pub(super) fn times(&self) -> Vec<DateTime<Utc>> {
        let base = self.base.as_ref().map(|(id, _)| id.as_str());
        let own = self.commits.iter().filter(|c| Some(c.id.as_str()) != base);
        own.map(|commit| commit.time).collect()
    }

    /// The time of the commit in which a file got its current content.
    fn introduced(&self, path: &Path) -> Option<DateTime<Utc>> {
        let (git, lookup) = (self.world.git(), self.lookup);
        let at = |id: &str| git.blob(&lookup.root, id, path).ok();
        let now = at(lookup.tip.as_deref()?)?;
        let mut introduced = None;
        for commit in &self.commits {
            if at(&commit.id).as_ref() != Some(&now) {
                return introduced;
            }
            introduced = Some(commit.time);
        }
        match &self.base {
            Some((base, time)) if at(base).as_ref() == Some(&now) => Some(*time),
            _ => introduced,
        }
    }

    /// When a document was written, if known.
    pub(super) fn written(&self, path: &str, at: Where) -> Option<DateTime<Utc>> {
        let (world, lookup) = (self.world, self.lookup);
        let rel = lookup.rel(path).ok()?;
        let rel = rel.as_path();
        let dir = match at {
            Where::Worktree => lookup.worktree.as_deref()?,
            Where::Root => lookup.root.as_path(),
            Where::Branch => return self.introduced(rel),
        };
        let place = Place::known(dir, rel).ok()?;
        let own = || Some(world.files().stat(&place).ok()?.modified);
        let committed = match at {
            Where::Worktree => lookup.tip.clone(),
            Where::Root | Where::Branch => world.git().repo(dir).ok().and_then(|repo| repo.head),
        };
        let blob = committed.and_then(|commit| world.git().blob(&lookup.root, &commit, rel).ok());
        let same = blob.is_some_and(|blob| {
            let content = world.files().read(&place, blob.len() as u64 + 1);
            content.is_ok_and(|content| content == blob)
        });
        match at {
            _ if !same => own(),
            Where::Worktree => self.introduced(rel).or_else(own),
            Where::Root | Where::Branch => {
                let history = world.git().path_history(dir, rel, 1).unwrap_or_default();
                history.first().map(|commit| commit.time).or_else(own)
            }
        }
    }
}
