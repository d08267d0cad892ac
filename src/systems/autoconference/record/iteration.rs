//! Records an iteration of a researcher: the event, the researcher's row and the conference's row together, so that
//! they cannot drift.

use serde_json::Value;

use crate::formats::tsv::Table;
use crate::model::{ClockStyle, Result, Step};
use crate::systems::autoconference::record::event::{Current, follows};
use crate::systems::autoconference::record::spacing;
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

/// The members of its payload.
const PAYLOAD: &str = "researcher round iteration metric_value delta status";

/// The decimals of a difference; a longer one has an exponent.
const LONGEST: usize = 20;

/// The cells of the iteration by column, as they are written.
type Cells = [(&'static str, String); 10];

pub(super) fn write(ask: &Ask<'_>) -> Result<Written> {
    ask.no_words()?;
    let current = Current::read(ask)?;
    let (researcher, cells) = read(ask, &current)?;
    follows("researcher.iteration", &current)?;
    let (colon, comma) = spacing(&current.raw);
    let payload = PAYLOAD.split(' ').map(|key| {
        let value = cell(&cells, key);
        // Numbers are logged as typed.
        let text = matches!(key, "researcher" | "delta" | "status");
        let text = text.then(|| Value::from(value).to_string());
        format!("\"{key}\"{colon}{}", text.as_deref().unwrap_or(value))
    });
    let (raw, own) = (&current.raw, table_name(researcher));
    let row = |name, table, header| row(ask, name, table, header, &cells);
    let mut steps = vec![
        row(&own, raw.tables.get(&researcher), R8)?,
        row(RESULTS, raw.results.as_ref(), C11)?,
    ];
    let payload = format!("{{{}}}", payload.collect::<Vec<_>>().join(comma));
    let mut written = current.logged(ask, "researcher.iteration", &payload)?;
    steps.append(&mut written.steps);
    Ok(Written { steps, ..written })
}

/// A cell; `-` in a column that an iteration does not have.
fn cell<'a>(cells: &'a Cells, column: &str) -> &'a str {
    let found = cells.iter().find(|(name, _)| *name == column);
    found.map_or("-", |(_, text)| text)
}

fn read(ask: &Ask<'_>, current: &Current) -> Result<(char, Cells)> {
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
    // JSON accepts fewer notations of a number than Rust.
    let json = serde_json::from_str::<serde_json::Number>(&value);
    let metric = value
        .parse::<f64>()
        .ok()
        .filter(|it| it.is_finite() && json.is_ok());
    let metric = metric.ok_or_else(|| refused("--value must be a finite number."))?;
    let status = ask.need("status")?;
    ask.one_of("status", &status, &STATUSES)?;
    if (number == 0) != (status == "baseline") {
        return Err(refused("Iteration 0 is the baseline, and no other."));
    }
    let description = plain(ask, "description")?;
    let verified_by = match ask.text("verified-by")? {
        Some(_) => plain(ask, "verified-by")?,
        None => "-".to_owned(),
    };
    let (delta, percent) = match best(current, researcher).filter(|_| number > 0) {
        None => ("-".to_owned(), "-".to_owned()),
        Some((best, text)) => against(metric, &value, best, &text),
    };
    let cells = [
        ("round", round.to_string()),
        ("researcher", researcher.to_string()),
        ("iteration", number.to_string()),
        ("metric_value", value),
        ("delta", delta),
        ("delta_pct", percent),
        ("status", status),
        ("description", description),
        ("evaluator_source", verified_by),
        ("timestamp", ClockStyle::UtcSeconds.write(ask.at)),
    ];
    Ok((researcher, cells))
}

/// A text for a cell: tables have no quoting.
fn plain(ask: &Ask<'_>, name: &str) -> Result<String> {
    let text = ask.need(name)?;
    if text.contains(['\t', '\n', '\r']) {
        return Err(refused(format!("--{name} must be one line without tabs.")));
    }
    Ok(text)
}

