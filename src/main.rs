//! Parses, runs, exits. Everything else is in the library.

use std::process::ExitCode;

use relight::cli::{self, Console, Outcome};

fn main() -> ExitCode {
    // A second installation would be the only error, and there is none.
    drop(
        color_eyre::config::HookBuilder::default()
            .display_env_section(false)
            .install(),
    );
    cli::show_local_times();
    let run = || match cli::run(std::env::args_os()) {
        Outcome::Answered(exit) => exit,
        Outcome::Console(console) => {
            let Console {
                engine,
                request,
                config,
                colored,
            } = *console;
            match relight::tui::open(engine, request, &config, colored) {
                Ok(last_words) => cli::console_left(last_words.as_ref()),
                Err(error) => cli::console_failed(&error),
            }
        }
    };
    cli::guarded(run).into()
}
