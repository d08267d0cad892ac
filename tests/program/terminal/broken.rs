//! A console's source whose clock breaks: a panic in the middle of everything.

use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};

use relight::model::{
    Cancel, Checkpoint, Compared, Comparison, Drift, Handoff, Irreversible, Origin, Outcome,
    Pipeline, PipelineId, Plan, PlanOptions, PointChoice, Recovery, RecoveryId, Rehearsal,
    ReplayAsk, ReplayPlan, ReplaySession, Resumed, SessionId, Stamp,
};
use relight::tui::data::{
    Dossier, Failure, Fate, Launched, Operand, PurgeReport, Request, Scope, Settle, Settled, Sides,
    Survey, Trouble, Watch,
};
use relight::tui::worker::{Source, Tell, TellReplay};

/// A source whose clock panics as soon as the console has drawn itself and time goes on.
#[derive(Default)]
pub(crate) struct Broken(AtomicUsize);

fn refused() -> Failure {
    Failure {
        fate: Fate::Untouched,
        trouble: Trouble::new("nothing"),
        guards: Vec::new(),
    }
}

impl Source for Broken {
    fn now(&self) -> chrono::DateTime<chrono::FixedOffset> {
        assert!(
            self.0.fetch_add(1, Ordering::SeqCst) == 0,
            "the clock broke"
        );
        Stamp::from_unix(0).unwrap().at
    }

    fn survey(&self, _: &Request, _: &(dyn Fn(Pipeline) + Sync)) -> Result<Survey, Trouble> {
        // Never answers, so that the console ticks.
        loop {
            std::thread::park();
        }
    }

    fn dossier(&self, _: &PipelineId) -> Result<Dossier, Trouble> {
        Err(Trouble::new("nothing"))
    }

    fn drift(&self, _: &PipelineId, _: &Checkpoint) -> Result<Option<Drift>, Trouble> {
        Ok(None)
    }

    fn plan(&self, _: &PipelineId, _: &PointChoice, _: &PlanOptions) -> Result<Plan, Trouble> {
        Err(Trouble::new(Scope::Here.word()))
    }

    fn undo_plan(
        &self,
        _: &RecoveryId,
        _: bool,
        _: &relight::model::UndoOptions,
        _: &Request,
    ) -> Result<Plan, Trouble> {
        Err(Trouble::new("nothing"))
    }

    fn compared(&self, _: &Comparison, _: Compared) -> Result<Sides, Trouble> {
        Err(Trouble::new("nothing"))
    }

    fn replays(&self, _: &PipelineId) -> Result<Vec<ReplaySession>, Trouble> {
        Ok(Vec::new())
    }

    fn replay_plan(&self, _: &PipelineId, _: &ReplayAsk) -> Result<ReplayPlan, Trouble> {
        Err(Trouble::new("nothing"))
    }

    fn replay(
        &self,
        _: &ReplayPlan,
        _: TellReplay<'_>,
        _: &Cancel,
    ) -> Result<Vec<ReplaySession>, Trouble> {
        Err(Trouble::new("nothing"))
    }

    fn replay_continue(
        &self,
        _: &PipelineId,
        _: &SessionId,
        _: TellReplay<'_>,
        _: &Cancel,
    ) -> Result<ReplaySession, Trouble> {
        Err(Trouble::new("nothing"))
    }

    fn operands(&self, _: &PipelineId) -> Result<Vec<Operand>, Trouble> {
        Ok(Vec::new())
    }

    fn compare(
        &self,
        _: &PipelineId,
        _: Option<&str>,
        _: Option<&str>,
    ) -> Result<Comparison, Trouble> {
        Err(Trouble::new("nothing"))
    }

    fn edit(&self, text: &[u8]) -> Result<Vec<u8>, Trouble> {
        Ok(text.to_vec())
    }

    fn kept_in(&self, _: &Plan) -> Option<PathBuf> {
        None
    }

    fn recoveries(&self, _: &Request) -> Result<Vec<Recovery>, Trouble> {
        Ok(Vec::new())
    }

    fn pending(&self, _: &Request) -> Result<Vec<Recovery>, Trouble> {
        Ok(Vec::new())
    }

    fn ledger(&self, _: &PipelineId) -> Result<Vec<Irreversible>, Trouble> {
        Ok(Vec::new())
    }

    fn rehearse(&self, _: &Plan, _: Tell<'_>) -> Result<Rehearsal, Trouble> {
        Err(Trouble::new("nothing"))
    }

    fn carry_out(&self, _: &Plan, _: &str, _: Tell<'_>, _: &Cancel) -> Result<Outcome, Failure> {
        Err(refused())
    }

    fn settle(
        &self,
        _: &RecoveryId,
        _: &Settle,
        _: &Request,
        _: &Cancel,
    ) -> Result<Settled, Failure> {
        Err(refused())
    }

    fn purge(&self, _: &[Recovery], _: &Cancel) -> Result<PurgeReport, Failure> {
        Err(refused())
    }

    fn launch(&self, _: &PipelineId, _: &Handoff) -> Result<Launched, Trouble> {
        Err(Trouble::new("nothing"))
    }

    fn watch(&self, _: &PipelineId) -> Result<Watch, Trouble> {
        Err(Trouble::new("nothing"))
    }

    fn look(&self, _: &Watch) -> Result<Resumed, Trouble> {
        Ok(Resumed::No)
    }

    fn sides(&self, _: &Plan, _: usize, _: Option<usize>) -> Result<Sides, Trouble> {
        Err(Trouble::new("nothing"))
    }

    fn raw(&self, _: &Origin) -> Result<Vec<u8>, Trouble> {
        Ok(Vec::new())
    }

    fn open(&self, _: &Origin) -> Result<(), Trouble> {
        Ok(())
    }
}
