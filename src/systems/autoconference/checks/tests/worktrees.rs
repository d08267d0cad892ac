//! Researchers in git worktrees: the checks, and the resets of a point.

use std::borrow::Cow;

use super::edit;
use crate::model::Verdict::{Pass, Skipped, Warn};
use crate::systems::autoconference::testdata::{self, Dir, interrupted};
use crate::systems::testing::appended;
use crate::world::fake::FakeRepo;
use crate::world::git::{Commit, StatusKind, StatusPath, Worktree};

fn commit(id: &str, parents: &[&str]) -> Commit {
    Commit {
        id: id.to_owned(),
        time: chrono::DateTime::from_timestamp(1_777_700_000, 0).unwrap(),
        authored: chrono::DateTime::from_timestamp(1_777_700_000, 0).unwrap(),
        subject: "x".into(),
        body: "".into(),
        parents: parents.iter().map(|p| (*p).to_owned()).collect(),
        cut: false,
    }
}

/// The usual directory in a repository with worktrees for researchers.
fn with_worktrees(dirty: bool) -> Dir {
    let mut dir = interrupted();
    edit(&dir, "conference.md", "prompts", "src/parser.rs");
    let best = commit("b", &[]);
    let mut repo = FakeRepo {
        branch: Some("main".to_owned()),
        ..FakeRepo::default()
    };
    repo.branches
        .insert("conference/best".into(), vec![best.clone()]);
    for id in ["A", "B"] {
        let name = format!("conference/researcher-{id}");
        let own = commit(id, &["b"]);
        repo.branches
            .insert(name.clone(), vec![own.clone(), best.clone()]);
        let path = std::path::PathBuf::from(format!("/trees/{id}"));
        repo.worktrees.push(Worktree {
            path: path.clone(),
            branch: Some(name.as_str().into()),
            head: Some(id.to_owned()),
            main: false,
            locked: false,
            prunable: false,
        });
        let status = [
            ("src/new.rs", StatusKind::New),
            ("src/x.rs", StatusKind::Changed),
            ("notes", StatusKind::Untracked),
        ]
        .map(|(path, kind)| StatusPath {
            path: path.into(),
            kind,
            on_disk: true,
        });
        let mut tree = FakeRepo {
            branch: Some(name.clone()),
            ..FakeRepo::default()
        };
        tree.branches.insert(name, vec![own, best.clone()]);
        if dirty {
            tree.status = status.to_vec();
        }
        dir.world.git.repos.insert(path, tree);
    }
    let top = std::fs::canonicalize(dir.path()).unwrap();
    dir.world.git.repos.insert(top, repo);
    dir
}

#[test]
fn worktrees_are_expected_only_if_code_may_change() {
    let clean = with_worktrees(false);
    for (id, wanted) in [("A19", Pass), ("A20", Pass), ("A21", Pass)] {
        assert_eq!(clean.verdict(id), wanted, "{id}");
    }
    assert_eq!(with_worktrees(true).verdict("A20"), Warn);
    let mut gone = with_worktrees(false);
    for repo in gone.world.git.repos.values_mut() {
        repo.worktrees.clear();
    }
    assert_eq!(gone.verdict("A19"), Warn);
    let mut blind = with_worktrees(false);
    blind.world.git.repos.clear();
    assert_eq!(blind.verdict("A19"), Skipped);
}

#[test]
fn mid_resets_the_incomplete_researchers_worktree_alone() {
    use crate::model::Step;
    let clean = with_worktrees(false).intent("round-2-mid");
    assert!(
        !clean
            .steps
            .iter()
            .any(|s| matches!(s, Step::ResetWorktree { .. }))
    );
    let intent = with_worktrees(true).intent("round-2-mid");
    let resets: Vec<_> = intent
        .steps
        .iter()
        .filter_map(|s| {
            let Step::ResetWorktree { worktree, commit } = s else {
                return None;
            };
            Some((worktree.display().to_string(), commit.clone()))
        })
        .collect();
    assert_eq!(resets, [("/trees/B".to_owned(), "B".to_owned())]);
    assert!(intent.tree.is_some() && intent.guards.iter().all(|g| g.holds));
    let losses = intent.losses.iter().map(|loss| loss.lossy());
    let of_tree = |loss: &Cow<'_, str>| loss.contains("worktree of researcher");
    let losses: Vec<_> = losses.filter(of_tree).collect();
    assert_eq!(
        losses,
        [
            "1 tracked file has uncommitted changes in the worktree of researcher B: those that Changes lists are reset; undo restores them.",
            "1 staged new file in the worktree of researcher B is no longer staged; undo stages it again.",
        ]
    );
    assert!(
        intent
            .steps
            .last()
            .is_some_and(|step| appended(step).is_some())
    );
}

