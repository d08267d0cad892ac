//! Ends a program that runs in the background of relight when relight itself is gone: killed, or without memory. A
//! process of relight's own waits for that at the end of a pipe, whose other end only relight has.

use std::ffi::{OsStr, OsString};
use std::io::{Read, Write as _};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::os::unix::process::CommandExt as _;
use std::path::PathBuf;
use std::process::{Child, Stdio};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use memchr::memmem;
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

/// What ends each message to it; the words of a message have a zero byte between them.
const END: &[u8] = &[0, 0];

/// The process that waits for the end of relight, from the first program on: one for all of them.
static WAITING: Mutex<Option<Child>> = Mutex::new(None);

/// A program that ends with relight, until this is dropped.
pub(super) struct Lifeline(Option<Group>);

impl Lifeline {
    /// Starts the process that waits, unless it was. Where that fails, the program outlives a relight that is killed.
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
        let mut waiting = waiting();
        let ended = |child: &mut Child| !matches!(child.try_wait(), Ok(None));
        if waiting.as_mut().is_none_or(ended) {
            *waiting = OWN.get().and_then(|own| start(own).ok());
        }
        Self(None)
    }

    /// Tells it what to end: the group, and what has the mark.
    pub(super) fn tell(&mut self, group: Group, mark: &Mark) {
        say(&begun(group, mark));
        self.0 = Some(group);
    }
}

impl Drop for Lifeline {
    fn drop(&mut self) {
        if let Some(group) = self.0 {
            say(&ended(group));
        }
    }
}

fn waiting() -> MutexGuard<'static, Option<Child>> {
    WAITING.lock().unwrap_or_else(PoisonError::into_inner)
}

fn say(words: &[u8]) {
    let mut waiting = waiting();
    if let Some(pipe) = waiting.as_mut().and_then(|child| child.stdin.as_mut()) {
        let _ignored = pipe.write_all(words);
    }
}

/// What it is told of a program that begins.
pub(super) fn begun(group: Group, mark: &Mark) -> Vec<u8> {
    let mut told = group.id().to_string().into_bytes();
    for (name, value) in mark {
        told.extend([&[0], name.as_bytes(), b"=", value.as_bytes()].concat());
    }
    told.extend(END);
    told
}

/// What it is told of one that ended.
pub(super) fn ended(group: Group) -> Vec<u8> {
    let mut told = format!("-{}", group.id()).into_bytes();
    told.extend(END);
    told
}

/// Waits until relight is gone, then ends the programs that it told of and that have not ended.
pub fn wait_for_the_end(mut pipe: impl Read) {
    let mut told = Vec::new();
    if pipe.read_to_end(&mut told).is_err() {
        return;
    }
    let mut running: Vec<(Pid, Vec<(OsString, OsString)>)> = Vec::new();
    let mut rest = told.as_slice();
    // What follows the last end was cut off with relight.
    while let Some((one, after)) = memmem::find(rest, END).and_then(|at| rest.split_at_checked(at))
    {
        rest = after.strip_prefix(END).unwrap_or_default();
        let mut words = one.split(|byte| *byte == 0);
        let id = words.next().and_then(|id| std::str::from_utf8(id).ok());
        let Some(id) = id.and_then(|id| id.parse::<i32>().ok()) else {
            return;
        };
        let Some(group) = Pid::from_raw(id.abs()) else {
            return;
        };
        running.retain(|(other, _)| *other != group);
        // That of one that ended has a minus.
        if id > 0 {
            running.push((group, words.filter_map(variable).collect()));
        }
    }
    for (group, _) in &running {
        Group::with_id(*group).ask_to_end();
    }
    for (group, mark) in running {
        Group::with_id(group).clear(GRACE);
        descendants::end(&mark, GRACE);
    }
}

/// A variable of a mark.
fn variable(word: &[u8]) -> Option<(OsString, OsString)> {
    let at = word.iter().position(|byte| *byte == b'=')?;
    let (name, value) = word.split_at_checked(at)?;
    let text = |bytes: &[u8]| OsString::from_vec(bytes.to_vec());
    Some((text(name), text(value.get(1..)?)))
}
