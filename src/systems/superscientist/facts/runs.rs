//! Stages and their earlier versions as operands of a comparison: each output and script, the figures of the attempt,
//! the files of its folder. A version has no record of its own, so its outcome is taken from the log. Files that may
//! contain secrets are neither listed nor opened.

mod attempts;
mod folder;
#[cfg(test)]
mod tests;

use crate::formats::{json, stamp};
use crate::model::{
    Foreign, Measure, MeasureUnit, Run, RunKind, RunTree, Stamp, TestOutcome, Work, WorkStatus,
};
use crate::systems::superscientist::facts::runs::attempts::Attempt;
use crate::systems::superscientist::facts::runs::folder::Folder;
use crate::systems::superscientist::facts::{Facts, Flow, paths};
use crate::systems::superscientist::shape::{Stage, StageStatus};
use crate::text::is_digits;
use crate::world::World;

/// How many measured facts of a stage are listed.
const MEASURED: usize = 50;

/// The started stages, each after its earlier versions.
pub(crate) fn all(facts: &Facts, world: &dyn World) -> Vec<Run> {
    let Ok(flow) = &facts.flow else {
        return Vec::new();
    };
    let stages = flow.state.stages.iter();
    stages
        .flat_map(|stage| {
            let kept = versions(facts, stage);
            let attempts = attempts::earlier(&facts.log, stage, &kept);
            let earlier = kept.iter().zip(attempts).map(|(version, attempt)| Side {
                facts,
                flow,
                stage,
                version: Some(*version),
                attempt,
                folder: Folder::read(facts, &format!("{}.v{version}", stage.id), world),
            });
            let own = Side {
                facts,
                flow,
                stage,
                version: None,
                attempt: current(stage, facts, world),
                folder: Folder::read(facts, &stage.id, world),
            };
            let begun = stage.begun() || own.folder.is_there;
            let sides: Vec<Side<'_>> = earlier.chain(begun.then_some(own)).collect();
            sides
                .iter()
                .map(|side| side.run(world))
                .collect::<Vec<Run>>()
        })
        .collect()
}

/// The numbers of the folders `stage-N.v<k>` of a stage, ascending.
fn versions(facts: &Facts, stage: &Stage) -> Vec<u64> {
    let prefix = format!("{}.v", stage.id);
    let names = facts.names.iter().filter_map(|name| name.to_str());
    let mut all: Vec<u64> = names
        .filter(|_| stage.folder().is_some())
        .filter_map(|name| {
            let digits = name.strip_prefix(&prefix)?;
            is_digits(digits).then(|| digits.parse().ok()).flatten()
        })
        .collect();
    all.sort_unstable();
    all
}

/// The attempt that the state file records.
fn current(stage: &Stage, facts: &Facts, world: &dyn World) -> Attempt {
    let read = |text: &Option<String>| stamp::parse(text.as_deref()?, world.clock());
    let logged = attempts::last(&facts.log, stage);
    Attempt {
        status: Some(stage.status),
        begun: read(&stage.started_at).or_else(|| logged.as_ref()?.begun),
        ended: read(&stage.completed_at).or_else(|| logged.as_ref()?.ended),
        tries: u64::try_from(stage.retry_count)
            .ok()
            .map(|retries| retries + 1),
    }
}

/// A stage, or an earlier version of it.
struct Side<'a> {
    facts: &'a Facts,
    flow: &'a Flow,
    stage: &'a Stage,
    /// `None` for the current stage.
    version: Option<u64>,
    attempt: Attempt,
    folder: Folder,
}

