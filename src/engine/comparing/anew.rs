//! The command that starts a recorded experiment anew, complete: it runs as it is printed.

use std::ffi::OsString;

use crate::model::{
    OwnMetric, ReplayExperiment, ReplayFrom, ReplayPlan, Resolved, RunsOn, SandboxAsk, StartAnew,
};
use crate::replay::runner::{PRESETS, STUB, TIMEOUT_S};
use crate::replay::verdict::{blocks_for, needed};
use crate::text::format::shell_word;

/// The command of a recorded plan; `None` where a word of it cannot be copied.
pub(super) fn anew(plan: &ReplayPlan, experiment: &ReplayExperiment) -> Option<StartAnew> {
    let mut line = Line::new(&["relight", "replay", &plan.pipeline.0])?;
    let ask = &plan.ask;
    // What a commit replaces has no file of its own.
    let files = ask.mutations.iter();
    for mutation in files.filter(|one| one.replacement.is_absolute()) {
        let path = mutation.replacement.to_str()?;
        let original = mutation.original.as_str()?;
        line.option("--mutate", &format!("{original}={path}"))?;
    }
    if let Some(templates) = &ask.templates {
        line.option("--templates", templates.to_str()?)?;
    }
    if let Some(commit) = &ask.template_ref {
        line.option("--template-ref", commit)?;
    }
    match &ask.from {
        ReplayFrom::FirstAffected => {}
        ReplayFrom::Phase(phase) => line.option("--from-phase", phase)?,
        ReplayFrom::Seq(seq) => line.option("--from-seq", &seq.to_string())?,
    }
    for (option, number) in [("--jobs", ask.jobs), ("--parallel", experiment.parallel)] {
        if number > 1 {
            line.option(option, &number.to_string())?;
        }
    }
    if experiment.on == RunsOn::Slurm {
        line.option("--on", experiment.on.word())?;
    }
    for metric in &experiment.metrics {
        line.option("--metric", &named(metric)?)?;
    }
    for metric in experiment.metrics.iter().filter(|one| one.primary) {
        line.option("--primary", &metric.name)?;
    }
    for resolution in &ask.resolutions {
        let how = match &resolution.how {
            Resolved::Replacement => "replacement",
            Resolved::Original => "original",
            // Nothing says in which file a text is that a person edited.
            Resolved::Edited(_) => return None,
        };
        let seq = resolution.seq.map(|seq| format!("{seq}="));
        line.option("--resolve", &(seq.unwrap_or_default() + how))?;
    }
    if ask.isolation.sandbox != SandboxAsk::Auto {
        line.option("--sandbox", ask.isolation.sandbox.word())?;
    }
    if ask.isolation.keep_paths {
        line.word("--keep-paths")?;
    }
    if !ask.isolation.setup.is_empty() {
        line.option("--setup", &joined(&ask.isolation.setup)?)?;
    }
    line.option("--repeat", &blocks(experiment).to_string())?;
    if experiment.all {
        line.word("--all")?;
    }
    line.word("--fresh")?;
    Some(StartAnew {
        options: line.0,
        runner: runner(plan)?,
    })
}

/// As many blocks as there were, where a verdict can fall with them, else as many as are usual.
fn blocks(experiment: &ReplayExperiment) -> u32 {
    let small = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
    let primaries = OwnMetric::primaries(&experiment.metrics).len();
    let (fewest, usual) = blocks_for(needed(small(primaries)));
    let fixed = small(experiment.fixed);
    if fixed < fewest { usual } else { fixed }
}

/// A metric as it is asked for: one that only the configuration can describe goes by its name.
fn named(metric: &OwnMetric) -> Option<String> {
    if metric.command.is_empty() || metric.lower_is_better || metric.margin.is_some() {
        return Some(metric.name.clone());
    }
    let words: Vec<OsString> = metric.command.iter().map(Into::into).collect();
    Some(format!("{}={}", metric.name, joined(&words)?))
}

/// The runner's options, with a space before them.
fn runner(plan: &ReplayPlan) -> Option<String> {
    let mut line = Line(String::new());
    let Some(runner) = &plan.runner else {
        line.word("--no-runner")?;
        return Some(line.0);
    };
    if runner.timeout_s != TIMEOUT_S {
        line.option("--timeout", &runner.timeout_s.to_string())?;
    }
    if runner.retries > 0 {
        line.option("--retries", &runner.retries.to_string())?;
    }
    let name = runner.name.as_str()?;
    if runner.is_stub() {
        line.option("--runner", STUB)?;
    } else if PRESETS.contains(&name) {
        line.option("--runner", name)?;
    } else {
        line.word("--")?;
        let mut words = runner.argv.iter();
        words.try_for_each(|word| line.word(word.to_str()?))?;
    }
    Some(line.0)
}

fn joined(words: &[OsString]) -> Option<String> {
    let words = words.iter().map(|word| shell_word(word.to_str()?));
    Some(words.collect::<Option<Vec<_>>>()?.join(" "))
}

/// A command line that is being written.
struct Line(String);

impl Line {
    fn new(words: &[&str]) -> Option<Self> {
        let mut line = Self(String::new());
        words.iter().try_for_each(|word| line.word(word))?;
        line.0.remove(0);
        Some(line)
    }

    fn word(&mut self, word: &str) -> Option<()> {
        self.0.push(' ');
        self.0.push_str(&shell_word(word)?);
        Some(())
    }

    fn option(&mut self, option: &str, value: &str) -> Option<()> {
        self.word(option)?;
        self.word(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::replaying::experiment_of;
    use crate::engine::testing::Scene;
    use crate::model::{ReplayAsk, Resolution, SessionId};

    #[test]
    fn the_command_repeats_resolutions_and_how_runs_were_kept_apart() {
        let scene = Scene::new();
        let id = scene.id("crucible-");
        let mut plan = scene.engine.replay_plan(id, &ReplayAsk::default()).unwrap();
        let resolution = |seq, how| Resolution { seq, how };
        plan.ask.resolutions = vec![
            resolution(Some(6), Resolved::Original),
            resolution(None, Resolved::Replacement),
        ];
        plan.ask.isolation.sandbox = SandboxAsk::Off;
        plan.ask.isolation.keep_paths = true;
        let command = |plan: &ReplayPlan| {
            let experiment = experiment_of(plan, &SessionId("1".to_owned()), 0);
            anew(plan, &experiment).map(|anew| anew.options)
        };
        let options = command(&plan).unwrap();
        let expected =
            "--resolve 6=original --resolve replacement --sandbox off --keep-paths --repeat 10 ";
        assert!(
            options.contains(expected),
            "no verdict falls with one block: {options}"
        );
        plan.ask.repeat = 6;
        assert!(command(&plan).unwrap().contains(" --repeat 6 "));
        plan.ask.isolation.sandbox = SandboxAsk::Auto;
        assert!(!command(&plan).unwrap().contains("--sandbox"));
        plan.ask.resolutions = vec![resolution(Some(6), Resolved::Edited(b"x\n".to_vec()))];
        assert_eq!(command(&plan), None);
    }
}
