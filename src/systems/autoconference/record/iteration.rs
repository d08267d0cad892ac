//! Records an iteration of a researcher: the event, the researcher's row and the conference's row together, so that
//! they cannot drift.

use serde_json::Value;

use crate::model::{EngineError, Step};
use crate::systems::autoconference::record::event::{Current, follows};
use crate::systems::autoconference::shape::log::letter;
use crate::systems::autoconference::shape::{C11, R8, RESULTS, TableFile, table_name};
use crate::systems::kit::forms::{Ask, Written, refused, replace};
use crate::text::format::list;

/// The outcomes of an iteration.
const STATUSES: [(&str, ()); 4] = [
    ("baseline", ()),
    ("kept", ()),
    ("reverted", ()),
    ("failed", ()),
];

/// The decimals of a difference; a longer one has an exponent.
const LONGEST: usize = 20;

/// The iteration to record.
struct Iteration {
    researcher: char,
    round: u64,
    number: u64,
    /// The metric, as typed.
    value: String,
    delta: String,
    percent: String,
    status: String,
    description: String,
    verified_by: String,
    at: String,
}

pub(super) fn write(ask: &Ask<'_>) -> Result<Written, EngineError> {
    ask.no_words()?;
    let current = Current::read(ask)?;
    let iteration = read(ask, &current)?;
    follows("researcher.iteration", &current)?;
    let (colon, comma) = current.spacing();
    let text = |text: &str| Value::from(text).to_string();
    let payload = [
        ("researcher", text(&iteration.researcher.to_string())),
        ("round", iteration.round.to_string()),
        ("iteration", iteration.number.to_string()),
        ("metric_value", iteration.value.clone()),
        ("delta", text(&iteration.delta)),
        ("status", text(&iteration.status)),
    ];
    let payload = payload.map(|(key, value)| format!("\"{key}\"{colon}{value}"));
    let own = table_name(iteration.researcher);
    let tables = [
        (
            own.as_str(),
            current.raw.tables.get(&iteration.researcher),
            R8,
        ),
        (RESULTS, current.raw.results.as_ref(), C11),
    ];
    let mut steps = Vec::new();
    for (name, table, header) in tables {
        steps.push(row(ask, name, table, header, &iteration)?);
    }
    let mut written = current.logged(ask, "researcher.iteration", &payload.join(comma));
    steps.append(&mut written.steps);
    Ok(Written { steps, ..written })
}

fn read(ask: &Ask<'_>, current: &Current) -> Result<Iteration, EngineError> {
    let state = &current.state;
    let typed = ask.need("researcher")?;
    let researcher = letter(&typed).filter(|id| state.ids.contains(id));
    let researcher = researcher.ok_or_else(|| {
        let text = [b"There is no researcher ", typed.as_bytes(), b"."].concat();
        refused(text).hint(format!("The researchers are {}.", list(&state.ids)))
    })?;
    let round = ask.whole("round")?.unwrap_or(state.round);
    if round != state.round {
        return Err(refused(format!("The current round is {}.", state.round)));
    }
    let number = ask
        .whole("iteration")?
        .ok_or_else(|| ask.usage("--iteration is missing."))?;
    next_number(current, researcher, number)?;
    let value = ask.need("value")?;
    let metric = value
        .parse::<f64>()
        .ok()
        .filter(|metric| metric.is_finite());
    // JSON accepts fewer notations of a number than Rust.
    let json = serde_json::from_str::<serde_json::Number>(&value);
    let metric = metric.filter(|_| json.is_ok());
    let metric = metric.ok_or_else(|| refused("--value must be a finite number."))?;
    let status = ask.need("status")?;
    ask.one_of("status", &status, &STATUSES)?;
    if (number == 0) != (status == "baseline") {
        return Err(refused("Iteration 0 is the baseline, and no other."));
    }
    let description = cell(ask, "description")?;
    let verified_by = match ask.text("verified-by")? {
        Some(_) => cell(ask, "verified-by")?,
        None => "-".to_owned(),
    };
    let (delta, percent) = match best(current, researcher).filter(|_| number > 0) {
        None => ("-".to_owned(), "-".to_owned()),
        Some((best, text)) => against(metric, &value, best, &text),
    };
    Ok(Iteration {
        researcher,
        round,
        number,
        value,
        delta,
        percent,
        status,
        description,
        verified_by,
        at: crate::model::ClockStyle::UtcSeconds.write(ask.at),
    })
}

