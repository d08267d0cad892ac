//! Attributes files that a restore writes, removes or leaves decide how it writes the others. git is the judge.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use super::{Change, drift};
use crate::git::RealGit;
use crate::git::testing::{at, brief, git, git_is_there, project, uncovered};
use crate::model::{Drift, Foreign, PathState};
use crate::world::git::Git as _;

/// The stored files, which are written when the attributes are those of the commit.
const STORED: [(&str, &[u8]); 6] = [
    (
        ".gitattributes",
        b"*.sh text eol=lf\n*.bat text eol=crlf\n*.key -filter\n",
    ),
    ("run.sh", b"#!/bin/sh\n"),
    ("r.bat", b"a\n"),
    ("one.key", b"secret\n"),
    ("sub/in.sh", b"a\n"),
    ("sub/in.txt", b"a\n"),
];

const OTHERS: &str =
    "*.sh text eol=crlf\n*.bat text eol=lf\n*.txt text eol=crlf\n*.key filter=rot\n";

/// What a restore writes for a path; `None` where it writes nothing.
fn written(found: &Drift, name: &str, stored: &[u8]) -> Option<Vec<u8>> {
    let path = found.paths.iter().find(|path| path.path.lossy() == name);
    let path =
        path.filter(|path| matches!(path.state, PathState::Modified | PathState::Missing))?;
    Some(path.blob.as_ref()?.line_ends.written(stored).into_owned())
}

#[test]
fn attributes_that_are_restored_decide_how_files_are_written() {
    if !git_is_there() {
        return;
    }
    let table: &[(&str, Change)] = &[
        ("changed", |top| {
            fs::write(top.join(".gitattributes"), OTHERS).unwrap();
        }),
        ("removed", |top| {
            fs::remove_file(top.join(".gitattributes")).unwrap();
        }),
        ("a directory", |top| {
            fs::remove_file(top.join(".gitattributes")).unwrap();
            fs::create_dir(top.join(".gitattributes")).unwrap();
        }),
        ("others beneath, which are kept", |top| {
            fs::write(top.join("sub/.gitattributes"), OTHERS).unwrap();
        }),
    ];
    let cases = table.iter().flat_map(|one| [(one, false), (one, true)]);
    for ((what, change), is_linked) in cases {
        let dir = crate::world::temporary::directory();
        let (scratch, _) = project(dir.path());
        let top = scratch.work_tree();
        git(top, &["config", "filter.rot.smudge", "tr a-z n-za-m"]);
        let stored: Vec<_> = STORED.map(|(name, bytes)| (name, Some(bytes))).to_vec();
        let head = scratch.commit(&stored, "Files", "", at(3)).unwrap();
        let linked = dir.path().join("linked");
        let top = if is_linked {
            git(top, &["worktree", "add", "-q", linked.to_str().unwrap()]);
            linked.as_path()
        } else {
            top
        };
        for (name, _) in &STORED[1..] {
            fs::write(top.join(name), "changed\r\n").unwrap();
        }
        change(top);
        let found = drift(top, &head, top);
        git(top, &["checkout", "-q", "HEAD", "--", "."]);
        for (name, stored) in &STORED[1..] {
            let wanted = fs::read(top.join(name)).unwrap();
            assert_eq!(
                written(&found, name, stored),
                Some(wanted),
                "{what}: {name}"
            );
        }
    }
}

/// The same content is the same where the attributes of the commit convert it, whatever is on the disk.
#[test]
fn attributes_that_are_restored_decide_what_is_the_same() {
    if !git_is_there() {
        return;
    }
    let dir = crate::world::temporary::directory();
    let (scratch, _) = project(dir.path());
    let top = scratch.work_tree();
    let stored: Vec<_> = STORED.map(|(name, bytes)| (name, Some(bytes))).to_vec();
    let head = scratch.commit(&stored, "Files", "", at(3)).unwrap();
    for name in ["r.bat", "sub/in.txt"] {
        fs::write(top.join(name), "a\r\n").unwrap();
    }
    fs::write(top.join(".gitattributes"), "*.bat -text\n*.txt text\n").unwrap();
    let changed = [".gitattributes", "sub/in.txt"].map(|name| ('M', name.as_bytes().to_vec()));
    assert_eq!(brief(&drift(top, &head, top)), changed);
}

