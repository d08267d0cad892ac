//! Reads all files of one run, from every conversation that has a part of it.

pub(crate) mod agents;
pub(crate) mod causes;
pub(crate) mod reading;
mod records;
pub(crate) mod timeline;

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use chrono::{DateTime, TimeDelta, Utc};

use crate::conversations::find;
use crate::conversations::register::{self, Registered};
use crate::formats::json;
use crate::model::{Place, Stamp};
use crate::systems::claude_workflow::audit::Known;
use crate::systems::claude_workflow::shape::journal::Started;
use crate::systems::claude_workflow::shape::launch::{self, Launch, Owner};
use crate::systems::claude_workflow::shape::snapshot::Listed;
use crate::systems::claude_workflow::shape::{End, Journal, Notice, Snapshot};
use crate::systems::kit::odd_files::{OddFile, no_file, odd_file};
use crate::world::World;

pub(crate) use records::Script;

pub(crate) use agents::{Agent, State};

/// A conversation that has a part of the run.
#[derive(Debug, Clone)]
pub(crate) struct Session {
    pub(crate) id: String,
    /// `projects/<slug>`.
    pub(crate) project: PathBuf,
    /// The folder next to the conversation's file.
    pub(crate) dir: PathBuf,
    pub(crate) file: PathBuf,
    /// What it says of the run. The error is what is in its place: nothing if it was deleted.
    pub(crate) owner: Result<Owner, Option<OddFile>>,
}

impl Session {
    fn of(source: &Path, run: &str, world: &dyn World) -> Option<Self> {
        let levels = if source.extension().is_some_and(|ending| ending == "json") {
            2
        } else {
            3
        };
        let dir = source.ancestors().nth(levels)?.to_owned();
        let project = dir.parent()?.to_owned();
        let id = dir.file_name()?.to_str()?.to_owned();
        let file = project.join(format!("{id}.jsonl"));
        let place = Place::of(&file)?;
        let owner = match world.files().whole(&place) {
            Ok(bytes) => Ok(launch::read(&bytes, run, world.clock())),
            Err(why) => Err(odd_file(&place, &why, world)),
        };
        Some(Self {
            id,
            project,
            dir,
            file,
            owner,
        })
    }

    /// When the client deletes the conversation, and the run with it.
    pub(crate) fn deleted_at(&self, world: &dyn World) -> Option<Stamp> {
        let written = world.files().modified(&Place::of(&self.file)?)?;
        let claude = self.project.ancestors().nth(2)?;
        let days = TimeDelta::try_days(find::kept_days(world, claude))?;
        written.checked_add_signed(days).map(Stamp::utc)
    }

    pub(crate) fn launch(&self) -> Option<&Launch> {
        self.owner.as_ref().ok()?.launch.as_ref()
    }

    fn notice(&self) -> Option<&Notice> {
        self.owner.as_ref().ok()?.notice.as_ref()
    }
}

/// One run.
#[derive(Debug)]
pub(crate) struct Facts {
    pub(crate) run: String,
    /// The owner first: the conversation with the newest launch.
    pub(crate) sessions: Vec<Session>,
    pub(crate) journal: Journal,
    /// The newest first.
    pub(crate) journals: Vec<PathBuf>,
    /// A journal that exists and cannot be read.
    pub(crate) odd_journal: Option<OddFile>,
    /// The script as it was launched.
    pub(crate) script_copy: Option<PathBuf>,
    pub(crate) snapshot: Option<Snapshot>,
    pub(crate) snapshot_file: Option<PathBuf>,
    /// Why the snapshot cannot be read, if there is one.
    pub(crate) snapshot_damage: Option<String>,
    /// Whether the journal or agents' files are newer than the snapshot: the run was resumed, and the snapshot
    /// describes an earlier end.
    pub(crate) resumed: bool,
    pub(crate) agents: Vec<Agent>,
    /// Files of agents that the journal does not know.
    pub(crate) strays: Vec<String>,
    /// The register's entry of the owner.
    pub(crate) open: Option<Registered>,
    pub(crate) root: PathBuf,
    /// Whether the launch names the project; otherwise only the conversation's folder is known.
    pub(crate) knows_project: bool,
    pub(crate) last_write: Option<DateTime<Utc>>,
    /// What its agents did, as far as it was read.
    pub(crate) effects: Known,
}

