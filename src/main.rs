//! Parses, runs, exits. Everything else is in the library.

use std::process::ExitCode;

use relight::cli::{self, Outcome};

fn main() -> ExitCode {
    // A second installation would be the only error, and there is none.
    drop(
        color_eyre::config::HookBuilder::default()
            .display_env_section(false)
            .install(),
    );
    let run = || match cli::run(std::env::args_os()) {
        Outcome::Answered(exit) => exit,
        Outcome::Console(_console) => cli::Exit::Bug,
    };
    cli::guarded(run).into()
}
