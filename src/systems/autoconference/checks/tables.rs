//! Checks of the tables: A8 to A12 and A15. One check a researcher where the note speaks of each.

use crate::model::{Check, Subject};

use super::{fail, pass, skipped, some, warn};
use crate::systems::autoconference::Conference;
use crate::systems::autoconference::facts::work::reverted_ids;
use crate::systems::autoconference::shape::table::{self, Row, TableFile};
use crate::systems::autoconference::shape::{RESULTS, table_name};

/// A8 to A12.
pub(crate) fn files(case: &Conference) -> Vec<Check> {
    let mut checks = Vec::new();
    for id in &case.state.ids {
        let name = table_name(*id);
        let events = logged(case, *id);
        if let Some(found) = case.raw.tables.get(id) {
            let there = format!("{name} is there.");
            checks.push(pass(
                "A8",
                Subject::named("researcher", id.to_string()),
                there,
            ));
            checks.push(rows_and_events(case, *id, found, events));
            checks.push(shape(&name, found));
            checks.push(resets(&name, found));
        } else {
            checks.push(absent(*id, &name, events));
            for check in ["A9", "A10", "A11"] {
                checks.push(skipped(
                    check,
                    Subject::File(name.as_str().into()),
                    "The file is missing.",
                ));
            }
        }
    }
    if let Some(found) = &case.raw.results {
        checks.push(shape(RESULTS, found));
    }
    checks.push(agreement(case));
    checks
}

fn logged(case: &Conference, id: char) -> usize {
    let own = |e: &&crate::systems::autoconference::shape::log::Event| {
        e.name == "researcher.iteration" && e.researcher == Some(id)
    };
    case.raw.events().iter().filter(own).count()
}

fn absent(id: char, name: &str, events: usize) -> Check {
    if events == 0 {
        warn(
            "A8",
            Subject::named("researcher", id.to_string()),
            format!("{name} is missing; no iteration of {id} was logged either."),
            "The orchestrator makes it when the researcher begins.",
        )
    } else {
        warn(
            "A8",
            Subject::named("researcher", id.to_string()),
            format!("{name} is missing although {events} iterations were logged."),
            format!("Rebuild it from the log: resume at the point mend-{id}."),
        )
    }
}

/// A9: every event has its row, and beyond them only baselines have rows.
fn rows_and_events(case: &Conference, id: char, found: &TableFile, events: usize) -> Check {
    let subject = Subject::named("researcher", id.to_string());
    if case.raw.events().is_empty() {
        return skipped(
            "A9",
            subject,
            "The log has no events to compare the rows with.",
        );
    }
    let rows = found.rows.iter().filter(|r| r.whole && r.even).count();
    let baselines = found.rows.iter().filter(|r| r.status == "baseline").count();
    if rows > events + baselines {
        return warn(
            "A9",
            subject,
            format!(
                "Researcher {id} TSV has more rows than events logged: {rows} rows, {events} events, {baselines} baselines."
            ),
            "The rows may come from an earlier interrupted run; compare their times before going on.",
        );
    }
    if rows >= events {
        return pass(
            "A9",
            subject,
            format!("{rows} rows stand for {events} events and {baselines} baselines."),
        );
    }
    let recovery = case
        .raw
        .events()
        .iter()
        .rfind(|e| e.name == "conference.resumed" && reverted_ids(e).contains(&id));
    match recovery {
        Some(event) => pass(
            "A9",
            subject,
            format!(
                "{rows} rows stand for {events} events; the recovery logged in line {} cut the others.",
                event.line
            ),
        ),
        None => warn(
            "A9",
            subject,
            format!("The log is ahead of the table: {events} events, {rows} rows."),
            "Rows were lost or never written; the log is the record. Compare both before going on.",
        ),
    }
}

/// A10: known header, even rows, numbers.
fn shape(name: &str, found: &TableFile) -> Check {
    let Some(dialect) = found.dialect else {
        let what = if found.empty {
            "is empty"
        } else {
            "has a header that no version of the system writes"
        };
        return fail(
            "A10",
            Subject::File(name.into()),
            format!("{name} {what}."),
            "Repair its first line by hand; until then none of its rows is cut.",
        );
    };
    let bad: Vec<u64> = found
        .rows
        .iter()
        .filter(|r| !r.whole || !r.even || (r.metric.is_none() && !r.placeholder()))
        .map(|r| r.line)
        .collect();
    if !bad.is_empty() {
        return warn(
            "A10",
            Subject::File(name.into()),
            format!("Row {} is cut off, ragged or has no number.", some(&bad)),
            "Look at the rows; they are not counted as work.",
        );
    }
    let waiting = found.rows.iter().filter(|r| r.placeholder()).count();
    let more = if waiting > 0 {
        " The scaffold's TBD row is still there."
    } else {
        ""
    };
    pass(
        "A10",
        Subject::File(name.into()),
        format!(
            "Dialect {}, {} rows.{more}",
            dialect.word(),
            found.rows.len()
        ),
    )
}

