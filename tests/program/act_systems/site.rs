//! A folder with pipelines in it, and the engine that a person would stand before.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use crate::support::fake::{FakeProcesses, FakeWorld};
use chrono::{DateTime, FixedOffset};
use relight::engine::{Engine, Request, Scope};
use relight::git::RealGit;
use relight::world::agents::Agents;
use relight::world::clock::FixedClock;
use relight::world::files::Files;
use relight::world::git::Git;
use relight::world::process::Processes;
use relight::world::real_files::RealFiles;
use relight::world::{Clock, Places, World};

use super::support::Trouble;
use super::support::case::Case;
use super::support::words::Words;
use super::support::world::{FixtureWorld, world};

/// A folder with pipelines.
pub(crate) struct Site<'a> {
    /// The folder.
    pub(crate) root: PathBuf,
    now: DateTime<FixedOffset>,
    /// Engines made so far: each lives a second later than the one before.
    made: AtomicI64,
    /// What is asked of the engine.
    pub(crate) request: Request,
    case: Option<(&'a Words, &'a Case)>,
}

impl<'a> Site<'a> {
    /// A fixture that was built.
    pub(crate) fn of_case(root: &Path, words: &'a Words, case: &'a Case) -> Self {
        let named = case.open.iter().filter_map(|path| words.path(path).ok());
        Self {
            root: root.to_owned(),
            now: case.now.0,
            made: AtomicI64::new(0),
            request: Request {
                cwd: root.to_owned(),
                paths: named.collect(),
                all: true,
                ..Request::default()
            },
            case: Some((words, case)),
        }
    }

    /// The sandbox.
    pub(crate) fn of_sandbox(root: &Path, now: DateTime<FixedOffset>) -> Self {
        Self {
            root: root.to_owned(),
            now,
            made: AtomicI64::new(0),
            request: Request {
                cwd: root.join("projects"),
                paths: vec![root.join("projects")],
                all: true,
                ..Request::default()
            },
            case: None,
        }
    }

    /// Where relight keeps what it replaced.
    pub(crate) fn kept(&self) -> PathBuf {
        self.root.join("home/.local/state")
    }

    /// A new engine: nothing is remembered.
    pub(crate) fn engine(&self) -> Result<Engine, Trouble> {
        let home = self.root.join("home");
        let second = chrono::TimeDelta::seconds(self.made.fetch_add(1, Ordering::Relaxed));
        let clock = FixedClock(self.now + second);
        let world: Box<dyn World> = match self.case {
            Some((words, case)) => Box::new(Later {
                clock,
                world: world(words, case)?,
            }),
            None => Box::new(FakeWorld {
                clock,
                files: RealFiles,
                git: RealGit,
                processes: FakeProcesses::default(),
                places: Places {
                    claude: Some(home.join(".claude")),
                    state: Some(self.kept()),
                    temp: vec![home.join("tmp")],
                    home: Some(home),
                    uid: rustix::process::geteuid().as_raw(),
                    ..Places::default()
                },
            }),
        };
        Ok(Engine::new(world, Vec::new()).with_quiet(Duration::ZERO))
    }

    /// The request that finds every recovery.
    pub(crate) fn everywhere(&self) -> Request {
        Request {
            scope: Some(Scope::Machine),
            ..self.request.clone()
        }
    }
}

/// The world of a fixture at another moment.
struct Later {
    clock: FixedClock,
    world: FixtureWorld,
}

impl World for Later {
    fn clock(&self) -> &dyn Clock {
        &self.clock
    }

    fn files(&self) -> &dyn Files {
        self.world.files()
    }

    fn git(&self) -> &dyn Git {
        self.world.git()
    }

    fn processes(&self) -> &dyn Processes {
        self.world.processes()
    }

    fn places(&self) -> &Places {
        self.world.places()
    }

    fn know_agents(&mut self, agents: Agents) {
        self.world.know_agents(agents);
    }
}
