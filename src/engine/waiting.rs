//! Waiting for the end of a stage, or for any change. The system reports changes; the files are also polled once a
//! second, because changes on a network file system are not reported.

use std::path::PathBuf;
use std::sync::mpsc::RecvTimeoutError;
use std::thread;
use std::time::{Duration, Instant};

use super::{Engine, EngineError, ErrorKind, Opened, Result, Watch, Watcher};
use crate::clean;
use crate::foreign;
use crate::model::{
    Clean, Foreign, PhaseStatus, PipelineId, Place, Resumed, WaitOutcome, Waited, nearest,
};
use crate::text::format::list;
use crate::world::files::Stat;

/// How often the files are looked at while nothing is told.
const LOOK: Duration = Duration::from_secs(1);
/// What is told within this time is one change.
const GATHER: Duration = Duration::from_millis(50);

impl Engine {
    /// Blocks until a stage has ended or, without one, until something new is recorded. Writes nothing.
    pub fn wait(
        &self,
        id: &PipelineId,
        stage: Option<&str>,
        timeout: Option<Duration>,
    ) -> Result<Waited> {
        let opened = self.reopen(id)?;
        let stage = stage.map(|stage| known_stage(&opened, stage)).transpose()?;
        let stage = stage.as_deref();
        let watch = self.watch_start(id)?;
        let end = timeout.and_then(|timeout| Instant::now().checked_add(timeout));
        let first = stage.and_then(|stage| status_of(&opened, stage));
        let (mut watcher, changes) = Watcher::new();
        let mut seen = None;
        loop {
            let opened = self.recall(id)?;
            let files = self.awaited(&opened, stage);
            let dirs = files.iter().filter_map(|file| file.parent());
            watcher.only(dirs.map(PathBuf::from).collect());
            // Taken before the files are read: what changes in between is seen the next time.
            let now = self.signature(&files);
            if seen.as_ref() != Some(&now) {
                seen = Some(now);
                let found = match stage {
                    Some(stage) => stage_end(&*self.reopen(id)?, stage, first),
                    None => self.news_since(&watch)?,
                };
                if let Some((outcome, exit_code, text)) = found {
                    return Ok(self.waited(stage, outcome, exit_code, text));
                }
            }
            let left = end.map_or(LOOK, |end| end.saturating_duration_since(Instant::now()));
            if left.is_zero() {
                let text = stage.map_or_else(
                    || "Timed out: nothing new was recorded.".into(),
                    |stage| format!("Timed out: {stage} has not ended.").into(),
                );
                return Ok(self.waited(stage, WaitOutcome::TimedOut, None, text));
            }
            match changes.recv_timeout(left.min(LOOK)) {
                Ok(()) => {
                    thread::sleep(GATHER);
                    changes.try_iter().for_each(drop);
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => thread::sleep(left.min(LOOK)),
            }
        }
    }

    fn waited(
        &self,
        stage: Option<&str>,
        outcome: WaitOutcome,
        exit_code: Option<i64>,
        text: Foreign,
    ) -> Waited {
        Waited {
            stage: stage.map(str::to_owned),
            outcome,
            exit_code,
            at: self.now(),
            text,
        }
    }

    /// The files whose change may end the wait.
    fn awaited(&self, opened: &Opened, stage: Option<&str>) -> Vec<PathBuf> {
        let trails = opened.case.trails(self.world.as_ref());
        let mut files: Vec<PathBuf> = trails.iter().map(|trail| trail.place.path()).collect();
        files.extend(opened.case.reading().state_files.iter().cloned());
        let marker = stage.and_then(|stage| opened.case.job_marker(stage));
        files.extend(marker.into_iter().flat_map(|marker| marker.files));
        files
    }

    fn signature(&self, files: &[PathBuf]) -> Vec<Option<Stat>> {
        let stat = |file: &PathBuf| self.world.files().stat(&Place::root(file)).ok();
        files.iter().map(stat).collect()
    }

    fn news_since(&self, watch: &Watch) -> Result<Option<Found>> {
        // Opened anew: a log or document may have been made since.
        self.reopen(watch.pipeline())?;
        Ok(match self.watch_look(watch)? {
            Resumed::No => None,
            Resumed::Yes { text, step, .. } if step.error => {
                Some((WaitOutcome::Failed, None, text))
            }
            Resumed::Yes { text, .. } => Some((WaitOutcome::Changed, None, text)),
        })
    }
}

/// The outcome, an exit code, and what was seen.
type Found = (WaitOutcome, Option<i64>, Foreign);

fn status_of(opened: &Opened, stage: &str) -> Option<PhaseStatus> {
    let mut phases = opened.case.reading().phases.iter();
    Some(phases.find(|phase| phase.id == *stage)?.status)
}

/// Whether a stage has ended: by its own marker, or by the status it is recorded with.
fn stage_end(opened: &Opened, stage: &str, first: Option<PhaseStatus>) -> Option<Found> {
    let phases = &opened.case.reading().phases;
    // A state file that is being written may lack it for a moment.
    let phase = phases.iter().find(|phase| phase.id == *stage)?;
    let marker = opened.case.job_marker(stage).filter(|marker| marker.ended);
    // A plan need not give its phases a title.
    let untitled = || foreign!("Phase {}", &phase.id);
    let name = Some(&phase.name).filter(|name| !name.as_bytes().is_empty());
    let name = name.cloned().unwrap_or_else(untitled);
    let say = |what: &str| {
        // The system's own word, where it says more than the sentence.
        let native = &phase.native_status;
        let text = match native.as_str().filter(|word| !what.ends_with(word)) {
            Some(_) => clean!("{} {} ({}).", name, what, native),
            None => clean!("{} {}.", name, what),
        };
        Foreign::from(text.into_string())
    };
    let code = marker.as_ref().and_then(|marker| marker.exit_code);
    match phase.status {
        PhaseStatus::Done => Some((WaitOutcome::Ended, code, say("has ended"))),
        PhaseStatus::Skipped => Some((WaitOutcome::Ended, code, say("was skipped"))),
        PhaseStatus::Failed => Some((WaitOutcome::Failed, code, say("has failed"))),
        PhaseStatus::Waiting => Some((WaitOutcome::Waiting, None, say("is waiting for you"))),
        PhaseStatus::Invalidated if first != Some(PhaseStatus::Invalidated) => {
            Some((WaitOutcome::Failed, None, say("must run again")))
        }
        PhaseStatus::Active | PhaseStatus::Pending | PhaseStatus::Invalidated => {
            marker?;
            let ended = |code: i64| format!("The job of {stage} ended with code {code}.");
            Some(match code {
                Some(0) => (WaitOutcome::Ended, code, ended(0).into()),
                Some(other) => (WaitOutcome::Failed, code, ended(other).into()),
                None => {
                    let text = format!("The job of {stage} ended without a readable exit code.");
                    (WaitOutcome::Failed, None, text.into())
                }
            })
        }
    }
}

/// The id of a stage that is named by it or, as in a record, by its number alone. Refuses one that the pipeline does
/// not have: it would be waited for without end.
fn known_stage(opened: &Opened, stage: &str) -> Result<String> {
    let phases = &opened.case.reading().phases;
    let numbered = |id: &str| {
        id.rsplit_once('-')
            .is_some_and(|(_, number)| number == stage)
    };
    let ids = || phases.iter().map(|phase| phase.id.lossy());
    if let Some(id) = ids()
        .find(|id| id == stage)
        .or_else(|| ids().find(|id| numbered(id)))
    {
        return Ok(id.into_owned());
    }
    let text = format!("{} has no step or stage {stage}.", opened.pipeline.id);
    let names: Vec<_> = phases.iter().map(|phase| phase.id.clean()).collect();
    let known = names.iter().map(Clean::as_str);
    let hint = nearest::hint(stage, known.clone().map(|name| (name, name)));
    let all: Vec<&str> = known.collect();
    let hint = hint.unwrap_or_else(|| match all.as_slice() {
        [] => "It has none: omit STAGE to wait for any new record.".to_owned(),
        known => format!("Known: {}.", list(known)),
    });
    Err(EngineError::new(ErrorKind::NotFound, text).hint(hint))
}