/// A text for a cell: tables have no quoting.
fn cell(ask: &Ask<'_>, name: &str) -> Result<String, EngineError> {
    let text = ask.need(name)?;
    if text.contains(['\t', '\n', '\r']) {
        return Err(refused(format!("--{name} must be one line without tabs.")));
    }
    Ok(text)
}

/// The first iteration is 0 or 1; each other one follows the last.
fn next_number(current: &Current, researcher: char, number: u64) -> Result<(), EngineError> {
    let round = current.state.round;
    // What a recovery removed no longer counts, as for the resume points.
    let run = current.state.work.run(round, researcher);
    let last = run.and_then(|run| run.keys().next_back());
    let number = i64::try_from(number).unwrap_or(i64::MAX);
    let fits = match last {
        None => number <= 1,
        Some(last) => number == last.saturating_add(1),
    };
    if fits {
        return Ok(());
    }
    let error = refused(format!(
        "Iteration {number} of {researcher} cannot be recorded in round {round}."
    ));
    Err(match last {
        None => error.hint("Expected: iteration 0 (the baseline) or 1."),
        Some(last) => error.hint(format!("Expected: iteration {}.", last.saturating_add(1))),
    })
}

/// The researcher's best kept or baseline value so far, with its text.
fn best(current: &Current, researcher: char) -> Option<(f64, String)> {
    let direction = current
        .raw
        .config
        .as_ref()
        .map(|config| config.direction)
        .unwrap_or_default();
    let rows = current.raw.tables.get(&researcher)?.rows.iter();
    let good =
        rows.filter(|row| row.counts() && matches!(row.status.as_str(), "kept" | "baseline"));
    let values = good.filter_map(|row| Some((row.metric?, row.metric_text.clone())));
    values.reduce(|best, other| {
        if direction.better(other.0, best.0) {
            other
        } else {
            best
        }
    })
}

/// The difference in the decimals of the longer operand, and in percent.
fn against(metric: f64, text: &str, best: f64, best_text: &str) -> (String, String) {
    let digits = decimals(text).max(decimals(best_text));
    // Avoids a negative zero.
    let delta = metric - best + 0.0;
    let percent = if best == 0.0 {
        "-".to_owned()
    } else {
        format!("{:+.1}%", delta / best.abs() * 100.0 + 0.0)
    };
    let delta = if digits > LONGEST {
        format!("{delta:+.2e}")
    } else {
        format!("{delta:+.digits$}")
    };
    (delta, percent)
}

