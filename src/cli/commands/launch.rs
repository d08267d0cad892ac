//! `resume --launch`: the outcome is printed, then the orchestrator gets the terminal.

use super::setup::Session;
use crate::cli::answer::{Answer, Failure};
use crate::cli::print::Printer;
use crate::engine::{EngineError, ErrorKind};
use crate::model::Handoff;

/// Prints what was done, then runs the hand-off's command and waits for it.
pub(super) fn launch(
    _session: &Session,
    answer: Answer,
    handoff: &Handoff,
    printer: &Printer,
) -> Result<Answer, Failure> {
    // Whether anybody reads it changes nothing about the launch that was asked for.
    let _printed = printer.finish(Ok(answer), false);
    let error = EngineError::new(ErrorKind::Bug, "Launching is not built yet.");
    Err(match handoff.command_line() {
        Some(line) => error.hint(format!("What was restored stands. Go on with: {line}")),
        None => error.hint("What was restored stands."),
    }
    .into())
}
