//! The command line that does what a screen shows, word by word.

use crate::model::{Amendment, ReplayFrom, RunnerAsk};
use crate::tui::prelude::*;

/// The words of a command line.
struct Words(Vec<Foreign>);

impl Words {
    fn new<const N: usize>(words: [&str; N]) -> Self {
        Self(words.map(Foreign::from).into())
    }

    /// An option with each of these values.
    fn option<T: Into<Foreign>>(&mut self, name: &str, values: impl IntoIterator<Item = T>) {
        for value in values {
            self.0.extend([name.into(), value.into()]);
        }
    }

    /// An option without a value, if it holds.
    fn flag(&mut self, name: &str, holds: bool) {
        self.0.extend(holds.then(|| name.into()));
    }

    /// The line, if it is safe to paste into a shell.
    fn line(&self) -> Option<Clean> {
        format::shell_line(&self.0)
    }
}

/// The command that prints the plan of a screen.
pub(super) fn printing(screen: &PlanScreen) -> Option<Clean> {
    let mut words = planning(screen, "plan")?;
    let plans = words.0.get(1).is_some_and(|word| *word == "plan");
    words.flag("--dry-run", !plans);
    words.line()
}

/// The command that applies the plan of a screen, if it still has the same fingerprint.
pub(super) fn carrying(screen: &PlanScreen, plan: &Plan) -> Option<Clean> {
    let mut words = planning(screen, "resume")?;
    words.option("--confirm", [plan.fingerprint.0.as_str()]);
    words.line()
}

fn planning(screen: &PlanScreen, verb: &str) -> Option<Words> {
    let id = screen.id().0.as_str();
    match &screen.about {
        About::Resume { choice, .. } => {
            let plan = screen.listed();
            let chosen = plan.map(|plan| plan.point.boundary.id.0.as_str());
            let (verb, option, value) = match choice {
                PointChoice::Checkpoint(checkpoint) => {
                    ("restore", "--checkpoint", Some(checkpoint.as_str()))
                }
                PointChoice::Amend(ask) => return Some(amending(screen, id, ask)),
                PointChoice::Id(point) => (verb, "--point", Some(point.0.as_str())),
                PointChoice::FromPhase(phase) => (verb, "--from-phase", Some(phase.as_str())),
                PointChoice::Recommended | PointChoice::FromSeq(_) => (verb, "--point", chosen),
            };
            let mut words = Words::new(["relight", verb, id]);
            words.option(option, value);
            options(screen, &mut words);
            Some(words)
        }
        About::Undo { recovery, redo, .. } => {
            let verb = if *redo { "redo" } else { "undo" };
            let asked = screen.plan.ready().map(|plan| &plan.asked);
            // A redo is named by what it redoes, as everywhere else.
            let named = asked.and_then(Asked::reversal);
            let named = named.map_or(recovery, |(_, named)| named);
            let mut words = Words::new(["relight", verb, &named.0]);
            if let Some(Asked::Undo { options, .. }) = asked {
                words.option("--keep", options.keep.iter().map(Foreign::from));
                words.flag("--assume-stopped", options.assume_stopped);
            }
            Some(words)
        }
        About::Record(_) => None,
    }
}

/// The words of an amendment.
fn amending(screen: &PlanScreen, id: &str, ask: &Amendment) -> Words {
    let options = screen.options();
    let mut words = Words::new(["relight", "amend", id, "--type", ask.kind.word()]);
    words.option("--stage", ask.stage.as_deref());
    words.option("--set", ask.set.iter().map(String::as_str));
    words.option("--after", ask.after.as_deref());
    words.option("--reason", options.reason.as_deref());
    words.option("--approved-by", ask.approved_by.as_deref());
    words.flag("--assume-stopped", options.assume_stopped);
    words
}

/// The options besides the resume point.
fn options(screen: &PlanScreen, words: &mut Words) {
    let options = screen.options();
    words.flag("--exact", options.mode == RestoreMode::Exact);
    words.option("--branch", options.branch.as_deref());
    words.flag("--assume-stopped", options.assume_stopped);
    words.flag("--rewind-branch", options.rewind_branch);
    words.option("--reason", options.reason.as_deref());
    words.option("--accept", options.accept.iter().map(String::as_str));
    words.option("--path", options.paths.iter().map(Foreign::from));
}

/// The command that compares two runs; for a missing operand it uses its default.
pub(super) fn comparing(id: &PipelineId, a: Option<&str>, b: Option<&str>) -> Option<Clean> {
    let mut words = Words::new(["relight", "compare", &id.0]);
    words.0.extend(a.into_iter().chain(b).map(Foreign::from));
    words.line()
}

/// The command that runs a replay, or only prints its plan.
pub(super) fn replaying(id: &PipelineId, ask: &ReplayAsk, dry: bool) -> Option<Clean> {
    let mut words = Words::new(["relight", "replay", &id.0]);
    for mutation in &ask.mutations {
        let replacement = Foreign::from(&mutation.replacement);
        let pair = [mutation.original.as_bytes(), b"=", replacement.as_bytes()].concat();
        words.option("--mutate", [pair]);
    }
    words.option("--templates", ask.templates.as_ref().map(Foreign::from));
    words.option("--template-ref", ask.template_ref.as_deref());
    match &ask.from {
        ReplayFrom::FirstAffected => {}
        ReplayFrom::Phase(phase) => words.option("--from-phase", [phase.as_str()]),
        ReplayFrom::Seq(seq) => words.option("--from-seq", [seq.to_string()]),
    }
    match &ask.runner {
        RunnerAsk::Preset(name) => words.option("--runner", [name.as_str()]),
        RunnerAsk::Nobody => words.flag("--no-runner", true),
        RunnerAsk::Configured | RunnerAsk::Words(_) => {}
    }
    words.option("--metric", ask.metrics.iter().map(|one| one.name.as_str()));
    words.flag("--no-control", ask.no_control);
    words.flag("--all", ask.all);
    words.flag("--fresh", ask.fresh);
    let mut number = |name: &str, value: usize| {
        words.option(name, (value > 1).then(|| value.to_string()));
    };
    number("--jobs", ask.jobs);
    number("--repeat", ask.repeat);
    number("--parallel", ask.parallel);
    words.option("--on", (ask.on == RunsOn::Slurm).then(|| ask.on.word()));
    for resolution in &ask.resolutions {
        let how = match resolution.how {
            Resolved::Replacement => "replacement",
            Resolved::Original => "original",
            // A text that was edited here is in no file yet.
            Resolved::Edited(_) => "FILE",
        };
        let seq = resolution.seq.map(|seq| format!("{seq}="));
        words.option("--resolve", [format!("{}{how}", seq.unwrap_or_default())]);
    }
    words.flag("--dry-run", dry);
    words.line()
}
