//! The evidence as text.

use super::{Doc, Evidence};
use crate::systems::mgw::facts::evidence::docs::counts;
use crate::systems::mgw::shape::Step;
use crate::text::format::count;

impl Evidence {
    /// The evidence that counts, as text.
    pub(crate) fn summary(&self) -> String {
        let new = self.words(true, None, self.new_commits());
        let older = self.words(false, None, self.old_commits());
        let documents = match (new.is_empty(), older.is_empty()) {
            (false, _) => new.join(", "),
            (true, true) if self.git_unread => "documents unknown".to_owned(),
            (true, true) => "no documents".to_owned(),
            (true, false) if self.git_unread => "no document newer than the state file".to_owned(),
            (true, false) => return "nothing newer than the state file".to_owned(),
        };
        let unread = self.git_unread || self.commits.is_none();
        let commits = match (unread, new.is_empty()) {
            (true, _) => ", commits unknown",
            (false, true) => ", no commits",
            (false, false) => "",
        };
        format!("{documents}{commits}")
    }

    /// The evidence of steps after `recorded` that counts, or that is older than the record; with this many commits.
    pub(super) fn words(&self, new: bool, recorded: Option<Step>, commits: u64) -> Vec<String> {
        let mut parts = Vec::new();
        let after = |step: Step| recorded < Some(step);
        let pushed = self.pushed && (new || commits > 0);
        if pushed && after(Step::Execute) && new == self.is_pushed() {
            parts.push("the branch is pushed".to_owned());
        }
        for (name, step) in [
            ("VERIFICATION", Step::Verify),
            ("SUMMARY", Step::Execute),
            ("PLAN", Step::Plan),
        ] {
            let fits = |doc: &&Doc| after(step) && counts(doc.written, self.since) == new;
            let docs: Vec<&Doc> = self.docs.of(step).filter(fits).collect();
            if let Some(first) = docs.first() {
                let number = docs.len();
                let more = if number > 1 {
                    format!("{number} ")
                } else {
                    String::new()
                };
                parts.push(format!("{more}{name} {}", first.at.word()));
            }
        }
        let is_part = new && commits < self.all_commits();
        let what = if is_part { "new commit" } else { "commit" };
        let place = if new {
            "ahead of the main branch"
        } else {
            "on the branch"
        };
        parts.extend((commits > 0).then(|| format!("{} {place}", count(commits, what))));
        parts
    }
}
