//! What a comparison comes to.

use crate::model::Foreign;

/// What became of a pair (ux-lessons, four buckets).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Bucket {
    /// Succeeded in A, fails in B.
    Regressed,
    /// Failed in A, succeeds in B.
    Fixed,
    /// Fails in both.
    StillFailing,
    /// Succeeds in both.
    Unchanged,
    /// Only A has it.
    NotReplayed,
    /// Only B has it.
    New,
    /// A side has no answer: it was not run to an end. Says nothing about the template.
    NoAnswer,
}

impl Bucket {
    /// All, worst first.
    pub const ALL: [Self; 7] = [
        Self::Regressed,
        Self::StillFailing,
        Self::Fixed,
        Self::NoAnswer,
        Self::NotReplayed,
        Self::New,
        Self::Unchanged,
    ];

    /// The word used in JSON and on screen.
    pub fn word(self) -> &'static str {
        match self {
            Self::Regressed => "regressed",
            Self::Fixed => "fixed",
            Self::StillFailing => "still failing",
            Self::Unchanged => "unchanged",
            Self::NotReplayed => "not replayed",
            Self::New => "new",
            Self::NoAnswer => "no answer",
        }
    }
}

/// How a file differs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ArtifactChange {
    /// Only B has it.
    Added,
    /// Other content, type or mode.
    Modified,
    /// Only A has it.
    Removed,
    /// B has it under another name.
    Renamed,
}

impl ArtifactChange {
    /// The word used in JSON and on screen.
    pub fn word(self) -> &'static str {
        match self {
            Self::Added => "added",
            Self::Modified => "modified",
            Self::Removed => "removed",
            Self::Renamed => "renamed",
        }
    }
}

/// What a path is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FileForm {
    /// A file.
    File,
    /// A file that may be executed.
    Executable,
    /// A symbolic link; its content is where it points.
    Link,
}

impl FileForm {
    /// The word used in JSON and on screen.
    pub fn word(self) -> &'static str {
        match self {
            Self::File => "file",
            Self::Executable => "executable",
            Self::Link => "link",
        }
    }
}

/// One file that differs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Artifact {
    /// Its path, relative to the tree.
    pub path: Foreign,
    /// How.
    pub change: ArtifactChange,
    /// Its path in A, where it was renamed.
    pub from: Option<Foreign>,
    /// What it is in A and in B, where that differs or it is a link.
    pub forms: Option<[FileForm; 2]>,
    /// Lines that B has more; `None` for binary and huge files.
    pub insertions: Option<u64>,
    /// Lines that A has more.
    pub deletions: Option<u64>,
}

/// The files that differ, of the first run of each side.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Artifacts {
    /// Each, by path.
    pub files: Vec<Artifact>,
    /// Lines that B has more, in all files whose lines could be compared.
    pub insertions: u64,
    /// Lines that A has more.
    pub deletions: u64,
    /// What was compared with what: `git diff 5f0c9e2d..3fa91c02`.
    pub between: Foreign,
    /// Files whose lines were not compared, because there are too many or they are too large.
    pub unmeasured: u64,
}

impl Artifact {
    /// What is said of it beside its lines: its former name, another mode, that it is a link.
    pub fn remark(&self) -> Option<Foreign> {
        let from = self
            .from
            .as_ref()
            .map(|from| [b"renamed from ", from.as_bytes()].concat());
        let forms = self.forms.map(|[a, b]| {
            if a == b {
                a.word().to_owned()
            } else {
                format!("{} → {}", a.word(), b.word())
            }
        });
        match (from, forms) {
            (None, None) => None,
            (Some(from), None) => Some(from.into()),
            (None, Some(forms)) => Some(forms.into()),
            (Some(from), Some(forms)) => {
                Some([&from, b", ".as_slice(), forms.as_bytes()].concat().into())
            }
        }
    }
}
