//! The outcome. Done, refused, rolled back and unclear are four different screens: unclear is never
//! shown as a failure, nor as a success.

use ratatui::layout::Rect;

use crate::clean;
use crate::model::{Foreign, Irreversible, RecoveryState};
use crate::text::format;
use crate::tui::data::{Fate, Load};
use crate::tui::geometry::ListId;
use crate::tui::screens::outcome::{Operation, OutcomeScreen};
use crate::tui::theme::Role;
use crate::tui::view::page::TextPage;
use crate::tui::view::pen::Bits;
use crate::tui::view::{Canvas, indented, look};

/// Draws the screen.
pub(crate) fn draw(canvas: &mut Canvas<'_>, area: Rect, screen: &OutcomeScreen) {
    let inside = indented(area);
    let mut page = TextPage::of(inside);
    headline(&mut page, screen);
    trouble(&mut page, screen);
    done(&mut page, screen);
    sentences(
        &mut page,
        "Verification",
        ("✓ ", Role::Good),
        &screen.verified,
    );
    sentences(&mut page, "Notes", ("· ", Role::Accent), &screen.notes);
    undo(&mut page, screen);
    ledger(&mut page, canvas.state.beat, screen);
    handoff(&mut page, screen);
    page.draw(canvas, inside, ListId::of::<OutcomeScreen>());
}

fn headline(page: &mut TextPage, screen: &OutcomeScreen) {
    let state = screen.recovery.as_ref().map(|recovery| recovery.state);
    let (sign, role, word) = match screen.fate {
        Fate::Done => ("✓", Role::Good, " Done"),
        Fate::Untouched => ("✗", Role::Warn, " Refused"),
        Fate::Cancelled => ("–", Role::Warn, " Canceled"),
        Fate::RolledBack => ("↺", Role::Warn, " Failed and rolled back"),
        Fate::Unclear => ("?", Role::Bad, " Unclear"),
    };
    let text = match (screen.fate, screen.operation, state) {
        (Fate::Done, Operation::Plan, None) => "No changes were needed.",
        (Fate::Done, Operation::Recover, Some(RecoveryState::RolledBack)) => {
            "Rolled back: every file is as it was before."
        }
        (Fate::Done, Operation::Recover, None) => "Discarded; nothing had changed.",
        (Fate::Done, Operation::Plan | Operation::Recover, _) => "Every file is as planned.",
        (Fate::Done, Operation::Export, _) => "Copied. The recovery is still pending.",
        (Fate::Done, Operation::Purge, _) => "Backups deleted; it cannot be undone.",
        (Fate::Untouched, ..) => "Nothing was changed.",
        (Fate::Cancelled, ..) => "Canceled in time: nothing was changed.",
        (Fate::RolledBack, ..) => "Every file is as it was before.",
        (Fate::Unclear, ..) => {
            "The files may be neither as before nor as planned. Nothing more was changed: check them \
             before you continue."
        }
    };
    let lead = Bits::of(role, sign).say(role, word);
    page.line(
        lead.say(Role::Text, ": ")
            .say(Role::Text, screen.title.clone()),
    );
    page.indented(2, Role::Text, text);
}

fn trouble(page: &mut TextPage, screen: &OutcomeScreen) {
    if let Some(trouble) = &screen.trouble {
        page.heading("Problem");
        page.indented(2, Role::Text, &trouble.text);
        for guard in screen.guards.iter().filter(|guard| !guard.holds) {
            page.signed(Role::Bad, "  ✗ ", clean!("{}: {}", guard.id, guard.text));
            if let Some(would) = &guard.would_hold_if {
                page.signed(Role::Accent, "    → ", would);
            }
        }
        if !trouble.hints.is_empty() {
            page.heading("What to do");
        }
        for hint in &trouble.hints {
            page.signed(Role::Accent, "  → ", hint);
        }
    }
    for text in screen.recovery.iter().flat_map(|one| &one.trouble) {
        page.signed(Role::Warn, "  ! ", text);
    }
}

fn done(page: &mut TextPage, screen: &OutcomeScreen) {
    let Some(recovery) = &screen.recovery else {
        return;
    };
    if screen.operation == Operation::Export {
        return;
    }
    let stands = recovery.state == RecoveryState::Committed;
    page.heading(if stands { "Applied" } else { "Tried" });
    for action in &recovery.actions {
        let lead = Bits::of(Role::Dim, "  ").cell(Role::Accent, action.kind.phrase(), 15);
        let text = clean!("{}  {}", action.target, action.summary);
        page.led(&lead, Role::Text, text);
    }
}

fn sentences(
    page: &mut TextPage,
    title: &'static str,
    sign: (&'static str, Role),
    texts: &[Foreign],
) {
    if texts.is_empty() {
        return;
    }
    page.heading(title);
    for text in texts {
        let lead = Bits::new().gap(2).say(sign.1, sign.0);
        page.led(&lead, Role::Text, text);
    }
}

fn undo(page: &mut TextPage, screen: &OutcomeScreen) {
    let stands = screen
        .recovery
        .as_ref()
        .filter(|recovery| recovery.state == RecoveryState::Committed);
    let Some(recovery) = stands else {
        return;
    };
    page.heading("Undo");
    let kept = format::size(recovery.kept_bytes);
    let lead = Bits::new()
        .gap(2)
        .say(Role::Key, "u")
        .say(Role::Text, " here, or ");
    page.led(
        &lead,
        Role::Accent,
        clean!("relight undo {}", recovery.id.0),
    );
    for folder in recovery.kept_in.iter().filter(|_| recovery.kept_bytes > 0) {
        let text = clean!("{} of backups in {}", kept, folder);
        page.indented(2, Role::Dim, text);
    }
}

/// What no undo reverts is listed below the undo.
fn ledger(page: &mut TextPage, beat: usize, screen: &OutcomeScreen) {
    let ledger = match &screen.ledger {
        Load::Pending => {
            let text = " checking for changes that an undo does not revert …";
            let bits = Bits::of(Role::Accent, look::spinner(beat));
            page.blank();
            page.line(bits.say(Role::Dim, text));
            return;
        }
        Load::Failed(trouble) => {
            page.heading("Changes that an undo does not revert: unknown");
            page.signed(Role::Warn, "  ! ", &trouble.text);
            return;
        }
        Load::Ready(ledger) => ledger,
    };
    if ledger.is_empty() {
        return;
    }
    page.heading("Changes that an undo does not revert");
    for Irreversible {
        kind, text, remedy, ..
    } in ledger.iter()
    {
        let lead = Bits::of(Role::Warn, "  ! ")
            .cell(Role::Warn, *kind, 13)
            .gap(1);
        page.led(&lead, Role::Text, text);
        if !remedy.is_empty() {
            let lead = Bits::new().pad(16).say(Role::Accent, "→ ");
            page.led(&lead, Role::Accent, remedy);
        }
    }
}

fn handoff(page: &mut TextPage, screen: &OutcomeScreen) {
    let Some(handoff) = &screen.handoff else {
        return;
    };
    page.heading("Hand-off");
    let lead = Bits::new()
        .gap(2)
        .say(Role::Key, "H")
        .say(Role::Text, " shows the hand-off: ");
    let line = handoff.command_line();
    let line = line.unwrap_or_else(|| handoff.prompt.clean());
    page.led(&lead, Role::Accent, line);
}
