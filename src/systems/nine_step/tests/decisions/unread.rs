//! A repository that cannot be read, and a project that was moved: what git would say is unknown, and what is on disk is
//! looked for.

use crate::model::{Guard, GuardKind, Preference};
use crate::systems::nine_step::facts::Home;
use crate::systems::nine_step::tests::*;
use crate::world::git::GitError;

fn boundaries(scene: &Scene) -> Vec<Boundary> {
    let (facts, decision) = (scene.facts(), scene.decision());
    points::boundaries(scene.of(&facts, &decision), &[])
}

fn guards(scene: &Scene, id: &str) -> Vec<Guard> {
    let (facts, decision) = (scene.facts(), scene.decision());
    let scene = scene.of(&facts, &decision);
    let point = points::find(scene, &PointId(id.to_owned())).unwrap();
    points::guards::of(scene, &point)
}

#[test]
fn unread_commits_are_not_counted_as_none() {
    let mut scene = Scene::new();
    let counted = reading(&scene);
    assert_eq!(
        (counted.progress.done, counted.progress.at_least),
        (Some(1), false)
    );
    scene.repo().broken = Some(GitError::OtherOwner);
    let read = reading(&scene);
    assert_eq!((read.progress.done, read.progress.at_least), (None, true));
    assert!(
        read.phases.iter().all(|phase| phase.at_least),
        "{:?}",
        read.phases
    );
    assert!(read.badges.contains(&Badge::Damaged), "{:?}", read.badges);
    assert_eq!(read.stopped_where.lossy(), "unknown");
    let reason = read.claim.reason.lossy().into_owned();
    assert!(
        reason.starts_with("Which phases are committed is unknown: "),
        "{reason}"
    );
    let ids = ["phase-1-step-3", "phase-2-step-3", "phase-3-step-3"];
    let boundaries = boundaries(&scene);
    let points = boundaries.iter().map(|point| point.id.0.as_str());
    assert_eq!(points.collect::<Vec<_>>(), ids);
    for point in &boundaries {
        assert!(
            !matches!(point.preference, Preference::Chosen(_)),
            "{}",
            point.id.0
        );
        assert_eq!((point.kept, point.redone), (None, None));
        let guards = guards(&scene, &point.id.0);
        let asks = guards.iter().filter(|guard| guard.kind == GuardKind::Ask);
        let asks: Vec<&str> = asks.map(|guard| &*guard.id).collect();
        assert_eq!(asks, ["gate:phase-commit"]);
    }
    // One branch that cannot be read is enough.
    let mut scene = Scene::new();
    let damaged = GitError::Hostile("it is damaged".to_owned());
    scene.repo().worktrees[0].head = None;
    scene
        .repo()
        .unread
        .insert("feature/price-alerts".to_owned(), damaged);
    assert_eq!(reading(&scene).progress.done, None);
}

#[test]
fn the_worktree_of_a_moved_project_is_an_orphan() {
    let mut scene = Scene::new();
    scene.repo().worktrees[0].path = "/gone/trader/.worktree/price-alerts".into();
    scene.repo().worktrees[0].prunable = true;
    // Without a link to a repository the directory is no worktree.
    assert!(matches!(scene.facts().home, Home::BranchOnly(_)));
    let link = "gitdir: /gone/trader/.git/worktrees/price-alerts\n";
    scene.write(".worktree/price-alerts/.git", link);
    let plan = "feat: Phase 2 - service";
    let two = commit("c2", plan, "2025-11-09T15:30:00Z", &["c1"]);
    let branch = scene
        .repo()
        .branches
        .get_mut("feature/price-alerts")
        .unwrap();
    branch.insert(0, two);
    assert_eq!(natives(&scene), ["price-alerts"]);
    let facts = scene.facts();
    assert!(matches!(facts.home, Home::Orphan(_)), "{:?}", facts.home);
    assert_eq!(facts.git.phases.len(), 2, "its branch is known");
    let chosen = scene.decision().chosen.id();
    let guards = guards(&scene, &chosen);
    let tree = guards.iter().find(|guard| guard.id == "work_tree").unwrap();
    let cure = tree.would_hold_if.as_ref().unwrap().lossy().into_owned();
    assert!(
        tree.refuses() && cure.starts_with("git worktree repair "),
        "{cure}"
    );
}
