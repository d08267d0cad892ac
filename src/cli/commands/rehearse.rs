//! `relight rehearse`: the same restore into a scratch folder, and the project's own check there. The check
//! comes from the command line or the person's configuration, never from the project.

use std::ffi::OsString;

use super::act::Desk;
use super::plan::{choice, options, refusal, select};
use super::setup::Session;
use super::words::{fact, plural, under};
use crate::clean;
use crate::cli::Exit;
use crate::cli::answer::{Answer, Failure, Line, Span, Tone};
use crate::cli::args::RehearseArgs;
use crate::cli::report::RehearsedReport;
use crate::engine::{EngineError, ErrorKind};
use crate::model::{CheckRun, Clean, Foreign, Plan, Rehearsal, shell_word};

pub(super) fn run(
    session: &Session,
    args: &RehearseArgs,
    desk: &Desk<'_>,
) -> Result<Answer, Failure> {
    let check = check(session, args)?;
    let id = select(session, &args.plan.target)?;
    let options = options(&args.plan.options)?;
    let choice = choice(&args.plan.point);
    let plan = match session.engine.plan(&id, &choice, &options) {
        Err(error) if error.kind == ErrorKind::NothingToDo => {
            let report = RehearsedReport::nothing(error.text.lossy().into_owned());
            let line = vec![Span::plain(error.text.clean())];
            return Ok(Answer::new(report, vec![line]).exit(Exit::No));
        }
        other => other?,
    };
    let rehearsal = session
        .engine
        .rehearse(&plan, check.as_deref(), desk.progress)?;
    let passed = rehearsal.check.as_ref().is_none_or(|run| run.passed);
    let lines = page(&plan, &rehearsal, desk.width);
    let report = RehearsedReport::new(plan.fingerprint.0.clone(), &rehearsal);
    let exit = if passed { Exit::Done } else { Exit::No };
    Ok(Answer::new(report, lines).exit(exit))
}

/// The command line's check, else the configuration's; none is an error only where one was asked for.
fn check(session: &Session, args: &RehearseArgs) -> Result<Option<Vec<OsString>>, EngineError> {
    if !args.command.is_empty() {
        return Ok(Some(args.command.clone()));
    }
    let configured = &session.engine.settings().check;
    if args.check && configured.is_empty() {
        let error = EngineError::new(ErrorKind::Usage, "There is no check to run.");
        return Err(error
            .hint("Name it at the end: --check -- COMMAND ARGUMENT…")
            .hint("Or once and for all in the configuration, under [check]."));
    }
    Ok((!configured.is_empty()).then(|| configured.clone()))
}

fn page(plan: &Plan, rehearsal: &Rehearsal, width: usize) -> Vec<Line> {
    let title = clean!(
        "Rehearsed {} at {}: {} changed.",
        plan.pipeline.0,
        plan.point.boundary.id.0,
        plural(rehearsal.changed, "file")
    );
    let mut lines = under(Span::plain(Clean::empty()), Tone::Strong, &title, width);
    let folder = clean!("{}", rehearsal.folder);
    lines.extend(fact("in", Tone::Plain, &folder, width));
    lines.push(vec![Span(
        Tone::Faint,
        Clean::new("Your own files are as they were; the folder is left for a look."),
    )]);
    let mut warn = |text: &Foreign| {
        let head = Span(Tone::Warn, Clean::new("  ! "));
        lines.extend(under(head, Tone::Plain, &text.clean(), width));
    };
    if let Some(refused) = refusal(plan) {
        warn(&refused.text);
    }
    rehearsal.not_covered.iter().for_each(warn);
    match &rehearsal.check {
        Some(run) => lines.extend(ran(run, width)),
        None => lines.push(vec![Span::plain(Clean::new(
            "No check was run; --check -- COMMAND runs one there.",
        ))]),
    }
    lines
}

fn ran(run: &CheckRun, width: usize) -> Vec<Line> {
    let (verdict, tone) = if run.passed {
        ("passed", Tone::Good)
    } else {
        ("failed", Tone::Bad)
    };
    let word = |word: &Foreign| {
        let quoted = word.as_str().and_then(shell_word);
        quoted.unwrap_or_else(|| word.clean().into_string())
    };
    let words: Vec<String> = run.argv.iter().map(word).collect();
    let head = clean!("The check {} ({}, {} s): ", verdict, run.ended, run.seconds);
    let mut lines = vec![vec![]];
    let command = Clean::from_clean_parts(format_args!("{head}{}", words.join(" ")));
    lines.extend(under(Span::plain(Clean::empty()), tone, &command, width));
    for line in run.output.lines() {
        lines.push(vec![
            Span(Tone::Faint, Clean::new("  │ ")),
            Span::plain(line.clean()),
        ]);
    }
    lines
}
