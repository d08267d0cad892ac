//! What came of a replay: its sessions, or with `--diff` the report; then what to type next.

use super::in_place::Ground;
use super::{exit, sessions};
use crate::clean;
use crate::cli::Exit;
use crate::cli::answer::{Answer, Line, Span, Tone};
use crate::cli::args::ReplayArgs;
use crate::cli::commands::handoff;
use crate::cli::commands::setup::Session;
use crate::cli::commands::words::{block, command, fact, plural, under};
use crate::cli::print::Printer;
use crate::cli::report::ReplayReport;
use crate::cli::table::{Column, lay_out};
use crate::engine::{EngineError, ErrorKind};
use crate::model::{
    Clean, Comparison, Foreign, PipelineId, ReplayPlan, ReplaySession, SessionState,
};

/// A replay that has come to its end, whichever.
pub(super) struct Ended<'a> {
    /// Its plan; `None` for one that was continued.
    pub(super) plan: Option<&'a ReplayPlan>,
    /// Its sessions.
    pub(super) sessions: Vec<ReplaySession>,
    /// Whether the person cancelled it.
    pub(super) cancelled: bool,
    /// What was done to the work tree before.
    pub(super) ground: Ground,
}

/// The answer. With `--diff` the report alone goes to stdout, so that it can be kept; what is said about the
/// sessions goes beside it.
pub(super) fn answer(
    session: &Session,
    args: &ReplayArgs,
    id: &PipelineId,
    ended: &Ended<'_>,
    printer: &Printer,
) -> Answer {
    let word = sessions::typed(&args.target, id);
    let exit = exit(&ended.sessions, ended.cancelled);
    let mut report = ReplayReport::new(&ended.sessions)
        .noted(notes(ended))
        .after(ended.ground.id());
    if exit == Exit::Cancelled {
        report = report.beside(&cancelled(&word, &ended.sessions));
    }
    if !args.diff || !comparable(ended, exit) {
        let lines = page(ended, &word, args.diff, printer.width());
        return Answer::new(report, lines).exit(exit);
    }
    let of = ended.sessions.first().map(sessions::operand);
    let compared = session.engine.compare(id, Some("original"), of);
    let kept = compared.and_then(|comparison| {
        let kept = session.engine.keep_report(&comparison)?;
        Ok((comparison, kept))
    });
    let (comparison, kept) = match kept {
        Ok(both) => both,
        // What was run is worth more than the report that cannot be made of it.
        Err(error) => {
            let lines = page(ended, &word, false, printer.width());
            let mut answer = Answer::new(report, lines).exit(exit);
            answer.notes.push(error.text.clean());
            return answer;
        }
    };
    printer.say(&page(ended, &word, true, printer.width_err()));
    let lines = whole(session, &comparison);
    printer.say(&kept_in(&kept, printer.width_err()));
    Answer::new(report.compared(&comparison, &kept), lines).exit(exit)
}

/// Whether anything was run that can be compared.
fn comparable(ended: &Ended<'_>, exit: Exit) -> bool {
    let ran = |one: &ReplaySession| one.state != SessionState::HandedOver;
    exit != Exit::Cancelled && !ended.sessions.is_empty() && ended.sessions.iter().all(ran)
}

/// The report as lines.
fn whole(session: &Session, comparison: &Comparison) -> Vec<Line> {
    let text = Foreign::from(session.engine.markdown(comparison));
    block(&text).collect()
}

fn kept_in(kept: &[std::path::PathBuf], width: usize) -> Vec<Line> {
    let Some(first) = kept.first() else {
        return Vec::new();
    };
    let text = match kept.len() {
        1 => clean!("{}", first),
        many => clean!("{} and {} more", first, many - 1),
    };
    fact("record", Tone::Plain, &text, width)
}

/// What the recovery before a replay in place had to say.
fn notes(ended: &Ended<'_>) -> Vec<String> {
    let outcome = ended.ground.outcome.as_ref();
    let said = outcome.map(|outcome| outcome.notes.as_slice());
    let said = said.unwrap_or_default().iter();
    said.map(|note| note.lossy().into_owned()).collect()
}

