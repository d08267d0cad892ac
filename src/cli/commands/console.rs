//! `relight [PATH…]` on a terminal: the console.

use std::mem::ManuallyDrop;

use super::setup;
use crate::cli::Console;
use crate::cli::args::Cli;
use crate::cli::prelude::*;
use crate::cli::typed;

/// What the console needs to open on these paths, or on the usual scope without any.
pub(crate) fn open(
    cli: &Cli,
    paths: &[PathBuf],
    plain: bool,
    printer: &Printer,
) -> Result<Console> {
    let session = setup::session(&cli.globals, paths)?;
    let request = request(&session, paths)?;
    // Nothing can be drawn where the cursor cannot be moved.
    let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
    Ok(Console {
        engine: ManuallyDrop::into_inner(session.engine),
        request,
        plain: plain || session.config.plain || dumb,
        config: session.config,
        colored: printer.color,
    })
}

/// What to search for these paths. A word that is no path may be a misspelled command, or a command in the wrong place,
/// so the console does not open.
pub(super) fn request(session: &setup::Session, paths: &[PathBuf]) -> Result<Request> {
    let request = Request {
        paths: paths.to_vec(),
        ..session.request.clone()
    };
    let engine = &session.engine;
    let gone = |path: &&PathBuf| !engine.is_there(&request.cwd, path);
    let word = paths.iter().find(gone).and_then(|path| path.to_str());
    if let Some(word) = word.filter(|word| !word.contains('/')) {
        let whole = crate::cli::command();
        let text = format!("{word} is neither a command nor a path.");
        let error = EngineError::usage(text);
        if typed::is_command(word, &whole) {
            let text = format!("The path {word} does not exist.");
            let hint = format!("Put the command before its paths: relight {word} PATH");
            return Err(EngineError::usage(text).hint(hint));
        }
        if let Some(hint) = typed::meant(word, &whole) {
            return Err(error.hint(hint));
        }
    }
    engine.validate(&request)?;
    Ok(request)
}
