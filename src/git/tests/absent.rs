//! What a clone does not have, and what cannot be read, is never reported as missing from the repository.

use super::*;

/// A repository of three commits, and a clone of it.
fn clone(options: &[&str]) -> (tempfile::TempDir, std::path::PathBuf, Vec<String>) {
    let dir = crate::world::temporary::directory();
    let (scratch, _) = project(dir.path());
    for minute in [2, 3] {
        let text = minute.to_string();
        let files: &[(&str, Option<&[u8]>)] = &[("README.md", Some(text.as_bytes()))];
        scratch.commit(files, &text, "", at(minute)).unwrap();
    }
    git(
        scratch.work_tree(),
        &["config", "uploadpack.allowFilter", "true"],
    );
    let url = format!("file://{}", scratch.work_tree().display());
    let args = [&["clone", "--quiet"], options, &[&url, "clone"]].concat();
    git(dir.path(), &args);
    let ids = git(scratch.work_tree(), &["rev-list", "main"]);
    let clone = dir.path().canonicalize().unwrap().join("clone");
    (dir, clone, ids.lines().map(str::to_owned).collect())
}

fn is_unknown<T: std::fmt::Debug>(what: &str, answer: &Result<T, GitError>) {
    let unknown = matches!(answer, Err(GitError::NotFetched(_)));
    assert!(unknown, "{what}: {answer:?}");
}

#[test]
fn a_shallow_clone_says_nothing_of_older_commits() {
    if !git_is_there() {
        return;
    }
    let (_dir, top, ids) = clone(&["--depth", "2"]);
    let [newest, cut, gone] = ids.as_slice() else {
        panic!("{ids:?}");
    };
    let long_ago = "1".repeat(40);
    for id in [gone, short(gone, 8), &long_ago] {
        is_unknown(id, &RealGit.find_commit(&top, id));
    }
    is_unknown("ancestor", &RealGit.is_ancestor(&top, gone, newest));
    assert_eq!(RealGit.is_ancestor(&top, cut, newest), Ok(true));
    let log = RealGit.log(&top, newest, Some(cut), 9).unwrap();
    assert_eq!(log.len(), 1);
    let cuts = RealGit.log(&top, newest, None, 9).unwrap();
    let cuts: Vec<bool> = cuts.iter().map(|commit| commit.cut).collect();
    assert_eq!(cuts, [false, true]);

    // A root of its own: whether the cut history led to it, nobody can tell here.
    let tree = git(&top, &["rev-parse", "HEAD^{tree}"]);
    let identity = ["-c", "user.name=a", "-c", "user.email=a"];
    let args = [&identity[..], &["commit-tree", "-m", "other", tree.trim()]].concat();
    let other = git(&top, &args).trim().to_owned();
    is_unknown("unrelated", &RealGit.is_ancestor(&top, &other, newest));
    is_unknown("base", &RealGit.merge_base(&top, &other, newest));
    is_unknown("counts", &RealGit.ahead_behind(&top, &other, newest));
    is_unknown("since", &RealGit.log(&top, newest, Some(&other), 9));

    git(&top, &["fetch", "--quiet", "--unshallow"]);
    assert_eq!(RealGit.is_ancestor(&top, gone, newest), Ok(true));
    assert_eq!(RealGit.is_ancestor(&top, &other, newest), Ok(false));
    let missing = RealGit.find_commit(&top, &long_ago);
    assert!(matches!(missing, Err(GitError::Missing(_))), "{missing:?}");
}

#[test]
fn a_partial_clone_may_have_been_spared_a_file() {
    if !git_is_there() {
        return;
    }
    let (_dir, top, ids) = clone(&["--filter=blob:none"]);
    let old = Path::new("src/a.rs");
    let readme = Path::new("README.md");
    assert!(RealGit.blob(&top, &ids[0], old).is_ok());
    is_unknown("content", &RealGit.blob(&top, &ids[2], readme));
    let found = RealGit.drift(&top, &ids[2], &top).unwrap();
    let known = found.paths.iter().find_map(|path| {
        let blob = path.blob.as_ref().filter(|_| path.path == *"README.md");
        Some(blob?.is_there)
    });
    assert_eq!(known, Some(false), "{found:?}");
    let never = RealGit.blob(&top, &ids[0], Path::new("never.rs"));
    assert!(matches!(never, Err(GitError::Missing(_))), "{never:?}");
}

