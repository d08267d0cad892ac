//! Stages and their earlier versions as operands of a comparison: each output and script, the figures of the attempt,
//! the files of its folder. A version has no record of its own, so its outcome is taken from the log. Files that may
//! contain secrets are neither listed nor opened.

mod attempts;
pub(crate) mod folder;
#[cfg(test)]
mod tests;

use crate::formats::json;
use crate::model::{
    Foreign, Measure, MeasureUnit, Place, Run, RunKind, RunTree, Stamp, TestOutcome, Work,
    WorkStatus,
};
use crate::systems::superscientist::facts::reading::phases::times;
use crate::systems::superscientist::facts::runs::attempts::Attempt;
use crate::systems::superscientist::facts::runs::folder::Folder;
use crate::systems::superscientist::facts::{Facts, Flow, paths};
use crate::systems::superscientist::shape::{Stage, StageStatus, whole_number};
use crate::world::World;

/// How many measured facts of a stage are listed.
const MEASURED: usize = 50;

/// The started stages, each after its earlier versions.
pub(crate) fn all(facts: &Facts, world: &dyn World) -> Vec<Run> {
    let Ok(flow) = &facts.flow else {
        return Vec::new();
    };
    let mut runs = Vec::new();
    for stage in &flow.state.stages {
        let side = |version: Option<u64>, attempt| {
            let id = &stage.id;
            let name = version.map_or_else(|| id.clone(), |version| format!("{id}.v{version}"));
            Side {
                facts,
                flow,
                stage,
                version,
                attempt,
                folder: Folder::read(facts, &name, world),
                name,
            }
        };
        let kept = versions(facts, stage);
        let attempts = attempts::earlier(&facts.log, stage, &kept);
        let earlier = kept.into_iter().map(Some).zip(attempts);
        let earlier = earlier.map(|(version, attempt)| side(version, attempt));
        runs.extend(earlier.map(|side| side.run(world)));
        let own = side(None, current(stage, facts, world));
        let begun = stage.begun() || own.folder.is_there;
        runs.extend(begun.then(|| own.run(world)));
    }
    runs
}

/// The numbers of the folders `stage-N.v<k>` of a stage, ascending.
fn versions(facts: &Facts, stage: &Stage) -> Vec<u64> {
    let prefix = format!("{}.v", stage.id);
    let names = facts.names.iter().filter_map(|name| name.to_str());
    let names = names.filter(|_| stage.folder().is_some());
    let numbers = names.filter_map(|name| whole_number(name.strip_prefix(&prefix)?));
    let mut all: Vec<u64> = numbers.collect();
    all.sort_unstable();
    all
}

/// The attempt that the state file records.
fn current(stage: &Stage, facts: &Facts, world: &dyn World) -> Attempt {
    let (started_at, ended_at) = times(stage, world);
    let logged = attempts::last(&facts.log, stage).unwrap_or_default();
    let retries = u64::try_from(stage.retry_count).ok();
    Attempt {
        status: Some(stage.status),
        begun: started_at.or(logged.begun),
        ended: ended_at.or(logged.ended),
        tries: retries.map(|retries| retries + 1),
        ..logged
    }
}

/// A stage, or an earlier version of it.
struct Side<'a> {
    facts: &'a Facts,
    flow: &'a Flow,
    stage: &'a Stage,
    /// `None` for the current stage.
    version: Option<u64>,
    /// The name of its folder.
    name: String,
    attempt: Attempt,
    folder: Folder,
}

