//! `relight demo`: the sandbox.

use crate::cli::Exit;
use crate::cli::args::{Cli, DemoArgs};
use crate::cli::print::Printer;
use crate::engine::{EngineError, ErrorKind};

/// Builds the sandbox and opens the console on it.
pub(crate) fn run(cli: &Cli, args: &DemoArgs, printer: &Printer) -> Exit {
    let _ = (args.dir.as_ref(), args.no_console);
    printer.fail(
        &EngineError::new(ErrorKind::Bug, "The demo is not built yet."),
        cli.globals.json,
    )
}
