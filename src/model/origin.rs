//! Where a fact was read.

use std::path::PathBuf;

/// The file, and the line in it where that makes sense, from which a fact was read.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Origin {
    /// Absolute path of the file.
    pub file: PathBuf,
    /// Line number, counted from 1.
    pub line: Option<u64>,
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
