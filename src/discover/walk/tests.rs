use std::os::unix::fs::symlink;

use super::*;

fn hits(root: &Path, limits: Limits<'_>) -> (Vec<String>, Tally) {
    let names = Names::new([
        Marker::File("workflow-state.json"),
        Marker::Dir(".mgw"),
        Marker::Prefix("crucible-dispatch-"),
        Marker::Repository,
    ]);
    let seen = Mutex::new(Vec::new());
    let seen_entries = AtomicU64::new(0);
    let found = |root: &Path| Found::Walk {
        root: root.to_owned(),
    };
    let tally = walk(
        &[root.to_owned()],
        &names,
        limits,
        &seen_entries,
        &found,
        &|hit| {
            let rel = hit.path.strip_prefix(root).unwrap().display().to_string();
            seen.lock().unwrap().push(rel);
        },
    );
    assert_eq!(seen_entries.into_inner(), tally.entries);
    let mut seen = seen.into_inner().unwrap();
    seen.sort();
    (seen, tally)
}

#[test]
fn finds_markers_and_enters_neither_links_nor_what_is_pruned() {
    let dir = crate::world::temporary::directory();
    let root = dir.path();
    for file in [
        "a/workflow-state.json",
        "a/node_modules/x/workflow-state.json",
        "b/.mgw/active/workflow-state.json",
        "c/.git/workflow-state.json",
        "bare/HEAD",
        "bare/objects/workflow-state.json",
        "bare/refs/x",
        "crucible-dispatch-17/manifest.jsonl",
        "workflow-state.json.bak",
    ] {
        std::fs::create_dir_all(root.join(file).parent().unwrap()).unwrap();
        std::fs::write(root.join(file), "").unwrap();
    }
    std::fs::create_dir(root.join("d")).unwrap();
    std::fs::create_dir(root.join("d/workflow-state.json")).unwrap();
    symlink(root.join("a"), root.join("link")).unwrap();
    std::fs::create_dir(root.join("linked")).unwrap();
    symlink(root.join("b/.mgw"), root.join("linked/.mgw")).unwrap();
    symlink("nowhere", root.join("linked/workflow-state.json")).unwrap();
    symlink(root, root.join("loop")).unwrap();
    for threads in [1, 4] {
        let (seen, tally) = hits(
            root,
            Limits {
                threads,
                ..Limits::default()
            },
        );
        assert_eq!(
            seen,
            [
                "a/workflow-state.json",
                "b/.mgw",
                "c",
                "crucible-dispatch-17",
                // A directory in the place of a state file: not entered as one, and not passed over.
                "d/workflow-state.json",
                "linked/.mgw",
                "linked/workflow-state.json",
            ]
        );
        assert_eq!(tally.left_out, []);
    }
}

#[test]
fn keeps_to_its_depth() {
    let dir = crate::world::temporary::directory();
    std::fs::create_dir_all(dir.path().join("1/2/3")).unwrap();
    std::fs::write(dir.path().join("1/2/workflow-state.json"), "").unwrap();
    std::fs::write(dir.path().join("1/2/3/workflow-state.json"), "").unwrap();
    let (seen, tally) = hits(
        dir.path(),
        Limits {
            depth: 2,
            ..Limits::default()
        },
    );
    assert_eq!(seen, ["1/2/workflow-state.json"]);
    let left: Vec<_> = tally.left_out.into_iter().map(|(path, _)| path).collect();
    assert_eq!(left, [dir.path().join("1/2/3")]);
}

#[test]
fn enters_no_directory_that_is_set_apart() {
    let dir = crate::world::temporary::directory();
    for parent in ["relight", "state/relight"] {
        let parent = dir.path().join(parent);
        std::fs::create_dir_all(&parent).unwrap();
        std::fs::write(parent.join("workflow-state.json"), "").unwrap();
    }
    let apart = dir.path().join("state/relight");
    let limits = Limits {
        apart: Some(&apart),
        ..Limits::default()
    };
    let (seen, tally) = hits(dir.path(), limits);
    assert_eq!(seen, ["relight/workflow-state.json"]);
    assert_eq!(tally.left_out, []);
}

#[test]
fn what_is_beyond_its_number_of_entries_is_named() {
    let dir = crate::world::temporary::directory();
    std::fs::create_dir_all(dir.path().join("1/2")).unwrap();
    let limits = Limits {
        entries: 1,
        ..Limits::default()
    };
    let (_, tally) = hits(dir.path(), limits);
    let why = "more than 1 entry".to_owned();
    assert_eq!(tally.left_out, [(dir.path().join("1"), why)]);
}

#[test]
fn a_directory_that_cannot_be_read_is_reported_and_one_that_is_gone_is_not() {
    let dir = crate::world::temporary::directory();
    // A name of this length is refused by every file system, also to root.
    let refused = dir.path().join("x".repeat(300));
    let (seen, tally) = hits(&refused, Limits::default());
    assert_eq!(seen, <[String; 0]>::default());
    let paths: Vec<_> = tally.unread.iter().map(|(path, _)| path).collect();
    assert_eq!(paths, [&refused]);
    let (_, tally) = hits(&dir.path().join("gone"), Limits::default());
    assert_eq!(tally.unread, []);
}
