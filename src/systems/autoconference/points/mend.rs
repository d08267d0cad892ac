//! The tables of researchers that cannot be read although the log has their iterations, and how one that is missing is
//! rebuilt from it.

use crate::model::Step;
use crate::systems::kit::forms::replace;

use crate::systems::autoconference::Conference;
use crate::systems::autoconference::shape::log::cell;
use crate::systems::autoconference::shape::{BadFile, Event, R8, table_name};
use crate::text::format::{count, count_of};

/// The table of a researcher if it cannot be read, with how many of its iterations were logged, as a clause. A missing
/// one counts only if the log has its iterations.
pub(crate) fn lost(case: &Conference, id: char) -> Option<(BadFile, String)> {
    let name = table_name(id);
    let events = case.raw.iterations(id).count();
    let logged = count_of(events, "iteration was logged", "iterations were logged");
    let logged = match events {
        0 => String::new(),
        _ => format!("; {logged}"),
    };
    if let Some(odd) = case.raw.unread(&name) {
        return Some((odd.clone(), logged));
    }
    if case.raw.tables.contains_key(&id) || events == 0 {
        return None;
    }
    let remedy = if !case.state.decision.has_points() {
        "Restore it from a copy if it is needed; the log has its iterations.".to_owned()
    } else if missing(case).contains(&id) {
        format!("Rebuild it from the log: resume at the point mend-{id}.")
    } else {
        "Restore it from a copy; the log has no numbers of its iterations.".to_owned()
    };
    let file = BadFile {
        name,
        problem: "is missing".to_owned(),
        remedy,
    };
    Some((file, logged))
}

/// All of them.
pub(crate) fn all_lost(case: &Conference) -> impl Iterator<Item = (BadFile, String)> {
    case.state.ids.iter().filter_map(|id| lost(case, *id))
}

/// Researchers whose table can be rebuilt.
pub(crate) fn missing(case: &Conference) -> Vec<char> {
    let gone = |id: &&char| {
        !case.raw.tables.contains_key(id)
            && case.raw.unread(&table_name(**id)).is_none()
            && numbered(case, **id).next().is_some()
    };
    case.state.ids.iter().filter(gone).copied().collect()
}

/// The iterations that become rows, in order of the log.
fn numbered(case: &Conference, id: char) -> impl Iterator<Item = &Event> {
    let own = case.raw.iterations(id);
    own.filter(|event| event.iteration.is_some())
}

fn row(event: &Event) -> String {
    let body = event.body();
    let cells = R8.split('\t').map(|column| match column {
        "status" => cell(event.status.as_deref().unwrap_or_default()),
        "timestamp" => cell(&body.at_text().unwrap_or_default()),
        column => body.cell(column),
    });
    cells.collect::<Vec<_>>().join("\t")
}

/// The rebuilt file.
pub(crate) fn step(case: &Conference, id: char) -> Option<Step> {
    let rows: Vec<String> = numbered(case, id).map(row).collect();
    if rows.is_empty() {
        return None;
    }
    let content = format!("{R8}\n{}\n", rows.join("\n"));
    let (name, rows) = (table_name(id), count(rows.len(), "row"));
    let summary = format!(
        "Rebuilds {name} with {rows} from the log; values that are not in the log are `-`."
    );
    let (path, content) = (case.raw.path(&name), content.into_bytes());
    Some(replace(path, None, content, summary))
}
