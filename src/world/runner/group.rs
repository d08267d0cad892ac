//! The process group of a program that was started.

use std::process::Child;
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group, test_kill_process_group};

/// The longest that a group is waited for whose program has ended by itself.
const LEFT_BEHIND: Duration = Duration::from_secs(1);

/// How often it is looked at meanwhile.
const POLL: Duration = Duration::from_millis(5);

/// A process group; its number is its first program's.
///
/// A number stays taken while anything of the group lives, so that a signal to a living group cannot reach
/// another. To one that is gone it is an error, which is fine.
#[derive(Debug, Clone, Copy)]
pub(super) struct Group(Pid);

impl Group {
    pub(super) fn of(child: &Child) -> Self {
        Self(Pid::from_child(child))
    }

    /// Asks all of it to end.
    pub(super) fn ask_to_end(self) {
        let _gone = kill_process_group(self.0, Signal::TERM);
    }

    /// Ends all of it.
    pub(super) fn kill(self) {
        let _gone = kill_process_group(self.0, Signal::KILL);
    }

    /// Whether anything of it is there that is more than a number waiting to be noticed by its parent.
    pub(super) fn is_alive(self) -> bool {
        test_kill_process_group(self.0).is_ok() && any_alive(self.0)
    }

    /// Makes all of it end: asks first, and kills what does not listen.
    pub(super) fn clear(self, grace: Duration) {
        self.ask_to_end();
        if !self.ends_within(grace.min(LEFT_BEHIND)) {
            self.kill();
            // A kill is not done when it was sent; the next program should not meet what is still dying.
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

/// Whether a process of the group runs, by `/proc`. Where there is none, every answer to a signal counts.
fn any_alive(group: Pid) -> bool {
    let Ok(entries) = std::fs::read_dir("/proc") else {
        return true;
    };
    let group = group.as_raw_nonzero().get().to_string();
    let stats = entries.flatten().filter(|entry| {
        let name = entry.file_name();
        name.as_encoded_bytes()
            .first()
            .is_some_and(u8::is_ascii_digit)
    });
    stats
        .filter_map(|entry| std::fs::read(entry.path().join("stat")).ok())
        .any(|stat| is_alive_in(&String::from_utf8_lossy(&stat), &group))
}

/// Whether a line of `/proc/PID/stat` tells of a process of the group that has not ended. Its fields follow the
/// name in brackets, which may hold brackets itself.
fn is_alive_in(stat: &str, group: &str) -> bool {
    let Some((_, fields)) = stat.rsplit_once(')') else {
        return false;
    };
    let mut fields = fields.split_ascii_whitespace();
    let state = fields.next();
    let _parent = fields.next();
    fields.next() == Some(group) && !matches!(state, Some("Z" | "X"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_has_not_ended_counts() {
        let table = [
            ("7 (sh) S 1 42 42 0", true),
            ("7 (a) b) R 1 42 42 0", true),
            ("7 (sh) Z 1 42 42 0", false),
            ("7 (sh) S 42 43 42 0", false),
            ("", false),
        ];
        for (stat, alive) in table {
            assert_eq!(is_alive_in(stat, "42"), alive, "{stat}");
        }
    }
}
