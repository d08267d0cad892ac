mod absent;
mod heads;
mod hostile;
mod status;

use std::fs;

use super::*;
use crate::git::scratch::Scratch;
use crate::git::testing::{at, git, git_is_there, project};

fn short(id: &str, len: usize) -> &str {
    id.get(..len).unwrap()
}

#[test]
fn the_facts_of_a_repository_are_found_from_beneath_its_top() {
    let dir = crate::world::temporary::directory();
    let (scratch, _) = project(dir.path());
    let top = scratch.work_tree();
    for place in [top.to_owned(), top.join("src"), top.join(".git")] {
        let facts = RealGit.repo(&place).unwrap();
        assert_eq!(facts.work_tree.as_deref(), Some(top));
        assert_eq!(facts.git_dir, top.join(".git"));
        assert_eq!(facts.branch, Some("main".into()));
        assert_eq!(facts.head, Some(scratch.head().unwrap()));
        assert_eq!(facts.busy, None);
        assert_eq!(facts.default_branch, Some("main".into()));
        assert!(!facts.linked && !facts.index_locked);
    }
}

#[test]
fn a_missing_repository_is_an_error() {
    let dir = crate::world::temporary::directory();
    assert_eq!(RealGit.repo(dir.path()), Err(GitError::NotARepository));
    let gone = dir.path().join("gone");
    assert_eq!(RealGit.repo(&gone), Err(GitError::NotARepository));
}

#[test]
fn head_is_reported_in_each_of_its_states() {
    let dir = crate::world::temporary::directory();
    let unborn = Scratch::init(&dir.path().join("u"), "trunk", at(0)).unwrap();
    let facts = RealGit.repo(unborn.work_tree()).unwrap();
    assert_eq!((facts.branch, facts.head), (Some("trunk".into()), None));
    let (scratch, _) = project(dir.path());
    scratch.detach().unwrap();
    let facts = RealGit.repo(scratch.work_tree()).unwrap();
    assert_eq!((facts.branch, facts.head.is_some()), (None, true));
}

#[test]
fn operations_in_progress_and_locks_are_detected() {
    let table = [
        ("MERGE_HEAD", "merge"),
        ("CHERRY_PICK_HEAD", "cherry-pick"),
        ("REVERT_HEAD", "revert"),
        ("BISECT_LOG", "bisect"),
        ("rebase-merge/interactive", "rebase"),
        ("rebase-apply/rebasing", "rebase"),
        ("rebase-apply/applying", "am"),
    ];
    for (file, word) in table {
        let dir = crate::world::temporary::directory();
        let (scratch, _) = project(dir.path());
        let path = scratch.git_dir().join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, scratch.head().unwrap()).unwrap();
        fs::write(scratch.git_dir().join("index.lock"), "").unwrap();
        let facts = RealGit.repo(scratch.work_tree()).unwrap();
        assert_eq!(facts.busy, Some(word), "{file}");
        assert!(facts.index_locked);
    }
}

#[test]
fn a_bare_repository_has_no_branch_checked_out() {
    let dir = crate::world::temporary::directory();
    let (scratch, _) = project(dir.path());
    let linked = dir.path().join("a");
    scratch.worktree(&linked, "task/a", at(2)).unwrap();
    let branches = || {
        let found = RealGit.worktrees(&linked).unwrap();
        let of = |w: &Worktree| (w.main, w.branch.is_some(), w.head.is_some());
        found.iter().map(of).collect::<Vec<_>>()
    };
    assert_eq!(branches(), [(true, true, true), (false, true, true)]);
    let config = scratch.git_dir().join("config");
    let text = fs::read_to_string(&config).unwrap();
    let bare = [(true, false, true), (false, true, true)];
    fs::write(&config, text.replace("bare = false", "bare = true")).unwrap();
    assert_eq!(branches(), bare);
    // Where worktrees have settings of their own, git keeps it beside those of the repository.
    let own = text.replace("bare = false", "[extensions]\n\tworktreeConfig = true");
    fs::write(&config, own).unwrap();
    let own = scratch.git_dir().join("config.worktree");
    fs::write(&own, "[core]\n\tbare = true\n").unwrap();
    assert_eq!(branches(), bare);
}

