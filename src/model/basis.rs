//! What a plan was computed from, so that a refusal can name what changed since.

use std::collections::{BTreeSet, HashSet};
use std::path::{Path, PathBuf};

use super::Foreign;
use crate::foreign;
use crate::text::format::plural;

/// The most paths that a sentence names.
const NAMED: usize = 3;

/// One thing a plan was computed from: a path, and a digest of its content or of its identity and times.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Basis {
    /// The path.
    pub path: PathBuf,
    /// Its state as bytes; empty where the path does not exist.
    pub state: Vec<u8>,
}

impl Basis {
    /// What changed between two plans of the same request, as the beginning of a sentence: the files, or else the plan.
    pub fn changed(before: &[Self], now: &[Self]) -> Foreign {
        let (before, now): (HashSet<&Self>, HashSet<&Self>) =
            (before.iter().collect(), now.iter().collect());
        let differ = before.symmetric_difference(&now);
        let paths: BTreeSet<&Path> = differ.map(|one| one.path.as_path()).collect();
        match paths.len() {
            0 => "The plan has changed".into(),
            number => {
                let names = Foreign::list_first(paths.into_iter().map(Foreign::from), NAMED);
                foreign!("{} {} changed", &names, plural(number, "has", "have"))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_changed_is_named() {
        let of = |all: &[(&str, &str)]| -> Vec<Basis> {
            let basis = |(path, state): &(&str, &str)| Basis {
                path: path.into(),
                state: (*state).into(),
            };
            all.iter().map(basis).collect()
        };
        let before = of(&[("/p/a", "1"), ("/p/b", "1")]);
        let table: [(&[(&str, &str)], &str); 5] = [
            (&[("/p/a", "1"), ("/p/b", "1")], "The plan has changed"),
            (&[("/p/a", "2"), ("/p/b", "1")], "/p/a has changed"),
            (&[("/p/a", "1")], "/p/b has changed"),
            (&[("/p/c", "1")], "/p/a, /p/b and /p/c have changed"),
            (
                &[("/p/c", "1"), ("/p/d", "1")],
                "/p/a, /p/b, /p/c and 1 more have changed",
            ),
        ];
        for (now, expected) in table {
            assert_eq!(Basis::changed(&before, &of(now)).lossy(), expected);
        }
    }
}
