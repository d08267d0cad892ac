//! `resume --launch`: prints the outcome, gives the terminal to the orchestrator, and then reports whether it
//! left a new record of its work.

use super::act::Acted;
use crate::cli::args::Until;
use crate::cli::interrupt;
use crate::cli::prelude::*;
use crate::model::{LaunchEnd, Resumed};

/// Prints the outcome, runs the hand-off's command and waits for it; with `until`, runs one command after another as
/// long as each finishes a step. Without `until` the exit code is 0 whatever the program's own status is; with it, 1 if
/// a step was not finished.
pub(super) fn launch(
    session: &Session,
    acted: Acted,
    until: Option<Until>,
    printer: &Printer,
) -> Result<Answer> {
    let Some((pipeline, handoff)) = &acted.handoff else {
        return Ok(acted.answer);
    };
    // The person asked for the launch, even if the answer cannot be printed.
    let exit = printer.finish(Ok(acted.answer), false);
    if exit == Exit::Cancelled {
        return Ok(Answer::new(report::not_acted(None), session.page()).exit(exit));
    }
    interrupt::answered();
    let answer = |page: Page| Answer {
        launched: true,
        ..Answer::new(report::not_acted(None), page).done(Clean::new("the agent was launched"))
    };
    let mut next = unattended(handoff.clone(), until);
    let mut launched: Vec<Foreign> = Vec::new();
    loop {
        let (end, seen) = run(session, pipeline, &next).map_err(|mut error| {
            if acted.restored {
                let text = "The restored files stay restored.";
                error.hints.insert(0, text.into());
            }
            error
        })?;
        let mut page = session.page();
        let show = session.as_named(&format!("relight show {pipeline}"));
        ended(&show, (end, seen.as_ref()), &mut page);
        launched.push(next.prompt.clone());
        match follows(session, pipeline, until, end, seen.as_ref()) {
            Ok(handoff) if !launched.contains(&handoff.prompt) => {
                next = unattended(handoff, until);
                page.say(Tone::Strong, clean!("Next: {}", next.prompt.verbatim()));
                let _printed = printer.finish(Ok(answer(page)), false);
            }
            Ok(_) => {
                let text = "Stopped: the records still name the step that was just run.";
                page.say(Tone::Warn, text);
                return Ok(answer(page).exit(Exit::No));
            }
            Err(Stop(why, exit)) => {
                for text in &why {
                    page.say(Tone::Strong, text);
                }
                return Ok(answer(page).exit(exit));
            }
        }
    }
}

/// The command without questions to a person: with `-p`, Claude answers the prompt and exits. A configured
/// command is run as it is.
fn unattended(mut handoff: Handoff, until: Option<Until>) -> Handoff {
    let plain =
        handoff.argv.len() == 2 && handoff.argv.first().is_some_and(|word| *word == "claude");
    if until.is_some() && plain {
        handoff.argv.insert(1, "-p".into());
    }
    handoff
}

/// Runs one command, and reports its new records.
fn run(
    session: &Session,
    pipeline: &PipelineId,
    handoff: &Handoff,
) -> Result<(LaunchEnd, Option<Resumed>)> {
    let watch = session.engine.watch_start(pipeline).ok();
    let end = session.engine.launch(handoff).map_err(|mut error| {
        // The resume itself was applied.
        if error.kind == ErrorKind::NothingToDo {
            error.kind = ErrorKind::Usage;
        }
        error
    })?;
    let seen = watch.and_then(|watch| session.engine.watch_look(&watch).ok());
    Ok((end, seen))
}

/// How the command ended, and the record that it left.
fn ended(show: &str, (end, seen): (LaunchEnd, Option<&Resumed>), page: &mut Page) {
    page.blank();
    let text = clean!("The orchestrator ended: {}.", end.to_string());
    page.say(Tone::Strong, text);
    match seen {
        Some(Resumed::Yes { text, origin, .. }) => {
            let line = origin.line.map(|line| format!(":{line}"));
            let line = line.unwrap_or_default();
            let text = clean!("Work has resumed: {} ({}{})", text, origin.file, line);
            page.say(Tone::Good, text);
        }
        Some(Resumed::No) | None => {
            let text = "No new record of its work was found. To see the state:";
            page.say(Tone::Warn, clean!("{} {}", text, show));
        }
    }
}

/// Why no further step is run: what to say, and the exit code.
struct Stop(Vec<Clean>, Exit);

/// The hand-off of the next step, if it may be run without asking. Without `until` no step was expected to follow, and
/// how the program ended is its own concern.
fn follows(
    session: &Session,
    pipeline: &PipelineId,
    until: Option<Until>,
    end: LaunchEnd,
    seen: Option<&Resumed>,
) -> Result<Handoff, Stop> {
    let Some(until) = until else {
        return Err(Stop(Vec::new(), Exit::Done));
    };
    let stop = |text: &str, exit| Err(Stop(vec![Clean::new(text)], exit));
    if !end.is_ok() {
        return stop("Stopped: the agent failed.", Exit::No);
    }
    let Some(Resumed::Yes { step, .. }) = seen else {
        return stop("Stopped: the step wrote no record.", Exit::No);
    };
    if step.error {
        return stop("Stopped: the step failed.", Exit::No);
    }
    if until == Until::Step {
        return Err(Stop(Vec::new(), Exit::Done));
    }
    if step.gate {
        let text = "Stopped at a gate: the next step needs your decision.";
        return stop(text, Exit::Done);
    }
    if !step.done {
        let text = "Stopped: the step is not recorded as finished.";
        return stop(text, Exit::No);
    }
    if step.phase_done && until == Until::Phase {
        return stop("The phase has ended.", Exit::Done);
    }
    session.engine.next_handoff(pipeline).map_err(|error| {
        let first = clean!("Stopped: {}", error.text);
        let hints = error.hints.iter().map(Foreign::clean);
        Stop(std::iter::once(first).chain(hints).collect(), Exit::No)
    })
}
