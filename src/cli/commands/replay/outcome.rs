//! The outcome of a replay: its sessions, or with `--diff` the report; then what to run next.

use super::in_place::Ground;
use super::sessions;
use crate::cli::args::ReplayArgs;
use crate::cli::commands::handoff;
use crate::cli::page::block;
use crate::cli::prelude::*;
use crate::model::{DispatchCounts, SessionId};

/// A replay that has ended.
pub(super) struct Ended {
    /// How many runs were to be run.
    pub(super) asked: usize,
    /// How many of the sessions were only measured, because everything of them had been run before.
    pub(super) measured_again: usize,
    /// Its sessions.
    pub(super) sessions: Vec<ReplaySession>,
    /// Its experiment, where runs of that are left and no verdict made them needless.
    pub(super) unfinished: Option<SessionId>,
    /// Whether the person canceled it.
    pub(super) cancelled: bool,
    /// The recovery before it.
    pub(super) ground: Ground,
}

impl Ended {
    /// How many runs were not started.
    fn missing(&self) -> usize {
        let run = self.sessions.len() - self.measured_again;
        self.asked.saturating_sub(run)
    }

    /// Whether the person canceled it before everything was run.
    fn cut_short(&self) -> bool {
        let open = self.missing() > 0 || self.sessions.iter().any(ReplaySession::can_continue);
        self.cancelled && open
    }

    /// Canceled, with errors of execution, or done.
    pub(super) fn exit(&self) -> Exit {
        if self.cut_short() {
            return Exit::Cancelled;
        }
        let errors = self
            .sessions
            .iter()
            .any(|one| one.dispatches.error > 0 || one.state.is_broken() || one.changed_original());
        Exit::of(!errors && self.not_started().is_none())
    }

    /// The experiment of runs that were to be run and have not begun, as where a cluster canceled them. After a run that
    /// changed the original nothing more may be run.
    fn not_started(&self) -> Option<&SessionId> {
        let changed = self.sessions.iter().any(ReplaySession::changed_original);
        let left = self.missing() > 0 && !changed;
        self.unfinished.as_ref().filter(|_| left)
    }
}

/// An experiment of which runs are left, where it did not end early; without an id, that of these sessions, or the newest.
pub(super) fn unfinished(
    session: &Session,
    id: &PipelineId,
    of: Option<&SessionId>,
    sessions: &[ReplaySession],
) -> Option<SessionId> {
    let of = of.or_else(|| sessions.first().map(|one| &one.group));
    let mut all = session.engine.replay_experiments(id).ok()?.into_iter();
    let one = match of {
        Some(of) => all.find(|one| one.id == *of),
        None => all.last(),
    };
    one.filter(|one| one.end.is_none()).map(|one| one.id)
}

/// The answer, with what was run, for the case that it cannot be printed.
pub(super) fn answer(
    session: &Session,
    args: &ReplayArgs,
    id: &PipelineId,
    ended: &Ended,
    printer: &Printer,
) -> Answer {
    let word = sessions::typed(session, &args.target, id);
    let kept = count(ended.sessions.len(), "session");
    let list = clean!("relight replay {} --list", word);
    let ran = clean!("the replay ran ({}); to list them: {}", kept, list);
    reported(session, id, (args.diff, &word), ended, printer).done(ran)
}

/// With `--diff`, only the report goes to stdout, so that it can be saved; the sessions are printed on stderr.
fn reported(
    session: &Session,
    id: &PipelineId,
    (diff, word): (bool, &str),
    ended: &Ended,
    printer: &Printer,
) -> Answer {
    let exit = ended.exit();
    let error = (exit == Exit::Cancelled).then(|| cancelled(word, &ended.sessions));
    let report = |compared| {
        let recovery = ended.ground.id();
        let report = report::replayed(&ended.sessions, &ended.ground.notes, recovery, compared);
        report::beside(report, error.as_ref())
    };
    if !diff || !comparable(ended, exit) {
        let lines = page(ended, word, diff, session.width);
        return Answer::new(report(None), lines).exit(exit);
    }
    let of = ended.sessions.first().map(sessions::operand);
    let compared = session.engine.compare_ended(id, of);
    let kept = compared.and_then(|comparison| {
        let kept = session.engine.keep_report(&comparison)?;
        Ok((comparison, kept))
    });
    let (mut comparison, kept) = match kept {
        Ok(both) => both,
        // If the report fails, the sessions must still be reported.
        Err(error) => {
            let lines = page(ended, word, false, session.width);
            let answer = Answer::new(report(None), lines).exit(exit);
            return answer.noted([error.text.clean()]);
        }
    };
    session.tell(comparison.advice());
    printer.say(&page(ended, word, true, Printer::width_err()));
    if !kept.is_empty() {
        let mut page = Page::new(Printer::width_err());
        let files: Vec<Clean> = kept.iter().map(|file| clean!("{}", file)).collect();
        page.fact("record", clean_list(&files, 1));
        printer.say(&page.into_iter().collect::<Vec<_>>());
    }
    let text = Foreign::from(session.engine.markdown(&comparison));
    let lines: Vec<Line> = block(&text).collect();
    Answer::new(report(Some((&comparison, &kept))), lines).exit(exit)
}

