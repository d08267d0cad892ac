//! `relight compare`: two runs of a pipeline side by side.

mod figures;
mod page;
mod pairs;

#[cfg(test)]
mod testdata;
#[cfg(test)]
mod tests;

use super::plan::select;
use super::replay::sessions;
use super::retyped::again;
use crate::cli::args::{CompareArgs, Format};
use crate::cli::page::block;
use crate::cli::prelude::*;
use crate::engine::Operand;
use crate::model::RunKind;

pub(super) fn run(session: &Session, args: &CompareArgs) -> Result<Answer> {
    let id = select(session, &args.target)?;
    let word = sessions::typed(session, &args.target, &id);
    let mut page = session.page();
    if args.list {
        let operands = session.engine.operands(&id)?;
        listed(&operands, &word, &mut page);
        return Ok(Answer::new(report::operands(&operands), page));
    }
    let (a, b) = (args.a.as_deref(), args.b.as_deref());
    let metric = args.metric.as_deref();
    let mut comparison = match session.engine.compare_by(&id, (a, b), metric) {
        Err(error) if error.kind == ErrorKind::NothingToDo => {
            return Ok(session.nothing(error, page, |error| {
                report::nothing_to_compare(&error.text.lossy())
            }));
        }
        other => other.map_err(|error| offered(session, &id, &word, error))?,
    };
    session.tell(comparison.advice());
    match args.format {
        Format::Text => {
            let report = markdown(session, args, &comparison);
            page::comparison(&comparison, (&word, report.as_deref()), &mut page);
            Ok(Answer::new(report::comparison(&comparison), page))
        }
        Format::Markdown => Ok(raw(session.engine.markdown(&comparison))),
        Format::Jsonl => {
            let mut text = session.engine.record_lines(&comparison).join("\n");
            text.push('\n');
            Ok(raw(text))
        }
    }
}

/// The typed command for a report of the same sides; `None` where it cannot be copied. What was chosen for the person
/// is named, because it may be another choice tomorrow. What was there before a recovery is no operand: with the
/// recovery alone, it is compared.
fn markdown(session: &Session, args: &CompareArgs, comparison: &Comparison) -> Option<String> {
    let (a, b) = (&comparison.a, &comparison.b);
    let before = a.runs.iter().any(|run| run.kind == RunKind::Before);
    let named = match &args.a {
        Some(_) => Vec::new(),
        None if before => vec![b],
        None => vec![a, b],
    };
    let named = named.into_iter().map(|side| shell_word(&side.name));
    let named: Vec<String> = named.collect::<Option<_>>()?;
    let more = named.iter().map(String::as_str);
    let more: Vec<&str> = more.chain(["--format", "markdown"]).collect();
    again(&session.said, &["--format"], &more)
}

/// A report, printed as it is: its foreign text is already clean, and its lines are not wrapped.
fn raw(text: String) -> Answer {
    let lines: Vec<Line> = block(&Foreign::from(text)).collect();
    // The formats that exclude `--json` have no object.
    Answer::new((), lines)
}

/// The error for operands that match nothing, with a hint if there are others.
fn offered(session: &Session, id: &PipelineId, word: &str, error: EngineError) -> EngineError {
    let usage = matches!(
        error.kind,
        ErrorKind::NotFound | ErrorKind::Ambiguous | ErrorKind::Usage
    );
    let operands = session.engine.operands(id).unwrap_or_default();
    if !usage || operands.is_empty() {
        return error;
    }
    let list = format!("relight compare {word} --list");
    error.hint(format!("To list what can be compared: {list}"))
}

const OPERANDS: [Column; 2] = [
    Column::fixed("OPERAND"),
    Column::narrowing("WHAT IT IS", [40, 20], 1),
];

fn listed(operands: &[Operand], word: &str, page: &mut Page) {
    if operands.is_empty() {
        page.say(Tone::Plain, "This pipeline has nothing to compare yet.");
        return;
    }
    let row = |one: &Operand| vec![Tone::Strong.of(&one.name), Tone::Plain.of(&one.title)];
    let rows: Vec<_> = operands.iter().map(row).collect();
    page.table(&OPERANDS, &rows);
    page.blank();
    page.command("compare", format!("relight compare {word} A B"));
}
