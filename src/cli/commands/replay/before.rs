//! What is shown before a replay starts: what will run, how often, where, and the confounders.

use std::os::unix::ffi::OsStrExt as _;

use super::{size, swapped};
use crate::cli::prelude::*;
use crate::model::{NamedFolder, ReplayExperiment, ReplayExtension, RunsOn, Sandbox, runner_title};

/// The text above a replay that is about to start.
pub(super) fn lines(plan: &ReplayPlan, width: usize) -> Vec<Line> {
    let mut page = Page::new(width);
    page.say(Tone::Strong, title(plan));
    for swap in &plan.mutations {
        page.fact("replaced", swapped(swap));
    }
    if plan.mutations.is_empty() {
        page.fact("replaced", "nothing: every difference is noise");
    }
    for (key, text) in facts(plan) {
        page.fact(key, text);
    }
    plan.confounders.iter().for_each(|text| page.warn(text));
    let mut note = |text| page.indent(4, Tone::Faint, text);
    plan.notes.iter().for_each(&mut note);
    page.into_iter().collect()
}

/// What it costs and how it is run: each fact with its key, the number of runs first.
pub(super) fn facts(plan: &ReplayPlan) -> impl Iterator<Item = (&'static str, Clean)> {
    let cost = plan.cost_texts().into_iter();
    let cost = cost.map(|(key, text)| (key, Some(text.into())));
    let setup = &plan.ask.isolation.setup;
    let all = cost.chain([
        ("runner", Some(runner(plan))),
        ("where", Some(place(plan))),
        ("sandbox", Some(sandbox(plan))),
        ("paths", paths(plan)),
        ("setup", (!setup.is_empty()).then(|| command(setup))),
    ]);
    all.filter_map(|(key, text)| Some((key, text?)))
}

/// The text above an experiment that is continued. `runs` are its sessions so far.
pub(super) fn extending(
    experiment: &ReplayExperiment,
    runs: &[ReplaySession],
    (more, extension): (usize, &ReplayExtension),
    width: usize,
) -> Vec<Line> {
    let mut page = Page::new(width);
    let blocks = count(experiment.blocks + more, "block");
    let added = match more {
        0 => String::new(),
        more => format!(", {more} of them new"),
    };
    let text = clean!("Resuming experiment {}: {blocks}{added}.", experiment.id.0);
    page.say(Tone::Strong, text);
    if extension.to_measure > 0 {
        let runs = count(extension.to_measure, "run");
        page.fact("to measure", clean!("{} again", runs));
    }
    // Of a verdict that stands nothing more is run, but values that are missing are measured.
    if extension.runs > 0 || extension.to_measure == 0 {
        let left = count(extension.runs, "run");
        let each = runs.iter().map(|run| run.dispatches.all()).max();
        let each = each.map(|each| format!(" of {} each", count(each, "dispatch")));
        let each = each.unwrap_or_default();
        page.fact("to run", format!("at most {left}{each}"));
    }
    if let Some(confounded) = &extension.confounded {
        page.warn(clean!("No run can lead to a verdict. {}", confounded));
    } else if extension.remade > 0 {
        let deleted = count_of(extension.remade, "run was", "runs were");
        page.warn(format!(
            "{deleted} deleted: once such runs are run again, the experiment has no verdict. To begin anew, replay with --fresh."
        ));
    } else if extension.lacking > 0 {
        let fewest = more + extension.lacking as usize;
        page.warn(format!(
            "No verdict can be reached with these blocks, so all of them are run. It takes --repeat +{fewest} or more."
        ));
    }
    page.into_iter().collect()
}

/// `Replay of crucible-17~27b5 from wave-1, Wave 1: 6 dispatches in 2 waves, 5 times.`
pub(super) fn title(plan: &ReplayPlan) -> Clean {
    let point = match plan.begin() {
        None => Clean::new("its start"),
        Some(start) if start.label.is_empty() => Clean::new(&start.point.0),
        Some(start) => clean!("{}, {}", start.point.0, start.label),
    };
    let times = match (plan.ask.repeat, plan.ask.arms().len()) {
        (0 | 1, _) => String::new(),
        (many, 2) => format!(", {many} blocks of a control run and a mutated run"),
        (many, _) => format!(", {many} times"),
    };
    let (id, size) = (&plan.pipeline.0, size(plan));
    clean!("Replay of {} from {}: {}{}.", id, point, size, times)
}

