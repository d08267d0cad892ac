//! What came of it. Done, refused, rolled back and unclear are four different screens: unclear is never
//! shown as a failure, nor as a success.

use crate::tui::screens::outcome::{Deed, OutcomeScreen};
use ratatui::layout::Rect;

use crate::clean;
use crate::model::{Clean, Foreign, Irreversible, RecoveryState};
use crate::text::format;
use crate::tui::data::{Fate, Load};
use crate::tui::geometry::ListId;
use crate::tui::screens::plan;
use crate::tui::theme::Role;
use crate::tui::view::pen::Bits;
use crate::tui::view::{Canvas, list, look, paragraph};

/// Draws the screen.
pub(crate) fn draw(canvas: &mut Canvas<'_>, area: Rect, screen: &OutcomeScreen) {
    let inside = crate::tui::view::indented(area);
    let width = usize::from(inside.width).saturating_sub(2);
    let mut page = Page {
        lines: Vec::new(),
        width,
    };
    page.headline(screen);
    page.trouble(screen);
    page.done(screen);
    page.sentences("Verification", ("✓ ", Role::Good), &screen.verified);
    page.sentences("Notes", ("· ", Role::Accent), &screen.notes);
    page.undo(screen);
    page.ledger(canvas.state.beat, screen);
    page.handoff(screen);
    list::text(
        canvas,
        inside,
        ListId::of::<OutcomeScreen>(),
        screen.scroll.top,
        &page.lines,
    );
}

/// The lines so far.
struct Page {
    lines: Vec<Bits>,
    width: usize,
}

impl Page {
    fn say(&mut self, lead: &Bits, role: Role, text: &Clean) {
        self.lines.extend(paragraph(lead, role, text, self.width));
    }

    fn title(&mut self, text: &'static str) {
        self.lines.push(Bits::new());
        self.lines.push(Bits::of(Role::Title, text));
    }

    fn headline(&mut self, screen: &OutcomeScreen) {
        let state = screen.recovery.as_ref().map(|recovery| recovery.state);
        let (sign, role, word) = match screen.fate {
            Fate::Done => ("✓", Role::Good, " Done"),
            Fate::Untouched => ("✗", Role::Warn, " Refused"),
            Fate::Cancelled => ("–", Role::Warn, " Canceled"),
            Fate::RolledBack => ("↺", Role::Warn, " Failed and rolled back"),
            Fate::Unclear => ("?", Role::Bad, " Unclear"),
        };
        let text = match (screen.fate, screen.deed, state) {
            (Fate::Done, Deed::Plan, None) => "No changes were needed.",
            (Fate::Done, Deed::Settling, Some(RecoveryState::RolledBack)) => {
                "Rolled back: every file is as it was before."
            }
            (Fate::Done, Deed::Settling, None) => "Discarded; nothing had changed.",
            (Fate::Done, Deed::Plan | Deed::Settling, _) => "Every file is as planned.",
            (Fate::Done, Deed::Export, _) => "Copied. The recovery is still pending.",
            (Fate::Done, Deed::Purge, _) => "Backups deleted; it cannot be undone.",
            (Fate::Untouched, ..) => "Nothing was changed.",
            (Fate::Cancelled, ..) => "Canceled in time: nothing was changed.",
            (Fate::RolledBack, ..) => "Every file is as it was before.",
            (Fate::Unclear, ..) => {
                "The files may be neither as before nor as planned. Nothing more was changed: check them \
                 before you continue."
            }
        };
        let lead = Bits::of(role, sign).say(role, word);
        self.lines.push(
            lead.say(Role::Text, ": ")
                .say(Role::Text, screen.title.clone()),
        );
        self.say(&Bits::new().pad(2), Role::Text, &Clean::new(text));
    }

