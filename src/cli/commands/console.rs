//! `relight [PATH…]` on a terminal: the console.

use std::path::PathBuf;

use super::setup;
use crate::cli::Exit;
use crate::cli::args::Cli;
use crate::cli::print::Printer;

/// Opens the console on what was named.
pub(crate) fn run(cli: &Cli, printer: &Printer) -> Exit {
    open(cli, &cli.paths, printer)
}

/// Opens the console on these paths, or on the usual scope without any.
pub(crate) fn open(cli: &Cli, paths: &[PathBuf], printer: &Printer) -> Exit {
    match setup::session(&cli.globals, paths) {
        Ok(session) => printer.finish(
            super::list::of_paths(&session, paths, printer.width()),
            cli.globals.json,
        ),
        Err(failure) => printer.finish(Err(failure), cli.globals.json),
    }
}
