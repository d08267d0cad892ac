//! What stands behind the console: the engine, or a made-up one in tests.

use std::path::PathBuf;

use chrono::{DateTime, FixedOffset};

use crate::model::{
    Checkpoint, Compared, Comparison, Drift, Handoff, Irreversible, Origin, Outcome, Pipeline,
    PipelineId, Plan, PlanOptions, PointChoice, Recovery, RecoveryId, Rehearsal, Resumed,
    StageProgress,
};
use crate::tui::data::{
    Dossier, Failure, Launched, PurgeReport, Request, Settle, Settled, Sides, Survey, Trouble,
    Watch,
};

/// How progress is told.
pub type Tell<'a> = &'a (dyn Fn(&StageProgress) + Sync);

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
        keep: &[PathBuf],
        request: &Request,
    ) -> Result<Plan, Trouble>;

    /// Where carrying a plan out will keep what it replaces, where that is known before.
    fn kept_in(&self, plan: &Plan) -> Option<PathBuf>;

    /// Both sides of an action of a plan, or of one of its paths.
    fn sides(&self, plan: &Plan, action: usize, path: Option<usize>) -> Result<Sides, Trouble>;

    /// Two texts of a comparison.
    fn compared(&self, comparison: &Comparison, what: Compared) -> Result<Sides, Trouble>;

    /// The raw line or file behind a fact.
    fn raw(&self, origin: &Origin) -> Result<Vec<u8>, Trouble>;

    /// Shows a file in the person's editor or pager, in the foreground. The terminal has been left.
    fn open(&self, origin: &Origin) -> Result<(), Trouble>;

    /// What has been carried out, newest first.
    fn recoveries(&self, request: &Request) -> Result<Vec<Recovery>, Trouble>;

    /// What a crash left pending, newest first.
    fn pending(&self, request: &Request) -> Vec<Recovery>;

    /// What a pipeline did that no recovery takes back.
    fn ledger(&self, id: &PipelineId) -> Result<Vec<Irreversible>, Trouble>;

    /// Tries a plan in a scratch folder, and runs the check there. Writes only there.
    fn rehearse(&self, plan: &Plan, tell: Tell<'_>) -> Result<Rehearsal, Trouble>;

    /// Writes: carries a plan out if what was typed agrees to it.
    fn carry_out(&self, plan: &Plan, typed: &str, tell: Tell<'_>) -> Result<Outcome, Failure>;

    /// Writes: settles what a crash left pending.
    fn settle(&self, id: &RecoveryId, how: &Settle, request: &Request) -> Result<Settled, Failure>;

    /// Writes: gives back the space of what these recoveries keep.
    fn purge(&self, recoveries: &[Recovery]) -> Result<PurgeReport, Failure>;

    /// Runs the orchestrator in the foreground and waits for its end. The terminal has been left.
    fn launch(&self, id: &PipelineId, handoff: &Handoff) -> Result<Launched, Trouble>;

    /// Where the orchestrator's records stand.
    fn watch(&self, id: &PipelineId) -> Result<Watch, Trouble>;

    /// Whether the orchestrator has written anything since.
    fn look(&self, watch: &Watch) -> Result<Resumed, Trouble>;
}
