//! The directories that an undo moves as a whole: what changes in each of them, and what forbids to move it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use crate::apply::disk::RealDisk;
use crate::apply::history::Entry;
use crate::apply::undo::{Found, Side, Undo, Whole};
use crate::engine::{EngineError, Result};
use crate::foreign;
use crate::model::{Basis, Forms, Guard, PathChange};
use crate::recover::undo_plan::Within;

/// What is known of them.
#[derive(Debug, Default)]
pub(super) struct Wholes {
    /// What changes in each, by its place.
    pub(super) rows: BTreeMap<PathBuf, Vec<Within>>,
    /// What changed since the recovery in what was moved among the person's files, by its place.
    pub(super) moved: BTreeMap<PathBuf, Vec<PathBuf>>,
    /// The conditions that do not hold.
    pub(super) guards: Vec<Guard>,
    /// What the plan depends on.
    pub(super) basis: Vec<Basis>,
}

impl Wholes {
    /// Looks into them. A directory that leaves with another one does not stay.
    pub(super) fn of(disk: &RealDisk, entry: &Entry<RealDisk>, undo: &mut Undo) -> Result<Self> {
        let fails = |why| {
            let id = &entry.recovery.id;
            EngineError::refused(format!("{id} cannot be undone: {why}."))
        };
        let Some(journal) = entry.good_journal() else {
            return Ok(Self::default());
        };
        let all = Whole::all(disk, journal, undo).map_err(fails)?;
        let ended = entry.folder.ended_ns(disk).map_err(fails)?;
        undo.staying
            .retain(|dir| !all.keys().any(|here| dir.starts_with(here)));
        let mut wholes = Self::default();
        for (here, whole) in all {
            wholes.look(&here, &whole);
            let other = undo.kept.get(&here).cloned().unwrap_or_default();
            if whole.moved {
                // What was made at the place anew is named as a whole.
                let now = Some((&here, &whole.now)).filter(|_| !undo.moved.contains_key(&here));
                let sides = now.into_iter().chain([(&other, &whole.kept)]);
                let changed = sides.flat_map(|(dir, side)| changed_in(dir, side, ended));
                wholes.moved.insert(here.clone(), changed.collect());
            } else {
                let rows = rows((&here, &other), &whole, ended);
                wholes.rows.insert(here, rows);
            }
        }
        Ok(wholes)
    }

    fn look(&mut self, here: &Path, whole: &Whole) {
        let nested = whole.now.nested.first().map(|dir| {
            let text = "is a nested repository, which is never moved.";
            (dir, text, "Move it away")
        });
        let unread = whole.now.unread.first().map(|dir| {
            let text = "cannot be read, so what would leave with it is unknown.";
            (dir, text, "Make it readable")
        });
        for (dir, text, cure) in nested.into_iter().chain(unread) {
            let text = foreign!("{} {}", &joined(here, dir), text);
            let cure = foreign!("{}, or leave {} unchanged with --keep.", cure, here);
            self.guards.push(Guard::fails("nested", text, cure));
        }
        for (side, word) in [(&whole.now, "now"), (&whole.kept, "kept")] {
            let found = side.found.iter();
            self.basis.extend(found.map(|(path, found)| Basis {
                path: joined(here, path),
                state: format!("{word} {:?}", found.known).into_bytes(),
            }));
        }
    }
}

/// What changed after the recovery in what it moved: its own rename is older than its end.
fn changed_in(dir: &Path, side: &Side, ended: Option<i64>) -> Vec<PathBuf> {
    let found = side.found.iter();
    let changed = found.filter(|(_, found)| found.changed_ns > ended);
    changed.map(|(path, _)| joined(dir, path)).collect()
}

/// What changes in the place of a directory.
fn rows((here, other): (&Path, &Path), whole: &Whole, ended: Option<i64>) -> Vec<Within> {
    let since = |found: &Found| {
        let changed = found.changed_ns.zip(ended);
        changed.is_none_or(|(changed, ended)| changed >= ended)
    };
    let files = || whole.now.found.values().filter(|one| !one.known.is_dir());
    // Where something changed and no time tells what, everything may have.
    let untold = whole.altered == Some(true) && !files().any(since);
    let changed = |found: &Found| !found.known.is_dir() && (untold || since(found));
    let altered = whole.altered != Some(false);
    let drifted = |found: &Found| !whole.is_own || altered && changed(found);
    let paths: BTreeSet<&PathBuf> = whole
        .now
        .found
        .keys()
        .chain(whole.kept.found.keys())
        .collect();
    let row = |path: &&PathBuf| {
        let (now, kept) = (whole.now.found.get(*path), whole.kept.found.get(*path));
        let is_dir = |found: Option<&Found>| found.is_some_and(|found| found.known.is_dir());
        let change = match (now, kept) {
            (Some(now), Some(kept)) if now.known.is_same(&kept.known) => return None,
            (Some(_), Some(_)) if is_dir(now) && is_dir(kept) => return None,
            // A directory comes in the place of a file.
            (Some(_), Some(_)) if is_dir(kept) => PathChange::Remove,
            (Some(_), Some(_)) => PathChange::Write,
            (Some(_), None) => PathChange::Remove,
            (None, _) => PathChange::Create,
        };
        let form = |found: Option<&Found>| found.map(|found| found.known.node.form());
        let forms = Forms::new(form(now), form(kept));
        let kept = kept.filter(|_| change != PathChange::Remove);
        Some(Within {
            here: joined(here, path),
            kept: kept.map(|_| joined(other, path)),
            change,
            forms,
            drifted: now.is_some_and(drifted),
            is_dir: is_dir(now.or(kept)) && change != PathChange::Write,
        })
    };
    paths.iter().filter_map(row).collect()
}

/// A path in a directory; the directory itself for the empty one.
fn joined(dir: &Path, path: &Path) -> PathBuf {
    // Without the slash that a join leaves behind.
    dir.join(path).components().collect()
}
