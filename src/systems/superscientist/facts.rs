//! The facts about one workflow, gathered when it is opened: its files, and the matching facts of the world. Nothing
//! here judges or writes.

pub(crate) mod causes;
pub(crate) mod graph;
pub(crate) mod jobs;
pub(crate) mod next;
pub(crate) mod paths;
pub(crate) mod reading;
pub(crate) mod runner;
pub(crate) mod runs;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::{Map, Value};

use crate::formats::json;
use crate::model::{Aliveness, Foreign, Place};
use crate::systems::Candidate;
use crate::systems::kit::damage::Damage;
use crate::systems::kit::odd_files::{OddFile, odd_file};
use crate::systems::superscientist::shape::{
    INIT, LOG, Loaded, Log, PAUSE, STATE, Stage, StageStatus, State, log, sniff, stage_number,
};
use crate::text::format::list_first;
use crate::world::World;
use crate::world::git::{GitError, RepoFacts};
use crate::world::process::TmuxSession;

pub(crate) use graph::Graph;
pub(crate) use jobs::{Job, Marker, Row, Session};
pub(crate) use next::Next;

/// How many stage ids one sentence lists.
const NAMED: usize = 20;
/// How many committed versions are searched for a complete one.
const VERSIONS: usize = 50;
/// How many steps may be spent on the closures of all stages.
const CLOSURES: usize = 20_000_000;

/// The sessions of tmux, or why it gave no answer.
pub(crate) type Tmux = Result<Vec<TmuxSession>, Foreign>;

/// The stages with everything that is inferred about them.
#[derive(Debug, Clone)]
pub(crate) struct Flow {
    pub(crate) state: State,
    pub(crate) graph: Graph,
    /// The state of each active stage's job, by the stage's index.
    pub(crate) jobs: BTreeMap<usize, Job>,
    /// Markers of an earlier attempt, by the stage's index.
    pub(crate) leftovers: BTreeMap<usize, PathBuf>,
    /// Why it is unknown whether there is one, by the stage's index.
    pub(crate) unseen: BTreeMap<usize, String>,
    /// Stages whose work ended according to the log, which is ahead of the state file: the line, by the stage's index.
    pub(crate) logged: BTreeMap<usize, u64>,
    pub(crate) next: Next,
    /// What is missing in the file, if the log had to confirm that it is a workflow's.
    pub(crate) lacks: Option<String>,
}

/// The last complete version of the state file in git, searched only if the file itself cannot be used.
#[derive(Debug, Clone)]
pub(crate) struct Saved {
    /// The full id of the commit.
    pub(crate) commit: String,
    pub(crate) state: State,
}

/// The facts of one workflow.
#[derive(Debug)]
pub(crate) struct Facts {
    /// The workflow directory, with all links resolved.
    pub(crate) wf: PathBuf,
    pub(crate) native: Foreign,
    pub(crate) flow: Result<Flow, Damage>,
    pub(crate) saved: Option<Saved>,
    /// What is in the place of the state file or of the log, if it is not a file that can be read.
    pub(crate) odd_state: Option<OddFile>,
    pub(crate) odd_log: Option<OddFile>,
    /// Whether a stage's folder has entries, or an earlier version of one is kept: planning creates neither.
    pub(crate) worked: bool,
    pub(crate) log: Arc<Log>,
    pub(crate) has_init: bool,
    pub(crate) paused: bool,
    pub(crate) repo: Result<RepoFacts, GitError>,
    /// The top of the work tree that contains the workflow, with all links resolved.
    pub(crate) top: Option<PathBuf>,
    pub(crate) tmux: Tmux,
    /// Whether a process still works on it, where something depends on that.
    life: Option<Aliveness>,
    /// The names in the workflow directory, sorted.
    pub(crate) names: Vec<OsString>,
}

/// A workflow with a usable state file, and the world around it.
#[derive(Clone, Copy)]
pub(crate) struct Scene<'a> {
    pub(crate) facts: &'a Facts,
    pub(crate) flow: &'a Flow,
    pub(crate) world: &'a dyn World,
}

