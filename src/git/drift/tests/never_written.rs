//! What a checkpoint records and relight never writes: the content behind a pointer of Git LFS, submodules, and what a
//! sparse checkout leaves out.

use std::fs;
use std::path::Path;

use sha2::{Digest as _, Sha256};

use super::drift;
use crate::git::RealGit;
use crate::git::testing::{at, brief, git, git_is_there, project, uncovered};
use crate::model::Drift;
use crate::model::text::hex;
use crate::world::git::Git as _;

const WHO: [&str; 4] = ["-c", "user.name=x", "-c", "user.email=x"];

fn commit(top: &Path) {
    git(top, &["add", "-A"]);
    git(top, &[&WHO[..], &["commit", "-qm", "x"]].concat());
}

fn pointer(content: &[u8]) -> String {
    let (digest, size) = (hex(&Sha256::digest(content)), content.len());
    format!("version https://git-lfs.github.com/spec/v1\noid sha256:{digest}\nsize {size}\n")
}

/// The recorded paths that differ and are never written.
fn kept(drift: &Drift) -> Vec<String> {
    let found = uncovered(drift).into_iter();
    let recorded = |name: &String| {
        let mut paths = drift.paths.iter();
        paths.any(|path| path.path.lossy() == *name && path.blob.is_some())
    };
    found.filter(recorded).collect()
}

#[test]
fn a_pointer_of_git_lfs_is_compared_with_what_it_points_to_and_never_put_in_its_place() {
    if !git_is_there() {
        return;
    }
    let dir = crate::world::temporary::directory();
    let (scratch, _) = project(dir.path());
    let top = scratch.work_tree();
    let content = vec![7; 100_000];
    let other = pointer(b"other");
    for (name, text) in [
        ("model.bin", pointer(&content)),
        ("left.bin", pointer(b"left")),
        ("raw.bin", "no pointer\n".to_owned()),
    ] {
        fs::write(top.join(name), text).unwrap();
    }
    // Before the attributes, so that git stores the bytes as they are without a filter program.
    commit(top);
    fs::write(top.join(".gitattributes"), "*.bin filter=lfs -text\n").unwrap();
    git(top, &["add", ".gitattributes"]);
    git(top, &[&WHO[..], &["commit", "-qm", "x"]].concat());
    let head = scratch.head().unwrap();
    let now = || drift(top, &head, top);
    let model = top.join("model.bin");

    assert_eq!(
        (brief(&now()), kept(&now())),
        (vec![], vec![]),
        "the pointer itself"
    );
    fs::write(&model, &content).unwrap();
    assert_eq!(
        (brief(&now()), kept(&now())),
        (vec![], vec![]),
        "its content"
    );
    let mut changed = content.clone();
    changed[9] = 8;
    for bytes in [&changed[..], b"of another size"] {
        fs::write(&model, bytes).unwrap();
        assert_eq!(
            (brief(&now()), kept(&now())),
            (vec![], vec!["model.bin".to_owned()])
        );
        let status = RealGit.status(top).unwrap();
        assert!(status.iter().any(|path| path.path.lossy() == "model.bin"));
    }
    fs::remove_file(&model).unwrap();
    assert_eq!(
        (brief(&now()), kept(&now())),
        (vec![], vec!["model.bin".to_owned()])
    );
    fs::create_dir(&model).unwrap();
    fs::write(model.join("new"), "n").unwrap();
    let new = ('?', b"model.bin/new".to_vec());
    assert_eq!(
        (brief(&now()), kept(&now())),
        (vec![new], vec!["model.bin".to_owned()])
    );
    fs::remove_dir_all(&model).unwrap();
    fs::write(&model, &content).unwrap();

    // Where Git LFS leaves pointers in the work tree, they are files like any other.
    fs::write(top.join("left.bin"), &other).unwrap();
    fs::write(top.join("raw.bin"), "changed\n").unwrap();
    let want = [('M', b"left.bin".to_vec()), ('M', b"raw.bin".to_vec())];
    assert_eq!(brief(&now()), want);
    assert_eq!(kept(&now()), Vec::<String>::new());
}

#[test]
fn a_submodule_at_another_commit_is_told_and_one_at_its_commit_is_not() {
    if !git_is_there() {
        return;
    }
    let dir = crate::world::temporary::directory();
    let (scratch, _) = project(dir.path());
    let top = scratch.work_tree();
    let sub = top.join("sub");
    fs::create_dir(&sub).unwrap();
    git(&sub, &["init", "-q"]);
    fs::write(sub.join("a"), "a").unwrap();
    commit(&sub);
    commit(top);
    let head = scratch.head().unwrap();
    let now = || kept(&drift(top, &head, top));
    let told = vec!["sub".to_owned()];

    assert_eq!(now(), Vec::<String>::new());
    fs::write(sub.join("a"), "b").unwrap();
    commit(&sub);
    assert_eq!(now(), told, "another commit");
    fs::remove_dir_all(sub.join(".git")).unwrap();
    assert_eq!(now(), told, "plain files");
    fs::remove_dir_all(&sub).unwrap();
    assert_eq!(now(), told, "gone");
    fs::create_dir(&sub).unwrap();
    assert_eq!(now(), Vec::<String>::new(), "not initialized");
}

#[test]
fn what_a_sparse_checkout_leaves_out_is_not_missing() {
    if !git_is_there() {
        return;
    }
    let dir = crate::world::temporary::directory();
    let (scratch, shadow) = project(dir.path());
    let top = scratch.work_tree();
    let id = shadow.snapshot("pre-wave-1", "build", at(2)).unwrap();
    fs::remove_file(top.join("README.md")).unwrap();
    git(top, &["update-index", "--skip-worktree", "README.md"]);
    fs::remove_file(top.join("src/a.rs")).unwrap();
    let found = drift(shadow.store(), &id, top);
    assert_eq!(brief(&found), [('D', b"src/a.rs".to_vec())]);
    assert_eq!(kept(&found), ["README.md"]);
}
