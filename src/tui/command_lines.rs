//! The command line that does what a screen shows, word by word.

use crate::model::{
    Amendment, Asked, Clean, Foreign, PipelineId, Plan, PointChoice, ReplayAsk, ReplayFrom,
    Resolved, RestoreMode, RunnerAsk, RunsOn,
};
use crate::text::format;
use crate::tui::screens::plan::{About, PlanScreen};

/// The command that prints the plan of a screen.
pub(super) fn printing(screen: &PlanScreen) -> Option<Clean> {
    let mut argv = argv(screen, "plan")?;
    if !matches!(argv.get(1), Some(word) if *word == "plan") {
        argv.push("--dry-run".into());
    }
    format::shell_line(&argv)
}

/// The command that applies the plan of a screen, if it still has the same fingerprint.
pub(super) fn carrying(screen: &PlanScreen, plan: &Plan) -> Option<Clean> {
    let mut argv = argv(screen, "resume")?;
    let fingerprint = plan.fingerprint.0.as_str();
    argv.extend(["--confirm".into(), fingerprint.into()]);
    format::shell_line(&argv)
}

fn argv(screen: &PlanScreen, verb: &str) -> Option<Vec<Foreign>> {
    let id = screen.id().0.as_str();
    let mut argv: Vec<Foreign> = vec!["relight".into()];
    match &screen.about {
        About::Resume { choice, .. } => {
            let chosen = screen
                .listed()
                .map(|plan| plan.point.boundary.id.0.as_str());
            let (verb, option, value) = match choice {
                PointChoice::Checkpoint(checkpoint) => {
                    ("restore", "--checkpoint", Some(checkpoint.as_str()))
                }
                PointChoice::Amend(ask) => return Some(amending(screen, id, ask)),
                PointChoice::Id(point) => (verb, "--point", Some(point.0.as_str())),
                PointChoice::FromPhase(phase) => (verb, "--from-phase", Some(phase.as_str())),
                PointChoice::Recommended | PointChoice::FromSeq(_) => (verb, "--point", chosen),
            };
            argv.extend([verb.into(), id.into()]);
            if let Some(value) = value {
                argv.extend([option.into(), value.into()]);
            }
            argv.extend(options(screen));
        }
        About::Undo { recovery, redo, .. } => {
            let verb = if *redo { "redo" } else { "undo" };
            argv.extend([verb.into(), recovery.0.as_str().into()]);
            let kept = screen.plan.ready().map(|plan| &plan.asked);
            if let Some(Asked::Undo { options, .. }) = kept {
                for path in &options.keep {
                    argv.extend(["--keep".into(), Foreign::from(path)]);
                }
                if options.assume_stopped {
                    argv.push("--assume-stopped".into());
                }
            }
        }
        About::Record(_) => return None,
    }
    Some(argv)
}

/// The words of an amendment.
fn amending(screen: &PlanScreen, id: &str, ask: &Amendment) -> Vec<Foreign> {
    let mut argv: Vec<Foreign> = ["relight", "amend", id, "--type", ask.kind.word()]
        .map(Foreign::from)
        .into();
    let mut option = |name: &str, value: Option<&str>| {
        argv.extend(
            value
                .into_iter()
                .flat_map(|value| [name.into(), value.into()]),
        );
    };
    option("--stage", ask.stage.as_deref());
    for set in &ask.set {
        option("--set", Some(set));
    }
    option("--after", ask.after.as_deref());
    option("--reason", screen.options().reason.as_deref());
    option("--approved-by", ask.approved_by.as_deref());
    if screen.options().assume_stopped {
        argv.push("--assume-stopped".into());
    }
    argv
}

/// The options besides the resume point.
fn options(screen: &PlanScreen) -> Vec<Foreign> {
    let options = screen.options();
    let mut argv: Vec<Foreign> = Vec::new();
    if options.mode == RestoreMode::Exact {
        argv.push("--exact".into());
    }
    if let Some(branch) = &options.branch {
        argv.extend(["--branch".into(), branch.as_str().into()]);
    }
    if options.assume_stopped {
        argv.push("--assume-stopped".into());
    }
    if options.rewind_branch {
        argv.push("--rewind-branch".into());
    }
    if let Some(reason) = &options.reason {
        argv.extend(["--reason".into(), reason.as_str().into()]);
    }
    for id in &options.accept {
        argv.extend(["--accept".into(), id.as_str().into()]);
    }
    for path in &options.paths {
        argv.extend(["--path".into(), Foreign::from(path)]);
    }
    argv
}

/// The command that compares two runs; for a missing operand it uses its default.
pub(super) fn comparing(id: &PipelineId, a: Option<&str>, b: Option<&str>) -> Option<Clean> {
    let mut argv: Vec<Foreign> = vec!["relight".into(), "compare".into(), id.0.as_str().into()];
    argv.extend(a.into_iter().chain(b).map(Foreign::from));
    format::shell_line(&argv)
}

/// The command that runs a replay, or only prints its plan.
pub(super) fn replaying(id: &PipelineId, ask: &ReplayAsk, dry: bool) -> Option<Clean> {
    let mut argv: Vec<Foreign> = vec!["relight".into(), "replay".into(), id.0.as_str().into()];
    for mutation in &ask.mutations {
        let replacement = Foreign::from(&mutation.replacement);
        let pair = [mutation.original.as_bytes(), b"=", replacement.as_bytes()].concat();
        argv.extend(["--mutate".into(), Foreign::from(pair)]);
    }
    if let Some(folder) = &ask.templates {
        argv.extend(["--templates".into(), Foreign::from(folder)]);
    }
    if let Some(pin) = &ask.template_ref {
        argv.extend(["--template-ref".into(), pin.as_str().into()]);
    }
    match &ask.from {
        ReplayFrom::FirstAffected => {}
        ReplayFrom::Phase(phase) => argv.extend(["--from-phase".into(), phase.as_str().into()]),
        ReplayFrom::Seq(seq) => argv.extend(["--from-seq".into(), seq.to_string().into()]),
    }
    match &ask.runner {
        RunnerAsk::Preset(name) => argv.extend(["--runner".into(), name.as_str().into()]),
        RunnerAsk::Nobody => argv.push("--no-runner".into()),
        RunnerAsk::Configured | RunnerAsk::Words(_) => {}
    }
    for metric in &ask.metrics {
        argv.extend(["--metric".into(), metric.name.as_str().into()]);
    }
    for (option, holds) in [
        ("--no-control", ask.no_control),
        ("--all", ask.all),
        ("--fresh", ask.fresh),
    ] {
        if holds {
            argv.push(option.into());
        }
    }
    for (option, value) in [
        ("--jobs", ask.jobs),
        ("--repeat", ask.repeat),
        ("--parallel", ask.parallel),
    ] {
        if value > 1 {
            argv.extend([option.into(), value.to_string().into()]);
        }
    }
    if ask.on == RunsOn::Slurm {
        argv.extend(["--on".into(), ask.on.word().into()]);
    }
    for settlement in &ask.settlements {
        let how = match settlement.how {
            Resolved::Replacement => "replacement",
            Resolved::Original => "original",
            // A text that was edited here lies in no file yet.
            Resolved::Edited(_) => "FILE",
        };
        let seq = settlement.seq.map(|seq| format!("{seq}="));
        let word = format!("{}{how}", seq.unwrap_or_default());
        argv.extend(["--settle".into(), word.into()]);
    }
    if dry {
        argv.push("--dry-run".into());
    }
    format::shell_line(&argv)
}
