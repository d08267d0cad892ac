//! Checkpoints of a system's own boundaries, taken as its skill takes them: a commit of the work tree in the system's
//! store and a row in the table beside it.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use chrono::{DateTime, TimeDelta, Utc};

use super::own::{failed, untaken};
use crate::engine::{Engine, Result};
use crate::git::scratch::{Shadow, row_time};
use crate::model::{Foreign, Step, TakenCheckpoint, short_id};
use crate::systems::BoundaryStore;

/// The most files of a project whose checkpoints are taken.
const FILES: usize = 50_000;
/// The most rows of the table; older commits stay reachable in the store.
const ROWS: usize = 50;

impl Engine {
    /// Takes one. The step is the table with its row.
    pub(super) fn take_boundary(
        &self,
        kept: &BoundaryStore,
        work_tree: &Path,
        reason: &str,
        at: DateTime<Utc>,
    ) -> Result<(TakenCheckpoint, Option<Step>)> {
        let mut taken = TakenCheckpoint {
            id: String::new(),
            store: kept.store.clone(),
            reason: reason.to_owned(),
            source: kept.source.clone(),
            state_files: Vec::new(),
            left_out: None,
            repeated: false,
        };
        if self.is_store(&kept.store) {
            let facts = self.world.git().shadow(&kept.store);
            let facts = facts.map_err(|error| untaken(&error.to_string()))?;
            if facts.work_tree.as_deref() != Some(work_tree) {
                return Err(untaken("the store is of another work tree"));
            }
            // As the skill does it: two within a second are one. Not for another reason: a run that is fast would lose
            // a boundary.
            let is_same = |newest: &&crate::world::git::Commit| {
                let subject = newest.subject.lossy();
                (at - newest.time).abs() < TimeDelta::seconds(1)
                    && subject.split('|').next().map(str::trim) == Some(reason)
            };
            if let Some(newest) = facts.commits.first().filter(is_same) {
                taken.id.clone_from(&newest.id);
                taken.repeated = true;
                return Ok((taken, None));
            }
        }
        let shadow = Shadow::open(&kept.store, work_tree).map_err(|error| failed(&error))?;
        let time = row_time(at);
        let subject = format!("{reason} | {time} | {}", kept.source);
        let tracked = self.tracked(work_tree);
        let leave_out = |path: &Path, is_dir: bool| {
            let name = path.file_name();
            name.is_some_and(|name| is_excluded(name, is_dir)) && !tracked.contains(path)
        };
        let made = shadow.boundary(&leave_out, FILES, &subject, at);
        taken.id = made.map_err(|error| failed(&error))?;
        let before = self.current_content(&kept.table)?;
        let (id, source) = (short_id(&taken.id), &kept.source);
        let row = format!("| {id} | {time} | {reason} | {source} |");
        let content = with_row(before.as_deref().unwrap_or_default(), &row);
        let summary = "The row of the checkpoint.";
        let step = Step::replace_file(&kept.table, before, content, None, summary);
        Ok((taken, Some(step)))
    }

    fn is_store(&self, store: &Path) -> bool {
        matches!(self.current_content(&store.join("HEAD")), Ok(Some(_)))
    }

    /// The paths that the project's own repository holds, with the folders above them: they are work, whatever
    /// they are called.
    fn tracked(&self, work_tree: &Path) -> HashSet<PathBuf> {
        let git = self.world.git();
        let head = git.repo(work_tree).ok().and_then(|repo| repo.head);
        let paths = head.map(|head| git.tree_paths(work_tree, &head, Path::new("")));
        let paths: Vec<Foreign> = paths.and_then(Result::ok).unwrap_or_default();
        let all = paths.iter().flat_map(|path| path.as_path().ancestors());
        all.map(Path::to_owned).collect()
    }
}

/// What the skill excludes. Its list is in a file that git does not read there, so that its own checkpoints hold these
/// files; here they are left out.
fn is_excluded(name: &OsStr, is_dir: bool) -> bool {
    let folders = [
        "node_modules",
        "__pycache__",
        "venv",
        ".venv",
        "dist",
        "build",
        ".next",
    ];
    let Some(name) = name.to_str() else {
        return false;
    };
    if is_dir {
        return folders.contains(&name);
    }
    matches!(name, ".env" | ".DS_Store")
        || name.starts_with(".env.")
        || Path::new(name).extension() == Some(OsStr::new("pyc"))
}

/// The table with one more row, and without its oldest ones where it has too many.
fn with_row(table: &[u8], row: &str) -> Vec<u8> {
    let text = table.strip_suffix(b"\n").unwrap_or(table);
    let mut lines: Vec<&[u8]> = text.split(|byte| *byte == b'\n').collect();
    lines.retain(|line| !(text.is_empty() && line.is_empty()));
    lines.push(row.as_bytes());
    let is_row = |line: &[u8]| {
        let cell = line.strip_prefix(b"| ").unwrap_or_default();
        let hash = cell.iter().take_while(|byte| byte.is_ascii_hexdigit());
        hash.count() >= 7
    };
    let rows = lines.iter().filter(|line| is_row(line)).count();
    let mut over = rows.saturating_sub(ROWS);
    lines.retain(|line| {
        let evicted = over > 0 && is_row(line);
        over -= usize::from(evicted);
        !evicted
    });
    let mut table = lines.join(&b'\n');
    table.push(b'\n');
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_rows_are_evicted_and_the_heading_stays() {
        let mut table = b"| Hash | Time | Reason | Source |\n|---|---|---|---|\n".to_vec();
        for number in 0..60 {
            table = with_row(&table, &format!("| {number:08x} | t | r | s |"));
        }
        let text = String::from_utf8(table).unwrap();
        assert_eq!(text.lines().count(), 52);
        assert!(text.starts_with("| Hash | Time"), "{text}");
        assert!(
            text.contains("| 0000000a |") && !text.contains("| 00000009 |"),
            "{text}"
        );
        assert_eq!(with_row(b"", "| abcdef12 |"), b"| abcdef12 |\n");
    }

    #[test]
    fn the_exclusions_are_those_of_the_skill() {
        for (name, is_dir, excluded) in [
            ("node_modules", true, true),
            ("build", true, true),
            ("build", false, false),
            (".env.local", false, true),
            (".envrc", false, false),
            ("x.pyc", false, true),
        ] {
            assert_eq!(is_excluded(OsStr::new(name), is_dir), excluded, "{name}");
        }
    }
}
