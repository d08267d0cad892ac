//! `relight doctor`: what is found where, and why something is not found; for a person and for a bug report. Reads
//! only.

use super::{cut_record, setup};
use crate::cli::OfConsole;
use crate::cli::args::Cli;
use crate::cli::prelude::*;
use crate::config::Config;
use crate::engine::{Health, SearchedPlace};
use crate::text::format::{shorten_path, shorten_paths_in};

/// Skipped files that are listed for a person.
const SKIPPED: usize = 20;

/// What is known about the terminal.
pub(crate) struct TerminalFacts {
    /// The variables that affect it and are set.
    pub(crate) variables: Vec<(&'static str, String)>,
    /// Columns and rows, where stdout is a terminal.
    pub(crate) size: Option<(u16, u16)>,
    /// Its background, where it answers.
    pub(crate) background: Option<&'static str>,
    /// Whether it may be colored.
    pub(crate) colored: bool,
    /// How text is copied to the clipboard.
    pub(crate) clipboard: &'static str,
}

pub(super) fn run(cli: &Cli, printer: &Printer, console: OfConsole) -> Result<Answer> {
    let loaded = setup::config(&cli.globals)
        .and_then(|config| setup::session_of(config, &cli.globals, &cli.near));
    // `doctor` reports an unusable configuration instead of failing, and shows the rest with the defaults.
    let (mut session, broken) = match loaded {
        Ok(session) => (session, None),
        Err(error) => {
            let session = setup::session_of(Config::default(), &cli.globals, &cli.near)?;
            (session, Some(error))
        }
    };
    session.show_searches(printer);
    let health = session.engine.health(&session.request)?;
    let terminal = terminal(printer, console);
    let config = Config::usual_file(cli.globals.config.as_deref(), &|key| std::env::var_os(key));
    let there = |file: &PathBuf| session.engine.is_there(&session.request.cwd, file);
    let config = config.filter(|file| broken.is_some() || there(file));
    let mut problems = problems(&session, &health, broken.as_ref());
    let keys = (console.unknown_keys)(&session.config).into_iter();
    problems.extend(keys.map(|what| clean!("configuration: keys: {}", what)));
    let mut page = Page::new(Printer::width());
    written(&mut page, &health, &terminal, config.as_deref(), &problems);
    let exit = Exit::of(problems.is_empty());
    let wire = report::doctor(&health, &terminal, config.as_deref(), &problems);
    Ok(Answer::new(wire, page).exit(exit))
}

/// The problems that a person should fix.
fn problems(session: &Session, health: &Health, broken: Option<&EngineError>) -> Vec<Clean> {
    let broken = broken.map(|error| clean!("configuration: {}", error.text));
    let mut problems: Vec<Clean> = broken.into_iter().collect();
    let gone = |place: &&SearchedPlace| !place.exists && place.kind == "configured";
    for place in health.places.iter().filter(gone) {
        problems.push(clean!("configured root {} does not exist", place.path));
    }
    if health.state.is_none() {
        let text = "no state directory: set HOME or XDG_STATE_HOME; nothing can be resumed";
        problems.push(Clean::new(text));
    }
    if let Some((path, why, remedy)) = &health.state_trouble {
        problems.push(clean!(
            "state directory: {}: {}: nothing can be restored; {}, or set XDG_STATE_HOME",
            path,
            why,
            remedy
        ));
    }
    if let (Some(state), Some(root)) = (&health.state, &health.state_within) {
        problems.push(clean!(
            "{} is in the project {}: nothing can be restored there; set XDG_STATE_HOME to a directory outside it",
            state,
            root
        ));
    }
    if let (Some(state), Some(free)) = (&health.state, health.free)
        && free < health.needed
    {
        problems.push(clean!(
            "{} free for {}: a restore needs {} beside what it writes",
            size(free),
            state,
            size(health.needed)
        ));
    }
    let unread: Vec<_> = health.skipped.iter().filter(|one| one.unread).collect();
    let first = unread.iter().take(SKIPPED);
    problems.extend(first.map(|one| clean!("{} {}", one.path, one.reason)));
    if let Some(more @ 1..) = unread.len().checked_sub(SKIPPED) {
        problems.push(clean!("{} more cannot be read", count(more, "path")));
    }
    for id in &health.pending {
        let recover = session.about("recover", id);
        problems.push(clean!(
            "recovery {} is pending; to recover: {}",
            id.0,
            recover
        ));
    }
    for (id, why) in health.out_of_reach.iter().take(SKIPPED) {
        let why = why.iter().map(|text| text.clean().into_string());
        let why = why.collect::<Vec<_>>().join(" ");
        problems.push(clean!(
            "recovery {} cannot be undone: {}",
            id.0,
            Clean::new(&why)
        ));
    }
    if let Some(more @ 1..) = health.out_of_reach.len().checked_sub(SKIPPED) {
        problems.push(clean!("{} more cannot be undone", count(more, "recovery")));
    }
    let cut = health.interrupted_records.iter();
    problems.extend(cut.map(cut_record));
    let unreadable = health.unreadable.iter();
    problems.extend(unreadable.map(|odd| clean!("{}: {}", odd.path, odd.reason)));
    let locks = health.index_locks.iter();
    problems.extend(locks.map(|(lock, holder)| {
        let id = holder.as_ref().map(|id| RecoveryId(id.clone()));
        let cure = match &id {
            None => clean!("let the git command end; if none runs, remove that file"),
            Some(id) if health.pending.contains(id) => {
                clean!("recovery {}; to recover: {}", id.0, session.about("recover", id))
            }
            Some(id) => clean!(
                "recovery {}, which is not in this state directory; if no relight runs and no other XDG_STATE_HOME has it, remove that file",
                id.0
            ),
        };
        clean!("git is locked by {}: {}", lock, cure)
    }));
    if health.git.is_none() {
        problems.push(Clean::new("git is not on PATH; orchestrators need it"));
    }
    // The whole text: a reason may name files too.
    let shortened = problems
        .iter()
        .map(|text| Clean::new(&shorten_paths_in(text.as_str())));
    shortened.collect()
}

fn terminal(printer: &Printer, console: OfConsole) -> TerminalFacts {
    const VARIABLES: &str = "TERM COLORTERM NO_COLOR COLUMNS TZ LANG TMUX SSH_TTY EDITOR";
    let is_set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let value = |name: &'static str| {
        let value = std::env::var_os(name)?;
        // Their values are paths and addresses.
        let told = match name {
            "TMUX" | "SSH_TTY" => "set".into(),
            _ => shorten_paths_in(&value.to_string_lossy()),
        };
        Some((name, told))
    };
    let interactive = Printer::interactive();
    let clipboard = if is_set("TMUX") {
        "tmux"
    } else if is_set("SSH_CONNECTION") || is_set("SSH_TTY") {
        "terminal (OSC 52)"
    } else if is_set("WAYLAND_DISPLAY") {
        "wl-copy, else terminal (OSC 52)"
    } else if is_set("DISPLAY") {
        "xclip, else terminal (OSC 52)"
    } else {
        "terminal (OSC 52)"
    };
    TerminalFacts {
        variables: VARIABLES.split(' ').filter_map(value).collect(),
        size: crossterm::terminal::size().ok().filter(|_| interactive),
        background: interactive.then(console.background).flatten(),
        colored: printer.color,
        clipboard,
    }
}

