use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use super::super::listing::Content;
use crate::engine::Engine;
use crate::git::scratch::Scratch;
use crate::model::{Artifacts, Foreign, RunTree};

fn engine() -> Engine {
    Engine::of_this_machine(Vec::new(), &[])
}

fn rows(artifacts: &Artifacts) -> Vec<String> {
    let count =
        |lines: Option<u64>| lines.map_or_else(|| "?".to_owned(), |lines| lines.to_string());
    let row = |one: &crate::model::Artifact| {
        format!(
            "{:?} {} +{} -{}",
            one.change,
            one.path.lossy(),
            count(one.insertions),
            count(one.deletions)
        )
    };
    artifacts.files.iter().map(row).collect()
}

fn compared(a: &RunTree, b: &RunTree) -> Vec<String> {
    rows(
        &engine()
            .changed_files(a, b, ("A", "B"), NO_BASES)
            .unwrap()
            .unwrap(),
    )
}

/// No side is a replay.
const NO_BASES: (Option<&RunTree>, Option<&RunTree>) = (None, None);

fn put(dir: &Path, file: &str, bytes: &[u8]) {
    let path = dir.join(file);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, bytes).unwrap();
}

fn clock() -> chrono::DateTime<chrono::Utc> {
    chrono::DateTime::from_timestamp(1_775_430_161, 0).unwrap()
}

#[test]
fn folders_are_walked_without_following_links() {
    let dir = crate::world::temporary::directory();
    let root = dir.path().canonicalize().unwrap();
    let (a, b) = (root.join("a"), root.join("b"));
    for (file, left, right) in [
        ("same", Some("1\n"), Some("1\n")),
        ("deep/er/changed", Some("1\n2\n"), Some("1\nx\ny\n")),
        ("gone", Some("1\n"), None),
        ("new", None, Some("1\n2\n")),
        (".git/HEAD", Some("x"), Some("y")),
    ] {
        for (side, text) in [(&a, left), (&b, right)] {
            if let Some(text) = text {
                put(side, file, text.as_bytes());
            }
        }
    }
    put(&root, "outside/secret", b"1\n");
    for (side, target) in [(&a, "/etc"), (&b, "../outside")] {
        symlink(target, side.join("link")).unwrap();
    }
    put(&a, "image", b"\0\x01");
    put(&b, "image", b"\0\x02");
    let tree = |path: &Path| RunTree::WorkTree(path.to_owned());
    let expected = [
        "Modified deep/er/changed +2 -1",
        "Removed gone +0 -1",
        "Modified image +? -?",
        "Modified link +1 -1",
        "Added new +2 -0",
    ];
    assert_eq!(compared(&tree(&a), &tree(&b)), expected);
    assert!(compared(&tree(&a), &tree(&a)).is_empty());
    // A folder that is not there has nothing in it.
    assert_eq!(compared(&tree(&root.join("none")), &tree(&b)).len(), 5);
    let sides = |path: &str| {
        let path = Foreign::from(path);
        [&a, &b].map(|top| engine().content_of(&tree(top), &path).unwrap())
    };
    assert_eq!(
        sides("gone"),
        [Content::Bytes(b"1\n".to_vec()), Content::Absent]
    );
    assert_eq!(sides("link")[1], Content::Bytes(b"../outside".to_vec()));
}

#[test]
fn a_commit_is_compared_with_a_work_tree_and_with_another_commit() {
    let dir = crate::world::temporary::directory();
    let repo = Scratch::init(&dir.path().join("repo"), "main", clock()).unwrap();
    let first = repo.commit(
        &[("a", Some(b"1\n")), ("b", Some(b"1\n"))],
        "First",
        "",
        clock(),
    );
    let first = first.unwrap();
    let second = repo.commit(&[("a", Some(b"2\n")), ("b", None)], "Second", "", clock());
    let second = second.unwrap();
    let top = repo.work_tree().to_owned();
    let commit = |id: &str| RunTree::Commit {
        repo: top.clone(),
        commit: id.to_owned(),
    };
    let here = RunTree::WorkTree(top.clone());
    let expected = ["Modified a +1 -1", "Removed b +0 -1"];
    assert_eq!(compared(&commit(&first), &commit(&second)), expected);
    assert_eq!(compared(&commit(&first), &here), expected);
    assert_eq!(
        compared(&here, &commit(&first)),
        ["Modified a +1 -1", "Added b +1 -0"]
    );
    assert!(compared(&commit(&second), &here).is_empty());
    let between = |a: &RunTree, b: &RunTree| {
        let found = engine()
            .changed_files(a, b, ("A", "B"), NO_BASES)
            .unwrap()
            .unwrap();
        found.between.lossy().into_owned()
    };
    let short = |id: &str| id.chars().take(8).collect::<String>();
    let (old, new) = (short(&first), short(&second));
    assert_eq!(
        between(&commit(&first), &commit(&second)),
        format!("git diff {old}..{new}")
    );
    assert_eq!(
        between(&commit(&first), &here),
        format!("git diff {old}..{new}")
    );
    assert_eq!(between(&here, &commit(&first)), "A and B");
    put(&top, "c", b"1\n");
    assert_eq!(compared(&commit(&second), &here), ["Added c +1 -0"]);
    assert_eq!(
        between(&commit(&second), &here),
        format!("git diff {new} (in {})", top.display())
    );
}

