//! Why it stopped, and the conversations of agents that worked on it.

use crate::model::{Cause, Conversation, Why};
use crate::tui::prelude::*;

/// The rows that the panes below need.
const BELOW: u16 = 24;
/// The most rows beside the panes.
const MOST: u16 = 10;

/// The rows of the pane above the others; none where that would leave them too few.
pub(super) fn height(dossier: &Dossier, area: Rect, now: DateTime<FixedOffset>) -> u16 {
    let Some(why) = &dossier.why else {
        return 0;
    };
    let inner = usize::from(area.width).saturating_sub(5);
    let rows: usize = lines(why, inner, now).iter().map(Vec::len).sum();
    let wanted = u16::try_from(rows + 2).unwrap_or(MOST).min(MOST);
    let room = area.height.saturating_sub(BELOW);
    // Less than its sentence and one conversation helps nobody.
    if room >= wanted.min(6) {
        wanted.min(room)
    } else {
        0
    }
}

/// Draws the pane.
pub(super) fn draw(canvas: &mut Canvas<'_>, area: Rect, list: List<'_>, dossier: &Dossier) {
    let Some(why) = &dossier.why else { return };
    let width = usize::from(area.width).saturating_sub(3);
    list::laid(canvas, area, list, &lines(why, width, canvas.state.now));
}

/// The lines of each row: the cause, then the conversations.
fn lines(why: &Why, width: usize, now: DateTime<FixedOffset>) -> Vec<Vec<Bits>> {
    let conversations = why.conversations.iter();
    let conversations = conversations.map(|one| of_conversation(one, now));
    let mut cause = of_cause(&why.cause, width, now);
    let notes = why.notes.iter().map(Foreign::clean);
    let cautions = why.caution().map(Clean::new).into_iter().chain(notes);
    cause.extend(cautions.flat_map(|caution| {
        let sign = Bits::of(Role::Warn, "  ! ");
        paragraph(&sign, Role::Text, &caution, width)
    }));
    std::iter::once(cause).chain(conversations).collect()
}

fn of_cause(cause: &Cause, width: usize, now: DateTime<FixedOffset>) -> Vec<Bits> {
    let awaited = cause.kind.awaits_person();
    let role = if awaited { Role::Warn } else { Role::Accent };
    let mut head = Bits::of(role, cause.label(now));
    if let Some(at) = cause.at {
        let age = format::ago(now, Some(at.at));
        head = head.dim(clean!(" · since {} ({})", at.words(), age));
    }
    let mut lines = vec![head];
    let said = |lead: Bits, text: &Foreign| paragraph(&lead, Role::Text, &text.clean(), width);
    lines.extend(said(Bits::new().gap(2), &cause.text));
    for next in &cause.next {
        lines.extend(said(Bits::of(Role::Accent, "  → "), next));
    }
    lines
}

fn of_conversation(one: &Conversation, now: DateTime<FixedOffset>) -> Vec<Bits> {
    let dot = |bits: Bits| bits.dim(" · ");
    let mut head = dot(Bits::of(Role::Title, one.name())).text(one.cause.label(now));
    head = dot(head).dim(format::ago(now, one.last_at.map(|at| at.at)));
    head = dot(head).dim(one.state());
    if let Some(tokens) = one.tokens {
        head = dot(head).dim(format::count(tokens, "token"));
    }
    let reason = one
        .reasons
        .first()
        .map(|reason| Bits::new().gap(2).dim(reason.clean()));
    std::iter::once(head).chain(reason).collect()
}
