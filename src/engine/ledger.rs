//! What a pipeline did that no recovery can undo.

use std::collections::HashSet;

use super::{Engine, Result};
use crate::model::{Irreversible, PipelineId};

impl Engine {
    /// What the pipeline did that no recovery can undo, as its own records clearly state it, in their
    /// order; each text once.
    pub fn ledger(&self, id: &PipelineId) -> Result<Vec<Irreversible>> {
        let opened = self.recall(id)?;
        let mut ledger = opened.case.irreversible(self.world.as_ref());
        let mut told = HashSet::new();
        ledger.retain(|one| told.insert((one.kind, one.text.clone())));
        Ok(ledger)
    }
}

#[cfg(test)]
mod tests;