#[test]
fn two_work_trees_of_one_project_are_compared_by_what_changed_in_either() {
    let dir = crate::world::temporary::directory();
    let repo = Scratch::init(&dir.path().join("repo"), "main", clock()).unwrap();
    let files: &[(&str, Option<&[u8]>)] = &[
        (".gitignore", Some(b"target\n")),
        ("a", Some(b"1\n")),
        ("b", Some(b"1\n")),
    ];
    let head = repo.commit(files, "First", "", clock()).unwrap();
    repo.branch("other", &head).unwrap();
    let other = repo
        .worktree(&dir.path().join("other"), "other", clock())
        .unwrap();
    let (left, right) = (repo.work_tree(), other.work_tree());
    for top in [left, right] {
        put(top, "a", b"2\n");
        put(top, "target/junk", top.as_os_str().as_encoded_bytes());
    }
    put(right, "b", b"2\n");
    put(right, "c", b"1\n");
    let tree = |path: &Path| RunTree::WorkTree(path.to_owned());
    assert_eq!(
        compared(&tree(left), &tree(right)),
        ["Modified b +1 -1", "Added c +1 -0"]
    );
}

#[test]
fn files_of_a_nested_repository_are_compared_too() {
    let dir = crate::world::temporary::directory();
    let repo = Scratch::init(&dir.path().join("repo"), "main", clock()).unwrap();
    let head = repo.commit(&[("a", Some(b"1\n"))], "First", "", clock());
    let head = head.unwrap();
    repo.branch("other", &head).unwrap();
    let other = repo.worktree(&dir.path().join("other"), "other", clock());
    let other = other.unwrap();
    let (left, right) = (repo.work_tree(), other.work_tree());
    let nested = Scratch::init(&right.join("made/lib"), "main", clock()).unwrap();
    let files: &[(&str, Option<&[u8]>)] = &[("x", Some(b"1\n2\n"))];
    nested.commit(files, "Nested", "", clock()).unwrap();
    put(&right.join("made/lib"), "deep/y", b"1\n");
    let commit = RunTree::Commit {
        repo: left.to_owned(),
        commit: head,
    };
    let tree = |path: &Path| RunTree::WorkTree(path.to_owned());
    let added = ["Added made/lib/deep/y +1 -0", "Added made/lib/x +2 -0"];
    assert_eq!(compared(&commit, &tree(right)), added);
    assert_eq!(compared(&tree(left), &tree(right)), added);
    let folder = tree(&dir.path().join("none"));
    let all = ["Added a +1 -0", added[0], added[1]];
    assert_eq!(compared(&folder, &tree(right)), all);
    let removed = added.map(|row| row.replace("Added", "Removed"));
    assert_eq!(compared(&tree(right), &commit).len(), removed.len());
}

#[test]
fn without_a_tree_nothing_is_known_of_files_and_a_broken_one_is_an_error() {
    let none = engine().changed_files(
        &RunTree::None,
        &RunTree::Files(Vec::new()),
        ("A", "B"),
        NO_BASES,
    );
    assert_eq!(none, Ok(None));
    let dir = crate::world::temporary::directory();
    let broken = RunTree::Commit {
        repo: dir.path().to_owned(),
        commit: "0".repeat(40),
    };
    assert!(
        engine()
            .changed_files(&broken, &RunTree::Files(Vec::new()), ("A", "B"), NO_BASES)
            .is_err()
    );
}

#[test]
fn what_was_untracked_in_the_checkpoint_is_not_the_replays() {
    let dir = crate::world::temporary::directory();
    let project = dir.path().join("project");
    put(&project, "code.rs", b"one\n");
    let repo = crate::git::scratch::Scratch::init(&project, "main", at()).unwrap();
    let end = repo
        .commit(&[("code.rs", Some(b"one\n"))], "Code", "", at())
        .unwrap();
    put(&project, "notes.md", b"untracked\n");
    let store = dir.path().join("store");
    let shadow = crate::git::scratch::Shadow::init(&store, &project).unwrap();
    let saved = shadow.snapshot("pre-wave-1", "build", at()).unwrap();
    let base = RunTree::Commit {
        repo: store,
        commit: saved,
    };
    let original = RunTree::Commit {
        repo: project.clone(),
        commit: end,
    };
    let replay = RunTree::WorkTree(project.clone());
    put(&project, "made.md", b"by the replay\n");
    let changed = |bases| {
        let found = engine().changed_files(&original, &replay, ("A", "B"), bases);
        let found = found.unwrap().unwrap();
        let paths = found
            .files
            .iter()
            .map(|file| file.path.lossy().into_owned());
        paths.collect::<Vec<_>>()
    };
    assert_eq!(changed((None, Some(&base))), ["made.md"]);
    assert_eq!(changed(NO_BASES), ["made.md", "notes.md"]);
}

#[test]
fn a_mode_and_a_link_are_named_though_the_bytes_are_the_same() {
    use std::os::unix::fs::PermissionsExt as _;
    let dir = crate::world::temporary::directory();
    let (a, b) = (dir.path().join("a"), dir.path().join("b"));
    for side in [&a, &b] {
        put(side, "run.sh", b"echo\n");
    }
    put(&a, "here", b"run.sh");
    std::os::unix::fs::symlink("run.sh", b.join("here")).unwrap();
    fs::set_permissions(b.join("run.sh"), fs::Permissions::from_mode(0o755)).unwrap();
    let (a, b) = (RunTree::WorkTree(a), RunTree::WorkTree(b));
    let found = engine().changed_files(&a, &b, ("A", "B"), NO_BASES);
    let remarks: Vec<String> = found
        .unwrap()
        .unwrap()
        .files
        .iter()
        .map(|file| format!("{}: {}", file.path.lossy(), file.remark().unwrap().lossy()))
        .collect();
    assert_eq!(
        remarks,
        ["here: file → symbolic link", "run.sh: mode 644 → 755"]
    );
}

fn at() -> chrono::DateTime<chrono::Utc> {
    chrono::DateTime::from_timestamp(1_775_600_000, 0).unwrap()
}
