//! Which branch has a commit: every question of one look has the answer that git has.

use git2::{Repository, Signature, Time};

use super::*;
use crate::git::heads::branch_with;
use crate::git::objects::Repo;

/// A commit with these parents, at this second.
fn commit(repo: &Repository, parents: &[Oid], second: i64) -> Oid {
    let by = Signature::new("a", "a", &Time::new(1_775_600_000 + second, 0)).unwrap();
    let parents = parents.iter().map(|id| repo.find_commit(*id).unwrap());
    let parents: Vec<git2::Commit<'_>> = parents.collect();
    let parents: Vec<&git2::Commit<'_>> = parents.iter().collect();
    let first = repo.head().unwrap().peel_to_tree().unwrap();
    repo.commit(None, &by, &by, "x", &first, &parents).unwrap()
}

/// A number below `limit` that looks random.
fn number(seed: &mut u64, limit: usize) -> usize {
    *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
    usize::try_from(*seed >> 33).unwrap() % limit
}

#[test]
fn every_question_of_a_look_names_the_first_branch_that_has_the_commit() {
    let mut found = [0, 0];
    for mut seed in 0..6 {
        let dir = crate::world::temporary::directory();
        let (scratch, _) = project(dir.path());
        let top = scratch.work_tree();
        let repo = Repository::open(top).unwrap();
        let mut ids = vec![Oid::from_str(&scratch.head().unwrap()).unwrap()];
        for second in 0..24 {
            let one = ids[number(&mut seed, ids.len())];
            let other = ids[number(&mut seed, ids.len())];
            // Clocks go back, and some commits have no parents.
            let parents: &[Oid] = match number(&mut seed, 5) {
                0 => &[],
                1 | 2 if one != other => &[one, other],
                _ => &[one],
            };
            let second = second + 40 - i64::try_from(number(&mut seed, 80)).unwrap();
            ids.push(commit(&repo, parents, second));
        }
        let mut names = vec!["refs/heads/main".to_owned()];
        let of = ["heads/a", "heads/z", "remotes/origin/a", "remotes/up/z"];
        for of in of {
            let tip = ids[number(&mut seed, ids.len())];
            let name = format!("refs/{of}");
            repo.reference(&name, tip, true, "test").unwrap();
            names.push(name);
        }
        let expected = |id: &Oid| {
            let mut has = names.iter().filter(|name| {
                let tip = repo.refname_to_id(name).unwrap();
                tip == *id || repo.graph_descendant_of(tip, *id).unwrap()
            });
            has.next().map(|name| Foreign::from(name.as_str()))
        };
        let look = Look::default();
        for id in &ids {
            let expected = Ok(expected(id));
            let text = id.to_string();
            assert_eq!(RealGit.branch_with(top, &text), expected, "{seed} {id}");
            assert_eq!(look.branch_with(top, &text), expected, "{seed} {id}");
            found[usize::from(expected == Ok(None))] += 1;
        }
    }
    assert!(found.iter().all(|found| *found > 20), "{found:?}");
}

/// A list asks for the commits of each of its pipelines: from the second question on, a look walks through the history
/// of the branches only as far back as the commit lies, and no later question walks there again.
#[test]
fn a_look_walks_through_the_branches_once_for_all_its_questions() {
    let dir = crate::world::temporary::directory();
    let (scratch, _) = project(dir.path());
    let top = scratch.work_tree();
    let repo = Repository::open(top).unwrap();
    let first = Oid::from_str(&scratch.head().unwrap()).unwrap();
    let old = commit(&repo, &[first], 1);
    let second = commit(&repo, &[old], 2);
    let tip = commit(&repo, &[second], 3);
    let lost = commit(&repo, &[first], 4);
    repo.reference("refs/heads/a", tip, true, "test").unwrap();
    let repo = Repo::from(repo);
    let with = |id: Oid| {
        let name = branch_with(&repo, &id.to_string()).unwrap();
        let mut heads = repo.heads.borrow_mut();
        let first = &mut heads.as_mut().unwrap().first;
        let walked = [old, second, tip].map(|id| first.contains_key(&id));
        // A second walk would put it in its place again.
        first.entry(tip).and_modify(|branch| *branch = 0);
        (name, walked)
    };
    let (main, a) = ("refs/heads/main".into(), Foreign::from("refs/heads/a"));
    assert_eq!(with(lost), (None, [false, false, false]));
    assert_eq!(with(tip), (Some(a.clone()), [false, false, true]));
    assert_eq!(with(second), (Some(a), [false, true, true]));
    assert_eq!(with(lost), (None, [true, true, true]));
    assert_eq!(with(tip), (Some(main), [true, true, true]));
}

