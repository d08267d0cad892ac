//! `relight checkpoints`, each with how far the work tree has moved from it.

use super::setup::Session;
use super::words::{moment, plural, under};
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
    let mut lines: Vec<Line> = dossier
        .checkpoints
        .iter()
        .flat_map(|c| checkpoint_lines(c, width))
        .collect();
    if lines.is_empty() {
        lines.push(vec![Span::plain(Clean::new("It has no checkpoints."))]);
    }
    let mut answer = Answer::new(CheckpointsReport::new(&dossier.checkpoints), lines);
    answer.notes = notes;
    Ok(answer)
}

fn checkpoint_lines(checkpoint: &Checkpoint, width: usize) -> Vec<Line> {
    // Ids of commits are shortened for the eye; --json has them whole, and any beginning of eight serves.
    let hex = checkpoint.id.len() == 40 && checkpoint.id.bytes().all(|b| b.is_ascii_hexdigit());
    let id = if hex {
        checkpoint.id.get(..8).unwrap_or_default()
    } else {
        &checkpoint.id
    };
    let mut lines = vec![vec![
        Span(Tone::Strong, checkpoint.reason.clean()),
        Span(
            Tone::Faint,
            clean!(
                "  {}  {}  {}",
                id,
                moment(checkpoint.taken_at),
                checkpoint.source
            ),
        ),
    ]];
    let mut say = |tone: Tone, text: &Clean| {
        lines.extend(under(Span::plain(Clean::new("  ")), tone, text, width));
    };
    if let Some(drift) = &checkpoint.drift {
        let text = clean!(
            "Since then: {} modified, {} missing, {} created, {} not covered.",
            drift.modified,
            drift.missing,
            drift.created,
            plural(drift.not_covered, "entry").replace("entrys", "entries")
        );
        say(
            if drift.modified + drift.missing > 0 {
                Tone::Warn
            } else {
                Tone::Good
            },
            &text,
        );
    }
    say(Tone::Faint, &checkpoint.brings_back.clean());
    checkpoint
        .cannot
        .iter()
        .for_each(|cannot| say(Tone::Warn, &cannot.clean()));
    lines
}
