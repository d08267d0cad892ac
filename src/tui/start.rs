//! From what the command line and the configuration say to a running console.

use std::io;
use std::sync::Arc;

use super::data::Request;
use super::run::{Look, Start, run};
use super::theme::Palette;
use super::worker::Source;
use crate::config::{Config, Confirm, Theme};
use crate::engine::{self, Engine};
use crate::model::Clean;

/// Opens the console on an engine. Returns the message to print after the terminal was restored. Without `colored`, no
/// colour is used whatever the configuration says. `plain` reads the screens as lines.
///
/// # Errors
/// The terminal could not be taken, or was lost.
pub fn open(
    engine: Engine,
    request: engine::Request,
    config: &Config,
    colored: bool,
    plain: bool,
) -> io::Result<Option<Clean>> {
    let palette = match config.theme.value {
        _ if !colored => Some(Palette::None),
        Theme::Terminal => None,
        Theme::Dark => Some(Palette::Dark),
        Theme::Light => Some(Palette::Light),
        Theme::None => Some(Palette::None),
    };
    let start = Start {
        request: Request {
            paths: request
                .paths
                .iter()
                .map(|path| request.cwd.join(path))
                .collect(),
            ..request
        },
        palette,
        keys: config.keys.value.clone().into_iter().collect(),
        look: match config.mouse.value {
            _ if plain => Look::Plain,
            true => Look::DrawnWithMouse,
            false => Look::Drawn,
        },
        notify: config.notify.value,
        read_only: config.read_only.value,
        views: config.view.value.clone(),
        always_typed: config.confirm.value == Confirm::Typed,
    };
    let source: Arc<dyn Source> = Arc::new(engine);
    run(&source, start)
}

/// The background of the terminal that this runs in, where it answers. Only while no console runs.
pub fn background() -> Option<&'static str> {
    super::terminal::background().map(crate::tui::theme::Background::word)
}
