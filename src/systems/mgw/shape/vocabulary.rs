//! The words of the state files: steps, stages, actions and routes (format note, sections b.2, d and e).
//!
//! Every list is a table; what is not in a table is unknown, and unknown never means done.

/// A step of the pipeline, in the order that the checkpoint counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Step {
    Triage,
    Plan,
    Execute,
    Verify,
    Pr,
}

impl Step {
    /// All of them, in order.
    pub(crate) const ALL: [Self; 5] = [
        Self::Triage,
        Self::Plan,
        Self::Execute,
        Self::Verify,
        Self::Pr,
    ];

    /// The word of the file.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Triage => "triage",
            Self::Plan => "plan",
            Self::Execute => "execute",
            Self::Verify => "verify",
            Self::Pr => "pr",
        }
    }

    /// For a person.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Triage => "Triage",
            Self::Plan => "Plan",
            Self::Execute => "Execute",
            Self::Verify => "Verify",
            Self::Pr => "Pull request",
        }
    }

    /// Its place, counted from 0.
    pub(crate) fn index(self) -> usize {
        self as usize
    }

    pub(crate) fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|step| step.word() == word)
    }

    /// The one after it; the last stays.
    pub(crate) fn next(self) -> Self {
        Self::ALL
            .into_iter()
            .find(|step| *step > self)
            .unwrap_or(Self::Pr)
    }

    /// The stages that agree with a checkpoint at this step (check M8).
    pub(crate) fn stages(self) -> &'static [Stage] {
        match self {
            Self::Triage => &[],
            Self::Plan => &[Stage::Planning, Stage::Executing],
            Self::Execute => &[Stage::Executing, Stage::Verifying, Stage::PrPending],
            Self::Verify => &[Stage::Verifying, Stage::PrPending],
            Self::Pr => &[Stage::PrCreated, Stage::Done],
        }
    }
}

/// A value of `pipeline_stage`: the fourteen, and the one that is written without being one of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Stage {
    New,
    Triaged,
    NeedsInfo,
    NeedsSecurityReview,
    Discussing,
    Approved,
    Planning,
    Diagnosing,
    Executing,
    Verifying,
    PrCreated,
    Done,
    Failed,
    Blocked,
    PrPending,
}

const STAGES: &[(Stage, &str)] = &[
    (Stage::New, "new"),
    (Stage::Triaged, "triaged"),
    (Stage::NeedsInfo, "needs-info"),
    (Stage::NeedsSecurityReview, "needs-security-review"),
    (Stage::Discussing, "discussing"),
    (Stage::Approved, "approved"),
    (Stage::Planning, "planning"),
    (Stage::Diagnosing, "diagnosing"),
    (Stage::Executing, "executing"),
    (Stage::Verifying, "verifying"),
    (Stage::PrCreated, "pr-created"),
    (Stage::Done, "done"),
    (Stage::Failed, "failed"),
    (Stage::Blocked, "blocked"),
    (Stage::PrPending, "pr-pending"),
];

impl Stage {
    pub(crate) fn parse(word: &str) -> Option<Self> {
        let row = STAGES.iter().find(|(_, text)| *text == word);
        row.map(|(stage, _)| *stage)
    }

    pub(crate) fn word(self) -> &'static str {
        STAGES
            .iter()
            .find(|(stage, _)| *stage == self)
            .map_or("", |(_, word)| word)
    }

    /// True where the pipeline is at work, so that a branch or worktree is to be expected.
    pub(crate) fn at_work(self) -> bool {
        matches!(
            self,
            Self::Planning | Self::Diagnosing | Self::Executing | Self::Verifying | Self::PrPending
        )
    }

    /// True where a human must act before anything goes on.
    pub(crate) fn waits(self) -> bool {
        matches!(
            self,
            Self::NeedsInfo
                | Self::NeedsSecurityReview
                | Self::Discussing
                | Self::Blocked
                | Self::Failed
        )
    }

    /// True where the issue waits for a decision of a person, which no edit and no flag may make for them.
    pub(crate) fn is_gate(self) -> bool {
        self.gates() || self == Self::Blocked
    }

    /// True for the gates of triage, before which nothing was planned.
    pub(crate) fn gates(self) -> bool {
        matches!(
            self,
            Self::NeedsInfo | Self::NeedsSecurityReview | Self::Discussing
        )
    }
}

/// A known `resume.action`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Action {
    BeginExecution,
    RunPlanChecker,
    SpawnExecutor,
    ContinueExecution,
    ExecutePhase,
    SpawnVerifier,
    RetryVerifier,
    VerifyPhase,
    NextPhase,
    CreatePr,
    Cleanup,
}

