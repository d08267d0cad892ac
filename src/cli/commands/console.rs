//! `relight [PATH…]` on a terminal: the console.

use std::path::PathBuf;

use super::setup;
use crate::cli::Console;
use crate::cli::answer::Failure;
use crate::cli::args::Cli;
use crate::cli::print::Printer;
use crate::engine::Request;

/// What the console needs to open on these paths, or on the usual scope without any.
pub(crate) fn open(cli: &Cli, paths: &[PathBuf], printer: &Printer) -> Result<Console, Failure> {
    let session = setup::session(&cli.globals, paths)?;
    let request = Request {
        paths: paths.to_vec(),
        ..session.request
    };
    Ok(Console {
        engine: session.engine,
        request,
        config: session.config,
        colored: printer.colored(),
    })
}
