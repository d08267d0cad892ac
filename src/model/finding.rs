//! What a reader noticed while reading: a truncated line, a missing file, an inference it had to make.

use super::{Foreign, Origin};

use crate::string_enum;

string_enum! {
    /// How bad a finding is. Ordered: the worst is the greatest.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Severity {
        /// Worth knowing; nothing is wrong.
        Info = "info",
        /// Something is damaged or odd; the rest was still read.
        Warn = "warn",
        /// Something that matters could not be read.
        Error = "error",
    }
}

/// One thing the reader noticed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// How bad it is.
    pub severity: Severity,
    /// A stable word to look up and to filter by, such as `torn-line`.
    pub code: &'static str,
    /// The file and line it is about.
    pub origin: Origin,
    /// One whole sentence.
    pub text: Foreign,
    /// True where the reader concluded something that no file states.
    pub inferred: bool,
}

impl Finding {
    /// A finding that was seen, not concluded.
    pub fn new(
        severity: Severity,
        code: &'static str,
        origin: Origin,
        text: impl Into<Foreign>,
    ) -> Self {
        Self {
            severity,
            code,
            origin,
            text: text.into(),
            inferred: false,
        }
    }

    /// Something worth knowing.
    pub fn info(code: &'static str, origin: Origin, text: impl Into<Foreign>) -> Self {
        Self::new(Severity::Info, code, origin, text)
    }

    /// Something damaged or odd.
    pub fn warn(code: &'static str, origin: Origin, text: impl Into<Foreign>) -> Self {
        Self::new(Severity::Warn, code, origin, text)
    }

    /// Something that matters and could not be read.
    pub fn error(code: &'static str, origin: Origin, text: impl Into<Foreign>) -> Self {
        Self::new(Severity::Error, code, origin, text)
    }

    /// Something the reader concluded from other evidence, as information.
    pub fn inferred(code: &'static str, origin: Origin, text: impl Into<Foreign>) -> Self {
        Self {
            inferred: true,
            ..Self::info(code, origin, text)
        }
    }
}