fn written(
    page: &mut Page,
    health: &Health,
    terminal: &TerminalFacts,
    config: Option<&Path>,
    problems: &[Clean],
) {
    let os = clean!("{} {}", std::env::consts::OS, std::env::consts::ARCH);
    let version = clean!("{} ({})", env!("CARGO_PKG_VERSION"), os);
    fact(page, "relight", version);
    let or = |path: Option<&Path>, none: &str| path.map_or_else(|| Clean::new(none), short);
    let file = or(config, "none; every key has its default");
    fact(page, "config", file);
    searched(page, health);
    page.heading("Terminal");
    match terminal.size {
        Some((columns, rows)) => fact(page, "size", clean!("{} x {}", columns, rows)),
        None => fact(page, "size", "not a terminal"),
    }
    fact(page, "colors", if terminal.colored { "yes" } else { "no" });
    let background = terminal.background.unwrap_or("no answer");
    fact(page, "background", background);
    fact(page, "clipboard", terminal.clipboard);
    for (name, value) in &terminal.variables {
        fact(page, name, Clean::new(value));
    }
    page.heading("Git");
    fact(page, "libgit2", Clean::new(&health.library));
    fact(page, "git", or(health.git.as_deref(), "not on PATH"));
    let tree = match &health.git_trouble {
        Some(why) => clean!("unknown: {}", Clean::new(why)),
        None if health.is_bare => Clean::new("none: the repository is bare"),
        None => or(health.work_tree.as_deref(), "none: not in a repository"),
    };
    fact(page, "work tree", tree);
    page.heading("State");
    if let Some(state) = &health.state {
        fact(page, "directory", short(state));
    }
    for (what, bytes) in &health.space {
        fact(page, "", clean!("{} of {}", size(*bytes), *what));
    }
    if let Some(free) = health.free {
        fact(page, "free", size(free));
    }
    page.heading("Problems");
    for problem in problems {
        page.warn(problem);
    }
    if problems.is_empty() {
        page.say(Tone::Good, "none");
    }
}

/// The places that were searched, and the results.
fn searched(page: &mut Page, health: &Health) {
    page.heading(clean!("Search, scope {}", health.scope.word()));
    for place in &health.places {
        let found = match (place.exists, place.pipelines) {
            (false, _) => "does not exist".to_owned(),
            (true, number) => count(number, "pipeline"),
        };
        let text = clean!("{}: {}", short(&place.path), found);
        fact(page, place.kind, text);
    }
    page.heading("Pipelines");
    for system in &health.systems {
        let of = system.statuses.iter();
        let of = of.map(|(status, number)| format!("{number} {}", status.word()));
        let of = of.collect::<Vec<_>>().join(", ");
        fact(page, system.name, if of.is_empty() { "none" } else { &of });
    }
    let failing = clean!("{} with a failed check", health.failing);
    fact(page, "failing", failing);
    if let Some(number) = health.hidden.outside() {
        let rest = "outside this scope; list them: relight list --all --scope machine";
        fact(page, "hidden", clean!("{} {}", number, rest));
    }
    if !health.skipped.is_empty() {
        page.heading("Skipped");
        for skipped in health.skipped.iter().take(SKIPPED) {
            let reason = shorten_paths_in(skipped.reason.clean().as_str());
            let text = clean!("{}: {}", short(&skipped.path), reason);
            page.indent(2, Tone::Plain, text);
        }
        page.rest(2, health.skipped.len(), SKIPPED);
    }
}

/// A fact beside its key, which may be the name of a system.
fn fact(page: &mut Page, key: &str, value: impl Present) {
    page.under(Tone::Faint.of(format!("{key:<17} ")), Tone::Plain, value);
}

/// A path with `~` for the home directory: the report is pasted into bug reports.
pub(crate) fn short(path: &Path) -> Clean {
    shorten_path(path, usize::MAX)
}
