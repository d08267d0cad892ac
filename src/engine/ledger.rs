//! What a pipeline did that no recovery can undo.

use super::{Engine, EngineError};
use crate::model::{Irreversible, PipelineId};

impl Engine {
    /// What the pipeline did that no recovery can undo, as its own records clearly state it, in their
    /// order; each text once.
    pub fn ledger(&self, id: &PipelineId) -> Result<Vec<Irreversible>, EngineError> {
        let opened = self.recall(id)?;
        let mut ledger: Vec<Irreversible> = Vec::new();
        for one in opened.case.irreversible(self.world.as_ref()) {
            let told = |known: &Irreversible| known.kind == one.kind && known.text == one.text;
            if !ledger.iter().any(told) {
                ledger.push(one);
            }
        }
        Ok(ledger)
    }
}

#[cfg(test)]
mod tests;
