use std::fs;

use super::*;
use crate::git::RealGit;
use crate::git::scratch::{Content, Scratch};
use crate::git::testing::{at, command, git, git_is_there, project};
use crate::world::git::Git as _;

const WHO: [&str; 4] = ["-c", "user.name=x", "-c", "user.email=x@x"];

/// A repository with every mode and two commits; the ids, the older first.
fn two(dir: &Path) -> (Scratch, String, String) {
    let (scratch, _) = project(dir);
    let long = [&b"deep/"[..], &b"n".repeat(200), b"/", &b"m".repeat(250)].concat();
    let contents: &[(&[u8], Content<'_>)] = &[
        (b"bin/run", Content::Executable(b"#!/bin/sh\n")),
        (b"bin/link", Content::Link(b"run")),
        (b"odd \xfe\n", Content::File(b"o")),
        (b"a", Content::File(b"a")),
        (b"a.b", Content::File(b"a.b")),
        (b"a-/x", Content::File(b"x")),
        (&long, Content::File(b"long")),
    ];
    let old = scratch.commit_contents(contents, "All", "", at(2)).unwrap();
    let contents: &[(&[u8], Content<'_>)] = &[
        (b"a", Content::File(b"changed")),
        (b"a.b", Content::Gone),
        (b"bin/run", Content::File(b"#!/bin/sh\n")),
        (b"since/x", Content::File(b"x")),
    ];
    let new = scratch
        .commit_contents(contents, "More", "", at(3))
        .unwrap();
    (scratch, old, new)
}

/// Changes a work tree as a recovery would: files, index, branch.
fn reset(work_tree: &Path, git_dir: &Path, from: &str, to: &str, branch: &str) {
    let bytes = of_commit(work_tree, to, &BTreeSet::new()).unwrap();
    let archive = git_out(work_tree, &["archive", to]);
    for path in git_out(work_tree, &["ls-tree", "-r", "-z", "--name-only", from])
        .split(|byte| *byte == 0)
        .filter(|path| !path.is_empty())
    {
        let _gone = fs::remove_file(crate::git::testing::under(work_tree, path));
    }
    fs::write(work_tree.join("../a.tar"), archive).unwrap();
    let out = std::process::Command::new("tar")
        .args(["-xf", "../a.tar"])
        .current_dir(work_tree)
        .output()
        .unwrap();
    assert!(out.status.success());
    fs::write(git_dir.join("index"), bytes).unwrap();
    let name = crate::git::refs::branch_name(branch);
    assert!(crate::git::refs::swap(work_tree, &name, Some(from), Some(to), "m").unwrap());
}

fn git_out(dir: &Path, args: &[&str]) -> Vec<u8> {
    let out = command(dir, args, &[]);
    assert!(
        out.status.success(),
        "{}",
        String::from_utf8_lossy(&out.stderr)
    );
    out.stdout
}

#[test]
fn git_finds_a_reset_work_tree_clean() {
    if !git_is_there() {
        return;
    }
    for linked in [false, true] {
        let dir = crate::world::temporary::directory();
        let (scratch, old, new) = two(dir.path());
        let tree = if linked {
            scratch
                .worktree(&dir.path().join("wt"), "task", at(4))
                .unwrap()
        } else {
            scratch
        };
        let branch = if linked { "task" } else { "main" };
        let (top, own) = (tree.work_tree(), tree.git_dir());
        assert_eq!(git_dir(top).unwrap(), own);
        for (from, to) in [(&new, &old), (&old, &new)] {
            reset(top, own, from, to, branch);
            let status = git(top, &["status", "--porcelain", "--untracked-files=all"]);
            assert_eq!(status, "", "{from} to {to}");
            let files = git(top, &["ls-files", "-s", "-z"]);
            fs::rename(own.join("index"), own.join("index.ours")).unwrap();
            git(top, &["read-tree", to]);
            assert_eq!(files, git(top, &["ls-files", "-s", "-z"]));
            fs::rename(own.join("index.ours"), own.join("index")).unwrap();
        }
        assert_eq!(git(top, &["fsck", "--strict"]), "");
    }
}

#[test]
fn stat_data_of_equal_files_is_kept_unless_racy() {
    if !git_is_there() {
        return;
    }
    let dir = crate::world::temporary::directory();
    let (scratch, old, _) = two(dir.path());
    let (top, own) = (scratch.work_tree(), scratch.git_dir());
    // The index is made a second newer than the files, so that a plumbing command trusts it.
    scratch.age(at(3)).unwrap();
    let bytes = of_commit(top, &old, &BTreeSet::new()).unwrap();
    fs::write(own.join("index"), &bytes).unwrap();
    let unsure = git(top, &["diff-files", "--name-only"]);
    assert_eq!(
        unsure, "a\na.b\nbin/run\n",
        "only differing files are read again"
    );
    // An index older than its files vouches for none of them.
    git(top, &["read-tree", "-m", &old]);
    scratch.age(at(0)).unwrap();
    let young = of_commit(top, &old, &BTreeSet::new()).unwrap();
    fs::write(own.join("index"), &young).unwrap();
    assert!(git(top, &["diff-files", "--name-only"]).contains("README.md\n"));
}

#[test]
fn gitlinks_stay_entries() {
    if !git_is_there() {
        return;
    }
    let dir = crate::world::temporary::directory();
    let (scratch, old, new) = two(dir.path());
    let top = scratch.work_tree();
    let link = format!("160000,{old},sub");
    git(top, &["update-index", "--add", "--cacheinfo", &link]);
    git(top, &[&WHO[..], &["commit", "-qm", "Sub"]].concat());
    fs::create_dir(top.join("sub")).unwrap();
    let tip = scratch.head().unwrap();
    let bytes = of_commit(top, &tip, &BTreeSet::new()).unwrap();
    fs::write(scratch.git_dir().join("index"), bytes).unwrap();
    assert!(git(top, &["ls-files", "-s"]).contains(&format!("160000 {old} 0\tsub\n")));
    assert_eq!(git(top, &["status", "--porcelain"]), "");
    assert_ne!(new, tip);
}

/// A change that gives an index more information than its commit.
type Change = fn(&Scratch, &str);

#[test]
fn an_index_with_more_than_its_commit_is_refused() {
    if !git_is_there() {
        return;
    }
    let table: &[(&str, &str, Change)] = &[
        ("split", "split", |scratch, _| {
            git(scratch.work_tree(), &["update-index", "--split-index"]);
        }),
        ("skipped entries", "leaves files out", |scratch, _| {
            git(
                scratch.work_tree(),
                &["update-index", "--skip-worktree", "a"],
            );
        }),
        ("a sparse checkout", "sparse", |scratch, _| {
            git(scratch.work_tree(), &["sparse-checkout", "set", "bin"]);
        }),
        ("a sparse index", "sparse", |scratch, _| {
            git(
                scratch.work_tree(),
                &["sparse-checkout", "set", "--sparse-index", "bin"],
            );
            git(
                scratch.work_tree(),
                &["config", "--worktree", "core.sparseCheckout", "false"],
            );
        }),
        ("an unfinished merge", "merge", |scratch, old| {
            let top = scratch.work_tree();
            git(top, &["checkout", "-q", "-b", "side", old]);
            fs::write(top.join("a"), "side").unwrap();
            git(top, &[&WHO[..], &["commit", "-qam", "Side"]].concat());
            let out = command(top, &[&WHO[..], &["merge", "main"]].concat(), &[]);
            assert!(!out.status.success());
        }),
        ("a broken index", "damaged", |scratch, _| {
            fs::write(scratch.git_dir().join("index"), "nonsense").unwrap();
        }),
    ];
    for (what, word, change) in table {
        let dir = crate::world::temporary::directory();
        let (scratch, old, new) = two(dir.path());
        check(scratch.work_tree()).unwrap();
        change(&scratch, &old);
        let error = check(scratch.work_tree()).unwrap_err();
        let refused = error.to_string();
        assert!(refused.contains(word), "{what}: {refused}");
        assert!(
            of_commit(scratch.work_tree(), &new, &BTreeSet::new()).is_err(),
            "{what}"
        );
        if let GitError::Index { cure, .. } = error
            && cure.contains("git -C")
        {
            obey(&cure);
            check(scratch.work_tree()).unwrap_or_else(|why| panic!("{what} after {cure}: {why}"));
        }
    }
}

/// Runs the command at the end of a sentence.
fn obey(cure: &str) {
    let (_, command) = cure.split_once(": ").unwrap();
    let done = std::process::Command::new("sh")
        .args(["-c", command])
        .output();
    let done = done.unwrap();
    assert!(done.status.success(), "{cure}: {done:?}");
}

#[test]
fn what_makes_an_index_readable_is_said_and_does() {
    if !git_is_there() {
        return;
    }
    let table: [(&str, &[&[&str]]); 2] = [
        ("split index", &[&["update-index", "--split-index"]]),
        (
            "sparse index",
            &[&["sparse-checkout", "set", "--sparse-index", "bin"]],
        ),
    ];
    for (what, commands) in table {
        let dir = crate::world::temporary::directory();
        let (scratch, ..) = two(dir.path());
        let top = scratch.work_tree();
        fs::create_dir_all(top.join("lib")).unwrap();
        fs::write(top.join("lib/y"), "y").unwrap();
        git(top, &["add", "."]);
        git(top, &[&WHO[..], &["commit", "-qm", "lib"]].concat());
        for command in commands {
            git(top, command);
        }
        let readers: [fn(&Path) -> Option<GitError>; 3] = [
            |top| digest(top).err(),
            |top| RealGit.unmerged(top).err(),
            |top| is_of_head(top).err(),
        ];
        for reader in readers {
            let Some(GitError::Index { what: said, .. }) = reader(top) else {
                panic!("{what} is read");
            };
            assert!(said.contains(what), "{said}");
        }
        let Some(GitError::Index { cure, .. }) = digest(top).err() else {
            panic!();
        };
        obey(&cure);
        for reader in readers {
            assert_eq!(reader(top), None, "{what} after {cure}");
        }
    }
}

#[test]
fn a_work_tree_without_an_index_gets_one() {
    if !git_is_there() {
        return;
    }
    let dir = crate::world::temporary::directory();
    let (scratch, _, new) = two(dir.path());
    let index = scratch.git_dir().join("index");
    fs::remove_file(&index).unwrap();
    let bytes = of_commit(scratch.work_tree(), &new, &BTreeSet::new()).unwrap();
    fs::write(&index, bytes).unwrap();
    assert_eq!(git(scratch.work_tree(), &["status", "--porcelain"]), "");
}

#[test]
fn an_index_needs_the_top_of_a_work_tree_and_a_commit() {
    let dir = crate::world::temporary::directory();
    let (scratch, old, _) = two(dir.path());
    let top = scratch.work_tree();
    assert!(git_dir(&top.join("bin")).is_err());
    assert!(git_dir(dir.path()).is_err());
    for no_commit in ["main", "abc", old.get(..39).unwrap(), &"1".repeat(40)] {
        assert!(
            of_commit(top, no_commit, &BTreeSet::new()).is_err(),
            "{no_commit}"
        );
    }
}
