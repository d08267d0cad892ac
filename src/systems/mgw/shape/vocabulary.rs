//! The words of the state files: steps, stages, actions and routes. A word that is not listed is unknown, and unknown
//! never means done.

use crate::string_enum;

pub(crate) const PLAN: &str = "PLAN.md";
pub(crate) const SUMMARY: &str = "SUMMARY.md";
pub(crate) const VERIFICATION: &str = "VERIFICATION.md";

string_enum! {
    /// A step of the pipeline, in the order of the checkpoint's counter.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub(crate) enum Step {
        Triage = "triage",
        Plan = "plan",
        Execute = "execute",
        Verify = "verify",
        Pr = "pr",
    }
}

string_enum! {
    /// A value of `pipeline_stage`: the orchestrator's fourteen, and `pr-pending`, which it writes although it is not
    /// one of them.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub(crate) enum Stage {
        New = "new",
        Triaged = "triaged",
        NeedsInfo = "needs-info",
        NeedsSecurityReview = "needs-security-review",
        Discussing = "discussing",
        Approved = "approved",
        Planning = "planning",
        Diagnosing = "diagnosing",
        Executing = "executing",
        Verifying = "verifying",
        PrCreated = "pr-created",
        Done = "done",
        Failed = "failed",
        Blocked = "blocked",
        PrPending = "pr-pending",
    }
}

string_enum! {
    /// A known `resume.action`.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub(crate) enum Action {
        BeginExecution = "begin-execution",
        RunPlanChecker = "run-plan-checker",
        SpawnExecutor = "spawn-executor",
        ContinueExecution = "continue-execution",
        ExecutePhase = "execute-phase",
        SpawnVerifier = "spawn-verifier",
        RetryVerifier = "retry-verifier",
        VerifyPhase = "verify-phase",
        NextPhase = "next-phase",
        CreatePr = "create-pr",
        Cleanup = "cleanup",
    }
}

impl Step {
    /// The document that it makes: how its name ends, and what the records call it.
    pub(crate) fn document(self) -> Option<(&'static str, &'static str)> {
        match self {
            Self::Plan => Some((PLAN, "plan")),
            Self::Execute => Some((SUMMARY, "summary")),
            Self::Verify => Some((VERIFICATION, "verification")),
            Self::Triage | Self::Pr => None,
        }
    }

    /// The step whose document it needs.
    pub(crate) fn needs(self) -> Option<Self> {
        match self {
            Self::Execute => Some(Self::Plan),
            Self::Verify | Self::Pr => Some(Self::Execute),
            Self::Triage | Self::Plan => None,
        }
    }

    /// The name for a person.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Triage => "Triage",
            Self::Plan => "Plan",
            Self::Execute => "Execute",
            Self::Verify => "Verify",
            Self::Pr => "Pull request",
        }
    }

    /// Its index.
    pub(crate) fn index(self) -> usize {
        self as usize
    }

    /// The next one; the last stays.
    pub(crate) fn next(self) -> Self {
        Self::ALL.get(self.index() + 1).copied().unwrap_or(self)
    }

    /// The stages that agree with a checkpoint at this step.
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

impl Stage {
    /// The stages that may follow. The orchestrator refuses all others, including the same one again.
    pub(crate) fn next(self) -> Vec<Self> {
        let own: &[Self] = match self {
            Self::New | Self::NeedsInfo => &[Self::Triaged],
            Self::Triaged => &[
                Self::NeedsInfo,
                Self::NeedsSecurityReview,
                Self::Discussing,
                Self::Approved,
                Self::Planning,
                Self::Diagnosing,
            ],
            Self::NeedsSecurityReview | Self::Discussing => &[Self::Triaged, Self::Approved],
            Self::Approved | Self::Diagnosing => &[Self::Planning],
            Self::Planning => &[Self::Executing],
            Self::Executing => &[Self::Verifying],
            Self::Verifying | Self::PrPending => &[Self::PrCreated, Self::Executing],
            Self::PrCreated => &[Self::Done],
            Self::Done => &[],
            Self::Failed | Self::Blocked => {
                &[Self::New, Self::Triaged, Self::Planning, Self::Executing]
            }
        };
        let ends = matches!(self, Self::Done | Self::Failed | Self::Blocked);
        let stops = [Self::Failed, Self::Blocked];
        [own, if ends { &[] } else { &stops }].concat()
    }

