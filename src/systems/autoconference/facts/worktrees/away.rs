//! The worktree of a researcher that left its branch: a rebase or a bisect is open there, a commit or another branch is
//! checked out, or its HEAD is damaged. Half of the researcher's work may be in it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::model::{Foreign, Place};
use crate::world::World;
use crate::world::files::SMALL_CAP;
use crate::world::git::Worktree;

use super::{BEST, branch};

/// The worktree, unless the researcher has one on its branch. `on_branch` are those that the researchers have.
pub(super) fn of(
    id: char,
    listed: &[Worktree],
    on_branch: &BTreeMap<char, PathBuf>,
    world: &dyn World,
) -> Option<PathBuf> {
    if on_branch.contains_key(&id) {
        return None;
    }
    let mut others = listed.iter().filter(|tree| {
        let is_best = tree.branch.as_ref().is_some_and(|name| *name == BEST);
        let taken = on_branch.values().any(|path| *path == tree.path);
        !tree.main && !tree.prunable && !is_best && !taken
    });
    let found = others.find(|tree| {
        // A person's own worktree may have visited a researcher's branch.
        let own = |name: &Foreign| name.lossy().starts_with("conference/");
        let left = tree.branch.as_ref().is_none_or(own);
        let last = left.then(|| last_branch(&tree.path, world)).flatten();
        last.map_or_else(
            || lies_beside(&tree.path, id, on_branch),
            |last| last == branch(id),
        )
    });
    found.map(|tree| tree.path.clone())
}

/// The branch of a researcher that a worktree left, according to the operation in progress or its reflog.
fn last_branch(tree: &Path, world: &dyn World) -> Option<String> {
    let git_dir = world.git().repo(tree).ok()?.git_dir;
    let read = |name: &str| {
        let place = Place::known(&git_dir, name).ok()?;
        let bytes = world.files().read(&place, SMALL_CAP).ok()?;
        Some(String::from_utf8_lossy(&bytes).into_owned())
    };
    let prefix = "conference/researcher-";
    let operations = [
        "rebase-merge/head-name",
        "rebase-apply/head-name",
        "BISECT_START",
    ];
    let mut left = operations.iter().filter_map(|name| read(name));
    let left = left.find_map(|text| {
        let name = text.trim();
        let name = name.strip_prefix("refs/heads/").unwrap_or(name);
        name.starts_with(prefix).then(|| name.to_owned())
    });
    left.or_else(|| {
        let log = read("logs/HEAD")?;
        let messages = log.lines().rev().filter_map(|line| line.split_once('\t'));
        let mut left = messages.filter_map(|(_, message)| {
            let moved = message.strip_prefix("checkout: moving from ")?;
            Some(moved.split_once(" to ")?.0)
        });
        // From one commit to another, it left no branch.
        let is_commit =
            |name: &str| name.len() >= 40 && name.bytes().all(|b| b.is_ascii_hexdigit());
        let name = left.find(|name| !is_commit(name))?;
        name.starts_with(prefix).then(|| name.to_owned())
    })
}

