//! Phases that are recorded as committed, and whose commits the branch does not have: they are not merged, and nobody
//! passes them unasked.

use crate::model::{Preference, Verdict};
use crate::systems::nine_step::tests::scene::{change, records, state};
use crate::systems::nine_step::tests::*;
use crate::world::git::{Commit, GitError};

pub(super) const FEATURE: &str = "feature/price-alerts";

/// Every step of some phases, and the last record: the commit of the last of them.
pub(super) fn all_recorded(phases: i64) -> Scene {
    let steps = (1..=phases).flat_map(|phase| (3..=9).map(move |step| (phase, step)));
    let steps = steps.enumerate();
    let list: Vec<String> = steps
        .map(|(at, (phase, step))| format!("{phase} {step} completed {at}"))
        .collect();
    let end = format!("{phases} 9 completed 59");
    let total = format!("\"total_phases\": {phases},");
    Scene::with_state(&state(
        &total,
        &scene::record(&end),
        &records(&list.join(";")),
    ))
}

pub(super) fn of_phase(phase: i64, day: &str, parent: &str) -> Commit {
    let subject = format!("feat: Phase {phase} - x");
    let at = format!("2025-11-{day}T10:30:00Z");
    commit(&format!("c{phase}"), &subject, &at, &[parent])
}

/// The branch has these commits, newest first; the first of them that the main branch has too is at `main`.
pub(super) fn branch(scene: &mut Scene, commits: &[Commit], main: usize) {
    let repo = scene.repo();
    repo.worktrees[0].head = commits.first().map(|commit| commit.id.clone());
    repo.branches.insert(FEATURE.into(), commits.to_vec());
    repo.branches
        .insert("main".into(), commits[main..].to_vec());
}

pub(super) fn base() -> Commit {
    commit("b0", "init", "2025-11-06T12:00:00Z", &[])
}

#[test]
fn work_that_was_never_committed_is_not_merged() {
    let mut scene = all_recorded(1);
    branch(&mut scene, &[base()], 0);
    scene.repo().status = vec![change("work1.txt")];
    assert_eq!(reading(&scene).claim.status, Status::Interrupted);
    assert_eq!(scene.decision().chosen.id(), "phase-1-step-9");
    assert_eq!(scene.verdict("N13"), Verdict::Pass);
    assert_eq!(scene.verdict("N8"), Verdict::Fail);
    // Nor is it where the changes are gone as well.
    scene.repo().status.clear();
    let read = reading(&scene);
    assert_eq!(read.claim.status, Status::Waiting);
    let reason = read.claim.reason.lossy().into_owned();
    assert!(reason.contains("no commit of the branch"), "{reason}");
    // Nor is it counted as done.
    assert_eq!(read.progress.done, Some(0));
    assert_ne!(read.phases[0].status, PhaseStatus::Done);
}

#[test]
fn work_is_merged_by_a_fast_forward_once_every_phase_is_in_the_main_branch() {
    let one = of_phase(1, "09", "b0");
    let two = of_phase(2, "09", "c1");
    let mut scene = all_recorded(2);
    scene.repo().status.clear();
    branch(&mut scene, &[two.clone(), one.clone(), base()], 0);
    assert_eq!(reading(&scene).claim.status, Status::Complete);
    assert_eq!(scene.verdict("N8"), Verdict::Pass);
    // A change that is nowhere else is not merged, whatever the main branch has.
    scene.repo().status = vec![change("work.txt")];
    assert_ne!(reading(&scene).claim.status, Status::Complete);
    // Phase 1 was merged early, and phase 2 is not committed.
    branch(&mut scene, &[one.clone(), base()], 0);
    assert_eq!(scene.decision().chosen.id(), "phase-2-step-9");
    assert_eq!(reading(&scene).claim.status, Status::Interrupted);
    // Phase 1 was merged early, and phase 2 is committed: no phase is lost.
    branch(&mut scene, &[two, one, base()], 1);
    scene.repo().status.clear();
    assert_eq!(scene.verdict("N8"), Verdict::Pass);
    // Phases of an earlier feature are not those of this one.
    let old = [of_phase(2, "07", "c1"), of_phase(1, "07", "b0"), base()];
    branch(&mut scene, &old, 0);
    assert_ne!(reading(&scene).claim.status, Status::Complete);
}

