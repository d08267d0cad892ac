//! Everything that is said about both sides, in full.

use crate::tui::screens::comparison::{ComparisonScreen, Tab};
use ratatui::layout::Rect;

use crate::clean;
use crate::model::{Clean, Comparison, Foreign, Party};
use crate::text::format;
use crate::tui::theme::Role;
use crate::tui::view::facts::{Fact, lines};
use crate::tui::view::pen::Bits;
use crate::tui::view::{Canvas, list, paragraph};

/// Draws the part.
pub(crate) fn draw(
    canvas: &mut Canvas<'_>,
    area: Rect,
    screen: &ComparisonScreen,
    ready: &Comparison,
) {
    let width = usize::from(area.width).saturating_sub(3);
    let mut all = paragraph(
        &Bits::new().pad(1),
        Role::Text,
        &ready.verdict_text.whole().clean(),
        width,
    );
    let title = |text: &'static str| Bits::of(Role::Text, " ").say(Role::Title, text);
    let mut list_of = |heading: &'static str, texts: &[Foreign], sign: &'static str| {
        if texts.is_empty() {
            return;
        }
        all.push(Bits::new());
        all.push(title(heading));
        for text in texts {
            let lead = Bits::of(Role::Warn, sign);
            all.extend(paragraph(&lead, Role::Text, &text.clean(), width));
        }
    };
    list_of("Confounders", &ready.confounders, " ! ");
    list_of("Notes", &ready.notes, " · ");
    list_of("Could not be read", &ready.skipped, " ! ");
    if let Some(statistics) = &ready.statistics {
        all.push(Bits::new());
        all.push(title("Blocks").say(Role::Dim, "  E shows the evidence in numbers"));
        for text in statistics.sentences() {
            let text = Clean::new(&text);
            all.extend(paragraph(&Bits::new().pad(3), Role::Text, &text, width));
        }
    }
    for (heading, party) in [("A", &ready.a), ("B", &ready.b)] {
        all.push(Bits::new());
        all.push(
            title(heading)
                .say(Role::Text, "  ")
                .say(Role::Accent, party.name.as_str()),
        );
        all.extend(side(party, width));
    }
    if !ready.templates.is_empty() {
        all.push(Bits::new());
        all.push(title("Templates that differ").say(Role::Dim, "  t shows the difference"));
        for swap in &ready.templates {
            let number = format::count(swap.dispatches, "dispatch");
            let text = clean!(
                "{}: {}; {}",
                swap.mutation.text(),
                number,
                swap.template_from
            );
            all.extend(paragraph(&Bits::new().pad(3), Role::Text, &text, width));
        }
    }
    list::text(
        canvas,
        area,
        Tab::About.list(),
        screen.place(Tab::About),
        &all,
    );
}

fn side(party: &Party, width: usize) -> Vec<Bits> {
    let mut facts = vec![Fact::new("   what", Role::Text, party.title.clean())];
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
        facts.push(Fact::new("   run", Role::Text, text));
    }
    let mut swapped: Vec<&Foreign> = Vec::new();
    for mutation in party.runs.iter().flat_map(|run| &run.mutations) {
        if !swapped.contains(&mutation) {
            swapped.push(mutation);
            facts.push(Fact::new("   swapped", Role::Accent, mutation.clean()));
        }
    }
    lines(&facts, width)
}