#[test]
fn objects_that_cannot_be_reached_are_not_missing() {
    if !git_is_there() {
        return;
    }
    let absent = "1".repeat(40);
    let (_dir, top, _ids) = clone(&[]);
    let missing = |what: &str, expected: bool| {
        let answer = RealGit.find_commit(&top, &absent);
        let is = matches!(answer, Err(GitError::Missing(_)));
        assert_eq!(is, expected, "{what}: {answer:?}");
    };
    missing("sound", true);
    let info = top.join(".git/objects/info");
    fs::create_dir_all(&info).unwrap();
    fs::write(info.join("alternates"), "/gone/objects\n").unwrap();
    missing("alternates", false);
    fs::write(info.join("alternates"), "# none\n").unwrap();
    missing("sound again", true);
}

#[test]
fn a_branch_whose_record_was_cut_off_is_unknown_and_never_missing() {
    if !git_is_there() {
        return;
    }
    let packed = "# pack-refs with: peeled fully-peeled sorted \n";
    let id = "1".repeat(40);
    for (what, file, text) in [
        ("an empty file", "refs/heads/main", String::new()),
        ("a garbled file", "refs/heads/main", "xx".to_owned()),
        ("NULs", "refs/heads/main", "\0".repeat(41)),
        ("cut in an id", "packed-refs", format!("{packed}0123456789")),
        (
            "cut in a name",
            "packed-refs",
            format!("{packed}{id} refs/heads/ma"),
        ),
        ("garbled", "packed-refs", format!("{packed}xx\n")),
    ] {
        let dir = crate::world::temporary::directory();
        let (scratch, _) = project(dir.path());
        let top = scratch.work_tree();
        git(top, &["pack-refs", "--all"]);
        fs::write(top.join(".git").join(file), text).unwrap();
        for answer in [
            RealGit.branch_tip(top, "main").map(drop),
            RealGit.repo(top).map(drop),
            // The second question has no other answer than the first.
            RealGit.branch_tip(top, "main").map(drop),
        ] {
            assert!(
                matches!(answer, Err(GitError::Hostile(_))),
                "{what}: {answer:?}"
            );
        }
    }
}

/// What a crash takes from the middle of a repository was there: something else names it.
#[test]
fn an_object_that_another_one_names_is_damaged_and_never_missing() {
    if !git_is_there() {
        return;
    }
    for (object, still) in [
        ("HEAD:src/a.rs", [true, true, false]),
        ("HEAD:src", [true, false, false]),
        ("HEAD^{tree}", [true, false, false]),
        ("HEAD", [false, false, false]),
    ] {
        let dir = crate::world::temporary::directory();
        let (scratch, _) = project(dir.path());
        let top = scratch.work_tree();
        let tip = git(top, &["rev-parse", "HEAD"]).trim().to_owned();
        let id = git(top, &["rev-parse", object]);
        let (fan, rest) = id.trim().split_at(2);
        fs::remove_file(top.join(".git/objects").join(fan).join(rest)).unwrap();

        let file = Path::new("src/a.rs");
        let answers = [
            RealGit.branch_tip(top, "main").map(drop),
            RealGit.tree_paths(top, "main", Path::new("src")).map(drop),
            RealGit.blob(top, "main", file).map(drop),
        ];
        for (answer, still) in answers.iter().zip(still) {
            let fits = matches!(answer, Ok(()) if still)
                || matches!(answer, Err(GitError::Hostile(_)) if !still);
            assert!(fits, "without {object}: {answers:?}");
        }
        // Of an id that somebody wrote down, nobody knows whether there ever was such a commit, unless a branch or
        // HEAD is at it.
        for id in [tip.as_str(), short(&tip, 9)] {
            let by_id = RealGit.find_commit(top, id);
            let damaged = matches!(by_id, Err(GitError::Hostile(_)));
            assert_eq!(object == "HEAD", damaged, "{by_id:?}");
        }
        let never = RealGit.tree_paths(top, &"1".repeat(40), Path::new("src"));
        assert!(matches!(never, Err(GitError::Missing(_))), "{never:?}");
    }
}

#[test]
fn the_commit_of_a_detached_head_is_damaged_and_never_missing() {
    let dir = crate::world::temporary::directory();
    let (scratch, _) = project(dir.path());
    let top = scratch.work_tree();
    scratch.detach().unwrap();
    let tip = scratch.head().unwrap();
    fs::remove_file(top.join(".git/refs/heads/main")).unwrap();
    let (fan, rest) = tip.split_at(2);
    fs::remove_file(top.join(".git/objects").join(fan).join(rest)).unwrap();
    for answer in [
        RealGit.status(top).map(drop),
        RealGit.log(top, &tip, None, 9).map(drop),
        RealGit.find_commit(top, &tip).map(drop),
        RealGit
            .path_history(top, Path::new("src/a.rs"), 9)
            .map(drop),
    ] {
        assert!(matches!(answer, Err(GitError::Hostile(_))), "{answer:?}");
    }
}

