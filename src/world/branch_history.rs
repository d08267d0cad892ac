//! Where a branch was at a past moment, according to its own commits.

use std::collections::HashMap;
use std::path::Path;

use chrono::{DateTime, Utc};

use super::git::{Commit, Git};

/// How many commits are searched.
const COMMITS: usize = 2_000;

/// The history of a branch since a moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Since {
    /// The commit it was at then; `None` if all searched commits are newer.
    pub commit: Option<Commit>,
    /// The newer commits, newest first.
    pub newer: Vec<Commit>,
    /// A commit of the branch whose time cannot be that of the branch: it was written before the moment and rewritten
    /// after it (a rebase, an amendment), or is newer than one that followed it (a clock that was set back).
    pub doubtful: Option<Commit>,
}

/// Follows only first parents: a commit that a later merge brought in was never the branch's tip. The search ends at
/// `base`; a base that is not an ancestor of the tip is ignored.
pub fn since(
    git: &dyn Git,
    work_tree: &Path,
    tip: &str,
    base: Option<&str>,
    moment: DateTime<Utc>,
) -> Since {
    let base = base.filter(|base| git.is_ancestor(work_tree, base, tip).unwrap_or(false));
    let mut all = git.log(work_tree, tip, base, COMMITS).unwrap_or_default();
    all.extend(base.and_then(|base| git.find_commit(work_tree, base).ok()));
    let by_id: HashMap<&str, &Commit> = all.iter().map(|c| (c.id.as_str(), c)).collect();
    let above = |commit: &&Commit| by_id.get(commit.parents.first()?.as_str()).copied();
    let chain: Vec<&Commit> = std::iter::successors(by_id.get(tip).copied(), above).collect();
    let after = chain.iter().take_while(|commit| commit.time > moment);
    let (after, before) = chain.split_at(after.count());
    let rewritten = after.iter().find(|commit| commit.authored <= moment);
    let misplaced = || before.iter().find(|commit| commit.time > moment);
    let doubtful = rewritten.or_else(misplaced).map(|commit| (*commit).clone());
    let commit = before.first().map(|commit| (*commit).clone());
    let newer = match &commit {
        Some(then) => git
            .log(work_tree, tip, Some(&then.id), COMMITS)
            .unwrap_or_default(),
        None => all
            .into_iter()
            .filter(|commit| commit.time > moment)
            .collect(),
    };
    Since {
        commit,
        newer,
        doubtful,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world::fake::{FakeGit, FakeRepo};
    use chrono::TimeZone as _;

    fn at(minute: u32) -> DateTime<Utc> {
        Utc.with_ymd_and_hms(2026, 4, 8, 10, minute, 0).unwrap()
    }

    fn commit(id: &str, minute: u32, parents: &[&str]) -> Commit {
        Commit {
            id: id.to_owned(),
            time: at(minute),
            authored: at(minute),
            subject: id.into(),
            body: "".into(),
            parents: parents.iter().map(|id| (*id).to_owned()).collect(),
        }
    }

    /// A branch of three commits, into which an older one was merged later.
    fn git() -> FakeGit {
        let commits = vec![
            commit("merge", 30, &["two", "side"]),
            commit("side", 19, &["base"]),
            commit("two", 10, &["base"]),
            commit("base", 0, &[]),
        ];
        let repo = FakeRepo {
            branch: Some("main".to_owned()),
            branches: [("main".to_owned(), commits)].into(),
            ..FakeRepo::default()
        };
        FakeGit {
            repos: [("/p".into(), repo)].into(),
        }
    }

    /// Minute, base, the commit it was at, and the newer ones.
    type Row<'a> = (u32, Option<&'a str>, Option<&'a str>, &'a [&'a str]);

    #[test]
    fn a_branch_was_never_at_a_merged_commit() {
        let table: &[Row<'_>] = &[
            (40, None, Some("merge"), &[]),
            (20, None, Some("two"), &["merge", "side"]),
            (5, None, Some("base"), &["merge", "side", "two"]),
            (5, Some("base"), Some("base"), &["merge", "side", "two"]),
            (5, Some("unknown"), Some("base"), &["merge", "side", "two"]),
        ];
        for (minute, base, then, newer) in table {
            let found = since(&git(), Path::new("/p"), "merge", *base, at(*minute));
            let id = found.commit.map(|commit| commit.id);
            assert_eq!(id.as_deref(), *then, "{minute}");
            let ids: Vec<&str> = found.newer.iter().map(|c| c.id.as_str()).collect();
            assert_eq!(ids, *newer, "{minute}");
        }
    }

    #[test]
    fn a_time_that_cannot_be_that_of_the_branch_is_told() {
        // Commits with other times: committed and written in these minutes.
        type Row<'a> = (&'a [(&'a str, u32, u32)], u32, Option<&'a str>);
        let table: &[Row<'_>] = &[
            (&[], 5, None),
            (&[("two", 10, 2)], 5, Some("two")),
            (&[("two", 6, 6), ("base", 8, 8)], 7, Some("base")),
            // One that was merged in says nothing of where the branch was.
            (&[("side", 19, 2)], 5, None),
        ];
        for (lies, moment, expected) in table {
            let mut git = git();
            let repos = git.repos.values_mut();
            let commits = repos.flat_map(|repo| repo.branches.values_mut().flatten());
            for commit in commits {
                if let Some((_, made, written)) = lies.iter().find(|lie| lie.0 == commit.id) {
                    (commit.time, commit.authored) = (at(*made), at(*written));
                }
            }
            let found = since(&git, Path::new("/p"), "merge", None, at(*moment));
            let id = found.doubtful.map(|commit| commit.id);
            assert_eq!(id.as_deref(), *expected, "{lies:?}");
        }
    }
}
