//! The hand-off card: the directory, the command and the prompt.

use ratatui::layout::Rect;

use crate::clean;
use crate::model::{Clean, Continuation, Next, Resumed};
use crate::tui::geometry::ListId;
use crate::tui::screens::handoff::HandoffScreen;
use crate::tui::theme::Role;
use crate::tui::view::facts::Fact;
use crate::tui::view::page::TextPage;
use crate::tui::view::pen::Bits;
use crate::tui::view::{Canvas, indented, look};

/// Draws the card.
pub(crate) fn draw(canvas: &mut Canvas<'_>, area: Rect, screen: &HandoffScreen) {
    let inside = indented(area);
    let mut page = TextPage::of(inside);
    for text in &screen.before {
        let (sign, role) = if screen.premature {
            ("! ", Role::Warn)
        } else {
            ("· ", Role::Accent)
        };
        page.signed(role, sign, text.clone());
    }
    launched(canvas, screen, &mut page);
    if !page.lines.is_empty() {
        page.blank();
    }
    page.line(Bits::of(Role::Title, "How the orchestrator resumes"));
    page.facts(&facts(screen));
    if let Some(other) = &screen.other {
        continuation(other, &mut page);
    }
    if !screen.handoff.briefing.is_empty() {
        page.heading("Briefing");
        for line in screen.handoff.briefing.lines() {
            page.signed(Role::Dim, "│ ", &line);
        }
    }
    page.draw(canvas, inside, ListId::of::<HandoffScreen>());
}

/// The alternative: the conversation that stopped.
fn continuation(other: &Continuation, page: &mut TextPage) {
    let Some(line) = other.resume.line() else {
        return;
    };
    page.heading("Or continue the conversation");
    let mut facts = vec![Fact::new("run", Role::Accent, line)];
    facts.push(Fact::new("", Role::Dim, "c copies it."));
    let sentences = other.sentences();
    facts.extend(
        sentences
            .iter()
            .map(|text| Fact::new("", Role::Text, Clean::new(text))),
    );
    page.facts(&facts);
}

/// Where to run what, and what to type then.
fn facts(screen: &HandoffScreen) -> Vec<Fact> {
    let handoff = &screen.handoff;
    let mut facts = vec![Fact::file("directory", Role::Text, &handoff.cwd)];
    match handoff.command_line() {
        Some(line) => {
            facts.push(Fact::new("run", Role::Accent, line));
            let keys = if screen.premature {
                "y copies it."
            } else {
                "y copies it; A runs it here."
            };
            facts.push(Fact::new("", Role::Dim, keys));
        }
        None if handoff.argv.is_empty() => {
            let text = "No command: type the prompt where the orchestrator runs.";
            facts.push(Fact::new("run", Role::Dim, text));
        }
        None => {
            let why = "It contains control or invisible characters, so it is neither copied nor launched:";
            facts.push(Fact::new("run", Role::Warn, why));
            let words = handoff.argv.iter();
            facts.extend(words.map(|word| Fact::new("", Role::Text, word)));
        }
    }
    // The prompt is the last argument of the command.
    if handoff.argv.last() != Some(&handoff.prompt) && !handoff.prompt.is_empty() {
        for (place, line) in handoff.prompt.lines().enumerate() {
            let label = if place == 0 { "prompt" } else { "" };
            facts.push(Fact::new(label, Role::Text, &line));
        }
    }
    facts
}

/// How a launch ended, and whether work has resumed.
fn launched(canvas: &Canvas<'_>, screen: &HandoffScreen, page: &mut TextPage) {
    if let Some(trouble) = &screen.trouble {
        page.problem(Role::Text, trouble);
    }
    if let Some(ended) = &screen.ended {
        page.signed(Role::Accent, "· ", ended.clone());
    }
    let Some(watching) = &screen.watching else {
        return;
    };
    match &watching.seen {
        Resumed::Yes { text, origin, .. } => {
            let place = match origin.line {
                Some(line) => clean!("{} ({}, line {})", text, origin.file, line),
                None => clean!("{} ({})", text, origin.file),
            };
            page.signed(Role::Good, "✓ resumed: ", place);
            next(screen, page);
        }
        Resumed::No if watching.is_eager(canvas.state.now) => {
            let text = " waiting for the orchestrator's first new record …";
            let spinner = look::spinner(canvas.state.beat);
            page.line(Bits::of(Role::Accent, spinner).say(Role::Dim, text));
        }
        Resumed::No => page.signed(
            Role::Warn,
            "! ",
            "No new record from the orchestrator in the last minute. The restored files are unchanged; R in the list can undo the recovery. Still watching.",
        ),
    }
}

/// What may follow after a step.
fn next(screen: &HandoffScreen, page: &mut TextPage) {
    match screen.next() {
        Some(Next::Ask) => page.signed(
            Role::Accent,
            "? ",
            "A step has ended. n runs the next, N runs until the phase ends, Esc pauses here.",
        ),
        Some(Next::Pause) => page.signed(
            Role::Warn,
            "! ",
            "Paused: a gate or an error needs a person.",
        ),
        Some(Next::GoOn) | None => {}
    }
}
