//! Completing the path in the open field.

use std::path::{Path, PathBuf};

use super::state::{FormRow, NewReplay};
use crate::tui::msg::Query;
use crate::tui::state::field::completed;

impl NewReplay {
    /// The path in the open field and what stands before it; `None` where no path is typed.
    fn typed_path(&self) -> Option<(&str, &str)> {
        let (field, names_original) = match self.row() {
            FormRow::Template(place) => {
                let one = self.templates.get(place)?;
                (&one.field, one.original.is_empty())
            }
            FormRow::Folder => (&self.folder, false),
            _ => return None,
        };
        let text = field.text();
        match text.split_once('=') {
            Some((original, _)) if names_original => Some(text.split_at(original.len() + 1)),
            _ if names_original => None,
            _ => Some(("", text)),
        }
    }

    /// The request for completions of the path. The search covers the current folder, the project, the folders next to
    /// it, and the templates; for a plain name also the folders in the project and next to it.
    pub(crate) fn to_complete(&self, cwd: &Path) -> Option<Query> {
        let (_, typed) = self.typed_path()?;
        let experiment = self.plan.ready().map(|plan| &plan.experiment);
        let tree = experiment.and_then(|one| one.work_tree.as_deref());
        let beside = tree.and_then(Path::parent);
        let around: Vec<PathBuf> = tree.into_iter().chain(beside).map(Path::to_owned).collect();
        let templates = experiment.into_iter().flat_map(|one| &one.plugin_templates);
        let folders = std::iter::once(cwd.to_owned()).chain(around.iter().cloned());
        Some(Query::CompletePath {
            typed: typed.to_owned(),
            folders: folders.chain(templates.cloned()).collect(),
            around,
        })
    }

    /// Completes the path: to the only candidate, else to the common beginning of all candidates.
    pub(crate) fn completed(&mut self, found: Vec<String>) {
        self.completing = None;
        let Some((before, typed)) = self.typed_path() else {
            return;
        };
        let text = completed(typed, &found).map(|path| format!("{before}{path}"));
        if let (Some(text), Some(field)) = (text, self.selected_field()) {
            field.set(&text);
        }
        self.candidates = found;
    }
}
