//! The documents of one folder: which plans have their summary, and what they show beyond a record.

use chrono::{DateTime, Utc};

use crate::systems::mgw::facts::Where;
use crate::systems::mgw::shape::{PLAN, SUMMARY, Step};

/// A document that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Doc {
    /// The path in the form that a state file uses.
    pub(crate) path: String,
    /// The step that it is the result of.
    pub(crate) step: Step,
    pub(crate) at: Where,
    /// When it was written, if known.
    pub(crate) written: Option<DateTime<Utc>>,
}

/// The documents of one folder, paired by name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Docs(Vec<Doc>);

/// The step whose document a file is, by its name.
pub(crate) fn step(path: &str) -> Option<Step> {
    let makes = |step: &Step| step.document().is_some_and(|(end, _)| path.ends_with(end));
    Step::ALL.into_iter().find(makes)
}

impl Docs {
    pub(crate) fn add(&mut self, path: String, at: Where, written: Option<DateTime<Utc>>) {
        if let Some(step) = step(&path)
            && self.0.iter().all(|doc| doc.path != path)
        {
            self.0.push(Doc {
                path,
                step,
                at,
                written,
            });
        }
    }

    /// The documents of all steps.
    pub(crate) fn all(&self) -> impl Iterator<Item = &Doc> {
        self.0.iter()
    }

    /// The documents of a step.
    pub(crate) fn of(&self, step: Step) -> impl DoubleEndedIterator<Item = &Doc> {
        self.0.iter().filter(move |doc| doc.step == step)
    }

    /// The last document of a step.
    pub(crate) fn last(&self, step: Step) -> Option<&Doc> {
        self.of(step).next_back()
    }

    /// Whether one of these plans has no summary, so that it must still be executed.
    fn without(&self, summaries: &[&Doc]) -> bool {
        let done = summaries
            .iter()
            .filter_map(|doc| doc.path.strip_suffix(SUMMARY));
        let done: Vec<&str> = done.collect();
        let mut stems = self.of(Step::Plan).map(|doc| doc.path.strip_suffix(PLAN));
        stems.any(|stem| stem.is_none_or(|stem| !done.contains(&stem)))
    }

    /// The last step that these documents show as done. Documents older than the record (`since`) show nothing beyond
    /// the record, which is at `recorded`.
    pub(crate) fn finished(
        &self,
        since: Option<DateTime<Utc>>,
        recorded: Option<Step>,
    ) -> Option<Step> {
        let counted = |doc: &Doc| counts(doc.written, since);
        let all: Vec<&Doc> = self.of(Step::Execute).collect();
        let new: Vec<&Doc> = all.iter().copied().filter(|doc| counted(doc)).collect();
        let any = |step| self.of(step).any(counted);
        let executed = !new.is_empty() && !self.without(&new);
        let known = recorded >= Some(Step::Execute) || all.is_empty();
        let verified = any(Step::Verify) && (executed || known) && !self.without(&all);
        if verified {
            Some(Step::Verify)
        } else if executed {
            Some(Step::Execute)
        } else if any(Step::Plan) || !new.is_empty() {
            Some(Step::Plan)
        } else {
            None
        }
    }
}

/// Whether evidence of this time can outweigh a record of that time. Equal and unknown times count. Commits have whole
/// seconds.
pub(crate) fn counts(written: Option<DateTime<Utc>>, since: Option<DateTime<Utc>>) -> bool {
    let both = written.zip(since);
    both.is_none_or(|(written, since)| written.timestamp() >= since.timestamp())
}
