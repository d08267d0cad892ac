//! The documents of one folder: which plans have their summary, and what they show beyond a record.

use chrono::{DateTime, Utc};

use crate::systems::mgw::facts::Where;
use crate::systems::mgw::shape::Step;

/// A document that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Doc {
    /// The path in the form that a state file uses.
    pub(crate) path: String,
    pub(crate) at: Where,
    /// When it was written, if known.
    pub(crate) written: Option<DateTime<Utc>>,
}

/// The documents of one folder, paired by name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Docs {
    pub(crate) plans: Vec<Doc>,
    pub(crate) summaries: Vec<Doc>,
    pub(crate) verifications: Vec<Doc>,
}

pub(crate) const PLAN: &str = "PLAN.md";
pub(crate) const SUMMARY: &str = "SUMMARY.md";
pub(crate) const VERIFICATION: &str = "VERIFICATION.md";

impl Docs {
    pub(crate) fn add(&mut self, path: String, at: Where, written: Option<DateTime<Utc>>) {
        let list = if path.ends_with(PLAN) {
            &mut self.plans
        } else if path.ends_with(SUMMARY) {
            &mut self.summaries
        } else if path.ends_with(VERIFICATION) {
            &mut self.verifications
        } else {
            return;
        };
        if !list.iter().any(|doc| doc.path == path) {
            list.push(Doc { path, at, written });
        }
    }

    /// Whether one of these plans has no summary, so that it must still be executed.
    fn without(&self, summaries: &[&Doc]) -> bool {
        let done = summaries.iter();
        let done: Vec<&str> = done
            .filter_map(|doc| doc.path.strip_suffix(SUMMARY))
            .collect();
        let mut stems = self.plans.iter().map(|doc| doc.path.strip_suffix(PLAN));
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
        let all: Vec<&Doc> = self.summaries.iter().collect();
        let new: Vec<&Doc> = all.iter().copied().filter(|doc| counted(doc)).collect();
        let any = |docs: &[Doc]| docs.iter().any(counted);
        let executed = !new.is_empty() && !self.without(&new);
        let known = recorded >= Some(Step::Execute) || all.is_empty();
        let verified = any(&self.verifications) && (executed || known) && !self.without(&all);
        if verified {
            Some(Step::Verify)
        } else if executed {
            Some(Step::Execute)
        } else if any(&self.plans) || !new.is_empty() {
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
