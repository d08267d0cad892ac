//! The statuses of a stage, and the allowed transitions.

/// The nine statuses of a stage, and any other word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum StageStatus {
    Pending,
    Ready,
    Preparing,
    Running,
    PostProcessing,
    Completed,
    Failed,
    Invalidated,
    Skipped,
    Unknown,
}

pub(super) const STATUSES: [(&str, StageStatus); 9] = [
    ("pending", StageStatus::Pending),
    ("ready", StageStatus::Ready),
    ("preparing", StageStatus::Preparing),
    ("running", StageStatus::Running),
    ("post_processing", StageStatus::PostProcessing),
    ("completed", StageStatus::Completed),
    ("failed", StageStatus::Failed),
    ("invalidated", StageStatus::Invalidated),
    ("skipped", StageStatus::Skipped),
];

impl StageStatus {
    /// The status of a word. Only exact words count: an unknown word is never done.
    pub(crate) fn parse(word: &str) -> Self {
        let row = STATUSES.iter().find(|(text, _)| *text == word);
        row.map_or(Self::Unknown, |(_, status)| *status)
    }

    /// The word of the file.
    pub(crate) fn word(self) -> &'static str {
        let row = STATUSES.iter().find(|(_, status)| *status == self);
        row.map_or("", |(word, _)| word)
    }

    /// The statuses that may follow while a workflow runs. Only an amendment turns `completed` into `invalidated`, or
    /// any status into `skipped`. A synchronous stage goes from `preparing` to `post_processing`, which the published
    /// table omits.
    pub(crate) fn next(self) -> &'static [Self] {
        match self {
            Self::Pending | Self::Failed | Self::Invalidated => &[Self::Ready],
            Self::Ready => &[Self::Preparing],
            Self::Preparing => &[Self::Running, Self::PostProcessing, Self::Failed],
            Self::Running => &[Self::PostProcessing, Self::Failed],
            Self::PostProcessing => &[Self::Completed, Self::Failed],
            Self::Completed | Self::Skipped | Self::Unknown => &[],
        }
    }

    /// Nothing is left to do: completed, or skipped by a person.
    pub(crate) fn is_done(self) -> bool {
        matches!(self, Self::Completed | Self::Skipped)
    }

    /// A subagent or a job is working on it.
    pub(crate) fn is_active(self) -> bool {
        matches!(self, Self::Preparing | Self::Running | Self::PostProcessing)
    }
}
