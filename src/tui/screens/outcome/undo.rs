//! The undo of what was written, and what no undo reverts.

use super::OutcomeScreen;
use crate::tui::prelude::*;

/// What reverses a recovery, and its command.
pub(super) fn reversal(recovery: &Recovery) -> (Reversal, Clean) {
    let (reversal, named) = recovery.way_back();
    let command = clean!("relight {} {}", reversal.noun(), named.0);
    (reversal, command)
}

/// How to undo it, or to redo what it undid.
pub(super) fn undo(page: &mut TextPage, state: &State, screen: &OutcomeScreen) {
    let stands = |recovery: &&Recovery| recovery.state == RecoveryState::Committed;
    let Some(recovery) = screen.recovery.as_ref().filter(stands) else {
        return;
    };
    let kept = format::size(recovery.kept_bytes);
    let (reversal, command) = reversal(recovery);
    let key = state.key(match reversal {
        Reversal::Redo => Cmd::Redo,
        Reversal::Undo => Cmd::Undo,
    });
    let lead = Bits::new().gap(2).key(key).text(" here, or ");
    page.heading(format::capital(reversal.noun()));
    page.led(&lead, Role::Accent, state.found_by.line(&command));
    for folder in recovery.kept_in.iter().filter(|_| recovery.kept_bytes > 0) {
        let text = clean!("{} of backups in {}", kept, folder);
        page.indented(2, Role::Dim, text);
    }
}

/// What no undo reverts is listed below the undo.
pub(super) fn ledger(page: &mut TextPage, beat: usize, screen: &OutcomeScreen) {
    let ledger = match &screen.ledger {
        Load::Pending => {
            let text = " checking for changes that an undo does not revert …";
            let bits = Bits::of(Role::Accent, look::spinner(beat));
            page.blank();
            page.line(bits.dim(text));
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
    for one in ledger.iter() {
        let lead = Bits::of(Role::Warn, "  ! ").cell(Role::Warn, one.kind, 13);
        page.led(&lead.gap(1), Role::Text, &one.text);
        if !one.remedy.is_empty() {
            let lead = Bits::new().pad(16).accent("→ ");
            page.led(&lead, Role::Accent, &one.remedy);
        }
    }
}