impl Facts {
    pub(crate) fn gather(world: &dyn World, run: &str, sources: &[PathBuf]) -> Self {
        let sessions = sessions(world, run, sources);
        let files = world.files();
        let modified = |path: &Path| Place::of(path).and_then(|place| files.modified(&place));
        let mut journals: Vec<(Option<DateTime<Utc>>, PathBuf)> = sessions
            .iter()
            .map(|session| run_dir(session, run).join("journal.jsonl"))
            .filter_map(|path| records::dated(world, path))
            .collect();
        journals.sort();
        let copies = sessions
            .iter()
            .filter_map(|session| script_copy(session, run, world));
        let script_copy = copies.max_by_key(|copy| modified(copy));
        let launched_at = script_copy.as_deref().and_then(modified);
        let mut journal = Journal::default();
        let mut odd_journal = None;
        for (at, path) in &mut journals {
            let Some(place) = Place::of(path) else {
                continue;
            };
            match files.whole(&place) {
                Ok(bytes) => journal.add(&bytes),
                Err(why) => {
                    odd_journal = odd_file(&place, &why, world).or(odd_journal);
                    // The time of a link is not when the run wrote.
                    *at = at.filter(|_| no_file(&place, world).is_none());
                }
            }
        }
        let newest = records::newest_snapshot(world, run, &sessions);
        let newest_path = newest.as_ref().map(|(_, path)| path);
        let read = newest_path.map(|path| records::snapshot(world, path));
        let (snapshot, snapshot_damage) = match read.transpose() {
            Ok(snapshot) => (snapshot, None),
            Err(why) => (None, Some(why)),
        };
        let notice = sessions.iter().find_map(Session::notice);
        let records = agents::Records {
            world,
            dirs: sessions.iter().map(|one| run_dir(one, run)).collect(),
            snapshot: snapshot.as_ref(),
            counted: records::counted(snapshot.as_ref(), notice),
        };
        let mut all = agents::read(&journal, &records);
        agents::finish(&mut all.list, notice, world.clock());
        let of_journals = journals.iter().filter_map(|(at, _)| *at);
        let written = of_journals.chain(all.last_write).max();
        let ended_at = newest.as_ref().and_then(|(at, _)| *at);
        let slack = TimeDelta::seconds(5);
        let launch = sessions.iter().find_map(Session::launch);
        let cwd = launch.and_then(|launch| launch.cwd.clone());
        let cwd = cwd.or_else(|| notice?.cwd.clone()).or(all.cwd);
        let knows_project = cwd.is_some();
        let owner = sessions.first();
        let folder = || owner.map(|session| session.project.clone());
        let root = cwd.or_else(folder).unwrap_or_default();
        let claude = owner.and_then(|session| session.project.ancestors().nth(2));
        let register = register::read(world, claude.as_slice());
        let open = owner.and_then(|session| register.state(&session.id));
        Self {
            run: run.to_owned(),
            resumed: written.zip(ended_at).is_some_and(|(w, e)| w > e + slack),
            root: files.resolved(&root),
            knows_project,
            last_write: written.max(ended_at).or(launched_at),
            effects: Known::default(),
            journals: journals.into_iter().rev().map(|(_, path)| path).collect(),
            script_copy,
            snapshot_file: newest.map(|(_, path)| path),
            agents: all.list,
            strays: all.strays,
            sessions,
            journal,
            snapshot,
            snapshot_damage,
            odd_journal,
            open,
        }
    }

    pub(crate) fn launch(&self) -> Option<&Launch> {
        self.sessions.iter().find_map(Session::launch)
    }

    pub(crate) fn notice(&self) -> Option<&Notice> {
        self.sessions.iter().find_map(Session::notice)
    }

    /// The snapshot, unless the run was resumed after it.
    pub(crate) fn end(&self) -> Option<&Snapshot> {
        self.snapshot.as_ref().filter(|_| !self.resumed)
    }

    /// The status with which the run ended, by the snapshot, else by the notification; `None` if no end is recorded.
    pub(crate) fn ended_as(&self) -> Option<&str> {
        let noticed = || Some(self.notice()?.status.as_str());
        let ended = self.end().map(|end| end.status.as_str());
        ended.or_else(noticed)
    }

