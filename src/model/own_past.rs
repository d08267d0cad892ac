//! What relight's own history says of a pipeline.

use std::path::PathBuf;

use chrono::{DateTime, FixedOffset, Utc};

use super::{Foreign, PipelineId, Stamp};

/// A resume of relight's own that changed files and still holds, or a restore of a checkpoint's files: a fact for the
/// next look at the pipeline, whose own files may not say that the work after the point was discarded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OwnResume {
    /// The pipeline.
    pub pipeline: PipelineId,
    /// The folder whose lock it held.
    pub root: PathBuf,
    /// The point.
    pub point: String,
    /// The checkpoint whose files alone were restored; `None` for a resume.
    pub files_of: Option<RestoredFiles>,
    /// The paths of the checkpoint that it did not restore, as a plan lists them.
    pub left_out: Vec<Foreign>,
    /// When it began.
    pub at: DateTime<FixedOffset>,
}

/// Work between a recovery of relight's own that changed all files of a point and its undo, or its undo and its redo:
/// the files are as they were before that work, and the records of a pipeline may not say so.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UndoneWork {
    /// The folder whose lock the recovery held.
    pub root: PathBuf,
    /// When what was undone began.
    pub from: DateTime<FixedOffset>,
    /// When the undo began.
    pub until: DateTime<FixedOffset>,
}

/// relight's own writes to a pipeline that nobody wrote to after them. They are no activity of the pipeline: why it
/// stopped, and when, was so before them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OwnWrites {
    /// When the first of them began.
    pub since: DateTime<Utc>,
    /// When anyone but relight last wrote to the pipeline.
    pub last_work: Stamp,
}

impl OwnWrites {
    /// Whether a record of this time may be one of them. Records name whole seconds.
    pub fn may_have_made(&self, at: DateTime<Utc>) -> bool {
        at.timestamp() >= self.since.timestamp()
    }
}

/// A checkpoint whose files were restored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RestoredFiles {
    /// Its id.
    pub checkpoint: String,
    /// When it was taken.
    pub taken_at: Option<DateTime<FixedOffset>>,
    /// Whether all of its files were restored.
    pub whole: bool,
}
