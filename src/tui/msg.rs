//! The events of the console, and the effects that it requests.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use chrono::{DateTime, FixedOffset};

use super::data::{Launched, Made, Watch};
use super::keys::Key;
use super::screens::batch::Done;
use super::screens::diff::DiffSource;
use super::screens::plan::Counted;
use crate::diff::Diff;
use crate::model::{
    Cancel, Cause, CheckSummary, Checkpoint, Clean, Comparison, Dossier, Drift, EngineError,
    Foreign, Handoff, History, Irreversible, Operand, Origin, Outcome, Pipeline, PipelineId, Plan,
    PlanOptions, PointChoice, PurgeLoss, RecoverMode, Recovered, Recovery, RecoveryId, Rehearsal,
    ReplayAsk, ReplayDetails, ReplayList, ReplayPlan, ReplayProgress, ReplaySession, Request,
    Result, Resumed, SessionId, StageProgress, Survey, Timeline, UndoOptions,
};

/// The number of a request. Replies carry it back; one whose number is no longer awaited is dropped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Ticket(pub u64);

/// What the mouse did, at a cell of the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MouseAction {
    /// The left button went down.
    Press,
    /// It moved with the left button down.
    Drag,
    /// The left button went up.
    Release,
    /// The wheel turned away from the person.
    WheelUp,
    /// The wheel turned towards the person.
    WheelDown,
}

/// A signal from outside.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Signal {
    /// The console is asked to end (SIGTERM, SIGHUP), or its terminal is gone.
    End,
    /// The input of the plain console has ended, which is the person's own way to leave it.
    EndOfInput,
    /// The console is interrupted (SIGINT from elsewhere).
    Interrupt,
    /// The console is asked to stop for a while (SIGTSTP).
    Stop,
    /// The console continues after a stop that it did not make itself (SIGCONT).
    Continue,
}

/// One thing that happened.
#[derive(Debug)]
#[expect(
    clippy::large_enum_variant,
    reason = "a message is made once, moved twice and gone"
)]
pub enum Msg {
    /// A key was pressed.
    Key(Key),
    /// A line was typed in the plain console.
    Line(String),
    /// Text was pasted.
    Paste(String),
    /// The mouse did something at a column and row.
    Mouse(MouseAction, u16, u16),
    /// The terminal has this size now.
    Resize(u16, u16),
    /// Time has passed. Sent often while a reply is pending, once a minute otherwise.
    Tick(DateTime<FixedOffset>),
    /// The current time, sent before the events that happened at it.
    Clock(DateTime<FixedOffset>),
    /// A signal arrived.
    Signal(Signal),
    /// Something on disk changed that is being shown.
    Changed,
    /// The answer to a request.
    Reply(Ticket, Reply),
    /// The worker or the terminal has something for the log.
    Note(Foreign),
    /// The result of a command, for the message line.
    Said(Clean),
}

/// An answer.
#[derive(Debug)]
pub enum Reply {
    /// One pipeline was found, or more is known about it.
    Found(Box<Pipeline>),
    /// The survey has ended.
    Survey(Result<Survey>),
    /// What the checks of each pipeline came to, and why it stopped.
    Verified(Vec<(PipelineId, CheckSummary, Option<Cause>)>),
    /// The result of one of several pipelines.
    Batch(PipelineId, Result<Done>),
    /// Everything about a pipeline.
    Dossier(PipelineId, Result<Dossier>),
    /// How far a work tree has drifted from a checkpoint; `None` for a checkpoint without files.
    Drift(PipelineId, String, Result<Option<Drift>>),
    /// A plan.
    Plan(Result<Made>),
    /// A comparison with its title.
    Diff(Result<(Foreign, Diff)>),
    /// The lines that paths of a plan change.
    Counted(Counted),
    /// The lines of a detail view.
    Raw(Result<Vec<Clean>>),
    /// The events that a filter leaves.
    Hits(Vec<usize>),
    /// The event that a jump leads to.
    Sought(Option<usize>),
    /// How far a stage is.
    Progress(StageProgress),
    /// The result of applying a plan.
    Applied(Result<Outcome>),
    /// The history, newest first.
    Recoveries(Result<History>),
    /// What a crash left pending.
    Pending(Result<Vec<Recovery>>),
    /// The result of recovering it.
    Recovered(Result<Recovered>),
    /// What is lost with the backups of recoveries.
    PurgeLoss(Result<(Vec<Recovery>, PurgeLoss)>),
    /// What a purge deleted, a sentence each, and how many recoveries or replays were left.
    Purged(Result<(Vec<String>, usize)>),
    /// The result of a rehearsal.
    Rehearsed(Result<Rehearsal>),
    /// What no undo reverts.
    Ledger(Result<Vec<Irreversible>>),
    /// The outcome of launching the orchestrator.
    Launched(Result<Launched>),
    /// The positions in the orchestrator's records, to be watched from now on.
    Watching(Result<Watch>),
    /// Whether it has written anything since.
    Looked(Result<Resumed>),
    /// The replays of a pipeline.
    Replays(Result<ReplayList>),
    /// Their verdicts and sizes.
    ReplayDetails(Result<ReplayDetails>),
    /// The completions of a path.
    Paths(Vec<String>),
    /// What a replay would do.
    ReplayPlan(Result<ReplayPlan>),
    /// How far a replay is.
    Replaying(ReplayProgress),
    /// The outcome of a replay.
    Replayed(Result<Vec<ReplaySession>>),
    /// The operands of a pipeline that can be compared.
    Operands(Result<Vec<Operand>>),
    /// Two runs side by side.
    Compared(Result<Comparison>),
    /// A text that a person edited.
    Edited(Result<Vec<u8>>),
}

