//! The page for a person: the verdict, the confounders, what regressed, the metrics, and what to run next.

use super::{figures, pairs};
use crate::cli::commands::replay::swapped;
use crate::cli::prelude::*;
use crate::model::{Artifact, ArtifactChange, ComparisonVerdict, Party};

/// Rows of a list before the rest is only counted.
const CAP: usize = 12;

/// `again` is the command that was typed, for another format; `None` where it cannot be copied.
pub(super) fn comparison(
    comparison: &Comparison,
    (word, again): (&str, Option<&str>),
    page: &mut Page,
) {
    verdict(comparison, page);
    party("A", &comparison.a, page);
    party("B", &comparison.b, page);
    sentences("Confounders", &comparison.confounders, page);
    figures::statistics(comparison.statistics.as_ref(), page);
    sentences("Notes", &comparison.notes, page);
    pairs::regressed(&comparison.pairs, page);
    figures::others(&comparison.others, page);
    figures::metrics(&comparison.metrics, page);
    figures::beside(&comparison.beside, page);
    pairs::table(comparison, page);
    if !comparison.templates.is_empty() {
        page.heading("Templates");
        let templates = comparison.templates.iter();
        templates.for_each(|swap| page.indent(2, Tone::Plain, swapped(swap)));
    }
    artifacts(comparison, page);
    sentences("Not read", &comparison.skipped, page);
    page.blank();
    if let Some(again) = again {
        page.command("report", again);
    }
    page.command("others", clean!("relight compare {} --list", word));
}

fn verdict(comparison: &Comparison, page: &mut Page) {
    let is_evidence = comparison.verdict_text.no_evidence.is_none();
    let tone = match comparison.verdict {
        ComparisonVerdict::Better if is_evidence => Tone::Good,
        ComparisonVerdict::Worse if is_evidence => Tone::Bad,
        ComparisonVerdict::NoMeaningfulChange | ComparisonVerdict::NotJudged => Tone::Strong,
        ComparisonVerdict::Better
        | ComparisonVerdict::Worse
        | ComparisonVerdict::Undecided
        | ComparisonVerdict::Confounded => Tone::Warn,
    };
    let title = comparison.verdict_text.title(comparison.verdict);
    let head = tone.of(clean!("{}: ", title));
    page.under(head, Tone::Plain, comparison.verdict_text.whole());
    page.blank();
}

fn party(side: &str, party: &Party, page: &mut Page) {
    let runs = match party.runs.len() {
        0 | 1 => Clean::empty(),
        many => clean!(" ({} runs)", many),
    };
    page.fact(side, clean!("{}{}: {}", party.name, runs, party.title));
}

/// The first sentences under a heading; nothing where there are none.
fn sentences(title: &str, texts: &[Foreign], page: &mut Page) {
    page.warnings(title, texts.get(..CAP).unwrap_or(texts));
    page.rest(2, texts.len(), CAP);
}

/// The files that differ.
fn artifacts(comparison: &Comparison, page: &mut Page) {
    let Some(artifacts) = &comparison.artifacts else {
        page.heading("Files");
        page.line([Tone::Faint.of("  n/a: a side has no files that can be read.")]);
        return;
    };
    let files = artifacts.files.len();
    let (more, fewer) = (artifacts.insertions, artifacts.deletions);
    let changed = count(files, "file");
    page.heading(format!("Files: {changed} changed, +{more}/-{fewer} lines"));
    for text in comparison.compared_files() {
        page.indent(2, Tone::Faint, text);
    }
    for one in artifacts.files.iter().take(CAP) {
        file(one, page);
    }
    page.rest(2, files, CAP);
    if artifacts.unmeasured > 0 {
        let files = count(artifacts.unmeasured, "file");
        page.line([Tone::Faint.of(format!("  Lines of {files} were not counted."))]);
    }
}

fn file(file: &Artifact, page: &mut Page) {
    let (sign, tone) = match file.change {
        ArtifactChange::Added => ("A", Tone::Good),
        ArtifactChange::Modified => ("M", Tone::Warn),
        ArtifactChange::Removed => ("D", Tone::Bad),
        ArtifactChange::Renamed => ("R", Tone::Warn),
    };
    let counts = match (file.insertions, file.deletions) {
        (Some(more), Some(fewer)) => clean!("  +{} -{}", more, fewer),
        (Some(_) | None, _) => Clean::new("  not compared by lines"),
    };
    let counts = match file.remark() {
        Some(remark) => clean!("{}  {}", counts, remark),
        None => counts,
    };
    let room = page.width.saturating_sub(4 + counts.width());
    page.line([
        tone.of(clean!("  {} ", sign)),
        Tone::Plain.of(file.path.clean().clip(room)),
        Tone::Faint.of(counts),
    ]);
}
