//! Past recoveries, and which of them are pending.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use super::recovery_pipeline::is_it;
use super::undoing::no_recovery;
use super::write_place::unreadable_state;
use super::{Engine, EngineError, History, Request, Result, Skipped};
use crate::apply::crash;
use crate::apply::disk::{Disk as _, RealDisk};
use crate::apply::folder::Folder;
use crate::apply::history::{self, Entry};
use crate::apply::home::{Home, canonical, in_the_way, is_id, own, project_id};
use crate::foreign;
use crate::model::{Guard, PipelineId, Plan, Recovery, RecoveryId, RecoveryState};
use crate::text::format::time_full;

impl Engine {
    /// What is read of the history goes through here.
    pub(super) fn past<'a>(
        &'a self,
        disk: &'a RealDisk,
        state: &'a Path,
    ) -> history::Reader<'a, RealDisk> {
        history::Reader {
            disk,
            state,
            zone: *self.now().offset(),
            memory: &self.past,
        }
    }

    /// The recoveries in the request's scope with the sizes of their backups, and what of it cannot be read.
    pub fn history(&self, request: &Request) -> Result<History> {
        let (entries, mut unreadable) = self.entries_of(request, &|_| true)?;
        let (disk, mut recoveries) = (RealDisk::new(), Vec::new());
        for mut entry in entries {
            match entry.measure(&disk) {
                Ok(()) => recoveries.push(entry.recovery),
                Err(why) => {
                    let path = entry.home.path.join(&entry.folder.name);
                    unreadable.push(unread(path, RECOVERY, &why.to_string()));
                }
            }
        }
        // Named only where everything is listed: no recovery can be in these.
        let odd = self.state_dir().map(|state| in_the_way(&state));
        let odd = odd.into_iter().flatten();
        unreadable.extend(odd.map(|path| unread(path, "directory", "it is not a directory")));
        Ok(History {
            recoveries,
            unreadable,
        })
    }

    /// The recoveries that are wanted: to know whether they belong to the scope may need a survey.
    pub(super) fn history_of(
        &self,
        request: &Request,
        wanted: &dyn Fn(&Recovery) -> bool,
    ) -> Result<History> {
        let (entries, unreadable) = self.entries_of(request, wanted)?;
        let recoveries = entries.into_iter().map(|entry| entry.recovery);
        Ok(History {
            recoveries: recoveries.collect(),
            unreadable,
        })
    }

    fn entries_of(
        &self,
        request: &Request,
        wanted: &dyn Fn(&Recovery) -> bool,
    ) -> Result<(Vec<Entry<RealDisk>>, Vec<Skipped>)> {
        if self.world.places().state.is_none() {
            return Ok((Vec::new(), Vec::new()));
        }
        let state = self.state_dir()?;
        let scope = self.in_scope(request)?;
        let disk = RealDisk::new();
        let read = self.past(&disk, &state).read();
        let (mut entries, unreadable) = read.map_err(|why| unreadable_state(&own(&state), &why))?;
        // A project is known by what else is in its folder, or by the root of the scope.
        let here = entries.iter();
        let here = here.filter(|entry| scope.area.holds_path(&entry.recovery.root));
        let asked: Vec<String> = here.map(|entry| entry.home.project.clone()).collect();
        let mut unreadable = scope.unreadable(unreadable, &asked, RECOVERY);
        let known: Vec<PathBuf> = unreadable.iter().map(|odd| odd.path.clone()).collect();
        let records = scope.unreadable(self.unread_records(), &asked, RECORDS);
        unreadable.extend(records.into_iter().filter(|odd| !known.contains(&odd.path)));
        entries.retain(|entry| {
            let one = &entry.recovery;
            wanted(one) && scope.holds(&one.root, &|found| is_it(found, one))
        });
        Ok((entries, unreadable))
    }

    /// The recoveries in the request's scope, the latest first; pending ones are among them.
    pub fn recoveries(&self, request: &Request) -> Result<Vec<Recovery>> {
        self.history_of(request, &|_| true)
            .map(|past| past.recoveries)
    }

    /// The recoveries that need attention in the request's scope, and what of its history cannot be read.
    pub fn unfinished(&self, request: &Request) -> Result<History> {
        if self.all_ended() && self.unread_records().is_empty() {
            return Ok(History::default());
        }
        self.history_of(request, &is_unfinished)
    }

    /// Whether every recovery has ended, which most often is so, and which their marks tell.
    pub(super) fn all_ended(&self) -> bool {
        let state = self.state_dir();
        state.is_ok_and(|state| {
            let disk = RealDisk::new();
            self.past(&disk, &state).all_ended().unwrap_or(false)
        })
    }

    /// The recoveries that need attention in the request's scope, the latest first. Reads only.
    pub fn pending(&self, request: &Request) -> Result<Vec<Recovery>> {
        Ok(self.unfinished(request)?.recoveries)
    }

    /// The pending recoveries of a plan's pipeline, wherever it is. One without a record names no pipeline: it counts
    /// where it is kept with those of the plan's project.
    pub fn pending_of(&self, plan: &Plan) -> Result<Vec<Recovery>> {
        let root = self.act_place(plan).ok().map(|place| place.at.root);
        // Without a record it is known by the root in its journal, else by the folder that keeps it.
        let is_here = |at: &Path| {
            root.as_ref().is_some_and(|root| {
                let project = || project_of(&RealDisk::new(), root);
                at.starts_with(root) || project().is_some_and(|project| at.ends_with(project))
            })
        };
        let mut pending = self.pending(&Request::everywhere())?;
        pending.retain(|left| {
            left.pipeline == plan.pipeline || !left.is_recorded() && is_here(&left.root)
        });
        Ok(pending)
    }

    /// A guard that fails while a recovery of this pipeline is pending: a plan made from half of one must not be
    /// confirmed. The one that is under way here is not pending, and one of another pipeline is recovered on the way.
    pub(super) fn pending_guard(&self, pipeline: &PipelineId, root: &Path) -> Option<Guard> {
        let disk = RealDisk::new();
        let root = canonical(root).ok()?;
        let project = project_of(&disk, &root)?;
        let state = self.state_dir().ok()?;
        let home = Home::open(&disk, &state, &project).ok()??;
        let held = self.held_id();
        let pending = |name: &OsStr| {
            let name = name.to_str().filter(|name| is_id(name))?;
            let folder = Folder::open(&disk, &home.dir, name).ok()?;
            let reached = crash::state(&disk, &folder).ok()?;
            if reached.has_ended() || held.as_deref() == Some(name) {
                return None;
            }
            let found = self.past(&disk, &state).entry(&home, name).ok()??.recovery;
            (found.pipeline == *pipeline || !found.is_recorded()).then_some(found)
        };
        let names = disk.list(&home.dir).unwrap_or_default();
        let left = names.iter().find_map(|name| pending(name))?;
        let (text, cure) = (left.why_incomplete(), left.completion());
        Some(Guard::fails("pending_recovery", text, cure))
    }

    /// The recovery that an id, or an unambiguous beginning or end of one, means.
    pub fn named_recovery(&self, word: &str) -> Result<Recovery> {
        let all = self.recoveries(&Request::everywhere())?;
        if let Some(exact) = all.iter().find(|r| r.id.0 == word) {
            return self.with_size(&exact.id);
        }
        let fits =
            |r: &&Recovery| word.len() >= 4 && (r.id.0.starts_with(word) || r.id.0.ends_with(word));
        let fitting: Vec<&Recovery> = all.iter().filter(fits).collect();
        match fitting.as_slice() {
            [one] => self.with_size(&one.id),
            [] => {
                let known = all.iter().map(|recovery| recovery.id.0.as_str());
                Err(no_recovery(word).near(word, known))
            }
            several => {
                let text = format!("{word} matches {} recoveries.", several.len());
                let error = ambiguous(text, several.iter().copied());
                Err(error.hint("relight history --scope machine lists them."))
            }
        }
    }

    pub(super) fn with_size(&self, id: &RecoveryId) -> Result<Recovery> {
        let (disk, state) = (RealDisk::new(), self.state_dir()?);
        let mut entry = self.entry(&disk, &state, id)?;
        let measured = entry.measure(&disk);
        let folder = entry.home.path.join(&entry.folder.name);
        measured.map_err(|why| unreadable_state(&folder, &why))?;
        Ok(entry.recovery)
    }
}

/// What should be where something cannot be read.
const RECOVERY: &str = "recovery";
pub(super) const RECORDS: &str = "list of records";

pub(super) fn unread(path: PathBuf, what: &str, reason: &str) -> Skipped {
    Skipped {
        path,
        reason: format!("not a readable {what} ({reason})").into(),
        unread: true,
    }
}

fn is_unfinished(recovery: &Recovery) -> bool {
    recovery.state == RecoveryState::NeedsAttention
}

/// The error with what tells these recoveries apart.
pub(super) fn ambiguous<'a>(
    text: String,
    several: impl Iterator<Item = &'a Recovery>,
) -> EngineError {
    let said = several.map(|one| {
        let (id, of_it) = (one.id.0.as_str(), one.pipeline.of_it());
        foreign!(
            "{}: {}{}, {}",
            id,
            &one.label,
            of_it,
            time_full(one.started_at)
        )
    });
    EngineError::ambiguous(text, said)
}

/// The name of the folder that keeps the recoveries of a root; `None` where the root is gone.
pub(super) fn project_of(disk: &RealDisk, root: &Path) -> Option<String> {
    let node = disk.root(root).and_then(|dir| disk.node(&dir)).ok()?;
    Some(project_id(node.id, root))
}