    /// True while the pipeline works, so that a branch or worktree is expected.
    pub(crate) fn at_work(self) -> bool {
        use Stage::{Diagnosing, Executing, Planning, PrPending, Verifying};
        matches!(
            self,
            Planning | Diagnosing | Executing | Verifying | PrPending
        )
    }

    /// True if a person must act before anything continues.
    pub(crate) fn waits(self) -> bool {
        self.is_gate() || self == Self::Failed
    }

    /// True if the issue is waiting for a decision of a person, which no edit and no flag may make for them.
    pub(crate) fn is_gate(self) -> bool {
        self.is_triage_gate() || self == Self::Blocked
    }

    /// True for the gates of triage, before any planning.
    pub(crate) fn is_triage_gate(self) -> bool {
        let gates = [Self::NeedsInfo, Self::NeedsSecurityReview, Self::Discussing];
        gates.contains(&self)
    }
}

impl Action {
    /// The stage to which the orchestrator's own resume mapping leads. It does not know five of the actions that the
    /// orchestrator writes (`execute-phase`, `retry-verifier`, `verify-phase`, `next-phase`, `cleanup`), and plans
    /// again for them.
    pub(crate) fn upstream(self) -> &'static str {
        match self {
            Self::SpawnExecutor | Self::ContinueExecution => "executing",
            Self::SpawnVerifier => "verifying",
            Self::CreatePr => "pr-pending",
            Self::BeginExecution
            | Self::RunPlanChecker
            | Self::ExecutePhase
            | Self::RetryVerifier
            | Self::VerifyPhase
            | Self::NextPhase
            | Self::Cleanup => "planning",
        }
    }
}

/// The steps of a `gsd_route`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Route {
    /// Plan, execute, pull request.
    Quick,
    /// Plan, execute, verify, pull request, with a plan checker.
    Full,
    /// Each phase of a roadmap in turn.
    Milestone,
    /// Missing or unknown.
    Unknown,
}

impl Route {
    /// Reads a route with or without its prefix.
    pub(crate) fn parse(text: Option<&str>) -> Self {
        let text = text.unwrap_or_default().trim();
        match text.strip_prefix("gsd:").unwrap_or(text) {
            "quick" | "execute-only" | "diagnose" | "diagnose-issues" => Self::Quick,
            "quick --full" | "plan-phase" | "verify-only" => Self::Full,
            "new-milestone" => Self::Milestone,
            _ => Self::Unknown,
        }
    }

    /// True if a verifier runs, or may run: an unknown route never skips it.
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
            assert_eq!(step.word().parse(), Ok(step));
        }
        for stage in Stage::ALL {
            assert_eq!(stage.word().parse(), Ok(stage));
        }
        for action in Action::ALL {
            assert_eq!(action.word().parse(), Ok(action));
        }
        assert_eq!(Stage::ALL.len(), 15, "fourteen and `pr-pending`");
        assert_eq!(Action::ALL.len(), 11, "all that are known");
        assert_eq!("rewind".parse::<Step>(), Err(()));
    }

    #[test]
    fn five_actions_are_missing_from_the_orchestrators_own_mapping() {
        let planning = Action::ALL.into_iter();
        let planning = planning.filter(|action| action.upstream() == "planning");
        let words: Vec<&str> = planning.map(Action::word).collect();
        assert_eq!(
            words,
            [
                "begin-execution",
                "run-plan-checker",
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