#[test]
fn worktrees_are_listed_with_their_states() {
    let dir = crate::world::temporary::directory();
    let (scratch, _) = project(dir.path());
    let add = |name: &str| {
        let path = dir.path().join(name);
        scratch
            .worktree(&path, &format!("task/{name}"), at(2))
            .unwrap()
    };
    let (_, gone, locked, taken) = (add("a"), add("gone"), add("locked"), add("taken"));
    fs::remove_dir_all(gone.work_tree()).unwrap();
    fs::write(locked.git_dir().join("locked"), "in use").unwrap();
    fs::remove_dir_all(taken.work_tree()).unwrap();
    Scratch::init(taken.work_tree(), "other", at(3)).unwrap();
    let found = RealGit.worktrees(&dir.path().join("a")).unwrap();
    let brief: Vec<_> = found
        .iter()
        .map(|w| {
            let name = w.path.file_name().unwrap().to_string_lossy().into_owned();
            (name, w.main, w.locked, w.prunable)
        })
        .collect();
    let row = |name: &str, main, locked, prunable| (name.to_owned(), main, locked, prunable);
    assert_eq!(
        brief,
        [
            row("proj", true, false, false),
            row("a", false, false, false),
            row("gone", false, false, true),
            row("locked", false, true, false),
            row("taken", false, false, true),
        ]
    );
    assert_eq!(found[1].branch, Some("task/a".into()));
    assert_eq!(found[1].head, Some(scratch.head().unwrap()));
    let facts = RealGit.repo(&dir.path().join("a")).unwrap();
    assert!(facts.linked);
    assert_eq!(facts.common_dir, scratch.git_dir());
}

#[test]
fn a_path_with_a_line_break_is_a_path() {
    if !git_is_there() {
        return;
    }
    let dir = crate::world::temporary::directory();
    let top = dir.path().join("Müller \"pro\njekt\"\\");
    fs::create_dir(&top).unwrap();
    let (scratch, shadow) = project(&top);
    let path = top.join("task\na");
    scratch.worktree(&path, "task/a", at(2)).unwrap();
    let found = RealGit.worktrees(&path).unwrap();
    let found: Vec<_> = found.iter().map(|one| (&one.path, one.prunable)).collect();
    let main = scratch.work_tree().to_owned();
    assert_eq!(found, [(&main, false), (&path, false)]);
    let listed = git(&main, &["worktree", "list", "--porcelain", "-z"]);
    assert!(listed.contains(path.to_str().unwrap()), "{listed}");
    // The configuration of a separate store names its work tree.
    let read = git(shadow.store(), &["--git-dir=.", "config", "core.worktree"]);
    assert_eq!(
        read.strip_suffix('\n').unwrap_or(&read),
        main.to_str().unwrap()
    );
}

#[test]
fn history_is_the_same_as_gits() {
    let dir = crate::world::temporary::directory();
    let (scratch, _) = project(dir.path());
    let top = scratch.work_tree();
    let first = scratch.head().unwrap();
    scratch.branch("side", &first).unwrap();
    scratch.track("side", &first).unwrap();
    let second = scratch
        .commit(&[("b", Some(b"b"))], "Second", "Why.", at(2))
        .unwrap();
    scratch.checkout("side").unwrap();
    let third = scratch
        .commit(&[("README.md", Some(b"3"))], "Third", "", at(3))
        .unwrap();
    let log = RealGit.log(top, &third, Some(&second), 9).unwrap();
    assert_eq!(log.iter().map(|c| &c.id).collect::<Vec<_>>(), [&third]);
    let log = RealGit.log(top, "main", None, 9).unwrap();
    assert_eq!(
        log.iter().map(|c| &c.id).collect::<Vec<_>>(),
        [&second, &first]
    );
    assert_eq!(log[0].subject, "Second");
    assert_eq!(log[0].body, "Why.");
    assert_eq!(log[0].time, at(2));
    assert_eq!(log[0].parents, std::slice::from_ref(&first));
    assert_eq!(RealGit.log(top, "main", None, 1).unwrap().len(), 1);
    assert_eq!(
        RealGit.merge_base(top, &second, &third),
        Ok(Some(first.clone()))
    );
    assert_eq!(RealGit.ahead_behind(top, &second, &third), Ok((1, 1)));
    assert_eq!(RealGit.is_ancestor(top, &first, &third), Ok(true));
    assert_eq!(RealGit.is_ancestor(top, &first, &first), Ok(true));
    assert_eq!(RealGit.is_ancestor(top, &second, &third), Ok(false));
    assert_eq!(RealGit.upstream(top, "side"), Ok(Some(first.clone())));
    assert_eq!(RealGit.upstream(top, "main"), Ok(None));
    assert_eq!(RealGit.branches(top).unwrap(), ["main", "side"]);
    assert_eq!(RealGit.branch_tip(top, "side"), Ok(third.clone()));
    let history = RealGit
        .path_history(top, Path::new("README.md"), 9)
        .unwrap();
    assert_eq!(
        history.iter().map(|c| &c.id).collect::<Vec<_>>(),
        [&third, &first]
    );
    assert_eq!(
        RealGit.find_commit(top, short(&third, 7)).unwrap().id,
        third
    );
}

