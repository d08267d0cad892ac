//! The hand-off card: where to stand, what to run, what to say.

use crate::tui::screens::handoff::HandoffScreen;
use ratatui::layout::Rect;

use crate::clean;
use crate::model::{Clean, Foreign, Next, Resumed};
use crate::tui::geometry::ListId;
use crate::tui::theme::Role;
use crate::tui::view::facts::{self, Fact};
use crate::tui::view::pen::Bits;
use crate::tui::view::{Canvas, list, look, paragraph};

/// Draws the card.
pub(crate) fn draw(canvas: &mut Canvas<'_>, area: Rect, screen: &HandoffScreen) {
    let inside = crate::tui::view::indented(area);
    let width = usize::from(inside.width).saturating_sub(2);
    let lines = card(canvas, screen, width);
    list::text(
        canvas,
        inside,
        ListId::of::<HandoffScreen>(),
        screen.scroll.top,
        &lines,
    );
}

fn card(canvas: &Canvas<'_>, screen: &HandoffScreen, width: usize) -> Vec<Bits> {
    let mut lines = Vec::new();
    for text in &screen.before {
        let (sign, role) = if screen.premature {
            ("! ", Role::Warn)
        } else {
            ("· ", Role::Accent)
        };
        let lead = Bits::of(role, sign);
        lines.extend(paragraph(&lead, Role::Text, text, width));
    }
    lines.extend(launched(canvas, screen, width));
    if !lines.is_empty() {
        lines.push(Bits::new());
    }
    let handoff = &screen.handoff;
    lines.push(Bits::of(Role::Title, "How the orchestrator resumes"));
    let mut facts = vec![Fact::new(
        "directory",
        Role::Text,
        clean!("{}", handoff.cwd),
    )];
    match handoff.command_line() {
        Some(line) => {
            facts.push(Fact::new("run", Role::Accent, Clean::new(&line)));
            let keys = if screen.premature {
                "y copies it."
            } else {
                "y copies it; A runs it here."
            };
            facts.push(Fact::new("", Role::Dim, Clean::new(keys)));
        }
        None if handoff.argv.is_empty() => facts.push(Fact::new(
            "run",
            Role::Dim,
            "No command: type the prompt where the orchestrator runs.",
        )),
        None => {
            let words: Vec<Clean> = handoff.argv.iter().map(Foreign::clean).collect();
            let why = "It contains control or invisible characters, so it is neither copied nor launched:";
            facts.push(Fact::new("run", Role::Warn, Clean::new(why)));
            facts.extend(
                words
                    .into_iter()
                    .map(|word| Fact::new("", Role::Text, word)),
            );
        }
    }
    if !handoff.prompt.is_empty() {
        let mut prompt = handoff.prompt.lines().map(|line| line.clean());
        let first = prompt.next().unwrap_or_default();
        facts.push(Fact::new("prompt", Role::Text, first));
        facts.extend(prompt.map(|line| Fact::new("", Role::Text, line)));
    }
    lines.extend(facts::lines(&facts, width));
    if !handoff.briefing.is_empty() {
        lines.push(Bits::new());
        lines.push(Bits::of(Role::Title, "Briefing"));
        for line in handoff.briefing.lines() {
            let lead = Bits::of(Role::Dim, "│ ");
            lines.extend(paragraph(&lead, Role::Text, &line.clean(), width));
        }
    }
    lines
}

/// How a launch ended, and whether work has resumed.
fn launched(canvas: &Canvas<'_>, screen: &HandoffScreen, width: usize) -> Vec<Bits> {
    let mut lines = Vec::new();
    if let Some(trouble) = &screen.trouble {
        let lead = Bits::of(Role::Bad, "✗ ");
        lines.extend(paragraph(&lead, Role::Text, &trouble.text.clean(), width));
        for hint in &trouble.hints {
            let lead = Bits::new().gap(2);
            lines.extend(paragraph(&lead, Role::Text, &hint.clean(), width));
        }
    }
    if let Some(ended) = &screen.ended {
        let lead = Bits::of(Role::Accent, "· ");
        lines.extend(paragraph(&lead, Role::Text, ended, width));
    }
    let Some(watching) = &screen.watching else {
        return lines;
    };
    match &watching.seen {
        Resumed::Yes { text, origin, .. } => {
            let place = match origin.line {
                Some(line) => clean!("{} ({}, line {})", text, origin.file, line),
                None => clean!("{} ({})", text, origin.file),
            };
            let lead = Bits::of(Role::Good, "✓ resumed: ");
            lines.extend(paragraph(&lead, Role::Text, &place, width));
            lines.extend(next(screen, width));
        }
        Resumed::No if watching.is_eager(canvas.state.now) => lines.push(
            Bits::of(Role::Accent, look::spinner(canvas.state.beat)).say(
                Role::Dim,
                " waiting for the orchestrator's first new record …",
            ),
        ),
        Resumed::No => {
            let text = "No new record from the orchestrator in the last minute. The restored files are unchanged; R in the list can undo the recovery. Still watching.";
            let lead = Bits::of(Role::Warn, "! ");
            lines.extend(paragraph(&lead, Role::Text, &Clean::new(text), width));
        }
    }
    lines
}

/// What may follow after a step.
fn next(screen: &HandoffScreen, width: usize) -> Vec<Bits> {
    let (lead, text) = match screen.next() {
        Some(Next::Ask) => (
            Bits::of(Role::Accent, "? "),
            "A step has ended. n runs the next, N runs until the phase ends, Esc pauses here.",
        ),
        Some(Next::Pause) => (
            Bits::of(Role::Warn, "! "),
            "Paused: a gate or an error needs a person.",
        ),
        Some(Next::GoOn) | None => return Vec::new(),
    };
    paragraph(&lead, Role::Text, &Clean::new(text), width)
}