    fn trouble(&mut self, screen: &OutcomeScreen) {
        if let Some(trouble) = &screen.trouble {
            self.title("Problem");
            self.say(&Bits::new().pad(2), Role::Text, &trouble.text.clean());
            for guard in screen.guards.iter().filter(|guard| !guard.holds) {
                let lead = Bits::of(Role::Bad, "  ✗ ");
                self.say(&lead, Role::Text, &clean!("{}: {}", guard.id, guard.text));
                if let Some(would) = &guard.would_hold_if {
                    let lead = Bits::of(Role::Accent, "    → ");
                    self.say(&lead, Role::Text, &would.clean());
                }
            }
            if !trouble.hints.is_empty() {
                self.title("What to do");
            }
            for hint in &trouble.hints {
                let lead = Bits::of(Role::Accent, "  → ");
                self.say(&lead, Role::Text, &hint.clean());
            }
        }
        let found = screen
            .recovery
            .iter()
            .flat_map(|recovery| &recovery.trouble);
        for text in found {
            let lead = Bits::of(Role::Warn, "  ! ");
            self.say(&lead, Role::Text, &text.clean());
        }
    }

    fn done(&mut self, screen: &OutcomeScreen) {
        let Some(recovery) = &screen.recovery else {
            return;
        };
        if screen.deed == Deed::Export {
            return;
        }
        let stands = recovery.state == RecoveryState::Committed;
        self.title(if stands { "Applied" } else { "Tried" });
        for action in &recovery.actions {
            let lead = Bits::of(Role::Dim, "  ").cell(Role::Accent, plan::verb(action.kind), 15);
            let text = clean!("{}  {}", action.target, action.summary);
            self.say(&lead, Role::Text, &text);
        }
    }

    fn sentences(&mut self, title: &'static str, sign: (&'static str, Role), texts: &[Foreign]) {
        if texts.is_empty() {
            return;
        }
        self.title(title);
        for text in texts {
            let lead = Bits::new().gap(2).say(sign.1, sign.0);
            self.say(&lead, Role::Text, &text.clean());
        }
    }

    fn undo(&mut self, screen: &OutcomeScreen) {
        let stands = screen
            .recovery
            .as_ref()
            .filter(|recovery| recovery.state == RecoveryState::Committed);
        let Some(recovery) = stands else {
            return;
        };
        self.title("Undo");
        let kept = format::size(recovery.kept_bytes);
        let lead = Bits::new()
            .gap(2)
            .say(Role::Key, "u")
            .say(Role::Text, " here, or ");
        self.say(
            &lead,
            Role::Accent,
            &clean!("relight undo {}", recovery.id.0),
        );
        for folder in recovery.kept_in.iter().filter(|_| recovery.kept_bytes > 0) {
            let text = clean!("{} of backups in {}", kept, folder);
            self.say(&Bits::new().pad(2), Role::Dim, &text);
        }
    }

    /// What no undo takes back stands beside the undo.
    fn ledger(&mut self, beat: usize, screen: &OutcomeScreen) {
        let ledger = match &screen.ledger {
            Load::Pending => {
                let text = " checking for changes that an undo does not revert …";
                let bits = Bits::of(Role::Accent, look::spinner(beat));
                self.lines.push(Bits::new());
                self.lines.push(bits.say(Role::Dim, text));
                return;
            }
            Load::Failed(trouble) => {
                self.title("Changes that an undo does not revert: unknown");
                let lead = Bits::of(Role::Warn, "  ! ");
                self.say(&lead, Role::Text, &trouble.text.clean());
                return;
            }
            Load::Ready(ledger) => ledger,
        };
        if ledger.is_empty() {
            return;
        }
        self.title("Changes that an undo does not revert");
        for Irreversible {
            kind, text, remedy, ..
        } in ledger.iter()
        {
            let lead = Bits::of(Role::Warn, "  ! ")
                .cell(Role::Warn, *kind, 13)
                .gap(1);
            self.say(&lead, Role::Text, &text.clean());
            if !remedy.is_empty() {
                let lead = Bits::new().pad(16).say(Role::Accent, "→ ");
                self.say(&lead, Role::Accent, &remedy.clean());
            }
        }
    }

    fn handoff(&mut self, screen: &OutcomeScreen) {
        let Some(handoff) = &screen.handoff else {
            return;
        };
        self.title("Hand-off");
        let lead = Bits::new()
            .gap(2)
            .say(Role::Key, "H")
            .say(Role::Text, " shows the hand-off: ");
        let line = handoff.command_line();
        let line = line.map_or_else(|| handoff.prompt.clean(), |line| Clean::new(&line));
        self.say(&lead, Role::Accent, &line);
    }
}
