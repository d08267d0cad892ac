//! Runners: presets by name, and the argument vector for a dispatch.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::{Path, PathBuf};

use crate::foreign;
use crate::model::{Foreign, Runner, RunnerAsk, STUB_RUNNER};
use crate::world::runner::find;

/// The names of the presets.
pub const PRESETS: &[&str] = &["claude", "codex", "gemini", "opencode", STUB];

/// The preset that ships with relight and needs no agent.
pub const STUB: &str = "stub";

/// Seconds after which a dispatch is stopped where nothing else is said. An implementer may be silent for more
/// than half an hour.
pub const TIMEOUT_S: u64 = 2 * 3600;

/// The placeholder for the pointer prompt.
const PROMPT: &[u8] = b"{prompt}";
/// The placeholder for the dispatch file.
const FILE: &[u8] = b"{file}";
/// The placeholder for the folder of the dispatch file.
const DIR: &[u8] = b"{dir}";
/// The placeholder for the model of a dispatch.
const MODEL: &[u8] = b"{model}";

/// The requested runner. `configured` is the one of the configuration; without a command it has only limits. `own` is
/// the path of relight itself, because the stub runner is a hidden command of it. The error is a sentence.
pub fn chosen(
    ask: &RunnerAsk,
    configured: Option<&Runner>,
    own: Option<&Path>,
) -> Result<Option<Runner>, Foreign> {
    let limits = configured.map_or((TIMEOUT_S, 0), |one| (one.timeout_s, one.retries));
    let models = configured.map(|one| one.models.clone()).unwrap_or_default();
    let runner = |name: Foreign, argv: Vec<OsString>| {
        let (timeout_s, retries) = limits;
        Some(Runner {
            name,
            argv,
            timeout_s,
            retries,
            models: models.clone(),
        })
    };
    match ask {
        RunnerAsk::Nobody => Ok(None),
        RunnerAsk::Configured => Ok(configured.filter(|one| !one.argv.is_empty()).cloned()),
        // The name that records have; it was that of the preset once.
        RunnerAsk::Preset(name) if [STUB, STUB_RUNNER].contains(&name.as_str()) => {
            Ok(runner(STUB_RUNNER.into(), preset(STUB, own)?))
        }
        RunnerAsk::Preset(name) => Ok(runner(name.as_str().into(), preset(name, own)?)),
        RunnerAsk::Words(words) => {
            let program = words.first().filter(|program| !program.is_empty());
            let program = program.ok_or("The runner names no program.")?;
            let name = Path::new(program).file_name().unwrap_or(program);
            Ok(runner(name.into(), words.clone()))
        }
    }
}

/// The argument vector of a preset: the documented form without a person beside it, with leave to change files in
/// the folder that it is in and to read the dispatch file, which is outside of it; no more than that.
fn preset(name: &str, own: Option<&Path>) -> Result<Vec<OsString>, Foreign> {
    let words = match name {
        "claude" => {
            "claude -p {prompt} --permission-mode acceptEdits --add-dir {dir} --output-format json"
        }
        "codex" => "codex exec --sandbox workspace-write --skip-git-repo-check {prompt}",
        "gemini" => "gemini -p {prompt} --approval-mode auto_edit --include-directories {dir}",
        // What it may do is for its own configuration to say; the file is handed to it.
        "opencode" => "opencode run {prompt} --file {file}",
        STUB => {
            let own = own.ok_or(
                "The path of relight itself is unknown, so its stub runner cannot be started.",
            )?;
            return Ok(vec![own.into(), "stub-runner".into(), "{file}".into()]);
        }
        other => {
            return Err(foreign!(
                "There is no runner {}: the presets are {}. Another program is given as its command line.",
                other,
                PRESETS.join(", ")
            ));
        }
    };
    Ok(words.split(' ').map(OsString::from).collect())
}

/// The path of a runner's program. The error is the beginning of a sentence.
pub fn program(runner: &Runner) -> Result<PathBuf, String> {
    let program = runner.argv.first().map(OsString::as_os_str);
    let path = std::env::var_os("PATH");
    find(program.unwrap_or_default(), path.as_deref())
}

/// Refuses the program of a command, if there is one, that is not there. One in the tree in which the command runs
/// cannot be known yet.
pub fn exists(command: &[impl AsRef<OsStr>]) -> Result<(), String> {
    let Some(program) = command.first().map(AsRef::as_ref) else {
        return Ok(());
    };
    if program.as_bytes().contains(&b'/') && Path::new(program).is_relative() {
        return Ok(());
    }
    find(program, std::env::var_os("PATH").as_deref()).map(drop)
}

/// Whether the runner is told the model of each dispatch.
pub(crate) fn takes_model(runner: &Runner) -> bool {
    runner.argv.iter().skip(1).any(|word| holds(word, MODEL))
}

/// The model of a dispatch of a tier, as the configuration maps it.
pub(crate) fn model<'r>(runner: &'r Runner, tier: &'r str) -> &'r str {
    runner.models.get(tier).map_or(tier, String::as_str)
}

/// The argument vector for one dispatch of a model tier: `{prompt}`, `{file}`, `{dir}` and `{model}` are filled in
/// wherever they stand, and the prompt is the last argument where neither it nor the file is asked for. What is
/// filled in is not looked at again, and the program's own name is left alone.
pub fn argv(runner: &Runner, prompt: &str, dispatch: &Path, tier: &str) -> Vec<OsString> {
    let dir = dispatch.parent().unwrap_or(dispatch);
    let values: [(&[u8], &[u8]); 4] = [
        (MODEL, model(runner, tier).as_bytes()),
        (PROMPT, prompt.as_bytes()),
        (FILE, dispatch.as_os_str().as_bytes()),
        (DIR, dir.as_os_str().as_bytes()),
    ];
    let mut words = runner.argv.iter();
    let program = words.next().cloned();
    let asked = |word: &OsString| [PROMPT, FILE].iter().any(|sign| holds(word, sign));
    let is_asked = words.clone().any(asked);
    let rest = words.map(|word| filled(word, &values));
    let mut argv: Vec<OsString> = program.into_iter().chain(rest).collect();
    if !is_asked {
        argv.push(prompt.into());
    }
    argv
}

fn holds(word: &OsStr, sign: &[u8]) -> bool {
    memchr::memmem::find(word.as_bytes(), sign).is_some()
}

/// A word with its signs filled in, from left to right.
fn filled(word: &OsStr, values: &[(&[u8], &[u8])]) -> OsString {
    let mut rest = word.as_bytes();
    let mut made = Vec::new();
    while let Some((first, others)) = rest.split_first() {
        let sign = values.iter().find(|(sign, _)| rest.starts_with(sign));
        if let Some((sign, value)) = sign {
            made.extend_from_slice(value);
            rest = rest.get(sign.len()..).unwrap_or_default();
        } else {
            made.push(*first);
            rest = others;
        }
    }
    OsString::from_vec(made)
}

#[cfg(test)]
mod tests;
