//! What actions did, in words and counts.

use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use super::words::plural;
use crate::clean;
use crate::model::{Action, ActionKind, Clean, Preview};

/// What actions do or did, in counts: `2 rows cut from results.tsv; notes.md created`.
pub(super) fn done_words<'a>(actions: impl IntoIterator<Item = &'a Action>) -> Clean {
    let said: Vec<String> = actions.into_iter().map(|a| deed(a).into_string()).collect();
    Clean::from_clean_parts(format_args!("{}", said.join("; ")))
}

fn deed(action: &Action) -> Clean {
    let name = last_part(&action.target);
    if let Some(counts) = action.changes {
        let parts = [
            (counts.modified, "modified"),
            (counts.added, "put back"),
            (counts.removed, "moved aside"),
        ];
        let total = counts.modified + counts.added + counts.removed;
        let said: Vec<String> = parts
            .into_iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, word)| format!("{count} {word}"))
            .collect();
        let files = plural(total, "file");
        return clean!("{} in {} ({})", files, name, said.join(", "));
    }
    let counted = match &action.preview {
        Preview::Rows { removed, .. } => Some(plural(removed.len() as u64, "row")),
        Preview::Lines { appended, .. } => Some(plural(appended.len() as u64, "line")),
        // The record of a recovery knows no counts, only what it kept.
        Preview::Kept { .. }
        | Preview::Tree { .. }
        | Preview::Content { .. }
        | Preview::Rename { .. } => None,
    };
    match (action.kind, counted) {
        (ActionKind::TruncateRows, Some(rows)) => clean!("{} cut from {}", rows, name),
        (ActionKind::TruncateRows, None) => clean!("rows cut from {}", name),
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
            clean!("{} {}", name, fate(&action.preview))
        }
    }
}

/// What became of a file as a whole.
fn fate(preview: &Preview) -> &'static str {
    match preview {
        Preview::Content { before: None, .. } => "created",
        // Nothing belongs there: it goes to where it is kept.
        Preview::Kept { pairs } if pairs.iter().all(|pair| pair.kept.is_none()) => "taken away",
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