/// Every pipeline of a list names commits that may be gone: the references are read once for all of them.
#[test]
fn a_look_reads_the_references_once_for_all_commits_that_are_missing() {
    let dir = crate::world::temporary::directory();
    let (scratch, _) = project(dir.path());
    let top = scratch.work_tree();
    let (one, other) = ("1".repeat(40), "2".repeat(40));
    let named = |name: &str, id: &str| fs::write(top.join(".git/refs/heads").join(name), id);
    named("a", &one).unwrap();
    let look = Look::default();
    let damaged = |id: &str| matches!(look.find_commit(top, id), Err(GitError::Hostile(_)));
    assert!(damaged(&one));
    named("b", &other).unwrap();
    assert_eq!([damaged(&one), damaged(&other)], [true, false]);
    let anew = RealGit.find_commit(top, &other);
    assert!(matches!(anew, Err(GitError::Hostile(_))), "{anew:?}");
}

#[test]
fn a_torn_branch_may_have_the_commit_whatever_its_name() {
    use std::os::unix::ffi::OsStrExt as _;
    for (name, counts) in [
        (&b"torn"[..], true),
        (b"t\xc3\xb6rn", true),
        (b"t\xf6rn", true),
        (b"t\xf6rn.lock", false),
        (b"main.lock", false),
    ] {
        let dir = crate::world::temporary::directory();
        let (scratch, _) = project(dir.path());
        let top = scratch.work_tree();
        let repo = Repository::open(top).unwrap();
        let lost = commit(&repo, &[], 1).to_string();
        assert_eq!(RealGit.branch_with(top, &lost), Ok(None));
        let file = std::ffi::OsStr::from_bytes(name);
        fs::write(top.join(".git/refs/heads").join(file), "\0\0").unwrap();
        let answer = RealGit.branch_with(top, &lost);
        let unknown = answer.as_ref().is_err_and(GitError::is_unknown);
        assert_eq!(unknown, counts, "{file:?}: {answer:?}");
    }
}

/// The second question goes through all branches, and damage in one of them hides no other.
#[test]
fn damage_of_one_branch_leaves_the_answers_of_the_others() {
    let dir = crate::world::temporary::directory();
    let (scratch, _) = project(dir.path());
    let top = scratch.work_tree();
    let repo = Repository::open(top).unwrap();
    let old = commit(&repo, &[], 1);
    let tip = commit(&repo, &[old], 2);
    let own = commit(&repo, &[], 3);
    let lost = commit(&repo, &[], 4);
    for (name, id) in [("a", tip), ("b", own)] {
        let name = format!("refs/heads/{name}");
        repo.reference(&name, id, true, "test").unwrap();
    }
    let hex = old.to_string();
    let (fan, rest) = hex.split_at(2);
    fs::remove_file(top.join(".git/objects").join(fan).join(rest)).unwrap();
    let look = Look::default();
    for _ in 0..2 {
        let of_b = Ok(Some("refs/heads/b".into()));
        assert_eq!(look.branch_with(top, &own.to_string()), of_b);
        let unknown = look.branch_with(top, &lost.to_string());
        assert!(matches!(unknown, Err(GitError::Hostile(_))), "{unknown:?}");
    }
}