impl Side<'_> {
    fn run(&self, world: &dyn World) -> Run {
        let stage = self.stage;
        let name = match self.version {
            Some(version) => format!("{}.v{version}", stage.id),
            None => stage.id.clone(),
        };
        let title = match self.version {
            Some(version) => format!("{}, version {version} of its outputs", stage.label()),
            None => stage.label(),
        };
        let mut work = vec![self.whole()];
        work.extend(self.outputs(world));
        work.extend(self.scripts());
        Run {
            name,
            kind: RunKind::Stage,
            title: title.into(),
            started_at: self.attempt.begun,
            outcome: self.outcome(),
            measures: self.measures(&work),
            work,
            tree: RunTree::Files(self.folder.files.clone()),
            confounders: self.confounders(),
            unfinished: self.version.is_none() && self.is_open(),
            ..Run::default()
        }
    }

    fn is_open(&self) -> bool {
        let done = self.stage.status.is_done();
        let given_up =
            self.stage.status == StageStatus::Failed && self.flow.state.is_exhausted(self.stage);
        !done && !given_up
    }

    /// How this attempt ended, if recorded.
    fn status(&self) -> Option<WorkStatus> {
        Some(match self.attempt.status? {
            StageStatus::Completed | StageStatus::Invalidated => WorkStatus::Completed,
            StageStatus::Failed => WorkStatus::Failed,
            StageStatus::Skipped => WorkStatus::Skipped,
            StageStatus::Pending
            | StageStatus::Ready
            | StageStatus::Preparing
            | StageStatus::Running
            | StageStatus::PostProcessing
            | StageStatus::Unknown => WorkStatus::Open,
        })
    }

    /// A stage is completed only after verification against its criteria.
    fn outcome(&self) -> TestOutcome {
        match self.status() {
            Some(WorkStatus::Completed) => TestOutcome::Pass,
            Some(WorkStatus::Failed) => TestOutcome::Fail,
            _ => TestOutcome::Unknown,
        }
    }

    fn lasted(&self) -> Option<u64> {
        Stamp::seconds_between(self.attempt.begun, self.attempt.ended)
    }

    /// The stage itself.
    fn whole(&self) -> Work {
        let own = self.version.is_none();
        let error = self.stage.last_error.as_ref().filter(|_| own);
        // The error of a failure stays recorded after a successful retry.
        let error = error.filter(|_| self.attempt.status == Some(StageStatus::Failed));
        let mut one = self.blank("stage", "stage");
        one.status = self.status().unwrap_or(WorkStatus::Open);
        one.verdict = self.outcome();
        one.duration_s = self.lasted();
        one.begun_at = self.attempt.begun;
        one.summary = error
            .or(self.stage.success_criteria.as_ref())
            .map(|text| text.as_str().into());
        one
    }

    fn outputs(&self, world: &dyn World) -> Vec<Work> {
        let prefix = format!("{}/", self.stage.id);
        let outputs = self.stage.outputs.iter();
        outputs
            .map(|output| {
                let plain = output.trim_start_matches("./");
                let (key, path) = match (plain.strip_prefix(&prefix), self.version) {
                    (Some(rest), Some(version)) => {
                        (rest, format!("{}.v{version}/{rest}", self.stage.id))
                    }
                    (Some(rest), None) => (rest, plain.to_owned()),
                    // An output outside the folder was renamed when it was kept.
                    (None, Some(version)) => (plain, format!("{plain}.v{version}")),
                    (None, None) => (plain, plain.to_owned()),
                };
                self.output(key, &path, world)
            })
            .collect()
    }

    fn output(&self, key: &str, path: &str, world: &dyn World) -> Work {
        let place = paths::beneath(&self.facts.wf, path).ok();
        let there = place.filter(|place| world.files().has_content(place));
        let secret = folder::is_secret(key);
        let mut one = self.blank(key, "output");
        one.status = match (self.status(), &there) {
            (Some(WorkStatus::Completed) | None, Some(_)) => WorkStatus::Completed,
            (Some(WorkStatus::Completed), None) => WorkStatus::Failed,
            (Some(status), _) => status,
            (None, None) => WorkStatus::Open,
        };
        one.summary = there.is_none().then(|| "It is missing or empty.".into());
        one.output = there.filter(|_| !secret).map(|place| place.path());
        one
    }

    /// Scripts in the folder with which the stage was run.
    fn scripts(&self) -> impl Iterator<Item = Work> {
        let scripts = self.folder.files.iter().filter(|(name, _)| {
            let name = name.lossy();
            !name.contains('/') && name.ends_with(".sh")
        });
        scripts.map(|(name, path)| {
            let mut one = self.blank(&name.lossy(), "script");
            one.status = self.status().unwrap_or(WorkStatus::Open);
            one.output.clone_from(path);
            one
        })
    }

    fn measures(&self, work: &[Work]) -> Vec<Measure> {
        let there = work
            .iter()
            .filter(|one| one.role == "output" && one.summary.is_none());
        let of = |name: &str, value: Option<f64>, unit| Measure {
            name: name.to_owned(),
            value,
            unit,
        };
        let number = |count: u64| u32::try_from(count).ok().map(f64::from);
        let mut all = vec![
            of(
                "duration",
                self.lasted().and_then(number),
                MeasureUnit::Seconds,
            ),
            of(
                "attempts",
                self.attempt.tries.and_then(number),
                MeasureUnit::Count,
            ),
            of("outputs", number(there.count() as u64), MeasureUnit::Count),
        ];
        let raw = self.flow.state.raw_stage(self.stage.index);
        let raw = raw.filter(|_| self.version.is_none());
        let measured = raw.and_then(|raw| json::child(raw, "verification"));
        let numbers = measured
            .into_iter()
            .flatten()
            .filter_map(|(name, value)| Some(of(name, Some(value.as_f64()?), MeasureUnit::Number)));
        all.extend(numbers.take(MEASURED));
        all
    }

    fn confounders(&self) -> Vec<Foreign> {
        let mut all: Vec<Foreign> = Vec::new();
        if self.version.is_none() {
            let records = self.flow.state.amendments.iter();
            let own = records.filter(|one| one.stage_id.as_ref() == Some(&self.stage.id));
            all.extend(own.map(|one| {
                let text = format!(
                    "The plan was amended ({}, {}): {}.",
                    one.id,
                    one.kind,
                    one.description.trim_end_matches('.')
                );
                text.into()
            }));
        } else if self.attempt.status.is_none() {
            all.push(
                "There is no record of how this version ended; only its outputs are known.".into(),
            );
        }
        all.extend(self.folder.left_out());
        all
    }

    fn blank(&self, key: &str, role: &str) -> Work {
        Work {
            key: key.to_owned(),
            role: role.into(),
            phase: self.stage.id.as_str().into(),
            ..Work::default()
        }
    }
}
