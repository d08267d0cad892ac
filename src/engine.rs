//! What a front end may request: survey, read, verify, rank points, plan, show. The only module that both front ends call. It
//! assembles the world, passes data from module to module, and judges nothing itself.

mod amending;
mod applying;
mod backup_folder;
mod causes;
mod checkpoints;
mod choosing;
mod comparing;
mod doctor;
mod dossier;
mod edited_file;
mod editor;
mod experiments;
mod exporting;
mod handover;
mod history;
mod ids;
mod in_scope;
mod kept_files;
mod kept_path;
mod launch;
mod ledger;
mod measure;
mod next_handoff;
mod planning;
mod previews;
mod quiet;
mod recording;
mod recovering;
mod recovery_pipeline;
mod rehearsal;
mod replaying;
mod rewind;
mod rows;
mod sandbox;
mod search_area;
mod searching;
mod select;
mod settings;
mod stays;
mod survey;
mod template_paths;
#[cfg(test)]
pub(crate) mod testing;
mod undoing;
mod unread_files;
mod unwritable;
mod viewer;
mod waiting;
mod watch;
mod write_place;

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock};

use chrono::{DateTime, FixedOffset};

pub use crate::apply::Consent;
pub use crate::model::{
    Dossier, EngineError, ErrorKind, Hidden, History, Operand, PurgeReport, RecoverMode, Recovered,
    Request, Result, Scope, Sides, Skipped, Survey,
};
pub use crate::replay::runner::PRESETS;
pub use crate::world::changes::Watcher;
pub use crate::world::clock::show_local_times;
pub use crate::world::launch::ignores_hang_ups;
pub use crate::world::runner::{
    LIFELINE, end_programs_with_relight, stop_waiting_for_the_end, wait_for_the_end,
};
pub use crate::world::streams::was_closed;
pub use choosing::remedies;
pub use doctor::{Health, SearchedPlace, SystemCount};
pub use dossier::must_be_readable;
pub use kept_files::{KeptFile, KeptKind};
pub use launch::launching;
pub use next_handoff::{after_launch, launchable};
pub use replaying::{HeldReplays, PurgedReplays, ReplaySize, StoredReplay, TellReplay};
pub use sandbox::{SANDBOX_MARK, leave_running, sandbox_of};
pub use searching::{Searched, TellSearch};
pub use settings::Settings;
pub use watch::Watch;

use crate::apply::history::Memory;
use crate::conversations::find::Index;
use crate::foreign;
use crate::model::{
    Badge, ExportFile, Foreign, LifeEvidence, Pipeline, PipelineId, RecordOption, Status, lock,
};
use crate::systems::kit::lost_root::is_lost;
use crate::systems::{Candidate, Case, SYSTEMS, System};
use crate::world::cached::CachedWorld;
use crate::world::noting::NotingWorld;
use crate::world::real::RealWorld;
use crate::world::{World, liveness};

/// The options of `record` that systems take, each with its heading.
pub fn record_options() -> impl Iterator<Item = (&'static str, &'static [RecordOption])> {
    SYSTEMS
        .iter()
        .filter_map(|system| system.recorder())
        .map(|recorder| (recorder.heading, recorder.options))
}

/// A pipeline that was opened, with what it was opened from.
pub(crate) struct Opened {
    candidate: Candidate,
    case: Box<dyn Case>,
    /// The evidence of life.
    life: LifeEvidence,
    pipeline: Pipeline,
    /// Its files that are there and cannot be read: what is counted from the others is too little.
    unread: Vec<PathBuf>,
}

impl Opened {
    /// The branch that the pipeline recorded.
    fn recorded_branch(&self) -> Option<&Foreign> {
        self.pipeline.reading.branch.as_ref()?.expected.as_ref()
    }

    /// Whether the pipeline could be read before, and has gone with its project since: nothing that is still said of it
    /// would be true.
    fn has_gone_since(&self, before: &Pipeline, world: &dyn World) -> bool {
        let unreadable = |one: &Pipeline| one.standing.status == Status::Unreadable;
        unreadable(&self.pipeline) && !unreadable(before) && is_lost(&before.reading.root, world)
    }

    /// Why something is refused for a pipeline whose files are another program's own.
    fn read_only(&self, refused: &str) -> EngineError {
        let (system, id) = (self.pipeline.reading.system, &self.pipeline.id);
        let text = format!("relight {refused} {system} pipelines: it only reads their files.");
        EngineError::refused(text).hint(format!(
            "Save its results and its script: relight export {id} DIR"
        ))
    }
}

