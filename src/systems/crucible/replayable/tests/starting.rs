//! Where a replay can start.

use super::*;

/// Id, the dispatches that run again, and why it is unusable.
fn starts(kit: &Kit) -> Vec<(String, Vec<u64>, Option<String>)> {
    let all = experiment(kit).starts.into_iter();
    all.map(|one| {
        let why = one.unusable.map(|why| why.lossy().into_owned());
        (one.point.0, one.redo, why)
    })
    .collect()
}

fn row(id: &str, redo: &[u64], why: Option<&str>) -> (String, Vec<u64>, Option<String>) {
    (id.to_owned(), redo.to_vec(), why.map(str::to_owned))
}

#[test]
fn an_interrupted_run_begins_at_its_boundaries_or_at_its_beginning() {
    let kit = interrupted();
    assert_eq!(
        starts(&kit),
        [
            row("start", &[1, 2, 3, 4], None),
            row("phase-2", &[2, 3, 4], None),
            row("wave-1", &[3, 4], None),
            row("wave-2", &[4], None),
        ]
    );
    let all = experiment(&kit).starts;
    let first = all[0].checkpoint.as_ref().unwrap();
    assert_eq!(first.id, crate::systems::crucible::tests::BASE);
    assert_eq!(first.kind, CheckpointKind::Commit { repo: kit.proj() });
    let wave = all[3].checkpoint.as_ref().unwrap();
    assert_eq!(wave.id, format!("{:040x}", 3));
    assert_eq!(wave.kind, CheckpointKind::Shadow { store: kit.store() });
}

#[test]
fn a_complete_run_has_the_same_boundaries() {
    let kit = interrupted();
    append(&kit, &[line(4, "implementer", "3", 2, "completed", "")]);
    let text = std::fs::read_to_string(kit.dispatch().join("manifest.jsonl")).unwrap();
    let copy = kit.memory().join(format!("crucible-dispatch-{SID}"));
    kit.write(&copy.join("manifest.jsonl"), &text);
    std::fs::remove_dir_all(kit.dispatch()).unwrap();
    std::fs::remove_file(kit.memory().join(".pipeline-active")).unwrap();
    let case = kit.open();
    let checks = case.verify(&kit.world);
    assert!(case.boundaries(&checks, &kit.world).is_empty());
    // Without dispatch files, the start times of dispatches are unknown.
    assert_eq!(
        starts(&kit),
        [
            row(
                "start",
                &[1, 2, 3, 4],
                Some("The run's start commit is not recorded.")
            ),
            row("phase-2", &[2, 3, 4], None),
            row("wave-1", &[3, 4], None),
            row(
                "wave-2",
                &[],
                Some("No dispatch file can be read, so which dispatches came after it is unknown.")
            ),
        ]
    );
    decided(&kit, "Wave 1: tasks 1; Wave 2: tasks 2");
    assert_eq!(starts(&kit)[3], row("wave-2", &[4], None));
}

fn decided(kit: &Kit, choice: &str) {
    let path = kit.root().join(format!("tmp/crucible-decisions-{SID}.log"));
    let text =
        format!("[x] DECISION: task-grouping | choice={choice} | reason=r | alternatives=a\n");
    kit.write(&path, &text);
}

#[test]
fn waves_come_from_checkpoints_then_from_the_decisions_log() {
    type Change = fn(&mut Kit);
    let table: &[(&str, Change, [Option<u64>; 2])] = &[
        ("checkpoints", |_| {}, [Some(1), Some(2)]),
        (
            "checkpoints win over the log",
            |kit| decided(kit, "wave 7: tasks 1, 2"),
            [Some(1), Some(2)],
        ),
        (
            "the log, without checkpoints",
            |kit| {
                std::fs::remove_dir_all(kit.store()).unwrap();
                decided(kit, "wave 3: task 1, wave 4: task 2");
            },
            [Some(3), Some(4)],
        ),
        (
            "the log, without times",
            |kit| {
                std::fs::remove_file(kit.dispatch().join("3-implementer.md")).unwrap();
                decided(kit, "wave 1: task 1");
            },
            [Some(1), Some(2)],
        ),
        (
            "nothing changed before wave 1",
            |kit| {
                kit.world.git.repos.remove(&kit.store());
                kit.checkpoints(&[("pre-wave-2", "10:30:00")]);
            },
            [Some(1), Some(2)],
        ),
        (
            "neither",
            |kit| std::fs::remove_dir_all(kit.store()).unwrap(),
            [None, None],
        ),
    ];
    for (name, change, want) in table {
        let mut kit = interrupted();
        change(&mut kit);
        let all = experiment(&kit);
        let got = [3, 4].map(|seq| all.dispatch(seq).unwrap().wave);
        assert_eq!(got, *want, "{name}");
    }
}

