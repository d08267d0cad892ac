//! The page for a person: what may be said first, then what speaks against saying more, then what got worse, then
//! the figures, and what to type next.

use super::{figures, pairs};
use crate::clean;
use crate::cli::answer::{Line, Span, Tone};
use crate::cli::commands::plan::actions::more;
use crate::cli::commands::replay::swapped;
use crate::cli::commands::words::{fact, heading, under};
use crate::model::{
    Artifact, ArtifactChange, Artifacts, Clean, Comparison, ComparisonVerdict, Foreign, Party,
};

/// Rows of a list before the rest is only counted.
const CAP: usize = 12;

pub(super) fn lines(comparison: &Comparison, word: &str, width: usize) -> Vec<Line> {
    let mut lines = verdict(comparison, width);
    lines.extend(sentences("Confounders", &comparison.confounders, width));
    lines.extend(pairs::regressed(&comparison.pairs, width));
    lines.extend(figures::metrics(&comparison.metrics, width));
    lines.extend(figures::statistics(comparison.statistics.as_ref(), width));
    lines.extend(pairs::table(comparison, width));
    if !comparison.templates.is_empty() {
        lines.extend(heading("Templates"));
        for swap in &comparison.templates {
            let text = swapped(swap);
            lines.extend(under(
                Span::plain(Clean::new("  ")),
                Tone::Plain,
                &text,
                width,
            ));
        }
    }
    lines.extend(artifacts(comparison.artifacts.as_ref(), width));
    lines.extend(sentences("Not read", &comparison.skipped, width));
    lines.extend(next(comparison, word));
    lines
}

/// What may be said, and of what.
fn verdict(comparison: &Comparison, width: usize) -> Vec<Line> {
    let tone = match comparison.verdict {
        ComparisonVerdict::Better => Tone::Good,
        ComparisonVerdict::Worse => Tone::Bad,
        ComparisonVerdict::Same
        | ComparisonVerdict::NoMeaningfulChange
        | ComparisonVerdict::Different => Tone::Strong,
        ComparisonVerdict::Undecided
        | ComparisonVerdict::Confounded
        | ComparisonVerdict::Unfinished => Tone::Warn,
    };
    let head = Span(tone, clean!("{}: ", comparison.verdict.words()));
    let text = comparison.verdict_text.clean();
    let mut lines = wrapped(&head, &text, width);
    lines.push(vec![]);
    for (side, party) in [("A", &comparison.a), ("B", &comparison.b)] {
        lines.extend(party_lines(side, party, width));
    }
    lines
}

/// A word in its tone with a text behind it, wrapped to the left edge.
fn wrapped(head: &Span, text: &Clean, width: usize) -> Vec<Line> {
    let whole = clean!("{}{}", head.1, text);
    let mut lines = under(Span::plain(Clean::empty()), Tone::Plain, &whole, width);
    // The head is shorter than any line.
    if let Some(first) = lines.first_mut() {
        let rest = first
            .iter()
            .map(|span| span.1.as_str())
            .collect::<String>()
            .strip_prefix(head.1.as_str())
            .map(Clean::new);
        if let Some(rest) = rest {
            *first = vec![Span(head.0, head.1.clone()), Span::plain(rest)];
        }
    }
    lines
}

fn party_lines(side: &str, party: &Party, width: usize) -> Vec<Line> {
    let runs = match party.runs.len() {
        0 | 1 => Clean::empty(),
        many => clean!(" ({} runs)", many),
    };
    let text = clean!("{}{}: {}", party.name, runs, party.title);
    fact(side, Tone::Plain, &text, width)
}

/// Sentences under a heading, each with a mark; nothing where there are none.
fn sentences(title: &str, texts: &[Foreign], width: usize) -> Vec<Line> {
    if texts.is_empty() {
        return Vec::new();
    }
    let mut lines = heading(title).to_vec();
    for text in texts.iter().take(CAP) {
        let head = Span(Tone::Warn, Clean::new("  ! "));
        lines.extend(under(head, Tone::Plain, &text.clean(), width));
    }
    lines.extend(more(texts.len(), CAP));
    lines
}

/// The files that differ.
fn artifacts(artifacts: Option<&Artifacts>, width: usize) -> Vec<Line> {
    let Some(artifacts) = artifacts else {
        let mut lines = heading("Files").to_vec();
        let text = Clean::new("  n/a: a side has no files that can be read.");
        lines.push(vec![Span(Tone::Faint, text)]);
        return lines;
    };
    let files = artifacts.files.len();
    let changed = if files == 1 { "file" } else { "files" };
    let title = format!(
        "Files: {files} {changed} changed, +{}/-{} lines",
        artifacts.insertions, artifacts.deletions
    );
    let mut lines = heading(&title).to_vec();
    if !artifacts.between.is_empty() {
        let head = Span::plain(Clean::new("  "));
        lines.extend(under(head, Tone::Faint, &artifacts.between.clean(), width));
    }
    for file in artifacts.files.iter().take(CAP) {
        lines.push(file_line(file, width));
    }
    lines.extend(more(files, CAP));
    if artifacts.unmeasured > 0 {
        let text = clean!(
            "  Lines of {} of them were not counted.",
            artifacts.unmeasured
        );
        lines.push(vec![Span(Tone::Faint, text)]);
    }
    lines
}

fn file_line(file: &Artifact, width: usize) -> Line {
    let (sign, tone) = match file.change {
        ArtifactChange::Added => ("A", Tone::Good),
        ArtifactChange::Modified => ("M", Tone::Warn),
        ArtifactChange::Removed => ("R", Tone::Bad),
    };
    let counts = match (file.insertions, file.deletions) {
        (Some(more), Some(fewer)) => clean!("  +{} -{}", more, fewer),
        (Some(_) | None, _) => Clean::new("  not compared by lines"),
    };
    let room = width.saturating_sub(4 + counts.width());
    vec![
        Span(tone, clean!("  {} ", sign)),
        Span::plain(file.path.clean().clip(room)),
        Span(Tone::Faint, counts),
    ]
}

/// What to type next.
fn next(comparison: &Comparison, word: &str) -> Vec<Line> {
    let (a, b) = (&comparison.a.name, &comparison.b.name);
    let line = |key: &str, text: Clean| {
        vec![
            Span(Tone::Faint, Clean::new(&format!("{key:<12}"))),
            Span(Tone::Strong, text),
        ]
    };
    vec![
        vec![],
        line(
            "report",
            clean!("relight compare {} {} {} --format markdown", word, a, b),
        ),
        line("others", clean!("relight compare {} --list", word)),
    ]
}