/// The orchestrator resets the worktrees at the start of a round, so no undo of relight restores what they lose.
#[test]
fn the_start_of_a_round_names_what_its_reset_loses() {
    let of = |dir: &Dir, point: &str| -> Vec<String> {
        let losses = dir.intent(point).losses;
        let losses = losses.iter().map(|loss| loss.lossy().into_owned());
        losses
            .filter(|loss| loss.contains("esearcher B "))
            .collect()
    };
    let commits = "1 commit of researcher B is not on conference/best; the start of a round resets that branch, so it stays reachable only through the reflog.";
    let files = "2 tracked files in the worktree of researcher B have uncommitted changes, which the start of a round discards: src/new.rs and src/x.rs.";
    let unread = "Whether the worktree of researcher B has uncommitted changes, which the start of a round discards, is unknown: ";
    for point in ["round-2-phase-1", "fresh"] {
        let mut dir = with_worktrees(true);
        assert_eq!(of(&dir, point), [commits, files], "{point}");
        dir.world.git.repos.remove(std::path::Path::new("/trees/B"));
        let said = of(&dir, point);
        assert!(said[1].starts_with(unread), "{point}: {said:?}");
        assert_eq!(of(&with_worktrees(false), point), [commits], "{point}");
    }
}

/// A directory that git cannot read is neither reset nor called clean.
#[test]
fn a_worktree_that_cannot_be_read_is_named() {
    let mut dir = with_worktrees(true);
    dir.world.git.repos.remove(std::path::Path::new("/trees/B"));
    assert_eq!(dir.verdict("A20"), Warn, "A is dirty");
    let checks = dir.checks();
    let unread = |text: &str| text.starts_with("Its status cannot be read: ");
    let one = checks.iter().find(|one| unread(&one.evidence.lossy()));
    assert_eq!(one.map(|one| one.verdict), Some(Skipped));
    let boundaries = dir.boundaries();
    let mid = boundaries.iter().find(|b| b.id.0 == "round-2-mid").unwrap();
    let said = "The worktree of researcher B is not reset: /trees/B cannot be read: ";
    let mut warnings = mid.warnings.iter();
    assert!(warnings.any(|one| one.lossy().starts_with(said)), "{mid:?}");
    assert_untouched(&dir, "/trees/B cannot be read: ");
}

/// Nothing of researcher B is reverted: its table would show other iterations than its worktree. The log, the prompt and
/// the briefing say so.
fn assert_untouched(dir: &Dir, why: &str) {
    let handoff = dir.handoff("round-2-mid");
    for said in [
        "reverted: none",
        &format!("The worktree of researcher B was not reset ({why}"),
        "and the rows of its table stay",
    ] {
        assert!(handoff.prompt.lossy().contains(said), "{handoff:?}");
    }
    for said in [
        "Reverted: none\n",
        &format!("Not reset, and not reverted:\n  B: {why}"),
    ] {
        assert!(handoff.briefing.lossy().contains(said), "{handoff:?}");
    }
    let steps = dir.intent("round-2-mid").steps;
    let [log] = steps.as_slice() else {
        panic!("{steps:?}");
    };
    let (_, lines) = appended(log).unwrap();
    assert!(
        lines[0].contains("\"reverted_researchers\": []"),
        "{lines:?}"
    );
}

