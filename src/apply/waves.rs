//! The order of tokens: a folder is there before what goes into it, and empty before it goes.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use super::disk::Kind;
use super::token::{Base, BaseKind, Known, Spot, Token};
use super::trouble::Trouble;

/// A path among the person's files.
type At = (usize, PathBuf);

/// Gives every token its wave. Tokens of one wave have nothing to do with each other.
pub fn arrange(tokens: &mut [Token], bases: &[Base]) -> Result<(), Trouble> {
    let spots = |token: &Token| {
        let own = |spot: &Spot| {
            let files = bases
                .get(spot.base)
                .is_some_and(|b| b.kind == BaseKind::Files);
            files.then(|| (spot.base, spot.rel()))
        };
        [own(&token.here), own(&token.there)]
    };
    let mut ends: HashMap<At, usize> = HashMap::new();
    for (at, token) in tokens.iter().enumerate() {
        for end in spots(token).into_iter().flatten() {
            if let Some(_twice) = ends.insert(end.clone(), at) {
                let path = end.1.to_string_lossy();
                return Err(Trouble::refused(format!("The plan changes {path} twice.")));
            }
        }
    }
    let mut after: Vec<Vec<usize>> = vec![Vec::new(); tokens.len()];
    for (at, token) in tokens.iter().enumerate() {
        let afterwards = [token.there_had.is_some(), token.here_had.is_some()];
        let ends_of_it = spots(token).into_iter().zip(afterwards);
        for ((base, path), stays) in ends_of_it.filter_map(|(end, stays)| Some((end?, stays))) {
            for above in path.ancestors().skip(1) {
                let Some(&folder) = ends.get(&(base, above.to_owned())) else {
                    continue;
                };
                if folder == at {
                    continue;
                }
                let (first, then) = if comes(tokens.get(folder), base, above) {
                    (folder, at)
                } else if stays {
                    // It would go with the folder, and could not be found again where its token says.
                    return Err(Trouble::refused(format!(
                        "The plan changes {} in a folder that it takes away.",
                        path.to_string_lossy()
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
    let waves = depths(&after)?;
    for (token, wave) in tokens.iter_mut().zip(waves) {
        token.wave = wave;
    }
    tokens.sort_by(|a, b| {
        (a.wave, a.here.base, &a.here.parent, &a.here.name).cmp(&(
            b.wave,
            b.here.base,
            &b.here.parent,
            &b.here.name,
        ))
    });
    Ok(())
}

/// Whether a token makes a folder at this path, rather than taking one away.
fn comes(token: Option<&Token>, base: usize, path: &Path) -> bool {
    let is_dir = |known: &Option<Known>| known.is_some_and(|known| known.node.kind == Kind::Dir);
    token.is_some_and(|token| {
        if token.here.base == base && token.here.rel() == path {
            is_dir(&token.there_had) && !is_dir(&token.here_had)
        } else {
            is_dir(&token.here_had) && !is_dir(&token.there_had)
        }
    })
}

/// For each token the length of the longest chain that must come before it.
fn depths(after: &[Vec<usize>]) -> Result<Vec<u32>, Trouble> {
    let mut waves: Vec<u32> = vec![0; after.len()];
    // Chains are as long as paths are deep, so a few rounds are enough; a circle would never end.
    for _round in 0..=after.len() {
        let mut moved = false;
        for (at, firsts) in after.iter().enumerate() {
            let least = firsts
                .iter()
                .filter_map(|first| waves.get(*first))
                .map(|wave| wave + 1)
                .max()
                .unwrap_or_default();
            if let Some(wave) = waves.get_mut(at)
                && *wave < least
            {
                *wave = least;
                moved = true;
            }
        }
        if !moved {
            return Ok(waves);
        }
    }
    Err(Trouble::refused(
        "The plan moves folders into each other in a circle.",
    ))
}
