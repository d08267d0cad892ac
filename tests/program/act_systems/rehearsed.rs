//! What a rehearsal puts into its copy is what the plan puts into the project.

use std::fs;
use std::path::{Path, PathBuf};

use relight::engine::Engine;
use relight::model::{Cancel, Pipeline, Plan};

use super::snapshot::{Node, Tree, in_git, take};
use super::support::Trouble;

/// The files of a rehearsal's copy, by the paths that they stand for.
pub(crate) struct Copy {
    root: PathBuf,
    tree: Tree,
}

/// Rehearses a plan.
pub(crate) fn before(
    engine: &Engine,
    plan: &Plan,
    pipeline: &Pipeline,
    kept: &Path,
) -> Result<Copy, Trouble> {
    let reading = &pipeline.reading;
    let root = reading.work_tree.as_deref().unwrap_or(&reading.root);
    let rehearsal = engine.rehearse(plan, Some(&[]), &|_| {}, &Cancel::new());
    let folder = rehearsal
        .map_err(|why| Trouble(format!("rehearsal: {why}")))?
        .folder;
    let here = |(path, node): (PathBuf, Node)| {
        let rel = path.strip_prefix(&folder).unwrap_or(&path);
        (root.join(rel), node)
    };
    let tree = take(&folder, kept.parent().unwrap_or(kept))?;
    let tree = tree.into_iter().map(here).collect();
    fs::remove_dir_all(&folder)?;
    Ok(Copy {
        root: root.to_owned(),
        tree,
    })
}

impl Copy {
    /// Compares the copy with the project as it is now: its files and links, and which directories there are.
    pub(crate) fn holds(&self, tree: &Tree) -> Result<(), Trouble> {
        let beneath = |path: &&PathBuf| path.starts_with(&self.root) && !in_git(path);
        let paths = tree.keys().chain(self.tree.keys()).filter(beneath);
        let what = |node: Option<&Node>| match node {
            Some(Node::File { bytes, mode, .. }) => Some((Some(bytes.clone()), *mode)),
            Some(Node::Link(to)) => Some((Some(to.clone()), 0)),
            Some(Node::Dir(_)) => Some((None, 0)),
            Some(Node::Other) | None => None,
        };
        let differs = |path: &&PathBuf| what(tree.get(*path)) != what(self.tree.get(*path));
        let Some(path) = paths.into_iter().find(differs) else {
            return Ok(());
        };
        Err(Trouble(format!(
            "{} was rehearsed as {:?} and is {:?}",
            path.display(),
            self.tree.get(path),
            tree.get(path)
        )))
    }
}
