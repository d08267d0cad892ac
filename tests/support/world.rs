//! The world of a case: its own folder, clock, processes and places, with real files and real git.

use relight::git::RealGit;
use relight::model::Foreign;
use relight::world::Places;
use relight::world::clock::FixedClock;
use relight::world::process::{Pane, Process, TmuxSession};
use relight::world::real_files::RealFiles;

use super::Trouble;
use super::case::{At, Case, Running, Session};
use super::fake::{FakeProcesses, FakeWorld};
use super::words::Words;

/// A case's world.
pub(crate) type FixtureWorld = FakeWorld<RealGit>;

/// Makes the world of a case.
pub(crate) fn world(words: &Words, case: &Case) -> Result<FixtureWorld, Trouble> {
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
    Ok(FakeWorld {
        clock: FixedClock(case.now.0),
        files: RealFiles,
        git: RealGit,
        processes,
        places: Places {
            state: Some(home.join(".local/state")),
            claude: Some(home.join(".claude")),
            home: Some(home),
            temp: vec![words.root.join("tmp")],
            uid: rustix::process::geteuid().as_raw(),
            ..Places::default()
        },
    })
}

fn process(words: &Words, running: &Running) -> Result<Process, Trouble> {
    let argv = running.argv.iter().map(|arg| words.text(arg));
    let files = running.open_files.iter().map(|file| words.path(file));
    let writes = running.writes.iter().map(|file| words.path(file));
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
        writes: writes.collect::<Result<_, _>>()?,
        readable: running.readable,
        own: running.own,
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
