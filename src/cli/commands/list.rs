//! `relight list`.

use std::path::PathBuf;

use super::console;
use super::setup::Session;
use crate::clean;
use crate::cli::Exit;
use crate::cli::answer::{Answer, Failure, Line, Span, Tone};
use crate::cli::args::ListArgs;
use crate::cli::page::Page;
use crate::cli::report;
use crate::cli::table::Column;
use crate::engine::{Request, Scope, Survey};
use crate::model::filter::Filter;
use crate::model::{Clean, LIST_COLUMNS, Pipeline, RecoveryId, RecoveryState, Status};
use crate::text::format::count;

pub(super) fn run(session: &Session, args: &ListArgs, width: usize) -> Result<Answer, Failure> {
    let request = Request {
        paths: args.paths.clone(),
        all: args.all,
        ..session.request.clone()
    };
    let mut survey = session.engine.survey(&request, &|_| {})?;
    let all = survey.pipelines.len();
    if let Some(text) = &args.filter {
        let filter = Filter::parse(text);
        survey.pipelines.retain(|pipeline| {
            let texts = pipeline.searched();
            filter.hits(&texts.each_ref().map(Clean::as_str)).is_some()
        });
    }
    let lines = if args.brief {
        survey.pipelines.iter().map(brief).collect()
    } else {
        page(session, &survey, all, width)
    };
    let waiting = |p: &Pipeline| p.standing.status == Status::Waiting;
    let answer = with_pending(session, &request, &survey, lines);
    if args.fail && survey.pipelines.iter().any(waiting) {
        return Ok(answer.exit(Exit::No));
    }
    Ok(answer)
}

/// The console without a terminal.
pub(super) fn of_paths(
    session: &Session,
    paths: &[PathBuf],
    width: usize,
) -> Result<Answer, Failure> {
    let request = console::request(session, paths)?;
    let survey = session.engine.survey(&request, &|_| {})?;
    let lines = page(session, &survey, survey.pipelines.len(), width);
    Ok(with_pending(session, &request, &survey, lines))
}

/// The answer, with notes about what a crash left pending. `list` only reads, so nothing is done about it.
fn with_pending(session: &Session, request: &Request, survey: &Survey, lines: Vec<Line>) -> Answer {
    let past = session.engine.history(request);
    let (all, unreadable, trouble) = match past {
        Ok(past) => (past.recoveries, past.unreadable, None),
        Err(error) => (Vec::new(), Vec::new(), Some(error)),
    };
    let pending: Vec<&RecoveryId> = all
        .iter()
        .rev()
        .filter(|recovery| recovery.state == RecoveryState::NeedsAttention)
        .map(|recovery| &recovery.id)
        .collect();
    let mut notes = Vec::new();
    if let Some(id) = pending.first() {
        let more = match pending.len() {
            1 => String::new(),
            several => format!(" {several} recoveries are pending."),
        };
        notes.push(clean!(
            "recovery {} was interrupted; to recover: {}.{}",
            id.0,
            session.about("recover", id),
            more
        ));
    }
    if let Some(error) = trouble {
        notes.push(clean!(
            "cannot tell whether a recovery is pending: {}",
            error.text
        ));
    }
    notes.extend(
        unreadable
            .iter()
            .map(|skipped| clean!("{}: {}.", skipped.path, skipped.reason)),
    );
    Answer::new(report::list(survey, &pending, &unreadable), lines).noted(notes)
}

fn page(session: &Session, survey: &Survey, all: usize, width: usize) -> Vec<Line> {
    let now = session.engine.now();
    let shown = || LIST_COLUMNS.iter().filter(|column| width >= column.from);
    let mut page = Page::new(width);
    if !survey.pipelines.is_empty() {
        let columns: Vec<Column> = shown().map(Column::of_list).collect();
        let row = |pipeline: &Pipeline| -> Vec<Span> {
            let tone = |heading: &str| match heading {
                "STATUS" => pipeline.standing.status.into(),
                "TITLE" => Tone::Strong,
                "LAST WRITE" => Tone::Faint,
                "FLAGS" => Tone::Warn,
                _ => Tone::Plain,
            };
            let cells = shown();
            cells
                .map(|column| Span(tone(column.heading), (column.cell)(pipeline, now)))
                .collect()
        };
        let rows: Vec<Vec<Span>> = survey.pipelines.iter().map(row).collect();
        page.table(&columns, &rows);
        page.blank();
    }
    page.line([Tone::Faint.of(summary(survey, all))]);
    page.into_iter().collect()
}

/// What was found of how many, where, and what was left out.
fn summary(survey: &Survey, all: usize) -> String {
    let shown = survey.pipelines.len();
    let place = match survey.scope {
        Scope::Here => "in this work tree",
        Scope::Repository => "in this repository",
        // Not all of a disk is searched, so "nothing" names the places that were.
        Scope::Machine if shown == 0 => {
            "beneath the current directory, in Claude's and temporary folders and in the configured roots"
        }
        Scope::Machine => "on this machine",
        Scope::Paths => "in the given paths",
    };
    let found = match (shown, all) {
        (0, 0) => "No interrupted pipelines".to_owned(),
        (shown, all) if shown < all => format!("{shown} of {}", count(all, "pipeline")),
        (all, _) => count(all, "pipeline"),
    };
    let (complete, elsewhere) = (survey.hidden.complete, survey.hidden.scope);
    let skipped = survey.skipped.len();
    let asides = [
        (complete > 0).then(|| format!("{complete} complete (show with --all).")),
        (elsewhere > 0)
            .then(|| format!("{elsewhere} elsewhere (show with relight list --scope machine).")),
        (skipped > 0).then(|| format!("{} skipped (reasons with --json).", count(skipped, "file"))),
    ];
    std::iter::once(format!("{found} {place}."))
        .chain(asides.into_iter().flatten())
        .collect::<Vec<_>>()
        .join(" ")
}

/// One line for a prompt: what is typed next, and what it is about.
fn brief(pipeline: &Pipeline) -> Line {
    let status = pipeline.standing.status;
    vec![
        Tone::Plain.of(&pipeline.id.0),
        Span(status.into(), clean!("  {}  ", status.word())),
        Tone::Plain.of(&pipeline.standing.reason),
    ]
}
