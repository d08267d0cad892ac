//! The process group of a started program.

use std::process::Child;
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group, test_kill_process_group};

use crate::model::Foreign;
use crate::world::real_process::Stat;

/// How long to wait for a group whose program has exited.
const LEFT_BEHIND: Duration = Duration::from_secs(1);

/// The poll interval meanwhile.
const POLL: Duration = Duration::from_millis(5);

/// A process group; its id is the pid of its first program.
///
/// The id stays taken while any process of the group lives, so a signal to a living group cannot reach another one. A
/// signal to a group that is gone is an error, which is harmless.
#[derive(Debug, Clone, Copy)]
pub(super) struct Group(Pid);

impl Group {
    pub(super) fn of(child: &Child) -> Self {
        Self(Pid::from_child(child))
    }

    pub(super) fn with_id(id: Pid) -> Self {
        Self(id)
    }

    pub(super) fn id(self) -> i32 {
        self.0.as_raw_nonzero().get()
    }

    /// Asks all its processes to terminate.
    pub(super) fn ask_to_end(self) {
        let _gone = kill_process_group(self.0, Signal::TERM);
    }

    /// Kills all its processes.
    pub(super) fn kill(self) {
        let _gone = kill_process_group(self.0, Signal::KILL);
    }

    /// Whether any of its processes is alive (a zombie is not).
    fn is_alive(self) -> bool {
        !self.members().is_empty()
    }

    /// The names of its processes that have not ended. Without `/proc`, a group that accepts a signal counts as one
    /// process without a name.
    pub(super) fn members(self) -> Vec<Foreign> {
        if test_kill_process_group(self.0).is_err() {
            return Vec::new();
        }
        alive(self.0).unwrap_or_else(|| vec!["a process".into()])
    }

    /// Ends all its processes: first with a request, then with a kill.
    pub(super) fn clear(self, grace: Duration) {
        self.ask_to_end();
        if !self.ends_within(grace.min(LEFT_BEHIND)) {
            self.kill();
            // A kill takes a moment; the next program should not meet processes that are still exiting.
            self.ends_within(LEFT_BEHIND);
        }
    }

    fn ends_within(self, most: Duration) -> bool {
        let begun = Instant::now();
        while self.is_alive() {
            if begun.elapsed() >= most {
                return false;
            }
            thread::sleep(POLL);
        }
        true
    }
}

/// The names of the running processes of a group; `None` without `/proc`.
fn alive(group: Pid) -> Option<Vec<Foreign>> {
    let entries = std::fs::read_dir("/proc").ok()?;
    let group = Group(group).id();
    let stats = entries.flatten().filter(|entry| {
        let name = entry.file_name();
        name.as_encoded_bytes()
            .first()
            .is_some_and(u8::is_ascii_digit)
    });
    let stats = stats.filter_map(|entry| std::fs::read(entry.path().join("stat")).ok());
    Some(stats.filter_map(|stat| member(&stat, group)).collect())
}

/// The name in a line of `/proc/PID/stat`, if the process is in the group and has not ended.
fn member(stat: &[u8], group: i32) -> Option<Foreign> {
    let stat =
        Stat::parse(stat).filter(|stat| !stat.has_ended() && stat.field(5) == Some(group))?;
    Some(stat.name.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_running_processes_count() {
        let table = [
            ("7 (sh) S 1 42 42 0", Some("sh")),
            ("7 (a) b) R 1 42 42 0", Some("a) b")),
            ("7 (sh) Z 1 42 42 0", None),
            ("7 (sh) S 42 43 42 0", None),
            ("", None),
        ];
        for (stat, name) in table {
            let name = name.map(Foreign::from);
            assert_eq!(member(stat.as_bytes(), 42), name, "{stat}");
        }
    }
}
