//! The counts of what actions did.

use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use super::{Action, ActionKind, ChangeCounts, Clean, Preview};
use crate::clean;
use crate::text::format::{clean_list, count};

/// What actions do or did: `2 rows removed from results.tsv and notes.md created`.
pub fn actions_done<'a>(actions: impl IntoIterator<Item = &'a Action>) -> Clean {
    let each: Vec<Clean> = actions.into_iter().map(Action::done).collect();
    clean_list(&each, usize::MAX)
}

impl Action {
    /// What it did: `4 files in shop (3 modified, 1 restored)`.
    pub fn done(&self) -> Clean {
        action_done(self)
    }
}

fn action_done(action: &Action) -> Clean {
    let name = last_part(&action.target);
    let no_files = |counts: ChangeCounts| counts == ChangeCounts::default();
    if action.kind == ActionKind::ResetWorktree
        && action.paths.is_empty()
        && action.changes.is_none_or(no_files)
    {
        return clean!("the branch of {} reset", name);
    }
    if let Some(counts) = action.changes {
        let parts = [
            (counts.modified, "modified"),
            (counts.added, "restored"),
            (counts.removed, "moved aside"),
        ];
        let total = counts.modified + counts.added + counts.removed;
        let said: Vec<String> = parts
            .into_iter()
            .filter(|(number, _)| *number > 0)
            .map(|(number, word)| format!("{number} {word}"))
            .collect();
        let files = count(total, "file");
        return clean!("{} in {} ({})", files, name, said.join(", "));
    }
    let counted = match &action.preview {
        Preview::Rows { removed, .. } => Some(count(removed.len(), "row")),
        Preview::Lines { appended, .. } => Some(count(appended.len(), "line")),
        // The record of a recovery has no counts for a file, only its backups.
        Preview::Kept { .. }
        | Preview::Tree { .. }
        | Preview::Content { .. }
        | Preview::Rename { .. } => None,
    };
    match (action.kind, counted) {
        (ActionKind::TruncateRows, Some(rows)) => clean!("{} removed from {}", rows, name),
        (ActionKind::TruncateRows, None) => clean!("rows removed from {}", name),
        (ActionKind::AppendLines, Some(lines)) => clean!("{} appended to {}", lines, name),
        (ActionKind::AppendLines, None) => clean!("lines appended to {}", name),
        (ActionKind::MoveAside, _) => match &action.preview {
            Preview::Rename { to } => clean!("{} moved to {}", name, last_part(to)),
            Preview::Kept { .. }
            | Preview::Content { .. }
            | Preview::Tree { .. }
            | Preview::Rows { .. }
            | Preview::Lines { .. } => clean!("{} moved", name),
        },
        (ActionKind::ReplaceFile | ActionKind::RestoreTree | ActionKind::ResetWorktree, _) => {
            clean!("{} {}", name, file_done(&action.preview))
        }
    }
}

/// What was done to a file as a whole.
fn file_done(preview: &Preview) -> &'static str {
    match preview {
        Preview::Content { before: None, .. } => "created",
        // No pair has content for it: the file was moved to its backup.
        Preview::Kept { pairs } if pairs.iter().all(|pair| pair.kept.is_none()) => "removed",
        Preview::Kept { .. }
        | Preview::Content { .. }
        | Preview::Tree { .. }
        | Preview::Rows { .. }
        | Preview::Lines { .. }
        | Preview::Rename { .. } => "written",
    }
}

fn last_part(path: &Path) -> Clean {
    Clean::from_bytes(path.file_name().unwrap_or(path.as_os_str()).as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_branch_that_was_reset_is_no_file() {
        for changes in [None, Some(ChangeCounts::default())] {
            let action = Action {
                kind: ActionKind::ResetWorktree,
                target: "/projects/shop".into(),
                summary: "".into(),
                changes,
                paths: Vec::new(),
                preview: Preview::Kept { pairs: Vec::new() },
            };
            let said = actions_done([&action]);
            assert_eq!(said.as_str(), "the branch of shop reset");
        }
    }
}