#[test]
fn attributes_that_are_not_restored_decide_as_they_are_afterwards() {
    if !git_is_there() {
        return;
    }
    let dir = crate::world::temporary::directory();
    let (scratch, _) = project(dir.path());
    let top = scratch.work_tree();
    let stored: Vec<_> = STORED.map(|(name, bytes)| (name, Some(bytes))).to_vec();
    let head = scratch.commit(&stored, "Files", "", at(3)).unwrap();
    for (name, _) in &STORED[1..] {
        fs::write(top.join(name), "changed\r\n").unwrap();
    }
    fs::write(top.join(".gitattributes"), OTHERS).unwrap();
    fs::write(top.join("sub/.gitattributes"), "*.txt text eol=crlf\n").unwrap();
    let except = |names: &[&str]| {
        let names: BTreeSet<Foreign> = names.iter().map(|name| Foreign::from(*name)).collect();
        let found = RealGit.drift_except((top, &head), top, &names).unwrap();
        ["run.sh", "r.bat", "sub/in.txt"].map(|name| written(&found, name, b"a\n").unwrap())
    };
    let (lf, crlf) = (b"a\n".to_vec(), b"a\r\n".to_vec());
    assert_eq!(except(&[]), [lf.clone(), crlf.clone(), crlf.clone()]);
    // Left as they are.
    let left = except(&[".gitattributes"]);
    assert_eq!(left, [crlf.clone(), lf.clone(), crlf.clone()]);
    // Removed.
    assert_eq!(except(&["sub/.gitattributes"]), [lf.clone(), crlf, lf]);
}

/// Reading attributes writes nothing, though libgit2 reads them from an index.
#[test]
fn attributes_are_read_without_writing_an_object() {
    let dir = crate::world::temporary::directory();
    let (scratch, _) = project(dir.path());
    let top = scratch.work_tree();
    let stored: Vec<_> = STORED.map(|(name, bytes)| (name, Some(bytes))).to_vec();
    let head = scratch.commit(&stored, "Files", "", at(3)).unwrap();
    fs::write(top.join("sub/.gitattributes"), OTHERS).unwrap();
    fs::write(top.join("run.sh"), "changed\n").unwrap();
    let before = super::listing(Path::new(scratch.git_dir()));
    assert!(!drift(top, &head, top).paths.is_empty());
    assert_eq!(super::listing(Path::new(scratch.git_dir())), before);
}

/// Ignore rules that changed after the commit make no file older or newer than it.
#[test]
fn a_file_is_created_after_a_commit_only_if_the_rules_of_neither_side_ignore_it() {
    let dir = crate::world::temporary::directory();
    let (scratch, _) = project(dir.path());
    let top = scratch.work_tree();
    let stored: [(&str, Option<&[u8]>); 2] = [
        (".gitignore", Some(b".env\ncache/\n*.log\n")),
        ("sub/.gitignore", Some(b"in\n")),
    ];
    let head = scratch.commit(&stored, "Rules", "", at(3)).unwrap();
    fs::create_dir(top.join("cache")).unwrap();
    fs::create_dir(top.join("out")).unwrap();
    for name in [
        ".env", "cache/c", "sub/in", "src/n", "out/o", "new", "x.log",
    ] {
        fs::write(top.join(name), "x\n").unwrap();
    }
    fs::write(top.join(".gitignore"), "src/\nout\n*.log\n").unwrap();
    fs::remove_file(top.join("sub/.gitignore")).unwrap();
    let found = drift(top, &head, top);
    let changed = [('M', ".gitignore"), ('?', "new"), ('D', "sub/.gitignore")];
    assert_eq!(
        brief(&found),
        changed.map(|(state, name)| (state, name.as_bytes().to_vec()))
    );
    // Named where only later rules ignore it, and counted where those of the commit do.
    assert_eq!(uncovered(&found), ["out", "src/n", "(4 ignored paths)"]);
}
