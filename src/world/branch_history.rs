//! Where a branch was at a past moment, according to its own commits.

use std::collections::HashMap;
use std::path::Path;

use chrono::{DateTime, TimeDelta, Utc};

use super::git::{Commit, Git, GitError};

/// How many commits are searched.
const COMMITS: usize = 2_000;

/// The history of a branch since a moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Since {
    /// The commit it was at then; `None` if all searched commits are newer.
    pub commit: Option<Commit>,
    /// The newer commits, newest first.
    pub newer: Vec<Commit>,
    /// Whether there may be more of them: the clone is shallow, or the search ended before the branch did.
    pub more: bool,
    /// A commit of the branch whose time cannot be that of the branch: it was written before the moment and rewritten
    /// after it (a rebase, an amendment), is newer than one that followed it (a clock that was set back), or is much
    /// older than its parents.
    pub doubtful: Option<Commit>,
}

/// Follows only first parents: a commit that a later merge brought in was never the branch's tip. The search ends at
/// `base`; a base that is not an ancestor of the tip is ignored.
pub fn since(
    git: &dyn Git,
    work_tree: &Path,
    tip: &str,
    base: Option<&str>,
    (moment, now): (DateTime<Utc>, DateTime<Utc>),
) -> Result<Since, GitError> {
    let base = base.filter(|base| git.is_ancestor(work_tree, base, tip).unwrap_or(false));
    let mut all = git.log(work_tree, tip, base, COMMITS)?;
    all.extend(base.and_then(|base| git.find_commit(work_tree, base).ok()));
    let by_id: HashMap<&str, &Commit> = all.iter().map(|c| (c.id.as_str(), c)).collect();
    let above = |commit: &&Commit| by_id.get(commit.parents.first()?.as_str()).copied();
    let chain: Vec<&Commit> = std::iter::successors(by_id.get(tip).copied(), above).collect();
    let times = times(&chain, now);
    let newer = times.iter().take_while(|time| **time > moment).count();
    let timeless = chain.get(newer).copied();
    let timeless = timeless.filter(|commit| times.get(newer) != Some(&commit.time));
    let (after, before) = chain.split_at(newer);
    let rewritten = after.iter().find(|commit| commit.authored <= moment);
    let misplaced = || before.iter().find(|commit| commit.time > moment);
    let doubtful = rewritten.copied().or(timeless);
    let doubtful = doubtful.or_else(|| misplaced().copied()).cloned();
    let commit = before.first().map(|commit| (*commit).clone());
    let is_end = |last: &&Commit| last.parents.is_empty() || Some(last.id.as_str()) == base;
    let open = commit.is_none() && !chain.last().is_some_and(is_end);
    let newer = match &commit {
        Some(then) => git.log(work_tree, tip, Some(&then.id), COMMITS)?,
        None => all
            .into_iter()
            .filter(|commit| commit.time > moment)
            .collect(),
    };
    Ok(Since {
        more: open || newer.len() >= COMMITS || newer.iter().any(|commit| commit.cut),
        commit,
        newer,
        doubtful,
    })
}

/// How much older than its parent a commit may be because two machines made them.
const SKEW: TimeDelta = TimeDelta::days(1);

/// When the commits of a chain were made. One that seems to be much older than its parents is not: a clock was wrong,
/// and it counts as made when they were. A time to come says nothing of the commits that followed.
fn times(chain: &[&Commit], now: DateTime<Utc>) -> Vec<DateTime<Utc>> {
    let mut newest = DateTime::UNIX_EPOCH;
    let mut times = Vec::new();
    for commit in chain.iter().rev() {
        let wrong = newest.signed_duration_since(commit.time) > SKEW;
        times.push(if wrong { newest } else { commit.time });
        if commit.time <= now {
            newest = newest.max(commit.time);
        }
    }
    times.reverse();
    times
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world::fake::{FakeGit, FakeRepo};
    use chrono::TimeZone as _;

    fn at(minute: u32) -> DateTime<Utc> {
        Utc.with_ymd_and_hms(2026, 4, 8, 10, minute, 0).unwrap()
    }

    fn ask(git: &FakeGit, base: Option<&str>, moment: u32) -> Since {
        since(git, Path::new("/p"), "merge", base, (at(moment), at(59))).unwrap()
    }

    fn commit(id: &str, minute: u32, parents: &[&str]) -> Commit {
        Commit {
            id: id.to_owned(),
            time: at(minute),
            authored: at(minute),
            subject: id.into(),
            body: "".into(),
            parents: parents.iter().map(|id| (*id).to_owned()).collect(),
            cut: false,
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
            let found = ask(&git(), *base, *minute);
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
            let found = ask(&git, None, *moment);
            let id = found.doubtful.map(|commit| commit.id);
            assert_eq!(id.as_deref(), *expected, "{lies:?}");
        }
    }

    #[test]
    fn a_clock_that_was_wrong_hides_no_newer_commit() {
        let long_ago = DateTime::UNIX_EPOCH;
        let to_come = at(0) + TimeDelta::days(365);
        // The commit with a wrong time, the time, the moment, and the newer ones.
        for (wrong, time, moment, newer) in [
            ("merge", long_ago, 5, &["merge", "two"][..]),
            ("two", long_ago, 5, &["merge"]),
            ("merge", to_come, 20, &["merge"]),
            ("base", to_come, 40, &[]),
        ] {
            let mut git = git();
            let repos = git.repos.values_mut();
            let mut commits = repos.flat_map(|repo| repo.branches.values_mut().flatten());
            let commit = commits.find(|commit| commit.id == wrong).unwrap();
            (commit.time, commit.authored) = (time, time);
            let found = ask(&git, None, moment);
            let unsure = found.doubtful.map(|commit| commit.id);
            assert_eq!(
                unsure.as_deref(),
                (moment != 20).then_some(wrong),
                "{wrong}"
            );
            let newer_ones = found.newer.into_iter().map(|commit| commit.id);
            let mut ids: Vec<String> = newer_ones.filter(|id| id != "side").collect();
            ids.sort();
            assert_eq!(ids, newer, "{wrong} {time}");
        }
    }

    #[test]
    fn where_a_search_ends_before_the_branch_there_may_be_more() {
        for (cut, moment, more) in [
            ("base", 10, false),
            ("two", 10, false),
            ("two", 5, true),
            ("side", 10, true),
        ] {
            let mut git = git();
            let repos = git.repos.values_mut();
            let commits = repos.flat_map(|repo| repo.branches.values_mut()).next();
            let commits = commits.unwrap();
            let commit = commits.iter_mut().find(|commit| commit.id == cut).unwrap();
            (commit.cut, commit.parents) = (true, Vec::new());
            assert_eq!(ask(&git, None, moment).more, more, "{cut} {moment}");
        }
    }
}
