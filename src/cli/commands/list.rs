//! `relight list`.

use std::path::PathBuf;

use super::console;
use super::setup::Session;
use super::words::{age, plural, status_tone};
use crate::clean;
use crate::cli::Exit;
use crate::cli::answer::{Answer, Failure, Line, Span, Tone};
use crate::cli::args::ListArgs;
use crate::cli::report::ListReport;
use crate::cli::table::{Column, lay_out};
use crate::engine::{Request, Scope, Survey};
use crate::model::filter::Filter;
use crate::model::{Clean, Pipeline, RecoveryId, RecoveryState, Status};

/// The id stands before the title because it is what is typed next, and is never cut: it would name nothing.
const COLUMNS: [Column; 7] = [
    Column::fixed("STATUS"),
    Column::fixed("SYSTEM"),
    Column::fixed("ID"),
    Column::gives("TITLE", [20, 8], 2).or_goes(),
    Column::gives("STOPPED", [22, 8], 3).or_goes(),
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
    let mut survey = session.engine.survey(&request, &|_| {})?;
    let all = survey.pipelines.len();
    if let Some(text) = &args.filter {
        let filter = Filter::parse(text);
        survey.pipelines.retain(|p| fits(&filter, p));
    }
    let lines = if args.brief {
        survey.pipelines.iter().map(brief).collect()
    } else {
        page(session, &survey, all, width)
    };
    let waiting = |p: &Pipeline| p.standing.status == Status::Waiting;
    let answer = pending(session, &request, &survey, lines);
    if args.fail && survey.pipelines.iter().any(waiting) {
        return Ok(answer.exit(Exit::No));
    }
    Ok(answer)
}

/// Whether a pipeline is left by a filter, which looks at what the console's looks at.
fn fits(filter: &Filter<'_>, pipeline: &Pipeline) -> bool {
    let title = if pipeline.title.is_empty() {
        pipeline.native.clean()
    } else {
        pipeline.title.clean()
    };
    let badges: Vec<&str> = pipeline.badges.iter().map(|badge| badge.word()).collect();
    filter
        .hits(&[
            pipeline.standing.status.word(),
            pipeline.system.0,
            title.as_str(),
            pipeline.stopped_where.clean().as_str(),
            &badges.join(" ").replace('_', " "),
            &pipeline.id.0,
        ])
        .is_some()
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
    Ok(pending(session, &request, &survey, lines))
}

/// The answer with what a crash left pending, which is said beside it. Nothing is done about it: `list` only
/// reads.
fn pending(session: &Session, request: &Request, survey: &Survey, lines: Vec<Line>) -> Answer {
    let past = session.engine.past(request);
    let (all, unreadable, trouble) = match past {
        Ok(past) => (past.recoveries, past.unreadable, None),
        Err(error) => (Vec::new(), Vec::new(), Some(error)),
    };
    let left: Vec<&RecoveryId> = all
        .iter()
        .rev()
        .filter(|recovery| recovery.state == RecoveryState::NeedsAttention)
        .map(|recovery| &recovery.id)
        .collect();
    let report = ListReport::new(survey, &left).beside(&unreadable);
    let mut answer = Answer::new(report, lines);
    if let Some(id) = left.first() {
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
    if let Some(error) = trouble {
        let text = "Whether a recovery is pending is not known:";
        answer.notes.push(clean!("{} {}", text, error.text));
    }
    for odd in &unreadable {
        answer.notes.push(clean!("{}: {}.", odd.path, odd.reason));
    }
    answer
}

fn page(session: &Session, survey: &Survey, all: usize, width: usize) -> Vec<Line> {
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
    lines.push(vec![Span(Tone::Faint, Clean::new(&closing(survey, all)))]);
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

/// What was found of how many, where was looked, and what was left out.
fn closing(survey: &Survey, all: usize) -> String {
    let count = survey.pipelines.len();
    let place = match survey.scope {
        Scope::Here => "in this work tree",
        Scope::Repository => "in this repository",
        // Not all of a disk is looked at, so that "nothing" is said of the places that were.
        Scope::Machine if count == 0 => {
            "beneath the current directory, in Claude's and temporary folders and in the configured roots"
        }
        Scope::Machine => "on this machine",
        Scope::Paths => "there",
    };
    let found = match (count, all) {
        (0, 0) => "No interrupted pipelines".to_owned(),
        (shown, all) if shown < all => format!("{shown} of {}", plural(all as u64, "pipeline")),
        (all, _) => plural(all as u64, "pipeline"),
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
                "{} elsewhere (relight list --scope machine).",
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

/// One line for a prompt: what is typed next, and what it is about.
fn brief(pipeline: &Pipeline) -> Line {
    let status = pipeline.standing.status;
    vec![
        Span::plain(Clean::new(&pipeline.id.0)),
        Span(status_tone(status), clean!("  {}  ", status.word())),
        Span::plain(pipeline.standing.reason.clean()),
    ]
}