/// Each phase, the id of whose commit is recorded without a time.
fn timeless(ids: &[String]) -> Scene {
    let done = |(phase, id): (usize, &String)| {
        let record = scene::record(&format!("{phase} 9 completed"));
        let sha = format!("\"status\": \"completed\", \"commit_sha\": \"{id}\"");
        record.replace("\"status\": \"completed\"", &sha)
    };
    let all: Vec<String> = (1..).zip(ids).map(done).collect();
    let total = format!("\"total_phases\": {},", ids.len());
    let last = all.last().unwrap();
    let mut scene = Scene::with_state(&state(&total, last, &all.join(",")));
    scene.repo().status.clear();
    scene
}

#[test]
fn a_fast_forward_without_times_is_known_by_the_ids_of_its_commits() {
    let one = of_phase(1, "09", "b0");
    let two = of_phase(2, "09", "c1");
    for (ids, status) in [
        (
            [
                one.id.clone(),
                two.id.chars().take(9).collect::<String>().to_uppercase(),
            ],
            Status::Complete,
        ),
        // An earlier feature may have had a phase 2 as well.
        ([one.id.clone(), String::new()], Status::Waiting),
    ] {
        let mut scene = timeless(&ids);
        branch(&mut scene, &[two.clone(), one.clone(), base()], 0);
        assert_eq!(reading(&scene).claim.status, status, "{ids:?}");
    }
}

#[test]
fn a_merge_is_found_below_any_number_of_newer_commits() {
    let one = of_phase(1, "09", "b0");
    let mut scene = all_recorded(1);
    scene.repo().status.clear();
    branch(&mut scene, &[one.clone(), base()], 1);
    let merge = commit(
        "m1",
        "Merge branch x",
        "2025-11-09T11:00:00Z",
        &["b0", "c1"],
    );
    let mut main = vec![one, base(), merge];
    for number in 0..600 {
        let mut next = commit(
            &format!("e{number}x"),
            "fix: y",
            "2025-11-09T12:00:00Z",
            &[],
        );
        next.parents = main
            .last()
            .map(|before| before.id.clone())
            .into_iter()
            .collect();
        main.push(next);
    }
    main.reverse();
    scene.repo().branches.insert("main".into(), main);
    assert_eq!(reading(&scene).claim.status, Status::Complete);
}

#[test]
fn as_many_commits_as_are_read_are_all_there_are() {
    for (middle, said) in [(498, 0), (499, 1)] {
        let mut scene = all_recorded(2);
        branch(&mut scene, &row(middle, "09"), middle + 2);
        assert_eq!(unread(&scene).len(), said, "{middle}");
    }
}

/// The findings that tell of commits that could not be read.
fn unread(scene: &Scene) -> Vec<String> {
    let found = reading(scene).findings.into_iter();
    let found = found.filter(|one| one.code == "unread-commits");
    found.map(|one| one.text.lossy().into_owned()).collect()
}

/// Commits in a row, newest first; `middle` of them name no phase and are between those of phase 2 and phase 1.
fn row(middle: usize, day: &str) -> Vec<Commit> {
    let mut row = vec![base(), of_phase(1, day, "b0")];
    let at = format!("2025-11-{day}T10:30:00Z");
    for number in 0..middle {
        let mut next = commit(&format!("d{number}x"), "fix: y", &at, &[]);
        next.parents = row
            .last()
            .map(|before| before.id.clone())
            .into_iter()
            .collect();
        row.push(next);
    }
    let mut two = of_phase(2, day, "");
    two.parents = row
        .last()
        .map(|before| before.id.clone())
        .into_iter()
        .collect();
    row.push(two);
    row.reverse();
    row
}

