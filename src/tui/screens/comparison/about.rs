//! Everything that is said about both sides, in full.

use super::Tab;
use crate::model::{Comparison, Party};
use crate::tui::prelude::*;

/// Draws the part.
pub(super) fn draw(canvas: &mut Canvas<'_>, area: Rect, top: usize, ready: &Comparison) {
    let mut page = TextPage::new(usize::from(area.width).saturating_sub(3));
    page.indented(1, Role::Text, &ready.verdict_text.whole());
    let title = |text: &'static str| Bits::of(Role::Text, " ").title(text);
    let mut list_of = |heading: &'static str, texts: &[Foreign], sign: &'static str| {
        if texts.is_empty() {
            return;
        }
        page.blank();
        page.line(title(heading));
        for text in texts {
            page.signed(Role::Warn, sign, text);
        }
    };
    list_of("Confounders", &ready.confounders, " ! ");
    list_of("Notes", &ready.notes, " · ");
    list_of("Could not be read", &ready.skipped, " ! ");
    if let Some(statistics) = &ready.statistics {
        page.blank();
        page.line(title("Blocks").dim("  E shows the evidence in numbers"));
        for text in statistics.sentences() {
            page.indented(3, Role::Text, text);
        }
    }
    for (heading, party) in [("A", &ready.a), ("B", &ready.b)] {
        page.blank();
        page.line(title(heading).text("  ").accent(party.name.as_str()));
        page.facts(&side(party));
    }
    if !ready.templates.is_empty() {
        page.blank();
        page.line(title("Templates that differ").dim("  t shows the difference"));
        for swap in &ready.templates {
            let number = format::count(swap.dispatches, "dispatch");
            let text = clean!(
                "{}: {}; {}",
                swap.mutation.text(),
                number,
                swap.template_from
            );
            page.indented(3, Role::Text, text);
        }
    }
    list::text(canvas, area, Tab::About.list(), top, &page.lines);
}

fn side(party: &Party) -> Vec<Fact> {
    let mut facts = vec![Fact::text("   what", party.title.clean())];
    for run in &party.runs {
        let began = run.started_at.as_ref();
        let began = began.map_or_else(|| "an unknown time".to_owned(), crate::model::Stamp::words);
        let work = format::count(run.work.len(), "dispatch");
        let mut text = clean!("{}, started {}, {}", run.name, began, work);
        if let Some((point, seq)) = &run.start {
            text = clean!("{}, from {} (dispatch {} on)", text, point.0, seq);
        }
        if run.unfinished {
            text = clean!("{}; unfinished, so figures may change", text);
        }
        facts.push(Fact::text("   run", text));
    }
    let mut swapped: Vec<&Foreign> = Vec::new();
    for mutation in party.runs.iter().flat_map(|run| &run.mutations) {
        if !swapped.contains(&mutation) {
            swapped.push(mutation);
            facts.push(Fact::new("   replaced", Role::Accent, mutation.clean()));
        }
    }
    facts
}
