//! Project repositories that point elsewhere.

#![expect(clippy::string_slice, reason = "object ids are plain hex")]

use std::fs;
use std::os::unix::fs::{chown, symlink};
use std::path::Path;

use super::{ends, pipe};
use crate::git::RealGit;
use crate::git::scratch::Scratch;
use crate::git::testing::{at, command, git, git_is_there, project};
use crate::world::git::{Git as _, GitError};

/// What is done to a project, given another repository's top.
type Harm = fn(&Path, &Path);

const REFUSED: &[(&str, Harm)] = &[
    (
        "a .git file that names another's git directory",
        |top, other| {
            fs::remove_dir_all(top.join(".git")).unwrap();
            let text = format!("gitdir: {}/.git\n", other.display());
            fs::write(top.join(".git"), text).unwrap();
        },
    ),
    ("a .git file that names another's worktree", |top, other| {
        fs::remove_dir_all(top.join(".git")).unwrap();
        let text = format!("gitdir: {}/.git/worktrees/wt\n", other.display());
        fs::write(top.join(".git"), text).unwrap();
    }),
    ("a .git link to another's git directory", |top, other| {
        fs::remove_dir_all(top.join(".git")).unwrap();
        symlink(other.join(".git"), top.join(".git")).unwrap();
    }),
    ("a common directory elsewhere", |top, other| {
        let text = format!("{}/.git\n", other.display());
        fs::write(top.join(".git/commondir"), text).unwrap();
    }),
    ("a work tree elsewhere", |top, other| {
        let path = top.join(".git/config");
        let text = fs::read_to_string(&path).unwrap();
        fs::write(path, format!("{text}\tworktree = {}\n", other.display())).unwrap();
    }),
    ("a forged worktree record", |top, other| {
        fs::remove_dir_all(top.join(".git")).unwrap();
        let record = top.join("record");
        fs::create_dir(&record).unwrap();
        fs::write(record.join("HEAD"), "ref: refs/heads/main\n").unwrap();
        fs::write(record.join("gitdir"), format!("{}/.git\n", top.display())).unwrap();
        fs::write(
            record.join("commondir"),
            format!("{}/.git\n", other.display()),
        )
        .unwrap();
        fs::write(top.join(".git"), "gitdir: record\n").unwrap();
    }),
    ("a pipe for HEAD", |top, _| pipe(&top.join(".git/HEAD"))),
    ("a pipe for the configuration", |top, _| {
        pipe(&top.join(".git/config"));
    }),
    ("a pipe for the index", |top, _| {
        pipe(&top.join(".git/index"));
    }),
    ("a link for HEAD", |top, other| {
        fs::remove_file(top.join(".git/HEAD")).unwrap();
        symlink(other.join(".git/HEAD"), top.join(".git/HEAD")).unwrap();
    }),
];

#[test]
fn a_git_directory_that_does_not_point_back_is_refused() {
    for (what, harm) in REFUSED {
        let dir = crate::world::temporary::directory();
        let (scratch, _) = project(dir.path());
        let other = Scratch::init(&dir.path().join("other"), "main", at(0)).unwrap();
        other
            .commit(&[("secret", Some(b"s"))], "Theirs", "", at(1))
            .unwrap();
        other.worktree(&dir.path().join("wt"), "w", at(2)).unwrap();
        let top = scratch.work_tree().to_owned();
        harm(&top, other.work_tree());
        let asked = top.clone();
        let facts = ends(what, move || RealGit.repo(&asked));
        assert!(
            matches!(facts, Err(GitError::Hostile(_))),
            "{what}: {facts:?}"
        );
        assert!(ends(what, move || RealGit.status(&top)).is_err(), "{what}");
    }
}

#[test]
fn a_broken_git_folder_does_not_lead_to_the_repository_above() {
    let dir = crate::world::temporary::directory();
    let (scratch, _) = project(dir.path());
    let inner = scratch.work_tree().join("inner");
    fs::create_dir_all(inner.join(".git")).unwrap();
    assert_eq!(RealGit.repo(&inner), Err(GitError::NotARepository));
    fs::remove_dir(inner.join(".git")).unwrap();
    fs::write(inner.join(".git"), "gitdir: /nonexistent\n").unwrap();
    // Git refuses to work there, so nothing follows from the missing answer.
    let dangling = RealGit.repo(&inner).unwrap_err();
    assert!(dangling.leaves_open(), "{dangling}");
}

