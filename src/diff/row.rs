//! One row of a comparison, and the number of differing lines.

/// One row of two texts side by side, as line numbers counted from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Row {
    /// The same line on both sides.
    Same {
        /// Line of the old side.
        old: usize,
        /// Line of the new side.
        new: usize,
    },
    /// A changed line.
    Changed {
        /// Line of the old side.
        old: usize,
        /// Line of the new side.
        new: usize,
    },
    /// A removed line.
    Removed {
        /// Line of the old side.
        old: usize,
    },
    /// An added line.
    Added {
        /// Line of the new side.
        new: usize,
    },
}

impl Row {
    /// The line on the old side, counted from 0.
    pub fn old(self) -> Option<usize> {
        match self {
            Self::Same { old, .. } | Self::Changed { old, .. } | Self::Removed { old } => Some(old),
            Self::Added { .. } => None,
        }
    }

    /// The line on the new side, counted from 0.
    pub fn new_line(self) -> Option<usize> {
        match self {
            Self::Same { new, .. } | Self::Changed { new, .. } | Self::Added { new } => Some(new),
            Self::Removed { .. } => None,
        }
    }

    /// True if the sides differ.
    pub fn differs(self) -> bool {
        !matches!(self, Self::Same { .. })
    }
}

/// Numbers of lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Stats {
    /// Lines that only the old side has, changed ones included.
    pub removed: usize,
    /// Lines that only the new side has, changed ones included.
    pub added: usize,
}