/// What is in the repository is never missing: an id says what it names, and a tag names its commit.
#[test]
fn an_id_that_is_of_no_commit_says_what_it_is_of() {
    if !git_is_there() {
        return;
    }
    let dir = crate::world::temporary::directory();
    let (scratch, _) = project(dir.path());
    let top = scratch.work_tree();
    let ann = ["-c", "user.name=a", "-c", "user.email=a@b"];
    git(
        top,
        &[&ann[..], &["tag", "-am", "one", "one", "HEAD"]].concat(),
    );
    let id = |name: &str| git(top, &["rev-parse", name]).trim().to_owned();
    let head = scratch.head().unwrap();
    assert_eq!(RealGit.find_commit(top, &id("one")).unwrap().id, head);
    let tree = id("HEAD^{tree}");
    for asked in [tree.as_str(), short(&tree, 9)] {
        let error = RealGit.find_commit(top, asked).unwrap_err();
        assert_eq!(error.to_string(), format!("`{asked}` is a tree"));
    }
}

#[test]
fn revisions_are_never_expressions() {
    if !git_is_there() {
        return;
    }
    let dir = crate::world::temporary::directory();
    let (scratch, _) = project(dir.path());
    let top = scratch.work_tree();
    let head = scratch.head().unwrap();
    // A branch whose name is the prefix of an id must not be used for it.
    git(top, &["branch", short(&head, 7)]);
    scratch
        .commit(&[("x", Some(b"x"))], "X", "", at(2))
        .unwrap();
    git(top, &["branch", "-f", short(&head, 8), "HEAD"]);
    assert_eq!(RealGit.find_commit(top, short(&head, 8)).unwrap().id, head);
    for text in [
        "HEAD",
        "HEAD~1",
        ":/First",
        "@{-1}",
        "main^",
        "",
        "zzzzzzz",
        short(&head, 6),
    ] {
        let missing = |found: Result<Commit, GitError>| matches!(found, Err(GitError::Missing(_)));
        assert!(missing(RealGit.find_commit(top, text)), "{text}");
        assert!(RealGit.log(top, text, None, 1).is_err(), "{text}");
    }
}

