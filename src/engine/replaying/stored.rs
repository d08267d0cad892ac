//! How much space replays use, and deleting them.

use std::io;

use super::super::comparing::counted;
use super::super::{Engine, EngineError, Result};
use crate::model::{Cancel, PipelineId, ReplaySession, SessionId};
pub use crate::replay::session::{Held as HeldReplays, StoredReplay};
use crate::replay::session::{experiments, hold, remove, stored};
use crate::world::file_facts::disk_usage;

/// What was deleted, and what was left because a person canceled.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PurgedReplays {
    /// The sessions that are gone.
    pub purged: Vec<StoredReplay>,
    /// The bytes that they took.
    pub bytes: u64,
    /// The sessions that were not deleted.
    pub left: Vec<StoredReplay>,
}

/// The space that an experiment, or a lone run, takes on the disk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReplaySize {
    /// The id that its runs share.
    pub group: SessionId,
    /// The bytes of each run, in the order in which they were listed.
    pub runs: Vec<(SessionId, u64)>,
}

impl ReplaySize {
    /// The bytes of all runs together.
    pub fn bytes(&self) -> u64 {
        self.runs.iter().map(|(_, bytes)| bytes).sum()
    }
}

impl Engine {
    /// The space that replays take, by experiment, in the order in which they are listed. One without a folder takes
    /// none. Reads every entry of every folder, so not for the thread that draws.
    pub fn replay_sizes(&self, sessions: &[ReplaySession]) -> Vec<ReplaySize> {
        let mut sizes: Vec<ReplaySize> = Vec::new();
        for ReplaySession {
            id, group, folder, ..
        } in sessions
        {
            let run = (id.clone(), folder.as_deref().map_or(0, disk_usage));
            match sizes.iter_mut().find(|one| one.group == *group) {
                Some(known) => known.runs.push(run),
                None => sizes.push(ReplaySize {
                    group: group.clone(),
                    runs: vec![run],
                }),
            }
        }
        sizes
    }

    /// The replays that words mean, for `purge`, and the words that mean none: each the id of a session or of an
    /// experiment, with its pipeline before it (`PIPELINE/ID`) where several have it.
    pub fn purgeable_replays(&self, words: &[String]) -> Result<(Vec<StoredReplay>, Vec<String>)> {
        let all = self.state_dir().map(|state| stored(&state));
        let all = all.unwrap_or_default();
        let (mut found, mut others): (Vec<StoredReplay>, _) = (Vec::new(), Vec::new());
        for word in words {
            let meant: Vec<&StoredReplay> = all.iter().filter(|one| means(word, one)).collect();
            let Some(first) = meant.first() else {
                others.push(word.clone());
                continue;
            };
            if meant.iter().any(|one| one.pipeline != first.pipeline) {
                let text = format!("Several pipelines have a replay {word}.");
                let each = meant.iter();
                let each = each.map(|one| format!("{}/{}", one.pipeline, one.id));
                return Err(EngineError::ambiguous(text, each));
            }
            for one in meant {
                if !found.contains(one) {
                    found.push(one.clone());
                }
            }
        }
        Ok((found, others))
    }

    /// The experiments that stay and whose verdicts count runs that are to be deleted: their own, or those of an earlier
    /// experiment of the same question.
    pub fn verdicts_without(&self, meant: &[StoredReplay]) -> Vec<SessionId> {
        let Ok(state) = self.state_dir() else {
            return Vec::new();
        };
        let left = stored(&state);
        let left = || left.iter().filter(|one| !meant.contains(one));
        let mut pipelines: Vec<&PipelineId> = meant.iter().map(|one| &one.pipeline).collect();
        pipelines.dedup();
        let mut found = Vec::new();
        for pipeline in pipelines {
            let experiments = experiments(&state, pipeline);
            let has_run = |of: &SessionId, one: &StoredReplay| {
                one.pipeline == *pipeline && one.id.group() == *of
            };
            let loses = |id: &&SessionId| {
                let mut counted = counted(&experiments, id).into_iter();
                left().any(|one| has_run(id, one))
                    && counted.any(|of| meant.iter().any(|one| has_run(of, one)))
            };
            let ids = experiments.iter().map(|one| &one.id);
            let new = ids.filter(loses).filter(|id| !found.contains(*id)).cloned();
            let new: Vec<SessionId> = new.collect();
            found.extend(new);
        }
        found
    }

    /// Takes the locks of replays that are to be deleted, and of their experiments: all of them, or it is refused and
    /// nothing is changed.
    pub fn hold_replays(&self, meant: Vec<StoredReplay>) -> Result<HeldReplays> {
        hold(&self.writable_state()?, meant).map_err(|(one, error)| {
            let id = &one.id;
            if error.kind() != io::ErrorKind::ResourceBusy {
                let text = format!("Replay {id} cannot be locked: {error}. Nothing was deleted.");
                return EngineError::refused(text);
            }
            let text = format!(
                "Replay {id} or its experiment is being run by another process. Nothing was deleted."
            );
            EngineError::refused(text).hint("Wait for it to end, or stop it.")
        })
    }

    /// Deletes replays: their trees, dispatches, outputs and records. `cancel` stops it between two of them.
    pub fn purge_replays(&self, held: &HeldReplays, cancel: &Cancel) -> Result<PurgedReplays> {
        let state = self.state_dir()?;
        let mut report = PurgedReplays::default();
        for one in &held.sessions {
            if cancel.is_cancelled() {
                report.left.push(one.clone());
                continue;
            }
            let bytes = one.bytes();
            remove(&state, one).map_err(|error| {
                let text = format!("Replay {} could not be deleted: {error}.", one.id);
                EngineError::refused(text).hint("Run the same command again.")
            })?;
            report.bytes += bytes;
            report.purged.push(one.clone());
        }
        Ok(report)
    }
}

/// Whether a word names a session or the experiment that it belongs to.
fn means(word: &str, one: &StoredReplay) -> bool {
    let (pipeline, id) = word.split_once('/').unwrap_or((&one.pipeline.0, word));
    pipeline == one.pipeline.0 && (id == one.id.0 || id == one.id.group().0)
}
