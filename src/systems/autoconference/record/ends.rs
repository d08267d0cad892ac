//! What an event says of the end of a round or of the conference must be in the tables and documents: a reader of the log
//! takes it for the result.

use std::path::Path;

use serde_json::{Map, Value};

use super::event::Current;
use crate::model::{Foreign, Result};
use crate::systems::autoconference::facts::work::{Iteration, Run};
use crate::systems::autoconference::shape::letters;
use crate::systems::autoconference::shape::log::letter;
use crate::systems::kit::forms::refused;
use crate::text::format::{count, plural};

/// Refuses a result that is not on record.
pub(super) fn check(event: &str, current: &Current, payload: &Map<String, Value>) -> Result<()> {
    match event {
        "round.completed" => {
            best(current, payload, "best_metric")?;
            best_researcher(current, payload)
        }
        "conference.converged" => {
            best(current, payload, "final_best_metric")?;
            number(
                payload,
                "round_count",
                &[current.state.done],
                "completed rounds",
            )
        }
        "conference.completed" => {
            document(current, payload, "synthesis_path", "synthesis.md")?;
            document(current, payload, "final_report_path", "final_report.md")?;
            let work = &current.state.work;
            let rounds = work.rounds().into_iter();
            let all = rounds.flat_map(|round| work.iterations(round));
            let baselines = all.filter(|one| one.is_baseline()).count() as u64;
            // Some count the baseline of a round as an iteration, others do not.
            let totals = [work.total(), work.total() - baselines];
            number(payload, "total_iterations", &totals, "iterations")
        }
        _ => Ok(()),
    }
}

/// What a person should know once a round is started.
pub(super) fn note(event: &str, current: &Current) -> Option<Foreign> {
    let last = current.state.round.checked_sub(1)?;
    let declared = event == "round.started" && current.raw.declares_end(last);
    declared
        .then(|| format!("The event of round {last} says that the conference converged.").into())
}

/// The best value is one that is on record. Which one is the best is the orchestrator's to say: it may have reverted an
/// iteration, and a review may have overturned one.
fn best(current: &Current, payload: &Map<String, Value>, key: &str) -> Result<()> {
    let Some(said) = payload.get(key).and_then(Value::as_f64) else {
        return Ok(());
    };
    let runs = current.state.work.runs.values();
    let mut results = runs.flat_map(results).peekable();
    if results.peek().is_none() || results.any(|own| own.total_cmp(&said).is_eq()) {
        return Ok(());
    }
    Err(refused(format!(
        "{key} is {said}, and no iteration on record has this value."
    )))
}

/// The results of a run.
fn results(run: &Run) -> impl Iterator<Item = f64> {
    run.values().filter_map(Iteration::result)
}

/// The best researcher is one of the conference, and has the best value.
fn best_researcher(current: &Current, payload: &Map<String, Value>) -> Result<()> {
    let key = "best_researcher";
    let Some(said) = payload.get(key).and_then(Value::as_str) else {
        return Ok(());
    };
    let ids: Vec<char> = current.state.ids.iter().copied().collect();
    let Some(id) = letter(said).filter(|id| ids.contains(id)) else {
        let known = letters(&ids);
        return Err(refused(format!("There is no researcher {said}."))
            .hint(format!("Researchers: {known}.")));
    };
    let Some(value) = payload.get("best_metric").and_then(Value::as_f64) else {
        return Ok(());
    };
    let work = &current.state.work;
    let mut runs = work
        .rounds()
        .into_iter()
        .filter_map(|round| work.run(round, id));
    let has = runs.any(|run| results(run).any(|own| own.total_cmp(&value).is_eq()));
    if has || work.total() == 0 {
        return Ok(());
    }
    Err(refused(format!(
        "{key} is {id}, and no iteration of researcher {id} has the value {value}."
    )))
}

/// A number is one of those that are on record.
fn number(payload: &Map<String, Value>, key: &str, known: &[u64], what: &str) -> Result<()> {
    let (Some(said), [real, ..]) = (payload.get(key).and_then(Value::as_u64), known) else {
        return Ok(());
    };
    if known.contains(&said) {
        return Ok(());
    }
    let what = what.trim_end_matches('s');
    let (all, are) = (count(*real, what), plural(*real, "is", "are"));
    Err(refused(format!(
        "{key} is {said}, and {all} {are} on record."
    )))
}

/// A path leads to the document of that name in the conference's directory.
fn document(current: &Current, payload: &Map<String, Value>, key: &str, name: &str) -> Result<()> {
    let Some(said) = payload.get(key).and_then(Value::as_str) else {
        return Ok(());
    };
    let path = Path::new(said.trim_start_matches("./"));
    let beneath = path
        .parent()
        .is_some_and(|dir| current.raw.dir.ends_with(dir));
    if path.file_name().is_some_and(|own| own == name) && beneath {
        return Ok(());
    }
    Err(
        refused(format!("{key} is {said}, and the document is {name}."))
            .hint(format!("{key}={name}")),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_that_is_not_on_record_is_refused_with_the_one_that_is() {
        let payload = serde_json::json!({"round_count": 7});
        let payload = payload.as_object().unwrap();
        for (known, said) in [
            (1, "1 completed round is on record."),
            (2, "2 completed rounds are on record."),
        ] {
            let refusal = number(payload, "round_count", &[known], "completed rounds");
            let text = refusal.unwrap_err().to_string();
            assert!(text.ends_with(said), "{text}");
        }
        assert!(number(payload, "round_count", &[7], "completed rounds").is_ok());
    }
}
