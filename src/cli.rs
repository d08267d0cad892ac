//! The command line: one file a command; text and `--json` are made from the same values. Never touches disk or
//! git; never asks a question without a terminal.

mod answer;
mod args;
mod commands;
mod complete;
mod exit;
mod interrupt;
mod json;
mod page;
mod person;
mod prelude;
mod print;
mod report;
mod table;
mod typed;

pub use args::Cli;
pub use exit::Exit;

use std::ffi::OsString;

use args::Command;
use clap::CommandFactory as _;
use print::Printer;
use print::stdout::io_text;

use crate::config::Config;
use crate::engine::{Engine, EngineError, ErrorKind, Request, Result};
use crate::model::Clean;

/// The result of the command line.
pub enum Outcome {
    /// It was answered.
    Answered(Exit),
    /// A person at a terminal wants the console.
    Console(Box<Console>),
}

/// What the console is opened with.
pub struct Console {
    /// The engine.
    pub engine: Engine,
    /// What to look for first.
    pub request: Request,
    /// The configuration.
    pub config: Config,
    /// Whether colors may be used (`--color`, `NO_COLOR`).
    pub colored: bool,
    /// Whether the screens are read as lines (`--plain`).
    pub plain: bool,
}

/// Sets up what both front ends share: bug reports, the local zone, `~` for the home folder, and that programs end with
/// relight.
pub fn set_up() {
    print::bug::install();
    crate::engine::show_local_times();
    crate::engine::end_programs_with_relight();
    if let Some(home) = std::env::var_os("HOME").filter(|home| !home.is_empty()) {
        crate::text::format::show_home_as_tilde(home.into());
    }
}

/// What only the console knows, for `doctor`.
#[derive(Debug, Clone, Copy)]
pub struct OfConsole {
    /// Asks the terminal what it is colored on.
    pub background: fn() -> Option<&'static str>,
    /// The names of commands and keys in a configuration that there are none of, a sentence each.
    pub unknown_keys: fn(&Config) -> Vec<String>,
}

/// Parses, runs, prints.
pub fn run(args: impl IntoIterator<Item = OsString>, of_console: OfConsole) -> Outcome {
    interrupt::survive_limits();
    let args: Vec<OsString> = args.into_iter().collect();
    // No command of a person, so it does not wait for clap.
    if args.iter().skip(1).eq([crate::engine::LIFELINE]) {
        crate::engine::wait_for_the_end(std::io::stdin());
        return Outcome::Answered(Exit::Done);
    }
    if let Some(shell) = std::env::var_os(complete::VARIABLE).filter(|shell| !shell.is_empty()) {
        let answer = complete::answer(&shell, &args);
        return Outcome::Answered(Printer::new(args::ColorChoice::Never, true).bytes(&answer));
    }
    // Clap stops at the first error, so `--json` is looked up beforehand.
    let mut options = args.iter().skip(1).take_while(|word| *word != "--");
    let json = options.any(|word| word == "--json");
    let whole = command();
    let args = typed::command_first(args, &whole);
    let cli = match Cli::of(&args, whole) {
        Ok(cli) => cli,
        Err(error) => {
            let error = typed::missing(error, &args, &command());
            return Outcome::Answered(unparsed(&error, &args, json));
        }
    };
    let printer = Printer::new(cli.globals.color, cli.globals.quiet);
    let interactive = Printer::interactive() && !json;
    let opened = |console: Result<Console>| match console {
        Ok(console) => Outcome::Console(Box::new(console)),
        Err(failure) => Outcome::Answered(printer.finish(Err(failure), json)),
    };
    Outcome::Answered(match &cli.command {
        None if interactive || cli.plain => {
            return opened(commands::console::open(
                &cli, &cli.paths, cli.plain, &printer,
            ));
        }
        Some(Command::Demo(demo)) if (interactive || demo.plain) && !demo.no_console => {
            return opened(commands::demo::open(&cli, demo, &printer));
        }
        Some(Command::Completions { shell }) => {
            document(&printer, "script", &complete::script(*shell), json)
        }
        Some(Command::StubRunner { file }) => commands::stub_runner::run(file, &printer),
        Some(Command::Man { page }) => match commands::manual::page(page.as_deref()) {
            Ok(page) => document(&printer, "page", &page, json),
            Err(failure) => printer.finish(Err(failure), json),
        },
        _ => printer.finish(commands::answer(&cli, &printer, &args, of_console), json),
    })
}

/// Prints a document for another program: as it is, or as the member of one object.
fn document(printer: &Printer, name: &str, text: &[u8], as_json: bool) -> Exit {
    if !as_json {
        return printer.bytes(text);
    }
    let mut object = Vec::new();
    // Writing into memory does not fail.
    drop(json::write(&mut object, &report::document(name, text)));
    printer.bytes(&object)
}

/// Prints the outcome of what was being written when the console was closed. A signal that closed it counts as it does
/// for a command.
pub fn console_left(outcome: Option<&Clean>, interrupted: bool) -> Exit {
    if let Some(outcome) = outcome {
        let line = vec![answer::Tone::Plain.of(outcome)];
        Printer::new(args::ColorChoice::Auto, false).say(&[line]);
    }
    if interrupted {
        return Exit::Cancelled;
    }
    Exit::Done
}

/// The error for what clap refused. Where the command is misspelled, that is reported instead of its options.
fn unparsed(error: &clap::Error, args: &[OsString], json: bool) -> Exit {
    let whole = command();
    let misspelled = typed::misspelled(args, &whole);
    let misspelled = misspelled.map(|(word, hint)| (format!("There is no command {word}."), hint));
    let meant = misspelled.or_else(|| typed::misplaced(error, args, &whole));
    match meant.filter(|_| error.use_stderr()) {
        Some((text, hint)) => {
            let error = EngineError::usage(text).hint(hint);
            Printer::new(args::ColorChoice::Auto, false).fail(&error, json)
        }
        None => print::clap_answer(error, json),
    }
}

/// Prints why the console could not run.
pub fn console_failed(error: &std::io::Error) -> Exit {
    // The terminal was closed, so nobody reads an error.
    let closed = rustix::io::Errno::from_io_error(error) == Some(rustix::io::Errno::IO);
    if closed || error.kind() == std::io::ErrorKind::BrokenPipe {
        return Exit::Cancelled;
    }
    let full = matches!(
        error.kind(),
        std::io::ErrorKind::StorageFull
            | std::io::ErrorKind::FileTooLarge
            | std::io::ErrorKind::QuotaExceeded
    );
    let error = if full {
        let text = format!("cannot write to stdout: {}.", io_text(error));
        EngineError::new(ErrorKind::RolledBack, text)
            .hint("What was changed before is in relight history.")
    } else {
        EngineError::new(ErrorKind::Bug, format!("The console failed: {error}."))
    };
    Printer::new(args::ColorChoice::Auto, false).fail(&error, false)
}

/// Turns a panic into the exit code for a bug; the panic hook has reported it by then. Nothing of relight is left
/// running.
pub fn guarded(run: impl FnOnce() -> Exit + std::panic::UnwindSafe) -> Exit {
    let exit = std::panic::catch_unwind(run).unwrap_or(Exit::Bug);
    crate::engine::stop_waiting_for_the_end();
    exit
}

/// The whole command line as clap sees it, for the manual, completions and tests.
pub fn command() -> clap::Command {
    Cli::command()
}
