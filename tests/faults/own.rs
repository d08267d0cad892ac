//! Tests that mount: each runs again in a child process with its own mount namespace, which ends with it.

use std::path::Path;
use std::process::Command;

/// Set in the process that has them.
const INNER: &str = "RELIGHT_FAULTS_MOUNTS";

/// Runs the rest of a test with mounts of its own. True in the process that has them.
pub(crate) fn mounts(test: &str) -> bool {
    if std::env::var_os(INNER).is_some() {
        return true;
    }
    let output = Command::new("unshare")
        .arg("--mount")
        .arg(std::env::current_exe().unwrap())
        .args(["--exact", test, "--nocapture"])
        .env(INNER, "1")
        .output();
    let (ran, passed, said) = match &output {
        Err(why) => (false, false, why.to_string()),
        Ok(output) => {
            let out = String::from_utf8_lossy(&output.stdout);
            let err = String::from_utf8_lossy(&output.stderr);
            let ran = out.contains("running 1 test");
            (ran, output.status.success(), format!("{out}{err}"))
        }
    };
    if !ran {
        println!("SKIPPED {test}: no mounts of one's own here: {said}");
        return false;
    }
    assert!(passed, "{test}:\n{said}");
    let told = |line: &&str| {
        line.contains("SKIPPED") || line.contains("Figures") || line.contains("SUMMARY")
    };
    for line in said.lines().filter(told) {
        println!("{line}");
    }
    false
}

/// Runs a program that only root may run; false, aloud, where it does not work.
pub(crate) fn admin(words: &[&str]) -> bool {
    let output = Command::new(words[0]).args(&words[1..]).output();
    let why = match output {
        Ok(output) if output.status.success() => return true,
        Ok(output) => String::from_utf8_lossy(&output.stderr).into_owned(),
        Err(why) => why.to_string(),
    };
    println!("SKIPPED: {words:?} is not possible here: {why}");
    false
}

/// A path as a word.
pub(crate) fn word(path: &Path) -> &str {
    path.to_str().unwrap()
}
