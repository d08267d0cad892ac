//! The command face: one file a command, human output and `--json` from the same values, exit codes as
//! contract.md has them. Never touches disk or git; never asks a question without a terminal.

mod answer;
mod args;
mod commands;
mod exit;
mod json;
mod print;
mod report;
mod table;

pub use args::Cli;
pub use exit::Exit;

use std::ffi::OsString;

use args::Command;
use clap::{CommandFactory as _, Parser as _};
use print::Printer;

/// Parses, runs, prints; answers with the exit code.
pub fn run(args: impl IntoIterator<Item = OsString>) -> Exit {
    let args: Vec<OsString> = args.into_iter().collect();
    // Clap stops at the first error, so whether JSON was wanted is looked up beforehand.
    let json = args
        .iter()
        .skip(1)
        .take_while(|a| *a != "--")
        .any(|a| a == "--json");
    let cli = match Cli::try_parse_from(&args) {
        Ok(cli) => cli,
        Err(error) => return print::clap_answer(&error, json),
    };
    let printer = Printer::new(cli.globals.color, cli.globals.quiet);
    let answer = match &cli.command {
        None if printer.interactive() => return commands::console::run(&cli, &printer),
        Some(Command::Demo(demo)) => return commands::demo::run(&cli, demo, &printer),
        Some(Command::Completions { shell }) => {
            return printer.bytes(&commands::completions(*shell));
        }
        Some(Command::Man) => return printer.bytes(&commands::manual()),
        _ => commands::answer(&cli, printer.width()),
    };
    printer.finish(answer, json)
}

/// Runs with panics turned into the exit code for a bug; the hook has said what happened by then.
pub fn guarded(run: impl FnOnce() -> Exit + std::panic::UnwindSafe) -> Exit {
    std::panic::catch_unwind(run).unwrap_or(Exit::Bug)
}

/// The whole command line as clap sees it, for the manual, completions and tests.
pub fn command() -> clap::Command {
    Cli::command()
}
