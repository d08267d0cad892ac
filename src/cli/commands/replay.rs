//! `relight replay`: runs a pipeline's dispatches again with templates swapped.

mod ask;
mod before;
mod conflicts;
mod dry_run;
mod in_place;
mod job;
mod outcome;
pub(super) mod sessions;

#[cfg(test)]
pub(in crate::cli) mod testdata;
#[cfg(test)]
mod tests;

use super::act::Desk;
use super::plan::select;
use crate::cli::args::{Repeat, ReplayArgs};
use crate::cli::interrupt;
use crate::cli::prelude::*;
use crate::cli::print::ReplayLines;
use crate::engine::TellReplay;
use crate::model::{SessionId, TemplateSwap};
use crate::text::format::size as size_of;
use outcome::Ended;

pub(super) fn run(
    session: &Session,
    args: &ReplayArgs,
    desk: &mut Desk<'_>,
    printer: &Printer,
) -> Result<Answer> {
    match replay(session, args, desk, printer) {
        Err(error) if error.kind == ErrorKind::NothingToDo => {
            Ok(session.nothing(error, session.page(), |error| {
                report::beside(report::replayed(&[], &[], None, None), Some(error))
            }))
        }
        other => other,
    }
}

fn replay(
    session: &Session,
    args: &ReplayArgs,
    desk: &mut Desk<'_>,
    printer: &Printer,
) -> Result<Answer> {
    if args.run_folder {
        return job::run(session, &args.target, printer);
    }
    let id = select(session, &args.target)?;
    if args.list {
        return list(session, args, &id);
    }
    let adds = matches!(args.repeat, Repeat::More(_)) && args.mutate.is_empty();
    if let Some(word) = args.resumed.as_deref().or_else(|| adds.then_some("")) {
        return resume(session, args, &id, word, printer);
    }
    let ask = ask::ask(session, args)?;
    let plan = session.engine.replay_plan(&id, &ask)?;
    if args.consent.dry_run {
        return dry_run::run(session, &plan, &in_place::options(args));
    }
    if let Some(error) = conflicts::refusal(&plan) {
        return Err(error);
    }
    let ground = if plan.ask.in_place {
        in_place::ground(session, args, &plan, desk)?
    } else {
        in_place::Ground::default()
    };
    if desk.cancel.is_cancelled() {
        let text = "Canceled before the replay started; nothing was run.";
        return Err(ground.beside(EngineError::new(ErrorKind::Cancelled, text)));
    }
    printer.say(&before::lines(&plan, Printer::width_err()));
    let run = |tell: TellReplay<'_>, cancel: &Cancel| session.engine.replay(&plan, tell, cancel);
    let (sessions, cancelled) = watched(printer, run).map_err(|error| ground.beside(error))?;
    let ended = Ended {
        asked: plan.ask.repeat * plan.ask.arms().len(),
        measured_again: 0,
        unfinished: outcome::unfinished(session, &id, None, &sessions),
        sessions,
        cancelled,
        ground,
    };
    Ok(outcome::answer(session, args, &id, &ended, printer))
}

/// Runs work that reports its progress and can be canceled. Returns whether it was.
fn watched<T>(
    printer: &Printer,
    work: impl FnOnce(TellReplay<'_>, &Cancel) -> Result<T>,
) -> Result<(T, bool)> {
    let lines = ReplayLines::new(printer.quiet);
    // A second signal changes nothing: the runners were told to stop, and are killed soon.
    let mut stopping = Some(lines.stopping());
    let told = move |_| {
        if let Some(stopping) = stopping.take() {
            stopping();
        }
    };
    let cancel = interrupt::listen(told)?;
    cancel.open();
    let result = work(&|progress| lines.show(progress), &cancel);
    Ok((result?, cancel.is_cancelled()))
}

/// Resumes a session that was interrupted.
fn resume(
    session: &Session,
    args: &ReplayArgs,
    id: &PipelineId,
    word: &str,
    printer: &Printer,
) -> Result<Answer> {
    let all = session.engine.replays(id)?;
    let experiments = session.engine.replay_experiments(id)?;
    let adds = match args.repeat {
        Repeat::More(blocks) => usize::from(blocks),
        Repeat::Blocks(_) => 0,
    };
    if let Some(one) = sessions::experiment(&experiments, &all, word, adds > 0 || args.all) {
        let mut runs = all;
        runs.retain(|session| session.group == one.id);
        let how = (adds, args.all);
        let extension = session.engine.replay_extension(id, &one.id, how)?;
        let before = |width| before::extending(one, &runs, (adds, &extension), width);
        if args.consent.dry_run {
            return Ok(would_resume(before(session.width), &runs));
        }
        printer.say(&before(Printer::width_err()));
        let run = |tell: TellReplay<'_>, cancel: &Cancel| {
            session.engine.replay_extend(id, &one.id, how, tell, cancel)
        };
        let watched = watched(printer, run)?;
        let before = (Some(&one.id), extension.runs, runs.as_slice());
        return Ok(continued(session, args, id, before, watched, printer));
    }
    session.engine.readable_experiment(id, word)?;
    if adds > 0 {
        let text = "This pipeline has no such experiment to add blocks to.";
        return Err(EngineError::new(ErrorKind::NotFound, text)
            .hint("To begin one: --mutate ORIGINAL=REPLACEMENT --repeat 10"));
    }
    let meant = sessions::meant(&all, &experiments, word)?;
    session.engine.may_continue(id, &meant.id)?;
    if args.consent.dry_run {
        let lines = before::resuming(meant, session.width);
        return Ok(would_resume(lines, std::slice::from_ref(meant)));
    }
    printer.say(&before::resuming(meant, Printer::width_err()));
    let run = |tell: TellReplay<'_>, cancel: &Cancel| {
        let one = session
            .engine
            .replay_continue(id, &meant.id, tell, cancel)?;
        Ok(vec![one])
    };
    let watched = watched(printer, run)?;
    let before = (None, 1, std::slice::from_ref(meant));
    Ok(continued(session, args, id, before, watched, printer))
}

