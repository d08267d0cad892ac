//! The statuses of a stage, and the allowed transitions.

use crate::string_enum;

string_enum! {
    /// The nine statuses of a stage, and any other word.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub(crate) enum StageStatus {
        Pending = "pending",
        Ready = "ready",
        Preparing = "preparing",
        Running = "running",
        PostProcessing = "post_processing",
        Completed = "completed",
        Failed = "failed",
        Invalidated = "invalidated",
        Skipped = "skipped",
        Unknown = "",
    }
}

impl StageStatus {
    /// The status of a word. Only exact words count: an unknown word is never done.
    pub(crate) fn parse(word: &str) -> Self {
        word.parse().unwrap_or(Self::Unknown)
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
