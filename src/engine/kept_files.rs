//! Rehearsals and hand-offs that are kept in relight's own state, and deleting them.

use std::io;
use std::path::{Path, PathBuf};

use super::{Engine, EngineError, Result};
use crate::apply::disk::{Disk as _, RealDisk};
use crate::apply::journal::RefMove;
use crate::apply::{briefings, home, mirror};
use crate::git::refs::{UNDO, reached_only_by};
use crate::model::{LastCommits, Place, PurgeLoss, Recovery};
use crate::string_enum;
use crate::world::file_facts::disk_usage;
use crate::world::files::Entry;

string_enum! {
    /// What is kept.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum KeptKind {
        /// The copy of a project in which a plan was tried.
        Rehearsal = "rehearsal",
        /// The briefing that a hand-off names.
        Handoff = "hand-off",
    }
}

/// A rehearsal or a hand-off.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptFile {
    /// What it is.
    pub kind: KeptKind,
    /// Its name, by which it is deleted.
    pub name: String,
    /// Where it is.
    pub path: PathBuf,
}

impl KeptFile {
    /// The bytes that it takes on the disk.
    pub fn bytes(&self) -> u64 {
        disk_usage(&self.path)
    }
}

impl Engine {
    /// The rehearsals and hand-offs that words name, for `purge`: whole names of a folder or a file, of a file also
    /// without `.md`. The other words are returned.
    pub fn purgeable_files(&self, words: &[String]) -> (Vec<KeptFile>, Vec<String>) {
        let kept = self.kept_files();
        let (mut found, mut others): (Vec<KeptFile>, _) = (Vec::new(), Vec::new());
        for word in words {
            let names = [word.clone(), format!("{word}.md")];
            let is_handoff = |one: &KeptFile| one.kind == KeptKind::Handoff && one.name == names[1];
            let mut whole = kept.iter().filter(|one| one.name == names[0]);
            match whole
                .next()
                .or_else(|| kept.iter().find(|one| is_handoff(one)))
            {
                Some(one) if found.contains(one) => {}
                Some(one) => found.push(one.clone()),
                None => others.push(word.clone()),
            }
        }
        (found, others)
    }

    /// All rehearsals and hand-offs.
    pub fn kept_files(&self) -> Vec<KeptFile> {
        let Ok(state) = self.state_dir() else {
            return Vec::new();
        };
        let rehearsals = (KeptKind::Rehearsal, home::rehearsals_path(&state));
        let handoffs = (KeptKind::Handoff, home::briefings_path(&state));
        let mut all = Vec::new();
        for (kind, dir) in [rehearsals, handoffs] {
            let is_one =
                |entry: &Entry| !entry.is_link && entry.is_dir == (kind == KeptKind::Rehearsal);
            let entries = self.world.files().list(&Place::root(&dir));
            let names = entries.into_iter().flatten().filter(is_one);
            all.extend(names.filter_map(|entry| {
                let name = entry.name.to_str()?.to_owned();
                Some(KeptFile {
                    kind,
                    path: dir.join(&name),
                    name,
                })
            }));
        }
        all
    }

    /// What is lost with the backups of these recoveries, beside what they say themselves.
    pub fn purge_loss(&self, recoveries: &[Recovery]) -> PurgeLoss {
        let files = recoveries.iter();
        let files = files.filter_map(|one| one.handoff.briefing_file.as_deref());
        let files = files.filter(|file| self.world.files().canonical(file).is_some());
        let only_copies = recoveries.iter().flat_map(|one| self.only_copies(one));
        PurgeLoss {
            only_copies: only_copies.collect(),
            handoffs: files.count(),
            commits: self.last_commits(recoveries),
        }
    }

    /// The commits that only these recoveries keep.
    fn last_commits(&self, recoveries: &[Recovery]) -> Vec<LastCommits> {
        let entries = recoveries.iter().filter_map(|one| self.alone(&one.id));
        let moves = entries.filter_map(|entry| Some(entry.good_journal()?.refs.clone()));
        let moves: Vec<Vec<RefMove>> = moves.collect();
        let own = moves
            .iter()
            .flatten()
            .filter(|one| one.name.starts_with(UNDO));
        let own: Vec<String> = own.map(|one| one.name.clone()).collect();
        let of = |all: &Vec<RefMove>| {
            let is_branch = |one: &&RefMove| !one.name.starts_with(UNDO);
            let branch = all.iter().find(is_branch)?;
            let mut kept = all.iter().filter(|one| !is_branch(one));
            let kept = kept.find(|one| one.new == branch.old)?;
            // A repository that cannot be read refuses the purge.
            let count = reached_only_by(&kept.git_dir.path(), &kept.name, &own).ok()?;
            (count > 0).then(|| LastCommits {
                branch: branch.name.trim_start_matches("refs/heads/").to_owned(),
                tip: kept.new.clone().unwrap_or_default(),
                count,
            })
        };
        moves.iter().filter_map(of).collect()
    }

    /// Deletes rehearsals and hand-offs. Gives the bytes that they took.
    pub fn purge_files(&self, files: &[KeptFile]) -> Result<u64> {
        let (disk, state) = (RealDisk::new(), self.writable_state()?);
        let me = self.world.places().uid;
        let mut bytes = 0;
        for one in files {
            let taken = one.bytes();
            let removed = match one.kind {
                KeptKind::Rehearsal => remove_rehearsal(&disk, &one.path),
                KeptKind::Handoff => briefings::remove(&disk, &state, &one.path, me),
            };
            removed.map_err(|error| {
                let text = format!("{} could not be deleted: {error}.", one.name);
                EngineError::refused(text).hint("Run the same command again.")
            })?;
            bytes += taken;
        }
        Ok(bytes)
    }
}

pub(super) fn remove_rehearsal(disk: &RealDisk, path: &Path) -> io::Result<()> {
    let (Some(above), Some(name)) = (path.parent(), path.file_name()) else {
        return Ok(());
    };
    // The copy of a project has folders that nobody may write, too.
    mirror::clear(&disk.root(path)?)?;
    disk.remove(&disk.root(above)?, name)
}
