//! The world of a case: its own folder, clock, processes and places, with real files and real git.

use relight::git::RealGit;
use relight::model::Foreign;
use relight::world::clock::FixedClock;
use relight::world::fake::FakeProcesses;
use relight::world::files::Files;
use relight::world::git::Git;
use relight::world::process::{Pane, Process, Processes, TmuxSession};
use relight::world::real_files::RealFiles;
use relight::world::{Clock, Places, World};

use super::Trouble;
use super::case::{At, Case, Running, Session};
use super::words::Words;

/// A case's world.
pub(crate) struct FixtureWorld {
    clock: FixedClock,
    files: RealFiles,
    git: Box<dyn Git>,
    processes: FakeProcesses,
    places: Places,
}

impl FixtureWorld {
    pub(crate) fn new(words: &Words, case: &Case) -> Result<Self, Trouble> {
        let mut processes = FakeProcesses {
            unreadable: case.processes_unreadable.clone(),
            tmux_unreadable: case.tmux_unreadable.clone(),
            ancestors: case.ancestors.clone(),
            programs: case.programs.iter().cloned().collect(),
            ..FakeProcesses::default()
        };
        for running in &case.processes {
            processes.list.push(process(words, running)?);
        }
        for session in &case.tmux {
            processes.tmux.push(tmux(words, session)?);
        }
        let home = words.root.join("home");
        Ok(Self {
            clock: FixedClock(case.now.0),
            files: RealFiles,
            git: Box::new(RealGit),
            processes,
            places: Places {
                state: Some(home.join(".local/state")),
                claude: Some(home.join(".claude")),
                home: Some(home),
                temp: vec![words.root.join("tmp")],
                uid: rustix::process::geteuid().as_raw(),
            },
        })
    }
}

fn process(words: &Words, running: &Running) -> Result<Process, Trouble> {
    let argv = running.argv.iter().map(|arg| words.text(arg));
    let files = running.open_files.iter().map(|file| words.path(file));
    Ok(Process {
        pid: running.pid,
        parent: running.parent,
        name: Foreign::from(running.name.as_str()),
        argv: argv
            .map(|arg| arg.map(Foreign::from))
            .collect::<Result<_, _>>()?,
        cwd: running
            .cwd
            .as_deref()
            .map(|cwd| words.path(cwd))
            .transpose()?,
        started: running.started.map(At::utc),
        open_files: files.collect::<Result<_, _>>()?,
        readable: running.readable,
    })
}

fn tmux(words: &Words, session: &Session) -> Result<TmuxSession, Trouble> {
    Ok(TmuxSession {
        name: Foreign::from(words.text(&session.name)?),
        created: session.created.map(At::utc),
        panes: vec![Pane {
            pid: session.pid,
            cwd: words.path(&session.cwd)?,
            command: Foreign::from(words.text(&session.command)?),
        }],
    })
}

impl World for FixtureWorld {
    fn clock(&self) -> &dyn Clock {
        &self.clock
    }

    fn files(&self) -> &dyn Files {
        &self.files
    }

    fn git(&self) -> &dyn Git {
        self.git.as_ref()
    }

    fn processes(&self) -> &dyn Processes {
        &self.processes
    }

    fn places(&self) -> &Places {
        &self.places
    }
}