/// A pipeline that was found is there no more.
fn gone(pipeline: &Pipeline, world: &dyn World) -> EngineError {
    let (id, root) = (&pipeline.id, &pipeline.reading.root);
    if !is_lost(root, world) {
        return EngineError::not_found(id.0.as_bytes());
    }
    let text = foreign!("{} is gone: {} is missing.", id.0.as_str(), root);
    let hint = "If it was moved: relight list PATH finds it where it is now.";
    EngineError::new(ErrorKind::NotFound, text).hint(hint)
}

/// Says that the project of a pipeline is missing. The records of some systems are elsewhere and outlive it, so that
/// nothing else in them changes.
fn say_if_lost(pipeline: &mut Pipeline, world: &dyn World) {
    let root = &pipeline.reading.root;
    let over = pipeline.standing.status == Status::Complete;
    if over || !is_lost(root, world) {
        return;
    }
    let badges = &mut pipeline.reading.badges;
    if !badges.contains(&Badge::Orphan) {
        badges.push(Badge::Orphan);
        badges.sort();
    }
    let reason = &pipeline.standing.reason;
    pipeline.standing.reason = foreign!("The project {} is missing. {}", root, reason);
}

/// The engine. Shared by threads; every call answers for itself.
pub struct Engine {
    world: Box<dyn World>,
    systems: &'static [&'static dyn System],
    /// Directories that the configuration names, walked in the machine scope.
    roots: Vec<PathBuf>,
    /// What else it sets.
    settings: Settings,
    /// What was opened last, by id.
    opened: Mutex<HashMap<PipelineId, Arc<Opened>>>,
    /// The pipeline that was read a moment ago, when it was selected: the next request need not read it again.
    fresh: Mutex<Option<PipelineId>>,
    /// The recovery that is being applied; its locks are our own.
    held: Mutex<Option<String>>,
    /// The folder of relight's own state, once it was asked for.
    state: OnceLock<PathBuf>,
    /// What was read of the history.
    past: Memory,
    /// relight's own recoveries, as the latest survey or look saw them.
    own: Mutex<Option<recovery_pipeline::OwnHistory>>,
    /// The records that were interrupted, as it saw them.
    cut: Mutex<Option<Arc<recording::InterruptedRecords>>>,
    /// The conversations of agents on this machine, once they were requested.
    index: Mutex<Option<Arc<Index>>>,
    /// The search that is running.
    search: searching::Search,
    /// Whether it runs over the demo's sandbox.
    sandboxed: bool,
    /// How long the files of a plan must have been unchanged before they are exchanged.
    quiet: std::time::Duration,
    /// What the commands print of a pipeline, for an export. The front end that prints it says how.
    reports: Reports,
}

/// Makes the files that an export has of every pipeline, whatever its system.
pub type Reports = fn(&Engine, &PipelineId) -> Result<Vec<ExportFile>>;

impl Engine {
    /// An engine over a world, with the roots that the configuration names.
    pub fn new(world: Box<dyn World>, roots: Vec<PathBuf>) -> Self {
        Self {
            world,
            systems: SYSTEMS,
            roots,
            settings: Settings::default(),
            opened: Mutex::default(),
            state: OnceLock::new(),
            past: Memory::default(),
            fresh: Mutex::default(),
            held: Mutex::default(),
            own: Mutex::default(),
            cut: Mutex::default(),
            index: Mutex::default(),
            search: searching::Search::default(),
            sandboxed: false,
            quiet: std::time::Duration::from_secs(2),
            reports: |_, _| Ok(Vec::new()),
        }
    }

    /// An engine over this machine, or over the sandbox that one of the paths lies in.
    pub fn of_this_machine(mut roots: Vec<PathBuf>, paths: &[&std::path::Path]) -> Self {
        let git = Box::new(crate::git::RealGit);
        let around = paths.iter().find_map(|path| sandbox::around(path));
        let sandboxed = around.is_some();
        let world = match around {
            Some(sandbox) => {
                roots.push(sandbox.projects);
                RealWorld::with_places(git, sandbox.places)
            }
            None => RealWorld::new(git),
        };
        Self {
            sandboxed,
            ..Self::new(Box::new(world), roots)
        }
    }

    /// The same engine with another quiet time.
    #[must_use]
    pub fn with_quiet(mut self, quiet: std::time::Duration) -> Self {
        self.quiet = quiet;
        self
    }

    /// The same engine with what an export has of every pipeline.
    #[must_use]
    pub fn with_reports(mut self, reports: Reports) -> Self {
        self.reports = reports;
        self
    }

