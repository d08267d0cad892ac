//! What the console looks like: one state in, one frame out, and the map of where things went. No input or
//! output here, no clock, no thread.
//!
//! ```text
//!  relight › Pipelines                                  repository · 3 interrupted
//!  ────────────────────────────────────────────────────────────────────────────────
//!    the topmost screen, and on it the dialogs
//!
//!  what the last key led to
//!  Enter open   r resume points   / filter                           ? help  q quit
//! ```

mod browser;
mod checkpoints;
mod checks;
mod chrome;
mod comparison;
mod confirm;
mod conflict;
mod detail;
mod dialogs;
mod diff;
mod facts;
mod footer;
mod gauges;
mod handoff;
mod list;
mod look;
mod menu;
mod new_replay;
mod operands;
mod outcome;
mod pen;
mod pending;
mod phases;
mod picker;
mod pipeline;
mod plan;
mod plan_rows;
mod preview;
mod question;
mod recoveries;
mod rehearsal;
mod replay_plan;
mod replaying;
mod replays;
mod timeline;
mod trials;

use ratatui::Frame;
use ratatui::layout::{Position, Rect};

use self::pen::{Bits, Pen};
use super::geometry::Geometry;
use super::state::State;
use super::state::layer::Layer;
use super::theme::Role;
use super::words;
use crate::clean;
use crate::model::Clean;

/// The smallest screen that the console can be read on.
pub const LEAST: (u16, u16) = (60, 14);

/// A frame being drawn.
struct Canvas<'a> {
    /// What draws.
    pen: Pen<'a>,
    /// Where things went.
    map: Geometry,
    /// What is shown.
    state: &'a State,
    /// Where a person writes.
    cursor: Option<Position>,
}

/// Draws the console, and says where things went.
pub fn view(state: &State, frame: &mut Frame<'_>) -> Geometry {
    let area = frame.area();
    let mut canvas = Canvas {
        pen: Pen::new(frame.buffer_mut(), state.theme),
        // Lists remember how far they were scrolled; places are noted anew.
        map: state.geometry.clone(),
        state,
        cursor: None,
    };
    canvas.map.cover();
    if area.width < LEAST.0 || area.height < LEAST.1 {
        too_small(&mut canvas, area);
    } else {
        screen(&mut canvas, area);
    }
    let (map, cursor) = (canvas.map, canvas.cursor);
    if let Some(cursor) = cursor {
        frame.set_cursor_position(cursor);
    }
    map
}

fn screen(canvas: &mut Canvas<'_>, area: Rect) {
    let state = canvas.state;
    let base = state.layers.iter().rposition(Layer::fills);
    let body = chrome::draw(canvas, area);
    match base.and_then(|base| state.layers.get(base)) {
        Some(Layer::Pipeline(screen)) => pipeline::draw(canvas, body, screen),
        Some(Layer::Picker(screen)) => picker::draw(canvas, body, screen),
        Some(Layer::Plan(screen)) => plan::draw(canvas, body, screen),
        Some(Layer::Diff(screen)) => diff::draw(canvas, body, screen),
        Some(Layer::Recoveries(screen)) => recoveries::draw(canvas, body, screen),
        Some(Layer::Handoff(screen)) => handoff::draw(canvas, body, screen),
        Some(Layer::Rehearsal(screen)) => rehearsal::draw(canvas, body, screen),
        Some(Layer::Outcome(screen)) => outcome::draw(canvas, body, screen),
        Some(Layer::Replays(screen)) => replays::draw(canvas, body, screen),
        Some(Layer::NewReplay(screen)) => new_replay::draw(canvas, body, screen),
        Some(Layer::ReplayPlan(screen)) => replay_plan::draw(canvas, body, screen),
        Some(Layer::Conflict(screen)) => conflict::draw(canvas, body, screen),
        Some(Layer::Replaying(screen)) => replaying::draw(canvas, body, screen),
        Some(Layer::Operands(screen)) => operands::draw(canvas, body, screen),
        Some(Layer::Comparison(screen)) => comparison::draw(canvas, body, screen),
        _ => browser::draw(canvas, body),
    }
    let above = base.map_or(0, |base| base + 1);
    for layer in state.layers.iter().skip(above) {
        // A dialog has the mouse to itself.
        canvas.map.cover();
        match layer {
            Layer::Detail(detail) => detail::draw(canvas, body, detail),
            Layer::Help(menu) => menu::draw(canvas, body, menu, &menu::HELP),
            Layer::Palette(menu) => menu::draw(canvas, body, menu, &menu::PALETTE),
            Layer::Log(scroll) => dialogs::log(canvas, body, scroll.top),
            Layer::Notice(notice) => dialogs::notice(canvas, body, notice),
            Layer::Pending(screen) => pending::draw(canvas, body, screen),
            Layer::Question(question) => question::draw(canvas, body, question),
            Layer::Progress(progress) => gauges::draw(canvas, body, progress),
            _ => {}
        }
    }
    chrome::footer(canvas, area);
}

