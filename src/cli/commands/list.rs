//! `relight list`.

use std::path::PathBuf;

use super::setup::Session;
use super::words::{age, plural, status_tone};
use crate::clean;
use crate::cli::answer::{Answer, Failure, Line, Span, Tone};
use crate::cli::args::ListArgs;
use crate::cli::report::ListReport;
use crate::cli::table::{Column, lay_out};
use crate::engine::{Request, Scope, Survey};
use crate::model::{Clean, Pipeline, Status};

/// The id stands before the title because it is what is typed next.
const COLUMNS: [Column; 7] = [
    Column::fixed("STATUS"),
    Column::fixed("SYSTEM"),
    Column::gives("ID", [36, 16], 1),
    Column::gives("TITLE", [20, 12], 2),
    Column::gives("STOPPED", [22, 12], 3),
    Column::right("DONE"),
    Column::right("WRITTEN"),
];

/// Cells below which the system's own column goes: every id begins with its system.
const ROOMY: usize = 130;

pub(super) fn run(session: &Session, args: &ListArgs, width: usize) -> Result<Answer, Failure> {
    let request = Request {
        paths: args.paths.clone(),
        all: args.all,
        ..session.request.clone()
    };
    let survey = session.engine.survey(&request, &|_| {})?;
    if args.brief {
        let lines = brief(&survey)
            .into_iter()
            .map(|text| vec![Span::plain(Clean::new(&text))])
            .collect();
        return Ok(pending(session, &request, &survey, lines));
    }
    let lines = page(session, &survey, width);
    Ok(pending(session, &request, &survey, lines))
}

/// The console without a terminal.
pub(super) fn of_paths(
    session: &Session,
    paths: &[PathBuf],
    width: usize,
) -> Result<Answer, Failure> {
    let request = Request {
        paths: paths.to_vec(),
        ..session.request.clone()
    };
    let survey = session.engine.survey(&request, &|_| {})?;
    let lines = page(session, &survey, width);
    Ok(pending(session, &request, &survey, lines))
}

/// The answer with the newest recovery that a crash left pending, which is said beside it. Nothing is done
/// about it: `list` only reads.
fn pending(session: &Session, request: &Request, survey: &Survey, lines: Vec<Line>) -> Answer {
    let left = session.engine.pending(request);
    let newest = left.first().map(|recovery| &recovery.id);
    let mut answer = Answer::new(ListReport::new(survey, newest), lines);
    if let Some(id) = newest {
        let more = match left.len() {
            1 => Clean::empty(),
            count => clean!(" {} in all are pending.", count),
        };
        answer.notes.push(clean!(
            "Recovery {} was cut short; {} settles it.{}",
            id.0,
            session.about("recover", id),
            more
        ));
    }
    answer
}

fn page(session: &Session, survey: &Survey, width: usize) -> Vec<Line> {
    let now = session.engine.now();
    let mut lines = Vec::new();
    if !survey.pipelines.is_empty() {
        let mut columns = COLUMNS.to_vec();
        let mut rows: Vec<Vec<Span>> = survey.pipelines.iter().map(|p| row(p, now)).collect();
        if width < ROOMY {
            columns.remove(1);
            for row in &mut rows {
                row.remove(1);
            }
        }
        lines.extend(lay_out(&columns, &rows, width));
        lines.push(vec![]);
    }
    lines.push(vec![Span(Tone::Faint, Clean::new(&closing(survey)))]);
    lines
}

fn row(pipeline: &Pipeline, now: chrono::DateTime<chrono::FixedOffset>) -> Vec<Span> {
    let status = pipeline.standing.status;
    let done = match pipeline.progress.total {
        Some(total) => clean!("{}/{}", pipeline.progress.done, total),
        None => clean!("{}", pipeline.progress.done),
    };
    vec![
        Span(status_tone(status), Clean::new(status.word())),
        Span::plain(Clean::new(pipeline.system.0)),
        Span::plain(Clean::new(&pipeline.id.0)),
        Span(Tone::Strong, pipeline.title.clean()),
        Span::plain(&pipeline.stopped_where),
        Span::plain(done),
        Span(Tone::Faint, age(pipeline.last_activity_at, now)),
    ]
}

/// What was found, where was looked, and what was left out.
fn closing(survey: &Survey) -> String {
    let count = survey.pipelines.len() as u64;
    let found = if count == 0 {
        "Nothing interrupted was found".to_owned()
    } else {
        plural(count, "pipeline")
    };
    let place = match survey.scope {
        Scope::Here => "in this work tree",
        Scope::Repository => "in this repository",
        Scope::Machine => "on this machine",
        Scope::Paths => "there",
    };
    let skipped = survey.skipped.len() as u64;
    let asides = [
        (
            survey.hidden.complete,
            format!("{} complete (--all shows them).", survey.hidden.complete),
        ),
        (
            survey.hidden.scope,
            format!(
                "{} elsewhere (--scope machine shows them).",
                survey.hidden.scope
            ),
        ),
        (
            skipped,
            format!("{} skipped (--json says why).", plural(skipped, "file")),
        ),
    ];
    let said = asides
        .into_iter()
        .filter(|(count, _)| *count > 0)
        .map(|(_, aside)| aside);
    std::iter::once(format!("{found} {place}."))
        .chain(said)
        .collect::<Vec<_>>()
        .join(" ")
}

/// One line for a prompt; nothing where nothing waits for anybody.
fn brief(survey: &Survey) -> Option<String> {
    let count = |status: Status| {
        survey
            .pipelines
            .iter()
            .filter(|p| p.standing.status == status)
            .count()
    };
    let (interrupted, waiting, unreadable) = (
        count(Status::Interrupted),
        count(Status::Waiting),
        count(Status::Unreadable),
    );
    let mut parts = Vec::new();
    if interrupted > 0 {
        parts.push(format!(
            "{interrupted} interrupted workflow{} found",
            if interrupted == 1 { "" } else { "s" }
        ));
    }
    if waiting > 0 {
        parts.push(format!("{waiting} waiting for you"));
    }
    if unreadable > 0 {
        parts.push(format!("{unreadable} unreadable"));
    }
    (!parts.is_empty()).then(|| format!("{}: run relight", parts.join(", ")))
}
