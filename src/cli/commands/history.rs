//! `relight history`: the recoveries, newest first, with the backups of each.

use serde_json::Map;

use super::plan::actions;
use crate::cli::args::HistoryArgs;
use crate::cli::prelude::*;
use crate::model::actions_done;

/// Paths that were skipped and are listed for a person.
const LEFT: usize = 20;

pub(super) fn run(session: &Session, args: &HistoryArgs) -> Result<Answer> {
    let request = Request {
        paths: args.paths.clone(),
        ..session.request.clone()
    };
    if args.records {
        return records(session, &request);
    }
    let past = match session.engine.history(&request) {
        Ok(past) => past,
        Err(error) => return one(session, args, error),
    };
    let all = &past.recoveries;
    let mut page = session.page();
    for recovery in all {
        entry(recovery, &mut page);
    }
    if all.is_empty() {
        let text = if request.scope == Some(Scope::Machine) {
            "There are no recoveries."
        } else {
            "There are no recoveries here. relight history --scope machine lists every recovery."
        };
        page.say(Tone::Plain, text);
    } else {
        let backups: u64 = all.iter().map(|recovery| recovery.kept_bytes).sum();
        let count = count(all.len(), "recovery");
        page.blank();
        page.line([Tone::Faint.of(clean!("{}, {} of backups.", count, size(backups)))]);
    }
    Ok(Answer::new(report::history(&past), page).noted(notes(&past.unreadable)))
}

/// What cannot be read.
fn notes(unreadable: &[Skipped]) -> impl Iterator<Item = Clean> {
    let odd = unreadable.iter();
    odd.map(|skipped| clean!("{}: {}.", skipped.path, skipped.reason))
}

/// The recovery that was named where a path can be named too: everything that it did. The error where there is none.
fn one(session: &Session, args: &HistoryArgs, error: EngineError) -> Result<Answer> {
    let word = match args.paths.as_slice() {
        [path] if error.kind == ErrorKind::NotFound => path.to_string_lossy(),
        _ => return Err(error),
    };
    let recovery = match session.engine.named_recovery(&word) {
        Ok(recovery) => recovery,
        // A bare word that is no path was meant as an id.
        Err(why) if why.kind == ErrorKind::Unreadable || !word.contains('/') => return Err(why),
        Err(_) => return Err(error),
    };
    let mut page = session.page();
    entry(&recovery, &mut page);
    page.heading(format!("Changes ({})", recovery.actions.len()));
    for action in &recovery.actions {
        if recovery.state == RecoveryState::Committed {
            page.indent(2, Tone::Strong, action.done());
            page.indent(4, Tone::Plain, &action.target);
            actions::rows(action, usize::MAX, &mut page);
        } else {
            actions::action((action, action.phrase()), usize::MAX, &mut page);
        }
    }
    page.blank();
    if recovery.can_redo() {
        page.command("redo", session.about("redo", &recovery.id));
    } else if recovery.stands() && session.engine.can_undo(&recovery) {
        let (reversal, named) = recovery.way_back();
        page.command(reversal.noun(), session.about(reversal.noun(), named));
    }
    if recovery.is_recorded() {
        page.command("compare", session.compare(&recovery.pipeline, &recovery.id));
    }
    let past = History {
        recoveries: vec![recovery],
        unreadable: Vec::new(),
    };
    Ok(Answer::new(report::history(&past), page))
}

