use crate::systems::nine_step::facts::merging::*;
use crate::systems::nine_step::tests::scene::{STATE, Scene, at, commit, full};
use crate::world::World as _;

/// Searches a main branch of some commits at this time; the oldest is the merge.
fn searched(state: &str, time: &str, commits: usize) -> Merge {
    searched_for("merge: price-alerts", state, time, commits)
}

/// The same; the oldest has this subject, and before it the clone is cut.
fn searched_for(oldest: &str, state: &str, time: &str, commits: usize) -> Merge {
    let mut scene = Scene::with_state(state);
    let main = scene.repo().branches.get_mut("main").unwrap();
    for number in 0..commits {
        let subject = if number == 0 { oldest } else { "fix: y" };
        let mut next = commit(&format!("e{number}x"), subject, time, &[]);
        next.parents = vec![main[0].id.clone()];
        next.cut = number == 0;
        main.insert(0, next);
    }
    let (main, fork) = (main[0].id.clone(), full("b0"));
    let search = Search {
        main: &main,
        fork: Some(&fork),
        tip: None,
        is_contained: false,
    };
    let depth = Depth { first: 3, most: 6 };
    find(scene.world.git(), &scene.facts(), &search, depth)
}

/// Every phase is recorded as committed.
fn finished() -> String {
    at("9", "completed").replace("\"total_phases\": 3", "\"total_phases\": 2")
}

#[test]
fn a_merge_below_the_newest_commits_is_found_or_unknown() {
    let now = "2025-11-09T17:00:00Z";
    let found = |commits| searched(&finished(), now, commits);
    for commits in [1, 3, 4, 6] {
        assert!(found(commits).unwrap().is_some(), "{commits}");
    }
    let why = found(7).unwrap_err();
    assert!(why.contains("newest 6 commits"), "{why}");
    // The records of unfinished work say that no old merge is its own.
    assert_eq!(searched(STATE, now, 4), Ok(None));
    assert!(searched(STATE, now, 3).unwrap().is_some());
}

#[test]
fn nothing_older_than_the_work_is_read() {
    for commits in [1, 3, 7, 20] {
        let merge = searched(&finished(), "2023-11-09T17:00:00Z", commits);
        assert_eq!(merge, Ok(None), "{commits}");
    }
}

#[test]
fn a_merge_that_a_shallow_clone_may_lack_is_unknown() {
    let now = "2025-11-09T17:00:00Z";
    let why = searched_for("fix: y", &finished(), now, 2).unwrap_err();
    assert_eq!(why, "the clone is shallow");
    assert_eq!(searched_for("fix: y", STATE, now, 2), Ok(None));
    let before = "2023-11-09T17:00:00Z";
    assert_eq!(searched_for("fix: y", &finished(), before, 2), Ok(None));
}

#[test]
fn a_merge_of_another_feature_whose_name_contains_this_one_is_not_its_own() {
    let now = "2025-11-09T17:00:00Z";
    for (subject, is_own) in [
        ("merge: Price Alerts 기능 완료", true),
        ("merge: bulk-price-alerts 기능 완료", false),
        ("merge: price-alerts-v2 기능 완료", false),
    ] {
        let merge = searched_for(subject, &finished(), now, 2);
        let found = matches!(merge, Ok(Some(_)));
        assert_eq!(found, is_own, "{subject}: {merge:?}");
    }
}