    /// Now, by the world's clock.
    pub fn now(&self) -> DateTime<FixedOffset> {
        self.world.clock().now()
    }

    /// The names of the systems it reads.
    pub fn systems(&self) -> impl Iterator<Item = &'static str> + '_ {
        self.systems.iter().map(|system| system.name().0)
    }

    /// What the prompt of the orchestrator of a system, or of each, should say.
    pub fn prompts<'a>(
        &'a self,
        system: Option<&'a str>,
    ) -> impl Iterator<Item = (&'static str, &'static str)> {
        let all = self.systems.iter();
        let wanted = all.filter(move |one| system.is_none_or(|name| one.name().0 == name));
        wanted.filter_map(|one| Some((one.name().0, one.recorder()?.prompt)))
    }

    fn remember(&self, opened: Arc<Opened>) {
        lock(&self.opened).insert(opened.pipeline.id.clone(), opened);
    }

    fn forget(&self, id: &PipelineId) {
        let known = lock(&self.opened).remove(id);
        // Freed only after the lock is.
        drop(known);
    }

    fn recall(&self, id: &PipelineId) -> Result<Arc<Opened>> {
        let all = lock(&self.opened);
        all.get(id)
            .cloned()
            .ok_or_else(|| EngineError::not_found(id.0.as_bytes()))
    }

    /// The world as it is now, for one answer: what is asked for twice is looked at once.
    fn cached(&self) -> CachedWorld<'_> {
        CachedWorld::new(self.world.as_ref())
    }

    /// Reads a candidate and judges it, under an id of the usual length.
    fn open(&self, candidate: Candidate, world: &dyn World) -> Option<Opened> {
        self.open_as(None, candidate, world)
    }

    /// The same, under an id that it is known by.
    fn open_as(
        &self,
        id: Option<PipelineId>,
        mut candidate: Candidate,
        world: &dyn World,
    ) -> Option<Opened> {
        let system = self
            .systems
            .iter()
            .find(|system| system.name() == candidate.system)?;
        if system.forgets_resumes() {
            self.tell_own_resumes(&mut candidate);
        }
        let noting = NotingWorld::new(world);
        let case = system.open(&candidate, &noting);
        let id = id.unwrap_or_else(|| ids::id(case.reading(), ids::USUAL));
        let now = self.now().to_utc();
        let life = self.life(&id, case.as_ref(), world);
        let mut pipeline = crate::recover::assess::pipeline(case.reading(), &life, id, now);
        self.settings.staleness(&mut pipeline, now);
        say_if_lost(&mut pipeline, world);
        let unread = unread_files::say(&mut pipeline, noting.unread());
        self.find_interrupted(&mut pipeline);
        Some(Opened {
            candidate,
            case,
            life,
            pipeline,
            unread,
        })
    }

    /// The signs of life: those that the system asked for, and whoever holds one of its state files or logs open
    /// for writing.
    fn life(&self, id: &PipelineId, case: &dyn Case, world: &dyn World) -> LifeEvidence {
        let mut life = case.reading().life.clone();
        let logs = case.trails(world);
        let logs = logs.iter().map(|trail| trail.place.path());
        let files: Vec<PathBuf> = case
            .reading()
            .state_files
            .iter()
            .cloned()
            .chain(logs)
            .collect();
        let own = case.own_files();
        life.signs.extend(liveness::writers(world, &files, &own));
        if !life.of_conversation {
            life.signs
                .extend(self.conversations().signs(case.reading(), world));
        }
        self.believe_own_write(&mut life, id, case.reading(), &files);
        life
    }

    /// The same pipeline, read again under its id; unchanged if it was selected just now.
    fn reopen(&self, id: &PipelineId) -> Result<Arc<Opened>> {
        self.reopen_in(id, &self.cached())
    }

    /// The same in a world that other questions were asked of.
    fn reopen_in(&self, id: &PipelineId, world: &dyn World) -> Result<Arc<Opened>> {
        let before = self.recall(id)?;
        let fresh = lock(&self.fresh).take();
        if fresh.as_ref() == Some(id) {
            return Ok(before);
        }
        self.forget_own_recoveries();
        let opened = self
            .open_as(Some(id.clone()), before.candidate.clone(), world)
            .filter(|opened| !opened.has_gone_since(&before.pipeline, world))
            .ok_or_else(|| gone(&before.pipeline, world))?;
        let opened = Arc::new(opened);
        self.remember(Arc::clone(&opened));
        Ok(opened)
    }
}
