//! `resume --launch`: the outcome is printed, then the orchestrator gets the terminal. Afterwards it is said
//! whether it left a record of going on.

use super::setup::Session;
use super::words::under;
use crate::clean;
use crate::cli::Exit;
use crate::cli::answer::{Answer, Failure, Line, Span, Tone};
use crate::cli::interrupt;
use crate::cli::print::Printer;
use crate::cli::report::ActedReport;
use crate::engine::ErrorKind;
use crate::model::{Clean, Handoff, PipelineId, Resumed};

/// Prints what was done, runs the hand-off's command and waits for it. Handed over is done, whatever the
/// program's own status (contract.md, exit codes).
pub(super) fn launch(
    session: &Session,
    done: Answer,
    pipeline: &PipelineId,
    handoff: &Handoff,
    printer: &Printer,
) -> Result<Answer, Failure> {
    // Whether anybody reads it changes nothing about the launch that was asked for.
    let exit = printer.finish(Ok(done), false);
    if exit == Exit::Cancelled {
        return Ok(Answer::new(ActedReport::nothing(None), Vec::new()).exit(exit));
    }
    interrupt::answered();
    let watch = session.engine.watch_start(pipeline).ok();
    let end = session.engine.launch(handoff).map_err(|mut error| {
        // It was not the resume that came to nothing.
        if error.kind == ErrorKind::NothingToDo {
            error.kind = ErrorKind::Usage;
        }
        error.hints.insert(0, "What was restored stands.".into());
        error
    })?;
    let seen = watch.and_then(|watch| session.engine.watch_look(&watch).ok());
    let width = printer.width();
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
    Ok(Answer::new(ActedReport::nothing(None), lines))
}
