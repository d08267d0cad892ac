//! A plan that is tried in a scratch directory, and what the project's check said there.

use super::progress::{self, Stages};
use crate::model::CheckRun;
use crate::tui::commands::EVERYWHERE;
use crate::tui::prelude::*;

/// The screen. When it closes, the rehearsal ends: nobody would see its result.
#[derive(Debug)]
pub(crate) struct RehearsalScreen {
    /// The plan.
    pub(crate) plan: Arc<Plan>,
    /// What ends it.
    pub(crate) cancel: Cancel,
    /// The request under way.
    pub(crate) ticket: Option<Ticket>,
    /// The progress of each stage.
    pub(crate) stages: Stages,
    /// The result.
    pub(crate) result: Load<Rehearsal>,
}

impl Drop for RehearsalScreen {
    fn drop(&mut self) {
        self.cancel.cancel();
    }
}

impl Screen for RehearsalScreen {
    fn profile(&self) -> Profile<'_> {
        Profile::screen("rehearsal", EVERYWHERE)
            .ends_with_plan()
            .awaits(self.ticket)
    }

    fn draw(&self, canvas: &mut Canvas<'_>, area: Rect) {
        let inside = indented(area);
        let mut page = TextPage::of(inside);
        match &self.result {
            Load::Pending => {
                let text = "Trying the plan in a scratch directory; your files do not change.";
                page.line(Bits::of(Role::Title, text));
                page.blank();
                page.lines
                    .extend(progress::rows(canvas.state.beat, &self.stages));
            }
            Load::Failed(trouble) => page.problem(Role::Title, trouble),
            Load::Ready(rehearsal) => result(&mut page, rehearsal, &canvas.state.key(Cmd::Copy)),
        }
        page.draw(canvas, inside, ListId::of::<Self>());
    }

    fn parting(&self, _: &State) -> Option<Clean> {
        let text = "The rehearsal is canceled; its scratch directory is deleted.";
        self.ticket.map(|_| Clean::new(text))
    }

    fn copyable(&self, _: &State) -> Result<Clean, &'static str> {
        let rehearsal = self.result.ready().ok_or(NOTHING)?;
        true_text(&Foreign::from(&rehearsal.folder))
    }
}

fn result(page: &mut TextPage, rehearsal: &Rehearsal, copy: &Clean) {
    page.line(verdict(rehearsal));
    page.blank();
    let changed = format::count(rehearsal.changed, "file");
    let changed = clean!("{} in the scratch directory", changed);
    let mut facts = vec![
        Fact::file("directory", Role::Text, &rehearsal.folder),
        Fact::text("changed", changed),
    ];
    if let Some(check) = &rehearsal.check {
        let shown = format::shell_line(&check.argv).unwrap_or_else(|| {
            let argv = check.argv.iter().map(|word| word.clean().into_string());
            Clean::new(&argv.collect::<Vec<String>>().join(" "))
        });
        facts.push(Fact::text("check", shown));
        let ended = clean!("{}, after {}", check.ended, format::duration(check.seconds));
        facts.push(Fact::text("ended", ended));
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
    let text = "copies its path. Your files did not change.";
    page.text(clean!("The directory is kept; {} {}", copy, text));
}

/// The result in a line, also for the points and the plan.
pub(crate) fn verdict(rehearsal: &Rehearsal) -> Bits {
    match &rehearsal.check {
        Some(check) if check.passed => {
            Bits::of(Role::Good, "✓ ").text("rehearsed: the check passed")
        }
        Some(check) => Bits::of(Role::Bad, "✗ ")
            .text("rehearsed: the check failed, ")
            .text(check.ended.clean()),
        None => Bits::of(Role::Warn, "– ")
            .text("rehearsed; no check ran: none is configured under [check]"),
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
