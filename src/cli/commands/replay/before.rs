//! What is said before anything starts: what will run, how often, where, and what makes the comparison less than
//! fair.

use std::os::unix::ffi::OsStrExt as _;

use super::{dispatches, size, swapped};
use crate::clean;
use crate::cli::answer::{Line, Span, Tone};
use crate::cli::commands::words::{fact, plural, under};
use crate::model::{Clean, Foreign, ReplayPlan, ReplaySession, Runner, shell_word};

/// Above a replay that is about to begin.
pub(super) fn lines(plan: &ReplayPlan, width: usize) -> Vec<Line> {
    let mut lines = under(
        Span::plain(Clean::empty()),
        Tone::Strong,
        &title(plan),
        width,
    );
    let mut say = |key: &str, value: &Clean| lines.extend(fact(key, Tone::Plain, value, width));
    for swap in &plan.mutations {
        say("swapped", &swapped(swap));
    }
    if plan.mutations.is_empty() {
        let text = "nothing: whatever differs then is noise";
        say("swapped", &Clean::new(text));
    }
    say("runner", &runner(plan));
    say("where", &place(plan));
    for text in &plan.confounders {
        let head = Span(Tone::Warn, Clean::new("  ! "));
        lines.extend(under(head, Tone::Plain, &text.clean(), width));
    }
    for text in &plan.notes {
        let head = Span::plain(Clean::new("    "));
        lines.extend(under(head, Tone::Faint, &text.clean(), width));
    }
    lines
}

/// `Replays crucible-17~27b5 from wave-1, Wave 1: 6 dispatches in 2 waves, 5 times.`
pub(super) fn title(plan: &ReplayPlan) -> Clean {
    let (point, label) = plan.begin().map_or_else(
        || (Clean::new("its beginning"), Clean::empty()),
        |start| (Clean::new(&start.point.0), start.label.clean()),
    );
    let times = match plan.ask.repeat {
        0 | 1 => String::new(),
        many => format!(", {many} times"),
    };
    let gap = if label.as_str().is_empty() { "" } else { ", " };
    clean!(
        "Replays {} from {}{}{}: {}{}.",
        plan.pipeline.0,
        point,
        gap,
        label,
        size(plan),
        times
    )
}

/// The runner, with its command and limits.
pub(super) fn runner(plan: &ReplayPlan) -> Clean {
    match &plan.runner {
        None => Clean::new("none: the dispatch files are written and wait for you"),
        Some(runner) => clean!(
            "{}: {} (at most {} each, {})",
            runner.name,
            command(runner),
            plural(runner.timeout_s, "second"),
            match runner.retries {
                0 => "no retry".to_owned(),
                1 => "1 retry".to_owned(),
                many => format!("{many} retries"),
            }
        ),
    }
}

/// A runner's words as a shell would be given them; what must not be copied is only shown.
fn command(runner: &Runner) -> Clean {
    let word = |word: &std::ffi::OsString| {
        let foreign = Foreign::from(word.as_bytes().to_vec());
        // The braces of a placeholder mean nothing to a shell where they hold one plain word.
        let plain = foreign
            .as_str()
            .filter(|text| matches!(*text, "{prompt}" | "{file}"))
            .map(str::to_owned);
        let quoted = plain.or_else(|| foreign.as_str().and_then(shell_word));
        quoted.unwrap_or_else(|| foreign.clean().into_string())
    };
    let words: Vec<String> = runner.argv.iter().map(word).collect();
    Clean::new(&words.join(" "))
}

/// Where it works.
pub(super) fn place(plan: &ReplayPlan) -> Clean {
    if plan.ask.in_place {
        return match &plan.experiment.work_tree {
            Some(tree) => clean!("in place, in {}", tree),
            None => Clean::new("in place"),
        };
    }
    let each = if plan.ask.repeat > 1 {
        "a tree of its own for each run"
    } else {
        "a tree of its own"
    };
    clean!(
        "{} under relight's state folder; the original is not touched",
        each
    )
}

/// Above a session that goes on.
pub(super) fn going_on(session: &ReplaySession, width: usize) -> Vec<Line> {
    let left = dispatches(session.dispatches.left);
    let verb = if session.dispatches.left == 1 {
        "is"
    } else {
        "are"
    };
    let text = clean!(
        "Goes on with replay {}: {} {} left, by {}.",
        session.id.0,
        left,
        verb,
        session.runner
    );
    under(Span::plain(Clean::empty()), Tone::Strong, &text, width)
}
