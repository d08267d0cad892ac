//! Comparisons, as a face may ask for them.

mod report;

use std::path::PathBuf;

use super::{Engine, EngineError, ErrorKind, Sides};
use crate::model::{Compared, Comparison, Foreign, PipelineId};

/// Something that can stand on a side of a comparison.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Operand {
    /// Its word (contract.md, compare).
    pub name: String,
    /// What it is, for a person.
    pub title: Foreign,
}

impl Engine {
    /// What can be compared of a pipeline, in order: the original and its replays, newest last; rounds; stages;
    /// recoveries.
    pub fn operands(&self, id: &PipelineId) -> Result<Vec<Operand>, EngineError> {
        let _ = id;
        Ok(Vec::new())
    }

    /// Compares two operands. Without any, the original with its newest replay; with one, what it follows:
    /// `original` for a session, the round before, the newest earlier version of a stage, the state before a
    /// recovery. A word may be shortened while it is unambiguous; one that several repeats share is all of them.
    pub fn compare(
        &self,
        id: &PipelineId,
        a: Option<&str>,
        b: Option<&str>,
    ) -> Result<Comparison, EngineError> {
        let _ = (id, a, b);
        Err(EngineError::new(
            ErrorKind::NothingToDo,
            "Comparing is not built yet.",
        ))
    }

    /// Two texts of a comparison.
    pub fn compared(&self, comparison: &Comparison, what: Compared) -> Result<Sides, EngineError> {
        let _ = (comparison, what);
        Err(EngineError::new(
            ErrorKind::NothingToDo,
            "Comparing is not built yet.",
        ))
    }

    /// Appends the record of a comparison beside the manifest of each session of B that has a folder of its own,
    /// and answers with the files.
    pub fn keep_report(&self, comparison: &Comparison) -> Result<Vec<PathBuf>, EngineError> {
        let _ = comparison;
        Ok(Vec::new())
    }
}
