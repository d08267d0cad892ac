//! The parts beside the work: the figures of both sides, the files that differ, and all that is said in full. And the
//! blocks of an experiment as a strip: one column a block, one row an arm, and the sign below.

use super::{Tab, UNKNOWN};
use crate::model::{
    Artifact, ArtifactChange, Artifacts, Metric, STRIP_ROWS, Statistics, strip_fit,
};
use crate::tui::prelude::*;
use crate::tui::screens::plan::form_change;

/// The lines of the strip, with one column selected. Where not all blocks fit, those up to the selected one are shown,
/// else the newest.
pub(crate) fn strip(statistics: &Statistics, selected: Option<usize>, width: usize) -> Vec<Bits> {
    let cells = statistics.strip();
    let (wide, fit) = strip_fit(&cells, width);
    let wide = wide + 1;
    let last = cells.len().saturating_sub(fit);
    let first = selected.map_or(last, |at| (at + 1).saturating_sub(fit).min(last));
    let shown = cells.iter().enumerate().skip(first).take(fit);
    let totals = statistics.totals();
    let rows = STRIP_ROWS.iter().zip(&totals).enumerate();
    rows.map(|(row, (name, total))| {
        let before = if first > 0 { "… " } else { "" };
        let mut bits = Bits::new().gap(3).cell(Role::Dim, *name, 9).dim(before);
        let cells = shown.clone();
        for (at, cell) in cells.filter_map(|(at, block)| Some((at, block.get(row)?))) {
            let role = match cell.as_str() {
                "o" | "+" => Role::Good,
                "x" | "-" => Role::Bad,
                "?" => Role::Warn,
                _ => Role::Text,
            };
            let lit = (selected == Some(at)).then_some((0..cell.len(), Role::Selected));
            let text = Clean::new(&format!("{cell:<wide$}"));
            bits = bits.marked(role, text, lit.into_iter().collect());
            if cell == "?" {
                bits = bits.aloud("unknown ");
            }
        }
        let after = if first < last { "… " } else { "  " };
        bits.dim(after).text(clean!(" {}", total))
    })
    .collect()
}

/// The figures: of the whole runs, then from the point on at which the replay began.
pub(super) fn metrics(canvas: &mut Canvas<'_>, area: Rect, list: List<'_>, ready: &Comparison) {
    const COLUMNS: &[Column] = &[
        Column::share("METRIC", 1),
        Column::cells("A", 11).right(),
        Column::cells("B", 11).right(),
        Column::cells("Δ", 11).right(),
    ];
    if ready.metrics.is_empty() {
        return nothing(canvas, area, "No metrics.");
    }
    let mut rows: Vec<&Metric> = ready.metrics.iter().collect();
    rows.sort_by_key(|metric| metric.from_resume_point);
    let first = rows.partition_point(|metric| !metric.from_resume_point);
    let table = Table {
        above: &|row| (row == first).then(|| Bits::of(Role::Dim, "from the resume point on")),
        ..Table::new(list, COLUMNS)
    };
    table::draw(canvas, area, &table, &|row| {
        let Some(metric) = rows.get(row) else {
            return Vec::new();
        };
        let [a, b, changed] = metric.texts().map(|text| Clean::new(&text));
        let role = match changed.as_str() {
            "=" | "0" | "0 s" | UNKNOWN => Role::Dim,
            _ => Role::Title,
        };
        vec![
            Bits::of(Role::Text, metric.name.as_str()),
            Bits::of(Role::Text, a),
            Bits::of(Role::Text, b),
            Bits::of(role, changed),
        ]
    });
}

/// The files that differ, with how many lines came and went.
pub(super) fn files(canvas: &mut Canvas<'_>, area: Rect, list: List<'_>, ready: &Comparison) {
    const COLUMNS: &[Column] = &[
        Column::cells("", 11),
        Column::cells("", 6).right(),
        Column::cells("", 6).right(),
        Column::share("", 1),
    ];
    let of = whose_files(
        canvas.state,
        ready,
        usize::from(area.width).saturating_sub(2),
    );
    let area = canvas.lines(area, &of);
    let Some(artifacts) = &ready.artifacts else {
        let text = "Files are not compared: one side has no readable work tree.";
        return nothing(canvas, area, text);
    };
    if artifacts.files.is_empty() {
        return nothing(canvas, area, "Both sides have the same files.");
    }
    let (head, body) = split_top(area, 1);
    canvas.pen.line(head, &total(artifacts));
    table::each(canvas, body, (list, COLUMNS), &artifacts.files, &cells);
}

/// Which runs the files are of: those of another run or block are in a comparison of its own.
fn whose_files(state: &State, ready: &Comparison, width: usize) -> Vec<Bits> {
    let Some(whose) = ready.whose_files() else {
        return Vec::new();
    };
    let other = match &ready.statistics {
        Some(_) => clean!(
            "; for those of a block press {}, then {}.",
            state.key(Cmd::Blocks),
            state.key(Cmd::Enter)
        ),
        None => Clean::new(", the first run of each side."),
    };
    let text = clean!("{}{}", whose, other);
    paragraph(&Bits::new().gap(1), Role::Text, &text, width)
}

/// How much differs in all, and between what.
pub(crate) fn total(artifacts: &Artifacts) -> Bits {
    let files = format::count(artifacts.files.len(), "file");
    let mut bits = Bits::of(Role::Text, clean!(" {} changed, ", files))
        .say(Role::Added, clean!("+{}", artifacts.insertions))
        .gap(1)
        .say(Role::Removed, clean!("-{}", artifacts.deletions))
        .text(" lines");
    if artifacts.unmeasured > 0 {
        let number = format::count(artifacts.unmeasured, "file");
        bits = bits.warn(clean!("  ! lines of {} not compared", number));
    }
    bits.dim(clean!("  {}", artifacts.between))
}

fn cells(file: &Artifact) -> Vec<Bits> {
    let (look, word) = match file.change {
        ArtifactChange::Added => (("+", Role::Good), "only in B"),
        ArtifactChange::Modified => (("~", Role::Warn), "differs"),
        ArtifactChange::Removed => (("-", Role::Bad), "only in A"),
        ArtifactChange::Renamed => ((">", Role::Warn), "renamed"),
    };
    let number = |sign: &'static str, number: Option<u64>| {
        let text = number.map(|number| clean!("{}{}", sign, number));
        text.unwrap_or_else(|| Clean::new(UNKNOWN))
    };
    vec![
        Bits::signed(look, word),
        Bits::of(Role::Added, number("+", file.insertions)),
        Bits::of(Role::Removed, number("-", file.deletions)),
        form_change(file.forms, usize::MAX).text(file.path.clean()),
    ]
}

/// Everything that is said about both sides, in full.
pub(super) fn about(canvas: &mut Canvas<'_>, area: Rect, top: usize, ready: &Comparison) {
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
        page.line(
            title("Blocks").dim(
                canvas
                    .state
                    .with_key(Cmd::Evidence, "  {} shows the evidence in numbers"),
            ),
        );
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
        page.line(
            title("Templates that differ").dim(
                canvas
                    .state
                    .with_key(Cmd::TemplateDiff, "  {} shows the difference"),
            ),
        );
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
    let mut facts = vec![Fact::text("  what", party.title.clean())];
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
        facts.push(Fact::text("  run", text));
    }
    let swapped = party.mutations().into_iter();
    facts.extend(swapped.map(|text| Fact::new("  replaced", Role::Accent, text.clean())));
    facts
}
