//! What the events of an end say must be in the tables and documents: a reader of the log takes it for the result.

use std::collections::HashSet;
use std::path::Path;

use serde_json::Value;

use super::State;
use super::work::Iteration;
use crate::systems::autoconference::shape::log::{Body, letter};
use crate::systems::autoconference::shape::{Raw, letters};
use crate::text::format::{count, plural};

/// A claim that no record confirms, as a clause without a period, and what to write instead, if that is known.
pub(crate) type Refuted = (String, Option<String>);

/// What the claims of events are compared with.
pub(crate) struct Records<'a> {
    raw: &'a Raw,
    state: &'a State,
    /// The results of each researcher, by their bits.
    results: HashSet<(char, u64)>,
}

impl<'a> Records<'a> {
    pub(crate) fn of(raw: &'a Raw, state: &'a State) -> Self {
        let runs = state.work.runs.iter();
        let results = runs.flat_map(|((_, id), run)| {
            let values = run.values().filter_map(Iteration::result);
            values.map(|value| (*id, value.to_bits()))
        });
        Self {
            raw,
            state,
            results: results.collect(),
        }
    }

    /// The first claim of an event that is not on record.
    pub(crate) fn refute(&self, event: &str, said: &Body) -> Option<Refuted> {
        match event {
            "round.completed" => self
                .best(said, "best_metric")
                .or_else(|| self.best_researcher(said)),
            "conference.converged" => self.best(said, "final_best_metric").or_else(|| {
                let done = [self.state.done];
                number(said, "round_count", &done, "completed round")
            }),
            "conference.completed" => self
                .document(said, "synthesis_path", "synthesis.md")
                .or_else(|| self.document(said, "final_report_path", "final_report.md"))
                .or_else(|| number(said, "total_iterations", &self.totals(), "iteration")),
            _ => None,
        }
    }

    /// The best value is one that is on record. Which one is the best is the orchestrator's to say: it may have reverted
    /// an iteration, and a review may have overturned one.
    fn best(&self, said: &Body, key: &str) -> Option<Refuted> {
        let value = said.field(key)?.as_f64()?;
        let mut ids = self.state.ids.iter();
        let known = self.results.is_empty() || ids.any(|id| self.has(*id, value));
        let text = || format!("{key} is {value}, and no iteration on record has this value");
        (!known).then(|| (text(), None))
    }

    fn has(&self, id: char, value: f64) -> bool {
        self.results.contains(&(id, value.to_bits()))
    }

    /// The best researcher is one of the conference, and has the best value.
    fn best_researcher(&self, said: &Body) -> Option<Refuted> {
        let key = "best_researcher";
        let name = said.text(key)?;
        let Some(id) = letter(name).filter(|id| self.state.ids.contains(id)) else {
            let ids: Vec<char> = self.state.ids.iter().copied().collect();
            let known = format!("Researchers: {}.", letters(&ids));
            return Some((format!("There is no researcher {name}"), Some(known)));
        };
        let value = said.field("best_metric")?.as_f64()?;
        let known = self.has(id, value) || self.state.work.total() == 0;
        let text =
            || format!("{key} is {id}, and no iteration of researcher {id} has the value {value}");
        (!known).then(|| (text(), None))
    }

    /// How many iterations there are: some count the baseline of a round as one, others do not.
    fn totals(&self) -> [u64; 2] {
        let runs = self.state.work.runs.values();
        let baselines = runs.flat_map(|run| run.values().filter(|one| one.is_baseline()));
        let total = self.state.work.total();
        [total, total - baselines.count() as u64]
    }

    /// A path leads to the document of that name in the conference's directory.
    fn document(&self, said: &Body, key: &str, name: &str) -> Option<Refuted> {
        let text = said.text(key)?;
        let path = Path::new(text.trim_start_matches("./"));
        let beneath = path.parent().is_some_and(|dir| self.raw.dir.ends_with(dir));
        let known = path.file_name().is_some_and(|own| own == name) && beneath;
        let clause = || format!("{key} is {text}, and the document is {name}");
        (!known).then(|| (clause(), Some(format!("{key}={name}"))))
    }
}

/// A number is one of those that are on record.
fn number(said: &Body, key: &str, known: &[u64], what: &str) -> Option<Refuted> {
    let value = said.field(key).and_then(Value::as_u64)?;
    let real = *known.first().filter(|_| !known.contains(&value))?;
    let (all, are) = (count(real, what), plural(real, "is", "are"));
    Some((format!("{key} is {value}, and {all} {are} on record"), None))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_that_is_not_on_record_is_refused_with_the_one_that_is() {
        let payload = serde_json::json!({"round_count": 7});
        let said = Body(payload.as_object().unwrap().clone());
        for (known, text) in [
            (1, "1 completed round is on record"),
            (2, "2 completed rounds are on record"),
        ] {
            let refuted = number(&said, "round_count", &[known], "completed round");
            let (clause, _) = refuted.unwrap();
            assert!(clause.ends_with(text), "{clause}");
        }
        assert_eq!(number(&said, "round_count", &[7], "completed round"), None);
    }
}
