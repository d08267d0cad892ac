//! `relight recover`: settles what a crash left pending.

use std::path::PathBuf;

use super::act::{Desk, done_for_good, needed};
use super::history;
use super::setup::Session;
use super::words::{plural, under};
use crate::clean;
use crate::cli::Exit;
use crate::cli::answer::{Answer, Failure, Line, Span, Tone};
use crate::cli::args::RecoverArgs;
use crate::cli::report::SettledReport;
use crate::engine::{EngineError, ErrorKind, Settle, Settled};
use crate::model::{Clean, Foreign, Recovery, RecoveryState, UndoOptions};

pub(super) fn run(
    session: &Session,
    args: &RecoverArgs,
    desk: &mut Desk<'_>,
) -> Result<Answer, Failure> {
    let how = how(session, args);
    let word = args.recovery.as_deref();
    let meant = meant(session, word)?;
    let cwd = &session.request.cwd;
    let options = UndoOptions {
        keep: args.keep.iter().map(|path| cwd.join(path)).collect(),
        assume_stopped: args.assume_stopped,
    };
    // What is copied out needs no consent; of none or of several the engine speaks.
    if let (Some(one), false) = (meant, matches!(how, Settle::Export(_))) {
        let lines = question(&one, &how, &args.keep, desk.person.width());
        needed(desk.person, args.yes, &session.said, "y", &lines)?;
    }
    let settled = session
        .engine
        .recover(word, &how, &options, &session.request, desk.cancel);
    let settled = match settled {
        Err(error) if error.kind == ErrorKind::NothingToDo => {
            let said = vec![error.text.lossy().into_owned()];
            let line = vec![Span::plain(error.text.clean())];
            let report = SettledReport::new(None, said);
            return Ok(Answer::new(report, vec![line]).exit(Exit::No));
        }
        other => other?,
    };
    answer(settled, &how, desk)
}

/// The recovery that is meant: the one that was named, else the only pending one.
fn meant(session: &Session, word: Option<&str>) -> Result<Option<Recovery>, EngineError> {
    if let Some(word) = word {
        return session.engine.named_recovery(word).map(Some);
    }
    let mut pending = session.engine.pending(&session.request)?;
    Ok(pending.pop().filter(|_| pending.is_empty()))
}

fn how(session: &Session, args: &RecoverArgs) -> Settle {
    let how = &args.how;
    match (&how.export, how.finish, how.roll_back) {
        (Some(dir), ..) => Settle::Export(session.request.cwd.join(dir)),
        (_, true, _) => Settle::Finish,
        (_, _, true) => Settle::RollBack,
        (None, false, false) => Settle::Usual,
    }
}

fn question(pending: &Recovery, how: &Settle, keep: &[PathBuf], width: usize) -> Vec<Line> {
    let mut lines = history::entry(pending, width);
    let deed = Clean::new(match how {
        Settle::Usual => "What was committed is finished; what was not is put back as it was.",
        Settle::Finish => "It is finished.",
        Settle::RollBack => "Everything is put back as it was before it.",
        Settle::Export(_) => "All that it keeps is copied out; nothing is settled.",
    });
    lines.push(vec![]);
    let head = Span::plain(Clean::empty());
    lines.extend(under(head, Tone::Strong, &deed, width));
    for path in keep {
        let head = Span::plain(Clean::empty());
        let stays = clean!("{} stays as it is now.", path);
        lines.extend(under(head, Tone::Strong, &stays, width));
    }
    lines
}

/// What settling came to. What still needs a person is no success.
fn answer(settled: Settled, how: &Settle, desk: &Desk<'_>) -> Result<Answer, Failure> {
    let width = desk.width;
    let Settled { recovery, said } = settled;
    let line = match (how, &recovery) {
        (Settle::Export(_), Some(found)) => clean!("Recovery {} is copied out.", found.id.0),
        (Settle::Export(_), None) => Clean::new("It is copied out."),
        (_, None) => Clean::new("Discarded; nothing had changed."),
        (_, Some(found)) => match found.state {
            RecoveryState::Committed => clean!("Recovery {} is finished.", found.id.0),
            RecoveryState::RolledBack if !found.left.is_empty() => clean!(
                "Recovery {} is rolled back, but for {}.",
                found.id.0,
                plural(found.left.len() as u64, "path")
            ),
            RecoveryState::RolledBack => {
                clean!(
                    "Recovery {} is rolled back; all is as it was before it.",
                    found.id.0
                )
            }
            RecoveryState::NeedsAttention => return Err(unclear(&found.id.0, said).into()),
        },
    };
    let mut lines = vec![vec![Span(Tone::Strong, line.clone())]];
    let say = |sentence: &Foreign| {
        let head = Span::plain(Clean::new("  "));
        under(head, Tone::Plain, &sentence.clean(), width)
    };
    lines.extend(said.iter().flat_map(say));
    let words = said.iter().map(|s| s.lossy().into_owned()).collect();
    let report = SettledReport::new(recovery.as_ref(), words);
    Ok(done_for_good(report, lines, line, desk.cancel))
}

fn unclear(id: &str, said: Vec<Foreign>) -> EngineError {
    let text = format!("Recovery {id} could not be settled; nothing more was changed.");
    let error = EngineError::new(ErrorKind::Unclear, text);
    let error = said.into_iter().fold(error, EngineError::hint);
    error.hint(format!(
        "relight recover {id} --export ./kept-{id} copies out all that it keeps."
    ))
}
