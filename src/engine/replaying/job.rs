//! The side of a run that a cluster's node executes: one run, from its folder alone.

use std::path::Path;
use std::sync::Mutex;

use super::blocks::{Blocks, Todo, Work};
use super::progress::Telling;
use super::{not_begun, not_continued};
use crate::apply::disk::RealDisk;
use crate::engine::{Engine, EngineError, ErrorKind};
use crate::model::{Cancel, OwnMetric, ReplaySession, RunValue, SessionState};
use crate::replay::session::{self, Session};

impl Engine {
    /// Executes the run whose folder this is, made or not: starts it, or continues it. One that is complete is left
    /// as it is, so that a job which the cluster starts a second time does no harm.
    pub fn replay_in_folder(
        &self,
        folder: &Path,
        cancel: &Cancel,
    ) -> Result<ReplaySession, EngineError> {
        let absent = || {
            let text = format!(
                "{} is not the directory of a run.",
                folder.to_string_lossy()
            );
            EngineError::new(ErrorKind::NotFound, text)
        };
        RealDisk::available().map_err(EngineError::refused)?;
        let (state, pipeline, id) = session::place_of(folder).ok_or_else(absent)?;
        let world = self.world.as_ref();
        let known = session::look(world, &state, &pipeline, &id);
        let sessions = session::all(world, &state, &pipeline).unwrap_or_default();
        let experiments = session::experiments(&state, &pipeline);
        let found = experiments.iter().find_map(|one| {
            let run = one.runs().into_iter().find(|run| run.id == id)?;
            Some((one, run))
        });
        let telling = Telling::new(&|_| {}, std::iter::empty());
        let Some((experiment, run)) = found else {
            known.ok_or_else(absent)?;
            let disk = RealDisk::new();
            let ground = self.session_ground(&disk, &state);
            let reopened = Session::reopen(&ground, &pipeline, &id);
            let (mut session, plan) = reopened.map_err(|error| not_continued(&error))?;
            let ran = self.run_and_measure(&mut session, &plan, &telling, cancel);
            ran.map_err(|error| not_continued(&error))?;
            return Ok(session.about.clone());
        };
        match known {
            Some(one) if is_complete(&one, &experiment.metrics, &sessions) => Ok(one),
            known => {
                let plan = session::plan_of(&state, &pipeline, &experiment.id);
                let blocks = Blocks {
                    work: Work {
                        engine: self,
                        state: &state,
                        plan: &plan.map_err(|error| not_begun(&error))?,
                        telling: &telling,
                        cancel,
                    },
                    experiment,
                };
                let reopen = known.is_some();
                let ended = blocks.one(&Todo { run, reopen }, &Mutex::default());
                ended.map(|(about, _)| about)
            }
        }
    }
}

/// Whether nothing is left of a run. One that was cut short before its metrics were measured, or in which one of them
/// could not be, is run again, which only measures them. Beside runs with a number a run without one could not be.
pub(super) fn is_complete(
    session: &ReplaySession,
    metrics: &[OwnMetric],
    sessions: &[ReplaySession],
) -> bool {
    let measured = |session: &ReplaySession, metric: &OwnMetric| {
        let mut all = session.measured.iter();
        all.find(|(name, _)| *name == metric.name)
            .map_or(RunValue::Missing, |(_, value)| *value)
    };
    let is_number = |value| matches!(value, RunValue::Number(_));
    let has_numbers = |metric: &OwnMetric| {
        let mut runs = sessions.iter().filter(|one| one.group == session.group);
        runs.any(|one| is_number(measured(one, metric)))
    };
    match session.state {
        SessionState::Done => {
            let mut commands = metrics.iter().filter(|one| !one.command.is_empty());
            commands.all(|metric| match measured(session, metric) {
                RunValue::Number(_) => true,
                RunValue::Missing => false,
                RunValue::Pass | RunValue::Fail => !has_numbers(metric),
            })
        }
        SessionState::HandedOver => true,
        SessionState::Running
        | SessionState::Interrupted
        | SessionState::Cancelled
        | SessionState::Unreadable => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::SessionId;

    #[test]
    fn a_run_without_a_number_is_measured_again_where_another_has_one() {
        let metric = |name: &str, command: &[&str]| OwnMetric {
            name: name.to_owned(),
            command: command.iter().map(|word| (*word).to_owned()).collect(),
            lower_is_better: false,
            margin: None,
            primary: false,
        };
        let metrics = [metric("lines", &["wc"]), metric("left", &[])];
        let run = |group: &str, value: Option<RunValue>| ReplaySession {
            state: SessionState::Done,
            group: SessionId(group.to_owned()),
            measured: value
                .map(|value| ("lines".to_owned(), value))
                .into_iter()
                .collect(),
            ..ReplaySession::default()
        };
        let number = Some(RunValue::Number(4.0));
        let (pass, fail) = (Some(RunValue::Pass), Some(RunValue::Fail));
        let table = [
            (number, pass, true),
            (pass, fail, true),
            (pass, number, false),
            (fail, number, false),
            (Some(RunValue::Missing), pass, false),
            (None, pass, false),
        ];
        for (own, other, complete) in table {
            let session = run("1", own);
            let all = [session.clone(), run("1", other), run("2", number)];
            assert_eq!(
                is_complete(&session, &metrics, &all),
                complete,
                "{own:?} {other:?}"
            );
        }
    }
}
