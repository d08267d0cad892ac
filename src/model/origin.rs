//! Where a fact was read.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::Foreign;
use crate::text::stored::AsForeign as _;

/// The file, and the line in it where that makes sense, from which a fact was read.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(into = "Stored", from = "Stored")]
pub struct Origin {
    /// Absolute path of the file.
    pub file: PathBuf,
    /// Line number, counted from 1.
    pub line: Option<u64>,
}

/// An origin as records have it.
type Stored = (Foreign, Option<u64>);

impl From<Origin> for Stored {
    fn from(Origin { file, line }: Origin) -> Self {
        (file.form(), line)
    }
}

impl From<Stored> for Origin {
    fn from((file, line): Stored) -> Self {
        Self::at(PathBuf::of_form(file), line)
    }
}

impl Origin {
    /// A whole file.
    pub fn file(file: impl Into<PathBuf>) -> Self {
        Self::at(file, None)
    }

    /// One line of a file, counted from 1.
    pub fn line(file: impl Into<PathBuf>, line: u64) -> Self {
        Self::at(file, Some(line))
    }

    /// A line of a file if it is known, else the whole file.
    pub fn at(file: impl Into<PathBuf>, line: Option<u64>) -> Self {
        Self {
            file: file.into(),
            line,
        }
    }
}
