//! What a recovery keeps of the places that it changed.

use std::path::PathBuf;

use super::{Action, ActionKind, Preview, Recovery, RecoveryState};

/// A place in the person's files, and the place where a recovery keeps its other content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptPair {
    /// In the person's files; there may be nothing.
    pub here: PathBuf,
    /// Where the other content is kept; `None` if there is none, so that `here` would be emptied.
    pub kept: Option<PathBuf>,
    /// What that content is.
    pub content: KeptContent,
}

/// What a recovery keeps of a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum KeptContent {
    /// What an exchange replaced: a backup.
    #[default]
    Backup,
    /// What was prepared for it: it was not exchanged, or it was rolled back.
    Planned,
    /// Neither, or it cannot be told.
    Unknown,
}

impl Action {
    /// The places whose other content a recovery keeps; none for an action that is still to be applied.
    pub fn kept_pairs(&self) -> &[KeptPair] {
        let Preview::Kept { pairs } = &self.preview else {
            return &[];
        };
        pairs
    }

    /// The places that it wrote to. A plan also lists paths that stay as they are.
    pub fn written(&self) -> impl Iterator<Item = &KeptPair> {
        let stays = |at: usize| {
            self.paths
                .get(at)
                .is_some_and(|path| !path.change.touches())
        };
        let pairs = self.kept_pairs().iter().enumerate();
        pairs.filter_map(move |(at, pair)| (!stays(at)).then_some(pair))
    }

    /// The places that it replaced. A log only grows, and what was in it before is not kept.
    pub fn replaced(&self) -> impl Iterator<Item = &KeptPair> {
        let replaces = self.kind != ActionKind::AppendLines;
        self.written().filter(move |_| replaces)
    }

    /// Says that what was kept of it is gone.
    pub fn forget_kept(&mut self) {
        if let Preview::Kept { pairs } = &mut self.preview {
            for pair in pairs {
                pair.content = KeptContent::Unknown;
            }
        }
    }

    /// Whether a recovery kept nothing of it, or of one of its paths, so that there is nothing to compare with.
    pub fn keeps_nothing(&self, path: Option<usize>) -> bool {
        self.keeps(path, KeptContent::Unknown)
    }

    /// Whether what it keeps of that was only prepared.
    pub fn is_only_planned(&self, path: Option<usize>) -> bool {
        self.keeps(path, KeptContent::Planned)
    }

    fn keeps(&self, path: Option<usize>, content: KeptContent) -> bool {
        let pair = self.kept_pairs().get(path.unwrap_or_default());
        pair.is_some_and(|pair| pair.content == content)
    }
}

impl Recovery {
    /// Whether both sides of it are still there: it was applied, and keeps something that it replaced.
    pub fn can_be_compared(&self) -> bool {
        let replaced = |action: &Action| action.replaced().next().is_some();
        self.state == RecoveryState::Committed && !self.purged && self.actions.iter().any(replaced)
    }
}
