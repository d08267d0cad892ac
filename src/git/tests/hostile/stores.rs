//! Shadow stores that are not trustworthy.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use git2::{ObjectType, Oid, Repository};

use super::{ends, pipe};
use crate::git::RealGit;
use crate::git::scratch::Shadow;
use crate::git::testing::{at, brief, by_git, commit, project, uncovered};
use crate::model::Drift;
use crate::world::git::{Git as _, GitError};

fn measure(shadow: &Shadow, id: &str) -> Result<Drift, GitError> {
    let (store, work_tree) = (shadow.store().to_owned(), shadow.work_tree().to_owned());
    let id = id.to_owned();
    ends("drift", move || RealGit.drift(&store, &id, &work_tree))
}

fn append(path: &Path, text: &str) {
    let mut bytes = fs::read(path).unwrap_or_default();
    bytes.extend_from_slice(text.as_bytes());
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, bytes).unwrap();
}

/// What is done to a store, given a folder outside it.
type Harm = fn(&Path, &Path);

const REFUSED: &[(&str, Harm)] = &[
    ("objects from elsewhere", |store, outside| {
        let text = format!("{}\n", outside.display());
        append(&store.join("objects/info/alternates"), &text);
    }),
    ("grafts", |store, _| {
        append(&store.join("info/grafts"), "x\n");
    }),
    ("replaced objects", |store, _| {
        append(&store.join("refs/replace/x"), "x\n");
    }),
    ("replaced objects, packed", |store, _| {
        let id = "a".repeat(40);
        append(
            &store.join("packed-refs"),
            &format!("{id} refs/replace/{id}\n"),
        );
    }),
    ("a history cut off", |store, _| {
        append(&store.join("shallow"), "x\n");
    }),
    ("another common directory", |store, _| {
        append(&store.join("commondir"), "..\n");
    }),
    ("configuration from elsewhere", |store, _| {
        append(&store.join("config"), "[include]\n\tpath = /dev/zero\n");
    }),
    ("the same, on a condition", |store, _| {
        append(
            &store.join("config"),
            "[includeIf \"gitdir:/**\"]\n\tpath = /x\n",
        );
    }),
    ("objects are a link", |store, outside| {
        fs::rename(store.join("objects"), outside.join("objects")).unwrap();
        symlink(outside.join("objects"), store.join("objects")).unwrap();
    }),
    ("references are a link", |store, outside| {
        fs::rename(store.join("refs"), outside.join("refs")).unwrap();
        symlink(outside.join("refs"), store.join("refs")).unwrap();
    }),
    ("a reference that is a link", |store, outside| {
        symlink(outside, store.join("refs/heads/other")).unwrap();
    }),
    ("a reference that is a pipe", |store, _| {
        pipe(&store.join("refs/heads/main"));
    }),
    ("HEAD is a pipe", |store, _| pipe(&store.join("HEAD"))),
    ("the configuration is a pipe", |store, _| {
        pipe(&store.join("config"));
    }),
    ("the index is a pipe", |store, _| pipe(&store.join("index"))),
    ("the index is a link", |store, outside| {
        fs::remove_file(store.join("index")).unwrap();
        symlink(outside.join("index"), store.join("index")).unwrap();
    }),
    ("sha256 objects", |store, _| {
        append(
            &store.join("config"),
            "[extensions]\n\tobjectFormat = sha256\n",
        );
    }),
    ("reftable", |store, _| {
        append(
            &store.join("config"),
            "[extensions]\n\trefStorage = reftable\n",
        );
    }),
    ("no objects", |store, _| {
        fs::remove_dir_all(store.join("objects")).unwrap();
    }),
];

#[test]
fn a_store_that_points_elsewhere_or_would_block_is_refused() {
    for (what, harm) in REFUSED {
        let dir = crate::world::temporary::directory();
        let (_, shadow) = project(dir.path());
        let id = shadow.snapshot("pre-wave-1", "build", at(2)).unwrap();
        let outside = dir.path().join("outside");
        fs::create_dir(&outside).unwrap();
        harm(shadow.store(), &outside);
        let store = shadow.store().to_owned();
        let facts = ends(what, move || RealGit.shadow(&store));
        assert!(facts.is_err(), "{what}: {facts:?}");
        let drift = measure(&shadow, &id);
        assert!(drift.is_err(), "{what}: {drift:?}");
    }
}

#[test]
fn unsupported_formats_are_named() {
    for extension in [
        "objectFormat = sha256",
        "refStorage = reftable",
        "partialClone = x",
    ] {
        let dir = crate::world::temporary::directory();
        let (scratch, shadow) = project(dir.path());
        for git_dir in [scratch.git_dir(), shadow.store()] {
            let path = git_dir.join("config");
            let text = fs::read_to_string(&path)
                .unwrap()
                .replace("version = 0", "version = 1");
            fs::write(path, format!("{text}[extensions]\n\t{extension}\n")).unwrap();
        }
        let repo = RealGit.repo(scratch.work_tree());
        assert!(matches!(repo, Err(GitError::Unsupported(_))), "{repo:?}");
        let store = RealGit.shadow(shadow.store());
        assert!(matches!(store, Err(GitError::Unsupported(_))), "{store:?}");
    }
}

