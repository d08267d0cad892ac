//! What a plan screen is about, and the paths that a person may choose among.

use crate::tui::prelude::*;

/// What a plan screen is about.
#[derive(Debug, Clone)]
pub(crate) enum About {
    /// Resuming a pipeline.
    Resume {
        /// Which pipeline.
        id: PipelineId,
        /// From which point.
        choice: PointChoice,
    },
    /// Undoing a recovery.
    Undo {
        /// The pipeline it was for.
        id: PipelineId,
        /// Which recovery is undone or redone.
        recovery: RecoveryId,
        /// Whether it is redone: its undo is undone.
        redo: bool,
    },
    /// What a recovery did: to be read, with the difference between what is kept and what is there.
    Record(Arc<Recovery>),
}

impl About {
    /// The pipeline it is about.
    pub(crate) fn pipeline(&self) -> &PipelineId {
        match self {
            Self::Resume { id, .. } | Self::Undo { id, .. } => id,
            Self::Record(recovery) => &recovery.pipeline,
        }
    }

    /// What a path is known by when it is left out: relative to the work tree where files are restored,
    /// absolute where a recovery is undone.
    pub(crate) fn key(&self, plan: &Plan, action: usize, path: Option<usize>) -> Option<Foreign> {
        let action = plan.actions.get(action)?;
        match (self, &action.preview) {
            (Self::Resume { .. }, _) => Some(action.paths.get(path?)?.path.clone()),
            (Self::Record(recovery), _) if recovery.state != RecoveryState::NeedsAttention => None,
            (Self::Undo { .. } | Self::Record(_), Preview::Kept { pairs }) => {
                let whole = path.is_none() && !action.paths.is_empty();
                // A directory was moved as a whole, and only comes back as a whole.
                let place = action.outermost(path.unwrap_or_default());
                let pair = pairs.get(place).filter(|_| !whole)?;
                Some(Foreign::from(&pair.here))
            }
            // What was moved aside is known by where it comes back to.
            (Self::Undo { .. } | Self::Record(_), Preview::Rename { to }) => {
                Some(Foreign::from(to))
            }
            (Self::Undo { .. } | Self::Record(_), _) => None,
        }
    }

    /// Every path that a person may leave out, with what happens to it.
    pub(crate) fn choices(&self, plan: &Plan) -> Vec<(Foreign, PathChange)> {
        let mut choices = Vec::new();
        for (place, action) in plan.actions.iter().enumerate() {
            let paths = action.paths.iter().enumerate();
            let files = paths.filter(|(path, _)| action.changes_file(*path));
            choices.extend(files.filter_map(|(path, shown)| {
                let key = self.key(plan, place, Some(path))?;
                Some((key, shown.change))
            }));
            if action.paths.is_empty() {
                let key = self.key(plan, place, None);
                choices.extend(key.map(|key| (key, action.preview.change())));
            }
        }
        let mut seen = BTreeSet::new();
        choices.retain(|(key, _)| seen.insert(key.clone()));
        choices
    }
}
