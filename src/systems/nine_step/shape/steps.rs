//! The steps of a phase, in order. 2.5 is a step like the others, so the next step is looked up and never computed:
//! `2 + 1` would skip the approval gate.

use std::fmt;

use serde_json::Value;

use crate::string_enum;

string_enum! {
    /// One step of a phase, in the order of the work, with its number as in ids and state files.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub(crate) enum StepNo {
        Plan = "1",
        PlanReview = "2",
        /// The user approves the plan, and the worktree is created.
        Approval = "2.5",
        Code = "3",
        CodeReview = "4",
        Docs = "5",
        DocsReview = "6",
        Test = "7",
        TestReview = "8",
        Commit = "9",
    }
}

use StepNo::{Approval, Code, CodeReview, Commit, Docs, DocsReview, Plan, Test, TestReview};

/// Agent, title, and the step that follows a failure; one row for each step, in order.
const TABLE: [(&str, &str, StepNo); 10] = [
    ("project-planner", "plan", Plan),
    ("plan-reviewer", "plan review", Plan),
    ("User + git-worktree-manager", "user approval", Plan),
    ("backend-developer", "code", Code),
    ("code-reviewer", "code review", Code),
    ("documentation-manager", "documentation", Docs),
    ("documentation-reviewer", "documentation review", Docs),
    ("feature-tester", "tests", Test),
    ("test-reviewer", "test review", Test),
    ("git-worktree-manager", "phase commit", Commit),
];

/// Agents that are not in the table.
const OTHER_AGENTS: [(&str, StepNo); 3] = [
    ("frontend-developer", Code),
    ("user", Approval),
    ("merge-conflict-resolver", Commit),
];

/// The number, as in sentences, ids and state files: `2.5`, else an integer.
impl fmt::Display for StepNo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

impl StepNo {
    fn row(self) -> (&'static str, &'static str, Self) {
        let row = TABLE.get(self as usize).copied();
        row.unwrap_or(("", "", self))
    }

    pub(crate) fn agent(self) -> &'static str {
        self.row().0
    }

    pub(crate) fn title(self) -> &'static str {
        self.row().1
    }

    /// `4 (code review)`.
    pub(crate) fn named(self) -> String {
        format!("{self} ({})", self.title())
    }

    /// The step that follows a failure of this one: a reviewer sends the work back, any other step is repeated.
    pub(crate) fn returns_to(self) -> Self {
        self.row().2
    }

    /// True for the steps that must never be skipped.
    pub(crate) fn is_gate(self) -> bool {
        self == Approval || self.is_phase_review()
    }

    /// True for the reviews of each phase.
    pub(crate) fn is_phase_review(self) -> bool {
        matches!(self, CodeReview | DocsReview | TestReview)
    }

    /// The next step; `None` after the commit.
    pub(crate) fn next(self) -> Option<Self> {
        Self::ALL.into_iter().find(|step| *step > self)
    }

    pub(crate) fn previous(self) -> Option<Self> {
        Self::ALL.into_iter().rev().find(|step| *step < self)
    }

    /// Parses `2.5`, `"2.5"`, `4` and `4.0`; the flag is true if it is not written as a plain number.
    pub(crate) fn read(value: &Value) -> Option<(Self, bool)> {
        let (text, coerced) = match value {
            Value::Number(n) => (n.to_string(), false),
            Value::String(s) => (s.trim().to_owned(), true),
            Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => return None,
        };
        let bare = text.strip_suffix(".0").unwrap_or(&text);
        Some((bare.parse().ok()?, coerced || bare.len() < text.len()))
    }

    /// The step of an agent. The worktree manager has two, the approval and the commit: the one nearer to the written
    /// step counts.
    pub(crate) fn of_agent(agent: &str, written: Option<Self>) -> Option<Self> {
        let name = agent.trim().to_lowercase();
        if name == Commit.agent() {
            let early = written.is_some_and(|step| step < Code);
            return Some(if early { Approval } else { Commit });
        }
        if name.contains(Commit.agent()) || name.starts_with("user") {
            return Some(Approval);
        }
        let mut steps = Self::ALL.into_iter();
        steps.find(|step| step.agent() == name).or_else(|| {
            let other = OTHER_AGENTS.iter().find(|(other, _)| *other == name);
            other.map(|(_, step)| *step)
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_order_is_a_list_with_the_gate_in_it() {
        let mut seen = vec![StepNo::Plan];
        while let Some(next) = seen.last().and_then(|step| step.next()) {
            seen.push(next);
        }
        let words: Vec<&str> = seen.iter().map(|step| step.word()).collect();
        assert_eq!(words, ["1", "2", "2.5", "3", "4", "5", "6", "7", "8", "9"]);
        assert_eq!(StepNo::Code.previous(), Some(StepNo::Approval));
        assert_eq!(StepNo::Plan.previous(), None);
    }

    #[test]
    fn reads_steps_in_every_notation() {
        let table = [
            (json!(2.5), Some((StepNo::Approval, false))),
            (json!("2.5"), Some((StepNo::Approval, true))),
            (json!(4), Some((StepNo::CodeReview, false))),
            (json!(4.0), Some((StepNo::CodeReview, true))),
            (json!("9"), Some((StepNo::Commit, true))),
            (json!(3.5), None),
            (json!(0), None),
            (json!(10), None),
            (json!("four"), None),
            (json!(null), None),
        ];
        for (value, step) in table {
            assert_eq!(StepNo::read(&value), step, "{value}");
        }
    }

    #[test]
    fn reviewers_return_to_the_reviewed_step_and_others_to_themselves() {
        let back: Vec<(&str, &str)> = StepNo::ALL
            .iter()
            .map(|s| (s.word(), s.returns_to().word()))
            .collect();
        assert_eq!(
            back,
            [
                ("1", "1"),
                ("2", "1"),
                ("2.5", "1"),
                ("3", "3"),
                ("4", "3"),
                ("5", "5"),
                ("6", "5"),
                ("7", "7"),
                ("8", "7"),
                ("9", "9")
            ]
        );
    }

    #[test]
    fn agents_name_their_step() {
        let table = [
            (
                "code-reviewer",
                Some(StepNo::Code),
                Some(StepNo::CodeReview),
            ),
            ("frontend-developer", None, Some(StepNo::Code)),
            (
                "git-worktree-manager",
                Some(StepNo::PlanReview),
                Some(StepNo::Approval),
            ),
            (
                "git-worktree-manager",
                Some(StepNo::Test),
                Some(StepNo::Commit),
            ),
            ("User + git-worktree-manager", None, Some(StepNo::Approval)),
            ("{{AGENT_CODE_REVIEWER}}", Some(StepNo::CodeReview), None),
        ];
        for (agent, written, step) in table {
            assert_eq!(StepNo::of_agent(agent, written), step, "{agent}");
        }
    }
}
