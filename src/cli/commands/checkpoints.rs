//! `relight checkpoints`, each with how far the work tree has drifted from it.

use super::show::time;
use crate::cli::prelude::*;

pub(super) fn run(session: &Session, target: &Target) -> Result<Answer> {
    let mut dossier = super::readable(session, target)?;
    let findings = dossier.pipeline.reading.findings.iter();
    let unlisted = findings.filter(|finding| finding.code == "unread-history");
    let mut notes: Vec<Clean> = unlisted.map(|finding| finding.text.clean()).collect();
    for checkpoint in &mut dossier.checkpoints {
        match session.engine.drift(&dossier.pipeline.id, checkpoint) {
            Ok(drift) => checkpoint.drift = drift,
            Err(error) => notes.push(error.text.clean()),
        }
    }
    let mut page = session.page();
    let mut before: Option<&Checkpoint> = None;
    for checkpoint in &dossier.checkpoints {
        drifted(checkpoint, &mut page);
        // Neighbors that restore the same things say so once.
        let same = before.is_some_and(|before| {
            before.brings_back == checkpoint.brings_back && before.cannot == checkpoint.cannot
        });
        if !same {
            page.under(Tone::Good.of("  + "), Tone::Plain, &checkpoint.brings_back);
            for cannot in &checkpoint.cannot {
                page.under(Tone::Warn.of("  - "), Tone::Plain, cannot);
            }
        }
        before = Some(checkpoint);
    }
    if page.is_empty() {
        page.say(Tone::Plain, "This pipeline has no checkpoints.");
    }
    Ok(Answer::new(report::checkpoints(&dossier.checkpoints), page).noted(notes))
}

fn drifted(checkpoint: &Checkpoint, page: &mut Page) {
    page.say(Tone::Strong, &checkpoint.reason);
    let (id, taken) = (short_id(&checkpoint.id), time(checkpoint.taken_at));
    let facts = clean!("{}  {}  {}", id, taken, checkpoint.source);
    page.indent(2, Tone::Faint, facts);
    if let Some(drift) = &checkpoint.drift {
        let tone = match drift.modified + drift.missing {
            0 => Tone::Good,
            _ => Tone::Warn,
        };
        let text = clean!(
            "Since then: {} modified, {} deleted, {} created, {} not covered.",
            drift.modified,
            drift.missing,
            drift.created,
            drift.not_covered
        );
        page.indent(2, tone, text);
    }
}