fn too_small(canvas: &mut Canvas<'_>, area: Rect) {
    let lines = [
        Bits::new().say(Role::Title, "relight"),
        Bits::new().add(
            Role::Text,
            clean!("needs {} columns and {} rows;", LEAST.0, LEAST.1),
        ),
        Bits::new().add(
            Role::Text,
            clean!("this terminal has {} and {}.", area.width, area.height),
        ),
        Bits::new().say(Role::Dim, "q leaves; relight list fits anywhere."),
    ];
    for (y, line) in (area.top()..area.bottom()).zip(&lines) {
        canvas.pen.line(Rect::new(area.x, y, area.width, 1), line);
    }
}

/// The first rows of an area, and the rest.
fn split_top(area: Rect, rows: u16) -> (Rect, Rect) {
    let rows = rows.min(area.height);
    (
        Rect::new(area.x, area.y, area.width, rows),
        Rect::new(area.x, area.y + rows, area.width, area.height - rows),
    )
}

/// The left columns of an area, and the rest.
fn split_left(area: Rect, columns: u16) -> (Rect, Rect) {
    let columns = columns.min(area.width);
    (
        Rect::new(area.x, area.y, columns, area.height),
        Rect::new(area.x + columns, area.y, area.width - columns, area.height),
    )
}

/// An area of at most this size in the middle of another.
fn centred(area: Rect, width: u16, height: u16) -> Rect {
    let (width, height) = (width.min(area.width), height.min(area.height));
    Rect::new(
        area.x + (area.width - width) / 2,
        area.y + (area.height - height) / 2,
        width,
        height,
    )
}

/// A dialog in the middle of an area, as high as its lines; returns its inside.
fn dialog(canvas: &mut Canvas<'_>, area: Rect, width: u16, lines: usize, title: &Bits) -> Rect {
    let height = u16::try_from(lines + 2).unwrap_or(u16::MAX);
    let place = centred(area, width, height);
    canvas.pen.clear(place);
    let inside = canvas.pen.frame(place, title, true);
    Rect::new(
        inside.x + 1,
        inside.y,
        inside.width.saturating_sub(2),
        inside.height,
    )
}

/// A text that wraps, with something before its first line.
fn paragraph(lead: &Bits, role: Role, text: &Clean, width: usize) -> Vec<Bits> {
    let indent = lead.width();
    let room = width.saturating_sub(indent).max(8);
    let mut lines = Vec::new();
    for (place, text) in words::wrap(text, room).into_iter().enumerate() {
        let lead = if place == 0 {
            lead.clone()
        } else {
            Bits::new().pad(indent)
        };
        lines.push(lead.add(role, text));
    }
    lines
}

/// Writes lines from the top of an area.
fn lines(canvas: &mut Canvas<'_>, area: Rect, lines: &[Bits]) {
    for (y, line) in (area.top()..area.bottom()).zip(lines) {
        canvas.pen.line(Rect::new(area.x, y, area.width, 1), line);
    }
}