#[test]
fn a_head_that_cannot_be_read_is_not_a_detached_one() {
    let dir = crate::world::temporary::directory();
    let (scratch, _) = project(dir.path());
    for garbage in ["garbage\n", ""] {
        fs::write(scratch.git_dir().join("HEAD"), garbage).unwrap();
        let facts = RealGit.repo(scratch.work_tree());
        let open = facts.as_ref().is_err_and(GitError::leaves_open);
        assert!(open, "{garbage:?}: {facts:?}");
    }
}

#[test]
fn a_repository_of_another_user_is_refused_as_such() {
    let dir = crate::world::temporary::directory();
    let (scratch, _) = project(dir.path());
    let top = scratch.work_tree();
    let nobody = Some(65534);
    if chown(top, nobody, nobody).is_err() {
        return; // Only root can give a folder away.
    }
    chown(top.join(".git"), nobody, nobody).unwrap();
    assert_eq!(RealGit.repo(top), Err(GitError::OtherOwner));
}

#[test]
fn a_submodule_that_points_back_is_read() {
    if !git_is_there() {
        return;
    }
    let dir = crate::world::temporary::directory();
    let (scratch, _) = project(dir.path());
    let other = Scratch::init(&dir.path().join("lib"), "main", at(0)).unwrap();
    let theirs = other
        .commit(&[("l", Some(b"l"))], "Lib", "", at(1))
        .unwrap();
    let top = scratch.work_tree();
    let from = other.work_tree().to_str().unwrap();
    let allow = [
        "-c",
        "protocol.file.allow=always",
        "submodule",
        "add",
        "-q",
        from,
        "lib",
    ];
    git(top, &allow);
    let facts = RealGit.repo(&top.join("lib")).unwrap();
    assert_eq!(facts.head, Some(theirs));
    assert_eq!(facts.work_tree, Some(top.join("lib")));
    assert!(!facts.linked);
}

#[test]
fn formats_of_git_itself_are_named_as_unsupported() {
    if !git_is_there() {
        return;
    }
    for args in [
        ["init", "-q", "--object-format=sha256"],
        ["init", "-q", "--ref-format=reftable"],
    ] {
        let dir = crate::world::temporary::directory();
        if !command(dir.path(), &args, &[]).status.success() {
            continue; // A git that is too old to make one.
        }
        let facts = RealGit.repo(dir.path());
        assert!(matches!(facts, Err(GitError::Unsupported(_))), "{facts:?}");
    }
}

#[test]
fn pipes_in_the_work_tree_block_nothing() {
    let dir = crate::world::temporary::directory();
    let (scratch, _) = project(dir.path());
    let top = scratch.work_tree().to_owned();
    scratch
        .commit(&[(".gitattributes", Some(b"* text"))], "Rules", "", at(2))
        .unwrap();
    for name in [".gitignore", ".gitattributes", "src/.gitignore", "new"] {
        pipe(&top.join(name));
    }
    pipe(&top.join("README.md"));
    let found = ends("status", move || {
        let ignored = RealGit.is_ignored(&top, Path::new("src/a.rs"));
        (RealGit.status(&top), ignored)
    });
    assert_eq!(found.1, Ok(false));
    let paths: Vec<_> = found
        .0
        .unwrap()
        .into_iter()
        .map(|found| found.path)
        .collect();
    assert_eq!(paths, [".gitattributes", "README.md"]);
}

