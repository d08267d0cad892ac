//! The outcome of something that was written. Done, refused, rolled back and unclear are four different screens: unclear
//! is never shown as a failure, nor as a success.

mod undo;

use super::progress::{self, Progress};
use super::recoveries::not_undoable;
use crate::tui::data::Fate;
use crate::tui::prelude::*;

use undo::{ledger, reversal, undo};

/// The context of its keys.
pub(crate) const CONTEXT: Context = Context::new("Outcome");

/// Its keys.
pub(crate) const KEYS: &[Command] = &[
    row!(Enter => "outcome-close", CONTEXT, ["enter"], "close", "Go back to the screen that opened the plan.", foot 1),
    row!(Undo => "outcome-undo", CONTEXT, ["u", "z"], "undo", "Show what an undo would overwrite, and ask to confirm; Esc shows the plan. Nothing is written before you answer.", cli "relight undo RECOVERY --dry-run", foot 2),
    row!(Redo => "outcome-redo", CONTEXT, ["ctrl-r", "Z"], "redo", "Show what a redo would overwrite, and ask to confirm; Esc shows the plan. Nothing is written before you answer.", cli "relight redo RECOVERY --dry-run", foot 2),
    row!(Handoff => "outcome-hand-off", CONTEXT, ["H"], "hand-off", "Show how the orchestrator resumes: directory, command, prompt and briefing.", foot 3),
    row!(Recoveries => "outcome-recoveries", CONTEXT, ["R"], "history", "List the recoveries, newest first.", cli "relight history", foot 4),
];

impl Screen for OutcomeScreen {
    fn profile(&self) -> Profile<'_> {
        Profile::screen("outcome", CONTEXT)
            .ends_with_plan()
            .runs(progress::run_outcome)
            .awaits(self.ticket)
    }

    fn draw(&self, canvas: &mut Canvas<'_>, area: Rect) {
        let inside = indented(area);
        let mut page = TextPage::of(inside);
        headline(&mut page, self);
        trouble(&mut page, canvas.state, self);
        done(&mut page, self);
        let (good, note) = (("✓ ", Role::Good), ("· ", Role::Accent));
        sentences(&mut page, "Verification", good, &self.verified);
        sentences(&mut page, "Notes", note, &self.notes);
        undo(&mut page, canvas.state, self);
        ledger(&mut page, canvas.state.beat, self);
        handoff(&mut page, canvas.state, self);
        page.draw(canvas, inside, ListId::of::<Self>());
    }

    fn subject(&self, _: &State) -> Option<PipelineId> {
        self.pipeline.clone()
    }

    fn offers(&self, _: &State, cmd: Cmd) -> bool {
        let recovery = self.recovery.as_ref();
        let reverses = |how| {
            recovery.is_some_and(|one| one.when_undone() == how && not_undoable(one).is_none())
        };
        match cmd {
            Cmd::Undo => reverses(Reversal::Undo),
            Cmd::Redo => reverses(Reversal::Redo),
            Cmd::Handoff => self.handoff.is_some(),
            _ => true,
        }
    }

    fn copyable(&self, _: &State) -> Result<Clean, &'static str> {
        let recovery = self.recovery.as_ref().ok_or(NOTHING)?;
        // Only what was applied can be undone.
        match recovery.state {
            RecoveryState::Committed => Ok(reversal(recovery).1),
            _ => Ok(clean!("{}", recovery.id.0)),
        }
    }

    fn command_words(&self) -> Vec<(&'static str, String)> {
        let recovery = self.recovery.iter();
        recovery.map(|one| ("RECOVERY", one.id.0.clone())).collect()
    }
}

fn headline(page: &mut TextPage, screen: &OutcomeScreen) {
    let recovery = screen.recovery.as_ref();
    let state = recovery.map(|recovery| recovery.state);
    let (sign, role, word) = match screen.fate {
        Fate::Done => ("✓", Role::Good, " Done"),
        Fate::Untouched => ("✗", Role::Warn, " Refused"),
        Fate::Cancelled => ("–", Role::Warn, " Canceled"),
        Fate::RolledBack => ("↺", Role::Warn, " Failed and rolled back"),
        Fate::Unclear => ("?", Role::Bad, " Unclear"),
    };
    let left = recovery.is_some_and(|one| !one.left.is_empty());
    let text = match (screen.fate, screen.operation, state) {
        (Fate::Done, Operation::Plan, None) => "No changes were needed.",
        (Fate::Done, Operation::Recover, Some(RecoveryState::RolledBack)) if left => {
            "Rolled back: every file but the ones below is as it was before."
        }
        (Fate::Done, Operation::Recover, Some(RecoveryState::RolledBack)) => {
            "Rolled back: every file is as it was before."
        }
        (Fate::Done, Operation::Recover, Some(RecoveryState::HalfApplied)) => {
            "Left half-applied: some files may be as planned, others as before."
        }
        (Fate::Done, Operation::Recover, None) => "Discarded; nothing had changed.",
        (Fate::Done, Operation::Plan | Operation::Recover, _) if left => {
            "Every file but the ones below is as planned."
        }
        (Fate::Done, Operation::Plan | Operation::Recover, _) => "Every file is as planned.",
        (Fate::Done, Operation::Export, _) => "Copied. The recovery is still pending.",
        (Fate::Done, Operation::Purge, _) => "Deleted permanently.",
        (Fate::Untouched, ..) => "Nothing was changed.",
        (Fate::Cancelled, ..) => "Canceled in time: nothing was changed.",
        (Fate::RolledBack, ..) => "Every file is as it was before.",
        (Fate::Unclear, ..) => {
            "The files may be neither as before nor as planned. Nothing more was changed: check them \
             before you continue."
        }
    };
    let lead = Bits::of(role, sign).say(role, word);
    let mut letters = screen.title.as_str().chars();
    let first = letters.next().map(|first| first.to_ascii_lowercase());
    let title: String = first.into_iter().chain(letters).collect();
    page.line(lead.text(": ").text(Clean::new(&title)));
    page.indented(2, Role::Text, text);
}