#[test]
fn commits_are_not_lost_because_the_records_are_read_in_another_zone() {
    // Written in Asia/Seoul and read in UTC: the records are 9 hours after the commits.
    let mut one = of_phase(1, "09", "b0");
    one.time -= chrono::TimeDelta::hours(9);
    let mut scene = all_recorded(1);
    scene.repo().status.clear();
    branch(&mut scene, &[one.clone(), base()], 0);
    assert_eq!(reading(&scene).claim.status, Status::Complete);
    assert_eq!(scene.verdict("N8"), Verdict::Pass);
    // Where a record states no time, nothing is lost and nothing is merged by its time.
    let steps: Vec<String> = (3..=9).map(|step| format!("1 {step} completed")).collect();
    let last = scene::record("1 9 completed");
    let text = state("\"total_phases\": 1,", &last, &records(&steps.join(";")));
    let mut scene = Scene::with_state(&text);
    scene.repo().status.clear();
    branch(&mut scene, &[one, base()], 0);
    assert!(scene.facts().lost_phases().is_empty());
    assert_ne!(scene.verdict("N8"), Verdict::Fail);
    assert_ne!(reading(&scene).claim.status, Status::Complete);
    assert_eq!(scene.verdict("N13"), Verdict::Warn);
}

#[test]
fn a_phase_without_a_record_of_its_commit_is_neither_lost_nor_waited_for() {
    // Phase 1 was left out, and the step after it took the place of that record.
    let steps = (3..=9).map(|step| format!("2 {step} completed {step}"));
    let steps: Vec<String> = ["1 3 completed 1".to_owned()]
        .into_iter()
        .chain(steps)
        .collect();
    let last = scene::record("2 9 completed 59");
    let text = state("\"total_phases\": 2,", &last, &records(&steps.join(";")));
    let mut scene = Scene::with_state(&text);
    scene.repo().status.clear();
    let two = of_phase(2, "09", "b0");
    branch(&mut scene, &[two.clone(), base()], 1);
    let (_, asks, prompt) = recommended(&scene);
    assert!(
        asks.iter().all(|ask| !ask.contains("phase-commit")),
        "{asks:?}"
    );
    assert!(!prompt.contains("Phase 1 is recorded"), "{prompt}");
    assert_eq!(scene.verdict("N8"), Verdict::Pass);
    branch(&mut scene, &[two, base()], 0);
    assert_eq!(reading(&scene).claim.status, Status::Complete);
}

#[test]
fn without_a_main_branch_it_is_unknown_which_commits_are_the_branchs_own() {
    let mut scene = all_recorded(1);
    scene.repo().default_branch = None;
    let said = "Which commits are the branch's own is unknown: the main branch is unknown.";
    assert_eq!(unread(&scene), [said]);
    // Where there is no branch, nothing is said of its commits.
    scene.repo().branches.remove(FEATURE);
    scene.repo().worktrees[0].head = None;
    assert!(unread(&scene).is_empty());
}

#[test]
fn a_phase_before_the_commits_that_are_read_is_unknown_and_not_lost() {
    for main in [502, 0] {
        let mut scene = all_recorded(2);
        scene.repo().status.clear();
        branch(&mut scene, &row(500, "09"), main);
        assert!(scene.facts().lost_phases().is_empty(), "{main}");
        assert_ne!(scene.verdict("N8"), Verdict::Fail, "{main}");
        let said = "Older commits of the branch are unknown: only its newest 500 are read.";
        assert_eq!(unread(&scene), [said], "{main}");
    }
    // Those that are older than the records are of no phase, read or not.
    let mut scene = all_recorded(2);
    branch(&mut scene, &row(500, "07"), 0);
    assert_eq!(scene.facts().lost_phases(), [1, 2]);
}