/// The runner, with its command and limits.
fn runner(plan: &ReplayPlan) -> Clean {
    let Some(runner) = &plan.runner else {
        return Clean::new("none: the dispatch files are written for you to run");
    };
    let retries = match runner.retries {
        0 => "no retry".to_owned(),
        many => count(many, "retry"),
    };
    let (title, command) = (runner_title(&runner.name), command(&runner.argv));
    let limit = duration(runner.timeout_s);
    clean!(
        "{}: {} (at most {} each, {})",
        title,
        command,
        limit,
        retries
    )
}

/// The sandbox of the runners.
fn sandbox(plan: &ReplayPlan) -> Clean {
    match &plan.isolation.sandbox {
        Sandbox::Bwrap(_) => Clean::new("bwrap: runners cannot write to the original"),
        Sandbox::Off(why) => clean!("none: {}", why),
    }
}

/// How often dispatches name folders of the original; `None` if they do not.
fn paths(plan: &ReplayPlan) -> Option<Clean> {
    let named = &plan.isolation.named;
    let sum = |of: fn(&NamedFolder) -> usize| named.iter().map(of).sum::<usize>();
    let mentions = sum(|one| one.mentions);
    let what = count_of(mentions, "path of the original", "paths of the original");
    let then = if plan.ask.isolation.keep_paths {
        "kept"
    } else {
        "replaced by the run's own"
    };
    (mentions > 0).then(|| clean!("{} in dispatches, {}", what, then))
}

/// Words as typed in a shell. A command that must not be copied is shown without quotes.
fn command(words: &[OsString]) -> Clean {
    let word = |word: &OsString| {
        let foreign = Foreign::from(word.as_bytes());
        match foreign.as_str() {
            // A shell leaves the braces of these placeholders alone.
            Some("{prompt}" | "{file}") => foreign.clean(),
            _ => shell_word(&foreign).map_or_else(|| foreign.clean(), |word| clean!("{}", word)),
        }
    };
    let words = words.iter().map(|one| clean!("{} ", word(one)));
    let line = Clean::concat(&words.collect::<Vec<_>>());
    line.part(0..line.as_str().trim_end().len())
}

/// The folder in which it works.
fn place(plan: &ReplayPlan) -> Clean {
    match (&plan.experiment.work_tree, plan.ask.repeat) {
        (Some(tree), _) if plan.ask.in_place => clean!("in place, in {}", tree),
        (None, _) if plan.ask.in_place => clean!("in place"),
        (_, repeat) => {
            let tree = match repeat {
                0 | 1 => "its own tree under relight's state directory",
                _ => "a tree for each run under relight's state directory",
            };
            match plan.ask.on {
                RunsOn::Local => Clean::new(tree),
                RunsOn::Slurm => clean!("{}, each run as a job of Slurm", tree),
            }
        }
    }
}

/// The text above a session that is resumed.
pub(super) fn resuming(session: &ReplaySession, width: usize) -> Vec<Line> {
    let (left, unknown) = (session.dispatches.left, session.dispatches.unknown);
    let mut page = Page::new(width);
    let text = if session.lacks_values() {
        let text = "again: everything was run.";
        clean!("Measuring replay {} {}", session.id.0, text)
    } else if unknown > 0 {
        let text = "what was run is not known, because its manifest cannot be read; runner";
        clean!(
            "Resuming replay {}: {}: {}.",
            session.id.0,
            text,
            runner_title(&session.runner)
        )
    } else {
        clean!(
            "Resuming replay {}: {} {} left; runner: {}.",
            session.id.0,
            count(left, "dispatch"),
            plural(left, "is", "are"),
            runner_title(&session.runner)
        )
    };
    page.say(Tone::Strong, text);
    page.into_iter().collect()
}
