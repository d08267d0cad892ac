//! Why a state file could not be used.

use std::path::PathBuf;

use crate::formats::json::JsonError;
use crate::model::{Finding, Origin, Place};
use crate::systems::kit::odd_files::{no_file, odd_file};
use crate::world::World;
use crate::world::files::ReadError;

/// Why a state file cannot be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Damage {
    /// The code of its finding.
    pub(crate) code: &'static str,
    /// Line, counted from 1, of the error in the text.
    pub(crate) line: Option<u64>,
    /// A clause without a period: `it ends too early`.
    pub(crate) why: String,
    /// What makes it a file that can be read, if it is none: then its content is unknown, and may be whole.
    pub(crate) cure: Option<String>,
}

impl Damage {
    pub(crate) fn new(code: &'static str, why: impl Into<String>) -> Self {
        let mut why = why.into();
        why.truncate(why.trim_end_matches('.').len());
        Self {
            code,
            line: None,
            why,
            cure: None,
        }
    }

    /// A file that cannot be read. What is in the place of a regular file is named: it is not missing.
    pub(crate) fn unreadable(world: &dyn World, place: &Place, error: &ReadError) -> Self {
        let why = match no_file(place, world) {
            Some(odd) => format!("it {}", odd.problem),
            None => error.to_string(),
        };
        Self {
            cure: odd_file(place, error, world).map(|odd| odd.remedy),
            ..Self::new("unreadable-file", why)
        }
    }

    /// The finding about the file.
    pub(crate) fn finding(&self, file: PathBuf, text: String) -> Finding {
        let line = self.line;
        Finding::error(self.code, Origin::at(file, line), text)
    }
}

impl From<JsonError> for Damage {
    fn from(error: JsonError) -> Self {
        let code = if error.cut { "cut-file" } else { "bad-json" };
        Self {
            line: Some(error.line),
            ..Self::new(code, error.text)
        }
    }
}
