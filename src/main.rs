//! Parses, runs, exits. Everything else is in the library.

use std::process::ExitCode;

use relight::cli::{self, Console, Outcome};

fn main() -> ExitCode {
    cli::set_up();
    let run = || match cli::run(std::env::args_os(), relight::tui::background) {
        Outcome::Answered(exit) => exit,
        Outcome::Console(console) => {
            let Console {
                engine,
                request,
                config,
                colored,
                plain,
            } = *console;
            match relight::tui::open(engine, request, &config, colored, plain) {
                Ok(outcome) => cli::console_left(outcome.as_ref()),
                Err(error) => cli::console_failed(&error),
            }
        }
    };
    cli::guarded(run).into()
}
