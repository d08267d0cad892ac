//! Parses, runs, exits. Everything else is in the library.

use std::process::ExitCode;

use mimalloc::MiMalloc;
use relight::cli::{self, Console, OfConsole, Outcome};

// Several threads read pipelines and logs at once; with glibc they wait for each other to allocate. See
// `relight::docs::performance`.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

fn main() -> ExitCode {
    cli::set_up();
    let console = OfConsole {
        background: relight::tui::background,
        unknown_keys: relight::tui::unknown_keys,
    };
    let run = || match cli::run(std::env::args_os(), console) {
        Outcome::Answered(exit) => exit,
        Outcome::Console(console) => {
            let Console {
                engine,
                request,
                config,
                colored,
                plain,
            } = *console;
            match relight::tui::run(engine, request, &config, (colored, plain)) {
                Ok(left) => cli::console_left(left.words.as_ref(), left.interrupted),
                Err(error) => cli::console_failed(&error),
            }
        }
    };
    cli::guarded(run).into()
}