/// What a resume would continue with, for a dry run.
fn would_resume(mut lines: Vec<Line>, sessions: &[ReplaySession]) -> Answer {
    lines.push(vec![Tone::Plain.of("Nothing was run: this is a dry run.")]);
    Answer::new(report::replayed(sessions, &[], None, None), lines)
}

/// The answer for sessions that were continued, without the plan, which was shown when they began. `before` are their
/// experiment, the runs that were left, and the sessions as they were.
fn continued(
    session: &Session,
    args: &ReplayArgs,
    id: &PipelineId,
    (experiment, left, before): (Option<&SessionId>, usize, &[ReplaySession]),
    (sessions, cancelled): (Vec<ReplaySession>, bool),
    printer: &Printer,
) -> Answer {
    let again = before.iter().filter(|one| one.lacks_values());
    let again = again.filter(|one| sessions.iter().any(|ended| ended.id == one.id));
    let ended = Ended {
        asked: left,
        measured_again: again.count(),
        unfinished: experiment
            .and_then(|one| outcome::unfinished(session, id, Some(one), &sessions)),
        sessions,
        cancelled,
        ground: in_place::Ground::default(),
    };
    outcome::answer(session, args, id, &ended, printer)
}

/// The replays of a pipeline.
fn list(session: &Session, args: &ReplayArgs, id: &PipelineId) -> Result<Answer> {
    let list = session.engine.replay_list(id)?;
    let (all, experiments) = (&list.sessions, &list.experiments);
    let sizes = session.engine.replay_sizes(all);
    let mut page = session.page();
    let verdicts = session.engine.replay_verdicts(id)?;
    let word = sessions::typed(session, &args.target, id);
    if all.is_empty() && experiments.is_empty() {
        page.say(Tone::Plain, "This pipeline has no replays.");
    } else if !all.is_empty() {
        sessions::page(&list, &word, session.engine.now(), &mut page);
        for one in sizes.iter().filter(|one| one.bytes() > 0) {
            let (bytes, runs) = (size_of(one.bytes()), count(one.runs.len(), "run"));
            page.fact("size", clean!("{}  {} ({})", one.group.0, bytes, runs));
        }
        // The newest first, like the runs.
        for one in verdicts.iter().rev() {
            let title = one.text.title(one.verdict);
            page.fact("verdict", clean!("{}  {}", one.id.0, title));
        }
    }
    if list.unsupported.is_none() {
        sessions::not_begun(experiments, all, &word, &mut page);
    }
    let report = report::listed(all, &sizes, experiments, &verdicts);
    Ok(Answer::new(report, page))
}

/// `6 dispatches in 2 waves`.
fn size(plan: &ReplayPlan) -> String {
    let waves = plan.steps.iter().map(|step| step.wave);
    let waves: std::collections::BTreeSet<usize> = waves.collect();
    let dispatches = count(plan.steps.len(), "dispatch");
    match waves.len() {
        0 | 1 => dispatches,
        waves => format!("{dispatches} in {}", count(waves, "wave")),
    }
}

/// `red-team-prompt.md -> red-team-v2.md (2 dispatches)`.
pub(super) fn swapped(swap: &TemplateSwap) -> Clean {
    let dispatches = count(swap.dispatches, "dispatch");
    clean!("{} ({})", swap.mutation.text(), dispatches)
}
