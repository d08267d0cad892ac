//! Sessions: a folder each under `replays/<pipeline>/<session>/` of relight's state, with the tree, the dispatch
//! files, the outputs, the manifest that is continued, and the record of what was planned.
//!
//! ```text
//! <state>/relight/replays/<pipeline>/<session>/   0700
//!   session.json          the record, written last: a folder without it is incomplete
//!   lock                  held by the process that runs it
//!   ended.json            how it ended; not there while it runs, and after a crash
//!   tree/                 the checkpoint's files, with a repository of their own
//!   dispatch/  outputs/   what was asked, and what came back
//!   scratch/              in place of the original's folder of notes
//!   templates/            what was swapped (original/) for what (replacement/)
//!   usage.jsonl           tokens and money, where the runner reports them
//!   manifest.jsonl        a copy of the original's, continued
//! ```
//!
//! The files of an experiment as a whole are next to these folders: its record `<id>.experiment.json`,
//! `<id>.experiment.lock`, held by the process that runs it, and `<id>.slurm/` with the jobs of one that runs on a
//! cluster.
//!
//! A session in place has neither tree nor manifest nor dispatch folder of its own: it works in the project's and
//! appends to the original's, under the project's locks. Nothing else may be written outside the folder.

mod attempts;
mod continuation;
mod ended;
mod experiment;
mod find;
mod folder;
mod header;
mod jobs;
mod line;
mod measured;
mod own_paths;
mod record;
mod run_log;
mod space;
mod steps;
mod stored;
mod summary;
mod tree;
mod usage;
mod watch;

#[cfg(test)]
mod tests;

use std::ffi::OsString;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use chrono::{DateTime, FixedOffset};

use crate::apply::disk::{Disk as _, RealDir, RealDisk, RealLock};
use crate::apply::home::{self, Home};
use crate::model::{
    ExperimentRun, Foreign, PipelineId, ReplayPlan, ReplaySession, SessionId, SessionState, Stamp,
};
use crate::replay::isolation::guard::{self, Guard};
use crate::replay::isolation::sandbox;
use crate::world::World;

use continuation::Continuation;
use ended::Ended;
use folder::Folder;
use own_paths::OwnPaths;
use record::Record;
use steps::Steps;

pub use experiment::{
    begin, experiments, hold as hold_experiment, in_drawn_order, plan_of, seed,
    trouble as experiment_trouble, update,
};
pub use find::{all, is_set_up, look, origins, planned, recorded};
pub use folder::home_of;
pub use jobs::{JobFolder, Submission};
pub use measured::{LAST_LINE, Measured};
pub use space::{disk_cost, free_space};
pub use stored::{Held, StoredReplay, hold, remove, stored};
pub use usage::{usage, usual as usual_usage};
pub use watch::{Pulse, cut_short, place_of, progress, pulse};

/// A session that is held by this process.
pub struct Session<'a> {
    /// The same for a front end.
    pub about: ReplaySession,
    world: &'a dyn World,
    folder: Folder,
    outputs: RealDir,
    /// Where its dispatch files go, and the path of that.
    dispatch: (RealDir, PathBuf),
    manifest: Continuation,
    steps: Steps,
    plan: ReplayPlan,
    own_paths: OwnPaths,
    /// Guards the original while runners work.
    guard: Option<Guard>,
    /// What its end has to say, a sentence each.
    closing: Vec<String>,
    /// The words of the sandbox that starts its runners; empty for none.
    wrapper: Vec<OsString>,
    /// The session's own, then the project's where it works in place. They end with this.
    _locks: Vec<RealLock>,
}

impl fmt::Debug for Session<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Session")
            .field("about", &self.about)
            .finish_non_exhaustive()
    }
}

/// What sessions are made with.
pub struct Ground<'a> {
    /// The disk.
    pub disk: RealDisk,
    /// The world.
    pub world: &'a dyn World,
    /// The canonical state folder.
    pub state: &'a Path,
    /// Now.
    pub now: DateTime<FixedOffset>,
}

/// What is told while the tree is made: files made, and how many there will be.
pub type TellTree<'a> = &'a (dyn Fn(u64, u64) + Sync);

/// The id that all runs of an experiment which begins now will share: seconds, or the next ones that no session of
/// the pipeline has, `taken` among them.
pub fn group(
    ground: &Ground<'_>,
    pipeline: &PipelineId,
    taken: &[SessionId],
) -> io::Result<SessionId> {
    let known = folder::ids(ground.state, pipeline)?;
    let mut seconds = u64::try_from(ground.now.timestamp()).unwrap_or(0);
    let is_taken = |seconds| {
        let mut all = known.iter().chain(taken);
        all.any(|id| folder::age(&id.0).0 == seconds)
    };
    while is_taken(seconds) {
        seconds += 1;
    }
    Ok(SessionId(seconds.to_string()))
}

