//! What a person reads where records are missing, contradict each other or belong to another run.

use super::*;
use crate::systems::testing;
use crate::world::git::GitError;

type Damage = fn(&mut Kit);

fn said(kit: &Kit, id: &str) -> String {
    let text = testing::said(&kit.open().verify(&kit.world), id);
    text.replace(&kit.store().display().to_string(), "STORE")
}

fn store(kit: &mut Kit) -> &mut FakeRepo {
    let store = kit.store();
    kit.world.git.repos.get_mut(&store).unwrap()
}

fn unmarked(kit: &Kit) {
    std::fs::remove_file(kit.memory().join(".pipeline-active")).unwrap();
}

fn handed(kit: &Kit, from: u64, goal: &str, day: &str) {
    let path = kit
        .memory()
        .join(format!("handoff-{from}-to-{}.md", from + 1));
    let text = format!("**Timestamp:** 2026-04-{day}T10:14:00Z\n**Goal:** {goal}\n");
    kit.write(&path, &text);
}

fn ledger(kit: &Kit, phases: &str) {
    let text = format!("# Build Gate Ledger\n{phases}");
    kit.write(&kit.memory().join("build-gate-ledger.md"), &text);
}

fn logged(kit: &Kit, summary: &str) {
    let line = format!(
        "{{\"ts\":\"2026-04-08T10:59:00Z\",\"type\":\"skill_end\",\"summary\":\"{summary}\"}}\n"
    );
    kit.write(&kit.memory().join("session-index/s1/events.jsonl"), &line);
}