/// A worktree whose branch has no commit, or one that cannot be read, has nothing to be reset to.
#[test]
fn a_worktree_without_a_commit_to_reset_to_is_named() {
    let damaged = crate::world::git::GitError::Hostile("it is damaged".to_owned());
    for (unread, why) in [
        (None, "conference/researcher-B has no commit"),
        (
            Some(damaged),
            "conference/researcher-B cannot be read: it is damaged",
        ),
    ] {
        let mut dir = with_worktrees(true);
        for repo in dir.world.git.repos.values_mut() {
            let branch = "conference/researcher-B".to_owned();
            repo.branches.remove(&branch);
            repo.unread.extend(unread.clone().map(|why| (branch, why)));
        }
        assert_untouched(&dir, why);
    }
}

/// A detached worktree is neither missing nor reset: half of an iteration may be in it.
#[test]
fn a_worktree_that_left_its_branch_refuses_every_point_that_works_in_it() {
    for busy in [None, Some("rebase")] {
        let mut dir = with_worktrees(true);
        for repo in dir.world.git.repos.values_mut() {
            let mut trees = repo.worktrees.iter_mut();
            if let Some(b) = trees.find(|tree| tree.path.ends_with("B")) {
                b.branch = None;
            }
        }
        let own = dir
            .world
            .git
            .repos
            .get_mut(std::path::Path::new("/trees/B"));
        let own = own.unwrap();
        (own.branch, own.busy) = (None, busy);

        assert_eq!(dir.verdict("A19"), Warn);
        let said = dir.checks();
        let mut said = said.iter().filter(|check| check.id.0 == "A19");
        let check = said.next().unwrap();
        assert!(!check.evidence.lossy().contains("missing"), "{check:?}");
        let ends = busy.map_or(
            "git -C /trees/B switch conference/researcher-B",
            |_| "rebase --abort",
        );
        assert!(
            check.remedy.as_ref().unwrap().lossy().contains(ends),
            "{check:?}"
        );
        for point in ["round-2-mid", "round-2-keep", "round-2-phase-1"] {
            let intent = dir.intent(point);
            let refuses = |guard: &&crate::model::Guard| guard.refuses() && guard.id == "branch";
            let guard = intent.guards.iter().find(refuses);
            let cure = guard.and_then(|guard| guard.would_hold_if.as_ref());
            assert!(cure.unwrap().lossy().contains(ends), "{point}: {guard:?}");
        }
        assert_untouched(&dir, "/trees/B is not on");
    }
}

#[test]
fn a_branch_that_cannot_be_read_is_not_missing() {
    let mut dir = with_worktrees(false);
    let damaged = crate::world::git::GitError::Hostile("it is damaged".to_owned());
    for repo in dir.world.git.repos.values_mut() {
        for branch in ["conference/researcher-B", "conference/best"] {
            repo.unread.insert(branch.to_owned(), damaged.clone());
        }
    }
    assert_eq!(dir.verdict("A19"), Skipped);
    // The start of a round resets the branches: what it loses of them is unknown.
    let losses = dir.intent("round-2-phase-1").losses;
    let said = "Whether researcher B has commits that conference/best does not have is unknown";
    let mut losses = losses.iter().map(|loss| loss.lossy());
    assert!(losses.any(|loss| loss.starts_with(said)));
}

/// What the transfer of a round has to bring to the shared branch.
#[test]
fn the_transfer_names_commits_that_are_not_shared() {
    let dir = with_worktrees(false);
    let events = [
        testdata::ROUND_1,
        &[
            "round.started 2",
            "round.poster_session 2",
            "round.peer_review 2",
        ],
    ];
    dir.put(
        "conference_events.jsonl",
        testdata::log(&events.concat()).as_bytes(),
    );
    dir.put("poster_session_round_2.md", testdata::POSTER.as_bytes());
    dir.put("peer_review_round_2.md", b"# Peer Review\n");
    let boundaries = dir.boundaries();
    let four = boundaries
        .iter()
        .find(|b| b.id.0 == "round-2-phase-4")
        .unwrap();
    let warnings: Vec<_> = four.warnings.iter().map(|one| one.lossy()).collect();
    for said in [
        "Researcher A has 1 commit that conference/best does not have.",
        "Researcher B has 1 commit that conference/best does not have.",
        "The review has no readable verdict, so conference/best must not change.",
    ] {
        assert!(warnings.iter().any(|one| one == said), "{warnings:?}");
    }
}
