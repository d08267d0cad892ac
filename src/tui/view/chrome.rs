//! What stands around every screen: the header above, what the last key led to and the keys below.

use ratatui::layout::{Position, Rect};

use super::pen::{Bits, ellipsis};
use super::{Canvas, footer, look};
use crate::clean;
use crate::model::{Clean, Status};
use crate::text::format;
use crate::tui::screens::replaying::{ReplayRun as Run, ReplayingScreen};
use crate::tui::state::State;
use crate::tui::state::field::Field;
use crate::tui::theme::Role;

/// Draws the header and returns what is left for the screen: all but two rows above and two below.
pub(crate) fn draw(canvas: &mut Canvas<'_>, area: Rect) -> Rect {
    header(canvas, area);
    Rect::new(area.x, area.y + 2, area.width, area.height - 4)
}

/// Where the person is, and what was found.
pub(crate) fn header(canvas: &mut Canvas<'_>, area: Rect) {
    let first = Rect::new(area.x, area.y, area.width, 1);
    let right = summary(canvas.state);
    let most = if canvas.state.layers.is_empty() {
        12
    } else {
        area.width / 2
    };
    let right_width = u16::try_from(right.width())
        .unwrap_or(0)
        .min(area.width - most);
    let left_width = area.width.saturating_sub(right_width + 3);
    canvas.pen.line(
        Rect::new(area.x + 1, area.y, left_width, 1),
        &trail(canvas.state, canvas.pen.speaks()),
    );
    let right_area = Rect::new(
        (area.right().saturating_sub(right_width + 1)).max(area.x),
        first.y,
        right_width,
        1,
    );
    canvas.pen.line(right_area, &right);
    canvas
        .pen
        .rule(Rect::new(area.x, area.y + 1, area.width, 1));
}

/// Where the person is: `relight › title › Resume points`.
fn trail(state: &State, whole: bool) -> Bits {
    let mut bits = Bits::of(Role::Title, "relight");
    let separator = |bits: Bits| bits.say(Role::Dim, " › ");
    let mut named = None;
    // Of a way through several lists and forms only the last is named.
    let base = state.layers.base();
    for (place, screen) in state.layers.iter().enumerate() {
        let subject = screen.subject(state).filter(|_| screen.names_subject());
        if let Some(id) = subject
            && named.as_ref() != Some(&id)
        {
            let known = state.browser.pipeline(&id);
            let title = known.map(|pipeline| pipeline.reading.title.clean());
            let title = title.unwrap_or_else(|| clean!("{}", id.0));
            // Where the person is matters more than the whole title.
            let room = if whole {
                usize::MAX
            } else if state.layers.len() > 1 {
                usize::from(state.size.0 / 3).clamp(12, 40)
            } else {
                40
            };
            bits = separator(bits).say(Role::Text, ellipsis(&title, room));
            named = Some(id);
        }
        if let Some(crumb) = screen.crumb(base == Some(place)) {
            bits = separator(bits).join(crumb);
        }
    }
    bits
}

/// What was found, and what is hidden with the key that shows it. Never silent about either.
fn summary(state: &State) -> Bits {
    let browser = &state.browser;
    let mut bits = Bits::new();
    if state.busy() {
        bits = bits.say(Role::Accent, look::spinner(state.beat));
        bits = if browser.ticket.is_some() {
            bits.say(Role::Dim, " searching  ")
        } else {
            bits.say(Role::Dim, "  ")
        };
    }
    if !state.pending.is_empty() {
        let number = format::count(state.pending.len(), "recovery");
        bits = bits
            .say(Role::Bad, clean!("! {} pending: ", number))
            .say(Role::Key, "R")
            .gap(2);
    }
    bits = bits.join(replaying(state));
    if state.layers.base().is_none() {
        let statuses = [
            (Status::Live, "live"),
            (Status::Waiting, "waiting"),
            (Status::Interrupted, "interrupted"),
            (Status::Unreadable, "unreadable"),
        ];
        for (status, word) in statuses {
            let count = browser.count(status);
            if count > 0 {
                let (sign, role) = look::status(status);
                bits = bits
                    .say(role, sign)
                    .say(Role::Text, clean!(" {} {}  ", count, word));
            }
        }
        return bits;
    }
    if let Some(id) = state.subject()
        && let Some(pipeline) = browser.pipeline(&id)
    {
        let status = pipeline.standing.status;
        let (sign, role) = look::status(status);
        bits = bits.say(role, sign).gap(1).say(role, status.word());
    }
    bits
}