/// The decimals of a number as it is typed: `9e-5` has five.
fn decimals(text: &str) -> usize {
    let (digits, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let after = digits.split_once('.').map_or(0, |(_, rest)| rest.len());
    let exponent = exponent.parse().unwrap_or(0_i64);
    let after = i64::try_from(after).unwrap_or(0).saturating_sub(exponent);
    usize::try_from(after).unwrap_or(0)
}

/// A table with the row added. The header on disk decides the columns.
fn row(
    ask: &Ask<'_>,
    name: &str,
    table: Option<&TableFile>,
    header: &str,
    iteration: &Iteration,
) -> Result<Step, EngineError> {
    let path = ask.site.dir.join(name);
    let known = table.filter(|table| !table.empty);
    if known.is_some_and(|table| table.dialect.is_none()) {
        return Err(refused(format!("The header of {name} is unknown.")));
    }
    let before = table.map(|table| table.bytes.clone());
    let old = known.map_or(&[][..], |table| table.bytes.as_slice());
    let first = old.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let first = String::from_utf8_lossy(first)
        .trim_end_matches('\r')
        .to_owned();
    let columns = if old.is_empty() {
        header
    } else {
        first.as_str()
    };
    let columns: Vec<&str> = columns.trim_start_matches('\u{feff}').split('\t').collect();
    let cells: Vec<String> = columns
        .iter()
        .map(|column| match column.trim() {
            "round" => iteration.round.to_string(),
            "researcher" => iteration.researcher.to_string(),
            "iteration" => iteration.number.to_string(),
            "metric_value" => iteration.value.clone(),
            "delta" => iteration.delta.clone(),
            "delta_pct" => iteration.percent.clone(),
            "status" => iteration.status.clone(),
            "description" => iteration.description.clone(),
            "evaluator_source" => iteration.verified_by.clone(),
            "timestamp" => iteration.at.clone(),
            _ => "-".to_owned(),
        })
        .collect();
    let line = format!("{}\n", cells.join("\t"));
    let cut = known.and_then(|table| table.rows.iter().find(|row| !row.whole));
    if let Some(cut) = cut
        && !is_begun(old.get(cut.start..).unwrap_or_default(), &columns, &cells)
    {
        let error = refused(format!("The last row of {name} is truncated."));
        return Err(error.hint("Record the iteration of that row again, or complete the row."));
    }
    let placeholder = known.and_then(|table| {
        let own = |id: Option<char>| id.is_none_or(|id| id == iteration.researcher);
        table
            .rows
            .iter()
            .find(|row| row.placeholder() && own(row.researcher))
    });
    // The first row replaces the scaffold's row, and the complete row replaces a truncated one.
    let content = match cut.or(placeholder) {
        Some(row) => {
            let part = |from: usize, to: usize| old.get(from..to).unwrap_or_default();
            [
                part(0, row.start),
                line.as_bytes(),
                part(row.end, old.len()),
            ]
            .concat()
        }
        None if old.is_empty() => [header.as_bytes(), b"\n", line.as_bytes()].concat(),
        None => [old, line.as_bytes()].concat(),
    };
    Ok(replace(&path, before, content, "The row."))
}

/// Whether a truncated row is this one: all of its complete cells match, including the key.
fn is_begun(cut: &[u8], columns: &[&str], cells: &[String]) -> bool {
    let cut = String::from_utf8_lossy(cut);
    let mut begun: Vec<&str> = cut.split('\t').collect();
    begun.pop();
    let mut key = columns
        .iter()
        .zip(cells)
        .enumerate()
        .filter(|(_, (column, _))| matches!(column.trim(), "round" | "researcher" | "iteration"));
    key.all(|(at, (_, cell))| begun.get(at).is_some_and(|begun| begun.trim() == cell))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_have_the_decimals_of_the_longer_operand() {
        for (value, best, delta, percent) in [
            ("41.9", "41.2", "+0.7", "+1.7%"),
            ("41", "41.25", "-0.25", "-0.6%"),
            ("3", "2", "+1", "+50.0%"),
            ("1.10", "1.1", "+0.00", "+0.0%"),
            ("1", "0", "+1", "-"),
            ("-2.5", "-2", "-0.5", "-25.0%"),
            ("9e-5", "3e-5", "+0.00006", "+200.0%"),
            ("3e-5", "0", "+0.00003", "-"),
            ("1.25E-3", "1e-3", "+0.00025", "+25.0%"),
            ("0.0001", "1e-4", "+0.0000", "+0.0%"),
            ("2.5e2", "2.4e2", "+10", "+4.2%"),
            ("3e-30", "1e-30", "+2.00e-30", "+200.0%"),
        ] {
            let (v, b) = (value.parse().unwrap(), best.parse().unwrap());
            let found = against(v, value, b, best);
            assert_eq!(
                found,
                (delta.to_owned(), percent.to_owned()),
                "{value} {best}"
            );
        }
    }
}
