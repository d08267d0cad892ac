//! The files that differ, with their differing lines. The engine reads the files.

use crate::diff::count;
use crate::model::{Artifact, ArtifactChange, Artifacts, Foreign, Forms};

/// Files whose lines are compared.
const MOST: usize = 2_000;

/// The maximum number of created and removed files for rename detection.
const RENAMES: usize = 200;

/// The largest of them.
const LARGEST: usize = 1 << 20;

/// Both contents of a file; `None` where a side has none.
pub type Contents = (Option<Vec<u8>>, Option<Vec<u8>>);

/// Adds files up.
#[derive(Debug, Default)]
pub struct Tally {
    between: Foreign,
    files: Vec<Artifact>,
    measured: usize,
    /// Files that only one side has, with their content: a place in `files` each.
    alone: Vec<(usize, Vec<u8>)>,
}

impl Tally {
    /// One that says what it compares.
    pub fn new(between: Foreign) -> Self {
        Self {
            between,
            ..Self::default()
        }
    }

    /// Adds a file that differs, and what it is on both sides. `contents` is called only while lines
    /// are still counted; `None` means that they cannot be counted.
    pub fn push(
        &mut self,
        path: Foreign,
        change: ArtifactChange,
        forms: Forms,
        contents: impl FnOnce() -> Option<Contents>,
    ) {
        let contents = (self.measured < MOST).then(contents).flatten();
        if let Some((None, Some(only)) | (Some(only), None)) = &contents
            && self.alone.len() < RENAMES
            && (1..=LARGEST).contains(&only.len())
        {
            self.alone.push((self.files.len(), only.clone()));
        }
        let lines = contents.and_then(lines);
        self.measured += usize::from(lines.is_some());
        self.files.push(Artifact {
            path,
            change,
            from: None,
            forms,
            insertions: lines.map(|(insertions, _)| insertions),
            deletions: lines.map(|(_, deletions)| deletions),
        });
    }

    /// Makes one rename of a file that came and one that went with much the same content.
    fn rename(&mut self) {
        let of = |change| -> Vec<(usize, Vec<u8>)> {
            let file = |at: usize| self.files.get(at);
            let is = |at: usize| file(at).is_some_and(|file| file.change == change);
            let alone = self.alone.iter().filter(|(at, _)| is(*at));
            alone.cloned().collect()
        };
        let (came, mut gone) = (of(ArtifactChange::Added), of(ArtifactChange::Removed));
        let mut dropped: Vec<usize> = Vec::new();
        for (at, content) in came {
            let alike = gone.iter().enumerate().filter_map(|(place, (_, before))| {
                let alike = likeness(before, &content)?;
                (alike.0 > HALF).then_some((alike, place))
            });
            let best = alike.max_by_key(|((alike, _), place)| (*alike, std::cmp::Reverse(*place)));
            let Some(((_, (insertions, deletions)), place)) = best else {
                continue;
            };
            let (from, _) = gone.remove(place);
            let path = self.files.get(from).map(|file| file.path.clone());
            if let Some(file) = self.files.get_mut(at) {
                file.change = ArtifactChange::Renamed;
                file.from = path;
                file.insertions = Some(insertions);
                file.deletions = Some(deletions);
                dropped.push(from);
            }
        }
        let mut places = 0..;
        self.files
            .retain(|_| places.next().is_none_or(|at| !dropped.contains(&at)));
    }

    /// The sum, by path.
    pub fn done(mut self) -> Artifacts {
        self.rename();
        self.files.sort_by(|a, b| a.path.cmp(&b.path));
        let sum = |of: fn(&Artifact) -> Option<u64>| self.files.iter().filter_map(of).sum();
        Artifacts {
            insertions: sum(|one| one.insertions),
            deletions: sum(|one| one.deletions),
            unmeasured: sum(|one| one.insertions.is_none().then_some(1)),
            between: self.between,
            files: self.files,
        }
    }
}

/// Two files with more than this percentage in common count as one renamed file.
const HALF: u64 = 50;

/// The percentage of the larger file that both have in common, and the added and removed lines; `None` for different
/// files without lines.
fn likeness(before: &[u8], after: &[u8]) -> Option<(u64, (u64, u64))> {
    if before == after {
        return Some((100, (0, 0)));
    }
    let (came, went) = lines((Some(before.to_vec()), Some(after.to_vec())))?;
    let all = |text: &[u8]| {
        text.split(|byte| *byte == b'\n')
            .filter(|line| !line.is_empty())
            .count() as u64
    };
    let largest = all(before).max(all(after)).max(1);
    let common = all(after).saturating_sub(came);
    Some((common * 100 / largest, (came, went)))
}

/// Lines that come and lines that go.
fn lines((before, after): Contents) -> Option<(u64, u64)> {
    let stats = count::exact(before, after)?;
    Some((stats.added as u64, stats.removed as u64))
}

#[cfg(test)]
mod tests;
