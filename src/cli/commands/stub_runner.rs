//! `relight stub-runner` (hidden): answers dispatches, so that replays can be tried without an agent.

use crate::cli::prelude::*;
use crate::demo::stub_runner::{self, Call};
use crate::engine;

/// Answers one dispatch in the current directory, with the status that the dispatch requests.
pub(crate) fn run(file: &Path, printer: &Printer) -> Exit {
    let session = std::env::var_os("RELIGHT_SESSION");
    let answered = match std::env::current_dir() {
        Ok(tree) => {
            let call = Call {
                file,
                session: session.as_deref(),
                tree: &tree,
                stray: &engine::leave_running,
            };
            stub_runner::run(&call, &mut Printer::raw())
        }
        Err(why) => Err(format!("The current directory cannot be read: {why}.")),
    };
    match answered {
        Ok(0) => Exit::Done,
        Ok(2) => Exit::Usage,
        Ok(3) => Exit::Refused,
        Ok(_) => Exit::No,
        Err(why) => printer.fail(&EngineError::usage(why), false),
    }
}