impl Side<'_> {
    fn run(&self, world: &dyn World) -> Run {
        let stage = self.stage;
        let title = match self.version {
            Some(version) => format!("{}, version {version} of its outputs", stage.label()),
            None => stage.label(),
        };
        let mut work = vec![self.whole()];
        work.extend(self.outputs(world));
        work.extend(self.scripts());
        Run {
            name: self.name.clone(),
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
        let exhausted = self.flow.state.is_exhausted(self.stage);
        let given_up = self.stage.status == StageStatus::Failed && exhausted;
        !self.stage.status.is_done() && !given_up
    }

    /// How this attempt ended, if recorded.
    fn status(&self) -> Option<WorkStatus> {
        use StageStatus as S;
        Some(match self.attempt.status? {
            S::Completed | S::Invalidated => WorkStatus::Completed,
            S::Failed => WorkStatus::Failed,
            S::Skipped => WorkStatus::Skipped,
            S::Pending | S::Ready | S::Preparing | S::Running | S::PostProcessing | S::Unknown => {
                WorkStatus::Open
            }
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
        // The error of a failure stays recorded after a successful retry.
        let failed = self.attempt.status == Some(StageStatus::Failed);
        let shown = self.version.is_none() && failed;
        let error = self.stage.last_error.as_deref().filter(|_| shown);
        let summary = error.or(self.stage.success_criteria.as_deref());
        Work {
            status: self.status().unwrap_or(WorkStatus::Open),
            verdict: self.outcome(),
            duration_s: self.lasted(),
            begun_at: self.attempt.begun,
            summary: summary.map(Foreign::from),
            ..self.blank("stage", "stage")
        }
    }

    fn outputs(&self, world: &dyn World) -> Vec<Work> {
        let prefix = format!("{}/", self.stage.id);
        let output = |output: &String| {
            let plain = output.trim_start_matches("./");
            let (key, path) = match (plain.strip_prefix(&prefix), self.version) {
                (Some(rest), _) => (rest, format!("{}/{rest}", self.name)),
                // An output outside the folder was renamed when it was kept.
                (None, Some(version)) => (plain, format!("{plain}.v{version}")),
                (None, None) => (plain, plain.to_owned()),
            };
            self.output(key, &path, world)
        };
        self.stage.outputs.iter().map(output).collect()
    }

    fn output(&self, key: &str, path: &str, world: &dyn World) -> Work {
        let place = paths::beneath(&self.facts.wf, path).ok();
        let there = place.filter(|place| world.files().has_content(place));
        let status = match (self.status(), &there) {
            (Some(WorkStatus::Completed) | None, Some(_)) => WorkStatus::Completed,
            (Some(WorkStatus::Completed), None) => WorkStatus::Failed,
            (Some(status), _) => status,
            (None, None) => WorkStatus::Open,
        };
        let shown = there.as_ref().filter(|_| !folder::is_secret(key));
        Work {
            status,
            output: shown.map(Place::path),
            summary: there.is_none().then(|| "It is missing or empty.".into()),
            ..self.blank(key, "output")
        }
    }

    /// Scripts in the folder with which the stage was run.
    fn scripts(&self) -> impl Iterator<Item = Work> {
        let scripts = self.folder.files.iter().filter(|(name, _)| {
            let name = name.lossy();
            !name.contains('/') && name.ends_with(".sh")
        });
        scripts.map(|(name, path)| Work {
            status: self.status().unwrap_or(WorkStatus::Open),
            output: path.clone(),
            ..self.blank(&name.lossy(), "script")
        })
    }

    fn measures(&self, work: &[Work]) -> Vec<Measure> {
        let outputs = work.iter().filter(|one| one.role == "output");
        let there = outputs.filter(|one| one.summary.is_none()).count() as u64;
        let of = |name: &str, value: Option<f64>, unit| Measure {
            name: name.to_owned(),
            value,
            unit,
        };
        let number = |count: u64| u32::try_from(count).ok().map(f64::from);
        let (lasted, tries) = (self.lasted(), self.attempt.tries);
        let mut all = vec![
            of("duration", lasted.and_then(number), MeasureUnit::Seconds),
            of("attempts", tries.and_then(number), MeasureUnit::Count),
            of("outputs", number(there), MeasureUnit::Count),
        ];
        let raw = self.flow.state.raw_stage(self.stage.index);
        let raw = raw.filter(|_| self.version.is_none());
        let measured = raw.and_then(|raw| json::child(raw, "verification"));
        let numbers = measured.into_iter().flatten().filter_map(|(name, value)| {
            let value = value.as_f64()?;
            Some(of(name, Some(value), MeasureUnit::Number))
        });
        all.extend(numbers.take(MEASURED));
        all
    }

    fn confounders(&self) -> Vec<Foreign> {
        let mut all: Vec<Foreign> = Vec::new();
        if self.version.is_none() {
            let records = self.flow.state.amendments.iter();
            let own = records.filter(|one| one.stage_id.as_ref() == Some(&self.stage.id));
            all.extend(own.map(|one| {
                let what = one.description.trim_end_matches('.');
                format!("The plan was amended ({}, {}): {what}.", one.id, one.kind).into()
            }));
        } else if self.attempt.status.is_none() {
            let text = "There is no record of how this version ended; only its outputs are known.";
            all.push(text.into());
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
