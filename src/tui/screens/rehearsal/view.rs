//! A plan that is tried in a scratch folder, and what the project's check said there.

use ratatui::layout::Rect;

use crate::clean;
use crate::model::{CheckRun, Rehearsal};
use crate::text::format;
use crate::tui::data::Load;
use crate::tui::geometry::ListId;
use crate::tui::screens::progress;
use crate::tui::screens::rehearsal::RehearsalScreen;
use crate::tui::theme::Role;
use crate::tui::view::facts::Fact;
use crate::tui::view::page::TextPage;
use crate::tui::view::pen::Bits;
use crate::tui::view::{Canvas, indented};

/// Draws the screen.
pub(crate) fn draw(canvas: &mut Canvas<'_>, area: Rect, screen: &RehearsalScreen) {
    let inside = indented(area);
    let mut page = TextPage::of(inside);
    match &screen.result {
        Load::Pending => {
            let text = "Trying the plan in a scratch directory; your files do not change.";
            page.line(Bits::of(Role::Title, text));
            page.blank();
            page.lines
                .extend(progress::rows(canvas.state.beat, &screen.stages));
        }
        Load::Failed(trouble) => page.problem(Role::Title, trouble),
        Load::Ready(rehearsal) => result(&mut page, rehearsal),
    }
    page.draw(canvas, inside, ListId::of::<RehearsalScreen>());
}

fn result(page: &mut TextPage, rehearsal: &Rehearsal) {
    page.line(verdict(rehearsal));
    page.blank();
    let changed = format::count(rehearsal.changed, "file");
    let changed = clean!("{} in the scratch directory", changed);
    let mut facts = vec![
        Fact::file("directory", Role::Text, &rehearsal.folder),
        Fact::new("changed", Role::Text, changed),
    ];
    if let Some(check) = &rehearsal.check {
        let shown = format::shell_line(&check.argv).unwrap_or_else(|| {
            let argv = check.argv.iter().map(|word| word.clean().into_string());
            crate::model::Clean::new(&argv.collect::<Vec<String>>().join(" "))
        });
        facts.push(Fact::new("check", Role::Text, shown));
        let ended = clean!("{}, after {}", check.ended, format::duration(check.seconds));
        facts.push(Fact::new("ended", Role::Text, ended));
    }
    page.facts(&facts);
    if !rehearsal.not_covered.is_empty() {
        page.heading("Not covered by this rehearsal");
        for text in &rehearsal.not_covered {
            page.signed(Role::Warn, "  ! ", text);
        }
    }
    if let Some(check) = &rehearsal.check {
        output(page, check);
    }
    page.blank();
    let text = "The directory is kept; y copies its path. Your files did not change.";
    page.line(Bits::of(Role::Dim, text));
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

fn output(page: &mut TextPage, check: &CheckRun) {
    page.heading("Last lines of its output");
    if check.output.is_empty() {
        page.line(Bits::of(Role::Dim, "  nothing"));
    }
    for line in check.output.lines() {
        page.signed(Role::Dim, "│ ", &line);
    }
}