/// git reads an empty file of packed references as one without any, and `JGit` writes it so. It was cut off where the
/// log of a branch is left that was in it.
#[test]
fn an_empty_file_of_packed_references_is_damage_only_where_a_branch_is_lost() {
    if !git_is_there() {
        return;
    }
    for (packs, is_damage) in [(false, false), (true, true)] {
        let dir = crate::world::temporary::directory();
        let (scratch, _) = project(dir.path());
        let top = scratch.work_tree();
        let tip = scratch.head().unwrap();
        let who = ["-c", "user.name=a", "-c", "user.email=a"];
        let logged = ["update-ref", "--create-reflog", "refs/heads/a", &tip];
        git(top, &[&who[..], &logged].concat());
        if packs {
            git(top, &["pack-refs", "--all"]);
        }
        fs::write(top.join(".git/packed-refs"), "").unwrap();
        let gone = RealGit.branch_tip(top, "gone");
        let damaged = matches!(gone, Err(GitError::Hostile(_)));
        assert_eq!(damaged, is_damage, "{gone:?}");
        assert_eq!(RealGit.branches(top).is_err(), is_damage);
        assert_eq!(RealGit.repo(top).is_err(), is_damage);
        // A deleted branch has no log.
        if !packs {
            git(top, &["update-ref", "-d", "refs/heads/a"]);
            assert!(matches!(
                RealGit.branch_tip(top, "a"),
                Err(GitError::Missing(_))
            ));
        }
    }
}

/// A clone keeps its remote's branches in that file and no log of them, but the remote's HEAD names one.
#[test]
fn an_empty_file_of_packed_references_is_damage_in_a_clone() {
    if !git_is_there() {
        return;
    }
    let (_dir, top, _ids) = clone(&[]);
    let gone = |what: &str| {
        let gone = RealGit.branch_tip(&top, "gone");
        let damaged = matches!(gone, Err(GitError::Hostile(_)));
        let missing = matches!(gone, Err(GitError::Missing(_)));
        assert!(damaged || missing, "{what}: {gone:?}");
        damaged
    };
    assert!(!gone("whole"));
    fs::write(top.join(".git/packed-refs"), "").unwrap();
    assert!(gone("empty"));
    assert!(RealGit.branches(&top).is_err());
    git(&top, &["fetch", "--quiet"]);
    assert!(!gone("fetched again"));
}

#[test]
fn no_branch_has_a_commit_only_if_all_could_be_asked() {
    if !git_is_there() {
        return;
    }
    let dir = crate::world::temporary::directory();
    let (scratch, _) = project(dir.path());
    let top = scratch.work_tree();
    let first = scratch.head().unwrap();
    let tree = git(top, &["rev-parse", "HEAD^{tree}"]);
    let identity = ["-c", "user.name=a", "-c", "user.email=a"];
    let made = |parent: &str| {
        let args = ["commit-tree", "-m", "x", "-p", parent, tree.trim()];
        let id = git(top, &[&identity[..], &args].concat());
        id.trim().to_owned()
    };
    let (second, third) = (made(&first), made(&made(&first)));
    let with = |id: &str| RealGit.branch_with(top, id);
    for branch in ["a", "issue/1-a"] {
        scratch.branch(branch, &second).unwrap();
    }
    // The main branch goes before others that have it, too.
    assert_eq!(with(&first), Ok(Some("refs/heads/main".into())));
    assert_eq!(with(&second), Ok(Some("refs/heads/a".into())));
    assert_eq!(with(&third), Ok(None));
    scratch.track("issue/1-a", &third).unwrap();
    git(
        top,
        &[
            "symbolic-ref",
            "refs/remotes/origin/HEAD",
            "refs/remotes/origin/issue/1-a",
        ],
    );
    let remote = Ok(Some("refs/remotes/origin/issue/1-a".into()));
    assert_eq!(with(&third), remote);
    fs::write(top.join(".git/refs/heads/torn"), "\0\0").unwrap();
    assert_eq!(with(&third), remote);
    fs::remove_file(top.join(".git/refs/remotes/origin/issue/1-a")).unwrap();
    let unknown = with(&third);
    assert!(
        unknown.as_ref().is_err_and(GitError::is_unknown),
        "{unknown:?}"
    );
    fs::remove_file(top.join(".git/refs/heads/torn")).unwrap();
    assert_eq!(with(&third), Ok(None));
}
