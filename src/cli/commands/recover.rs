//! `relight recover`: finishes or rolls back what a crash left pending.

use super::act::{Desk, done_for_good, needed};
use super::history;
use crate::cli::args::RecoverArgs;
use crate::cli::prelude::*;
use crate::engine::{RecoverMode, Recovered};

pub(super) fn run(session: &Session, args: &RecoverArgs, desk: &mut Desk<'_>) -> Result<Answer> {
    let how = how(session, args);
    let word = args.recovery.as_deref();
    // The recovery with this id, else the only pending one.
    let meant = match word {
        Some(word) => Some(session.engine.named_recovery(word)?),
        None => session.engine.only_pending(&session.request).ok(),
    };
    let options = UndoOptions {
        keep: args.keep.clone(),
        assume_stopped: args.assume_stopped,
    };
    // An export needs no consent, and neither does what has ended already. The engine refuses while
    // another relight is at work, and reports an id that matches none or several.
    if let (Some(one), false) = (meant, matches!(how, RecoverMode::Export(_)))
        && one.state == RecoveryState::NeedsAttention
        && !one.running
    {
        let lines = question(&one, &how, &args.keep, desk.person.width());
        needed(desk.person, args.yes, &session.said, "y", &lines)?;
    }
    let request = &session.request;
    let recovered = session
        .engine
        .recover(word, &how, &options, request, desk.cancel);
    match recovered {
        Err(error) if error.kind == ErrorKind::NothingToDo => {
            let mut page = session.page();
            if word.is_none() && !matches!(how, RecoverMode::Export(_)) {
                let said = session.engine.end_records(&session.request, desk.cancel)?;
                if let Some(done) = said.first().map(Foreign::clean) {
                    for one in &said {
                        page.line([Tone::Strong.of(one)]);
                    }
                    let report = report::recovered(None, &said);
                    return Ok(done_for_good(report, page, done, desk.cancel));
                }
            }
            Ok(session.nothing(error, page, |error| {
                report::recovered(None, std::slice::from_ref(&error.text))
            }))
        }
        other => answer(session, other?, &how, desk),
    }
}

fn how(session: &Session, args: &RecoverArgs) -> RecoverMode {
    let how = &args.how;
    match (&how.export, how.finish, how.roll_back) {
        (Some(dir), ..) => RecoverMode::Export(session.request.cwd.join(dir)),
        (_, true, _) => RecoverMode::Finish,
        (_, _, true) => RecoverMode::RollBack,
        (None, false, false) => RecoverMode::Auto,
    }
}

fn question(pending: &Recovery, how: &RecoverMode, keep: &[PathBuf], width: usize) -> Vec<Line> {
    let mut page = Page::new(width);
    history::entry(pending, &mut page);
    page.blank();
    let text = match how {
        RecoverMode::Auto => "It will be finished if it was committed, and rolled back if not.",
        RecoverMode::Finish => "It will be finished.",
        RecoverMode::RollBack => "It will be rolled back: everything is restored as it was before.",
        RecoverMode::Export(_) => "Its backups will be copied out; nothing is recovered.",
    };
    page.say(Tone::Strong, text);
    for path in keep {
        page.say(Tone::Strong, clean!("{} is left as it is now.", path));
    }
    page.into_iter().collect()
}

/// The result. A recovery that still needs attention is an error.
fn answer(
    session: &Session,
    recovered: Recovered,
    how: &RecoverMode,
    desk: &Desk<'_>,
) -> Result<Answer> {
    let Recovered { recovery, said } = recovered;
    let id = recovery.as_ref().map_or("", |found| found.id.0.as_str());
    let done = match (how, &recovery) {
        (RecoverMode::Export(_), Some(_)) => clean!("Recovery {} was copied out.", id),
        (RecoverMode::Export(_), None) => clean!("The backups were copied out."),
        (_, None) => clean!("Discarded; nothing had changed."),
        (_, Some(found)) => match found.state {
            RecoveryState::Committed => clean!("Recovery {} is finished.", id),
            RecoveryState::RolledBack if found.left.is_empty() => {
                let what = "is rolled back; everything is as it was before.";
                clean!("Recovery {} {}", id, what)
            }
            RecoveryState::RolledBack => {
                let paths = count(found.left.len(), "path");
                clean!("Recovery {} is rolled back, except for {}.", id, paths)
            }
            RecoveryState::HalfApplied => {
                let what = "is left half-applied; it blocks nothing anymore.";
                clean!("Recovery {} {}", id, what)
            }
            RecoveryState::NeedsAttention => return Err(unclear(id, said)),
        },
    };
    let mut page = session.page();
    page.line([Tone::Strong.of(&done)]);
    for sentence in &said {
        page.indent(2, Tone::Plain, sentence);
    }
    let report = report::recovered(recovery.as_ref(), &said);
    Ok(done_for_good(report, page, done, desk.cancel))
}

fn unclear(id: &str, said: Vec<Foreign>) -> EngineError {
    let text =
        format!("Recovery {id} cannot be finished or rolled back; nothing more was changed.");
    let error = EngineError::new(ErrorKind::Unclear, text);
    let copy = format!("relight recover {id} --export ./kept-{id}");
    error
        .hints(said)
        .hint(format!("To copy out all backups: {copy}"))
}