impl<'a> Scene<'a> {
    /// `None` if the state file cannot be used.
    pub(crate) fn of(facts: &'a Facts, world: &'a dyn World) -> Option<Self> {
        let flow = facts.flow.as_ref().ok()?;
        Some(Self { facts, flow, world })
    }

    /// The stages, in array order.
    pub(crate) fn stages(&self) -> &'a [Stage] {
        &self.flow.state.stages
    }
}

impl Facts {
    /// Gathers all facts once.
    pub(crate) fn gather(candidate: &Candidate, world: &dyn World) -> Self {
        let wf = world.files().resolved(&candidate.anchor);
        let log = Arc::new(read_log(&wf, world));
        let names = names(&wf, world);
        let tmux = world.processes().tmux();
        let repo = world.git().repo(&wf);
        let has = |name: &str| world.files().is_there(&wf, name);
        let mut facts = Self {
            flow: flow(&wf, &log, &tmux, world),
            saved: None,
            odd_state: odd(&wf, STATE, world),
            odd_log: odd(&wf, LOG, world),
            worked: worked(&wf, &names, world),
            native: candidate.native.clone(),
            has_init: has(INIT),
            paused: has(PAUSE),
            top: repo.as_ref().ok().and_then(|facts| {
                let top = facts.work_tree.as_deref()?;
                world.files().canonical(top)
            }),
            repo,
            names,
            log,
            tmux,
            life: None,
            wf,
        };
        if facts.flow.as_ref().is_ok_and(Flow::is_preparing) {
            let now = world.clock().now().to_utc();
            facts.life = Some(reading::life(&facts, world).verdict(now));
        }
        if let (Ok(flow), Some(Aliveness::Dead)) = (&mut facts.flow, facts.life) {
            flow.end_preparation();
        }
        if facts.flow.is_err() {
            facts.saved = saved(&facts, world);
        }
        facts
    }

    /// The flow after the state file has been given this content.
    pub(crate) fn after(&self, content: &[u8], world: &dyn World) -> Option<Flow> {
        let file = (content.to_vec(), json::object(content).ok()?);
        let mut flow = flow_of(&self.wf, file, &self.log, &self.tmux, world).ok()?;
        if self.life == Some(Aliveness::Dead) {
            flow.end_preparation();
        }
        Some(flow)
    }

    /// The state file.
    pub(crate) fn state_path(&self) -> PathBuf {
        self.wf.join(STATE)
    }

    /// Whether the log has nothing although work was done.
    pub(crate) fn is_log_emptied(&self) -> bool {
        let flow = self.flow.as_ref();
        let begun = flow.is_ok_and(|flow| flow.state.stages.iter().any(Stage::begun));
        self.log.missing.is_none()
            && self.log.bytes.trim_ascii().is_empty()
            && (self.worked || begun)
    }

    /// True if nothing was ever started: all stages are pending, and the log has only its first line.
    pub(crate) fn not_started(&self, flow: &Flow) -> bool {
        let pending = |s: &Stage| s.status == StageStatus::Pending && !s.begun();
        let created = |m: &str| m.starts_with("Workflow created");
        !self.worked
            && flow.state.stages.iter().all(pending)
            && self.log.messages().all(|text| created(&text))
    }

    /// The log.
    pub(crate) fn log_path(&self) -> PathBuf {
        self.wf.join(LOG)
    }

    /// The path of a file of the workflow directory inside its repository.
    pub(crate) fn in_repo(&self, name: &str) -> Option<(&Path, PathBuf)> {
        let top = self.top.as_deref()?;
        let rel = self.wf.strip_prefix(top).ok()?.join(name);
        Some((top, rel))
    }

    /// Why nothing is known of the repository around the workflow; `None` if it can be read or there is none.
    pub(crate) fn git_unread(&self) -> Option<&GitError> {
        self.repo.as_ref().err().filter(|why| why.leaves_open())
    }

