//! Conditions of a plan: what must hold, and what only a person answers.

use std::borrow::Cow;

use super::Foreign;

use crate::string_enum;

string_enum! {
    /// What a guard that does not hold means.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub enum GuardKind {
        /// The plan is refused (exit code 3).
        Must = "must",
        /// A question that only a person answers, beside the consent: `--accept ID`, or a word typed. Unanswered, the
        /// plan is not applied (exit code 4).
        Ask = "ask",
    }
}

/// A condition of a plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Guard {
    /// A stable word: `branch`, `liveness`, `git_state`, `index_lock`, `schema`, `work_tree`, `required_file`, `pending_recovery`; for
    /// an ask `gate:<name>`, `override:<gate>`, `repeat-failure:<step>` or `convergence`.
    pub id: Cow<'static, str>,
    /// What it means where it does not hold.
    pub kind: GuardKind,
    /// Whether it holds; for an ask, whether the person has accepted it.
    pub holds: bool,
    /// What was seen, in a sentence; for an ask, the question.
    pub text: Foreign,
    /// What would make it hold; `None` where it does.
    pub would_hold_if: Option<Foreign>,
}

impl Guard {
    /// A condition that holds.
    pub fn holds(id: impl Into<Cow<'static, str>>, text: impl Into<Foreign>) -> Self {
        Self {
            id: id.into(),
            kind: GuardKind::Must,
            holds: true,
            text: text.into(),
            would_hold_if: None,
        }
    }

    /// A condition that does not hold, and what would make it hold.
    pub fn fails(
        id: impl Into<Cow<'static, str>>,
        text: impl Into<Foreign>,
        cure: impl Into<Foreign>,
    ) -> Self {
        Self {
            holds: false,
            would_hold_if: Some(cure.into()),
            ..Self::holds(id, text)
        }
    }

    /// A condition that holds or not, said in the same words.
    pub fn either(
        id: impl Into<Cow<'static, str>>,
        holds: bool,
        text: impl Into<Foreign>,
        cure: impl Into<Foreign>,
    ) -> Self {
        if holds {
            Self::holds(id, text)
        } else {
            Self::fails(id, text, cure)
        }
    }

    /// A question that only the person answers.
    pub fn ask(id: impl Into<Cow<'static, str>>, question: impl Into<Foreign>) -> Self {
        let id = id.into();
        let cure = format!("Accept it with --accept {id}.");
        Self {
            kind: GuardKind::Ask,
            ..Self::fails(id, question, cure)
        }
    }

    /// True where this refuses the plan.
    pub fn refuses(&self) -> bool {
        !self.holds && self.kind == GuardKind::Must
    }

    /// True where this question is not answered.
    pub fn is_open(&self) -> bool {
        !self.holds && self.kind == GuardKind::Ask
    }
}
