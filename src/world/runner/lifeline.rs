//! Ends the programs that run in the background of relight when relight itself is gone: killed, or without memory. A
//! process of relight's own waits for that at the end of a pipe, whose other end only relight has. It starts with the
//! first program, and is told which begin and which have ended.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::io::{Read, Write as _};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::os::unix::process::CommandExt as _;
use std::path::PathBuf;
use std::process::{Child, Stdio};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::thread;

use rustix::process::Pid;

use super::descendants::{self, Mark};
use super::group::Group;
use super::{GRACE, command};

/// The argument with which relight waits and does nothing else.
pub const LIFELINE: &str = "lifeline";

/// The program of relight; not set in tests of the library, whose program is another.
static OWN: OnceLock<PathBuf> = OnceLock::new();

/// From now on the programs that relight runs in its background end with it.
pub fn end_programs_with_relight() {
    if let Ok(own) = std::env::current_exe() {
        let _set_before = OWN.set(own);
    }
}

/// The process that waits.
static WAITING: Mutex<Option<Child>> = Mutex::new(None);

/// Until this is dropped, what was told ends with relight.
pub(super) struct Lifeline(Option<Group>);

impl Lifeline {
    /// Starts the process that waits, unless it runs. Where that fails, the program outlives a relight that is killed.
    pub(super) fn begin() -> Self {
        let start = |own: &PathBuf| {
            command::scrubbed(own, &[OsStr::new(LIFELINE)])
                .current_dir("/")
                .stdin(Stdio::piped())
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                // A signal of the terminal is not for it.
                .process_group(0)
                .spawn()
        };
        with_the_waiting(|waiting| {
            let runs = |child: &mut Child| matches!(child.try_wait(), Ok(None));
            if !waiting.as_mut().is_some_and(runs) {
                *waiting = OWN.get().and_then(|own| start(own).ok());
            }
        });
        Self(None)
    }

    /// Tells it what to end: the group, and what has the mark.
    pub(super) fn tell(&mut self, group: Group, mark: &Mark) {
        self.0 = Some(group);
        send(&told(group, mark));
    }
}

impl Drop for Lifeline {
    fn drop(&mut self) {
        if let Some(group) = self.0 {
            send(&ended(group));
        }
    }
}

/// Ends the process that waits. It first ends what still runs, as after a panic in another thread.
pub fn stop_waiting_for_the_end() {
    with_the_waiting(|waiting| {
        if let Some(mut child) = waiting.take() {
            // Closes the pipe first.
            let _ended = child.wait();
        }
    });
}

fn with_the_waiting(act: impl FnOnce(&mut Option<Child>)) {
    act(&mut WAITING.lock().unwrap_or_else(PoisonError::into_inner));
}

fn send(record: &[u8]) {
    with_the_waiting(|waiting| {
        if let Some(pipe) = waiting.as_mut().and_then(|child| child.stdin.as_mut()) {
            let _ignored = pipe.write_all(record);
        }
    });
}

/// What it is told of a program that begins: words that end with a zero, the last of them empty.
pub(super) fn told(group: Group, mark: &Mark) -> Vec<u8> {
    let mut told = group.id().to_string().into_bytes();
    for (name, value) in mark {
        told.extend([&[0], name.as_bytes(), b"=", value.as_bytes()].concat());
    }
    told.extend([0, 0]);
    told
}

/// What it is told of a program that has ended.
pub(super) fn ended(group: Group) -> Vec<u8> {
    format!("-{}\0\0", group.id()).into_bytes()
}

/// Waits until relight is gone, then ends what it told and did not end itself.
pub fn wait_for_the_end(mut pipe: impl Read) {
    let mut told = Vec::new();
    if pipe.read_to_end(&mut told).is_err() {
        return;
    }
    // All at once: one that ignores the request to terminate must not give the others time to write.
    thread::scope(|scope| {
        for (group, mark) in running(&told) {
            scope.spawn(move || {
                if let Some(group) = Pid::from_raw(group) {
                    Group::with_id(group).clear(GRACE);
                    descendants::end(&mark, GRACE);
                }
            });
        }
    });
}

/// The programs that have begun and not ended: their groups and marks.
fn running(told: &[u8]) -> BTreeMap<i32, Vec<(OsString, OsString)>> {
    let mut running = BTreeMap::new();
    let mut record: Vec<&[u8]> = Vec::new();
    for word in told.split(|byte| *byte == 0) {
        if !word.is_empty() {
            record.push(word);
            continue;
        }
        let id = record.first().and_then(|id| std::str::from_utf8(id).ok());
        if let Some(id) = id.and_then(|id| id.parse::<i32>().ok()) {
            let mark = record.iter().skip(1).filter_map(|word| variable(word));
            running.insert(id, mark.collect());
            running.remove(&-id);
        }
        record.clear();
    }
    running.retain(|id, _| *id > 0);
    running
}

fn variable(word: &[u8]) -> Option<(OsString, OsString)> {
    let at = word.iter().position(|byte| *byte == b'=')?;
    let (name, value) = word.split_at_checked(at)?;
    let text = |bytes: &[u8]| OsString::from_vec(bytes.to_vec());
    Some((text(name), text(value.get(1..)?)))
}
