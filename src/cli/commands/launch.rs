//! `resume --launch`: the outcome is printed, then the orchestrator gets the terminal. Afterwards it is said
//! whether it left a record of going on.

use super::setup::Session;
use super::words::under;
use crate::clean;
use crate::cli::Exit;
use crate::cli::answer::{Answer, Failure, Line, Span, Tone};
use crate::cli::args::Until;
use crate::cli::interrupt;
use crate::cli::print::Printer;
use crate::cli::report::ActedReport;
use crate::engine::ErrorKind;
use crate::model::{Clean, Foreign, Handoff, LaunchEnd, PipelineId, Resumed};

/// Prints what was done, runs the hand-off's command and waits for it; with `until`, one command after another as
/// long as each finishes a step. Handed over is done, whatever the program's own status (contract.md, exit codes).
pub(super) fn launch(
    session: &Session,
    done: Answer,
    pipeline: &PipelineId,
    handoff: &Handoff,
    until: Option<Until>,
    printer: &Printer,
) -> Result<Answer, Failure> {
    // Whether anybody reads it changes nothing about the launch that was asked for.
    let exit = printer.finish(Ok(done), false);
    if exit == Exit::Cancelled {
        return Ok(Answer::new(ActedReport::nothing(None), Vec::new()).exit(exit));
    }
    interrupt::answered();
    let width = printer.width();
    let mut next = alone(handoff.clone(), until);
    let mut launched: Vec<Foreign> = Vec::new();
    loop {
        let (end, seen) = run(session, pipeline, &next)?;
        let mut lines = said(end, seen.as_ref(), width);
        launched.push(next.prompt.clone());
        match follows(session, pipeline, until, end, seen.as_ref()) {
            Ok(handoff) if !launched.contains(&handoff.prompt) => {
                next = alone(handoff, until);
                let step = clean!("Next: {}", next.prompt);
                lines.extend(under(
                    Span::plain(Clean::empty()),
                    Tone::Strong,
                    &step,
                    width,
                ));
                let answer = Answer::new(ActedReport::nothing(None), lines);
                let _printed = printer.finish(Ok(answer), false);
            }
            Ok(_) => {
                let text = "Stopped: the records still name the step that was just run.";
                lines.extend(under(
                    Span::plain(Clean::empty()),
                    Tone::Warn,
                    &Clean::new(text),
                    width,
                ));
                return Ok(Answer::new(ActedReport::nothing(None), lines));
            }
            Err(why) => {
                for text in why {
                    lines.extend(under(
                        Span::plain(Clean::empty()),
                        Tone::Strong,
                        &text,
                        width,
                    ));
                }
                return Ok(Answer::new(ActedReport::nothing(None), lines));
            }
        }
    }
}

/// A command that asks nobody: Claude answers a prompt and ends with `-p`. A configured command is run as it is.
fn alone(mut handoff: Handoff, until: Option<Until>) -> Handoff {
    let plain =
        handoff.argv.len() == 2 && handoff.argv.first().is_some_and(|word| *word == "claude");
    if until.is_some() && plain {
        handoff.argv.insert(1, "-p".into());
    }
    handoff
}

/// Runs one command, and looks what it left.
fn run(
    session: &Session,
    pipeline: &PipelineId,
    handoff: &Handoff,
) -> Result<(LaunchEnd, Option<Resumed>), Failure> {
    let watch = session.engine.watch_start(pipeline).ok();
    let end = session.engine.launch(handoff).map_err(|mut error| {
        // It was not the resume that came to nothing.
        if error.kind == ErrorKind::NothingToDo {
            error.kind = ErrorKind::Usage;
        }
        error
            .hints
            .insert(0, "What was restored stays restored.".into());
        error
    })?;
    let seen = watch.and_then(|watch| session.engine.watch_look(&watch).ok());
    Ok((end, seen))
}

/// How the command ended, and the record that it left.
fn said(end: LaunchEnd, seen: Option<&Resumed>, width: usize) -> Vec<Line> {
    let mut lines: Vec<Line> = vec![vec![]];
    let mut say = |tone: Tone, text: &Clean| {
        lines.extend(under(Span::plain(Clean::empty()), tone, text, width));
    };
    say(
        Tone::Strong,
        &clean!("The orchestrator has ended: {}.", end.to_string()),
    );
    match seen {
        Some(Resumed::Yes { text, origin, .. }) => {
            let place = match origin.line {
                Some(line) => clean!("{}:{}", origin.file, line),
                None => clean!("{}", origin.file),
            };
            say(
                Tone::Good,
                &clean!("Work has resumed: {} ({})", text, place),
            );
        }
        Some(Resumed::No) | None => {
            let text = "No new record of its work was seen; relight show says how it stands.";
            say(Tone::Warn, &Clean::new(text));
        }
    }
    lines
}

/// The hand-off of the next step, where it may follow unasked; why not otherwise, a sentence each. Nothing is said
/// where nothing was to follow.
fn follows(
    session: &Session,
    pipeline: &PipelineId,
    until: Option<Until>,
    end: LaunchEnd,
    seen: Option<&Resumed>,
) -> Result<Handoff, Vec<Clean>> {
    let Some(until) = until.filter(|until| *until != Until::Step) else {
        return Err(Vec::new());
    };
    let stop = |text: &str| Err(vec![Clean::new(text)]);
    if !end.is_ok() {
        return stop("Stopped: the agent did not end well.");
    }
    let Some(Resumed::Yes { step, .. }) = seen else {
        return stop("Stopped: the step left no record.");
    };
    if step.error {
        return stop("Stopped: the step failed.");
    }
    if step.gate {
        return stop("Stopped at a gate: what comes next needs your decision.");
    }
    if !step.done {
        return stop("Stopped: the step is not recorded as finished.");
    }
    if step.phase_done && until == Until::Phase {
        return stop("The phase has ended.");
    }
    session.engine.next_handoff(pipeline).map_err(|error| {
        let first = clean!("Stopped: {}", error.text);
        let hints = error.hints.iter().map(Foreign::clean);
        std::iter::once(first).chain(hints).collect()
    })
}
