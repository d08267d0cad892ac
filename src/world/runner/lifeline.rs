//! Ends a program that runs in the background of relight when relight itself is gone: killed, or without memory. A
//! process of relight's own waits for that at the end of a pipe, whose other end only relight has.

use std::ffi::{OsStr, OsString};
use std::io::{Read, Write as _};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::os::unix::process::CommandExt as _;
use std::path::PathBuf;
use std::process::{Child, Stdio};
use std::sync::OnceLock;

use rustix::process::Pid;

use super::descendants::{self, Mark};
use super::group::Group;
use super::{GRACE, command};

/// The hidden command that waits.
const COMMAND: &str = "lifeline";

/// The program of relight; not set in tests of the library, whose program is another.
static OWN: OnceLock<PathBuf> = OnceLock::new();

/// From now on the programs that relight runs in its background end with it.
pub fn end_programs_with_relight() {
    if let Ok(own) = std::env::current_exe() {
        let _set_before = OWN.set(own);
    }
}

/// A process that waits for the end of relight. Dropping this ends it, and nothing else.
pub(super) struct Lifeline(Option<Child>);

impl Lifeline {
    /// Starts it. Where that fails, the program outlives a relight that is killed.
    pub(super) fn begin() -> Self {
        let start = |own: &PathBuf| {
            command::scrubbed(own, &[OsStr::new(COMMAND)])
                .current_dir("/")
                .stdin(Stdio::piped())
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                // A signal of the terminal is not for it.
                .process_group(0)
                .spawn()
        };
        Self(OWN.get().and_then(|own| start(own).ok()))
    }

    /// Tells it what to end: the group, and what has the mark.
    pub(super) fn tell(&self, group: Group, mark: &Mark) {
        let Some(mut pipe) = self.0.as_ref().and_then(|child| child.stdin.as_ref()) else {
            return;
        };
        let _ignored = pipe.write_all(&told(group, mark));
    }
}

impl Drop for Lifeline {
    fn drop(&mut self) {
        if let Some(child) = &mut self.0 {
            let _ended = child.kill().and_then(|()| child.wait());
        }
    }
}

/// What it is told.
pub(super) fn told(group: Group, mark: &Mark) -> Vec<u8> {
    let mut told = group.id().to_string().into_bytes();
    for (name, value) in mark {
        told.extend([&[0], name.as_bytes(), b"=", value.as_bytes()].concat());
    }
    told
}

/// Waits until relight is gone, then ends what it told.
pub fn wait_for_the_end(mut pipe: impl Read) {
    let mut told = Vec::new();
    if pipe.read_to_end(&mut told).is_err() {
        return;
    }
    let mut told = told.split(|byte| *byte == 0);
    let group = told.next().and_then(|id| std::str::from_utf8(id).ok());
    let Some(group) = group.and_then(|id| Pid::from_raw(id.parse().ok()?)) else {
        return;
    };
    Group::with_id(group).clear(GRACE);
    let variable = |bytes: &[u8]| {
        let at = bytes.iter().position(|byte| *byte == b'=')?;
        let (name, value) = bytes.split_at_checked(at)?;
        let text = |bytes: &[u8]| OsString::from_vec(bytes.to_vec());
        Some((text(name), text(value.get(1..)?)))
    };
    let mark: Vec<(OsString, OsString)> = told.filter_map(variable).collect();
    descendants::end(&mark, GRACE);
}
