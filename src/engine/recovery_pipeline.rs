//! The pipeline of a recovery, opened through the root that the recovery recorded: undo, redo and recover apply the
//! same guards and write the same log lines from any directory.

use std::path::PathBuf;
use std::sync::{Arc, PoisonError};

use chrono::{DateTime, Utc};

use super::write_place::unreadable_state;
use super::{Engine, EngineError, Opened, Request, Result, Scope, ids};
use crate::apply::disk::RealDisk;
use crate::apply::home;
use crate::apply::own_recoveries::OwnRecoveries;
use crate::apply::own_writes;
use crate::model::{
    Aliveness, Foreign, LifeEvidence, LifeSign, Liveness, OwnWrites, Pipeline, PipelineId,
    PlanOptions, Reading, Recovery, SignKind, SignVerdict, Stamp, UndoOptions,
};
use crate::recover::{assess, guards};
use crate::systems::Candidate;
use crate::text::Shown as _;

impl Engine {
    /// The pipeline of a recovery, read anew.
    pub(super) fn of_recovery(&self, recovery: &Recovery) -> Result<Arc<Opened>> {
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
            // A run whose work tree had to be named belongs to no project that could be searched.
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
    fn rename(&self, from: &PipelineId, to: &PipelineId) -> Result<()> {
        let known = self.recall(from)?;
        let again = self.open_as(Some(to.clone()), known.candidate.clone(), &self.cached());
        let again = again.ok_or_else(|| EngineError::not_found(to.0.as_bytes()))?;
        self.remember(Arc::new(again));
        Ok(())
    }

    /// Drops a young last write that relight made itself: it is no sign of life, whatever command asks. What an
    /// orchestrator records by `relight record` stays one, because it shows that the orchestrator was running.
    pub(super) fn believe_own_write(
        &self,
        life: &mut LifeEvidence,
        id: &PipelineId,
        reading: &Reading,
        files: &[PathBuf],
    ) {
        let alive = life
            .signs
            .iter()
            .any(|sign| sign.verdict == SignVerdict::Positive);
        // The history is read only where it may change the answer.
        if alive || !life.is_young(self.now().to_utc()) {
            return;
        }
        let (Some(at), Ok(state)) = (life.newest_write(), self.state_dir()) else {
            return;
        };
        let is_own = ids::any_length(id, reading);
        let since = at.timestamp_nanos_opt().unwrap_or(i64::MAX);
        let own = own_writes::latest(&self.past(&RealDisk::new(), &state), since, &is_own, files);
        // A history that cannot be read proves nothing.
        if let Ok(Some(own)) = own {
            (life.last_write, life.last_talk) = (None, None);
            let text = format!("The last write is relight's own ({own}).");
            let sign = LifeSign::new(SignKind::Marker, SignVerdict::Note, text);
            life.signs.push(sign);
        }
    }

    /// Whether relight changed files of a pipeline after a time.
    pub(super) fn changed_since(&self, opened: &Opened, since: DateTime<Utc>) -> bool {
        let own = self.own_recoveries();
        // Without any, a list of many pipelines makes no ids.
        !own.is_empty() && own.changed_since(&is_of(opened), since)
    }

    /// relight's own writes to a pipeline, if nobody else wrote to it after them.
    pub(super) fn own_writes(&self, opened: &Opened) -> Option<OwnWrites> {
        let own = self.own_recoveries();
        let written = opened.case.reading().last_activity_at?.at.to_utc();
        let own = Some(own).filter(|own| !own.is_empty())?;
        own.last_writes(&is_of(opened), written)
    }

    /// When anyone but relight last wrote to a pipeline.
    pub(super) fn last_work(&self, opened: &Opened) -> Option<Stamp> {
        let own = self.own_writes(opened).map(|own| own.last_work);
        own.or_else(|| opened.case.reading().last_activity_at)
    }

    /// Tells a candidate of relight's own resumes that its pipeline may have had.
    pub(super) fn tell_own_resumes(&self, candidate: &mut Candidate) {
        let own = self.own_recoveries();
        let may_be =
            |id: &PipelineId| ids::may_mean(id.0.as_bytes(), candidate.system, &candidate.native);
        let (resumes, undone) = (own.standing(&may_be), own.undone(&may_be));
        (candidate.resumes, candidate.undone) = (resumes, undone);
    }

    fn own_recoveries(&self) -> Arc<OwnRecoveries> {
        self.own_history().0
    }

    /// Why relight's own recoveries cannot be read, where they cannot.
    pub(super) fn unread_history(&self) -> Option<Foreign> {
        self.own_history().1
    }

    /// relight's own recoveries, read once for all pipelines of a survey, and why they cannot be read.
    fn own_history(&self) -> OwnHistory {
        let mut own = self.own.lock().unwrap_or_else(PoisonError::into_inner);
        let read = || {
            let state = self.state_dir()?;
            let read = OwnRecoveries::read(&RealDisk::new(), &state);
            read.map_err(|why| unreadable_state(&home::own(&state), &why))
        };
        let known = own.get_or_insert_with(|| match read() {
            Ok(all) => (Arc::new(all), None),
            // A history that cannot be read proves nothing. Without a state directory nothing was ever recorded.
            Err(error) => {
                let recorded = self.world.places().state.is_some();
                (Arc::default(), recorded.then_some(error.text))
            }
        });
        known.clone()
    }

    /// Reads them anew at the next question.
    pub(super) fn forget_own_recoveries(&self) {
        *self.own.lock().unwrap_or_else(PoisonError::into_inner) = None;
        *self.cut.lock().unwrap_or_else(PoisonError::into_inner) = None;
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
                let later = |at: &DateTime<Utc>| ended.is_none_or(|end| *at > end);
                life.last_write = life.last_write.filter(later);
                life.last_talk = life.last_talk.filter(later);
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

/// relight's own recoveries, and why they cannot be read.
pub(super) type OwnHistory = (Arc<OwnRecoveries>, Option<Foreign>);

/// Whether an id is the one of a pipeline, however long.
fn is_of(opened: &Opened) -> impl Fn(&PipelineId) -> bool {
    ids::any_length(&opened.pipeline.id, opened.case.reading())
}

/// Whether a pipeline is the one that a recovery was for.
pub(super) fn is_it(found: &Pipeline, recovery: &Recovery) -> bool {
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
        recovery.root.shown(),
        why.text.shown()
    )
    .into()
}
