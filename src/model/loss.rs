//! What a plan overwrites, and what it does not restore.

use super::Foreign;
use crate::foreign;

/// What happens to content that a plan does not preserve.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LossKind {
    /// It is overwritten, removed or moved; only an undo can restore it.
    Overwritten,
    /// It stays as it is, although the checkpoint or the recovery had it differently.
    NotRestored,
}

/// A sentence about what a plan overwrites or does not restore.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Loss {
    /// What happens to it.
    pub kind: LossKind,
    /// The sentence.
    pub text: Foreign,
    /// The same once the plan is applied, where `text` speaks of what will happen.
    pub afterwards: Option<Foreign>,
}

impl Loss {
    /// Something that is overwritten, removed or moved aside.
    pub fn overwritten(text: impl Into<Foreign>) -> Self {
        Self {
            kind: LossKind::Overwritten,
            text: text.into(),
            afterwards: None,
        }
    }

    /// Something that stays as it is.
    pub fn not_restored(text: impl Into<Foreign>) -> Self {
        Self {
            kind: LossKind::NotRestored,
            text: text.into(),
            afterwards: None,
        }
    }

    /// The same with its sentence for who reads it once the plan is applied.
    #[must_use]
    pub fn then(self, afterwards: Foreign) -> Self {
        Self {
            afterwards: Some(afterwards),
            ..self
        }
    }

    /// The same with what a person may choose instead: once the plan is applied, it is too late for that.
    #[must_use]
    pub fn unless(self, option: &Foreign) -> Self {
        let text = self.text.as_bytes();
        let text = text.strip_suffix(b".").unwrap_or(text);
        Self {
            kind: self.kind,
            text: foreign!("{}; {}.", text, option),
            afterwards: Some(self.afterwards.unwrap_or(self.text)),
        }
    }

    /// The sentence for who reads it once the plan is applied.
    pub fn done(&self) -> &Foreign {
        self.afterwards.as_ref().unwrap_or(&self.text)
    }

    /// The sentence.
    pub fn lossy(&self) -> std::borrow::Cow<'_, str> {
        self.text.lossy()
    }
}
