//! Why a workflow stopped, according to its own files: a pause, a failed stage, a job that no session is waiting for.

use crate::formats::json::{self, At};
use crate::model::{
    Cause, CauseEvidence, CauseKind, Event, EventMark, EventRows, Foreign, Origin, OwnWrites,
    Place, Stamp, Sure,
};
use crate::systems::kit::causes;
use crate::systems::superscientist::facts::{Facts, Flow, Next, Row, paths};
use crate::systems::superscientist::shape::{PAUSE, Stage, StageStatus};
use crate::text::Shown as _;
use crate::text::format::count_of;
use crate::world::World;

/// The cause; `None` if the workflow just stopped, which its files do not explain.
pub(crate) fn recorded(
    facts: &Facts,
    events: &dyn EventRows,
    own: Option<&OwnWrites>,
    world: &dyn World,
) -> Option<Cause> {
    let flow = facts.flow.as_ref().ok()?;
    if flow.next == Next::Nothing {
        return None;
    }
    let scene = Scene {
        facts,
        flow,
        events,
        own,
        world,
    };
    let paused = facts.paused.then(|| scene.paused());
    paused
        .or_else(|| scene.failed())
        .or_else(|| scene.job())
        .or_else(|| scene.skipped())
        .or_else(|| scene.budget())
        .or_else(|| scene.failed_before())
}

struct Scene<'a> {
    facts: &'a Facts,
    flow: &'a Flow,
    events: &'a dyn EventRows,
    own: Option<&'a OwnWrites>,
    world: &'a dyn World,
}