    /// The arguments as JSON, byte for byte; an error if they are not recorded.
    pub(crate) fn args(&self) -> Result<Option<&[u8]>, &'static str> {
        if self.lacked_args() {
            return Err("The run failed because its launch did not pass the arguments.");
        }
        let launch = self.launch().filter(|launch| launch.called);
        let noticed = self.notice().and_then(|notice| notice.args.as_deref());
        match (launch, noticed, &self.snapshot) {
            (Some(launch), _, _) => Ok(launch.args.as_deref()),
            (None, Some(args), _) => Ok(Some(args)),
            (None, None, Some(snapshot)) => Ok(snapshot.args.as_deref()),
            (None, None, None) => {
                let mut owners = self.sessions.iter().map(|session| &session.owner);
                Err(if owners.any(|owner| matches!(owner, Err(Some(_)))) {
                    "The conversation cannot be read, so the arguments are not known."
                } else {
                    "The launch is missing, so the arguments are not known."
                })
            }
        }
    }

    /// Whether the script failed immediately because it was called without arguments.
    pub(crate) fn lacked_args(&self) -> bool {
        let error = self.end().and_then(|end| end.error.as_deref());
        let unstarted = self.agents.is_empty() && !self.lacks_agents();
        unstarted && error.is_some_and(|error| error.contains("args"))
    }

    pub(crate) fn script_path(&self) -> Option<String> {
        let launched = self.launch().and_then(|launch| launch.script_path.clone());
        let noticed = || self.notice()?.script_path.clone();
        let ended = || self.snapshot.as_ref()?.script_path.clone();
        let copied = || Some(self.script_copy.as_ref()?.to_string_lossy().into_owned());
        launched.or_else(noticed).or_else(ended).or_else(copied)
    }

    pub(crate) fn name(&self) -> Option<&str> {
        let launched = self.launch().and_then(|launch| launch.name.as_deref());
        launched.or_else(|| self.snapshot.as_ref()?.name.as_deref())
    }

    /// The version of the client that launched it, else of the one that reported its end.
    pub(crate) fn version(&self) -> Option<&str> {
        let launched = self.launch().and_then(|launch| launch.version.as_deref());
        launched.or_else(|| self.notice()?.version.as_deref())
    }

    /// The agents that have no answer, neither in the journal nor in their own files.
    pub(crate) fn unfinished(&self) -> impl Iterator<Item = &Agent> {
        self.agents.iter().filter(|agent| !agent.is_finished())
    }

    /// The agents that died or have no result.
    pub(crate) fn lost(&self) -> impl Iterator<Item = &Agent> {
        self.agents.iter().filter(|agent| agent.is_lost())
    }

    /// The latest future reset of a usage limit.
    pub(crate) fn reset(&self, world: &dyn World) -> Option<Stamp> {
        let now = world.clock().now();
        let resets = self.lost().filter_map(|agent| agent.ending.as_ref()?.until);
        resets.filter(|until| until.at > now).max()
    }

    /// How many agents have a result before the first gap. A resume replays at most these, because replay stops at the
    /// first gap.
    pub(crate) fn replayed(&self) -> usize {
        let stored = |agent: &&Agent| matches!(agent.state, State::Done | State::Suspect);
        self.agents.iter().take_while(stored).count()
    }

    pub(crate) fn tokens(&self) -> u64 {
        // An agent can have two keys but only one file.
        let mut known = HashSet::new();
        let once = self.agents.iter().filter(|agent| known.insert(&agent.id));
        let sum = once.map(|agent| agent.tokens).sum();
        let counted = self.snapshot.as_ref().and_then(|snapshot| snapshot.tokens);
        counted.unwrap_or(0).max(sum)
    }
}

/// The conversations with a part of the run, the one with the newest launch first.
fn sessions(world: &dyn World, run: &str, sources: &[PathBuf]) -> Vec<Session> {
    let mut sessions: Vec<Session> = Vec::new();
    for source in sources {
        if let Some(session) = Session::of(source, run, world)
            && sessions.iter().all(|known| known.dir != session.dir)
        {
            sessions.push(session);
        }
    }
    let launched = |session: &Session| session.launch().and_then(|launch| launch.at);
    sessions.sort_by(|a, b| (launched(b), &a.dir).cmp(&(launched(a), &b.dir)));
    sessions
}

/// `<name>-<run>.js` in the folder of a conversation.
fn script_copy(session: &Session, run: &str, world: &dyn World) -> Option<PathBuf> {
    let folder = session.dir.join("workflows/scripts");
    let ending = format!("-{run}.js");
    let entries = world.files().entries(&session.dir, "workflows/scripts");
    let mut names = entries.into_iter().map(|entry| entry.name);
    let name = names.find(|name| name.to_string_lossy().ends_with(&ending))?;
    Some(folder.join(name))
}

/// The folder with a run's journal and agents.
pub(crate) fn run_dir(session: &Session, run: &str) -> PathBuf {
    session.dir.join("subagents/workflows").join(run)
}

/// The state of an agent by the journal; `None` if its own file must decide.
pub(crate) fn state(started: &Started) -> Option<State> {
    match started.end.as_ref()? {
        End::Failed => Some(State::Failed),
        End::Result(value) if value.is_null() => Some(State::Null),
        End::Result(value) => {
            let odd = value.as_str().is_some_and(agents::reads_like_an_error);
            Some(if odd { State::Suspect } else { State::Done })
        }
    }
}

/// The snapshot's entry for an agent.
pub(crate) fn listed<'a>(snapshot: Option<&'a Snapshot>, id: &str) -> Option<&'a Listed> {
    let mut all = snapshot?.agents.iter();
    all.find(|one| one.id.as_deref() == Some(id))
}

/// A string member of a small JSON file.
pub(crate) fn meta(world: &dyn World, dir: &Path, id: &str, key: &str) -> Option<String> {
    let name = format!("agent-{id}.meta.json");
    let bytes = world.files().content(dir, name)?;
    json::owned(&json::object(&bytes).ok()?, key)
}
