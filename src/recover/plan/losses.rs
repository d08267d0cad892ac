//! What tree actions overwrite, keep or cannot restore, in sentences: first what the checkpoint does not cover, then
//! what only an undo can restore.

use std::collections::HashSet;
use std::path::Path;

use super::Measured;
use super::paths::Paths;
use crate::foreign;
use crate::model::{ActionKind, Foreign, Loss, PathChange, PlanOptions, RestoreMode, above};
use crate::text::format;

/// How many paths are named; the rest are counted.
const NAMED: usize = 20;

/// The same beside a number of files. The changes of the plan name all of them.
const FEW: usize = 3;

/// The sentences of all tree actions.
#[derive(Debug, Default)]
pub(super) struct Losses {
    /// Whether several work trees are changed, so that their sentences name them.
    pub(super) several: bool,
    first: Vec<Loss>,
    last: Vec<Loss>,
}

impl Losses {
    /// The sentences of one action.
    pub(super) fn add(
        &mut self,
        (kind, work_tree): (ActionKind, &Path),
        paths: &Paths,
        measured: &Measured,
        options: &PlanOptions,
    ) {
        let source = self.source(kind, work_tree);
        self.not_covered((kind, work_tree), paths);
        if !paths.making_room.is_empty() {
            self.first.push(Loss::overwritten(foreign!(
                "Moved aside because the {} has something else in its place: {}.",
                &source,
                named(paths.making_room.iter())
            )));
        }
        let files = |number: u64| format::count(number, "file");
        let written = paths.listed.iter();
        let written = written.filter(|path| path.change == PathChange::Write);
        let written: Vec<&Foreign> = written.map(|path| &path.path).collect();
        let text = || foreign!("Overwritten: {}.", few(&written));
        let last = &mut self.last;
        last.extend((!written.is_empty()).then(|| Loss::overwritten(text())));
        let removed = (paths.counts.removed).saturating_sub(paths.making_room.len() as u64);
        let which = match options.mode {
            RestoreMode::Exact => foreign!("created after the {}", &source),
            RestoreMode::Overlay => {
                foreign!("that git tracks and the {} does not contain", &source)
            }
        };
        let text = || foreign!("Moved aside: {} {}.", files(removed), &which);
        last.extend((removed > 0).then(|| Loss::overwritten(text())));
        last.extend(uncommitted(paths, measured));
        let newer = paths.newer.len() as u64;
        let text = || {
            foreign!(
                "Kept, because created after the {}: {}.",
                &source,
                files(newer)
            )
        };
        last.extend((newer > 0).then(|| Loss::not_restored(text())));
        let text = || {
            let names = named(paths.logs.iter());
            foreign!("Kept, because logs are only appended to: {}.", names)
        };
        last.extend((!paths.logs.is_empty()).then(|| Loss::not_restored(text())));
        if kind == ActionKind::ResetWorktree && !options.paths.is_empty() {
            last.push(Loss::not_restored(
                "Only the chosen paths are restored; the index and the branch are reset as a whole, so git status shows the changes of the other paths.",
            ));
        }
    }

    /// What is not restored whichever paths are chosen, also where nothing else is done.
    pub(super) fn not_covered(&mut self, (kind, work_tree): (ActionKind, &Path), paths: &Paths) {
        let uncovered = uncovered(&self.source(kind, work_tree), paths).into_iter();
        self.first.extend(uncovered.map(Loss::not_restored));
    }

    /// The paths that the person left out, also where nothing else is done.
    pub(super) fn left_out<'a>(&mut self, paths: impl Iterator<Item = &'a Foreign>) {
        let paths: Vec<&Foreign> = paths.collect();
        if !paths.is_empty() {
            let (files, names) = (format::count(paths.len(), "file"), named(paths.into_iter()));
            let text = foreign!(
                "Changed since the checkpoint and excluded: {} ({}).",
                files,
                names
            );
            self.first.push(Loss::not_restored(text));
        }
    }

    /// What an action restores the files from.
    fn source(&self, kind: ActionKind, work_tree: &Path) -> Foreign {
        let source = if kind == ActionKind::ResetWorktree {
            "commit"
        } else {
            "checkpoint"
        };
        match work_tree.file_name().filter(|_| self.several) {
            Some(name) => foreign!("{} of {}", source, Path::new(name)),
            None => source.into(),
        }
    }

    /// All sentences, with the system's own in the middle.
    pub(super) fn around(self, own: Vec<Loss>) -> Vec<Loss> {
        let all = self.first.into_iter().chain(own).chain(self.last);
        all.collect()
    }
}

fn uncovered(source: &Foreign, paths: &Paths) -> Vec<Foreign> {
    let mut all = Vec::new();
    if !paths.unwritten.is_empty() {
        let names = named(paths.unwritten.iter());
        all.push(foreign!(
            "Not restored though the {} has it, because git keeps it in another way or not at all (submodule, Git LFS, filter, sparse checkout, nested repository): {}.",
            source,
            names
        ));
    }
    if !paths.uncovered.is_empty() {
        let names = named(paths.uncovered.iter());
        all.push(foreign!(
            "Not covered by the {} and kept unchanged: {}.",
            source,
            names
        ));
    }
    let text = match paths.ignored {
        0 => return all,
        1 => foreign!(
            "The project ignores 1 path; the {} does not cover it, so it is kept unchanged.",
            source
        ),
        n => foreign!(
            "The project ignores {} paths; the {} does not cover them, so they are kept unchanged.",
            n.to_string(),
            source
        ),
    };
    all.push(text);
    all
}

/// The uncommitted changes that an action really overwrites or moves aside.
fn uncommitted(paths: &Paths, measured: &Measured) -> Vec<Loss> {
    if let Some(why) = &measured.uncommitted_unknown {
        let text = foreign!("Uncommitted changes cannot be listed: {}.", why);
        return vec![Loss::overwritten(text)];
    }
    let open: HashSet<&[u8]> = measured.uncommitted.iter().map(Foreign::as_bytes).collect();
    // An untracked folder is named once, with a slash after it.
    let is_open = |path: &[u8]| {
        let mut folders = above(path).filter_map(|folder| path.get(..=folder.len()));
        open.contains(path) || folders.any(|folder| open.contains(folder))
    };
    let losses = [
        (PathChange::Write, "overwritten"),
        (PathChange::Remove, "moved aside"),
    ];
    let loss = |(change, what)| {
        let taken = paths.listed.iter().filter(|p| p.change == change);
        let taken = taken.map(|p| &p.path);
        let names = named(taken.filter(|path| is_open(path.as_bytes())));
        (!names.is_empty()).then(|| {
            let text = foreign!("Uncommitted changes will be {}: {}.", what, &names);
            Loss::overwritten(text).then(foreign!("Uncommitted changes were {}: {}.", what, &names))
        })
    };
    losses.into_iter().filter_map(loss).collect()
}

/// The number of files, and the first of them by name.
fn few(paths: &[&Foreign]) -> Foreign {
    let names = Foreign::list_first(paths.iter().copied().cloned(), FEW);
    foreign!("{} ({})", format::count(paths.len(), "file"), names)
}

/// The first paths by name, and the number of the others.
fn named<'a>(paths: impl Iterator<Item = &'a Foreign>) -> Foreign {
    Foreign::list_first(paths.cloned(), NAMED)
}
