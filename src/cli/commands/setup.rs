//! From the command line and the configuration to an engine and a request.

use std::cell::RefCell;
use std::mem::ManuallyDrop;

use crate::cli::args::Globals;

use crate::cli::prelude::*;
use crate::cli::print::search_line;
use crate::config::Config;
use crate::engine::{Engine, Settings, sandbox_of};
use crate::model::FoundBy;
use crate::model::commands_again::{change, rename};
use crate::text::format::shell_path;

/// The inputs of a command.
pub(crate) struct Session {
    /// Never dropped: relight ends after a command, and freeing hundreds of pipelines one by one takes longer than that.
    pub(crate) engine: ManuallyDrop<Engine>,
    pub(crate) request: Request,
    pub(crate) config: Config,
    /// The id of the pipeline that was named, and the words that find it from here.
    pub(crate) named: RefCell<Option<(PipelineId, String)>>,
    /// The command line as it was typed.
    pub(crate) said: Vec<OsString>,
    /// Cells of a line of the answer.
    pub(crate) width: usize,
}

impl Session {
    /// An empty page for the answer.
    pub(super) fn page(&self) -> Page {
        Page::new(self.width)
    }

    /// Remembers how a pipeline was named that its id alone does not find from here: by a path outside the current
    /// directory, or beneath a `--root`.
    pub(super) fn remember(&self, typed: &OsStr, id: &PipelineId) {
        let path = Path::new(typed);
        let request = &self.request;
        let is_path = self.engine.is_there(&request.cwd, path);
        let word = if is_path && request.is_away(path) {
            shell_path(path)
        } else {
            let roots = FoundBy::of(request).of_pipelines;
            Some(format!("{id}{roots}"))
        };
        let word = word.filter(|word| *word != id.0);
        *self.named.borrow_mut() = word.map(|word| (id.clone(), word));
    }

    /// A text with its commands as they work from here.
    pub(super) fn as_named(&self, text: &str) -> String {
        let by = FoundBy::of(&self.request);
        match self.named.borrow().as_ref() {
            Some((id, word)) => {
                let text = rename(text, &|_, said| id.is_called(said).then(|| word.clone()));
                by.commands(&text, None)
            }
            None => by.commands(text, None),
        }
    }

    /// The same of texts of an answer.
    pub(super) fn tell<'a>(&self, texts: impl Iterator<Item = &'a mut Foreign>) {
        texts.for_each(|text| change(text, &|text| self.as_named(text)));
    }

    /// The options with which a command without an id means what this one does to a pipeline with this root.
    pub(super) fn scope_of(&self, root: Option<&Path>) -> String {
        let mut by = FoundBy::of(&self.request);
        let named = self.named.borrow();
        let path = named.as_ref().filter(|(id, word)| !word.starts_with(&id.0));
        let cwd = &self.request.cwd;
        let here = |root: &Path| root.starts_with(cwd) || cwd.starts_with(root);
        // An id finds also what is outside the scope.
        let is_away = |root: &&Path| path.is_some() || by.of_pipelines.is_empty() && !here(root);
        if let Some(root) = root.filter(is_away).and_then(shell_path) {
            by.of_pipelines = format!(" --root {root}");
        }
        by.scope(self.request.scope)
    }

    /// The same of what an error says to do.
    pub(super) fn helpful(&self, mut error: EngineError) -> EngineError {
        self.tell(error.advice());
        error
    }

    /// The answer where there is nothing to do: why, and what to do instead.
    pub(super) fn nothing(
        &self,
        error: EngineError,
        mut page: Page,
        report: impl FnOnce(&EngineError) -> Value,
    ) -> Answer {
        let error = self.helpful(error);
        let text = std::iter::once(&error.text).chain(&error.hints);
        text.for_each(|text| page.say(Tone::Plain, text));
        Answer::new(report(&error), page).exit(Exit::No)
    }

    /// Shows on a terminal how far a search is that takes long.
    pub(super) fn show_searches(&mut self, printer: &Printer) {
        if let Some(tell) = search_line(printer.quiet) {
            self.engine.tell_searches(tell);
        }
    }

    /// The command line about a recovery, as it works from the current directory.
    pub(crate) fn about(&self, command: &str, recovery: &RecoveryId) -> Clean {
        match self.request.sandbox.as_deref().and_then(shell_path) {
            Some(root) => clean!("relight {} {} --root {}", command, recovery.0, root),
            None => clean!("relight {} {}", command, recovery.0),
        }
    }

    /// The command line that compares the files before and after a recovery.
    pub(crate) fn compare(&self, pipeline: &PipelineId, recovery: &RecoveryId) -> Clean {
        self.about(&format!("compare {pipeline}"), recovery)
    }
}

/// Refuses what writes or starts something where relight is read-only.
pub(super) fn may_act(config: &Config) -> Result<()> {
    if !config.read_only {
        return Ok(());
    }
    let text = "relight is read-only here: nothing is written or started.";
    Err(EngineError::refused(text)
        .hint("Omit --read-only, and remove read_only from the configuration."))
}

/// Sets up the engine.
pub(crate) fn session(globals: &Globals, paths: &[PathBuf]) -> Result<Session> {
    session_of(config(globals)?, globals, paths)
}

/// Reads the configuration.
pub(super) fn config(globals: &Globals) -> Result<Config> {
    let loaded = Config::load(globals.config.as_deref(), &|key| std::env::var_os(key));
    let mut config =
        loaded.map_err(|error| EngineError::usage(error.to_string()).hint(error.hint))?;
    config.read_only |= globals.read_only;
    Ok(config)
}

/// Sets up the engine with this configuration.
pub(super) fn session_of(config: Config, globals: &Globals, paths: &[PathBuf]) -> Result<Session> {
    let cwd = match std::env::current_dir() {
        Ok(cwd) => cwd,
        // What is named from the root does not need one.
        Err(_) if paths.iter().any(|path| path.is_absolute()) => PathBuf::new(),
        Err(error) => {
            let text = format!("The current directory cannot be read: {error}.");
            let error = EngineError::new(ErrorKind::NotFound, text);
            return Err(error.hint("Change to a directory that exists."));
        }
    };
    let named = paths.iter().map(|path| cwd.join(path)).collect::<Vec<_>>();
    // A named sandbox takes precedence over the current one: a person in one sandbox may look into another.
    let near: Vec<&Path> = named.iter().chain([&cwd]).map(PathBuf::as_path).collect();
    let settings = Settings::of(&config)?;
    let engine = Engine::of_this_machine(config.roots.clone(), &near)
        .with_settings(settings)
        .with_reports(super::reports::reports);
    let outside = sandbox_of(&cwd).is_none();
    let sandbox = near.iter().find_map(|path| sandbox_of(path));
    let request = Request {
        cwd,
        scope: globals.scope,
        system: globals.system.clone(),
        roots: globals.roots.clone(),
        sandbox: sandbox.filter(|_| outside),
        config: globals.config.clone(),
        ..Request::default()
    };
    Ok(Session {
        engine: ManuallyDrop::new(engine),
        request,
        config,
        named: RefCell::default(),
        said: Vec::new(),
        width: usize::MAX,
    })
}
