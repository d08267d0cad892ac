//! Parses, runs, exits. Everything else is in the library.

use std::process::ExitCode;

fn main() -> ExitCode {
    // A second installation would be the only error, and there is none.
    drop(
        color_eyre::config::HookBuilder::default()
            .display_env_section(false)
            .install(),
    );
    relight::cli::guarded(|| relight::cli::run(std::env::args_os())).into()
}