/// What `relight record` wrote: when, what, where, and who called it.
fn records(session: &Session, request: &Request) -> Result<Answer> {
    let (all, unreadable) = session.engine.past_records(request)?;
    let mut page = session.page();
    for record in &all {
        let text =
            |key: &str| Foreign::from(record.get(key).and_then(Value::as_str).unwrap_or("-"));
        let at = DateTime::parse_from_rfc3339(&text("at").lossy());
        let at = at.map_or_else(|_| "-".to_owned(), time_full);
        page.line([
            Tone::Strong.of(text("form")),
            Tone::Faint.of(clean!("  {}", at)),
        ]);
        for file in files(record) {
            page.indent(4, Tone::Plain, file);
        }
        let caller = record.get("caller");
        let program = caller.and_then(|caller| caller.get("program")?.as_str());
        let pid = caller.and_then(|caller| caller.get("pid")?.as_u64());
        let program = Foreign::from(program.unwrap_or("-"));
        let by = clean!("by {} ({})", program, pid.unwrap_or_default());
        page.indent(4, Tone::Faint, by);
    }
    if all.is_empty() {
        page.say(Tone::Plain, "There are no records here.");
    }
    let wire = report::records(&all, &unreadable);
    Ok(Answer::new(wire, page).noted(notes(&unreadable)))
}

/// The files that a record wrote; the pipeline's own where it changed none.
fn files(record: &Map<String, Value>) -> Vec<Foreign> {
    let written = record.get("files").and_then(Value::as_array);
    let path = |file: &Value| file.get("path").and_then(Value::as_str).map(Foreign::from);
    let written: Vec<Foreign> = written.into_iter().flatten().filter_map(path).collect();
    if !written.is_empty() {
        return written;
    }
    let own = record.get("file").and_then(Value::as_str);
    vec![Foreign::from(own.unwrap_or("-"))]
}

/// One recovery: its id and state, then what it did.
pub(super) fn entry(recovery: &Recovery, page: &mut Page) {
    let tone = match recovery.state {
        RecoveryState::Committed if recovery.undone_by.is_some() => Tone::Warn,
        RecoveryState::Committed if recovery.purged => Tone::Faint,
        RecoveryState::Committed => Tone::Good,
        RecoveryState::RolledBack => Tone::Faint,
        RecoveryState::NeedsAttention if recovery.running => Tone::Warn,
        RecoveryState::NeedsAttention | RecoveryState::HalfApplied => Tone::Bad,
    };
    page.line([
        Tone::Strong.of(&recovery.id.0),
        tone.of(clean!("  {}", recovery.state_word())),
        Tone::Faint.of(clean!("  {}", time_full(recovery.started_at))),
    ]);
    let mut say = |tone: Tone, text| page.indent(4, tone, text);
    let what = clean!("{}{}", recovery.label, recovery.pipeline.of_it());
    say(Tone::Plain, what);
    // What of it is done cannot be told before it is recovered, and of one that was rolled back nothing is.
    let is_done = recovery.state == RecoveryState::Committed;
    let planned = if is_done { "" } else { "planned: " };
    let done = actions_done(&recovery.actions);
    say(Tone::Plain, clean!("{}{}", planned, done));
    if recovery.purged {
        let lost = recovery.lost_by_purge().map_or("", |lost| match lost {
            Reversal::Undo => "; cannot undo",
            Reversal::Redo => "; cannot redo",
        });
        say(Tone::Faint, clean!("backups deleted{}", lost));
    } else if recovery.kept_bytes > 0 {
        let bytes = size(recovery.kept_bytes);
        let backups = match &recovery.undone_by {
            // The undo exchanged the backups: they are what it replaced.
            Some(by) => clean!("backups: {} of what {} replaced", bytes, by.0),
            None => clean!("backups: {}", bytes),
        };
        say(Tone::Faint, backups);
    }
    if let Some(undone) = &recovery.undoes {
        say(Tone::Plain, clean!("undoes {}", undone.0));
    }
    if let Some(by) = &recovery.undone_by {
        let lost = if recovery.undo_purged && !recovery.purged {
            " (backups deleted; cannot redo)"
        } else {
            ""
        };
        say(Tone::Warn, clean!("undone by {}{}", by.0, lost));
    }
    for left in recovery.left.iter().take(LEFT) {
        say(Tone::Warn, left.text.clean());
    }
    page.rest(4, recovery.left.len(), LEFT);
    let mut say = |tone: Tone, text| page.indent(4, tone, text);
    for trouble in &recovery.trouble {
        say(Tone::Bad, trouble.clean());
    }
}
