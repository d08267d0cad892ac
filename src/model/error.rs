//! What can go wrong for a person who asks, with what to do about it.

use super::{Foreign, Guard, ReplayPart, nearest};

use crate::string_enum;

string_enum! {
    /// The kinds of error, as `--json` names them and exit codes follow them.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub enum ErrorKind {
        /// The words of the command do not fit together.
        Usage = "usage",
        /// There is no such pipeline, point, checkpoint or path.
        NotFound = "not_found",
        /// Several fit.
        Ambiguous = "ambiguous",
        /// The answer is no: nothing to resume, nothing to undo.
        NothingToDo = "nothing_to_do",
        /// A guard, drift or a fingerprint refuses.
        Refused = "refused",
        /// It is there and cannot be read.
        Unreadable = "unreadable",
        /// Consent is needed and was not given.
        Consent = "consent",
        /// It failed, and everything is as it was before.
        RolledBack = "rolled_back",
        /// The time that was given for it is up.
        TimedOut = "timeout",
        /// Unclear: nothing more was changed, a person must look.
        Unclear = "unclear",
        /// The person cancelled it.
        Cancelled = "cancelled",
        /// A mistake of relight itself.
        Bug = "bug",
    }
}

/// An error for a person.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}", text.clean())]
pub struct EngineError {
    /// What kind.
    pub kind: ErrorKind,
    /// What is wrong, in a sentence.
    pub text: Foreign,
    /// What can be typed or done, a sentence each.
    pub hints: Vec<Foreign>,
    /// The guards that refuse, where it was guards.
    pub guards: Vec<Guard>,
    /// The part of what was asked of a replay that is at fault, where it is one.
    pub part: Option<ReplayPart>,
}

/// The result of what a front end asks for.
pub type Result<T, E = EngineError> = std::result::Result<T, E>;

impl EngineError {
    /// A guard or a state that does not allow it.
    pub fn refused(text: impl Into<Foreign>) -> Self {
        Self::new(ErrorKind::Refused, text)
    }

    /// A wrong command line.
    pub fn usage(text: impl Into<Foreign>) -> Self {
        Self::new(ErrorKind::Usage, text)
    }

    /// Something that cannot be read.
    pub fn unreadable(text: impl Into<Foreign>) -> Self {
        Self::new(ErrorKind::Unreadable, text)
    }

    /// Nothing that could be done.
    pub fn nothing_to_do(text: impl Into<Foreign>) -> Self {
        Self::new(ErrorKind::NothingToDo, text)
    }

    /// An error with its sentence.
    pub fn new(kind: ErrorKind, text: impl Into<Foreign>) -> Self {
        Self {
            kind,
            text: text.into(),
            hints: Vec::new(),
            guards: Vec::new(),
            part: None,
        }
    }

    /// The same error with something to do about it.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<Foreign>) -> Self {
        self.hints.push(hint.into());
        self
    }

    /// The same error, about a part of what was asked of a replay.
    #[must_use]
    pub fn about(self, part: ReplayPart) -> Self {
        Self {
            part: Some(part),
            ..self
        }
    }

    /// The same error with several things to do about it.
    #[must_use]
    pub fn hints(self, hints: impl IntoIterator<Item = impl Into<Foreign>>) -> Self {
        hints.into_iter().fold(self, Self::hint)
    }

    /// Something that may mean any of several things; a sentence for each of the first, and how many more there are.
    pub fn ambiguous(
        text: impl Into<Foreign>,
        several: impl IntoIterator<Item = impl Into<Foreign>>,
    ) -> Self {
        let mut several = several.into_iter();
        let error = Self::new(ErrorKind::Ambiguous, text).hints(several.by_ref().take(8));
        match several.count() {
            0 => error,
            more => error.hint(format!("and {more} more")),
        }
    }

    /// Nothing fits what was asked for.
    pub fn not_found(what: &[u8]) -> Self {
        let text = [b"There is no pipeline ", what, b"."].concat();
        Self::new(ErrorKind::NotFound, text)
            .hint("relight list --all --scope machine shows all that can be found.")
            .hint("To search elsewhere, give a path instead of the id, or add --root PATH.")
    }

    /// The same error with something to do about it, before the other hints.
    #[must_use]
    pub fn first(mut self, hint: impl Into<Foreign>) -> Self {
        self.hints.insert(0, hint.into());
        self
    }

    /// The same with what may have been meant, before the other hints.
    #[must_use]
    pub fn near<'a>(self, word: &str, known: impl IntoIterator<Item = &'a str>) -> Self {
        self.near_as(word, known.into_iter().map(|known| (known, known)))
    }

    /// The same where what is known has names other than the word that is offered.
    #[must_use]
    pub fn near_as<'a>(
        self,
        word: &str,
        known: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Self {
        match nearest::hint(word, known) {
            Some(hint) => self.first(hint),
            None => self,
        }
    }
}
