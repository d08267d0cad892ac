//! Rebuilds a researcher's table from the log if the file is missing and iterations were logged.

use crate::model::Step;
use crate::systems::kit::forms::replace;

use crate::systems::autoconference::Conference;
use crate::systems::autoconference::shape::{R8, table_name};
use crate::text::format::count;

/// Researchers whose table can be rebuilt.
pub(crate) fn missing(case: &Conference) -> Vec<char> {
    let gone = |id: &&char| {
        !case.raw.tables.contains_key(id)
            && !case.raw.unread.iter().any(|u| u.name == table_name(**id))
            && !rows(case, **id).is_empty()
    };
    case.state.ids.iter().filter(gone).copied().collect()
}

/// The rows, in order of the log.
fn rows(case: &Conference, id: char) -> Vec<String> {
    let own = case.raw.events().iter().filter(|e| {
        e.name == "researcher.iteration" && e.researcher == Some(id) && e.int("iteration").is_some()
    });
    own.map(|e| {
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
