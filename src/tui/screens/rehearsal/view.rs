//! A plan that is tried in a scratch folder, and what the project's check said there.

use crate::tui::screens::rehearsal::RehearsalScreen;
use ratatui::layout::Rect;

use crate::clean;
use crate::model::{CheckRun, Rehearsal};
use crate::text::format;
use crate::tui::data::Load;
use crate::tui::geometry::ListId;
use crate::tui::screens::progress;
use crate::tui::theme::Role;
use crate::tui::view::facts::{self, Fact};
use crate::tui::view::pen::Bits;
use crate::tui::view::{Canvas, list, paragraph};

/// Draws the screen.
pub(crate) fn draw(canvas: &mut Canvas<'_>, area: Rect, screen: &RehearsalScreen) {
    let inside = crate::tui::view::indented(area);
    let width = usize::from(inside.width).saturating_sub(2);
    let lines = match &screen.result {
        Load::Pending => waiting(canvas.state.beat, screen),
        Load::Failed(trouble) => {
            let mut lines = paragraph(
                &Bits::of(Role::Bad, "✗ "),
                Role::Title,
                &trouble.text.clean(),
                width,
            );
            for hint in &trouble.hints {
                let lead = Bits::new().gap(2);
                lines.extend(paragraph(&lead, Role::Text, &hint.clean(), width));
            }
            lines
        }
        Load::Ready(rehearsal) => result(rehearsal, width),
    };
    list::text(
        canvas,
        inside,
        ListId::of::<RehearsalScreen>(),
        screen.scroll.top,
        &lines,
    );
}

fn waiting(beat: usize, screen: &RehearsalScreen) -> Vec<Bits> {
    let mut lines = vec![
        Bits::of(
            Role::Title,
            "Trying the plan in a scratch directory; your files do not change.",
        ),
        Bits::new(),
    ];
    lines.extend(progress::rows(beat, &screen.stages));
    lines
}

fn result(rehearsal: &Rehearsal, width: usize) -> Vec<Bits> {
    let mut lines = vec![verdict(rehearsal), Bits::new()];
    let mut facts = vec![
        Fact::new("directory", Role::Text, clean!("{}", rehearsal.folder)),
        Fact::new(
            "changed",
            Role::Text,
            clean!(
                "{} in the scratch directory",
                format::count(rehearsal.changed, "file")
            ),
        ),
    ];
    if let Some(check) = &rehearsal.check {
        let shown = format::shell_line(&check.argv).unwrap_or_else(|| {
            let argv: Vec<String> = check
                .argv
                .iter()
                .map(|word| word.clean().into_string())
                .collect();
            argv.join(" ")
        });
        facts.push(Fact::new("check", Role::Text, shown));
        let took = format::duration(check.seconds);
        facts.push(Fact::new(
            "ended",
            Role::Text,
            clean!("{}, after {}", check.ended, took),
        ));
    }
    lines.extend(facts::lines(&facts, width));
    if !rehearsal.not_covered.is_empty() {
        lines.push(Bits::new());
        lines.push(Bits::of(Role::Title, "Not covered by this rehearsal"));
        for text in &rehearsal.not_covered {
            let lead = Bits::of(Role::Warn, "  ! ");
            lines.extend(paragraph(&lead, Role::Text, &text.clean(), width));
        }
    }
    if let Some(check) = &rehearsal.check {
        lines.extend(output(check, width));
    }
    lines.push(Bits::new());
    lines.push(Bits::of(
        Role::Dim,
        "The directory is kept; y copies its path. Your files did not change.",
    ));
    lines
}

/// The result in a line, also for the points and the plan.
pub(crate) fn verdict(rehearsal: &Rehearsal) -> Bits {
    match &rehearsal.check {
        Some(check) if check.passed => {
            Bits::of(Role::Good, "✓ ").say(Role::Text, "rehearsed: the check passed")
        }
        Some(check) => Bits::of(Role::Bad, "✗ ")
            .say(Role::Text, "rehearsed: the check failed, ")
            .say(Role::Text, check.ended.clean()),
        None => Bits::of(Role::Warn, "– ").say(
            Role::Text,
            "rehearsed; no check ran: none is configured under [check]",
        ),
    }
}

fn output(check: &CheckRun, width: usize) -> Vec<Bits> {
    let mut lines = vec![
        Bits::new(),
        Bits::of(Role::Title, "Last lines of its output"),
    ];
    if check.output.is_empty() {
        lines.push(Bits::of(Role::Dim, "  nothing"));
    }
    for line in check.output.lines() {
        let lead = Bits::of(Role::Dim, "│ ");
        lines.extend(paragraph(&lead, Role::Text, &line.clean(), width));
    }
    lines
}