#[test]
fn a_store_for_another_work_tree_is_refused() {
    for named in ["/", "/nonexistent", "..", ""] {
        let dir = crate::world::temporary::directory();
        let (_, shadow) = project(dir.path());
        let id = shadow.snapshot("pre-wave-1", "build", at(2)).unwrap();
        append(
            &shadow.store().join("config"),
            &format!("[core]\n\tworktree = \"{named}\"\n"),
        );
        let drift = measure(&shadow, &id);
        assert!(
            matches!(drift, Err(GitError::Hostile(_))),
            "{named}: {drift:?}"
        );
    }
}

fn loose(store: &Path, id: Oid) -> std::path::PathBuf {
    let hex = id.to_string();
    let (fan, rest) = hex.split_at(2);
    store.join("objects").join(fan).join(rest)
}

#[test]
fn damaged_and_missing_objects_are_named() {
    type Damage = fn(&Path);
    let table: &[(&str, Damage)] = &[
        ("missing", |object| fs::remove_file(object).unwrap()),
        ("empty", |object| {
            fs::remove_file(object).unwrap();
            fs::write(object, "").unwrap();
        }),
        ("cut off", |object| {
            let bytes = fs::read(object).unwrap();
            fs::remove_file(object).unwrap();
            fs::write(object, bytes.get(..bytes.len() / 2).unwrap()).unwrap();
        }),
        ("a pipe", |object| pipe(object)),
        ("another object's content", |object| {
            // Valid in itself, but its content does not match its id.
            let objects = object.parent().unwrap().parent().unwrap();
            let repo = Repository::open_bare(objects.parent().unwrap()).unwrap();
            let other = repo.odb().unwrap().write(ObjectType::Tree, b"").unwrap();
            let bytes = fs::read(loose(objects.parent().unwrap(), other)).unwrap();
            fs::remove_file(object).unwrap();
            fs::write(object, bytes).unwrap();
        }),
    ];
    for (what, harm) in table {
        let dir = crate::world::temporary::directory();
        let (_, shadow) = project(dir.path());
        let id = shadow.snapshot("pre-wave-1", "build", at(2)).unwrap();
        let repo = Repository::open_bare(shadow.store()).unwrap();
        let commit = repo.find_commit(Oid::from_str(&id).unwrap()).unwrap();
        let deep = commit.tree().unwrap().get_name("src").unwrap().id();
        for object in [deep, commit.tree_id(), commit.id()] {
            harm(&loose(shadow.store(), object));
            let Err(error) = measure(&shadow, &id) else {
                panic!("{what}: {object} was not reported");
            };
            assert!(
                error.to_string().contains(&object.to_string()),
                "{what}: {error}"
            );
        }
        assert!(RealGit.shadow(shadow.store()).is_err(), "{what}");
    }
}

fn write(shadow: &Shadow, kind: ObjectType, bytes: &[u8]) -> Oid {
    let repo = Repository::open_bare(shadow.store()).unwrap();
    repo.odb().unwrap().write(kind, bytes).unwrap()
}

fn row(mode: &str, name: &[u8], id: Oid) -> Vec<u8> {
    [mode.as_bytes(), b" ", name, b"\0", id.as_bytes()].concat()
}

#[test]
fn git_directories_in_any_spelling_are_not_covered_and_not_touched() {
    let names: &[&str] = &[
        ".git",
        ".GIT",
        ".Git",
        "git~1",
        "GIT~1",
        ".git ",
        ".git.",
        ".git...",
        ".g\u{200d}it",
        ".git\u{200c}",
        ".\u{200e}git",
        "\u{feff}.git",
        ".git::$INDEX_ALLOCATION",
        ".git:x",
    ];
    for name in names {
        let dir = crate::world::temporary::directory();
        let (_, shadow) = project(dir.path());
        let blob = write(&shadow, ObjectType::Blob, b"[core]\n");
        let inner = write(&shadow, ObjectType::Tree, &row("100644", b"config", blob));
        for (mode, id) in [
            ("100644", blob),
            ("100755", blob),
            ("120000", blob),
            ("40000", inner),
        ] {
            let sub = write(&shadow, ObjectType::Tree, &row(mode, name.as_bytes(), id));
            let tree = [row("40000", b"sub", sub), row("100644", b"z", blob)].concat();
            let id = commit(&shadow, write(&shadow, ObjectType::Tree, &tree));
            let drift = measure(&shadow, &id).unwrap();
            assert_eq!(
                uncovered(&drift),
                [format!("sub/{name}")],
                "{mode} {name:?}"
            );
            assert!(brief(&drift).contains(&('D', b"z".to_vec())));
        }
    }
}

