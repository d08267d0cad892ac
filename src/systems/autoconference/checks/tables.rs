//! Checks of the tables: A8 to A12 and A15.

use crate::model::Subject;
use crate::systems::autoconference::Conference;
use crate::systems::autoconference::facts::resumed::REBUILT;
use crate::systems::autoconference::facts::work::void_line;
use crate::systems::autoconference::points::mend;
use crate::systems::autoconference::shape::table::{self, Row, TableFile};
use crate::systems::autoconference::shape::{EVENTS, RESULTS, table_name};
use crate::systems::kit::checks::{Made, Outcome, fail, pass, skipped, warn};
use crate::text::format::{count, count_of};

use super::some;

fn researcher(id: char) -> Subject {
    Subject::named("researcher", id.to_string())
}

fn file(name: &str) -> Subject {
    Subject::File(name.into())
}

/// An outcome for the table of each researcher; skipped if the file is missing.
fn each(case: &Conference, check: impl Fn(char, &TableFile) -> Outcome) -> Vec<Outcome> {
    let of = |id: &char| {
        let name = table_name(*id);
        if let Some(table) = case.raw.tables.get(id) {
            return check(*id, table);
        }
        let problem = case.raw.lack(&name, "is missing");
        skipped(format!("The file {problem}.")).about(file(&name))
    };
    case.state.ids.iter().map(of).collect()
}

pub(crate) fn exist(case: &Conference) -> Vec<Outcome> {
    let of = |id: &char| {
        let name = table_name(*id);
        let outcome = if let Some((file, logged)) = mend::lost(case, *id) {
            warn(format!("{name} {}{logged}.", file.problem), file.remedy)
        } else if case.raw.tables.contains_key(id) {
            pass(format!("{name} exists."))
        } else {
            let logged = match case.raw.unread(EVENTS) {
                Some(_) => String::new(),
                None => format!("; no iteration of {id} was logged either"),
            };
            warn(
                format!("{name} is missing{logged}."),
                "The orchestrator creates it when the researcher starts.",
            )
        };
        outcome.about(researcher(*id))
    };
    case.state.ids.iter().map(of).collect()
}

pub(crate) fn rows_and_events(case: &Conference) -> Vec<Outcome> {
    each(case, |id, table| {
        numbers(case, id, table).about(researcher(id))
    })
}

/// As many rows as events, and the baselines.
fn numbers(case: &Conference, id: char, table: &TableFile) -> Outcome {
    if case.raw.events().is_empty() {
        return skipped("The log has no events to compare the rows with.");
    }
    let events = case.raw.iterations(id).count();
    let rows = table.rows.iter().filter(|r| r.whole && r.even).count();
    let baselines = table.rows.iter().filter(|r| r.status == "baseline").count();
    let (more, enough) = (rows > events + baselines, rows >= events);
    let (rows, events) = (count(rows, "row"), count(events, "event"));
    let baselines = count(baselines, "baseline");
    if more {
        return warn(
            format!(
                "Researcher {id} TSV has more rows than events logged: {rows}, {events}, {baselines}."
            ),
            "The rows may come from an earlier interrupted run; compare their times before you resume.",
        );
    }
    if enough {
        return pass(format!("{rows} match {events} and {baselines}."));
    }
    let mut recoveries = case.state.resumed.iter();
    match recoveries.rfind(|one| one.reverted.contains(&id)) {
        Some(one) => pass(format!(
            "{rows} for {events}; the recovery logged in line {} removed the others.",
            one.line
        )),
        None => warn(
            format!("The log has more iterations than the table: {events}, {rows}."),
            "Rows were lost or never written; the log is the record. Compare both before you resume.",
        ),
    }
}

pub(crate) fn shapes(case: &Conference) -> Vec<Outcome> {
    let of = |name: &str, table: &TableFile| shape(name, table).about(file(name));
    let mut all = each(case, |id, table| of(&table_name(id), table));
    all.extend(case.raw.results.iter().map(|table| of(RESULTS, table)));
    all
}

