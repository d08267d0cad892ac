//! Bubblewrap, the sandbox of runners: the whole machine as it is, except that some folders are read-only.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::command::{self, NoAnswer};

/// The program.
pub const BWRAP: &str = "bwrap";

/// How long it may take to start a program that does nothing.
const LIMIT: Duration = Duration::from_secs(5);

/// The path of bubblewrap, if it works for this user. Kernels and containers may forbid what it needs, so a trial
/// program is started in it. The error ends the sentence “There is no sandbox: …”.
pub fn bwrap() -> Result<PathBuf, String> {
    let path = std::env::var_os("PATH");
    let program = command::find(BWRAP, path.as_deref()).ok_or("bwrap is not installed")?;
    let words = ["--dev-bind", "/", "/", "--", "true"].map(OsStr::new);
    match command::ask(&program, &words, LIMIT) {
        Ok(answer) if answer.ok => Ok(program),
        Ok(answer) => {
            let said = String::from_utf8_lossy(&answer.stderr);
            let first = said.lines().next().unwrap_or_default();
            Err(format!("bwrap does not work here: {first}"))
        }
        Err(NoAnswer::NotInstalled(_)) => Err("bwrap is not installed".to_owned()),
        Err(why) => Err(format!("bwrap does not work here: {why}")),
    }
}

/// The arguments that start a program in the sandbox, to be followed by the program's own: `readonly` folders cannot be
/// written, but `writable` can, even inside one of them. Missing folders are left out.
pub fn wrapper(bwrap: &Path, readonly: &[PathBuf], writable: &Path) -> Vec<OsString> {
    let mut words: Vec<OsString> = [bwrap.as_os_str(), "--dev-bind".as_ref(), "/".as_ref()]
        .map(OsStr::to_owned)
        .to_vec();
    words.push("/".into());
    let binds = readonly.iter().map(|path| ("--ro-bind", path.as_path()));
    for (bind, path) in binds.chain([("--bind", writable)]) {
        if path.exists() {
            words.extend([bind.into(), path.into(), path.into()]);
        }
    }
    words.push("--".into());
    words
}
