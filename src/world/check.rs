//! Runs a project's own check in a scratch folder: without input, keeping its output and its result.

use std::ffi::{OsStr, OsString};
use std::io::Read as _;
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use super::command::{find, is_program, scrubbed};

/// How many bytes at the end of the output are kept.
const KEPT: usize = 64 << 10;

/// The result of a check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ended {
    /// True if it exited with status 0.
    pub passed: bool,
    /// `exit 1`, `stopped by signal 9`, `not started: …`.
    pub how: String,
    /// The end of its output, both streams in order.
    pub output: Vec<u8>,
}

/// Runs a check and waits for it. A program with a slash is looked up in the folder, any other on the path.
pub fn run(argv: &[OsString], folder: &Path) -> Ended {
    match start(argv, folder) {
        Ok(ended) => ended,
        Err(why) => Ended {
            passed: false,
            how: format!("not started: {why}"),
            output: Vec::new(),
        },
    }
}

fn start(words: &[OsString], folder: &Path) -> Result<Ended, String> {
    let (name, args) = words.split_first().ok_or("no command was given")?;
    let program = program(name, folder)?;
    let (mut reader, writer) = std::io::pipe().map_err(|e| e.to_string())?;
    let second = writer.try_clone().map_err(|e| e.to_string())?;
    let args: Vec<&OsStr> = args.iter().map(OsString::as_os_str).collect();
    let mut command = scrubbed(&program, &args);
    command.current_dir(folder).stdin(Stdio::null());
    command.stdout(writer).stderr(second);
    let mut child = command.spawn().map_err(|e| e.to_string())?;
    // The command holds the write ends of the pipe; until it is dropped, reading would never end.
    drop(command);
    let mut output = Vec::new();
    let mut piece = vec![0; 16 << 10];
    loop {
        match reader.read(&mut piece) {
            Ok(0) => break,
            Ok(count) => {
                output.extend_from_slice(piece.get(..count).unwrap_or_default());
                let over = output.len().saturating_sub(2 * KEPT);
                if over > 0 {
                    output.drain(..over + KEPT);
                }
            }
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error.to_string()),
        }
    }
    let over = output.len().saturating_sub(KEPT);
    output.drain(..over);
    let status = child.wait().map_err(|e| e.to_string())?;
    let how = match (status.code(), status.signal()) {
        (Some(code), _) => format!("exit {code}"),
        (None, Some(signal)) => format!("stopped by signal {signal}"),
        (None, None) => "ended".to_owned(),
    };
    Ok(Ended {
        passed: status.success(),
        how,
        output,
    })
}

fn program(name: &OsStr, folder: &Path) -> Result<PathBuf, String> {
    let text = name.to_string_lossy();
    if text.contains('/') {
        let path = folder.join(name);
        let found = Some(path).filter(|path| is_program(path));
        return found.ok_or_else(|| format!("{text} is not a program"));
    }
    let path = std::env::var_os("PATH");
    find(&text, path.as_deref()).ok_or_else(|| format!("{text} was not found in PATH"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sh(script: &str) -> Ended {
        let argv = ["/bin/sh", "-c", script].map(OsString::from);
        run(&argv, Path::new("/"))
    }

    #[test]
    fn both_streams_are_kept_in_order_with_the_way_it_ended() {
        let ended = sh("echo one; echo two >&2; echo three; exit 3");
        assert_eq!(ended.output, b"one\ntwo\nthree\n");
        assert_eq!((ended.passed, ended.how.as_str()), (false, "exit 3"));
        assert!(sh("exit 0").passed);
        assert_eq!(sh("kill -9 $$").how, "stopped by signal 9");
    }

    #[test]
    fn only_the_end_of_a_flood_is_kept() {
        let ended = sh("i=0; while [ $i -lt 30000 ]; do echo line-$i; i=$((i+1)); done; echo last");
        assert!(ended.output.len() <= KEPT);
        assert!(ended.output.ends_with(b"line-29999\nlast\n"));
    }

    #[test]
    fn a_missing_program_is_named() {
        let none = run(&["./none".into()], Path::new("/"));
        assert_eq!(none.how, "not started: ./none is not a program");
        assert!(!none.passed);
        assert!(run(&[], Path::new("/")).how.starts_with("not started"));
    }
}
