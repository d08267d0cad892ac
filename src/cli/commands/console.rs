//! `relight [PATH…]` on a terminal: the console.

use std::path::PathBuf;
use std::sync::Arc;

use super::setup;
use crate::cli::Exit;
use crate::cli::args::{Cli, ColorChoice};
use crate::cli::print::Printer;
use crate::config::Theme;
use crate::engine::{EngineError, ErrorKind, Scope};
use crate::tui::data::{self, Request};
use crate::tui::theme::Palette;
use crate::tui::{self, Start};

/// Opens the console on what was named.
pub(crate) fn run(cli: &Cli, printer: &Printer) -> Exit {
    open(cli, &cli.paths, printer)
}

/// Opens the console on these paths, or on the usual scope without any.
pub(crate) fn open(cli: &Cli, paths: &[PathBuf], printer: &Printer) -> Exit {
    let session = match setup::session(&cli.globals, paths) {
        Ok(session) => session,
        Err(failure) => return printer.finish(Err(failure), cli.globals.json),
    };
    let palette = match session.config.theme.value {
        _ if !colored(cli.globals.color) => Palette::None,
        Theme::Terminal => Palette::Sixteen,
        Theme::Dark => Palette::Dark,
        Theme::Light => Palette::Light,
        Theme::None => Palette::None,
    };
    let cwd = session.request.cwd;
    let start = Start {
        request: Request {
            paths: paths.iter().map(|path| cwd.join(path)).collect(),
            cwd,
            scope: session.request.scope.map(|scope| match scope {
                Scope::Here => data::Scope::Here,
                Scope::Repository => data::Scope::Repository,
                Scope::Machine => data::Scope::Machine,
                Scope::Paths => data::Scope::Paths,
            }),
            system: session.request.system,
            roots: session.request.roots,
        },
        palette,
        keys: Vec::new(),
        mouse: session.config.mouse.value,
    };
    match tui::run(Arc::new(session.engine), start) {
        Ok(()) => Exit::Done,
        Err(error) => {
            let text = format!("The console lost the terminal: {error}.");
            let error = EngineError::new(ErrorKind::Unreadable, text)
                .hint("relight list shows the same without a console.");
            printer.finish(Err(error.into()), cli.globals.json)
        }
    }
}

fn colored(choice: ColorChoice) -> bool {
    match choice {
        ColorChoice::Always => true,
        ColorChoice::Never => false,
        ColorChoice::Auto => std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty()),
    }
}
