//! Processes that a program started and that left its process group (`setsid`, a daemon). They are found by the
//! variables that the program was started with: every descendant inherits them unless it clears them.

use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};

use crate::model::Foreign;
use crate::world::real_process::Stat;

/// The time between a request to terminate and a kill.
const GRACE: Duration = Duration::from_secs(1);

/// How often they are searched for meanwhile.
const POLL: Duration = Duration::from_millis(10);

/// How many rounds of searching: a program that starts processes faster than they can be killed is given up.
const ROUNDS: usize = 200;

/// How many bytes of one environment are read.
const ENVIRONMENT: u64 = 1 << 20;

/// Variables whose values only one program and its descendants have. If empty, nothing is searched.
pub type Mark = [(OsString, OsString)];

/// A process that has the mark.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Descendant {
    /// Its id.
    pub pid: u32,
    /// Its short name as the kernel has it.
    pub name: Foreign,
}

/// The running processes that have a mark, by id, without this process.
pub fn marked(mark: &Mark) -> Vec<Descendant> {
    if mark.is_empty() {
        return Vec::new();
    }
    let wanted = variables(mark);
    let Ok(entries) = std::fs::read_dir("/proc") else {
        return Vec::new();
    };
    let mut found: Vec<Descendant> = entries
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .filter(|pid| *pid != std::process::id())
        .filter_map(|pid| has_all(pid, &wanted).then(|| described(pid))?)
        .collect();
    found.sort_unstable_by_key(|one| one.pid);
    found
}

/// Ends every process that has a mark: first with a request, then with a kill. Returns the names of the processes that
/// were found.
pub(super) fn end(mark: &Mark, grace: Duration) -> Vec<Foreign> {
    let first = marked(mark);
    if first.is_empty() {
        return Vec::new();
    }
    let names = first.iter().map(|one| one.name.clone()).collect();
    signal(&first, mark, Signal::TERM);
    let begun = Instant::now();
    for _ in 0..ROUNDS {
        thread::sleep(POLL);
        let left = marked(mark);
        if left.is_empty() {
            break;
        }
        if begun.elapsed() >= grace.min(GRACE) {
            signal(&left, mark, Signal::KILL);
        }
    }
    names
}

/// Sends a signal to the processes that still have the mark. The descriptor is opened before the mark is checked again,
/// so that a process which reuses the pid of an ended one never gets the signal.
fn signal(to: &[Descendant], mark: &Mark, signal: Signal) {
    let wanted = variables(mark);
    for one in to {
        let pid = i32::try_from(one.pid).ok().and_then(Pid::from_raw);
        let handle = pid.and_then(|pid| pidfd_open(pid, PidfdFlags::empty()).ok());
        if let Some(handle) = handle
            && has_all(one.pid, &wanted)
        {
            let _gone = pidfd_send_signal(handle, signal);
        }
    }
}

fn variables(mark: &Mark) -> Vec<Vec<u8>> {
    let all = mark.iter();
    all.map(|(name, value)| [name.as_bytes(), b"=", value.as_bytes()].concat())
        .collect()
}

/// Whether the environment that a process was started with has all of these. The environment of another user's process
/// cannot be read, and that of an ended one is empty.
fn has_all(pid: u32, wanted: &[Vec<u8>]) -> bool {
    let file = Path::new("/proc").join(pid.to_string()).join("environ");
    let Ok(environment) = read(&file) else {
        return false;
    };
    wanted.iter().all(|one| {
        environment
            .split(|byte| *byte == 0)
            .any(|variable| variable == one.as_slice())
    })
}

fn described(pid: u32) -> Option<Descendant> {
    let text = read(&Path::new("/proc").join(pid.to_string()).join("stat")).ok()?;
    let stat = Stat::parse(&text).filter(|stat| !stat.has_ended())?;
    let name = stat.name.into();
    Some(Descendant { pid, name })
}

fn read(file: &Path) -> std::io::Result<Vec<u8>> {
    use std::io::Read as _;
    let mut bytes = Vec::new();
    std::fs::File::open(file)?
        .take(ENVIRONMENT)
        .read_to_end(&mut bytes)?;
    Ok(bytes)
}