#[test]
#[rustfmt::skip]
fn a_check_says_what_is_wrong_and_what_to_do() {
    let table: &[(&str, Damage, &str)] = &[
        ("F2", |kit| kit.manifest(&[1, 3, 7].map(|seq| line(seq, "a", "2", 0, "completed", ""))), "warn 2 is missing; 4 to 6 are missing. - New dispatches get the highest number plus one; compare the named entries in the timeline."),
        ("F3", |kit| unmarked(kit), "warn There is no marker of this run, so its branch is unknown. - Name the branch the run was on with --branch NAME before you restore anything."),
        ("F4", |kit| { unmarked(kit); repo(kit).branch = None; }, "warn The run recorded no branch and HEAD is detached; the commit it started at must be an ancestor. - Name the branch with --branch NAME; it must be the one checked out."),
        ("F6", |kit| { kit.manifest(&done(3, "acceptance-tests", "3", 1)); kit.header(3, "acceptance-tests", "10:20:00"); }, "warn A commit was made in its time (bbbbbbbb `feat: cache`), but its subject is not the prescribed one. - git show bbbbbbbb"),
        ("F10", |kit| store(kit).broken = Some(GitError::OtherOwner), "fail The store STORE cannot be read: "),
        ("F10", |kit| store(kit).shadow_work_tree = Some("/elsewhere".into()), "fail The store STORE was made for /elsewhere. - If the project was moved, name its path with --work-tree PATH."),
        ("F10", |kit| kit.write(&kit.store().join("checkpoint-manifest.md"), "| 0000000 | 2026-04-08 10:30:00 | pre-wave-2 | build |\n"), "warn Two commits of the store begin with this hash. - Choose the checkpoint by its full id: relight checkpoints."),
        ("F11", |_| {}, "warn There is no hand-off between phases. - Tell the orchestrator the goal, the decisions and the constraints yourself."),
        ("F11", |kit| handed(kit, 1, "x", "07"), "warn No hand-off was written during this run. - Tell the orchestrator the goal, the decisions and the constraints yourself."),
        ("F11", |kit| { handed(kit, 1, "a cache", "08"); handed(kit, 2, "an index", "08"); }, "warn The hand-offs name different goals. - Read them and tell the orchestrator which goal is right."),
        ("F11", |kit| { handed(kit, 1, "a cache", "08"); handed(kit, 2, "a cache", "08"); }, "pass 2 hand-offs belong to this run and agree."),
        ("F14", |kit| { kit.marker("1"); kit.manifest(&[line(1, "design-writer", "1", 0, "dispatched", "")]); ledger(kit, "## Phase 1: Design\nStatus: NOT_STARTED\n"); }, "pass No phase before the current one needs a gate."),
    ];
    let mut wrong = Vec::new();
    for (id, damage, want) in table {
        let mut kit = interrupted();
        damage(&mut kit);
        let found = said(&kit, id);
        if !found.starts_with(want) {
            wrong.push(format!("{id}\n  {want}\n  {found}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Each reason to count a run without a marker as finished, and what only looks like one.
#[test]
#[rustfmt::skip]
fn a_run_is_finished_only_by_a_record_of_its_success() {
    let table: &[(Damage, Status, &str)] = &[
        (|kit| logged(kit, "build: success"), Status::Complete, "The session log records that the skill ended with success."),
        (|kit| logged(kit, "build: unsuccessful"), Status::Interrupted, "Phase 3 is not finished, and the marker of the run is missing."),
        (|kit| ledger(kit, "## Phase 4: Completion\nStatus: PASS\n"), Status::Complete, "Phase 4 passed in the gate ledger, and the marker is gone."),
        (|kit| ledger(kit, "## Phase 4: Completion\nStatus: FAIL\n"), Status::Interrupted, "Phase 3 is not finished, and the marker of the run is missing."),
    ];
    for (damage, status, reason) in table {
        let mut kit = interrupted();
        unmarked(&kit);
        damage(&mut kit);
        let claim = kit.open().reading().claim.clone();
        assert_eq!((claim.status, &*claim.reason.lossy()), (*status, *reason));
    }
}

/// A record that work was done outweighs an empty dispatch directory: nothing starts over unasked.
#[test]
fn a_gate_that_passed_shows_that_work_was_done() {
    for (status, chosen) in [("PASS", "disk"), ("NOT_STARTED", "fresh")] {
        let mut kit = Kit::new();
        kit.marker("1");
        std::fs::create_dir(kit.dispatch()).unwrap();
        ledger(&kit, &format!("## Phase 1: Design\nStatus: {status}\n"));
        let talk = format!("{{\"cwd\":\"{}\"}}\n", kit.proj().display());
        kit.write(&kit.project().join("talk.jsonl"), &talk);
        repo(&mut kit).status.clear();
        assert_eq!(kit.points(&kit.open()).0, chosen, "{status}");
    }
}

/// Why the run waits, and what a person can do about it.
#[test]
#[rustfmt::skip]
fn a_run_that_waits_for_a_person_says_for_what() {
    let table: &[(Damage, &str, &str)] = &[
        (|kit| kit.write(&kit.memory().join("quality-gate/gate-verdict-1.md"), "Verdict: ESCALATED\nTimestamp: 2026-04-08T10:50:00Z\n"), "The quality gate ended with ESCALATED.", "Read the verdict, then accept it or send the work back."),
        (|kit| ledger(kit, "## Phase 3: Execute\nStatus: FAIL\n"), "The gate ledger says FAIL for phase 3.", "Read the gate ledger, then accept the phase or send the work back."),
        (|kit| {
            for name in ["manifest.jsonl", "4-implementer.md"] {
                let text = std::fs::read_to_string(kit.dispatch().join(name)).unwrap();
                let folder = kit.memory().join(format!("crucible-dispatch-{SID}"));
                kit.write(&folder.join(name), &text);
            }
        }, "The run was escalated, and its dispatch files were kept for a person to look at.", "Look at the dispatch files that were kept, then decide how the run continues."),
    ];
    for (damage, words, advice) in table {
        let mut kit = interrupted();
        damage(&mut kit);
        let case = kit.open();
        assert_eq!(case.reading().claim.status, Status::Waiting);
        let found = case.recorded_cause(None, &kit.world).unwrap();
        assert_eq!((&*found.text.lossy(), &*found.next[0].lossy()), (*words, *advice));
    }
}

/// A folder named by the hash of its project's path is matched with the projects that Claude knows.
#[test]
fn a_project_is_found_by_the_hash_of_its_path() {
    let kit = interrupted();
    std::fs::remove_dir_all(kit.store()).unwrap();
    let hash = crate::systems::crucible::facts::project::dir_hash(&kit.proj());
    let hashed = kit.root().join("home/.claude/projects").join(hash);
    std::fs::rename(kit.project(), &hashed).unwrap();
    let talk = format!("{{\"cwd\":\"{}\"}}\n", kit.proj().display());
    kit.write(&kit.project().join("talk.jsonl"), &talk);
    assert_eq!(kit.open().reading().work_tree, Some(kit.proj()));
}

/// Times that nobody recorded are unknown: nothing ends when it starts, or after the manifest was written.
#[test]
fn an_end_that_is_not_recorded_is_unknown() {
    for (duration, known) in [("null", false), ("600", true), ("6000", false)] {
        let kit = Kit::new();
        kit.marker("3");
        let ended = line(1, "planner", "2", 0, "completed", "");
        let ended = ended.replace("\"duration_s\":60", &format!("\"duration_s\":{duration}"));
        kit.manifest(&[line(1, "planner", "2", 0, "dispatched", ""), ended]);
        kit.header(1, "planner", "10:00:00");
        let case = kit.open();
        let reading = case.reading();
        let phase = reading.phases.iter().find(|phase| phase.done == Some(1));
        let phase = phase.unwrap();
        assert!(phase.started_at.is_some(), "{duration}");
        assert_eq!(phase.ended_at.is_some(), known, "{duration}");
        assert_eq!(phase.duration_s.is_some(), duration != "null", "{duration}");
        let event = case.timeline().get(1).unwrap();
        assert_eq!(event.at.is_some(), known, "{duration}");
    }
}

/// What `finish` moved aside still says when and on which branch the run began.
#[test]
fn a_finished_run_is_known_by_what_was_moved_aside() {
    let kit = Kit::new();
    kit.marker("4");
    kit.manifest(&done(1, "reviewer", "4", 0));
    kit.header(1, "reviewer", "10:00:00");
    let marker = kit.memory().join(".pipeline-active");
    let text = std::fs::read_to_string(&marker).unwrap();
    std::fs::remove_file(&marker).unwrap();
    let name = format!("finished-dispatch-{SID}");
    let away = kit.memory().join(&name);
    let start = "2026-04-08T08:00:00Z";
    kit.write(
        &away.join("pipeline-active"),
        &text.replace(testdata::START, start),
    );
    let manifest = kit.dispatch().join("manifest.jsonl");
    let manifest = std::fs::read_to_string(manifest).unwrap();
    std::fs::rename(kit.dispatch(), kit.root().join("tmp").join(&name)).unwrap();
    let copy = kit.memory().join(format!("crucible-dispatch-{SID}"));
    let copy = copy.join("manifest.jsonl");
    kit.write(&copy, &manifest);
    let case = kit.open_from(vec![copy]);
    let reading = case.reading();
    assert_eq!(reading.claim.status, Status::Complete);
    let started = reading.started_at.map(|at| at.at.to_utc());
    assert_eq!(started, Some(testdata::at(start)));
    let branch = reading.branch.as_ref().unwrap();
    assert_eq!(branch.expected, Some("feat/cache".into()));
    assert!(!reading.badges.contains(&Badge::Inferred));
    assert!(case.timeline().get(0).unwrap().at.is_some());
    let checks = case.verify(&kit.world);
    let evidence = |id| {
        let check = checks.iter().find(|check| check.id.0 == id).unwrap();
        check.evidence.lossy().into_owned()
    };
    assert!(evidence("F7").contains("was found"), "{}", evidence("F7"));
    assert!(evidence("F4").ends_with("it was on feat/cache."));
    assert!(evidence("F5").starts_with("The run is finished"));
}
