//! `relight compare`: two runs of a pipeline side by side, and no more said about it than they bear.

mod figures;
mod page;
mod pairs;

#[cfg(test)]
mod made_up;
#[cfg(test)]
mod tests;

use std::io;

use super::plan::select;
use super::replay::sessions;
use super::setup::Session;
use super::words::under;
use crate::clean;
use crate::cli::Exit;
use crate::cli::answer::{Answer, Failure, Line, Span, Tone, Wire};
use crate::cli::args::{CompareArgs, Format};
use crate::cli::print::Printer;
use crate::cli::report::{CompareReport, NothingReport, OperandsReport};
use crate::cli::table::{Column, lay_out};
use crate::engine::{EngineError, ErrorKind, Operand};
use crate::model::{Clean, Foreign, PipelineId};

pub(super) fn run(
    session: &Session,
    args: &CompareArgs,
    printer: &Printer,
) -> Result<Answer, Failure> {
    let id = select(session, &args.target)?;
    let word = sessions::typed(&args.target, &id);
    if args.list {
        let operands = session.engine.operands(&id)?;
        let lines = listed(&operands, &word, printer.width());
        return Ok(Answer::new(OperandsReport::new(&operands), lines));
    }
    let (a, b) = (args.a.as_deref(), args.b.as_deref());
    let comparison = match session.engine.compare(&id, a, b) {
        Err(error) if error.kind == ErrorKind::NothingToDo => {
            return Ok(nothing(&error, printer.width()));
        }
        other => other.map_err(|error| offered(session, &id, &word, error))?,
    };
    let report = CompareReport::new(&comparison);
    match args.format {
        Format::Text => {
            let lines = page::lines(&comparison, &word, printer.width());
            Ok(Answer::new(report, lines))
        }
        Format::Markdown => Ok(raw(session.engine.markdown(&comparison))),
        Format::Jsonl => {
            let mut text = session.engine.record_lines(&comparison).join("\n");
            text.push('\n');
            Ok(raw(text))
        }
    }
}

/// There is nothing to compare yet, and what would make something.
fn nothing(error: &EngineError, width: usize) -> Answer {
    let said = std::iter::once(&error.text).chain(&error.hints);
    let lines = said.flat_map(|text| {
        let head = Span::plain(Clean::empty());
        under(head, Tone::Plain, &text.clean(), width)
    });
    let report = NothingReport::new(error.text.lossy().into_owned());
    Answer::new(report, lines.collect()).exit(Exit::No)
}

/// A report as it is. Its foreign text is presentable already, and a line of it is a line.
fn raw(text: String) -> Answer {
    let text = Foreign::from(text);
    let lines: Vec<Line> = text.lines().map(|line| vec![Span::plain(&line)]).collect();
    Answer::new(Nothing, lines)
}

/// A form that excludes `--json` has no object.
struct Nothing;

impl Wire for Nothing {
    fn write(&self, _out: &mut dyn io::Write) -> io::Result<()> {
        Ok(())
    }
}

/// Words that fit nothing, with those that would.
fn offered(session: &Session, id: &PipelineId, word: &str, error: EngineError) -> EngineError {
    let words = matches!(
        error.kind,
        ErrorKind::NotFound | ErrorKind::Ambiguous | ErrorKind::Usage
    );
    let operands = session.engine.operands(id).unwrap_or_default();
    if !words || operands.is_empty() {
        return error;
    }
    error.hint(format!(
        "relight compare {word} --list shows the {} that can be compared.",
        runs(operands.len())
    ))
}

/// `1 run`, `3 runs`.
fn runs(count: usize) -> String {
    super::words::plural(count as u64, "run")
}

const OPERANDS: [Column; 2] = [
    Column::fixed("OPERAND"),
    Column::gives("WHAT IT IS", [40, 20], 1),
];

fn listed(operands: &[Operand], word: &str, width: usize) -> Vec<Line> {
    if operands.is_empty() {
        let text = "Nothing of this pipeline can be compared yet.";
        return vec![vec![Span::plain(Clean::new(text))]];
    }
    let row = |one: &Operand| {
        vec![
            Span(Tone::Strong, Clean::new(&one.name)),
            Span::plain(one.title.clean()),
        ]
    };
    let rows: Vec<Vec<Span>> = operands.iter().map(row).collect();
    let mut lines = lay_out(&OPERANDS, &rows, width);
    lines.push(vec![]);
    lines.push(vec![
        Span(Tone::Faint, Clean::new("compare     ")),
        Span(Tone::Strong, clean!("relight compare {} A B", word)),
    ]);
    lines
}
