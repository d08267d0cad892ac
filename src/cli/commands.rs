//! One file a command.

mod act;
mod amend;
mod checkpoint;
mod checkpoints;
mod compare;
pub(super) mod console;
pub(super) mod demo;
pub(super) mod doctor;
mod export;
mod handoff;
mod history;
mod hooks;
mod launch;
mod list;
pub(super) mod manual;
mod plan;
mod points;
mod purge;
mod record;
mod recover;
mod rehearse;
pub(super) mod replay;
mod reports;
mod resume;
mod retyped;
pub(super) mod setup;
mod show;
pub(super) mod stub_runner;
mod timeline;
mod undo;
mod verify;
mod wait;
mod why;

use std::ffi::OsString;

use super::OfConsole;
use super::answer::Answer;
use super::args::{Cli, Command, Target, Targets};
use super::interrupt;
use super::print::{AtTerminal, Printer, Progress};
use crate::clean;
use crate::engine::{Dossier, Result, must_be_readable};
use crate::model::PipelineId;
use crate::text::{Clean, Present};
use act::Desk;
use setup::Session;

/// Runs a command that prints one answer. `said` is the command line as it was typed.
pub(super) fn answer(
    cli: &Cli,
    printer: &Printer,
    said: &[OsString],
    of_console: OfConsole,
) -> Result<Answer> {
    // `doctor` must also run with a configuration that every other command refuses.
    if let Some(Command::Doctor) = &cli.command {
        return doctor::run(cli, printer, of_console);
    }
    // The sandbox may be built from a directory that is gone.
    if let Some(Command::Demo(args)) = &cli.command {
        return demo::run(cli, args);
    }
    let mut session = setup::session(&cli.globals, &cli.near)?;
    session.show_searches(printer);
    session.said = said.to_vec();
    session.width = Printer::width();
    if cli.command.as_ref().is_some_and(Command::acts) {
        setup::may_act(&session.config)?;
    }
    let answer = run(cli, printer, &session);
    answer.map_err(|error| session.helpful(error))
}

fn run(cli: &Cli, printer: &Printer, session: &Session) -> Result<Answer> {
    match &cli.command {
        Some(Command::List(args)) => list::run(session, args),
        Some(Command::Show(target)) => show::run(session, target),
        Some(Command::Why(args)) => why::run(session, args),
        Some(Command::Timeline(target)) => timeline::run(session, target),
        Some(Command::Verify(args)) => verify::run(session, args),
        Some(Command::Points(target)) => points::run(session, target),
        Some(Command::Plan(args)) => plan::run(session, args),
        Some(Command::Checkpoints(target)) => checkpoints::run(session, target),
        Some(Command::History(args)) => history::run(session, args),
        Some(Command::Compare(args)) => compare::run(session, args),
        Some(Command::Record(args)) => acting(printer, |desk| record::run(session, args, desk)),
        Some(Command::Wait(args)) => wait::run(session, args),
        Some(Command::Checkpoint(args)) => {
            acting(printer, |desk| checkpoint::run(session, args, desk))
        }
        Some(Command::Export(args)) => acting(printer, |desk| export::run(session, args, desk)),
        Some(Command::Hooks { of }) => hooks::run(session, of.as_deref()),
        Some(
            Command::Doctor
            | Command::Demo(_)
            | Command::Completions { .. }
            | Command::Man { .. }
            | Command::StubRunner { .. },
        )
        | None => list::of_paths(session, &cli.paths),
        Some(Command::Resume(args)) => {
            acting(printer, |desk| resume::resume(session, args, desk, printer))
        }
        Some(Command::Amend(args)) => acting(printer, |desk| amend::run(session, args, desk)),
        Some(Command::Restore(args)) => {
            acting(printer, |desk| resume::restore(session, args, desk))
        }
        Some(Command::Undo(args)) => acting(printer, |desk| undo::run(session, args, false, desk)),
        Some(Command::Redo(args)) => acting(printer, |desk| undo::run(session, args, true, desk)),
        Some(Command::Rehearse(args)) => acting(printer, |desk| rehearse::run(session, args, desk)),
        Some(Command::Recover(args)) => acting(printer, |desk| recover::run(session, args, desk)),
        Some(Command::Purge(args)) => acting(printer, |desk| purge::run(session, args, desk)),
        Some(Command::Replay(args)) => {
            acting(printer, |desk| replay::run(session, args, desk, printer))
        }
    }
}

/// Runs a command that changes the disk.
fn acting(printer: &Printer, run: impl FnOnce(&mut Desk<'_>) -> Result<Answer>) -> Result<Answer> {
    let progress = Progress::new(printer.quiet);
    let cancel = interrupt::listen(progress.interrupted())?;
    run(&mut Desk {
        person: &mut AtTerminal(printer),
        progress: &|report| progress.show(report),
        cancel: &cancel,
    })
}

/// The pipelines that were named, in their order.
fn selected(session: &Session, targets: &Targets) -> Result<Vec<PipelineId>> {
    let select = |target: Target| plan::select(session, &target);
    targets.each().map(select).collect()
}

/// The dossier of the pipeline that was named.
fn dossier(session: &Session, target: &Target) -> Result<Dossier> {
    let mut dossier = session.engine.dossier(&plan::select(session, target)?)?;
    session.tell(dossier.advice());
    Ok(dossier)
}

/// The same, refused where nothing of it can be read: only `show` works on those.
fn readable(session: &Session, target: &Target) -> Result<Dossier> {
    let dossier = dossier(session, target)?;
    must_be_readable(&dossier.pipeline, &dossier.checks)?;
    Ok(dossier)
}

/// That a record of this file was interrupted, and what ends it.
fn cut_record(file: impl Present) -> Clean {
    clean!(
        "a record of {} was interrupted; to finish or undo it, run relight recover in its project",
        file
    )
}
