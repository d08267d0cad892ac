//! `relight why`.

use crate::cli::args::WhyArgs;
use crate::cli::prelude::*;
use crate::model::{Conversation, ResumeCommand};

pub(super) fn run(session: &Session, args: &WhyArgs) -> Result<Answer> {
    let pipeline = super::dossier(session, &args.target)?.pipeline;
    let mut why = session.engine.why(&pipeline.id, args.conversation)?;
    session.tell(why.cause.next.iter_mut());
    let mut page = session.page();
    page.line([Tone::Strong.of(&pipeline.reading.title)]);
    page.blank();
    cause(&why.cause, &mut page);
    for note in &why.notes {
        page.warn(note);
    }
    if why.conversations.is_empty() {
        page.blank();
        let text = "No agent conversation was found for this pipeline.";
        page.say(Tone::Faint, text);
    } else {
        page.heading(clean!("Conversations ({})", why.conversations.len()));
    }
    if let Some(caution) = why.caution() {
        page.indent(2, Tone::Warn, caution);
    }
    for one in &why.conversations {
        conversation(session, one, &mut page);
    }
    let report = report::noted(report::why(&why), &why.notes);
    Ok(Answer::new(report, page))
}

fn cause(cause: &Cause, page: &mut Page) {
    for (label, text) in cause.facts() {
        page.fact(label, text);
    }
    if !cause.evidence.is_empty() {
        page.heading("Evidence");
    }
    for evidence in &cause.evidence {
        page.indent(2, Tone::Plain, &evidence.text);
        // A path is copied, so it is not wrapped.
        let place = clean!("    {}", evidence.place());
        page.line([Tone::Faint.of(Naming(&place, &evidence.file))]);
    }
}

fn conversation(session: &Session, one: &Conversation, page: &mut Page) {
    page.line([Tone::Strong.of(clean!("  {}", one.name()))]);
    for (label, text) in one.facts(session.engine.now()) {
        let head = Tone::Faint.of(format!("    {label:<10}"));
        page.under(head, Tone::Plain, text);
    }
    // What is copied is not wrapped.
    if let Some(line) = one.resume.as_ref().and_then(ResumeCommand::line) {
        page.line([Tone::Plain.of(clean!("    {}", line))]);
    }
    page.line([Tone::Faint.of("    "), Tone::Faint.of(&one.file)]);
    if one.quotes.is_empty() {
        return;
    }
    page.line([Tone::Faint.of("    From the conversation (not verified, secrets removed):")]);
    let from = one.quotes.len().saturating_sub(QUOTES);
    for quote in one.quotes.iter().skip(from) {
        let head = Tone::Faint.of(format!("    {:<8}", quote.from));
        page.under(head, Tone::Plain, &quote.text);
    }
}

/// The most passages that are shown of one conversation.
const QUOTES: usize = 6;
