//! A way to look at the list of pipelines that the configuration gives a name.

use super::ListKey;
use crate::string_enum;

string_enum! {
    /// What the rows of the console's list are grouped by.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
    pub enum Group {
        /// They are not.
        #[default]
        Nothing = "nothing",
        /// Their status.
        Status = "status",
        /// Their system.
        System = "system",
        /// Their project.
        Project = "project",
    }
}

impl Group {
    /// The next way; the last goes round to the first.
    #[must_use]
    pub fn next(self) -> Self {
        match self {
            Self::Nothing => Self::Status,
            Self::Status => Self::System,
            Self::System => Self::Project,
            Self::Project => Self::Nothing,
        }
    }
}

/// A saved view.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SavedView {
    /// Its name.
    pub name: String,
    /// What is typed into the filter.
    pub filter: String,
    /// The column to sort by.
    pub sort: Option<ListKey>,
    /// The columns that `list` shows; empty for those that the terminal has room for.
    pub columns: Vec<ListKey>,
    /// What the console groups by.
    pub group: Group,
    /// Whether complete pipelines are shown.
    pub complete: bool,
}