#[test]
fn trees_and_blobs_are_read_raw() {
    let dir = crate::world::temporary::directory();
    let (scratch, shadow) = project(dir.path());
    let top = scratch.work_tree();
    scratch
        .commit(
            &[("src/deep/crlf", Some(b"a\r\n")), ("z", Some(b"z"))],
            "More",
            "",
            at(2),
        )
        .unwrap();
    let head = scratch.head().unwrap();
    let paths = |beneath: &str| {
        let found = RealGit.tree_paths(top, &head, Path::new(beneath)).unwrap();
        found
            .iter()
            .map(|path| path.lossy().into_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(paths(""), ["README.md", "src/a.rs", "src/deep/crlf", "z"]);
    assert_eq!(paths("src/"), ["src/a.rs", "src/deep/crlf"]);
    assert_eq!(RealGit.tree_files(top, &head), Ok(4));
    let blob = RealGit.blob(top, &head, Path::new("src/deep/crlf"));
    assert_eq!(blob.unwrap(), b"a\r\n");
    for path in ["gone", "src", "../x", "/z"] {
        assert!(RealGit.blob(top, &head, Path::new(path)).is_err(), "{path}");
    }
    // The same from a checkpoint store.
    let id = shadow.snapshot("pre-wave-1", "build", at(3)).unwrap();
    let blob = RealGit.blob(shadow.store(), &id, Path::new("z"));
    assert_eq!(blob.unwrap(), b"z");
}

#[test]
fn folders_that_checkpoints_share_are_read_once_in_a_look() {
    let dir = crate::world::temporary::directory();
    let (scratch, shadow) = project(dir.path());
    let snapshot = |change: &str, n| {
        let paths = ["src/deep/kept", change];
        scratch
            .commit(
                &paths.map(|path| (path, Some(&b"a"[..]))),
                "More",
                "",
                at(n),
            )
            .unwrap();
        shadow.snapshot("pre-wave-1", "build", at(n)).unwrap()
    };
    let (first, second) = (snapshot("x", 2), snapshot("y", 3));
    let store = shadow.store();
    let look = RealGit.for_one_look().unwrap();
    let files = |git: &dyn Git, id: &str| git.tree_files(store, id);
    let counted = files(look.as_ref(), &first).unwrap();
    // What both have goes.
    let repo = git2::Repository::open_bare(store).unwrap();
    let tree = repo.revparse_single(&format!("{first}:src/deep")).unwrap();
    let hex = tree.id().to_string();
    let (fan, rest) = hex.split_at(2);
    std::fs::remove_file(store.join("objects").join(fan).join(rest)).unwrap();
    assert_eq!(files(look.as_ref(), &second), Ok(counted + 1));
    drop(look);
    let next = RealGit.for_one_look().unwrap();
    for git in [&RealGit as &dyn Git, next.as_ref()] {
        assert!(files(git, &second).is_err());
    }
}

#[test]
fn the_default_branch_is_origins_before_main_before_master() {
    let dir = crate::world::temporary::directory();
    let scratch = Scratch::init(&dir.path().join("p"), "work", at(0)).unwrap();
    let id = scratch
        .commit(&[("a", Some(b"a"))], "A", "", at(1))
        .unwrap();
    let default = || RealGit.repo(scratch.work_tree()).unwrap().default_branch;
    assert_eq!(default(), None);
    scratch.branch("master", &id).unwrap();
    assert_eq!(default(), Some("master".into()));
    scratch.branch("main", &id).unwrap();
    assert_eq!(default(), Some("main".into()));
    let origin = scratch.git_dir().join("refs/remotes/origin");
    fs::create_dir_all(&origin).unwrap();
    fs::write(origin.join("HEAD"), "ref: refs/remotes/origin/trunk\n").unwrap();
    assert_eq!(default(), Some("trunk".into()));
}

#[test]
fn a_shadow_store_lists_its_commits_newest_first() {
    let dir = crate::world::temporary::directory();
    let (scratch, shadow) = project(dir.path());
    let first = shadow.snapshot("pre-wave-1", "build", at(5)).unwrap();
    let second = shadow.snapshot("pre-wave-2", "build", at(5)).unwrap();
    let facts = RealGit.shadow(shadow.store()).unwrap();
    assert_eq!(facts.work_tree.as_deref(), Some(scratch.work_tree()));
    let ids: Vec<_> = facts.commits.iter().map(|c| c.id.clone()).collect();
    assert_eq!(ids, [second, first]);
    assert_eq!(
        facts.commits[1].subject,
        "pre-wave-1 | 2026-04-08 10:05:00 | build"
    );
}

#[test]
fn what_was_judged_counts_for_one_look() {
    let dir = crate::world::temporary::directory();
    let (scratch, _) = project(dir.path());
    let top = scratch.work_tree();
    let config = top.join(".git/config");
    let sound = fs::read(&config).unwrap();
    let look = RealGit.for_one_look().unwrap();
    let before = look.repo(top).unwrap();
    fs::write(&config, "[core]\n\tworktree = /\n").unwrap();
    assert!(RealGit.repo(top).is_err(), "whoever asks anew judges anew");
    assert_eq!(look.repo(top), Ok(before.clone()));
    assert!(look.branches(&top.join("absent")).is_err());
    drop(look);
    // The repository that the look left behind is not taken for one that is sound.
    assert!(RealGit.repo(top).is_err());
    assert!(RealGit.for_one_look().unwrap().repo(top).is_err());
    fs::write(&config, sound).unwrap();
    assert_eq!(RealGit.for_one_look().unwrap().repo(top), Ok(before));
}
