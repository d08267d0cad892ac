//! Queries the person's tmux server with one command: every pane with its session.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::PathBuf;
use std::time::Duration;

use chrono::{DateTime, Utc};

use crate::model::Foreign;
use crate::world::command::{self, Answer};
use crate::world::process::{Pane, TmuxSession};

/// How long tmux may take. On a busy machine it needs more than a second; without an answer nothing is applied.
const LIMIT: Duration = Duration::from_secs(3);

/// One row for each pane. The command is last because it may contain anything.
const FORMAT: &str =
    "#{session_name}\t#{session_created}\t#{pane_pid}\t#{pane_current_path}\t#{pane_start_command}";

/// The errors of tmux if no server runs; then there are no sessions.
const NO_SERVER: &[&str] = &[
    "no server running",
    "(No such file or directory)",
    "(Connection refused)",
];

/// The sessions of the server, by name.
pub(super) fn sessions() -> Result<Vec<TmuxSession>, Foreign> {
    let path = std::env::var_os("PATH");
    let program = command::find("tmux", path.as_deref()).ok_or_else(|| {
        let why = command::NoAnswer::NotInstalled("tmux".to_owned());
        Foreign::from(why.to_string())
    })?;
    // Without -u, tmux writes `_` for tabs and all non-ASCII characters unless the locale is UTF-8.
    let args = ["-u", "list-panes", "-a", "-F", FORMAT].map(OsStr::new);
    let answer = command::ask(&program, &args, LIMIT);
    answered(answer.map_err(|why| Foreign::from(why.to_string()))?)
}

fn answered(answer: Answer) -> Result<Vec<TmuxSession>, Foreign> {
    if answer.ok {
        return Ok(rows(&answer.stdout));
    }
    let said = String::from_utf8_lossy(&answer.stderr);
    if NO_SERVER.iter().any(|words| said.contains(words)) {
        return Ok(Vec::new());
    }
    let first = Foreign::from(answer.stderr).lines().next();
    Err(first
        .filter(|line| !line.is_empty())
        .unwrap_or_else(|| "tmux failed without a message".into()))
}

/// Panes grouped by session. A truncated or garbled row still names its session.
fn rows(stdout: &[u8]) -> Vec<TmuxSession> {
    let mut sessions: BTreeMap<Vec<u8>, TmuxSession> = BTreeMap::new();
    for row in stdout.split(|b| *b == b'\n').filter(|row| !row.is_empty()) {
        let mut fields = row.splitn(5, |b| *b == b'\t');
        let mut next = || fields.next().unwrap_or_default();
        let (name, created, pid, cwd, command) = (next(), next(), next(), next(), next());
        let session = sessions
            .entry(name.to_vec())
            .or_insert_with(|| TmuxSession {
                name: Foreign::from(name),
                created: moment(created),
                panes: Vec::new(),
            });
        session.panes.extend(number(pid).map(|pid| Pane {
            pid,
            cwd: PathBuf::from(OsStr::from_bytes(cwd)),
            command: Foreign::from(command),
        }));
    }
    sessions.into_values().collect()
}

fn moment(seconds: &[u8]) -> Option<DateTime<Utc>> {
    DateTime::from_timestamp(number(seconds)?, 0)
}

fn number<T: std::str::FromStr>(digits: &[u8]) -> Option<T> {
    std::str::from_utf8(digits).ok()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(ok: bool, stdout: &str, stderr: &str) -> Result<Vec<TmuxSession>, Foreign> {
        answered(Answer {
            ok,
            stdout: stdout.into(),
            stderr: stderr.into(),
        })
    }

    #[test]
    fn panes_are_grouped_by_session() {
        let text = "b\t1000\t7\t/p\t\"bash run.sh\"\n\
                    a c\t2000\t8\t/p q\t\n\
                    b\t1000\t9\t/z\ta\tb\n";
        let all = said(true, text, "").unwrap();
        let names: Vec<String> = all.iter().map(|s| s.name.lossy().into_owned()).collect();
        assert_eq!(names, ["a c", "b"]);
        assert_eq!(all[1].created, DateTime::from_timestamp(1000, 0));
        let pids: Vec<u32> = all[1].panes.iter().map(|p| p.pid).collect();
        assert_eq!(pids, [7, 9]);
        assert_eq!(all[0].panes[0].cwd, PathBuf::from("/p q"));
        assert_eq!(all[1].panes[1].command, "a\tb", "a command may hold tabs");
    }

    #[test]
    fn no_server_means_no_sessions_and_other_errors_are_errors() {
        for (stderr, sessions) in [
            ("no server running on /tmp/tmux-0/default\n", true),
            (
                "error connecting to /tmp/tmux-0/default (No such file or directory)\n",
                true,
            ),
            (
                "error connecting to /tmp/tmux-0/default (Permission denied)\n",
                false,
            ),
            ("", false),
        ] {
            assert_eq!(said(false, "", stderr).is_ok(), sessions, "{stderr}");
        }
    }

    #[test]
    fn a_garbled_row_still_names_its_session() {
        let all = said(true, "dpdisp_stage-2\tx\n\n", "").unwrap();
        assert_eq!(all.len(), 1);
        assert_eq!((all[0].panes.len(), all[0].created), (0, None));
    }
}