impl<'a> Session<'a> {
    /// Begins a run: its folder, its tree, the copy of the manifest. Where that fails nothing of it stays.
    /// `AlreadyExists` where another process took the id meanwhile, `ResourceBusy` where the project is being worked
    /// on.
    pub fn create(
        ground: &Ground<'a>,
        plan: &ReplayPlan,
        (id, run): (&SessionId, Option<&ExperimentRun>),
        tell: TellTree<'_>,
    ) -> io::Result<Self> {
        // Other runs of its experiment may be starting on other machines, and have no lock yet.
        find::tidy(ground, &plan.pipeline, run.map(|run| &run.id))?;
        let folder = Folder::make(ground, &plan.pipeline, id)?;
        let made = Self::fill(ground, plan, &folder, (id, run), tell);
        if made.is_err() {
            // What went wrong first is what matters; what stays is no session and goes with the next one.
            let _ignored = folder.discard();
        }
        made
    }

    fn fill(
        ground: &Ground<'a>,
        plan: &ReplayPlan,
        folder: &Folder,
        (id, run): (&SessionId, Option<&ExperimentRun>),
        tell: TellTree<'_>,
    ) -> io::Result<Self> {
        let lock = folder.lock()?.ok_or(io::ErrorKind::ResourceBusy)?;
        let invalid = || io::Error::other("the plan has an open conflict, or begins nowhere");
        folder.mkdir(folder::OUTPUTS)?;
        // Before the tree: what is made durable by itself would take all of the tree's files with it each time.
        keep_templates(folder, plan)?;
        let left_out = if plan.ask.in_place {
            Vec::new()
        } else {
            folder.mkdir(folder::DISPATCH)?;
            copy_manifest(ground, plan, folder)?;
            let mut left_out = tree::make(folder, plan, project(plan, ground.world), tell)?;
            left_out.extend(own_paths::copy_named(ground, plan, folder)?);
            left_out
        };
        let repeat = run.map_or((1, 1), |run| run.repeat);
        let mut record = Record::of(plan, (id, repeat), ground.now).ok_or_else(invalid)?;
        if let Some(run) = run {
            record.set_place(&run.place);
        }
        record.left_out = left_out;
        // Everything that the record vouches for survives before it does.
        folder.disk.flush(&folder.dir)?;
        folder.put(folder::RECORD, &folder::pretty(&record)?)?;
        if let Some(above) = folder.path.parent() {
            let above = folder.disk.root(above)?;
            folder.disk.barrier(&[above])?;
        }
        Self::hold(ground, folder, &record, lock)
    }

    /// Resumes a session that was interrupted or cancelled, with the plan that it recorded. `ResourceBusy` if a process
    /// is running it, `InvalidData` if its record cannot be read.
    pub fn reopen(
        ground: &Ground<'a>,
        pipeline: &PipelineId,
        id: &SessionId,
    ) -> io::Result<(Self, ReplayPlan)> {
        let folder = Folder {
            disk: ground.disk.clone(),
            ..Folder::open(ground.state, pipeline, id)?
        };
        let lock = folder.lock()?.ok_or(io::ErrorKind::ResourceBusy)?;
        let record = find::readable(&folder)?;
        let session = Self::hold(ground, &folder, &record, lock)?;
        folder.drop_file(folder::ENDED)?;
        let plan = session.plan.clone();
        Ok((session, plan))
    }

    fn hold(
        ground: &Ground<'a>,
        folder: &Folder,
        record: &Record,
        lock: RealLock,
    ) -> io::Result<Self> {
        let plan = record.plan();
        let mut locks = vec![lock];
        if plan.ask.in_place {
            locks.extend(project_locks(ground, &plan)?);
        }
        let about = summary::of(&folder.path, record, SessionState::Running);
        let dispatch = if plan.ask.in_place {
            let absent = || io::Error::other("the original's dispatch directory is missing");
            let path = plan.experiment.dispatch_dir.as_deref().ok_or_else(absent)?;
            let path = home::canonical(path)?;
            (ground.disk.root(&path)?, path)
        } else {
            let own = folder.within(folder::DISPATCH)?;
            (own.dir, own.path)
        };
        let manifest = Continuation::open(&ground.disk, &about.manifest)?;
        let seen = manifest.seen(&about.id);
        let mut seen = seen.map_err(|error| continuation::of_manifest(&error))?;
        if plan.ask.in_place {
            let files = continuation::largest_file(&ground.disk, &dispatch.0)?;
            seen.largest = seen.largest.max(files);
        }
        let mut session = Self {
            steps: Steps::of(&plan, &seen),
            own_paths: OwnPaths::of(&plan, &folder.path, ground.world),
            guard: None,
            closing: Vec::new(),
            wrapper: sandbox::wrapper(&plan, &folder.path, ground.world),
            outputs: folder.sub(folder::OUTPUTS)?,
            folder: folder.clone(),
            world: ground.world,
            about,
            dispatch,
            manifest,
            plan,
            _locks: locks,
        };
        if session.plan.runner.is_some()
            && let (false, Some(tree)) = (session.plan.ask.in_place, &session.about.tree)
        {
            let guard = Guard::begin(&session.plan, &session.folder.path, tree, ground.world);
            session.guard = Some(guard);
        }
        session.count();
        Ok(session)
    }