fn trouble(page: &mut TextPage, state: &State, screen: &OutcomeScreen) {
    if let Some(trouble) = &screen.trouble {
        page.heading("Problem");
        page.indented(2, Role::Text, &trouble.text);
        for guard in screen.guards.iter().filter(|guard| !guard.holds) {
            page.signed(Role::Bad, "  ✗ ", clean!("{}: {}", guard.id, guard.text));
            if let Some(would) = &guard.would_hold_if {
                page.signed(Role::Accent, "    → ", state.keyed(would));
            }
        }
        if !trouble.hints.is_empty() {
            page.heading("What to do");
        }
        for hint in &trouble.hints {
            page.signed(Role::Accent, "  → ", state.keyed(hint));
        }
    }
    for text in screen.recovery.iter().flat_map(|one| &one.trouble) {
        page.signed(Role::Warn, "  ! ", state.keyed(text));
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
        if stands {
            let text = clean!("{}  {}", action.done(), action.target);
            page.indented(2, Role::Text, text);
            continue;
        }
        let lead = Bits::of(Role::Dim, "  ").cell(Role::Accent, action.phrase(), 15);
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

fn handoff(page: &mut TextPage, state: &State, screen: &OutcomeScreen) {
    let Some(handoff) = &screen.handoff else {
        return;
    };
    page.heading("Hand-off");
    let key = state.key(Cmd::Handoff);
    let lead = Bits::new().gap(2).key(key).text(" shows the hand-off: ");
    let line = handoff.command_line();
    let line = line.unwrap_or_else(|| handoff.prompt.verbatim());
    page.led(&lead, Role::Accent, line);
}

/// What it was that was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub(crate) enum Operation {
    /// A plan was applied.
    #[default]
    Plan,
    /// An interrupted recovery was recovered.
    Recover,
    /// The backups of a pending recovery were copied.
    Export,
    /// Backups were deleted.
    Purge,
}

/// The outcome of something that writes.
#[derive(Debug, Clone, Default)]
pub(crate) struct OutcomeScreen {
    /// What it was.
    pub(crate) operation: Operation,
    /// The state of the person's files.
    pub(crate) fate: Fate,
    /// What was done, for a person.
    pub(crate) title: Clean,
    /// The pipeline it was about.
    pub(crate) pipeline: Option<PipelineId>,
    /// The recovery that is recorded of it.
    pub(crate) recovery: Option<Recovery>,
    /// How it was verified, a sentence each.
    pub(crate) verified: Vec<Foreign>,
    /// What else is to be known, a sentence each.
    pub(crate) notes: Vec<Foreign>,
    /// What went wrong.
    pub(crate) trouble: Option<EngineError>,
    /// The guards that refused.
    pub(crate) guards: Vec<Guard>,
    /// How the orchestrator resumes.
    pub(crate) handoff: Option<Handoff>,
    /// What no undo reverts.
    pub(crate) ledger: Load<Vec<Irreversible>>,
    /// The request for that.
    pub(crate) ticket: Option<Ticket>,
}

impl OutcomeScreen {
    fn new(progress: &Progress, fate: Fate) -> Self {
        Self {
            operation: progress.operation,
            fate,
            title: progress.title.clone(),
            pipeline: progress.pipeline.clone(),
            ..Self::default()
        }
    }

    /// A plan that was applied.
    pub(crate) fn applied(progress: &Progress, outcome: Outcome) -> Self {
        let state = outcome.recovery.as_ref().map(|recovery| recovery.state);
        let fate = match state {
            Some(RecoveryState::Committed) | None => Fate::Done,
            Some(RecoveryState::RolledBack) => Fate::RolledBack,
            Some(RecoveryState::NeedsAttention | RecoveryState::HalfApplied) => Fate::Unclear,
        };
        Self {
            recovery: outcome.recovery,
            verified: outcome.verified,
            notes: outcome.notes,
            handoff: outcome.handoff,
            ..Self::new(progress, fate)
        }
    }

    /// An interrupted recovery that was recovered or exported.
    pub(crate) fn recovered(progress: &Progress, recovered: Recovered) -> Self {
        let state = recovered.recovery.as_ref().map(|recovery| recovery.state);
        let recovers = progress.operation == Operation::Recover;
        let pending = state == Some(RecoveryState::NeedsAttention) && recovers;
        let fate = if pending { Fate::Unclear } else { Fate::Done };
        let handoff = recovered.recovery.as_ref().map(|one| one.handoff.clone());
        let stands = state == Some(RecoveryState::Committed);
        Self {
            handoff: handoff.filter(|handoff| stands && !handoff.argv.is_empty()),
            notes: recovered.said,
            recovery: recovered.recovery,
            ..Self::new(progress, fate)
        }
    }

    /// What was deleted: a sentence each, and how many were left.
    pub(crate) fn purged(progress: &Progress, (said, left): (Vec<String>, usize)) -> Self {
        let cancelled = (left > 0).then(|| format!("Canceled: {left} not deleted."));
        let notes = said.into_iter().chain(cancelled);
        Self {
            notes: notes.map(Foreign::from).collect(),
            ..Self::new(progress, Fate::Done)
        }
    }

    /// What could not be done.
    pub(crate) fn failed(progress: &Progress, failure: EngineError) -> Self {
        let fate = Fate::after(&failure);
        Self {
            guards: failure.guards.clone(),
            trouble: Some(failure),
            ..Self::new(progress, fate)
        }
    }
}
