//! Runners: presets by name, and the argument vector that a dispatch is given to.

use std::ffi::OsString;
use std::path::Path;

use crate::model::{Foreign, Runner, RunnerAsk};

/// The names of the presets.
pub const PRESETS: &[&str] = &["claude", "codex", "gemini", "opencode", "stand-in"];

/// The runner that was asked for. `configured` is the configuration's, `own` the path of relight itself, which the
/// stand-in is a hidden command of. The error is a sentence.
pub fn settle(
    ask: &RunnerAsk,
    configured: Option<&Runner>,
    own: Option<&Path>,
) -> Result<Option<Runner>, Foreign> {
    let _ = (ask, configured, own);
    Ok(None)
}

/// The argument vector for one dispatch.
pub fn argv(runner: &Runner, prompt: &str, dispatch: &Path) -> Vec<OsString> {
    let _ = (prompt, dispatch);
    runner.argv.clone()
}
