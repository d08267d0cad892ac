use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::Path;

use crate::git::RealGit;
use crate::git::testing::{at, git, git_is_there, git_with, project};
use crate::world::git::Git as _;

const PATHS: [&str; 5] = ["README.md", "src", "src/a.rs", "src/deep/b.rs", "none"];

/// The commits in which a path differs from every parent, by git's own listings.
fn by_git(top: &Path, path: &str) -> BTreeSet<String> {
    let entry = |commit: &str| git(top, &["ls-tree", commit, "--", path]);
    let lines = git(top, &["rev-list", "--parents", "HEAD"]);
    let mut found = BTreeSet::new();
    for line in lines.lines() {
        let mut ids = line.split(' ');
        let commit = ids.next().unwrap_or_default();
        let now = entry(commit);
        let parents: Vec<&str> = ids.collect();
        let there = !now.is_empty() || !parents.is_empty();
        if there && parents.iter().all(|parent| entry(parent) != now) {
            found.insert(commit.to_owned());
        }
    }
    found
}

#[test]
fn a_history_is_that_of_git_however_often_and_whenever_it_is_asked_for() {
    if !git_is_there() {
        return;
    }
    let dir = crate::world::temporary::directory();
    let (scratch, _) = project(dir.path());
    let top = scratch.work_tree();
    let commit = |step: u32, path: &str, content: Option<&[u8]>| {
        // Two commits of each time.
        let made = scratch.commit(&[(path, content)], "Change", "", at(step / 2));
        made.unwrap();
    };
    for step in 2..14 {
        let content = step.to_string();
        let content = (step % 4 != 0).then_some(content.as_bytes());
        let paths = [
            "src/deep/b.rs",
            "README.md",
            "src/a.rs",
            "other",
            "src/deep/c.rs",
        ];
        let path = paths[usize::try_from(step).unwrap() * 3 % paths.len()];
        commit(step, path, content);
        if step == 5 {
            git(top, &["branch", "side"]);
        }
        if step == 9 {
            git(top, &["switch", "-q", "side"]);
            commit(9, "README.md", Some(b"side"));
            commit(10, "src/deep/b.rs", Some(b"side"));
            git(top, &["switch", "-q", "main"]);
            git(top, &["config", "user.name", "x"]);
            git(top, &["config", "user.email", "x"]);
            let time = OsString::from(format!("@{} +0000", at(5).timestamp()));
            let time = [("GIT_COMMITTER_DATE", time.as_os_str())];
            git_with(
                top,
                &["merge", "-q", "-s", "ours", "-m", "Merge", "side"],
                &time,
            );
        }
        if step == 11 {
            git(top, &["repack", "-adq"]);
        }
        if ![5, 9, 11, 13].contains(&step) {
            continue;
        }
        for path in PATHS {
            let all = by_git(top, path);
            // A first look that needs a part of the history must not spoil the next one.
            for limit in [1, 99] {
                let found = RealGit.path_history(top, Path::new(path), limit).unwrap();
                let newest_first = found.is_sorted_by(|a, b| a.time >= b.time);
                assert!(newest_first, "{path} at {step}");
                let ids: BTreeSet<_> = found.into_iter().map(|commit| commit.id).collect();
                assert_eq!(ids.len(), all.len().min(limit), "{path} at {step}");
                assert!(ids.is_subset(&all), "{path} at {step}: {ids:?} {all:?}");
            }
        }
    }
}