/// A11: a round begins at iteration 0.
fn resets(name: &str, found: &TableFile) -> Check {
    let mut last: Option<(u64, bool)> = None;
    let mut wrong = Vec::new();
    for row in &found.rows {
        let (Some(round), Some(iteration)) = (row.round, row.iteration) else {
            continue;
        };
        if last.is_none_or(|(before, _)| before != round) && iteration != 0 {
            wrong.push(row.line);
        }
        last = Some((round, row.placeholder()));
    }
    if last.is_none() {
        skipped(
            "A11",
            Subject::File(name.into()),
            "The table has no rows of a round.",
        )
    } else if wrong.is_empty() {
        pass(
            "A11",
            Subject::File(name.into()),
            "Every round begins at iteration 0.",
        )
    } else {
        warn(
            "A11",
            Subject::File(name.into()),
            format!(
                "A round does not begin at iteration 0: row {}.",
                some(&wrong)
            ),
            "The baseline of that round is missing; the round is still told by its place.",
        )
    }
}

/// A12: the conference's table against the log.
fn agreement(case: &Conference) -> Check {
    let Some(found) = &case.raw.results else {
        return skipped("A12", RESULTS, format!("{RESULTS} is not there."));
    };
    let rows = table::by_key(found);
    let mut differ = Vec::new();
    let mut baselines = 0;
    let mut compared = 0;
    for event in case
        .raw
        .events()
        .iter()
        .filter(|e| e.name == "researcher.iteration")
    {
        let key = event
            .round
            .zip(event.researcher)
            .zip(event.int("iteration"));
        let Some(((round, id), index)) = key else {
            continue;
        };
        let Some(row) = rows.get(&(round, id, index)) else {
            continue;
        };
        compared += 1;
        let pair = event.metric().zip(row.metric);
        if let Some((a, b)) = pair.filter(|(a, b)| (a - b).abs() > 1e-9) {
            differ.push(format!(
                "{id}, round {round}, iteration {index}: {b} against {a}"
            ));
        }
        let status = event.status().unwrap_or_default();
        if index == 0
            && status != row.status
            && [status.as_str(), &row.status].contains(&"baseline")
        {
            baselines += 1;
        }
    }
    if !differ.is_empty() {
        return warn(
            "A12",
            RESULTS,
            format!("The table and the log differ: {}.", some(&differ)),
            "The log is the record; have the chair correct the table.",
        );
    }
    let more = if baselines > 0 {
        format!(" {baselines} baselines are called `kept` on one side, which is usual.")
    } else {
        String::new()
    };
    if compared == 0 {
        let why = "No row has an event to compare it with.";
        return skipped("A12", RESULTS, why);
    }
    pass(
        "A12",
        RESULTS,
        format!("{compared} rows agree with their events.{more}"),
    )
}

/// A15: rows of completed rounds have their verdict.
pub(crate) fn verdicts(case: &Conference) -> Check {
    let Some(found) = &case.raw.results else {
        return skipped("A15", "verdict column", format!("{RESULTS} is not there."));
    };
    let over = |r: &&Row| r.round.is_some_and(|n| n <= case.state.done);
    if !found.rows.iter().filter(over).any(|r| r.verdict.is_some()) {
        return skipped(
            "A15",
            "verdict column",
            "The table has no rows of a completed round.",
        );
    }
    let open: Vec<u64> = found
        .rows
        .iter()
        .filter(over)
        .filter(|r| {
            r.verdict
                .as_deref()
                .is_none_or(|v| v == "-" || v.is_empty())
        })
        .map(|r| r.line)
        .collect();
    if open.is_empty() {
        pass(
            "A15",
            "verdict column",
            "Every row of a completed round has its verdict.",
        )
    } else {
        warn(
            "A15",
            "verdict column",
            format!(
                "Rows of completed rounds have no verdict: row {}.",
                some(&open)
            ),
            "Have the chair fill them from the reviews.",
        )
    }
}