    /// The same as `in_repo`; the error is the reason why git has no versions of the file.
    pub(crate) fn committed(&self, name: &str) -> Result<(&Path, PathBuf), String> {
        self.repo.as_ref().map_err(ToString::to_string)?;
        let place = self.in_repo(name);
        place.ok_or_else(|| "it is outside the work tree".to_owned())
    }

    /// The workflow directory, and the top of the work tree that contains it.
    pub(crate) fn roots(&self) -> impl Iterator<Item = &Path> {
        std::iter::once(self.wf.as_path()).chain(self.top.as_deref())
    }

    /// The lowest free name `<name>.v<k>` in the workflow directory, with k at least 1.
    pub(crate) fn unused(&self, name: &str) -> String {
        (1..=u64::MAX)
            .map(|k| format!("{name}.v{k}"))
            .find(|kept| self.names.binary_search(&OsString::from(kept)).is_err())
            .unwrap_or_default()
    }
}

impl Flow {
    /// A stage by its index.
    pub(crate) fn stage(&self, at: usize) -> Option<&Stage> {
        self.state.stages.get(at)
    }

    /// Looks at the flow as it is once a stage is skipped.
    pub(crate) fn skipped<T>(&mut self, at: usize, look: impl FnOnce(&Self) -> T) -> T {
        let status = |flow: &mut Self, new| {
            let stage = flow.state.stages.get_mut(at);
            stage.map(|stage| std::mem::replace(&mut stage.status, new))
        };
        let old = status(self, StageStatus::Skipped);
        let (job, line) = (self.jobs.remove(&at), self.logged.remove(&at));
        let (marker, unseen) = (self.leftovers.remove(&at), self.unseen.remove(&at));
        let decided = next::decide(&self.state, &self.graph, &self.jobs, &self.logged);
        let next = std::mem::replace(&mut self.next, decided);
        let seen = look(self);
        self.next = next;
        self.jobs.extend(job.map(|job| (at, job)));
        self.logged.extend(line.map(|line| (at, line)));
        self.leftovers.extend(marker.map(|marker| (at, marker)));
        self.unseen.extend(unseen.map(|why| (at, why)));
        if let Some(old) = old {
            status(self, old);
        }
        seen
    }

    /// The ids of some stages as text.
    pub(crate) fn ids(&self, places: &[usize]) -> String {
        let stages = places.iter().filter_map(|at| self.stage(*at));
        list_first(stages.map(|stage| &stage.id), NAMED)
    }

    /// True for a plan so large that closures are computed only for the requested point.
    pub(crate) fn is_large(&self) -> bool {
        let stages = self.state.stages.len();
        stages.saturating_mul(stages + self.graph.edges()) > CLOSURES
    }

    /// The first stage in array order that failed and has no retry left.
    pub(crate) fn exhausted(&self) -> Option<&Stage> {
        let mut failed = self.state.with(StageStatus::Failed);
        failed.find(|stage| self.state.is_exhausted(stage))
    }

    /// Why a stage's results need verification, as text.
    pub(crate) fn verify_words(&self, at: usize) -> String {
        match (self.logged.get(&at), self.stage(at)) {
            (Some(line), Some(stage)) => format!(
                "line {line} of the log says that its work ended, the state file still says {}",
                stage.word
            ),
            _ => self.job_words(at).unwrap_or_default(),
        }
    }
}

fn flow(wf: &Path, log: &Log, tmux: &Tmux, world: &dyn World) -> Result<Flow, Damage> {
    match sniff::load(wf, world) {
        Loaded::Object(bytes, map) => flow_of(wf, (bytes, map), log, tmux, world),
        Loaded::Corrupt(_, error) => Err(error.into()),
        Loaded::Unreadable(error) => Err(match odd(wf, STATE, world) {
            Some(odd) => Damage::new("unreadable-file", format!("it {}", odd.problem)),
            None => Damage::new("missing-file", error.to_string()),
        }),
    }
}