    /// Records how it ended.
    pub fn close(&mut self, state: SessionState) -> io::Result<()> {
        if state == SessionState::Done {
            self.drop_tree_copy()?;
        }
        if let Some(guard) = self.guard.take() {
            self.about.outside = guard.end(self.world);
            self.closing.extend(guard::sentences(&self.about.outside));
        }
        let now = self.world.clock().now();
        let trouble: Vec<Foreign> = self.closing.drain(..).map(Foreign::from).collect();
        let ended = Ended {
            schema: 1,
            state,
            at: now.to_rfc3339(),
            trouble: trouble.clone(),
            outside: self.about.outside.clone(),
            cut_short: self.about.cut_short,
        };
        ended.keep(&self.folder)?;
        self.about.state = state;
        self.about.ended_at = Some(Stamp::stated(now));
        self.about.trouble.extend(trouble);
        self.count();
        Ok(())
    }

    /// Writes the dispatch files of all that is left, for whoever runs them, and says how.
    pub fn hand_over(&mut self) -> io::Result<()> {
        for step in self.steps.left() {
            self.dispatch(step)?;
        }
        let handoff = summary::handoff(&self.about, &self.plan, &self.steps, &self.own_paths);
        self.folder
            .put(folder::HANDOFF, handoff.briefing.as_bytes())?;
        self.close(SessionState::HandedOver)?;
        self.about.handoff = Some(handoff);
        Ok(())
    }

    fn count(&mut self) {
        self.about.dispatches = self.steps.counts();
    }
}

/// The project's work tree, where git knows it.
fn project<'p>(plan: &'p ReplayPlan, world: &dyn World) -> Option<&'p Path> {
    let work_tree = plan.experiment.work_tree.as_deref()?;
    world.git().repo(work_tree).ok().map(|_repo| work_tree)
}

/// Copies the manifest, and ends a truncated last line.
fn copy_manifest(ground: &Ground<'_>, plan: &ReplayPlan, folder: &Folder) -> io::Result<()> {
    let original = Continuation::open(&ground.disk, &plan.experiment.manifest)?;
    let mut bytes = original.bytes()?;
    if bytes.last().is_some_and(|last| *last != b'\n') {
        bytes.push(b'\n');
    }
    folder.put(folder::MANIFEST, &bytes)
}

/// Keeps both texts of every template that is swapped, under one name each.
fn keep_templates(folder: &Folder, plan: &ReplayPlan) -> io::Result<()> {
    folder.mkdir(folder::TEMPLATES)?;
    let templates = folder.within(folder::TEMPLATES)?;
    let (original, replacement) = (
        templates.mkdir("original")?,
        templates.mkdir("replacement")?,
    );
    for swap in &plan.mutations {
        let name = folder::component(swap.mutation.original.as_bytes());
        if let Some(text) = &swap.template {
            folder::put(&folder.disk, &original, &name, text)?;
        }
        folder::put(&folder.disk, &replacement, &name, &swap.replacement)?;
    }
    Ok(())
}

/// The locks of the project that a session in place works in: no recovery may run meanwhile.
fn project_locks(ground: &Ground<'_>, plan: &ReplayPlan) -> io::Result<[RealLock; 2]> {
    let absent = || io::Error::other("the project's work tree is not known");
    let tree = plan.experiment.work_tree.as_deref().ok_or_else(absent)?;
    let root = home::canonical(tree)?;
    let id = ground.disk.node(&ground.disk.root(&root)?)?.id;
    let me = ground.world.places().uid;
    let home = Home::make(&ground.disk, ground.state, (id, &root), me)?;
    let busy = || io::Error::from(io::ErrorKind::ResourceBusy);
    Ok([
        home.lock(&ground.disk)?.ok_or_else(busy)?,
        home.project_lock(&ground.disk, id)?.ok_or_else(busy)?,
    ])
}

/// The message about a folder that cannot be read.
fn unreadable(path: &Path, why: &str) -> Foreign {
    let path = path.to_string_lossy();
    format!("{why} Its files are in {path}, unchanged; you can delete that directory.").into()
}
