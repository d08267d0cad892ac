//! What the console looks like: one state in, one frame out, and the map of where things went. No input or
//! output here, no clock, no thread.
//!
//! ```text
//!  relight › Pipelines                                  repository · 3 interrupted
//!  ────────────────────────────────────────────────────────────────────────────────
//!    the topmost screen, and on it the dialogs
//!
//!  the message of the last key
//!  Enter open   r resume points   / filter                           ? help  q quit
//! ```

mod chrome;
pub(crate) mod facts;
pub(crate) mod footer;
pub(crate) mod list;
pub(crate) mod look;
pub(crate) mod page;
pub(crate) mod pen;
pub(crate) mod table;
pub(crate) mod tabs;

use ratatui::Frame;

use crate::text::LongWords;
use crate::tui::commands;
use crate::tui::geometry::Geometry;
use crate::tui::prelude::*;
use crate::tui::screens::browser::BrowserScreen;
use crate::tui::update::keys;
use crate::tui::view::pen::Pen;

/// The smallest screen that the console can be read on.
pub const LEAST: (u16, u16) = (60, 14);

/// Whether nothing is shown but that.
pub(crate) fn is_too_small((width, height): (u16, u16)) -> bool {
    width < LEAST.0 || height < LEAST.1
}

/// A frame being drawn.
pub(crate) struct Canvas<'a> {
    /// What draws.
    pub(crate) pen: Pen<'a>,
    /// Where things went.
    pub(crate) map: Geometry,
    /// What is shown.
    pub(crate) state: &'a State,
}

/// What the topmost screen says, for a person who does not see it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Spoken {
    /// Where the person is.
    pub(crate) title: Clean,
    /// What it says, one item a line.
    pub(crate) lines: Vec<Clean>,
    /// The selected row.
    pub(crate) selected: Option<Clean>,
    /// The message of the last line.
    pub(crate) word: Option<Clean>,
    /// The keys that matter here, with what they do.
    pub(crate) keys: Vec<Clean>,
}

/// The columns and rows in which screens are read aloud: so many that nothing is wrapped, cut or left out, and
/// that twenty times as many are a number of columns still.
const SPOKEN: Rect = Rect::new(0, 0, 3_000, 500);

/// Reads the topmost screen aloud, and says how much of its lists was read.
pub(crate) fn speak(state: &State) -> (Spoken, Geometry) {
    let mut canvas = Canvas {
        pen: Pen::speaking(state.theme),
        map: state.geometry.clone(),
        state,
    };
    // The lines of a difference are laid out before they are drawn.
    let laid_out = state.layers.is_top::<DiffScreen>();
    let width = if laid_out { state.size.0 } else { SPOKEN.width };
    let area = Rect { width, ..SPOKEN };
    chrome::header(&mut canvas, SPOKEN);
    let mut lines = canvas.pen.said().lines;
    let title = lines.drain(..1.min(lines.len())).next();
    state.top().draw(&mut canvas, area);
    let said = canvas.pen.said();
    lines.extend(said.lines);
    chrome::word(&mut canvas, SPOKEN);
    let layers = state.layers.iter().rev();
    let contexts = layers.flat_map(|screen| screen.profile().context.chain());
    let contexts: Vec<Context> = contexts.collect();
    let named = |line: Clean| commands::named(&state.keymap, line, &contexts);
    let spoken = Spoken {
        title: title.unwrap_or_default(),
        lines: lines.into_iter().map(named).collect(),
        selected: said.selected.map(named),
        word: canvas.pen.said().lines.pop().map(named),
        keys: footer::spoken(state),
    };
    (spoken, canvas.map)
}

/// Draws the console, and says where things went.
pub fn view(state: &State, frame: &mut Frame<'_>) -> Geometry {
    let area = frame.area();
    let mut canvas = Canvas {
        pen: Pen::new(frame.buffer_mut(), state.theme),
        // Lists remember how far they were scrolled; places are noted anew.
        map: state.geometry.clone(),
        state,
    };
    canvas.map.cover();
    if is_too_small((area.width, area.height)) {
        too_small(&mut canvas, area);
    } else {
        screen(&mut canvas, area);
    }
    let mut map = canvas.map;
    let named = canvas.pen.named;
    for (place, key) in named.keys {
        if keys::means_something(state, key) {
            map.spot(place, Target::Key(key));
        }
    }
    map.files = named.files;
    if let Some(cursor) = named.cursor {
        frame.set_cursor_position(cursor);
    }
    map
}