/// Whether a worktree lies where this researcher's would, beside those of the others.
fn lies_beside(tree: &Path, id: char, on_branch: &BTreeMap<char, PathBuf>) -> bool {
    let name = |path: &Path| Some(path.file_name()?.to_str()?.to_owned());
    let Some(own) = name(tree) else {
        return false;
    };
    if on_branch.is_empty() {
        return own == id.to_string() || own == format!("researcher-{id}");
    }
    on_branch.iter().any(|(other, path)| {
        let named = name(path).and_then(|name| {
            let (before, after) = name.rsplit_once(*other)?;
            Some(format!("{before}{id}{after}"))
        });
        path.parent() == tree.parent() && named.as_ref() == Some(&own)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world::fake::{FakeRepo, FakeWorld};

    /// What git keeps of a worktree that left its branch, and whose it is.
    const KEPT: &[(&str, &str, Option<char>)] = &[
        (
            "rebase-merge/head-name",
            "refs/heads/conference/researcher-B\n",
            Some('B'),
        ),
        (
            "rebase-apply/head-name",
            "refs/heads/conference/researcher-C\n",
            Some('C'),
        ),
        ("BISECT_START", "conference/researcher-B\n", Some('B')),
        (
            "logs/HEAD",
            "0 1 A <a> 1 +0\tcheckout: moving from conference/researcher-C to conference/researcher-B\n1 2 A <a> 1 +0\tcheckout: moving from conference/researcher-B to scratch\n2 3 A <a> 1 +0\tcommit: x\n",
            Some('B'),
        ),
        ("logs/HEAD", "0 1 A <a> 1 +0\tcommit: x\n", None),
        (
            "logs/HEAD",
            "0 1 A <a> 1 +0\tcommit: Merge conference/researcher-A by hand\n",
            None,
        ),
        (
            "logs/HEAD",
            "0 1 A <a> 1 +0\tcheckout: moving from conference/researcher-A to main\n1 2 A <a> 1 +0\tcheckout: moving from main to feature/x\n",
            None,
        ),
        (
            "logs/HEAD",
            "0 1 A <a> 1 +0\tcheckout: moving from main to conference/researcher-C\n",
            None,
        ),
        (
            "logs/HEAD",
            "0 1 A <a> 1 +0\tcheckout: moving from conference/researcher-B to 4c1f0e22a4c1f0e22a4c1f0e22a4c1f0e22a4c1f\n1 2 A <a> 1 +0\tcheckout: moving from 4c1f0e22a4c1f0e22a4c1f0e22a4c1f0e22a4c1f to HEAD~1\n",
            Some('B'),
        ),
    ];

    fn listed(path: &Path) -> Worktree {
        Worktree {
            path: path.to_owned(),
            branch: None,
            head: None,
            main: false,
            locked: false,
            prunable: false,
        }
    }

    #[test]
    fn f4_a_worktree_belongs_to_the_researcher_whose_branch_it_left() {
        for (name, text, owner) in KEPT {
            let dir = crate::world::temporary::directory();
            let tree = dir.path().canonicalize().unwrap().join("anywhere");
            let file = tree.join(".git").join(name);
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(file, text).unwrap();
            let mut world = FakeWorld::from("2026-05-02T20:00:00Z");
            world.git.repos.insert(tree.clone(), FakeRepo::default());
            let found = ['A', 'B', 'C'].map(|id| {
                let found = of(id, &[listed(&tree)], &BTreeMap::new(), &world);
                found.map(|_| id)
            });
            let wanted = ['A', 'B', 'C'].map(|id| owner.filter(|owner| *owner == id));
            assert_eq!(found, wanted, "{name}");
        }
    }

    /// A person's worktree is not taken for a visit to the branch; where the researcher's would be, it is its own.
    #[test]
    fn a_worktree_on_a_branch_of_no_conference_belongs_where_it_lies() {
        for (name, owned) in [("elsewhere/feature", false), ("trees/B", true)] {
            let dir = crate::world::temporary::directory();
            let root = dir.path().canonicalize().unwrap();
            let tree = root.join(name);
            let log =
                "0 1 A <a> 1 +0\tcheckout: moving from conference/researcher-B to feature/x\n";
            std::fs::create_dir_all(tree.join(".git/logs")).unwrap();
            std::fs::write(tree.join(".git/logs/HEAD"), log).unwrap();
            let mut world = FakeWorld::from("2026-05-02T20:00:00Z");
            world.git.repos.insert(tree.clone(), FakeRepo::default());
            let on_branch = BTreeMap::from([('A', root.join("trees/A"))]);
            let own = Worktree {
                branch: Some("feature/x".into()),
                ..listed(&tree)
            };
            let found = of('B', &[own], &on_branch, &world);
            assert_eq!(found.is_some(), owned, "{name}");
        }
    }

    #[test]
    fn f4_without_a_trace_it_belongs_where_it_lies() {
        let world = FakeWorld::from("2026-05-02T20:00:00Z");
        let there = |tree: &str, others: &[(char, &str)]| {
            let others = others.iter().map(|(id, path)| (*id, PathBuf::from(path)));
            of('B', &[listed(Path::new(tree))], &others.collect(), &world).is_some()
        };
        let beside: &[(char, &str)] = &[('A', "/p/worktrees/A")];
        assert!(there("/p/worktrees/B", beside));
        assert!(!there("/p/worktrees/C", beside));
        assert!(!there("/elsewhere/B", beside));
        assert!(there("/p/conf-B-tree", &[('A', "/p/conf-A-tree")]));
        assert!(there("/p/researcher-B", &[]));
        assert!(!there("/p/feature", &[]));
        // Its own one is on the branch.
        assert!(!there("/p/worktrees/B", &[('B', "/p/worktrees/x")]));
    }
}
