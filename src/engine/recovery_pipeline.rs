//! The pipeline of a recovery, opened through the root that the recovery recorded: undo, redo and recover apply the
//! same guards and write the same log lines from any directory.

use std::sync::Arc;

use chrono::{DateTime, Utc};

use super::{Engine, EngineError, Opened, Request, Scope};
use crate::model::{
    Aliveness, Foreign, Liveness, Pipeline, PipelineId, PlanOptions, Recovery, UndoOptions,
};
use crate::recover::{assess, guards};

impl Engine {
    /// The pipeline of a recovery, read anew.
    pub(super) fn of_recovery(&self, recovery: &Recovery) -> Result<Arc<Opened>, EngineError> {
        if self.recall(&recovery.pipeline).is_ok() {
            return self.reopen(&recovery.pipeline);
        }
        let root = &recovery.root;
        let beneath = Request {
            cwd: root.clone(),
            paths: vec![root.clone()],
            all: true,
            ..Request::default()
        };
        let known = |found: Vec<Pipeline>| found.into_iter().find(|one| is_it(one, recovery));
        let mut found = known(self.survey(&beneath, &|_| {})?.pipelines);
        if found.is_none() {
            // A run whose work tree had to be named belongs to no project that could be looked beneath.
            let machine = Request {
                paths: Vec::new(),
                scope: Some(Scope::Machine),
                ..beneath
            };
            found = known(self.survey(&machine, &|_| {})?.pipelines);
        }
        let found = found.ok_or_else(|| EngineError::not_found(recovery.pipeline.0.as_bytes()))?;
        if found.id != recovery.pipeline {
            self.rename(&found.id, &recovery.pipeline)?;
        }
        if found.reading.work_tree.is_none() && found.reading.root != *root {
            self.place(&recovery.pipeline, root.clone())?;
        }
        self.recall(&recovery.pipeline)
    }

    /// Knows a pipeline under the id it had when the recovery was made: an id is longer where it would be
    /// ambiguous, and what makes it so depends on where one looks.
    fn rename(&self, from: &PipelineId, to: &PipelineId) -> Result<(), EngineError> {
        let known = self.recall(from)?;
        let again = self.open(known.candidate.clone(), &self.cached());
        let mut again = again.ok_or_else(|| EngineError::not_found(to.0.as_bytes()))?;
        again.pipeline.id = to.clone();
        self.remember(Arc::new(again));
        Ok(())
    }

    /// The liveness guard of an undo, as for a resume. What the recovery wrote itself, until `ended`, is no sign of
    /// life.
    pub(super) fn undo_liveness(
        &self,
        recovery: &Recovery,
        ended: Option<DateTime<Utc>>,
        opened: Result<&Opened, &EngineError>,
        options: &UndoOptions,
    ) -> crate::model::Guard {
        let liveness = match opened {
            Ok(opened) => {
                let mut life = opened.life.clone();
                life.last_write = life
                    .last_write
                    .filter(|at| ended.is_none_or(|end| *at > end));
                assess::liveness(&life, self.now().to_utc())
            }
            Err(why) => Liveness {
                verdict: Aliveness::Unknown,
                evidence: vec![unopened(recovery, why)],
            },
        };
        let options = PlanOptions {
            assume_stopped: options.assume_stopped,
            ..PlanOptions::default()
        };
        guards::liveness(&liveness, &options)
    }
}

/// Whether a pipeline is the one that a recovery was for.
fn is_it(found: &Pipeline, recovery: &Recovery) -> bool {
    let (one, other) = (&found.id.0, &recovery.pipeline.0);
    let longer = one.starts_with(other.as_str()) || other.starts_with(one.as_str());
    let root = found
        .reading
        .work_tree
        .as_ref()
        .unwrap_or(&found.reading.root);
    one == other || longer && *root == recovery.root
}

fn unopened(recovery: &Recovery, why: &EngineError) -> Foreign {
    if !recovery.is_recorded() {
        let text = format!(
            "Recovery {} has no record that names its pipeline.",
            recovery.id
        );
        return text.into();
    }
    format!(
        "{} cannot be opened at {}: {}",
        recovery.pipeline,
        recovery.root.to_string_lossy(),
        why.text.lossy()
    )
    .into()
}