/// Phase 2 of 3 is recorded as committed with the id of its commit, which only another branch has.
fn dropped() -> Scene {
    let two = of_phase(2, "09", "c1");
    let sha = format!("\"status\": \"completed\", \"commit_sha\": \"{}\"", two.id);
    let text = scene::at("9", "completed");
    let (before, done) = text.split_at(text.find("completed_steps").unwrap());
    let entry = format!(
        "{{\"phase\": 2, \"step\": 9, \"agent\": \"\", {sha}, \"timestamp\": \"2025-11-09T15:12:44\"}}, {{"
    );
    let done = done.replacen('{', &entry, 1);
    let mut scene = Scene::with_state(&format!("{before}{done}"));
    let repo = scene.repo();
    let one = repo.branches[FEATURE].clone();
    let kept = [vec![two], one].concat();
    repo.branches.insert("keepme".into(), kept);
    repo.status.clear();
    scene
}

pub(super) fn recommended(scene: &Scene) -> (Boundary, Vec<String>, String) {
    let case = NineStep.open(&scene.candidates()[0], &scene.world);
    let checks = case.verify(&scene.world);
    let points = case.boundaries(&checks, &scene.world).into_iter();
    let mut chosen = points.filter(|one| matches!(one.preference, Preference::Chosen(_)));
    let chosen = chosen.next().unwrap();
    let intent = case.intent(&chosen.id, &PlanOptions::default(), &scene.world);
    let asks = intent.unwrap().guards.into_iter();
    let asks = asks.filter(|guard| !guard.holds);
    let asks = asks.map(|guard| format!("{}: {}", guard.id, guard.text.lossy()));
    let handoff = case.handoff(&Prospect::new(&chosen.id, &checks), &scene.world);
    (chosen, asks.collect(), handoff.prompt.lossy().into_owned())
}

#[test]
fn a_phase_whose_commit_no_branch_of_the_work_has_is_not_passed_unasked() {
    let scene = dropped();
    let said = "Phase 2 is recorded as committed, and no commit of the branch has it; ";
    let (point, asks, prompt) = recommended(&scene);
    assert_eq!(asks.len(), 1, "{asks:?}");
    assert!(asks[0].starts_with("gate:phase-commit"), "{asks:?}");
    let reason = point.reason.lossy().into_owned();
    let id = full("c2");
    let short = id.get(..8).unwrap();
    for text in [&asks[0], &reason, &prompt] {
        assert!(text.contains(said) && text.contains(short), "{text}");
        assert!(!text.contains("Phase 2 is committed"), "{text}");
    }
    assert!(prompt.contains(&format!("git show {short}")), "{prompt}");
    // A point that does not pass the phase asks nothing.
    let case = NineStep.open(&scene.candidates()[0], &scene.world);
    let row = &case.reading().phases[1];
    assert!(row.detail.lossy().contains("no commit of the branch"));
    let id = PointId("phase-2-step-3".to_owned());
    let intent = case.intent(&id, &PlanOptions::default(), &scene.world);
    assert!(intent.unwrap().guards.iter().all(|guard| guard.holds));
    // The merge of every phase asks for itself alone.
    let mut whole = all_recorded(1);
    whole.repo().status.clear();
    let (_, asks, prompt) = recommended(&whole);
    assert_eq!(asks.len(), 1, "{asks:?}");
    assert!(prompt.contains("every phase is committed"), "{prompt}");
}

#[test]
fn a_worktree_is_no_orphan_while_git_gives_no_answer() {
    let mut scene = Scene::with_state(STATE);
    let file = scene.top.join(WT).join("workflow-state.json");
    scene.repo().broken = Some(GitError::Unsupported("sha256".into()));
    let Sniffed::Ours(found) = scene.sniff(Marker::File("workflow-state.json"), &file) else {
        panic!("not ours");
    };
    let read = NineStep.open(&found[0], &scene.world).reading().clone();
    assert!(!read.badges.contains(&Badge::Orphan), "{:?}", read.badges);
    assert!(read.findings.iter().all(|one| one.code != "orphan"));
    assert!(read.findings.iter().any(|one| one.code == "no-git"));
}