fn screen(canvas: &mut Canvas<'_>, area: Rect) {
    let state = canvas.state;
    let body = chrome::draw(canvas, area);
    let base = state.layers.base();
    let mut layers = state.layers.iter().skip(base.unwrap_or(0));
    match base.and_then(|_| layers.next()) {
        Some(screen) => screen.draw(canvas, body),
        None => BrowserScreen.draw(canvas, body),
    }
    for dialog in layers {
        // A dialog has the mouse to itself.
        canvas.map.cover();
        canvas.pen.named.keys.clear();
        dialog.draw(canvas, body);
    }
    chrome::footer(canvas, area);
}

fn too_small(canvas: &mut Canvas<'_>, area: Rect) {
    let needed = clean!("needs {} columns and {} rows;", LEAST.0, LEAST.1);
    let there = clean!("this terminal has {} and {}.", area.width, area.height);
    let quit = canvas.state.keymap.name(Cmd::Quit, []);
    let what = if canvas.state.layers.is_empty() {
        "quits"
    } else {
        "goes back"
    };
    let leave = clean!("{} {}; relight list works at any size.", quit, what);
    let lines = [
        (Role::Title, &Clean::new("relight")),
        (Role::Text, &needed),
        (Role::Text, &there),
        (Role::Dim, &leave),
    ];
    let width = usize::from(area.width);
    let lines = lines.map(|(role, text)| paragraph(&Bits::new(), role, text, width));
    canvas.lines(area, &lines.concat());
}

/// The first rows of an area, and the rest.
pub(crate) fn split_top(area: Rect, rows: u16) -> (Rect, Rect) {
    let rows = rows.min(area.height);
    (
        Rect::new(area.x, area.y, area.width, rows),
        Rect::new(area.x, area.y + rows, area.width, area.height - rows),
    )
}

/// The left columns of an area, and the rest.
pub(crate) fn split_left(area: Rect, columns: u16) -> (Rect, Rect) {
    let columns = columns.min(area.width);
    (
        Rect::new(area.x, area.y, columns, area.height),
        Rect::new(area.x + columns, area.y, area.width - columns, area.height),
    )
}

/// A table of so many rows and the explanation of one of them: side by side from a width on, where the table has this
/// share of twenty, else one above the other.
pub(crate) fn split_table(area: Rect, side: u16, share: u16, rows: usize) -> (Rect, Rect) {
    if area.width >= side {
        return split_left(area, area.width * share / 20);
    }
    let rows = u16::try_from(rows + 2).unwrap_or(u16::MAX);
    split_top(area, rows.min(area.height / 2))
}

impl Canvas<'_> {
    /// Whether all parts of a screen that needs this size for that are shown at once. Read aloud, one part is enough.
    pub(crate) fn shows_all(&self, area: Rect, least: (u16, u16)) -> bool {
        area.width >= least.0 && area.height >= least.1 && !self.pen.speaks()
    }

    /// The width of a dialog that needs no more than this.
    pub(crate) fn at_most(&self, area: Rect, width: u16) -> u16 {
        // Lines that are read aloud are not wrapped.
        if self.pen.speaks() {
            area.width
        } else {
            area.width.min(width)
        }
    }

    /// Writes lines from the top of an area; returns the area below them.
    pub(crate) fn lines(&mut self, area: Rect, lines: &[Bits]) -> Rect {
        for (row, line) in area.rows().zip(lines) {
            self.pen.line(row, line);
        }
        split_top(area, u16::try_from(lines.len()).unwrap_or(u16::MAX)).1
    }

    /// A horizontal rule with something written on it, from its second column on.
    pub(crate) fn rule(&mut self, area: Rect, over: &Bits) {
        self.pen.rule(area);
        let width = u16::try_from(over.width()).unwrap_or(u16::MAX);
        self.pen.line(split_left(inset(area), width).0, over);
    }

    /// An area of at most this size in the middle of another.
    pub(crate) fn centered(&self, area: Rect, width: u16, height: u16) -> Rect {
        let (width, height) = (self.at_most(area, width), height.min(area.height));
        Rect::new(
            area.x + (area.width - width) / 2,
            area.y + (area.height - height) / 2,
            width,
            height,
        )
    }
}