#[test]
fn a_wave_that_only_the_log_has_is_listed_as_unusable() {
    let mut kit = interrupted();
    std::fs::remove_dir_all(kit.store()).unwrap();
    decided(&kit, "wave 1: task 1, wave 2: task 2");
    // A commit at the boundary would be enough.
    assert_eq!(starts(&kit)[2], row("wave-1", &[3, 4], None));
    crate::systems::crucible::tests::repo(&mut kit)
        .branches
        .clear();
    let why = |reason: &str| {
        format!(
            "The checkpoint {reason} was not found; there is no checkpoint store for this project."
        )
    };
    let all = starts(&kit);
    assert_eq!(all[2], row("wave-1", &[3, 4], Some(&why("pre-wave-1"))));
    assert_eq!(all[3], row("wave-2", &[4], Some(&why("pre-wave-2"))));
}

#[test]
fn an_unusable_boundary_has_its_reason() {
    type Change = fn(&mut Kit);
    let table: &[(&str, &str, Change, &str)] = &[
        (
            "a debugging session",
            "start",
            |kit| {
                let marker = kit.memory().join(".pipeline-active");
                let text = std::fs::read_to_string(&marker).unwrap();
                kit.write(&marker, &text.replace("build", "debugging"));
            },
            "Replay of debugging runs is not supported.",
        ),
        (
            "a commit that is gone",
            "start",
            |kit| {
                let repo = crate::systems::crucible::tests::repo(kit);
                repo.branches.clear();
            },
            "The run's start commit cannot be used: not in the repository: ",
        ),
        (
            "a checkpoint that was never taken",
            "phase-2",
            |kit| {
                kit.world.git.repos.remove(&kit.store());
                kit.checkpoints(&[("pre-wave-1", "10:15:00")]);
            },
            "The checkpoint pre-design-gate was not found.",
        ),
        (
            "a store of another project",
            "wave-2",
            |kit| {
                let store = kit.store();
                let repo = kit.world.git.repos.get_mut(&store).unwrap();
                repo.shadow_work_tree = Some("/elsewhere".into());
            },
            "The checkpoint store was made for /elsewhere, not for ",
        ),
        (
            "a boundary with nothing after it",
            "phase-4",
            |kit| {
                kit.world.git.repos.remove(&kit.store());
                kit.checkpoints(&[("pre-temper", "10:50:00")]);
            },
            "Nothing was dispatched after it.",
        ),
    ];
    for (name, id, change, want) in table {
        let mut kit = interrupted();
        change(&mut kit);
        let all = starts(&kit);
        let one = all.iter().find(|one| one.0 == *id);
        let why = one.and_then(|one| one.2.as_deref()).unwrap_or("-");
        assert!(why.starts_with(want), "{name}: {all:?}");
    }
}

#[test]
fn a_replay_starts_only_with_listed_checkpoints() {
    let kit = interrupted();
    let all = kit.open().experiment(&[], &kit.world).unwrap();
    let wave = all
        .starts
        .iter()
        .find(|one| one.point.0 == "wave-2")
        .unwrap();
    assert_eq!(
        wave.unusable,
        Some("Its checkpoint no longer exists.".into())
    );
}

#[test]
fn without_a_manifest_there_is_nothing_to_replay() {
    let kit = interrupted();
    std::fs::remove_file(kit.dispatch().join("manifest.jsonl")).unwrap();
    assert!(kit.open().experiment(&[], &kit.world).is_none());
}
