//! The order of exchanges: a folder exists before its content is moved in, and is empty before it is removed.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use super::error::ApplyError;
use super::exchange::{Base, BaseKind, Exchange, Known, Spot};
use crate::text::Shown as _;

/// A path among the person's files.
type At = (usize, PathBuf);

/// Assigns a batch to every exchange. Exchanges of one batch do not depend on each other.
pub fn arrange(exchanges: &mut [Exchange], bases: &[Base]) -> Result<(), ApplyError> {
    let spots = |exchange: &Exchange| {
        let own = |spot: &Spot| {
            let files = bases
                .get(spot.base)
                .is_some_and(|b| b.kind == BaseKind::Files);
            files.then(|| (spot.base, spot.rel()))
        };
        [own(&exchange.here), own(&exchange.there)]
    };
    let mut ends: HashMap<At, usize> = HashMap::new();
    for (at, exchange) in exchanges.iter().enumerate() {
        for end in spots(exchange).into_iter().flatten() {
            if let Some(_twice) = ends.insert(end.clone(), at) {
                let path = end.1.to_string_lossy();
                return Err(ApplyError::refused(format!(
                    "The plan changes {path} twice."
                )));
            }
        }
    }
    let mut after: Vec<Vec<usize>> = vec![Vec::new(); exchanges.len()];
    for (at, exchange) in exchanges.iter().enumerate() {
        // After the exchange, `here` holds what was in `there`, and the reverse.
        let afterwards = [exchange.there_had.is_some(), exchange.here_had.is_some()];
        let ends_of_it = spots(exchange).into_iter().zip(afterwards);
        for ((base, path), stays) in ends_of_it.filter_map(|(end, stays)| Some((end?, stays))) {
            for above in path.ancestors().skip(1) {
                let Some(&folder) = ends.get(&(base, above.to_owned())) else {
                    continue;
                };
                if folder == at {
                    continue;
                }
                let (first, then) = if comes(exchanges.get(folder), base, above) {
                    (folder, at)
                } else if stays {
                    // It would move with the folder, and its exchange would not find it at its place.
                    return Err(ApplyError::refused(format!(
                        "The plan changes {} in a directory that it removes.",
                        path.shown()
                    )));
                } else {
                    (at, folder)
                };
                if let Some(list) = after.get_mut(then) {
                    list.push(first);
                }
            }
        }
    }
    let batches = depths(&after)?;
    for (exchange, batch) in exchanges.iter_mut().zip(batches) {
        exchange.batch = batch;
    }
    // Sorted by folder within a batch: the order is then the same in every run, and a person can read the journal.
    exchanges.sort_by(|a, b| {
        (a.batch, a.here.base, &a.here.parent, &a.here.name).cmp(&(
            b.batch,
            b.here.base,
            &b.here.parent,
            &b.here.name,
        ))
    });
    Ok(())
}

/// Whether an exchange creates a folder at this path instead of removing one.
fn comes(exchange: Option<&Exchange>, base: usize, path: &Path) -> bool {
    let is_dir = |known: &Option<Known>| known.as_ref().is_some_and(Known::is_dir);
    exchange.is_some_and(|exchange| {
        if exchange.here.base == base && exchange.here.rel() == path {
            is_dir(&exchange.there_had) && !is_dir(&exchange.here_had)
        } else {
            is_dir(&exchange.here_had) && !is_dir(&exchange.there_had)
        }
    })
}

/// For each exchange the length of the longest chain that must come before it.
fn depths(after: &[Vec<usize>]) -> Result<Vec<u32>, ApplyError> {
    let mut batches: Vec<u32> = vec![0; after.len()];
    // Chains are as long as paths are deep, so a few rounds are enough; a cycle would never end.
    for _round in 0..=after.len() {
        let mut moved = false;
        for (at, firsts) in after.iter().enumerate() {
            let least = firsts
                .iter()
                .filter_map(|first| batches.get(*first))
                .map(|batch| batch + 1)
                .max()
                .unwrap_or_default();
            if let Some(batch) = batches.get_mut(at)
                && *batch < least
            {
                *batch = least;
                moved = true;
            }
        }
        if !moved {
            return Ok(batches);
        }
    }
    Err(ApplyError::refused(
        "The plan moves directories into each other in a circle.",
    ))
}