#[test]
fn trees_that_could_mislead_are_refused() {
    let dir = crate::world::temporary::directory();
    let (_, shadow) = project(dir.path());
    let blob = write(&shadow, ObjectType::Blob, b"x");
    let table: &[(&str, Vec<u8>)] = &[
        (
            "two of one name",
            [row("100644", b"a", blob), row("100644", b"a", blob)].concat(),
        ),
        (
            "a file and a directory of one name",
            [row("100644", b"a", blob), row("40000", b"a", blob)].concat(),
        ),
        ("upwards", row("100644", b"..", blob)),
        ("itself", row("100644", b".", blob)),
        ("a path", row("100644", b"a/b", blob)),
        ("absolute", row("100644", b"/etc/passwd", blob)),
        ("no name", row("100644", b"", blob)),
        ("setuid", row("104755", b"a", blob)),
        ("a device", row("060000", b"a", blob)),
        ("cut off", b"100644 a\0xyz".to_vec()),
        ("no nul", b"100644 a".to_vec()),
        ("a blob for a tree", row("40000", b"a", blob)),
    ];
    for (what, tree) in table {
        let id = commit(&shadow, write(&shadow, ObjectType::Tree, tree));
        let drift = measure(&shadow, &id);
        assert!(
            matches!(drift, Err(GitError::Hostile(_))),
            "{what}: {drift:?}"
        );
    }
    // A tree in place of a file's blob is treated as a file with other bytes.
    let tree = write(&shadow, ObjectType::Tree, b"");
    let id = commit(
        &shadow,
        write(
            &shadow,
            ObjectType::Tree,
            &row("100644", b"README.md", tree),
        ),
    );
    assert!(measure(&shadow, &id).unwrap().modified == 1);
}

#[test]
fn a_tree_that_expands_exponentially_is_refused() {
    let dir = crate::world::temporary::directory();
    let (_, shadow) = project(dir.path());
    let blob = write(&shadow, ObjectType::Blob, b"x");
    let mut level = (blob, "100644");
    for _ in 0..5 {
        let rows: Vec<Vec<u8>> = (0..500)
            .map(|n| row(level.1, format!("{n:03}").as_bytes(), level.0))
            .collect();
        level = (write(&shadow, ObjectType::Tree, &rows.concat()), "40000");
    }
    let id = commit(&shadow, level.0);
    let drift = measure(&shadow, &id);
    assert!(matches!(drift, Err(GitError::Hostile(_))), "{drift:?}");
    let paths = RealGit.tree_paths(shadow.store(), &id, Path::new(""));
    assert!(matches!(paths, Err(GitError::Hostile(_))));
    // And one that is nested without end.
    let mut deep = row("100644", b"x", blob);
    for _ in 0..2100 {
        deep = row("40000", b"dd", write(&shadow, ObjectType::Tree, &deep));
    }
    let id = commit(&shadow, write(&shadow, ObjectType::Tree, &deep));
    let drift = measure(&shadow, &id);
    assert!(matches!(drift, Err(GitError::Hostile(_))), "{drift:?}");
}

#[test]
fn a_store_inside_the_work_tree_is_not_content() {
    let dir = crate::world::temporary::directory();
    let (scratch, _) = project(dir.path());
    let store = scratch.work_tree().join("state/store");
    let shadow = Shadow::init(&store, scratch.work_tree()).unwrap();
    let readme = write(&shadow, ObjectType::Blob, b"hello\n");
    let readme = row("100644", b"README.md", readme);
    let id = commit(&shadow, write(&shadow, ObjectType::Tree, &readme));
    let drift = measure(&shadow, &id).unwrap();
    assert_eq!(uncovered(&drift), ["state/store"]);
    assert_eq!(brief(&drift), [('?', b"src/a.rs".to_vec())]);
}

#[test]
fn pipes_and_links_in_the_work_tree_are_never_opened() {
    let dir = crate::world::temporary::directory();
    let (scratch, shadow) = project(dir.path());
    let top = scratch.work_tree();
    let id = shadow.snapshot("pre-wave-1", "build", at(2)).unwrap();
    let id = by_git(&shadow, &id);
    pipe(&top.join("README.md"));
    pipe(&top.join("new"));
    pipe(&top.join(".gitignore"));
    pipe(&top.join(".gitattributes"));
    pipe(&top.join("src/.git"));
    fs::remove_file(top.join("src/a.rs")).unwrap();
    symlink("/dev/zero", top.join("src/a.rs")).unwrap();
    symlink("/dev/zero", top.join("src/.gitignore")).unwrap();
    let drift = measure(&shadow, &id).unwrap();
    assert_eq!(brief(&drift), [('?', b"src/.gitignore".to_vec())]);
    // What git would write by attributes that cannot be read is not known.
    assert_eq!(uncovered(&drift), ["README.md", "src/.git", "src/a.rs"]);
}