/// The flow of a state file with this content.
fn flow_of(
    wf: &Path,
    (bytes, map): (Vec<u8>, Map<String, Value>),
    log: &Log,
    tmux: &Tmux,
    world: &dyn World,
) -> Result<Flow, Damage> {
    let lacks = sniff::lacks(&map);
    let state = State::read(bytes, map);
    let state = state.ok_or_else(|| Damage::new("wrong-type", "it has no stages"))?;
    let graph = Graph::new(&state.stages);
    let stages = state.stages.iter();
    let active = stages.clone().filter(|stage| stage.status.is_active());
    let job = |s: &Stage| (s.index, jobs::gather(wf, &state, s, log, tmux, world));
    let jobs = active.map(job).collect();
    let (mut leftovers, mut unseen) = (BTreeMap::new(), BTreeMap::new());
    for stage in stages.clone() {
        match jobs::leftover(wf, stage, world) {
            Ok(marker) => leftovers.extend(marker.map(|marker| (stage.index, marker))),
            Err(why) => unseen.extend([(stage.index, why.to_string())]),
        }
    }
    let logged = stages.filter_map(|s| Some((s.index, ended_by_log(s, log)?)));
    let logged = logged.collect();
    Ok(Flow {
        next: next::decide(&state, &graph, &jobs, &logged),
        graph,
        jobs,
        leftovers,
        unseen,
        logged,
        lacks,
        state,
    })
}

/// The last complete version of the state file in git.
fn saved(facts: &Facts, world: &dyn World) -> Option<Saved> {
    let (top, rel) = facts.in_repo(STATE)?;
    let commits = world.git().path_history(top, &rel, VERSIONS).ok()?;
    commits.into_iter().find_map(|commit| {
        let bytes = world.git().blob(top, &commit.id, &rel).ok()?;
        let state = State::parse(bytes).filter(|state| sniff::lacks(&state.map).is_none())?;
        let commit = commit.id;
        Some(Saved { commit, state })
    })
}

/// The line of the log about the end of a stage's work, if the state file does not have it yet.
fn ended_by_log(stage: &Stage, log: &Log) -> Option<u64> {
    let (word, line) = log.status(stage.number()?)?;
    let logged = StageStatus::parse(word);
    let ended = matches!(logged, StageStatus::PostProcessing | StageStatus::Completed);
    (ended && log::is_ahead(stage.status, logged)).then_some(line)
}

/// Whether a stage's folder has entries, or an earlier version of one is kept.
fn worked(wf: &Path, names: &[OsString], world: &dyn World) -> bool {
    names.iter().filter_map(|name| name.to_str()).any(|name| {
        let stage = name.split_once(".v").map_or(name, |(stage, _)| stage);
        stage_number(stage).is_some() && !world.files().entries(wf, name).is_empty()
    })
}

fn read_log(wf: &Path, world: &dyn World) -> Log {
    let read = Place::known(wf, LOG).map_err(|why| why.to_string());
    let read = read.and_then(|place| {
        world.files().whole(&place).map_err(|error| {
            let odd = odd_file(&place, &error, world);
            odd.map_or_else(|| error.to_string(), |odd| format!("it {}", odd.problem))
        })
    });
    match read {
        Ok(bytes) => Log::read(bytes, world.clock()),
        Err(why) => Log::missing(why),
    }
}

/// What is in the place of a file of the workflow, if it cannot be read.
fn odd(wf: &Path, name: &str, world: &dyn World) -> Option<OddFile> {
    let place = Place::known(wf, name).ok()?;
    let error = world.files().read_range(&place, 0, 1).err()?;
    odd_file(&place, &error, world)
}

fn names(wf: &Path, world: &dyn World) -> Vec<OsString> {
    let listed = world.files().list(&Place::root(wf)).unwrap_or_default();
    listed.into_iter().map(|entry| entry.name).collect()
}
