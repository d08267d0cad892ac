//! What stands behind the console: the engine, or a made-up one in tests.

use std::path::PathBuf;

use chrono::{DateTime, FixedOffset};

use crate::model::{
    Cancel, Checkpoint, Compared, Comparison, Drift, Handoff, Irreversible, Origin, Outcome,
    Pipeline, PipelineId, Plan, PlanOptions, PointChoice, Recovery, RecoveryId, Rehearsal,
    ReplayAsk, ReplayPlan, ReplayProgress, ReplaySession, Resumed, SessionId, StageProgress,
    UndoOptions,
};
use crate::tui::data::{
    Dossier, Failure, Launched, Operand, PurgeReport, Request, Settle, Settled, Sides, Survey,
    Trouble, Watch,
};

/// How progress is told.
pub type Tell<'a> = &'a (dyn Fn(&StageProgress) + Sync);

/// How the progress of a replay is told.
pub type TellReplay<'a> = &'a (dyn Fn(&ReplayProgress) + Sync);

/// All that the console asks. What may write says so.
pub trait Source: Send + Sync + 'static {
    /// Now.
    fn now(&self) -> DateTime<FixedOffset>;

    /// Looks for pipelines. `found` gets each as soon as it is known, perhaps again when it is known better.
    fn survey(
        &self,
        request: &Request,
        found: &(dyn Fn(Pipeline) + Sync),
    ) -> Result<Survey, Trouble>;

    /// Everything about a pipeline, read now.
    fn dossier(&self, id: &PipelineId) -> Result<Dossier, Trouble>;

    /// How far the work tree has moved from a checkpoint; nothing where it is none of files.
    fn drift(&self, id: &PipelineId, checkpoint: &Checkpoint) -> Result<Option<Drift>, Trouble>;

    /// What taking up at a point would do.
    fn plan(
        &self,
        id: &PipelineId,
        choice: &PointChoice,
        options: &PlanOptions,
    ) -> Result<Plan, Trouble>;

    /// What taking a recovery back would do; `redo` where it is an undo itself.
    fn undo_plan(
        &self,
        recovery: &RecoveryId,
        redo: bool,
        options: &UndoOptions,
        request: &Request,
    ) -> Result<Plan, Trouble>;

    /// Where carrying a plan out will keep what it replaces, where that is known before.
    fn kept_in(&self, plan: &Plan) -> Option<PathBuf>;

    /// Both sides of an action of a plan, or of one of its paths.
    fn sides(&self, plan: &Plan, action: usize, path: Option<usize>) -> Result<Sides, Trouble>;

    /// Two texts of a comparison.
    fn compared(&self, comparison: &Comparison, what: Compared) -> Result<Sides, Trouble>;

    /// The replays of a pipeline, newest first.
    fn replays(&self, id: &PipelineId) -> Result<Vec<ReplaySession>, Trouble>;

    /// What a replay would do. Writes nothing; conflicts that are open are part of the answer.
    fn replay_plan(&self, id: &PipelineId, ask: &ReplayAsk) -> Result<ReplayPlan, Trouble>;

    /// Writes into relight's own state, and starts programs: runs a replay in trees of its own.
    fn replay(
        &self,
        plan: &ReplayPlan,
        tell: TellReplay<'_>,
        cancel: &Cancel,
    ) -> Result<Vec<ReplaySession>, Trouble>;

    /// The same for one that was cut short.
    fn replay_continue(
        &self,
        id: &PipelineId,
        session: &SessionId,
        tell: TellReplay<'_>,
        cancel: &Cancel,
    ) -> Result<ReplaySession, Trouble>;

    /// What of a pipeline can be compared, in order.
    fn operands(&self, id: &PipelineId) -> Result<Vec<Operand>, Trouble>;

    /// Two runs side by side; what is not named is left to the engine.
    fn compare(
        &self,
        id: &PipelineId,
        a: Option<&str>,
        b: Option<&str>,
    ) -> Result<Comparison, Trouble>;

    /// Gives a text to the person's editor, in the foreground, and takes it back. The terminal has been left.
    fn edit(&self, text: &[u8]) -> Result<Vec<u8>, Trouble>;

    /// The raw line or file behind a fact.
    fn raw(&self, origin: &Origin) -> Result<Vec<u8>, Trouble>;

    /// Shows a file in the person's editor or pager, in the foreground. The terminal has been left.
    fn open(&self, origin: &Origin) -> Result<(), Trouble>;

    /// What has been carried out, newest first.
    fn recoveries(&self, request: &Request) -> Result<Vec<Recovery>, Trouble>;

    /// What a crash left pending, newest first.
    fn pending(&self, request: &Request) -> Result<Vec<Recovery>, Trouble>;

    /// What a pipeline did that no recovery takes back.
    fn ledger(&self, id: &PipelineId) -> Result<Vec<Irreversible>, Trouble>;

    /// Tries a plan in a scratch folder, and runs the check there. Writes only there.
    fn rehearse(&self, plan: &Plan, tell: Tell<'_>) -> Result<Rehearsal, Trouble>;

    /// Writes: carries a plan out if what was typed agrees to it. The switch stops it as long as that is possible.
    fn carry_out(
        &self,
        plan: &Plan,
        typed: &str,
        tell: Tell<'_>,
        cancel: &Cancel,
    ) -> Result<Outcome, Failure>;

    /// Writes: settles what a crash left pending.
    fn settle(
        &self,
        id: &RecoveryId,
        how: &Settle,
        request: &Request,
        cancel: &Cancel,
    ) -> Result<Settled, Failure>;

    /// Writes: gives back the space of what these recoveries keep.
    fn purge(&self, recoveries: &[Recovery], cancel: &Cancel) -> Result<PurgeReport, Failure>;

    /// Runs the orchestrator in the foreground and waits for its end. The terminal has been left.
    fn launch(&self, id: &PipelineId, handoff: &Handoff) -> Result<Launched, Trouble>;

    /// Where the orchestrator's records stand.
    fn watch(&self, id: &PipelineId) -> Result<Watch, Trouble>;

    /// Whether the orchestrator has written anything since.
    fn look(&self, watch: &Watch) -> Result<Resumed, Trouble>;
}
