//! The frame of every screen: the header above, the message of the last key and the keys below.

use crate::tui::prelude::*;
use crate::tui::screens::replaying::{ReplayRun as Run, ReplayingScreen};
use crate::tui::view::footer;
use crate::tui::view::wrap_most;

/// Draws the header and returns what is left for the screen: all but two rows above and two below.
pub(crate) fn draw(canvas: &mut Canvas<'_>, area: Rect) -> Rect {
    header(canvas, area);
    Rect::new(area.x, area.y + 2, area.width, area.height - 4)
}

/// Where the person is, and what was found.
pub(crate) fn header(canvas: &mut Canvas<'_>, area: Rect) {
    let whole = trail(canvas.state, 0);
    if canvas.pen.speaks() {
        canvas.pen.line(area, &whole);
        for part in summary(canvas.state, Form::Aloud) {
            canvas.pen.line(area, &part);
        }
        return;
    }
    let joined = |form| {
        let parts = summary(canvas.state, form).into_iter();
        parts.fold(Bits::new(), Bits::join)
    };
    let room = usize::from(area.width).saturating_sub(whole.width() + 3);
    let words = Some(joined(Form::Words)).filter(|words| words.width() <= room);
    let right = words.unwrap_or_else(|| joined(Form::Signs));
    let needed = u16::try_from(whole.width() + 3).unwrap_or(u16::MAX);
    let width = u16::try_from(right.width()).unwrap_or(0);
    let width = width.min(area.width - needed.min(area.width / 2));
    let (first, below) = split_top(area, 1);
    let left = Rect::new(area.x + 1, area.y, area.width.saturating_sub(width + 3), 1);
    // Where the person is matters more than the whole title.
    let over = whole.width().saturating_sub(usize::from(left.width));
    canvas.pen.line(left, &trail(canvas.state, over));
    let (_, beside) = split_left(first, area.width.saturating_sub(width + 1));
    canvas.pen.line(split_left(beside, width).0, &right);
    canvas.pen.rule(split_top(below, 1).0);
}

/// Where the person is: `relight › title › Resume points`, with a title that is so many cells shorter than it could be.
fn trail(state: &State, over: usize) -> Bits {
    let mut bits = Bits::of(Role::Title, "relight");
    let separator = |bits: Bits| bits.dim(" › ");
    let mut named = None;
    // Of a way through several lists and forms only the last is named.
    let base = state.layers.base();
    for (place, screen) in state.layers.iter().enumerate() {
        if let Some(id) = self::named(screen, state)
            && named.as_ref() != Some(&id)
        {
            let known = state.browser.pipeline(&id);
            let title = known.map(|pipeline| pipeline.reading.title.clean());
            let title = title.unwrap_or_else(|| clean!("{}", id.0));
            let room = title.width().saturating_sub(over).max(12);
            bits = separator(bits).text(ellipsis(&title, room));
            named = Some(id);
        }
        if let Some(crumb) = screen.crumb(base == Some(place)) {
            bits = separator(bits).join(crumb);
        }
    }
    bits
}

/// The pipeline that a screen names in the title bar.
fn named(screen: &dyn Screen, state: &State) -> Option<PipelineId> {
    screen.subject(state).filter(|_| screen.names_subject())
}

/// How the header says what was found.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    /// In signs and words.
    Words,
    /// In signs alone.
    Signs,
    /// Read aloud.
    Aloud,
}

/// What was found, and what is hidden with the key that shows it, an item each. Never silent about either: where there is
/// no room for the words of the statuses, their signs stay.
fn summary(state: &State, form: Form) -> Vec<Bits> {
    let browser = &state.browser;
    let mut parts = Vec::new();
    if state.busy() {
        let what = match browser.ticket {
            Some(_) => " searching  ",
            None => "  ",
        };
        parts.push(Bits::of(Role::Accent, look::spinner(state.beat)).dim(what));
    }
    if state.read_only {
        parts.push(Bits::of(Role::Warn, "read-only").gap(2));
    }
    if !state.pending.is_empty() {
        let number = format::count(state.pending.len(), "recovery");
        let bits = Bits::of(Role::Bad, clean!("! {} pending: ", number));
        parts.push(bits.key(state.key(Cmd::Recoveries)).gap(2));
    }
    parts.push(replaying(state));
    if state.layers.base().is_none() {
        let statuses = [
            (Status::Live, "live"),
            (Status::Waiting, "waiting"),
            (Status::Interrupted, "interrupted"),
            (Status::Unreadable, "unreadable"),
        ];
        let found = statuses.map(|(status, word)| (status, word, browser.count(status)));
        parts.extend(found.into_iter().filter(|one| one.2 > 0).map(|one| {
            let (status, word, number) = one;
            let (sign, role) = look::status(status);
            let bits = Bits::of(role, sign);
            let bits = match form {
                Form::Words => bits.text(clean!(" {} {}", number, word)),
                Form::Signs => bits.text(clean!(" {}", number)),
                Form::Aloud => bits.label(word, word.len()).text(clean!("{}", number)),
            };
            match status {
                Status::Waiting => bits.gap(1).key(state.key(Cmd::NextWarning)).gap(2),
                _ => bits.gap(2),
            }
        }));
        return parts;
    }
    // The status belongs to the pipeline that the trail names.
    let named = state.layers.iter().rev().find_map(|one| named(one, state));
    if let Some(pipeline) = named.and_then(|id| browser.pipeline(&id)) {
        let status = pipeline.standing.status;
        parts.push(Bits::signed(look::status(status), status.word()));
    }
    parts
}

