//! One file a command.

mod act;
mod actions_done;
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

use super::answer::{Answer, Failure};
use super::args::{Cli, Command, Target};
use super::interrupt;
use super::print::{AtTerminal, Printer};
use crate::engine::{Dossier, EngineError, ErrorKind, Request, must_be_readable};
use crate::model::PipelineId;
use act::Desk;
use setup::Session;

/// Runs a command that prints one answer. `said` is the command line as it was typed.
pub(super) fn answer(
    cli: &Cli,
    printer: &Printer,
    said: &[OsString],
    background: doctor::AskBackground,
) -> Result<Answer, Failure> {
    // `doctor` must also run with a configuration that every other command refuses.
    if let Some(Command::Doctor) = &cli.command {
        return doctor::run(cli, printer, background);
    }
    let mut session = setup::session(&cli.globals, &cli.near())?;
    session.said = said.to_vec();
    let width = printer.width();
    if cli.command.as_ref().is_some_and(Command::acts) {
        session.may_act()?;
    }
    match &cli.command {
        Some(Command::List(args)) => list::run(&session, args, width),
        Some(Command::Show(target)) => show::run(&session, target, width),
        Some(Command::Why(args)) => why::run(&session, args, width),
        Some(Command::Timeline(target)) => timeline::run(&session, target, width),
        Some(Command::Verify(args)) => verify::run(&session, args, width),
        Some(Command::Points(target)) => points::run(&session, target, width),
        Some(Command::Plan(args)) => plan::run(&session, args, width),
        Some(Command::Checkpoints(target)) => checkpoints::run(&session, target, width),
        Some(Command::History(args)) => history::run(&session, args, width),
        Some(Command::Compare(args)) => compare::run(&session, args, printer),
        Some(Command::Record(args)) => record::run(&session, args, width),
        Some(Command::Wait(args)) => wait::run(&session, args, width),
        Some(Command::Checkpoint(args)) => checkpoint::run(&session, args, width),
        Some(Command::Export(args)) => export::run(&session, args, width),
        Some(Command::Hooks { of }) => hooks::run(&session, of.as_deref(), width),
        Some(Command::Demo(args)) => demo::run(cli, args),
        Some(
            Command::Doctor
            | Command::Completions { .. }
            | Command::Man { .. }
            | Command::StubRunner { .. },
        )
        | None => list::of_paths(&session, &cli.paths, width),
        Some(
            command @ (Command::Resume(_)
            | Command::Amend(_)
            | Command::Restore(_)
            | Command::Rehearse(_)
            | Command::Undo(_)
            | Command::Redo(_)
            | Command::Recover(_)
            | Command::Purge(_)
            | Command::Replay(_)),
        ) => acting(&session, command, printer),
    }
}

/// Runs a command that changes the disk.
fn acting(session: &Session, command: &Command, printer: &Printer) -> Result<Answer, Failure> {
    let progress = printer.progress();
    let cancel = interrupt::listen(progress.interrupted()).map_err(|error| unheard(&error))?;
    let mut desk = Desk {
        person: &mut AtTerminal(printer),
        progress: &|report| progress.show(report),
        cancel: &cancel,
        width: printer.width(),
    };
    match command {
        Command::Resume(args) => {
            let acted = resume::resume(session, args, &mut desk)?;
            // After a cancellation nothing is started.
            let launches = args.launch && !cancel.is_cancelled();
            match acted.handoff.filter(|_| launches) {
                Some((id, handoff)) => {
                    launch::launch(session, acted.answer, &id, &handoff, args.until, printer)
                }
                None => Ok(acted.answer),
            }
        }
        Command::Amend(args) => Ok(amend::run(session, args, &mut desk)?.answer),
        Command::Restore(args) => Ok(resume::restore(session, args, &mut desk)?.answer),
        Command::Undo(args) => Ok(undo::run(session, args, false, &mut desk)?.answer),
        Command::Redo(args) => Ok(undo::run(session, args, true, &mut desk)?.answer),
        Command::Rehearse(args) => rehearse::run(session, args, &desk),
        Command::Recover(args) => recover::run(session, args, &mut desk),
        Command::Purge(args) => purge::run(session, args, &mut desk),
        Command::Replay(args) => replay::run(session, args, &mut desk, printer),
        Command::List(_)
        | Command::Show(_)
        | Command::Why(_)
        | Command::Timeline(_)
        | Command::Verify(_)
        | Command::Points(_)
        | Command::Plan(_)
        | Command::Checkpoints(_)
        | Command::History(_)
        | Command::Compare(_)
        | Command::Demo(_)
        | Command::Record(_)
        | Command::Wait(_)
        | Command::Checkpoint(_)
        | Command::Export(_)
        | Command::Hooks { .. }
        | Command::Doctor
        | Command::Completions { .. }
        | Command::StubRunner { .. }
        | Command::Man { .. } => {
            Err(EngineError::new(ErrorKind::Bug, "This command does not write.").into())
        }
    }
}

/// The error if signals cannot be handled: then nothing that writes is started.
fn unheard(error: &std::io::Error) -> EngineError {
    let text = format!("Signal handlers cannot be installed: {error}.");
    EngineError::new(ErrorKind::Bug, text)
}

/// The dossier of the pipeline that was named.
fn dossier(session: &Session, target: &Target) -> Result<Dossier, Failure> {
    Ok(session.engine.dossier(&selected(session, target)?)?)
}

/// The pipeline that is meant.
fn selected(session: &Session, target: &Target) -> Result<PipelineId, Failure> {
    let request = Request {
        work_tree: target.work_tree.clone(),
        ..session.request.clone()
    };
    Ok(session.engine.select(&target.pipeline, &request)?)
}

/// The same, refused where nothing of it can be read: only `show` works on those.
fn readable(session: &Session, target: &Target) -> Result<Dossier, Failure> {
    let dossier = dossier(session, target)?;
    must_be_readable(&dossier.pipeline)?;
    Ok(dossier)
}
