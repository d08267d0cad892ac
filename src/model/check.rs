//! The verification of a claim against the world.

use super::Foreign;

/// The outcome of a check. Ordered from best to worst, so that `max` finds the worst.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Verdict {
    /// The claim holds, or there is only something to know.
    Pass,
    /// The check could not be made here; the evidence says why.
    Skipped,
    /// The claim holds in part, or a person must look.
    Warn,
    /// The claim is not true.
    Fail,
}

impl Verdict {
    /// The word used in JSON and on screen.
    pub fn word(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Skipped => "skipped",
            Self::Warn => "warn",
            Self::Fail => "fail",
        }
    }

    /// The worst verdict of several checks as `verify` reports it: skipped checks do not make a verdict worse.
    pub fn overall<'a>(checks: impl IntoIterator<Item = &'a Check>) -> Self {
        checks
            .into_iter()
            .map(|c| c.verdict)
            .filter(|v| *v != Self::Skipped)
            .max()
            .unwrap_or(Self::Pass)
    }
}

/// The id of a check: the note's (`F4`, `N5`), or the system's letter and the note's row (`A9`, `M12`, `S8`).
/// A check that speaks of several subjects keeps the id and differs in the subject.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CheckId(pub String);

/// One verification of a claim against the world.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Check {
    /// Which check of the note this is.
    pub id: CheckId,
    /// What was checked, in a few words: `manifest integrity`, `phase 3, dispatch 8`.
    pub subject: Foreign,
    /// The outcome.
    pub verdict: Verdict,
    /// What was seen, in one or two sentences.
    pub evidence: Foreign,
    /// What a person can do about it; present whenever the verdict is worse than pass.
    pub remedy: Option<Foreign>,
}

impl Check {
    /// A check with its outcome and what was seen.
    pub fn new(
        id: impl Into<String>,
        subject: impl Into<Foreign>,
        verdict: Verdict,
        evidence: impl Into<Foreign>,
    ) -> Self {
        Self {
            id: CheckId(id.into()),
            subject: subject.into(),
            verdict,
            evidence: evidence.into(),
            remedy: None,
        }
    }

    /// The same check with a remedy.
    #[must_use]
    pub fn remedy(mut self, remedy: impl Into<Foreign>) -> Self {
        self.remedy = Some(remedy.into());
        self
    }
}