impl Scene<'_> {
    fn paused(&self) -> Cause {
        let text = "A person paused it: the file PAUSE exists.";
        let place = Place::known(&self.facts.wf, PAUSE).ok();
        let at = place.and_then(|place| self.world.files().modified(&place));
        let origin = Origin::file(self.facts.wf.join(PAUSE));
        let evidence = vec![causes::evidence(origin, text)];
        let at = at.map(Stamp::utc);
        let kind = CauseKind::UserInterrupted;
        causes::cause(kind, Sure::Certain, text, at, evidence)
            .advising("Remove the file PAUSE when it may continue.")
    }

    /// A failed stage, according to the state file or the files of its job.
    fn failed(&self) -> Option<Cause> {
        let next = self.flow.next_stage();
        let next = next.filter(|stage| self.has_failed(stage));
        let failed = self.flow.exhausted().or(next)?;
        Some(self.failure(failed))
    }

    /// A stage that failed before another one that can still run.
    fn failed_before(&self) -> Option<Cause> {
        let mut stages = self.flow.state.stages.iter();
        let failed = stages.find(|stage| self.has_failed(stage))?;
        Some(self.failure(failed))
    }

    /// How a stage failed.
    fn failure(&self, stage: &Stage) -> Cause {
        let row = self.flow.row(stage);
        let logged = self.last_failure(stage);
        let code = match row {
            Some(Row::Broke(code)) => Some(code),
            _ => logged.as_ref().and_then(|event| exit_code(&event.text)),
        };
        let how = match (code, row) {
            (Some(0), _) => " failed, although its job ended with exit code 0".to_owned(),
            (Some(code), _) => format!(" failed: its job ended with exit code {code}"),
            (None, Some(Row::DiedTwice)) => {
                " failed: the monitoring session of its job died twice".to_owned()
            }
            // Whether it failed is the question that its gate asks.
            (None, Some(Row::AskExit)) => {
                let words = self.flow.job_words(stage.index);
                format!(": {}", words.unwrap_or_default())
            }
            (None, _) => " failed".to_owned(),
        };
        let limit = self.flow.state.retry_limit(stage);
        let spent = self.flow.state.is_exhausted(stage).then(|| {
            let retries = count_of(limit, "retry", "retries");
            format!(" It has used up its {retries}.")
        });
        let text = format!("{}{how}.{}", stage.label(), spent.unwrap_or_default());
        // Before the stage has failed by its own record, this is the error of an earlier attempt.
        let own = stage.status == StageStatus::Failed;
        let text = causes::saying(&text, "error", stage.last_error.as_deref().filter(|_| own));
        let marked = row.and_then(|_| self.marked(stage));
        let at = logged.as_ref().and_then(|event| event.at).or(marked);
        let sure = if code.is_some() || stage.status == StageStatus::Failed {
            Sure::Certain
        } else {
            Sure::Likely
        };
        let logged = logged.map(|event| {
            let text = format!("The log says that {} failed.", stage.id);
            causes::evidence(event.origin, text)
        });
        let exit = marked.and_then(|_| self.exit_file(stage));
        let first = logged.or(exit).unwrap_or_else(|| {
            let word = format!("{} is {}.", stage.id, stage.word);
            self.says(stage, "status", word)
        });
        let mut evidence = vec![first];
        evidence.extend(stage.last_error.as_deref().map(|error| {
            let error = causes::beginning(error);
            let of = if own { "" } else { ", of an earlier attempt" };
            let text = format!("last_error of {}{of}: {}", stage.id, error.shown());
            self.says(stage, "last_error", text)
        }));
        causes::cause(CauseKind::ScriptFailed, sure, text, at, evidence)
    }

    /// A recorded failure. That a subagent died while it prepared a stage is only inferred, and its conversation knows
    /// more.
    fn has_failed(&self, stage: &Stage) -> bool {
        let broke = |row| matches!(row, Row::Broke(_) | Row::DiedTwice | Row::AskExit);
        stage.status == StageStatus::Failed || self.flow.row(stage).is_some_and(broke)
    }

    /// A job without an end that no session is waiting for.
    fn job(&self) -> Option<Cause> {
        let Next::Monitor(at) = self.flow.next else {
            return None;
        };
        let stage = self.flow.stage(at)?;
        let job = self.flow.jobs.get(&at)?;
        if !(job.row == Row::Relaunch || job.is_remote_unknown()) {
            return None;
        }
        let words = self.flow.job_words(stage.index)?;
        let text = format!("{}: {words}.", stage.label());
        let evidence = vec![self.says(stage, "running_process", text.clone())];
        let kind = CauseKind::BackgroundUnfinished;
        Some(causes::cause(kind, Sure::Likely, text, None, evidence))
    }

    /// The remaining stages depend on a skipped one, and only a person may decide that it counts.
    fn skipped(&self) -> Option<Cause> {
        let Next::AfterSkip(at) = self.flow.next else {
            return None;
        };
        let stage = self.flow.stage(at)?;
        let text = format!(
            "{} needs a stage that was skipped; you must decide whether it may continue.",
            stage.label()
        );
        let evidence = vec![self.says(stage, "depends_on", text.clone())];
        let (kind, at) = (CauseKind::WaitingApproval, self.skipped_at(stage));
        Some(causes::cause(kind, Sure::Likely, text, at, evidence))
    }

    /// When a stage that another one needs was skipped, according to the log. It waits since then, whoever skipped it.
    fn skipped_at(&self, stage: &Stage) -> Option<Stamp> {
        let skipped = self.flow.state.with(StageStatus::Skipped);
        let needed = skipped.filter(|one| stage.depends_on.contains(&one.id));
        let needed: Vec<&str> = needed.map(|one| one.id.as_str()).collect();
        let events = (0..self.events.len()).rev();
        let mut events = events.filter_map(|at| self.events.get(at));
        let about = |event: &Event| {
            let phase = event.phase.as_ref();
            phase.is_some_and(|phase| needed.iter().any(|id| *phase == **id))
        };
        events.find(about)?.at
    }

    /// The session ended because its budget was used up.
    fn budget(&self) -> Option<Cause> {
        let map = &self.flow.state.map;
        let reason = json::text(json::child(map, "session_config")?, "exit_reason");
        reason.filter(|reason| *reason == "budget_exhausted")?;
        let text = "The session ended because its budget was used up.";
        let path = [At::Key("session_config"), At::Key("exit_reason")];
        let evidence = vec![self.state(&path, text)];
        let kind = CauseKind::BudgetLimit;
        Some(causes::cause(kind, Sure::Certain, text, None, evidence))
    }

    /// The last line of the log about a failure of a stage, if no later line is about it.
    fn last_failure(&self, stage: &Stage) -> Option<Event> {
        let all = (0..self.events.len()).rev();
        let mut about = all.filter_map(|at| self.events.get(at)).filter(|event| {
            let phase = event.phase.as_ref();
            let own = self.own.zip(event.at);
            let own = own.is_some_and(|(own, at)| own.may_have_made(at.at.to_utc()));
            event.status.is_some() && phase.is_some_and(|phase| *phase == *stage.id) && !own
        });
        let newest = about.next();
        newest.filter(|event| event.mark == EventMark::Error)
    }

    /// When the marker of a stage's job was written.
    fn marked(&self, stage: &Stage) -> Option<Stamp> {
        let place = paths::beneath(&self.facts.wf, &stage.job.as_ref()?.done_marker).ok()?;
        self.world.files().modified(&place).map(Stamp::utc)
    }

    fn exit_file(&self, stage: &Stage) -> Option<CauseEvidence> {
        let path = &stage.job.as_ref()?.exit_code_file;
        let place = paths::beneath(&self.facts.wf, path).ok()?;
        let text = format!("The job of {} wrote its exit code.", stage.id);
        Some(causes::evidence(Origin::file(place.path()), text))
    }

    /// A member of a stage in the state file, as evidence.
    fn says(&self, stage: &Stage, key: &str, text: impl Into<Foreign>) -> CauseEvidence {
        self.state(&stage.member(key), text)
    }

    fn state(&self, path: &[At<'_>], text: impl Into<Foreign>) -> CauseEvidence {
        let line = json::line(&self.flow.state.bytes, path);
        causes::evidence(Origin::at(self.facts.state_path(), line), text)
    }
}

#[cfg(test)]
mod tests;

/// The code in `DPDISP_DONE exit=137. status -> failed`.
fn exit_code(text: &Foreign) -> Option<i64> {
    let text = text.lossy();
    let (_, rest) = text.split_once("exit=")?;
    let end = rest.find(|c: char| !c.is_ascii_digit());
    rest.get(..end.unwrap_or(rest.len()))?.parse().ok()
}