/// The running replay, on every screen; its end until the person has seen it.
fn replaying(state: &State) -> Bits {
    let shown = state.layers.is_top::<ReplayingScreen>();
    let Some(running) = state.replaying.as_ref().filter(|one| !shown && !one.seen) else {
        return Bits::new();
    };
    let (done, total) = running.steps();
    // The second one is heard by the list of replays, so that a click does not press it here.
    let watch = state.keymap.name(Cmd::WatchReplay, []);
    let keys = |bits: Bits| {
        let list = state.key(Cmd::Replays);
        let aloud = clean!("(key {}, then {})", list, watch);
        let bits = bits.key(list).aloud(aloud);
        bits.dim(clean!(" {}  ", watch)).aloud(Clean::empty())
    };
    match &running.run {
        Run::Going => {
            keys(Bits::of(Role::Live, "► replay ").text(clean!("{} of {}: ", done, total)))
        }
        Run::Stopping => Bits::of(Role::Warn, "– replay stopping  "),
        Run::Ended(_) if running.measures => {
            keys(Bits::of(Role::Good, "✓ replay measured again: "))
        }
        Run::Ended(_) => keys(Bits::of(Role::Good, "✓ replay ended: ")),
        Run::Failed(_) => keys(Bits::of(Role::Bad, "✗ replay failed: ")),
    }
}

/// The two rows at the bottom.
pub(crate) fn footer(canvas: &mut Canvas<'_>, area: Rect) {
    let (_, rows) = split_top(inset(area), area.height - 2);
    let (above, below) = split_top(rows, 1);
    word(canvas, above);
    footer::keys(canvas, below);
}

/// The open or filled filter, else the message of the last key.
pub(crate) fn word(canvas: &mut Canvas<'_>, area: Rect) {
    let state = canvas.state;
    if let Some(word) = &state.word {
        let (lead, role) = if word.refusal {
            (Bits::of(Role::Warn, "! "), Role::Text)
        } else {
            (Bits::new(), Role::Dim)
        };
        return upwards(canvas, area, &lead, role, &word.text);
    }
    let filter = match state.layers.last() {
        None => Some((&state.browser.filter, filter_note(state))),
        Some(screen) => screen.filter(),
    };
    if let Some((field, note)) = filter {
        filter_line(canvas, area, field, &note);
    }
}

/// A sentence that ends in a row. What does not fit into it covers the rows above until the next key.
fn upwards(canvas: &mut Canvas<'_>, area: Rect, lead: &Bits, role: Role, text: &Clean) {
    let room = usize::from(area.width).saturating_sub(lead.width());
    let lines = wrap_most(text, room, 3);
    let above = u16::try_from(lines.len().saturating_sub(1)).unwrap_or(0);
    let place = Rect {
        y: area.y.saturating_sub(above),
        height: area.height + above,
        ..area
    };
    if above > 0 {
        // With the frames beside it.
        let x = place.x.saturating_sub(1);
        canvas.pen.clear(Rect {
            x,
            width: place.width + 2,
            ..place
        });
    }
    for ((row, text), lead) in place.rows().zip(&lines).zip(lead.hanging()) {
        canvas.pen.line(row, &lead.sentence(role, text));
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
        browser.passing(),
        browser.hidden_filter
    )
}

fn filter_line(canvas: &mut Canvas<'_>, area: Rect, field: &Field, note: &Clean) {
    if !field.open && field.is_empty() {
        return;
    }
    // A long text leaves room for what it found; a long note is above it.
    let room = usize::from(area.width).saturating_sub(1);
    let is_long = note.width() + 2 > room - room / 3;
    if is_long {
        let y = area.y.saturating_sub(1);
        upwards(canvas, Rect { y, ..area }, &Bits::new(), Role::Warn, note);
    }
    let note = Bits::new().gap(2).dim(if is_long {
        Clean::empty()
    } else {
        note.clone()
    });
    let note = if field.open {
        note
    } else {
        let back = canvas.state.key(Cmd::Back);
        note.gap(2).key(back).dim(" clears it")
    };
    let mut typed = field.visible(room.saturating_sub(note.width()).max(room / 3));
    if !field.open {
        typed = typed.cursor(None);
    }
    let bits = Bits::of(Role::Accent, "/").join(typed).join(note);
    canvas.pen.line(area, &bits);
}
