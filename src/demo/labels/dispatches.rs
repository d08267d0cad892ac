//! What was dispatched in the finished run, in order.

/// One dispatch that came back.
pub(super) struct Dispatch {
    pub(super) seq: u32,
    pub(super) template: &'static str,
    pub(super) role: &'static str,
    pub(super) phase: &'static str,
    pub(super) task: Option<u32>,
    /// Seconds after the run's beginning.
    pub(super) after: i64,
    /// How long it took.
    pub(super) seconds: u32,
    pub(super) summary: &'static str,
    /// What the orchestrator put into the template, a line each.
    pub(super) context: &'static [&'static str],
}

const DESIGN: &str = "- Design: docs/plans/two-line-labels-design.md";
const PLAN: &str = "- Plan: docs/plans/two-line-labels-implementation-plan.md";
const WORDS: &str =
    "- Decided: a label has two lines, and a word is split only if it is longer than a line.";

#[rustfmt::skip]
pub(super) const DISPATCHES: &[Dispatch] = &[
    Dispatch { seq: 1, template: "design-researcher", role: "researcher", phase: "1", task: None, after: 120, seconds: 400,
        summary: "Recommended: two lines, broken between words",
        context: &["- Wish: long product names must not be cut off on the label.", DESIGN] },
    Dispatch { seq: 2, template: "quality-gate", role: "quality-gate", phase: "1", task: None, after: 1_000, seconds: 300,
        summary: "FAIL: 2 points open", context: &[DESIGN, "- Round 1 of the design gate."] },
    Dispatch { seq: 3, template: "quality-gate", role: "quality-gate", phase: "1", task: None, after: 1_500, seconds: 240,
        summary: "PASS: 0 points open",
        context: &[DESIGN, "- Round 2 of the design gate.", "- Round 1 found no rule for a word that is longer than a line."] },
    Dispatch { seq: 4, template: "plan-writer", role: "plan-writer", phase: "2", task: None, after: 1_900, seconds: 500,
        summary: "Plan: 3 tasks in 2 waves", context: &[DESIGN, WORDS] },
    Dispatch { seq: 5, template: "red-team", role: "red-team", phase: "2", task: None, after: 2_600, seconds: 420,
        summary: "FAIL: 5 findings are open, 1 of them blocking", context: &[PLAN, WORDS, "- Round 1 of the plan gate."] },
    Dispatch { seq: 6, template: "red-team", role: "red-team", phase: "2", task: None, after: 3_150, seconds: 330,
        summary: "FAIL: 2 findings are open, none of them blocking",
        context: &[PLAN, WORDS, "- Round 2 of the plan gate.", "- The blocking finding of round 1 was fixed: an empty name prints an empty label."] },
    Dispatch { seq: 7, template: "build-implementer", role: "implementer", phase: "3", task: Some(1), after: 3_720, seconds: 700,
        summary: "Task 1: breaks between words, 6 tests", context: &[PLAN, "- Task 1: break a name between words."] },
    Dispatch { seq: 8, template: "build-implementer", role: "implementer", phase: "3", task: Some(2), after: 3_730, seconds: 540,
        summary: "Task 2: the second line is printed, 3 tests", context: &[PLAN, "- Task 2: print the second line."] },
    Dispatch { seq: 9, template: "code-reviewer", role: "reviewer", phase: "3", task: Some(1), after: 4_500, seconds: 200,
        summary: "PASS: one remark that can wait", context: &[PLAN, "- Task 1, the newest commits of src/wrap.rs."] },
    Dispatch { seq: 10, template: "build-implementer", role: "implementer", phase: "3", task: Some(3), after: 4_820, seconds: 610,
        summary: "Task 3: a word longer than a line is cut, 4 tests",
        context: &[PLAN, "- Task 3: cut a word that is longer than a line."] },
    Dispatch { seq: 11, template: "red-team", role: "red-team", phase: "3", task: Some(3), after: 5_500, seconds: 380,
        summary: "FAIL: 3 findings are open, none of them blocking",
        context: &[PLAN, WORDS, "- Task 3, the newest commits of src/wrap.rs."] },
    Dispatch { seq: 12, template: "code-reviewer", role: "reviewer", phase: "4", task: None, after: 6_120, seconds: 420,
        summary: "PASS: the change does what the plan says", context: &[PLAN, "- The whole change since the run began."] },
    Dispatch { seq: 13, template: "inquisitor", role: "inquisitor", phase: "4", task: None, after: 6_620, seconds: 260,
        summary: "PASS: no defect between the tasks", context: &[PLAN, "- The whole change since the run began."] },
    Dispatch { seq: 14, template: "quality-gate", role: "quality-gate", phase: "4", task: None, after: 6_920, seconds: 180,
        summary: "PASS: 0 points open", context: &[PLAN, "- Round 1 of the code gate."] },
    Dispatch { seq: 15, template: "acceptance-tests", role: "test-runner", phase: "4", task: None, after: 7_120, seconds: 140,
        summary: "PASS: 9 of 9 acceptance tests passed", context: &[PLAN, "- The acceptance tests are in tests/two_lines.rs."] },
];
