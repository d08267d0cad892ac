//! The command face: one file a command, human output and `--json` from the same values, exit codes as
//! contract.md has them. Never touches disk or git; never asks a question without a terminal.

mod answer;
mod args;
mod commands;
mod complete;
mod exit;
mod interrupt;
mod json;
mod person;
mod print;
mod replay_words;
mod report;
mod table;
mod typed;

pub use args::Cli;
pub use exit::Exit;

use std::ffi::OsString;

use args::Command;
use clap::{CommandFactory as _, Parser as _};
use print::Printer;

use crate::config::Config;
use crate::engine::{Engine, EngineError, ErrorKind, Request};
use crate::model::Clean;

/// What the command line came to.
pub enum Outcome {
    /// It was answered.
    Answered(Exit),
    /// A person at a terminal wants the console.
    Console(Box<Console>),
}

/// With what the console is to be opened.
pub struct Console {
    /// What both faces ask.
    pub engine: Engine,
    /// What to look for first.
    pub request: Request,
    /// The configuration.
    pub config: Config,
    /// Whether colours may be used at all (`--color`, `NO_COLOR`).
    pub colored: bool,
}

/// Shows every time in the person's own zone, in both faces.
pub fn show_local_times() {
    crate::engine::show_local_times();
}

/// Parses, runs, prints.
pub fn run(args: impl IntoIterator<Item = OsString>) -> Outcome {
    interrupt::survive_limits();
    let args: Vec<OsString> = args.into_iter().collect();
    if let Some(shell) = std::env::var_os(complete::VARIABLE).filter(|shell| !shell.is_empty()) {
        let answer = complete::answer(&shell, &args);
        return Outcome::Answered(Printer::new(args::ColorChoice::Never, true).bytes(&answer));
    }
    let args = typed::command_first(args, &command());
    // Clap stops at the first error, so whether JSON was wanted is looked up beforehand.
    let json = args
        .iter()
        .skip(1)
        .take_while(|a| *a != "--")
        .any(|a| a == "--json");
    let cli = match Cli::try_parse_from(&args) {
        Ok(cli) => cli,
        Err(error) => return Outcome::Answered(unparsed(&error, &args, json)),
    };
    let printer = Printer::new(cli.globals.color, cli.globals.quiet);
    let interactive = printer.interactive() && !json;
    let console = match &cli.command {
        None if interactive => commands::console::open(&cli, &cli.paths, &printer),
        Some(Command::Demo(demo)) if interactive && !demo.no_console => {
            commands::demo::open(&cli, demo, &printer)
        }
        Some(Command::Completions { shell }) => {
            return Outcome::Answered(printer.bytes(&complete::script(*shell)));
        }
        Some(Command::StandIn { file }) => {
            return Outcome::Answered(commands::stand_in::run(file, &printer));
        }
        Some(Command::Man { page }) => {
            let page = commands::manual::page(page.as_deref());
            return Outcome::Answered(match page {
                Ok(page) => printer.bytes(&page),
                Err(failure) => printer.finish(Err(failure), json),
            });
        }
        _ => {
            return Outcome::Answered(
                printer.finish(commands::answer(&cli, &printer, &args), json),
            );
        }
    };
    match console {
        Ok(console) => Outcome::Console(Box::new(console)),
        Err(failure) => Outcome::Answered(printer.finish(Err(failure), json)),
    }
}

/// Says on stderr the outcome of what was being written when the console was left.
pub fn console_left(last_words: Option<&Clean>) -> Exit {
    if let Some(said) = last_words {
        let line = vec![answer::Span::plain(said.clone())];
        Printer::new(args::ColorChoice::Auto, false).say(&[line]);
    }
    Exit::Done
}

/// What clap would not take. Where the first word should be a command and is none, its options are not what is
/// wrong.
fn unparsed(error: &clap::Error, args: &[OsString], json: bool) -> Exit {
    match typed::misspelled(args, &command()).filter(|_| error.use_stderr()) {
        Some((word, hint)) => {
            let text = format!("There is no command {word}.");
            let error = EngineError::new(ErrorKind::Usage, text).hint(hint);
            Printer::new(args::ColorChoice::Auto, false).fail(&error, json)
        }
        None => print::clap_answer(error, json),
    }
}

/// Says on stderr what kept the console from running.
pub fn console_failed(error: &std::io::Error) -> Exit {
    // Whoever closes a terminal means to end, and nobody is left to read.
    let closed = rustix::io::Errno::from_io_error(error) == Some(rustix::io::Errno::IO);
    if closed || error.kind() == std::io::ErrorKind::BrokenPipe {
        return Exit::Cancelled;
    }
    let error = EngineError::new(ErrorKind::Bug, format!("The console ended: {error}."));
    Printer::new(args::ColorChoice::Auto, false).fail(&error, false)
}

/// Runs with panics turned into the exit code for a bug; the hook has said what happened by then.
pub fn guarded(run: impl FnOnce() -> Exit + std::panic::UnwindSafe) -> Exit {
    std::panic::catch_unwind(run).unwrap_or(Exit::Bug)
}

/// The whole command line as clap sees it, for the manual, completions and tests.
pub fn command() -> clap::Command {
    Cli::command()
}
