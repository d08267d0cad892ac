//! The engine as the console's source.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use chrono::{DateTime, FixedOffset};

use super::Source;
use super::source::{Tell, TellReplay};
use crate::engine::{self, Consent, Engine, EngineError, ErrorKind};
use crate::model::{
    Cancel, Checkpoint, Compared, Comparison, Drift, Handoff, Irreversible, Origin, Outcome,
    Pipeline, PipelineId, Plan, PlanOptions, PointChoice, Recovery, RecoveryId, Rehearsal,
    ReplayAsk, ReplayPlan, ReplaySession, Resumed, SessionId, UndoOptions,
};
use crate::tui::data::{
    Dossier, Failure, Fate, Launched, Operand, PurgeReport, Request, Scope, Settle, Settled, Sides,
    Skipped, Survey, Trouble, Watch,
};

impl From<EngineError> for Trouble {
    fn from(error: EngineError) -> Self {
        Self {
            text: error.text,
            hints: error.hints,
        }
    }
}

impl From<EngineError> for Failure {
    fn from(error: EngineError) -> Self {
        let fate = match error.kind {
            ErrorKind::RolledBack => Fate::RolledBack,
            ErrorKind::Cancelled => Fate::Cancelled,
            // A mistake of relight's own proves nothing about the files.
            ErrorKind::Unclear | ErrorKind::Bug => Fate::Unclear,
            ErrorKind::Usage
            | ErrorKind::NotFound
            | ErrorKind::Ambiguous
            | ErrorKind::NothingToDo
            | ErrorKind::Refused
            | ErrorKind::Unreadable
            | ErrorKind::Consent => Fate::Untouched,
        };
        Self {
            fate,
            guards: error.guards.clone(),
            trouble: error.into(),
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
            // What cannot be listed is said on the screen that lists it.
            replays: self.replays_as_read(id).unwrap_or_default(),
        })
    }

    fn drift(&self, id: &PipelineId, checkpoint: &Checkpoint) -> Result<Option<Drift>, Trouble> {
        Ok(Self::drift(self, id, checkpoint)?)
    }

    fn plan(
        &self,
        id: &PipelineId,
        choice: &PointChoice,
        options: &PlanOptions,
    ) -> Result<Plan, Trouble> {
        Ok(Self::plan(self, id, choice, options)?)
    }

    fn undo_plan(
        &self,
        recovery: &RecoveryId,
        redo: bool,
        options: &UndoOptions,
        request: &Request,
    ) -> Result<Plan, Trouble> {
        Ok(Self::undo_plan(
            self,
            Some(&recovery.0),
            redo,
            options,
            &asked(request),
        )?)
    }

    fn kept_in(&self, plan: &Plan) -> Option<PathBuf> {
        Self::kept_in(self, plan)
    }

    fn sides(&self, plan: &Plan, action: usize, path: Option<usize>) -> Result<Sides, Trouble> {
        let sides = Self::sides(self, plan, action, path)?;
        Ok(Sides {
            before: sides.before,
            after: sides.after,
            title: sides.title,
        })
    }

    fn compared(&self, comparison: &Comparison, what: Compared) -> Result<Sides, Trouble> {
        let sides = Self::compared(self, comparison, what)?;
        Ok(Sides {
            before: sides.before,
            after: sides.after,
            title: sides.title,
        })
    }

    fn replays(&self, id: &PipelineId) -> Result<Vec<ReplaySession>, Trouble> {
        Ok(Self::replays(self, id)?)
    }

    fn replay_plan(&self, id: &PipelineId, ask: &ReplayAsk) -> Result<ReplayPlan, Trouble> {
        Ok(Self::replay_plan(self, id, ask)?)
    }

    fn replay(
        &self,
        plan: &ReplayPlan,
        tell: TellReplay<'_>,
        cancel: &Cancel,
    ) -> Result<Vec<ReplaySession>, Trouble> {
        Ok(Self::replay(self, plan, tell, cancel)?)
    }

    fn replay_continue(
        &self,
        id: &PipelineId,
        session: &SessionId,
        tell: TellReplay<'_>,
        cancel: &Cancel,
    ) -> Result<ReplaySession, Trouble> {
        Ok(Self::replay_continue(self, id, session, tell, cancel)?)
    }

    fn operands(&self, id: &PipelineId) -> Result<Vec<Operand>, Trouble> {
        Ok(Self::operands(self, id)?)
    }

    fn compare(
        &self,
        id: &PipelineId,
        a: Option<&str>,
        b: Option<&str>,
    ) -> Result<Comparison, Trouble> {
        Ok(Self::compare(self, id, a, b)?)
    }

    fn edit(&self, text: &[u8]) -> Result<Vec<u8>, Trouble> {
        Ok(self.edit_text(text)?)
    }

    fn raw(&self, origin: &Origin) -> Result<Vec<u8>, Trouble> {
        Ok(Self::raw(self, origin)?.as_bytes().to_vec())
    }

    fn open(&self, origin: &Origin) -> Result<(), Trouble> {
        Ok(self.show_file(origin)?)
    }

    fn recoveries(&self, request: &Request) -> Result<Vec<Recovery>, Trouble> {
        Ok(Self::recoveries(self, &asked(request))?)
    }

    fn pending(&self, request: &Request) -> Result<Vec<Recovery>, Trouble> {
        Ok(Self::pending(self, &asked(request))?)
    }

    fn ledger(&self, id: &PipelineId) -> Result<Vec<Irreversible>, Trouble> {
        Ok(Self::ledger(self, id)?)
    }

    fn rehearse(&self, plan: &Plan, tell: Tell<'_>) -> Result<Rehearsal, Trouble> {
        let check = self.settings().check.as_slice();
        let check = (!check.is_empty()).then_some(check);
        Ok(Self::rehearse(self, plan, check, tell)?)
    }

    fn carry_out(
        &self,
        plan: &Plan,
        typed: &str,
        tell: Tell<'_>,
        cancel: &Cancel,
    ) -> Result<Outcome, Failure> {
        let consent = Consent::typed(plan, typed).ok_or_else(|| {
            let text = "What was typed does not agree to this plan; nothing was changed.";
            EngineError::new(ErrorKind::Consent, text)
        })?;
        Ok(Self::carry_out(self, plan, &consent, tell, cancel)?)
    }

    fn settle(
        &self,
        id: &RecoveryId,
        how: &Settle,
        request: &Request,
        cancel: &Cancel,
    ) -> Result<Settled, Failure> {
        Ok(Self::settle(
            self,
            Some(&id.0),
            how,
            &asked(request),
            cancel,
        )?)
    }

    fn purge(&self, recoveries: &[Recovery], cancel: &Cancel) -> Result<PurgeReport, Failure> {
        Ok(Self::purge(self, recoveries, cancel)?)
    }

    fn launch(&self, id: &PipelineId, handoff: &Handoff) -> Result<Launched, Trouble> {
        // Begun before, so that the first record is not missed; without it the launch is as good.
        let watch = self.watch_start(id).ok();
        let end = Self::launch(self, handoff)?;
        let seen = watch.as_ref().and_then(|watch| self.watch_look(watch).ok());
        Ok(Launched {
            end,
            seen: seen.unwrap_or(Resumed::No),
            watch: watch.map(|watch| Watch(Some(watch))),
        })
    }

    fn watch(&self, id: &PipelineId) -> Result<Watch, Trouble> {
        Ok(Watch(Some(self.watch_start(id)?)))
    }

    fn look(&self, watch: &Watch) -> Result<Resumed, Trouble> {
        match &watch.0 {
            Some(watch) => Ok(self.watch_look(watch)?),
            None => Ok(Resumed::No),
        }
    }
}
