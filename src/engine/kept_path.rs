//! The paths that a person wants left as they are (`--keep`): only such that a recovery touches, or was to touch.

use std::path::{Path, PathBuf};

use super::{EngineError, ErrorKind, Request, Result};
use crate::apply::disk::RealDisk;
use crate::apply::history::Entry;
use crate::apply::home::canonical;
use crate::apply::journal::Journal;
use crate::apply::undo::moves_with;
use crate::foreign;
use crate::model::{Action, Foreign, Preview, Recovery, UndoOptions};

/// The paths that a person wants left as they are, as the journal names them.
pub(super) fn kept_paths(
    entry: &Entry<RealDisk>,
    options: &UndoOptions,
    request: &Request,
) -> Result<Vec<PathBuf>> {
    let keep = options.keep.iter();
    let keep = keep.map(|path| kept_path(entry, path, &request.cwd));
    let mut keep = keep.collect::<Result<Vec<PathBuf>>>()?;
    // What was moved stays at both ends, or at none.
    if let Some(journal) = entry.good_journal() {
        for exchange in &journal.exchanges {
            let to = exchange.moves_to(&journal.bases);
            if to.is_some_and(|to| keep.iter().any(|kept| to.starts_with(kept))) {
                keep.push(exchange.here.path(&journal.bases));
            }
        }
    }
    Ok(keep)
}

/// One of them: written as the plan shows it, else from the current directory. One that the recovery has nothing to do
/// with was mistyped, and keeping nothing would overwrite the file.
fn kept_path(entry: &Entry<RealDisk>, path: &Path, cwd: &Path) -> Result<PathBuf> {
    let found = |path: PathBuf| canonical(&path).unwrap_or(path);
    let journal = match entry.journal() {
        Some(Ok(journal)) => Some(journal),
        // What it touched cannot be known.
        Some(Err(_)) => return Ok(found(cwd.join(path))),
        None if !entry.recovery.is_recorded() => return Ok(found(cwd.join(path))),
        // It was interrupted before its journal was written: its record says what it was to touch.
        None => None,
    };
    let bases: Vec<PathBuf> = match journal {
        Some(journal) => journal.bases.iter().map(|base| base.path.path()).collect(),
        None => planned_bases(&entry.recovery),
    };
    let from = bases.into_iter().chain([cwd.to_owned()]);
    let named: Vec<PathBuf> = from.map(|from| found(from.join(path))).collect();
    let mut touched = named.iter().filter(|path| match journal {
        Some(journal) => touches(entry, journal, path),
        None => is_planned(&entry.recovery, path),
    });
    touched.next().cloned().ok_or_else(|| {
        let mut inside = named.iter();
        if let Some(why) = inside.find_map(|path| not_alone(entry, path)) {
            return why;
        }
        let id = entry.recovery.id.0.as_str();
        let text = foreign!("Recovery {} did not touch {}.", id, path);
        EngineError::new(ErrorKind::NotFound, text).hint("relight history --json lists its paths.")
    })
}

/// Why a path cannot be left as it is by itself: it is in a directory that moves as a whole.
pub(super) fn not_alone(entry: &Entry<RealDisk>, path: &Path) -> Option<EngineError> {
    let place = moves_with(entry.good_journal()?, path)?;
    let text = foreign!("{} moves with {}, as a whole.", path, place.as_path());
    let hint = foreign!("To leave it as it is: --keep {}", place.as_path());
    Some(EngineError::new(ErrorKind::NotFound, text).hint(hint))
}

/// The directories that paths of a plan are relative to: its work trees and the directories of its files.
fn planned_bases(recovery: &Recovery) -> Vec<PathBuf> {
    let targets = recovery.actions.iter().map(|action| &action.target);
    let with_parent = |target: &PathBuf| {
        let parent = target.parent().map(Path::to_owned);
        std::iter::once(target.clone()).chain(parent)
    };
    targets.flat_map(with_parent).collect()
}

/// Whether a plan would change something at or under an absolute path.
fn is_planned(recovery: &Recovery, path: &Path) -> bool {
    let below = |action: &Action, rel: &Foreign| {
        let rel = rel.as_path();
        action.target.join(rel).starts_with(path)
    };
    recovery.root.starts_with(path)
        || recovery.actions.iter().any(|action| {
            matches!(&action.preview, Preview::Rename { to } if to.starts_with(path))
                || action.target.starts_with(path)
                || action.paths.iter().any(|one| below(action, &one.path))
        })
}

/// Whether a recovery changed something at or under an absolute path.
fn touches(entry: &Entry<RealDisk>, journal: &Journal, path: &Path) -> bool {
    let beneath = |at: usize, rel: &Path| {
        let base = journal.bases.get(at).map(|base| base.path.path());
        base.is_some_and(|base| base.join(rel).starts_with(path))
    };
    let mut tokens = journal.exchanges.iter().flat_map(|t| [&t.here, &t.there]);
    let mut appends = journal.appends.iter();
    let mut refs = journal.refs.iter();
    tokens.any(|spot| beneath(spot.base, &spot.rel()))
        || appends.any(|log| beneath(log.base, &crate::apply::appends::shown(log)))
        || refs.any(|moved| moved.git_dir.path().join(&moved.name).starts_with(path))
        || entry.recovery.root.starts_with(path)
}