/// The replay that runs, wherever the person is; its end until it was seen.
fn replaying(state: &State) -> Bits {
    let shown = state.layers.is_top::<ReplayingScreen>();
    let Some(running) = state.replaying.as_ref().filter(|one| !shown && !one.seen) else {
        return Bits::new();
    };
    let (done, total) = running.steps();
    let keys = |bits: Bits| bits.say(Role::Key, "V w").gap(2);
    match &running.run {
        Run::Going => keys(
            Bits::of(Role::Live, "► replay ").say(Role::Text, clean!("{} of {}: ", done, total)),
        ),
        Run::Stopping => Bits::of(Role::Warn, "– replay stopping  "),
        Run::Ended(_) => keys(Bits::of(Role::Good, "✓ replay ended: ")),
        Run::Failed(_) => keys(Bits::of(Role::Bad, "✗ replay failed: ")),
    }
}

/// The two rows at the bottom.
pub(crate) fn footer(canvas: &mut Canvas<'_>, area: Rect) {
    let above = Rect::new(
        area.x + 1,
        area.bottom() - 2,
        area.width.saturating_sub(2),
        1,
    );
    let below = Rect::new(
        area.x + 1,
        area.bottom() - 1,
        area.width.saturating_sub(2),
        1,
    );
    word(canvas, above);
    footer::keys(canvas, below);
}

/// The open or filled filter, else what the last key led to.
pub(crate) fn word(canvas: &mut Canvas<'_>, area: Rect) {
    let state = canvas.state;
    if let Some(word) = &state.word {
        let bits = if word.refusal {
            Bits::of(Role::Warn, "!")
                .gap(1)
                .sentence(Role::Text, &word.text)
        } else {
            Bits::new().sentence(Role::Dim, &word.text)
        };
        canvas.pen.line(area, &bits);
        return;
    }
    let filter = match state.layers.last() {
        None => Some((&state.browser.filter, filter_note(state))),
        Some(screen) => screen.filter(),
    };
    if let Some((field, note)) = filter {
        filter_line(canvas, area, field, &note);
    }
}

fn filter_note(state: &State) -> Clean {
    let browser = &state.browser;
    if browser.filter.is_empty() {
        return Clean::empty();
    }
    if let Some(trouble) = &browser.filter_trouble {
        return trouble.clone();
    }
    clean!(
        "{} shown, {} filtered out",
        browser.ids.len(),
        browser.hidden_filter
    )
}

fn filter_line(canvas: &mut Canvas<'_>, area: Rect, field: &Field, note: &Clean) {
    if !field.open && field.is_empty() {
        return;
    }
    let text = Clean::new(field.text());
    let bits = Bits::of(Role::Key, "/")
        .say(Role::Title, text)
        .gap(2)
        .say(Role::Dim, note.clone());
    let bits = if field.open {
        bits
    } else {
        bits.gap(2)
            .say(Role::Key, "Esc")
            .say(Role::Dim, " clears it")
    };
    canvas.pen.line(area, &bits);
    if field.open {
        let column = u16::try_from(field.column()).unwrap_or(u16::MAX);
        canvas.cursor = Some(Position {
            x: area
                .x
                .saturating_add(1)
                .saturating_add(column)
                .min(area.right()),
            y: area.y,
        });
    }
}
