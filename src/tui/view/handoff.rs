//! The hand-off card: where to stand, what to run, what to say.

use ratatui::layout::Rect;

use super::facts::{self, Fact};
use super::pen::Bits;
use super::{Canvas, list, paragraph};
use crate::clean;
use crate::model::{Clean, Foreign};
use crate::tui::data::Load;
use crate::tui::geometry::ListId;
use crate::tui::state::recoveries::HandoffScreen;
use crate::tui::theme::Role;

/// Draws the card.
pub(super) fn draw(canvas: &mut Canvas<'_>, area: Rect, screen: &HandoffScreen) {
    let inside = Rect::new(
        area.x + 1,
        area.y,
        area.width.saturating_sub(1),
        area.height,
    );
    let width = usize::from(inside.width).saturating_sub(2);
    let lines = card(screen, width);
    list::text(canvas, inside, ListId::Handoff, screen.scroll.top, &lines);
}

fn card(screen: &HandoffScreen, width: usize) -> Vec<Bits> {
    let mut lines = Vec::new();
    for text in &screen.before {
        let lead = Bits::new().say(Role::Accent, "· ");
        lines.extend(paragraph(&lead, Role::Text, text, width));
    }
    lines.extend(launched(screen, width));
    if !lines.is_empty() {
        lines.push(Bits::new());
    }
    let handoff = &screen.handoff;
    lines.push(Bits::new().say(Role::Title, "How the orchestrator goes on"));
    let mut facts = vec![Fact::new("stand in", Role::Text, clean!("{}", handoff.cwd))];
    match handoff.command_line() {
        Some(line) => facts.push(Fact::new("run", Role::Accent, Clean::new(&line))),
        None if handoff.argv.is_empty() => facts.push(Fact::new(
            "run",
            Role::Dim,
            Clean::new("No command: what follows is typed where the orchestrator runs."),
        )),
        None => {
            let words: Vec<Clean> = handoff.argv.iter().map(Foreign::clean).collect();
            let why = "It holds characters that a terminal obeys or hides, so it is neither copied nor launched:";
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
        facts.push(Fact::new("then type", Role::Text, first));
        facts.extend(prompt.map(|line| Fact::new("", Role::Text, line)));
    }
    lines.extend(facts::lines(&facts, width));
    if !handoff.briefing.is_empty() {
        lines.push(Bits::new());
        lines.push(Bits::new().say(Role::Title, "Briefing"));
        for line in handoff.briefing.lines() {
            let lead = Bits::new().say(Role::Dim, "│ ");
            lines.extend(paragraph(&lead, Role::Text, &line.clean(), width));
        }
    }
    lines
}

/// How a launch ended, and whether work has resumed.
fn launched(screen: &HandoffScreen, width: usize) -> Vec<Bits> {
    match &screen.launched {
        Load::Pending => Vec::new(),
        Load::Failed(trouble) => {
            let lead = Bits::new().say(Role::Bad, "✗ ");
            let mut lines = paragraph(&lead, Role::Text, &trouble.text.clean(), width);
            for hint in &trouble.hints {
                let lead = Bits::new().say(Role::Text, "  ");
                lines.extend(paragraph(&lead, Role::Text, &hint.clean(), width));
            }
            lines
        }
        Load::Ready(launched) => {
            let lead = Bits::new().say(Role::Accent, "· ");
            let mut lines = paragraph(&lead, Role::Text, &launched.ended.clean(), width);
            if let Some(record) = &launched.resumed {
                let lead = Bits::new().say(Role::Good, "✓ work has resumed: ");
                lines.extend(paragraph(&lead, Role::Text, &record.clean(), width));
            } else {
                let text = "No new record of the orchestrator was seen yet. What was restored stands; R lists it, and u there takes it back.";
                let lead = Bits::new().say(Role::Warn, "! ");
                lines.extend(paragraph(&lead, Role::Text, &Clean::new(text), width));
            }
            lines
        }
    }
}
