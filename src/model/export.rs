//! What can be taken out of a pipeline that cannot continue.

use std::path::PathBuf;

use super::Foreign;

/// A file of an export.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExportFile {
    /// Its name; never a path.
    pub name: String,
    /// Its content.
    pub content: Vec<u8>,
}

/// What a system exports of a pipeline.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Export {
    /// The files.
    pub files: Vec<ExportFile>,
    /// What is missing, a sentence each.
    pub gaps: Vec<Foreign>,
}

/// An export that was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exported {
    /// The new folder.
    pub dir: PathBuf,
    /// The names of its files.
    pub files: Vec<String>,
    /// What is missing, a sentence each.
    pub gaps: Vec<Foreign>,
    /// What to know about the folder, a sentence each.
    pub warnings: Vec<Foreign>,
}