/// Each with its word, and the stage that the orchestrator's own mapping gives it (format note, section e.1);
/// without one it falls to planning (section e.2, row 1).
const ACTIONS: &[(Action, &str, Option<&str>)] = &[
    (Action::BeginExecution, "begin-execution", Some("planning")),
    (Action::RunPlanChecker, "run-plan-checker", Some("planning")),
    (Action::SpawnExecutor, "spawn-executor", Some("executing")),
    (
        Action::ContinueExecution,
        "continue-execution",
        Some("executing"),
    ),
    (Action::ExecutePhase, "execute-phase", None),
    (Action::SpawnVerifier, "spawn-verifier", Some("verifying")),
    (Action::RetryVerifier, "retry-verifier", None),
    (Action::VerifyPhase, "verify-phase", None),
    (Action::NextPhase, "next-phase", None),
    (Action::CreatePr, "create-pr", Some("pr-pending")),
    (Action::Cleanup, "cleanup", None),
];

impl Action {
    pub(crate) fn parse(word: &str) -> Option<Self> {
        let row = ACTIONS.iter().find(|(_, text, _)| *text == word);
        row.map(|(action, _, _)| *action)
    }

    pub(crate) fn word(self) -> &'static str {
        ACTIONS
            .iter()
            .find(|(action, _, _)| *action == self)
            .map_or("", |(_, word, _)| word)
    }

    /// Where the orchestrator's own resume prompt would go on, by its own mapping.
    pub(crate) fn upstream(self) -> &'static str {
        ACTIONS
            .iter()
            .find(|(action, _, _)| *action == self)
            .and_then(|(_, _, stage)| *stage)
            .unwrap_or("planning")
    }
}

/// What `gsd_route` says about the steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Route {
    /// Plan, execute, pull request.
    Quick,
    /// The same with plan checker and verifier.
    Full,
    /// Phase after phase of a roadmap.
    Milestone,
    /// Not written, or not known.
    Unknown,
}

impl Route {
    /// Reads a route with or without its prefix.
    pub(crate) fn parse(text: Option<&str>) -> Self {
        let text = text.unwrap_or_default().trim();
        let text = text.strip_prefix("gsd:").unwrap_or(text);
        match text {
            "quick" | "execute-only" | "diagnose" | "diagnose-issues" => Self::Quick,
            "quick --full" | "plan-phase" | "verify-only" => Self::Full,
            "new-milestone" => Self::Milestone,
            _ => Self::Unknown,
        }
    }

    /// True where a verifier runs, or may run: an unknown route never skips it.
    pub(crate) fn verifies(self) -> bool {
        self != Self::Quick
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_is_read_back_as_itself() {
        for step in Step::ALL {
            assert_eq!(Step::parse(step.word()), Some(step));
        }
        for (stage, word) in STAGES {
            assert_eq!((Stage::parse(word), stage.word()), (Some(*stage), *word));
        }
        for (action, word, _) in ACTIONS {
            assert_eq!((Action::parse(word), action.word()), (Some(*action), *word));
        }
        assert_eq!(STAGES.len(), 15, "fourteen and `pr-pending`");
        assert_eq!(ACTIONS.len(), 11, "all that section b.2 lists");
        assert_eq!(Step::parse("rewind"), None);
    }

    #[test]
    fn five_actions_are_missing_from_the_orchestrators_own_mapping() {
        let lost: Vec<&str> = ACTIONS
            .iter()
            .filter(|(_, _, stage)| stage.is_none())
            .map(|(_, word, _)| *word)
            .collect();
        assert_eq!(
            lost,
            [
                "execute-phase",
                "retry-verifier",
                "verify-phase",
                "next-phase",
                "cleanup"
            ]
        );
    }

    #[test]
    fn a_route_is_read_with_and_without_its_prefix() {
        for (text, route, verifies) in [
            (Some("quick"), Route::Quick, false),
            (Some("gsd:quick"), Route::Quick, false),
            (Some("gsd:quick --full"), Route::Full, true),
            (Some("plan-phase"), Route::Full, true),
            (Some("gsd:new-milestone"), Route::Milestone, true),
            (Some("something else"), Route::Unknown, true),
            (None, Route::Unknown, true),
        ] {
            assert_eq!(Route::parse(text), route);
            assert_eq!(route.verifies(), verifies, "{text:?}");
        }
    }
}