/// The first iteration of a round is 0, as the checks expect: that is how a round is recognized in a table. Each other one
/// follows the last.
fn next_number(current: &Current, researcher: char, number: u64) -> Result<()> {
    let round = current.state.round;
    // What a recovery removed no longer counts, as for the resume points.
    let run = current.state.work.run(round, researcher);
    let last = run.and_then(|run| run.keys().next_back());
    let number = i64::try_from(number).unwrap_or(i64::MAX);
    let fits = match last {
        None => number == 0,
        Some(last) => number == last.saturating_add(1),
    };
    if fits {
        return Ok(());
    }
    let error = refused(format!(
        "Iteration {number} of {researcher} cannot be recorded in round {round}."
    ));
    Err(match last {
        None => error.hint("Expected: iteration 0 (the baseline)."),
        Some(last) => error.hint(format!("Expected: iteration {}.", last.saturating_add(1))),
    })
}

/// The researcher's best kept or baseline value so far, with its text.
fn best(current: &Current, researcher: char) -> Option<(f64, String)> {
    let direction = current.raw.config.direction;
    let rows = current.raw.tables.get(&researcher)?.rows.iter();
    let good =
        rows.filter(|row| row.counts() && matches!(row.status.as_str(), "kept" | "baseline"));
    let values = good.filter_map(|row| Some((row.metric?, row.metric_text.clone())));
    direction.best_of(values)
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
    cells: &Cells,
) -> Result<Step> {
    let known = table.filter(|table| !table.empty);
    if known.is_some_and(|table| table.dialect.is_none()) {
        return Err(refused(format!("The header of {name} is unknown.")));
    }
    let old = known.map_or_else(
        || format!("{header}\n").into_bytes(),
        |table| table.bytes.clone(),
    );
    let columns = Table::parse(&old).header;
    let own: Vec<&str> = columns.iter().map(|column| cell(cells, column)).collect();
    let line = format!("{}\n", own.join("\t"));
    let mut rows = known.iter().flat_map(|table| &table.rows);
    let cut = rows.clone().find(|row| !row.whole);
    if let Some(cut) = cut
        && !is_begun(old.get(cut.start..).unwrap_or_default(), &columns, &own)
    {
        let error = refused(format!("The last row of {name} is truncated."));
        return Err(error.hint("Record the iteration of that row again, or complete the row."));
    }
    let researcher = cell(cells, "researcher");
    let is_own = |id: Option<char>| id.is_none_or(|id| researcher.starts_with(id));
    // The first row replaces the scaffold's row, and the complete row replaces a truncated one.
    let replaced = cut.or_else(|| rows.find(|row| row.placeholder() && is_own(row.researcher)));
    let (start, end) = replaced.map_or((old.len(), old.len()), |row| (row.start, row.end));
    let (before, after) = (old.get(..start), old.get(end..));
    // A header may lack its newline.
    let gap = before.filter(|before| !before.ends_with(b"\n"));
    let gap = gap.map(|_| b"\n".as_slice());
    let content = [before, gap, Some(line.as_bytes()), after].map(Option::unwrap_or_default);
    let before = table.map(|table| table.bytes.clone());
    Ok(replace(
        ask.site.dir.join(name),
        before,
        content.concat(),
        "The row.",
    ))
}

/// Whether a truncated row is this one: all of its complete cells match, including the key.
fn is_begun(cut: &[u8], columns: &[String], cells: &[&str]) -> bool {
    let cut = String::from_utf8_lossy(cut);
    let mut begun: Vec<&str> = cut.split('\t').collect();
    begun.pop();
    let mut key = columns
        .iter()
        .zip(cells)
        .enumerate()
        .filter(|(_, (column, _))| matches!(column.as_str(), "round" | "researcher" | "iteration"));
    key.all(|(at, (_, cell))| begun.get(at).is_some_and(|begun| begun.trim() == *cell))
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
