//! Amendments of a workflow's plan, as ordinary plans.

use super::{Dossier, Engine, EngineError, Opened, Result};
use crate::model::{
    Amendment, Intent, NewStage, PipelineId, PlanOptions, Readiness, ResumePoint, one_line_reason,
};
use crate::world::World;

impl Engine {
    /// The name under which this person approves: git's `user.name` where the pipeline is.
    pub fn approver(&self, id: &PipelineId) -> Option<String> {
        let opened = self.recall(id).ok()?;
        let name = self.world.git().user_name(&opened.pipeline.reading.root);
        name.as_deref().and_then(one_line_reason)
    }

    /// The amendment as a point, and what it would do.
    pub(super) fn amended(
        &self,
        ask: &Amendment,
        options: &PlanOptions,
        (dossier, opened): (&Dossier, &Opened),
        world: &dyn World,
    ) -> Result<(ResumePoint, Intent)> {
        let usage = |text: &str| EngineError::usage(text);
        let reason = options.reason.as_deref();
        let reason = reason.ok_or_else(|| usage("cannot amend without a reason"))?;
        // Where it is not, the system says why: that comes before what is missing here.
        let amendable = opened.case.is_amendable();
        let given = ask.approved_by.as_deref().and_then(one_line_reason);
        let by = given.or_else(|| self.approver(&opened.pipeline.id));
        if by.is_none() && amendable {
            let text = "Cannot record who approved the amendment: git's user.name is not set.";
            return Err(usage(text).hint("Name the person: --approved-by NAME"));
        }
        let new_stage = match &ask.new_stage {
            Some(NewStage::File(path)) if amendable => {
                Some(NewStage::Json(self.edited("".as_ref(), path)?))
            }
            other => other.clone(),
        };
        let ask = Amendment {
            new_stage,
            approved_by: by,
            ..ask.clone()
        };
        let amended = opened.case.amend(&ask, reason, &dossier.checks, world);
        let (boundary, intent) = amended.ok_or_else(|| {
            let system = opened.pipeline.reading.system;
            let hint = format!(
                "See where the work can resume instead: relight points {}",
                opened.pipeline.id
            );
            usage(&format!("{system} pipelines cannot be amended.")).hint(hint)
        })??;
        let point = ResumePoint {
            recommended: false,
            reason: boundary.reason.clone(),
            readiness: Readiness::Ready,
            boundary,
        };
        Ok((point, intent))
    }
}