/// A known header, rows of its width, and numbers.
fn shape(name: &str, found: &TableFile) -> Outcome {
    let Some(dialect) = found.dialect else {
        let what = if found.empty {
            "is empty"
        } else {
            "has a header that no version of the system writes"
        };
        return fail(
            format!("{name} {what}."),
            "Repair its first line by hand; until then none of its rows is removed.",
        );
    };
    let bad = |r: &&Row| !r.whole || !r.even || (r.metric.is_none() && !r.placeholder());
    let bad: Vec<u64> = found.rows.iter().filter(bad).map(|r| r.line).collect();
    if !bad.is_empty() {
        let rows = some(&bad);
        return warn(
            format!("Row {rows} is truncated, has the wrong number of cells or has no number."),
            "Look at the rows; they are not counted as work.",
        );
    }
    let more = if found.rows.iter().any(Row::placeholder) {
        " The scaffold's TBD row still exists."
    } else {
        ""
    };
    let (word, rows) = (dialect.word(), count(found.rows.len(), "row"));
    pass(format!("{rows} with {word}.{more}"))
}

pub(crate) fn resets(case: &Conference) -> Vec<Outcome> {
    each(case, |id, table| reset(table).about(file(&table_name(id))))
}

fn reset(table: &TableFile) -> Outcome {
    let mut last = None;
    let mut wrong = Vec::new();
    for row in &table.rows {
        let (Some(round), Some(iteration)) = (row.round, row.iteration) else {
            continue;
        };
        if last != Some(round) && iteration != 0 {
            wrong.push(row.line);
        }
        last = Some(round);
    }
    if last.is_none() {
        return skipped("The table has no rows of a round.");
    }
    let remedy =
        "The baseline of that round is missing; the round is still recognized by its position.";
    let what = "A round does not start at iteration 0: row ";
    let fits = || pass("Every round starts at iteration 0.");
    super::wrong(what, &wrong, remedy).unwrap_or_else(fits)
}

fn results(case: &Conference) -> Result<&TableFile, Outcome> {
    let found = case.raw.results.as_ref();
    let absent = format!("There is no {RESULTS}.");
    found.ok_or_else(|| skipped(case.raw.without(RESULTS, &absent)))
}

pub(crate) fn agreement(case: &Conference) -> Made {
    let rows = table::by_key(results(case)?);
    let mut differ = Vec::new();
    let (mut baselines, mut compared) = (0, 0);
    for event in case.raw.named("researcher.iteration") {
        let key = || Some((event.round?, event.researcher?, event.iteration?));
        let Some((round, id, index)) = key() else {
            continue;
        };
        // A recovery removed its row; another one with its number is of the work that was done again.
        if event.line < void_line(&case.raw, &case.state.resumed, round, id) {
            continue;
        }
        let Some(row) = rows.get(&(round, id, index)) else {
            continue;
        };
        compared += 1;
        let pair = event.metric.zip(row.metric);
        if let Some((logged, stated)) = pair.filter(|(a, b)| (a - b).abs() > 1e-9) {
            differ.push(format!(
                "{id}, round {round}, iteration {index}: {stated} instead of {logged}"
            ));
        }
        let status = event.status.as_deref().unwrap_or_default();
        let baseline = status == "baseline" || row.status == "baseline";
        baselines += usize::from(index == 0 && status != row.status && baseline);
    }
    let remedy = "The log is the record; let the chair correct the table.";
    if let Some(warning) = super::wrong("The table and the log differ: ", &differ, remedy) {
        return Ok(warning);
    }
    if compared == 0 {
        return Err(skipped("No row has an event to compare it with."));
    }
    let agree = count_of(
        compared,
        "row agrees with its event",
        "rows agree with their events",
    );
    let called = count_of(baselines, "baseline is called", "baselines are called");
    Ok(pass(match baselines {
        0 => format!("{agree}."),
        _ => format!("{agree}. {called} `kept` on one side, which is usual."),
    }))
}

pub(crate) fn verdicts(case: &Conference) -> Made {
    let found = results(case)?;
    let over = |r: &&Row| r.round.is_some_and(|n| n <= case.state.done);
    let rows = found.rows.iter().filter(over);
    if rows.clone().all(|r| r.verdict.is_none()) {
        return Err(skipped("The table has no rows of a completed round."));
    }
    let open = rows.filter(|r| !r.is_reviewed()).map(|r| r.line);
    let open: Vec<u64> = open.collect();
    if open.is_empty() {
        return Ok(pass("Every row of a completed round has its verdict."));
    }
    if case.raw.has(REBUILT) {
        let text =
            "relight rebuilt the table, and no record shows which verdict belongs to which row.";
        return Ok(pass(text));
    }
    Ok(warn(
        format!(
            "Rows of completed rounds have no verdict: row {}.",
            some(&open)
        ),
        "Let the chair fill them from the reviews.",
    ))
}
