//! The tables of researchers that cannot be read although the log has their iterations, and how one that is missing is
//! rebuilt from it.

use crate::model::Step;
use crate::systems::kit::forms::replace;

use super::offers::offers_any;
use crate::systems::autoconference::Conference;
use crate::systems::autoconference::shape::{R8, table_name};
use crate::text::format::{count, count_of};

/// A researcher's table that cannot be read.
pub(crate) struct LostTable {
    /// The file.
    pub name: String,
    /// What is in its place, as a clause: `is missing`.
    pub problem: String,
    /// The iterations in the log.
    pub events: usize,
    /// What helps.
    pub remedy: String,
}

impl LostTable {
    /// The problem as a clause with its subject.
    pub(crate) fn clause(&self) -> String {
        let (name, problem) = (&self.name, &self.problem);
        let logged = match self.events {
            0 => String::new(),
            n => format!(
                "; {}",
                count_of(n, "iteration was logged", "iterations were logged")
            ),
        };
        format!("{name} {problem}{logged}")
    }
}

/// The table of a researcher if it cannot be read; a missing one counts only if the log has its iterations.
pub(crate) fn lost(case: &Conference, id: char) -> Option<LostTable> {
    let name = table_name(id);
    let events = case.raw.iterations(id).count();
    let (problem, remedy) = match case.raw.unread(&name) {
        Some(odd) => (odd.problem.clone(), odd.remedy.clone()),
        None if case.raw.tables.contains_key(&id) || events == 0 => return None,
        None => {
            let remedy = if !offers_any(case) {
                "Restore it from a copy if it is needed; the log has its iterations.".to_owned()
            } else if missing(case).contains(&id) {
                format!("Rebuild it from the log: resume at the point mend-{id}.")
            } else {
                "Restore it from a copy; the log has no numbers of its iterations.".to_owned()
            };
            ("is missing".to_owned(), remedy)
        }
    };
    Some(LostTable {
        name,
        problem,
        events,
        remedy,
    })
}

/// All of them.
pub(crate) fn all_lost(case: &Conference) -> impl Iterator<Item = LostTable> + '_ {
    case.state.ids.iter().filter_map(|id| lost(case, *id))
}

/// Researchers whose table can be rebuilt.
pub(crate) fn missing(case: &Conference) -> Vec<char> {
    let gone = |id: &&char| {
        !case.raw.tables.contains_key(id)
            && case.raw.unread(&table_name(**id)).is_none()
            && !rows(case, **id).is_empty()
    };
    case.state.ids.iter().filter(gone).copied().collect()
}

/// The rows, in order of the log.
fn rows(case: &Conference, id: char) -> Vec<String> {
    let own = case.raw.iterations(id);
    let numbered = own.filter(|e| e.int("iteration").is_some());
    numbered
        .map(|e| {
            let flat = |text: Option<&str>| text.unwrap_or("-").replace(['\t', '\n', '\r'], " ");
            let status = flat(e.status().as_deref());
            let time = flat(e.at_text.as_deref());
            [
                e.cell("iteration"),
                e.cell("metric_value"),
                e.cell("delta"),
                e.cell("delta_pct"),
                status,
                e.cell("description"),
                e.cell("evaluator_source"),
                time,
            ]
            .join("\t")
        })
        .collect()
}

/// The rebuilt file.
pub(crate) fn step(case: &Conference, id: char) -> Option<Step> {
    let rows = rows(case, id);
    if rows.is_empty() {
        return None;
    }
    let content = format!("{R8}\n{}\n", rows.join("\n"));
    let (name, rows) = (table_name(id), count(rows.len(), "row"));
    let summary = format!(
        "Rebuilds {name} with {rows} from the log; values that are not in the log are `-`."
    );
    Some(replace(
        case.raw.path(&name),
        None,
        content.into_bytes(),
        summary,
    ))
}
