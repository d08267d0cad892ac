//! Proof that a person confirmed exactly this plan.

use crate::model::{Fingerprint, Plan};

/// Proof that a person confirmed the plan with this fingerprint. Its only constructors are the ones below, each for one
/// way in which a person confirms.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Consent(Fingerprint);

/// The word that a person must type for a destructive plan.
pub const TYPED: &str = "yes";

impl Consent {
    /// The typed answer: `yes` for a destructive plan, `y` or `yes` for any other. Everything else, an empty line
    /// included, means no.
    pub fn typed(plan: &Plan, word: &str) -> Option<Self> {
        let word = word.trim();
        let agreed = word == TYPED || (!plan.destructive && word == "y");
        agreed.then(|| Self(plan.fingerprint.clone()))
    }

    /// `--confirm FINGERPRINT`: valid only if the plan still has that fingerprint.
    pub fn confirmed(plan: &Plan, fingerprint: &str) -> Option<Self> {
        (plan.fingerprint.0 == fingerprint).then(|| Self(plan.fingerprint.clone()))
    }

    /// `--yes`: valid for whatever the plan is now.
    pub fn yes(plan: &Plan) -> Self {
        Self(plan.fingerprint.clone())
    }

    /// The fingerprint that was confirmed.
    pub fn fingerprint(&self) -> &Fingerprint {
        &self.0
    }
}
