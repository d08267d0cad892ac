//! `relight checkpoints`, each with how far the work tree has moved from it.

use super::setup::Session;
use super::words::{moment, short, under};
use crate::clean;
use crate::cli::answer::{Answer, Failure, Line, Span, Tone};
use crate::cli::args::Target;
use crate::cli::report::CheckpointsReport;
use crate::model::{Checkpoint, Clean};

pub(super) fn run(session: &Session, target: &Target, width: usize) -> Result<Answer, Failure> {
    let mut dossier = super::readable(session, target)?;
    let mut notes = Vec::new();
    for checkpoint in &mut dossier.checkpoints {
        match session.engine.drift(&dossier.pipeline.id, checkpoint) {
            Ok(drift) => checkpoint.drift = drift,
            Err(error) => notes.push(error.text.clean()),
        }
    }
    let mut lines: Vec<Line> = Vec::new();
    let mut said: Option<&Checkpoint> = None;
    for checkpoint in &dossier.checkpoints {
        lines.extend(moved(checkpoint, width));
        let other = |before: &Checkpoint| {
            before.brings_back != checkpoint.brings_back || before.cannot != checkpoint.cannot
        };
        if said.is_none_or(other) {
            lines.extend(promise(checkpoint, width));
        }
        said = Some(checkpoint);
    }
    if lines.is_empty() {
        lines.push(vec![Span::plain(Clean::new("It has no checkpoints."))]);
    }
    let mut answer = Answer::new(CheckpointsReport::new(&dossier.checkpoints), lines);
    answer.notes = notes;
    Ok(answer)
}

/// Which one it is and how far the work tree has moved from it.
fn moved(checkpoint: &Checkpoint, width: usize) -> Vec<Line> {
    let head = Span::plain(Clean::empty());
    let mut lines = under(head, Tone::Strong, &checkpoint.reason.clean(), width);
    let facts = clean!(
        "{}  {}  {}",
        short(&checkpoint.id),
        moment(checkpoint.taken_at),
        checkpoint.source
    );
    lines.extend(under(
        Span::plain(Clean::new("  ")),
        Tone::Faint,
        &facts,
        width,
    ));
    if let Some(drift) = &checkpoint.drift {
        let text = clean!(
            "Since then: {} modified, {} missing, {} created, {} not covered.",
            drift.modified,
            drift.missing,
            drift.created,
            drift.not_covered
        );
        let tone = if drift.modified + drift.missing > 0 {
            Tone::Warn
        } else {
            Tone::Good
        };
        lines.extend(under(Span::plain(Clean::new("  ")), tone, &text, width));
    }
    lines
}

/// What it brings back and what it cannot; said once for neighbours that promise the same.
fn promise(checkpoint: &Checkpoint, width: usize) -> Vec<Line> {
    let say = |tone: Tone, sign: &str, text: &Clean| {
        under(Span(tone, Clean::new(sign)), Tone::Plain, text, width)
    };
    let brings = say(Tone::Good, "  + ", &checkpoint.brings_back.clean());
    let cannot = checkpoint
        .cannot
        .iter()
        .flat_map(|cannot| say(Tone::Warn, "  - ", &cannot.clean()));
    brings.into_iter().chain(cannot).collect()
}
