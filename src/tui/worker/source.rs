//! What stands behind the console: the engine, or a made-up one in tests.

use chrono::{DateTime, FixedOffset};

use crate::model::{Checkpoint, Drift, Origin, Pipeline, PipelineId, Plan, PlanOptions, PointId};
use crate::tui::data::{Dossier, Request, Sides, Survey, Trouble};

/// All that the console asks. Nothing here writes.
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
        point: Option<&PointId>,
        options: &PlanOptions,
    ) -> Result<Plan, Trouble>;

    /// Both sides of an action of a plan, or of one of its paths.
    fn sides(&self, plan: &Plan, action: usize, path: Option<usize>) -> Result<Sides, Trouble>;

    /// The raw line or file behind a fact.
    fn raw(&self, origin: &Origin) -> Result<Vec<u8>, Trouble>;

    /// Shows a file in the person's editor or pager, in the foreground. The terminal has been left.
    fn open(&self, origin: &Origin) -> Result<(), Trouble>;
}