/// Whether anything was run that can be compared.
fn comparable(ended: &Ended, exit: Exit) -> bool {
    let ran = |one: &ReplaySession| one.state != SessionState::HandedOver;
    exit != Exit::Cancelled && !ended.sessions.is_empty() && ended.sessions.iter().all(ran)
}

/// The error after a cancellation; finished runs are kept.
fn cancelled(word: &str, all: &[ReplaySession]) -> EngineError {
    let text = if all.is_empty() {
        "Canceled; nothing was run."
    } else {
        "Canceled; what was run is kept."
    };
    let error = EngineError::new(ErrorKind::Cancelled, text);
    let left = all.iter().find(|one| one.can_continue());
    let resume = match left {
        Some(left) => sessions::resume(word, left),
        None => format!("relight replay {word} --continue"),
    };
    error.hint(format!("To resume it: {resume}"))
}

/// Each session, and what to run next.
fn page(ended: &Ended, word: &str, diff: bool, width: usize) -> Vec<Line> {
    let all = &ended.sessions;
    let mut page = Page::new(width);
    page.say(Tone::Strong, title(ended));
    let rows: Vec<Vec<Span>> = all.iter().map(row).collect();
    page.table(&[Column::fixed(""); 4], &rows);
    ended.ground.notes.iter().for_each(|note| page.warn(note));
    sessions::troubles(all, &mut page);
    if let Some(undo) = &ended.ground.undo {
        page.command("undo", undo);
    }
    let folder = all.first().and_then(|one| one.folder.as_deref());
    let several = all.len() > 1;
    if let Some(folder) = folder.map(|one| one.parent().filter(|_| several).unwrap_or(one)) {
        page.fact("directory", folder);
    }
    if let Some(left) = all.iter().find(|one| one.can_continue()) {
        page.command(sessions::resume_title(left), sessions::resume(word, left));
    } else if let Some(left) = ended.not_started() {
        page.command(
            "resume",
            clean!("relight replay {} --continue {}", word, left.0),
        );
    }
    if let Some(one) = all.iter().find(|one| one.state == SessionState::Done)
        && !diff
    {
        page.command("compare", sessions::compare(word, one));
    }
    handed_over(all, &mut page);
    page.into_iter().collect()
}

/// How a person runs the first of the dispatches that were only written; the others are run in the same way.
fn handed_over(all: &[ReplaySession], page: &mut Page) {
    let mut handoffs = all.iter().filter_map(|one| one.handoff.as_ref());
    let Some(first) = handoffs.next() else {
        return;
    };
    handoff::whole(first, None, page);
    let more = handoffs.count();
    if more > 0 {
        let runs = count_of(more, "more run has", "more runs have");
        page.blank();
        let text = format!("{runs} dispatch files too (in full with --list --json).");
        page.say(Tone::Faint, text);
    }
}

fn row(session: &ReplaySession) -> Vec<Span> {
    vec![
        Tone::Plain.of(""),
        Tone::Strong.of(&session.id.0),
        sessions::state(session.state),
        Tone::Plain.of(sessions::counts(session.dispatches)),
    ]
}

/// `24 of 33 dispatches in 3 runs`.
fn kept(all: &[ReplaySession]) -> String {
    let counts = || all.iter().map(|one| one.dispatches);
    let total: u64 = counts().map(DispatchCounts::all).sum();
    let left: u64 = counts().map(DispatchCounts::open).sum();
    let within = match all.len() {
        1 => String::new(),
        runs => format!(" in {}", count(runs, "run")),
    };
    format!("{} of {}{within}", total - left, count(total, "dispatch"))
}

/// The outcome in one line.
fn title(ended: &Ended) -> Clean {
    let all = &ended.sessions;
    let again = ended.measured_again;
    let run = all.len() - again;
    let mut runs = sessions::runs(run, all);
    let number = |wanted: SessionState| all.iter().filter(|one| one.state == wanted).count();
    if ended.cut_short() && all.is_empty() {
        let runs = count(ended.asked, "run");
        return clean!("Canceled; nothing was run ({} not started).", runs);
    }
    let sentence = if ended.cut_short() {
        runs = kept(all);
        "Canceled; what was run is kept"
    } else if number(SessionState::Interrupted) > 0 {
        runs = kept(all);
        "Interrupted; what was run is kept"
    } else if number(SessionState::Unreadable) > 0 {
        runs = kept(all);
        "Ended, but a manifest cannot be read; what was run is kept"
    } else if !all.is_empty() && number(SessionState::HandedOver) == all.len() {
        "Written but not run (no runner)"
    } else {
        "Replayed"
    };
    let why = if all.iter().any(ReplaySession::changed_original) {
        "not started: files of the original changed"
    } else if ended.cancelled || ended.unfinished.is_some() {
        "not started"
    } else {
        "not needed: no later block could change the verdict"
    };
    let asked = ended.asked;
    let missing = match ended.missing() {
        0 => String::new(),
        missing => format!(" ({missing} of {asked} runs {why})"),
    };
    let measured = clean!("Measured again: {}", count(again, "run"));
    match (again, run) {
        (0, _) => clean!("{}: {}{}.", sentence, runs, missing),
        (_, 0) => clean!("{}.", measured),
        _ => clean!("{}: {}{}. {}.", sentence, runs, missing, measured),
    }
}
