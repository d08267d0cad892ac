//! The records of a run beside its journal, and what they say that the journal does not have; and its script: the one
//! that ran, and what is at its recorded path now.

use std::path::{Path, PathBuf};

use chrono::{DateTime, Utc};

use crate::model::Place;
use crate::systems::claude_workflow::facts::{Facts, Session};
use crate::systems::claude_workflow::shape::{Notice, Snapshot};
use crate::systems::kit::odd_files::odd_file;
use crate::text::format::{count, plural};
use crate::world::World;

/// What is at the recorded path of the script.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Script {
    /// The script that ran.
    Same,
    /// Another one.
    Edited,
    /// A script, and nothing is left of the one that ran.
    NothingToCompare,
    /// Nothing that can be read.
    Lost,
    /// No path is recorded.
    Unrecorded,
}

/// A record after the time when it was written, if that can be found out.
type Dated = (Option<DateTime<Utc>>, PathBuf);

/// A record with its time; `None` if there is none.
pub(super) fn dated(world: &dyn World, path: PathBuf) -> Option<Dated> {
    match world.files().stat(&Place::of(&path)?) {
        Ok(stat) => Some((Some(stat.modified), path)),
        Err(why) => why.leaves_unknown().then_some((None, path)),
    }
}

/// The newest snapshot, with its time.
pub(super) fn newest_snapshot(world: &dyn World, run: &str, sessions: &[Session]) -> Option<Dated> {
    let snapshots = sessions.iter().filter_map(|session| {
        let path = session.dir.join("workflows").join(format!("{run}.json"));
        dated(world, path)
    });
    snapshots.max()
}

/// The snapshot, or what is wrong with it, as a sentence without its subject.
pub(super) fn snapshot(world: &dyn World, path: &Path) -> Result<Snapshot, String> {
    let place = Place::of(path).ok_or("cannot be read")?;
    let bytes = world.files().whole(&place).map_err(|why| {
        let odd = odd_file(&place, &why, world);
        let odd = odd.map(|odd| format!("{}. {}", odd.problem, odd.remedy));
        odd.unwrap_or_else(|| "is missing".to_owned())
    })?;
    Snapshot::parse(&bytes).map_err(|why| format!("cannot be read: {}.", why.text))
}

/// The largest number of agents that one of them counts. Each is known to count too few.
pub(super) fn counted(snapshot: Option<&Snapshot>, notice: Option<&Notice>) -> u64 {
    let listed = snapshot.map(|snapshot| snapshot.agents.len() as u64);
    let ended = snapshot.and_then(|snapshot| snapshot.count);
    let noticed = notice.and_then(|notice| notice.agents);
    let counts = [listed, ended, noticed];
    counts.into_iter().flatten().max().unwrap_or(0)
}

impl Facts {
    /// What is wrong with the journal if other records have agents, or an end, that it does not have.
    pub(crate) fn journal_loss(&self) -> Option<String> {
        let lost = self.agents.iter().filter(|agent| agent.line.is_none());
        match (&self.odd_journal, lost.count()) {
            (Some(odd), _) => Some(format!("The journal {}.", odd.problem)),
            (None, 0) if self.agents.is_empty() && self.journal.unread() > 0 => {
                let lines = count(self.journal.unread(), "line");
                Some(format!(
                    "The journal has {lines} that cannot be read, and no agent."
                ))
            }
            (None, 0) if !self.has_ended_unseen() => None,
            (None, _) if self.journals.is_empty() => Some("The journal is missing.".to_owned()),
            (None, 0) => Some("The journal has no agent.".to_owned()),
            (None, lost) => Some(format!(
                "The journal is incomplete: {lost} of {} {} only in other records.",
                count(self.agents.len(), "agent"),
                plural(lost, "is", "are")
            )),
        }
    }

    /// Whether a run without any agent spent tokens, or ended in a way that cannot be read: its agents are gone with all
    /// their records.
    fn has_ended_unseen(&self) -> bool {
        let spent = self.snapshot.as_ref().and_then(|snapshot| snapshot.tokens);
        let ended = spent.is_some_and(|spent| spent > 0) || self.snapshot_damage.is_some();
        self.agents.is_empty() && ended
    }

    /// Whether nothing says which agents the run had.
    pub(crate) fn lacks_agents(&self) -> bool {
        self.agents.is_empty() && self.journal_loss().is_some()
    }

    /// The script that ran, from the snapshot or from the copy of the launch.
    pub(crate) fn script_that_ran(&self, world: &dyn World) -> Option<Vec<u8>> {
        let ended = self.snapshot.as_ref();
        let ended = ended.and_then(|ended| ended.script.clone());
        ended.map(String::into_bytes).or_else(|| {
            let copy = self.script_copy.as_deref()?;
            world.files().content(copy.parent()?, copy.file_name()?)
        })
    }

    /// Whether a call with the recorded path starts the script that ran.
    pub(crate) fn script(&self, world: &dyn World) -> Script {
        let Some(path) = self.script_path() else {
            return Script::Unrecorded;
        };
        let now = Place::of(Path::new(&path)).map(|place| world.files().whole(&place));
        match (now, self.script_that_ran(world)) {
            (Some(Err(_)) | None, _) => Script::Lost,
            (Some(Ok(_)), None) => Script::NothingToCompare,
            (Some(Ok(now)), Some(ran)) if now == ran => Script::Same,
            (Some(Ok(_)), Some(_)) => Script::Edited,
        }
    }
}
