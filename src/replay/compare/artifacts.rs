//! The files that differ, with the lines that do. Which they are and what they hold is read by the engine.

use crate::diff::count;
use crate::model::{Artifact, ArtifactChange, Artifacts, Foreign};

/// Files whose lines are compared.
const MOST: usize = 2_000;

/// Both contents of a file; `None` where a side has none.
pub type Contents = (Option<Vec<u8>>, Option<Vec<u8>>);

/// Adds files up.
#[derive(Debug, Default)]
pub struct Tally {
    sum: Artifacts,
    measured: usize,
}

impl Tally {
    /// One that says what it compares.
    pub fn new(between: Foreign) -> Self {
        Self {
            sum: Artifacts {
                between,
                ..Artifacts::default()
            },
            measured: 0,
        }
    }

    /// Adds a file that differs. `contents` is asked for while lines are still counted; `None` from it means
    /// that they cannot be.
    pub fn push(
        &mut self,
        path: Foreign,
        change: ArtifactChange,
        contents: impl FnOnce() -> Option<Contents>,
    ) {
        let lines = if self.measured < MOST {
            contents().and_then(lines)
        } else {
            None
        };
        match lines {
            Some((insertions, deletions)) => {
                self.measured += 1;
                self.sum.insertions += insertions;
                self.sum.deletions += deletions;
            }
            None => self.sum.unmeasured += 1,
        }
        self.sum.files.push(Artifact {
            path,
            change,
            insertions: lines.map(|(insertions, _)| insertions),
            deletions: lines.map(|(_, deletions)| deletions),
        });
    }

    /// The sum, by path.
    pub fn done(mut self) -> Artifacts {
        self.sum.files.sort_by(|a, b| a.path.cmp(&b.path));
        self.sum
    }
}

/// Lines that come and lines that go.
fn lines((before, after): Contents) -> Option<(u64, u64)> {
    let stats = count::exact(before, after)?;
    Some((stats.added as u64, stats.removed as u64))
}

#[cfg(test)]
mod tests;
