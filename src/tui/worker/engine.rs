//! The engine as the console's source.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use chrono::{DateTime, FixedOffset};

use super::Source;
use crate::engine::{self, Engine, EngineError};
use crate::model::{
    Checkpoint, Drift, Origin, Pipeline, PipelineId, Plan, PlanOptions, PointChoice, PointId,
};
use crate::tui::data::{Dossier, Request, Scope, Sides, Skipped, Survey, Trouble};

impl From<EngineError> for Trouble {
    fn from(error: EngineError) -> Self {
        Self {
            text: error.text,
            hints: error.hints,
        }
    }
}

impl From<engine::Scope> for Scope {
    fn from(scope: engine::Scope) -> Self {
        match scope {
            engine::Scope::Here => Self::Here,
            engine::Scope::Repository => Self::Repository,
            engine::Scope::Machine => Self::Machine,
            engine::Scope::Paths => Self::Paths,
        }
    }
}

/// The engine's request. Complete pipelines come too: the browser hides those by itself.
fn asked(request: &Request) -> engine::Request {
    let scope = request.scope.map(|scope| match scope {
        Scope::Here => engine::Scope::Here,
        Scope::Repository => engine::Scope::Repository,
        Scope::Machine => engine::Scope::Machine,
        Scope::Paths => engine::Scope::Paths,
    });
    // A scope that was chosen in the console looks further than the paths that were named.
    let paths = match request.scope {
        Some(Scope::Here | Scope::Repository | Scope::Machine) => Vec::new(),
        Some(Scope::Paths) | None => request.paths.clone(),
    };
    engine::Request {
        cwd: request.cwd.clone(),
        paths,
        scope,
        system: request.system.clone(),
        roots: request.roots.clone(),
        all: true,
        ..engine::Request::default()
    }
}

/// The directories in which a change may change what is shown.
fn watched(pipelines: &[Pipeline]) -> Vec<PathBuf> {
    let files = pipelines.iter().flat_map(|pipeline| &pipeline.state_files);
    let places: BTreeSet<&Path> = files.filter_map(|file| file.parent()).collect();
    places.into_iter().map(Path::to_owned).collect()
}

impl Source for Engine {
    fn now(&self) -> DateTime<FixedOffset> {
        Self::now(self)
    }

    fn survey(
        &self,
        request: &Request,
        found: &(dyn Fn(Pipeline) + Sync),
    ) -> Result<Survey, Trouble> {
        let survey = Self::survey(self, &asked(request), found)?;
        Ok(Survey {
            watch: watched(&survey.pipelines),
            pipelines: survey.pipelines,
            skipped: survey
                .skipped
                .into_iter()
                .map(|skipped| Skipped {
                    path: skipped.path,
                    reason: skipped.reason,
                })
                .collect(),
            elsewhere: survey.hidden.scope,
            scope: survey.scope.into(),
            searched: survey.roots,
        })
    }

    fn dossier(&self, id: &PipelineId) -> Result<Dossier, Trouble> {
        let dossier = Self::dossier(self, id)?;
        Ok(Dossier {
            pipeline: dossier.pipeline,
            timeline: dossier.timeline,
            checks: dossier.checks,
            points: dossier.points,
            checkpoints: dossier.checkpoints,
        })
    }

    fn drift(&self, id: &PipelineId, checkpoint: &Checkpoint) -> Result<Option<Drift>, Trouble> {
        Ok(Self::drift(self, id, checkpoint)?)
    }

    fn plan(
        &self,
        id: &PipelineId,
        point: Option<&PointId>,
        options: &PlanOptions,
    ) -> Result<Plan, Trouble> {
        let choice = match point {
            Some(point) => PointChoice::Id(point.clone()),
            None => PointChoice::Recommended,
        };
        Ok(Self::plan(self, id, &choice, options)?)
    }

    fn sides(&self, plan: &Plan, action: usize, path: Option<usize>) -> Result<Sides, Trouble> {
        let sides = Self::sides(self, plan, action, path)?;
        Ok(Sides {
            before: sides.before,
            after: sides.after,
            title: sides.title,
        })
    }

    fn raw(&self, origin: &Origin) -> Result<Vec<u8>, Trouble> {
        Ok(Self::raw(self, origin)?.as_bytes().to_vec())
    }

    fn open(&self, origin: &Origin) -> Result<(), Trouble> {
        Ok(self.show_file(origin)?)
    }
}