/// A dialog in the middle of an area, as high as its lines; returns its inside.
pub(crate) fn dialog(
    canvas: &mut Canvas<'_>,
    area: Rect,
    width: u16,
    lines: usize,
    title: &Bits,
) -> Rect {
    let height = u16::try_from(lines + 2).unwrap_or(u16::MAX);
    let place = canvas.centered(area, width, height);
    canvas.pen.clear(place);
    inset(canvas.pen.frame(place, title, true))
}

/// A text in lines of a width; a word that is longer than a line is broken.
pub(crate) fn wrap(text: &Clean, width: usize) -> Vec<Clean> {
    crate::text::wrap(text, width, LongWords::Break)
}

/// The same in at most so many lines: the last one takes as much of the rest as it can hold.
pub(crate) fn wrap_most(text: &Clean, width: usize, most: usize) -> Vec<Clean> {
    let mut lines = wrap(text, width);
    if lines.len() > most {
        let blank = Clean::new(" ");
        let rest = lines.split_off(most.saturating_sub(1));
        let parts: Vec<&Clean> = rest.iter().flat_map(|line| [line, &blank]).collect();
        lines.push(pen::ellipsis(&Clean::concat(parts), width));
    }
    lines
}

/// A text that wraps, with something before its first line.
pub(crate) fn paragraph(lead: &Bits, role: Role, text: &Clean, width: usize) -> Vec<Bits> {
    capped(lead, role, text, width, usize::MAX)
}

/// The same in at most so many lines, the last one cut.
pub(crate) fn capped(
    lead: &Bits,
    role: Role,
    text: &Clean,
    width: usize,
    most: usize,
) -> Vec<Bits> {
    let room = width.saturating_sub(lead.width()).max(8);
    let lines = lead.hanging().zip(wrap_most(text, room, most));
    lines.map(|(lead, text)| lead.say(role, text)).collect()
}

/// Says that something is on its way.
pub(crate) fn waiting(canvas: &mut Canvas<'_>, area: Rect, what: &'static str) {
    let line = Bits::of(Role::Accent, look::spinner(canvas.state.beat))
        .gap(1)
        .dim(what);
    let (_, below) = split_top(area, 1);
    canvas.pen.line(split_left(below, 2).1, &line);
}

/// Says that a pane is empty, and why.
pub(crate) fn nothing(canvas: &mut Canvas<'_>, area: Rect, why: impl Into<Clean>) {
    let (_, below) = split_top(area, 1.min(area.height.saturating_sub(1)));
    let lead = Bits::new().gap(1);
    let lines = paragraph(&lead, Role::Dim, &why.into(), usize::from(below.width));
    canvas.lines(below, &lines);
}

/// Says what went wrong, and what may help.
pub(crate) fn failed(canvas: &mut Canvas<'_>, area: Rect, error: &EngineError) {
    let mut page = TextPage::of(area);
    page.blank();
    page.led(&Bits::of(Role::Bad, " ✗ "), Role::Title, &error.text);
    let state = canvas.state;
    for hint in &error.hints {
        let hint = keyed_below(&state.keymap, &hint.clean(), state.below());
        page.indented(3, Role::Text, hint);
    }
    let again = Bits::of(Role::Dim, "   ").key(state.key(Cmd::Reload));
    page.line(again.dim(" tries again."));
    canvas.lines(area, &page.lines);
}

/// What was asked for, once it is there; else says why it is not.
pub(crate) fn loaded<'a, T: 'a>(
    canvas: &mut Canvas<'_>,
    area: Rect,
    load: impl Into<Option<&'a Load<T>>>,
    what: &'static str,
) -> Option<&'a Arc<T>> {
    match load.into() {
        Some(Load::Ready(value)) => return Some(value),
        Some(Load::Failed(error)) => failed(canvas, area, error),
        Some(Load::Pending) | None => waiting(canvas, area, what),
    }
    None
}

/// An area without its first column.
pub(crate) fn indented(area: Rect) -> Rect {
    split_left(area, 1).1
}

/// An area without its first and last column.
pub(crate) fn inset(area: Rect) -> Rect {
    split_left(indented(area), area.width.saturating_sub(2)).0
}