/// The person stopped it; all so far is kept.
fn cancelled(word: &str, all: &[ReplaySession]) -> EngineError {
    let error = EngineError::new(ErrorKind::Cancelled, "Cancelled; what was run is kept.");
    match all.iter().find(|one| one.state.can_continue()) {
        Some(left) => error.hint(format!("{} goes on with it.", sessions::go_on(word, left))),
        None => error,
    }
}

/// Each session, worst news first, and what to type next.
fn page(ended: &Ended<'_>, word: &str, diff: bool, width: usize) -> Vec<Line> {
    let all = &ended.sessions;
    let mut lines = under(
        Span::plain(Clean::empty()),
        Tone::Strong,
        &title(ended),
        width,
    );
    let rows: Vec<Vec<Span>> = all.iter().map(row).collect();
    let columns = [Column::fixed(""), Column::fixed(""), Column::fixed("")];
    lines.extend(lay_out(&columns, &rows, width).into_iter().map(|mut line| {
        line.insert(0, Span::plain(Clean::new("  ")));
        line
    }));
    lines.extend(sessions::troubles(all, width));
    if let Some(undo) = &ended.ground.undo {
        lines.push(command("undo", undo));
    }
    let folder = all.first().and_then(|one| one.folder.as_deref());
    let several = all.len() > 1;
    if let Some(folder) = folder.map(|one| one.parent().filter(|_| several).unwrap_or(one)) {
        lines.extend(fact("kept in", Tone::Plain, &clean!("{}", folder), width));
    }
    if let Some(left) = all.iter().find(|one| one.state.can_continue()) {
        let line = sessions::go_on(word, left);
        lines.push(command("go on", &Clean::new(&line)));
    }
    if let Some(one) = all.iter().find(|one| one.state == SessionState::Done)
        && !diff
    {
        let line = sessions::compare(word, one);
        lines.push(command("compare", &Clean::new(&line)));
    }
    lines.extend(handed_over(all, width));
    lines
}

/// How a person goes on with the first of those that are written; the others are like it.
fn handed_over(all: &[ReplaySession], width: usize) -> Vec<Line> {
    let mut handoffs = all.iter().filter_map(|one| one.handoff.as_ref());
    let Some(first) = handoffs.next() else {
        return Vec::new();
    };
    let mut lines = handoff::whole(first);
    let more = handoffs.count() as u64;
    if more > 0 {
        let text = clean!(
            "Beside it {}, each with dispatch files of its own; --list --json has them whole.",
            plural(more, "more run")
        );
        lines.push(vec![]);
        lines.extend(under(
            Span::plain(Clean::empty()),
            Tone::Faint,
            &text,
            width,
        ));
    }
    lines
}

fn row(session: &ReplaySession) -> Vec<Span> {
    vec![
        Span(Tone::Strong, Clean::new(&session.id.0)),
        sessions::state(session.state),
        Span::plain(sessions::counts(session.dispatches)),
    ]
}

/// What it came to, in one line.
fn title(ended: &Ended<'_>) -> Clean {
    let all = &ended.sessions;
    let runs = sessions::runs(all);
    let state = |wanted: SessionState| all.iter().filter(|one| one.state == wanted).count();
    let sentence = if ended.cancelled && all.iter().any(|one| one.state.can_continue()) {
        "Cancelled; what was run is kept"
    } else if state(SessionState::Interrupted) > 0 {
        "Cut short; what was run is kept"
    } else if !all.is_empty() && state(SessionState::HandedOver) == all.len() {
        "Written and, without a runner, not run"
    } else {
        "Replayed"
    };
    let asked = ended.plan.map_or(all.len(), |plan| plan.ask.repeat);
    let missing = match asked.saturating_sub(all.len()) {
        0 => String::new(),
        one => format!(" ({one} of {asked} runs not begun)"),
    };
    clean!("{}: {}{}.", sentence, runs, missing)
}