#[test]
fn a_truncated_object_gives_an_error_and_does_not_block() {
    type Ask = fn(&Path, &str) -> Result<(), GitError>;
    let asks: &[(&str, Ask)] = &[
        ("log", |top, id| RealGit.log(top, id, None, 9).map(drop)),
        ("find", |top, id| {
            RealGit.find_commit(top, &id[..7]).map(drop)
        }),
        ("ancestor", |top, id| {
            RealGit.is_ancestor(top, id, "main").map(drop)
        }),
        ("base", |top, id| {
            RealGit.merge_base(top, id, "main").map(drop)
        }),
        ("count", |top, id| {
            RealGit.ahead_behind(top, id, "main").map(drop)
        }),
        ("history", |top, _| {
            RealGit.path_history(top, Path::new("b"), 9).map(drop)
        }),
    ];
    for (what, ask) in asks {
        let dir = crate::world::temporary::directory();
        let (scratch, _) = project(dir.path());
        let first = scratch.head().unwrap();
        scratch
            .commit(&[("b", Some(b"b"))], "Second", "", at(2))
            .unwrap();
        let object = scratch
            .git_dir()
            .join("objects")
            .join(&first[..2])
            .join(&first[2..]);
        let bytes = fs::read(&object).unwrap();
        fs::remove_file(&object).unwrap();
        fs::write(&object, &bytes[..bytes.len() / 2]).unwrap();
        let top = scratch.work_tree().to_owned();
        let answer = ends(what, move || ask(&top, &first));
        assert!(
            matches!(answer, Err(GitError::Hostile(_))),
            "{what}: {answer:?}"
        );
        let top = scratch.work_tree();
        assert!(RealGit.repo(top).is_ok() && RealGit.status(top).is_ok());
    }
}

#[test]
fn each_commit_with_a_truncated_tree_has_unknown_paths() {
    let dir = crate::world::temporary::directory();
    let (scratch, _) = project(dir.path());
    let ids = [("d/x", 2), ("b", 3)].map(|(name, minute)| {
        let files = [(name, Some(name.as_bytes()))];
        scratch.commit(&files, name, "", at(minute)).unwrap()
    });
    let ids = ids.each_ref().map(String::as_str);
    let top = scratch.work_tree();
    let known = ["d/x", "b"].map(|name| Some(vec![name.into()]));
    assert_eq!(RealGit.changed_paths(top, &ids), known);
    let repo = git2::Repository::open(top).unwrap();
    let tree = repo.revparse_single("HEAD:d").unwrap().id().to_string();
    let objects = scratch.git_dir().join("objects");
    let object = objects.join(&tree[..2]).join(&tree[2..]);
    let bytes = fs::read(&object).unwrap();
    fs::remove_file(&object).unwrap();
    fs::write(&object, &bytes[..bytes.len() / 2]).unwrap();
    assert_eq!(RealGit.changed_paths(top, &ids), [None, None]);
}

#[test]
fn a_repository_that_turns_hostile_between_two_questions_is_refused() {
    for (what, turn) in TURNS {
        let dir = crate::world::temporary::directory();
        let (scratch, _) = project(dir.path());
        let other = dir.path().join("other");
        fs::create_dir(&other).unwrap();
        let top = scratch.work_tree();
        let tip = RealGit.branch_tip(top, "main").unwrap();
        let second = scratch.commit(&[("new", Some(b"x"))], "Second", "", at(2));
        let second = second.unwrap();
        assert_eq!(RealGit.branch_tip(top, "main").unwrap(), second);
        assert_ne!(second, tip);
        turn(top, &other);
        let asked = top.to_owned();
        let answer = ends(what, move || RealGit.branch_tip(&asked, "main"));
        assert!(answer.is_err(), "{what}: {answer:?}");
    }
}

type Turn = fn(&Path, &Path);

const TURNS: [(&str, Turn); 4] = [
    ("a work tree elsewhere", |top, other| {
        let path = top.join(".git/config");
        let text = fs::read_to_string(&path).unwrap();
        fs::write(path, format!("{text}\tworktree = {}\n", other.display())).unwrap();
    }),
    ("a pipe for HEAD", |top, _| pipe(&top.join(".git/HEAD"))),
    ("a link for .git", |top, other| {
        fs::rename(top.join(".git"), other.join("git")).unwrap();
        std::os::unix::fs::symlink(other.join("git"), top.join(".git")).unwrap();
    }),
    ("no repository", |top, _| {
        fs::remove_dir_all(top.join(".git")).unwrap();
    }),
];
