//! From the command line and the configuration to an engine and a request.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::cli::answer::Failure;
use crate::cli::args::{Globals, ScopeChoice};
use crate::config::Config;
use crate::engine::{Engine, EngineError, ErrorKind, Request, Scope, Settings};

/// What a command works with.
pub(crate) struct Session {
    pub(crate) engine: Engine,
    pub(crate) request: Request,
    pub(crate) config: Config,
    /// The command line as it was typed.
    pub(crate) said: Vec<OsString>,
}

/// Sets up the engine.
pub(crate) fn session(globals: &Globals, paths: &[PathBuf]) -> Result<Session, Failure> {
    let config =
        Config::load(globals.config.as_deref(), &|key| std::env::var_os(key)).map_err(|error| {
            EngineError::new(ErrorKind::Usage, error.to_string())
                .hint("relight runs without a configuration file; every key has a default.")
        })?;
    let cwd = std::env::current_dir().map_err(|error| {
        EngineError::new(
            ErrorKind::NotFound,
            format!("The current directory cannot be read: {error}."),
        )
        .hint("Change to a directory that exists.")
    })?;
    let named = paths.iter().map(|path| cwd.join(path)).collect::<Vec<_>>();
    let near: Vec<&Path> = std::iter::once(cwd.as_path())
        .chain(named.iter().map(PathBuf::as_path))
        .collect();
    let settings = Settings::of(&config)?;
    let engine = Engine::of_this_machine(config.roots.value.clone(), &near).with_settings(settings);
    let request = Request {
        cwd,
        scope: globals.scope.map(|scope| match scope {
            ScopeChoice::Here => Scope::Here,
            ScopeChoice::Repository => Scope::Repository,
            ScopeChoice::Machine => Scope::Machine,
        }),
        system: globals.system.clone(),
        roots: globals.roots.clone(),
        ..Request::default()
    };
    Ok(Session {
        engine,
        request,
        config,
        said: Vec::new(),
    })
}
