//! One file a command.

mod checkpoints;
pub(super) mod console;
pub(super) mod demo;
mod list;
mod plan;
mod points;
mod setup;
mod show;
mod timeline;
mod verify;
mod words;

use super::answer::{Answer, Failure};
use super::args::{Cli, Command, Target};
use crate::engine::{Dossier, EngineError, ErrorKind, Request};
use crate::model::Status;
use setup::Session;

/// Runs a command that answers and ends.
pub(super) fn answer(cli: &Cli, width: usize) -> Result<Answer, Failure> {
    let session = setup::session(&cli.globals, &cli.near())?;
    match &cli.command {
        Some(Command::List(args)) => list::run(&session, args, width),
        Some(Command::Show(target)) => show::run(&session, target, width),
        Some(Command::Timeline(target)) => timeline::run(&session, target, width),
        Some(Command::Verify(target)) => verify::run(&session, target, width),
        Some(Command::Points(target)) => points::run(&session, target, width),
        Some(Command::Plan(args)) => plan::run(&session, args, width),
        Some(Command::Checkpoints(target)) => checkpoints::run(&session, target, width),
        Some(Command::Demo(args)) => demo::run(cli, args),
        Some(Command::Completions { .. } | Command::Man) | None => {
            list::of_paths(&session, &cli.paths, width)
        }
    }
}

/// The dossier of the pipeline that was named.
fn dossier(session: &Session, target: &Target) -> Result<Dossier, Failure> {
    let request = Request {
        work_tree: target.work_tree.clone(),
        ..session.request.clone()
    };
    let id = session.engine.select(&target.pipeline, &request)?;
    Ok(session.engine.dossier(&id)?)
}

/// The same, refused where nothing of it can be read: only `show` speaks of those.
fn readable(session: &Session, target: &Target) -> Result<Dossier, Failure> {
    let dossier = dossier(session, target)?;
    let pipeline = &dossier.pipeline;
    if pipeline.standing.status != Status::Unreadable {
        return Ok(dossier);
    }
    let worst = pipeline.findings.iter().max_by_key(|f| f.severity);
    let text = worst.map_or_else(
        || pipeline.standing.reason.clone(),
        |finding| finding.text.clone(),
    );
    let hint = format!(
        "relight show {} says what could still be read.",
        pipeline.id
    );
    Err(EngineError::new(ErrorKind::Unreadable, text)
        .hint(hint)
        .into())
}

/// The completions of a shell.
pub(super) fn completions(shell: clap_complete::Shell) -> Vec<u8> {
    let mut out = Vec::new();
    clap_complete::generate(shell, &mut super::command(), "relight", &mut out);
    out
}

/// The manual page.
pub(super) fn manual() -> Vec<u8> {
    let mut out = Vec::new();
    // Writing into memory does not fail.
    drop(clap_mangen::Man::new(super::command()).render(&mut out));
    out
}
