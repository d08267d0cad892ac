//! The processes of this machine, from `/proc`, and the sessions of the person's tmux server.
//!
//! Listed once and cached until [`Processes::refresh`]: a scan of thousands of pipelines asks the same question for
//! each. Without `/proc` the list is an error, and liveness stays unknown.

mod proc;
mod tmux;

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

pub(super) use proc::{Stat, may_write};

use super::agents::Agents;
use super::command;
use super::process::{Process, Processes, TmuxSession};
use crate::model::Foreign;

type Listing = Result<Arc<[Process]>, Foreign>;
type Sessions = Result<Vec<TmuxSession>, Foreign>;

/// The processes of this machine.
#[derive(Debug, Default)]
pub struct RealProcesses {
    /// Which programs are agents.
    pub(super) agents: Agents,
    listing: Mutex<Option<Listing>>,
    sessions: Mutex<Option<Sessions>>,
}

impl Processes for RealProcesses {
    fn list(&self) -> Result<Vec<Process>, Foreign> {
        self.snapshot().map(|all| all.to_vec())
    }

    fn snapshot(&self) -> Result<Arc<[Process]>, Foreign> {
        kept(&self.listing, || {
            let user = rustix::process::getuid().as_raw();
            proc::list(Path::new("/proc"), user).map(Arc::from)
        })
    }

    fn tmux(&self) -> Result<Vec<TmuxSession>, Foreign> {
        kept(&self.sessions, tmux::sessions)
    }

    fn ancestors(&self) -> Vec<u32> {
        let all = self.snapshot().unwrap_or_default();
        line(
            std::process::id(),
            std::os::unix::process::parent_id(),
            &all,
        )
    }

    fn agents(&self) -> &Agents {
        &self.agents
    }

    fn on_path(&self, program: &str) -> bool {
        command::find(program, std::env::var_os("PATH").as_deref()).is_some()
    }

    fn refresh(&self) {
        forget(&self.listing);
        forget(&self.sessions);
    }
}

/// The cached answer, or a new one. A thread that panicked while it asked leaves no partial state here.
fn kept<T: Clone>(cell: &Mutex<Option<T>>, ask: impl FnOnce() -> T) -> T {
    let mut cell = cell.lock().unwrap_or_else(PoisonError::into_inner);
    cell.get_or_insert_with(ask).clone()
}

fn forget<T>(cell: &Mutex<Option<T>>) {
    *cell.lock().unwrap_or_else(PoisonError::into_inner) = None;
}

/// A process and its ancestors, itself first. The direct parent comes from the kernel, so that these two are known even
/// without a list.
fn line(own: u32, parent: u32, all: &[Process]) -> Vec<u32> {
    let mut found = vec![own];
    let mut at = parent;
    while at != 0 && !found.contains(&at) {
        found.push(at);
        let above = all.iter().find(|process| process.pid == at);
        at = above.map_or(0, |process| process.parent);
    }
    found
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    #[test]
    fn ancestors_end_even_in_a_cycle() {
        let process = |pid, parent| Process {
            pid,
            parent,
            ..Process::default()
        };
        let all = [
            process(1, 0),
            process(5, 1),
            process(9, 5),
            process(7, 8),
            process(8, 7),
        ];
        assert_eq!(line(20, 9, &all), [20, 9, 5, 1]);
        assert_eq!(line(20, 7, &all), [20, 7, 8]);
        assert_eq!(line(20, 19, &[]), [20, 19]);
    }

    #[test]
    fn relight_finds_itself_and_a_child_with_its_folder() {
        let dir = crate::world::temporary::directory();
        let mut child = Command::new("/bin/sleep")
            .arg("300")
            .current_dir(dir.path())
            .spawn()
            .unwrap();
        let processes = RealProcesses::default();
        // A child that was just started has no arguments for a moment.
        let (all, found) = loop {
            let all = processes.list().unwrap();
            let found = all.iter().find(|p| p.pid == child.id()).cloned();
            if found.as_ref().is_none_or(|found| !found.argv.is_empty()) {
                break (all, found);
            }
            processes.refresh();
        };
        child.kill().unwrap();
        child.wait().unwrap();
        let found = found.expect("the child is in the list");
        assert_eq!(found.cwd, dir.path().canonicalize().ok());
        assert_eq!(found.argv.last(), Some(&Foreign::from("300")));
        assert_eq!(found.parent, std::process::id());
        assert!(found.readable && found.started.is_some());
        assert_eq!(processes.ancestors().first(), Some(&std::process::id()));
        assert!(all.iter().any(|p| p.pid == std::process::id()));
        assert!(
            processes
                .list()
                .unwrap()
                .iter()
                .any(|p| p.pid == child.id()),
            "the list is cached"
        );
        processes.refresh();
        assert!(
            processes
                .list()
                .unwrap()
                .iter()
                .all(|p| p.pid != child.id()),
            "until a refresh"
        );
    }
}
