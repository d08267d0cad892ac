//! Proof that a person confirmed one plan and no other.

use crate::model::{Fingerprint, Plan};

/// Proof that a person confirmed the plan with this fingerprint. It has no other constructors than the ones
/// below, each of which stands for something a person did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Consent(Fingerprint);

/// What a destructive plan wants typed.
pub const TYPED: &str = "yes";

impl Consent {
    /// What was typed at the question: `yes` for a destructive plan, `y` or `yes` for any other. Everything
    /// else, an empty line too, is no.
    pub fn typed(plan: &Plan, word: &str) -> Option<Self> {
        let word = word.trim();
        let agreed = word == TYPED || (!plan.destructive && word == "y");
        agreed.then(|| Self(plan.fingerprint.clone()))
    }

    /// `--confirm FINGERPRINT`: only if the plan is still that one.
    pub fn confirmed(plan: &Plan, fingerprint: &str) -> Option<Self> {
        (plan.fingerprint.0 == fingerprint).then(|| Self(plan.fingerprint.clone()))
    }

    /// `--yes`: whatever the plan is now.
    pub fn yes(plan: &Plan) -> Self {
        Self(plan.fingerprint.clone())
    }

    /// The fingerprint that was confirmed.
    pub fn fingerprint(&self) -> &Fingerprint {
        &self.0
    }
}
