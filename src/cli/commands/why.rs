//! `relight why`.

use super::setup::Session;
use crate::clean;
use crate::cli::answer::{Answer, Failure, Tone};
use crate::cli::args::WhyArgs;
use crate::cli::page::Page;
use crate::cli::report;
use crate::model::{Aliveness, Cause, Clean, Conversation, Stamp, Sure};
use crate::text::format;

pub(super) fn run(session: &Session, args: &WhyArgs, width: usize) -> Result<Answer, Failure> {
    let pipeline = super::dossier(session, &args.target)?.pipeline;
    let why = session.engine.why(&pipeline.id, args.conversation)?;
    let mut page = Page::new(width);
    page.line([Tone::Strong.of(&pipeline.reading.title)]);
    page.blank();
    cause(&why.cause, &mut page);
    if why.conversations.is_empty() {
        page.blank();
        page.say(Tone::Faint, "No conversation of an agent was found for it.");
    } else {
        page.heading(clean!("Conversations ({})", why.conversations.len()));
    }
    for one in &why.conversations {
        conversation(session, one, &mut page);
    }
    Ok(Answer::new(report::why(&why), page))
}

fn cause(cause: &Cause, page: &mut Page) {
    let sure = match cause.sure {
        Sure::Certain => "",
        Sure::Likely => " (likely)",
        Sure::Guess => " (a guess)",
    };
    page.fact("cause", clean!("{}{}", cause.kind.label(), sure));
    page.fact("why", &cause.text);
    if let Some(at) = cause.at {
        page.fact("since", at.words());
    }
    if let Some(until) = cause.until {
        page.fact("resets", until.words());
    }
    for next in &cause.next {
        page.fact("next", next);
    }
    if !cause.evidence.is_empty() {
        page.heading("Evidence");
    }
    for evidence in &cause.evidence {
        page.indent(2, Tone::Plain, &evidence.text);
        let line = evidence
            .line
            .map(|line| format!(":{line}"))
            .unwrap_or_default();
        // A path is copied, so it is not wrapped.
        page.line([Tone::Faint.of(clean!("    {}{}", evidence.file, line))]);
    }
}

fn conversation(session: &Session, one: &Conversation, page: &mut Page) {
    let age = format::ago(session.engine.now(), one.last_at.map(|at| at.at));
    let id = one.id.lossy();
    page.line([Tone::Strong.of(clean!(
        "  {} {}",
        one.client.word(),
        format::short_uuid(&id)
    ))]);
    let fact = |page: &mut Page, key: &str, value: Clean| {
        page.under(Tone::Faint.of(format!("    {key:<10}")), Tone::Plain, value);
    };
    fact(
        page,
        "ended",
        clean!("{}: {}", one.cause.kind.label(), one.cause.text),
    );
    let first = one
        .started_at
        .map_or_else(|| "unknown".to_owned(), |at| at.words());
    let last = one
        .last_at
        .map_or_else(|| "unknown".to_owned(), |at| at.words());
    fact(page, "time", clean!("{} to {} ({})", first, last, age));
    let state = match one.alive {
        Aliveness::Alive => "open now",
        Aliveness::Dead => "closed",
        Aliveness::Unknown => "unknown whether it is open",
    };
    fact(page, "state", Clean::new(state));
    if let Some(branch) = &one.branch {
        fact(page, "branch", branch.clean());
    }
    if let Some(tokens) = one.tokens {
        fact(page, "resuming", clean!("reads {} tokens again", tokens));
    }
    let reasons: Vec<String> = one
        .reasons
        .iter()
        .map(|reason| reason.lossy().into_owned())
        .collect();
    fact(page, "reasons", Clean::new(&reasons.join(" ")));
    if let Some(expires) = one.expires_at {
        fact(page, "expires", clean!("about {}", day(expires)));
    }
    page.line([Tone::Faint.of(clean!("    {}", one.file))]);
    if one.quotes.is_empty() {
        return;
    }
    page.line([Tone::Faint.of("    From the conversation (not verified, secrets removed):")]);
    let from = one.quotes.len().saturating_sub(QUOTES);
    for quote in one.quotes.iter().skip(from) {
        page.under(
            Tone::Faint.of(format!("    {:<8}", quote.from)),
            Tone::Plain,
            &quote.text,
        );
    }
}

/// The most passages that are shown of one conversation.
const QUOTES: usize = 6;

fn day(at: Stamp) -> String {
    format::date(at.at)
}
