//! The steps of a phase as an ordered list (format note, section d). 2.5 is a step like the others, so the
//! next one is looked up and never computed.

use serde_json::Value;

/// One step of a phase. The order of the variants is the order of the work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum StepNo {
    /// 1: the plan is written.
    Plan,
    /// 2: the plan is reviewed.
    PlanReview,
    /// 2.5: the user approves; the worktree is made.
    Approval,
    /// 3: the code is written.
    Code,
    /// 4: the code is reviewed.
    CodeReview,
    /// 5: the documents are written.
    Docs,
    /// 6: the documents are reviewed.
    DocsReview,
    /// 7: the tests are run.
    Test,
    /// 8: the tests are reviewed.
    TestReview,
    /// 9: the phase is committed.
    Commit,
}

/// What is known about a step, in the order of the work.
struct Row {
    step: StepNo,
    word: &'static str,
    agent: &'static str,
    title: &'static str,
    /// Where the work goes back to when this step's verdict is bad.
    back: StepNo,
    gate: bool,
}

/// The step table of the format note, section d.2.
const TABLE: [Row; 10] = [
    row(
        StepNo::Plan,
        "1",
        "project-planner",
        "plan",
        StepNo::Plan,
        false,
    ),
    row(
        StepNo::PlanReview,
        "2",
        "plan-reviewer",
        "plan review",
        StepNo::Plan,
        false,
    ),
    row(
        StepNo::Approval,
        "2.5",
        "User + git-worktree-manager",
        "approval by the user",
        StepNo::Plan,
        true,
    ),
    row(
        StepNo::Code,
        "3",
        "backend-developer",
        "code",
        StepNo::Code,
        false,
    ),
    row(
        StepNo::CodeReview,
        "4",
        "code-reviewer",
        "code review",
        StepNo::Code,
        true,
    ),
    row(
        StepNo::Docs,
        "5",
        "documentation-manager",
        "documents",
        StepNo::Docs,
        false,
    ),
    row(
        StepNo::DocsReview,
        "6",
        "documentation-reviewer",
        "document review",
        StepNo::Docs,
        true,
    ),
    row(
        StepNo::Test,
        "7",
        "feature-tester",
        "tests",
        StepNo::Test,
        false,
    ),
    row(
        StepNo::TestReview,
        "8",
        "test-reviewer",
        "test review",
        StepNo::Test,
        true,
    ),
    row(
        StepNo::Commit,
        "9",
        "git-worktree-manager",
        "phase commit",
        StepNo::Commit,
        false,
    ),
];

const fn row(
    step: StepNo,
    word: &'static str,
    agent: &'static str,
    title: &'static str,
    back: StepNo,
    gate: bool,
) -> Row {
    Row {
        step,
        word,
        agent,
        title,
        back,
        gate,
    }
}

/// Agents that work at a step beside the one of the table.
const OTHER_AGENTS: [(&str, StepNo); 3] = [
    ("frontend-developer", StepNo::Code),
    ("user", StepNo::Approval),
    ("merge-conflict-resolver", StepNo::Commit),
];

impl StepNo {
    /// All steps, in order.
    pub(crate) const ORDER: [Self; 10] = [
        Self::Plan,
        Self::PlanReview,
        Self::Approval,
        Self::Code,
        Self::CodeReview,
        Self::Docs,
        Self::DocsReview,
        Self::Test,
        Self::TestReview,
        Self::Commit,
    ];

    fn row(self) -> Option<&'static Row> {
        TABLE.iter().find(|row| row.step == self)
    }

    /// The number as it is printed in ids and state files: `2.5`, else an integer.
    pub(crate) fn word(self) -> &'static str {
        self.row().map_or("", |row| row.word)
    }

    /// The agent that does it.
    pub(crate) fn agent(self) -> &'static str {
        self.row().map_or("", |row| row.agent)
    }

    /// What it is, in a few words.
    pub(crate) fn title(self) -> &'static str {
        self.row().map_or("", |row| row.title)
    }

    /// The step the work goes back to when this one fails: its own for a step without a reviewer's verdict
    /// (format note, section e.1).
    pub(crate) fn returns_to(self) -> Self {
        self.row().map_or(self, |row| row.back)
    }

    /// True for the steps that may never be skipped (format note, section d.2).
    pub(crate) fn is_gate(self) -> bool {
        self.row().is_some_and(|row| row.gate)
    }

    /// True for the reviews within a phase, which the gap check asks for (format note, section e.3).
    pub(crate) fn is_phase_review(self) -> bool {
        matches!(self, Self::CodeReview | Self::DocsReview | Self::TestReview)
    }

    /// The step after this one; none after the commit.
    pub(crate) fn next(self) -> Option<Self> {
        Self::ORDER.iter().copied().find(|step| *step > self)
    }

    /// The step before this one.
    pub(crate) fn previous(self) -> Option<Self> {
        Self::ORDER.iter().copied().rev().find(|step| *step < self)
    }

    /// Reads `2.5`, `"2.5"`, `4` and `4.0`; the flag says that it was not written as the number it is.
    pub(crate) fn read(value: &Value) -> Option<(Self, bool)> {
        let (text, coerced) = match value {
            Value::Number(n) => (n.to_string(), false),
            Value::String(s) => (s.trim().to_owned(), true),
            Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => return None,
        };
        let bare = text.strip_suffix(".0").unwrap_or(&text);
        let row = TABLE.iter().find(|row| row.word == bare)?;
        Some((row.step, coerced || bare.len() < text.len()))
    }

    /// The step an agent works at. The worktree manager has two: the approval before the code, else the
    /// commit, whichever the written step is nearer to.
    pub(crate) fn of_agent(agent: &str, written: Option<Self>) -> Option<Self> {
        let name = agent.trim().to_lowercase();
        if name == Self::Commit.agent() {
            let early = written.is_some_and(|step| step < Self::Code);
            return Some(if early { Self::Approval } else { Self::Commit });
        }
        if name.contains(Self::Commit.agent()) || name.starts_with("user") {
            return Some(Self::Approval);
        }
        let known = TABLE
            .iter()
            .find(|row| row.agent == name)
            .map(|row| row.step);
        known.or_else(|| {
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
    fn reads_steps_however_they_were_written() {
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
    fn reviewers_return_to_what_they_reviewed_and_others_to_themselves() {
        let back: Vec<(&str, &str)> = StepNo::ORDER
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