/// A timeline in an effect; two are equal if they are the same one.
#[derive(Clone)]
pub struct Rows(pub Timeline);

impl fmt::Debug for Rows {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Rows({})", self.0.len())
    }
}

impl PartialEq for Rows {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

/// A request to the worker. Requests that write are marked "Writes".
#[derive(Debug, Clone, PartialEq)]
pub enum Query {
    /// Look for pipelines.
    Survey(Request),
    /// Verify pipelines of the list.
    Verify(Vec<PipelineId>),
    /// Verify a pipeline, for all of its checks.
    Checks(PipelineId),
    /// Writes: the reports of a pipeline, into a new folder in this one.
    ExportReport(PipelineId, PathBuf),
    /// Read everything about a pipeline; `preview` is dropped as soon as a newer preview is wanted.
    #[expect(missing_docs, reason = "named above")]
    Dossier { id: PipelineId, preview: bool },
    /// Measure how far a work tree has moved from a checkpoint.
    Drift(PipelineId, Box<Checkpoint>),
    /// Make the plan of a resume.
    Plan(PipelineId, PointChoice, PlanOptions),
    /// Make the plan that undoes a recovery, or redoes one by undoing its undo.
    #[expect(missing_docs, reason = "named above")]
    UndoPlan {
        recovery: RecoveryId,
        redo: bool,
        options: UndoOptions,
        request: Box<Request>,
    },
    /// Compare the two sides of something.
    Diff(DiffSource, crate::diff::Options),
    /// How many lines paths of a plan change, by action and path.
    Count(Arc<Plan>, Vec<(usize, usize)>),
    /// Read the raw line or file of a row.
    Raw(Origin),
    /// Read the last passages of a conversation that worked on a pipeline.
    Passages(PipelineId, Foreign),
    /// Find the events that contain a text.
    Filter(Rows, String),
    /// Find the next event (or the previous one) of another phase.
    #[expect(missing_docs, reason = "named above")]
    SeekPhase {
        rows: Rows,
        from: usize,
        forward: bool,
    },
    /// Writes: apply a plan. It carries what the person typed: the worker turns that into the consent, or refuses.
    Apply(Arc<Plan>, String, Cancel),
    /// Try a plan in a scratch directory.
    Rehearse(Arc<Plan>, Cancel),
    /// List the recoveries.
    Recoveries(Request),
    /// Look for recoveries that a crash interrupted.
    Pending(Request),
    /// Writes: recover an interrupted recovery. Paths in `keep` stay as they are now.
    #[expect(missing_docs, reason = "named above")]
    Recover {
        id: RecoveryId,
        how: RecoverMode,
        keep: Vec<PathBuf>,
        request: Box<Request>,
        cancel: Cancel,
    },
    /// Writes: delete the backups of these recoveries.
    Purge(Vec<Recovery>, PurgeLoss, Cancel),
    /// Which backups the purge of a recovery deletes, and what is lost with them.
    PurgeLoss(RecoveryId),
    /// List what no undo reverts.
    Ledger(PipelineId),
    /// Remember the state of the orchestrator's records.
    WatchRecords(PipelineId),
    /// Look whether it has written anything since.
    Look(Watch),
    /// List the replays of a pipeline.
    Replays(PipelineId),
    /// Judge its experiments, and measure what its replays take on the disk.
    ReplayDetails(PipelineId),
    /// Writes: delete a replay or all runs of an experiment.
    PurgeReplays(PipelineId, SessionId, Cancel),
    /// Look for the paths that begin as the typed one does, in the first of the folders that has any, else in the
    /// folders within those around the project.
    #[expect(missing_docs, reason = "named above")]
    CompletePath {
        typed: String,
        folders: Vec<PathBuf>,
        around: Vec<PathBuf>,
    },
    /// Make the plan of a replay.
    ReplayPlan(PipelineId, Box<ReplayAsk>),
    /// Starts programs: run a replay until it ends or the switch is set.
    Replay(Arc<ReplayPlan>, Cancel),
    /// Starts programs: continue a replay that was interrupted.
    ReplayContinue(PipelineId, SessionId, Cancel),
    /// Starts programs: run what is left of an experiment, with so many blocks added.
    ReplayExtend(PipelineId, SessionId, usize, Cancel),
    /// List what of a pipeline can be compared.
    Operands(PipelineId),
    /// Compare two runs; the engine chooses what is not named.
    #[expect(missing_docs, reason = "named above")]
    Compare {
        id: PipelineId,
        a: Option<String>,
        b: Option<String>,
    },
}

impl Query {
    /// The answer where the worker itself failed, so that nobody waits forever.
    pub fn failed(&self, error: EngineError) -> Reply {
        match self {
            Self::Survey(_) => Reply::Survey(Err(error)),
            Self::Verify(ids) => {
                let skipped = |id: &PipelineId| (id.clone(), CheckSummary::UNREADABLE, None);
                Reply::Verified(ids.iter().map(skipped).collect())
            }
            Self::Checks(id) | Self::ExportReport(id, _) => Reply::Batch(id.clone(), Err(error)),
            Self::Dossier { id, .. } => Reply::Dossier(id.clone(), Err(error)),
            Self::Drift(id, of) => Reply::Drift(id.clone(), of.id.clone(), Err(error)),
            Self::Plan(..) | Self::UndoPlan { .. } => Reply::Plan(Err(error)),
            Self::Diff(..) => Reply::Diff(Err(error)),
            Self::Count(_, paths) => {
                Reply::Counted(paths.iter().map(|path| (*path, None)).collect())
            }
            Self::Raw(_) | Self::Passages(..) => Reply::Raw(Err(error)),
            Self::Filter(..) => Reply::Hits(Vec::new()),
            Self::SeekPhase { .. } => Reply::Sought(None),
            Self::Apply(..) => Reply::Applied(Err(error)),
            Self::Rehearse(..) => Reply::Rehearsed(Err(error)),
            Self::Recoveries(_) => Reply::Recoveries(Err(error)),
            Self::Pending(_) => Reply::Pending(Err(error)),
            Self::Recover { .. } => Reply::Recovered(Err(error)),
            Self::PurgeLoss(_) => Reply::PurgeLoss(Err(error)),
            Self::Purge(..) | Self::PurgeReplays(..) => Reply::Purged(Err(error)),
            Self::Ledger(_) => Reply::Ledger(Err(error)),
            Self::WatchRecords(_) => Reply::Watching(Err(error)),
            Self::Look(_) => Reply::Looked(Err(error)),
            Self::Replays(_) => Reply::Replays(Err(error)),
            Self::ReplayDetails(_) => Reply::ReplayDetails(Err(error)),
            Self::CompletePath { .. } => Reply::Paths(Vec::new()),
            Self::ReplayPlan(..) => Reply::ReplayPlan(Err(error)),
            Self::Replay(..) | Self::ReplayContinue(..) | Self::ReplayExtend(..) => {
                Reply::Replayed(Err(error))
            }
            Self::Operands(_) => Reply::Operands(Err(error)),
            Self::Compare { .. } => Reply::Compared(Err(error)),
        }
    }
}

/// Something to be done outside the pure part.
#[derive(Debug, Clone, PartialEq)]
pub enum Effect {
    /// Ask the worker; its reply carries the ticket.
    Ask(Ticket, Query),
    /// Watch these directories instead of those watched before.
    Watch(Vec<PathBuf>),
    /// Give the terminal to the orchestrator until it ends.
    Launch(Ticket, PipelineId, Box<Handoff>),
    /// Open a text in the person's editor, and read it back.
    Edit(Ticket, Vec<u8>),
    /// Copy lines to the person's clipboard, and say of what they are.
    Copy(Vec<Clean>, Clean),
    /// Tell the person, who may look elsewhere, that something has ended.
    Notify(&'static str),
    /// Open a file in the person's editor or pager.
    Open(Origin),
    /// Capture the mouse, or release it.
    Mouse(bool),
    /// Stop as a job of the shell.
    Suspend,
    /// Draw everything again.
    Redraw,
    /// Quit.
    Quit,
}
