//! `relight [PATH…]` on a terminal: the console.

use crate::cli::args::Cli;
use crate::cli::print::Printer;
use crate::cli::{Exit, commands};

/// Opens the console.
pub(crate) fn run(cli: &Cli, printer: &Printer) -> Exit {
    printer.finish(commands::answer(cli, printer.width()), cli.globals.json)
}
