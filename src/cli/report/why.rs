//! `why`, and the cause of a pipeline in `list` and `show`.

use serde_json::{Value, json};

use super::{SCHEMA, all, path, path_b64, text, texts, time, with, zone};
use crate::model::{Cause, CauseEvidence, Continuation, Conversation, Quote, ResumeCommand, Why};

/// `why`.
pub(crate) fn why(why: &Why) -> Value {
    json!({
        "schema": SCHEMA,
        "cause": cause(&why.cause),
        "conversations": all(&why.conversations, conversation),
    })
}

pub(super) fn cause(cause: &Cause) -> Value {
    let object = json!({
        "kind": cause.kind.word(),
        "text": text(&cause.text),
        "at": time(cause.at),
        "until": time(cause.until),
        "sure": cause.sure.word(),
        "evidence": all(&cause.evidence, evidence),
        "next": texts(&cause.next),
    });
    with(object, "zone", zone([cause.at, cause.until]))
}

fn evidence(evidence: &CauseEvidence) -> Value {
    let object = json!({
        "file": path(&evidence.file),
        "line": evidence.line,
        "text": text(&evidence.text),
    });
    with(object, "path_b64", path_b64(&evidence.file))
}

fn conversation(one: &Conversation) -> Value {
    let object = json!({
        "client": one.client.word(),
        "id": text(&one.id),
        "file": path(&one.file),
        "cwd": one.cwd.as_deref().map(path),
        "branch": one.branch.as_ref().map(text),
        "started_at": time(one.started_at),
        "last_at": time(one.last_at),
        "tokens": one.tokens,
        "alive": one.alive.word(),
        "reasons": texts(&one.reasons),
        "expires_at": time(one.expires_at),
        "resume": one.resume.as_ref().map(resume),
    });
    let quotes = (!one.quotes.is_empty()).then(|| all(&one.quotes, passage));
    with(object, "quotes", quotes)
}

fn resume(resume: &ResumeCommand) -> Value {
    json!({ "cwd": resume.cwd.as_deref().map(path), "argv": texts(&resume.argv) })
}

fn passage(quote: &Quote) -> Value {
    json!({ "from": quote.from, "at": time(quote.at), "text": text(&quote.text) })
}

/// A plan with the other way than its hand-off, where there is one.
pub(crate) fn continued(plan: Value, found: Option<&Continuation>) -> Value {
    let found = found.map(|found| {
        json!({
            "client": found.client.word(),
            "resume": resume(&found.resume),
            "tokens": found.tokens,
            "recommended": found.recommended,
            "reason": found.reason,
            "until": time(found.until),
            "prompt": found.prompt.as_ref().map(text),
        })
    });
    with(plan, "continue", found)
}
