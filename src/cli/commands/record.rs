//! `relight record`: what an orchestrator reports while it runs.

use std::io::Read as _;

use super::act::{Desk, done_for_good};
use super::plan::actions;
use crate::cli::args::RecordArgs;
use crate::cli::prelude::*;
use crate::model::RecordAsk;

/// The most rows of a file's change that are shown.
const CAP: usize = 200;
/// The most that is read from stdin, in bytes.
const STDIN: u64 = 16 << 20;

pub(super) fn run(session: &Session, args: &RecordArgs, desk: &Desk<'_>) -> Result<Answer> {
    let ask = with_object(session, args)?;
    let recorded = session.engine.record(&ask, &session.request, desk.cancel)?;
    let mut page = session.page();
    if ask.dry_run {
        for action in &recorded.actions {
            actions::action((action, action.phrase()), CAP, &mut page);
        }
    } else if recorded.repeated {
        page.say(Tone::Plain, "Recorded already; nothing was written.");
    } else {
        let files = match recorded.files.len() {
            0 => "no file changed".to_owned(),
            files => count(files, "file"),
        };
        page.line([
            Tone::Good.of("Recorded: "),
            Tone::Plain.of(clean!("{}, {}.", recorded.form, files)),
        ]);
    }
    if let Some(seq) = recorded.seq {
        page.fact("dispatch", seq);
    }
    if let Some(file) = &recorded.file {
        page.fact("file", Foreign::from(file));
    }
    if let Some(next) = &recorded.next {
        page.fact("next", clean!("{} ({})", next.label, next.id));
    }
    let notes: Vec<_> = recorded.notes.iter().map(Foreign::clean).collect();
    let report = report::recorded(&recorded);
    let done = (!ask.dry_run && !recorded.repeated).then(|| {
        let files = count(recorded.files.len(), "file");
        clean!("recorded: {}, {} written", recorded.form, files)
    });
    Ok(done_for_good(report, page, done, desk.cancel).noted(notes))
}

/// The values with those of `--from`, where the command line wins, and with the text of `--body`.
fn with_object(session: &Session, args: &RecordArgs) -> Result<RecordAsk> {
    let mut ask = args.ask.clone();
    if let Some(Value::String(body)) = ask.values.get("body") {
        let text = text(session, body, "--body")?;
        ask.values.insert("body".to_owned(), text);
    }
    let Some(from) = &args.from else {
        return Ok(ask);
    };
    // A document is a value itself.
    if Path::new(from).extension().is_some_and(|end| end == "md") {
        let text = text(session, from, "--from")?;
        ask.values.insert("from".to_owned(), text);
        return Ok(ask);
    }
    let Ok(Value::Object(object)) = serde_json::from_slice(&content(session, from)?) else {
        let text = "--from must be one JSON object.";
        return Err(EngineError::usage(text));
    };
    for (key, value) in object {
        ask.values.entry(key).or_insert(value);
    }
    Ok(ask)
}

/// The text of a file that was named, or of stdin for `-`.
fn text(session: &Session, file: &str, option: &str) -> Result<Value> {
    let text = String::from_utf8(content(session, file)?);
    let not_utf8 = |_| EngineError::usage(format!("{option} is not UTF-8."));
    text.map(Value::from).map_err(not_utf8)
}

/// The content of a file that was named, or of stdin for `-`.
pub(super) fn content(session: &Session, file: &str) -> Result<Vec<u8>> {
    if file != "-" {
        return session.engine.edited(&session.request.cwd, file.as_ref());
    }
    let mut bytes = Vec::new();
    let read = std::io::stdin().take(STDIN).read_to_end(&mut bytes);
    read.map_err(|why| EngineError::usage(format!("stdin cannot be read: {why}.")))?;
    Ok(bytes)
}
