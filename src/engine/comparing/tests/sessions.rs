//! Replays of the sandbox's runs: those that a manifest records, and those that relight ran itself.

use std::fs;
use std::path::PathBuf;

use crate::engine::testing::Scene;
use crate::engine::{Engine, ErrorKind};
use crate::model::{
    Bucket, Cancel, Compared, Comparison, ComparisonVerdict, Foreign, Mutation, Pair, PipelineId,
    ReplayAsk, RunTree, RunnerAsk, Stamp, TestOutcome, Work, WorkStatus,
};

/// The sandbox's interrupted run, with the last two dispatches replayed by its own orchestrator.
fn replayed_in_place() -> (Scene, PipelineId) {
    let scene = Scene::edited(|scene| {
        let line = |seq: u64, of: &str, status: &str, summary: &str| {
            format!(
                "{{\"seq\":{seq},\"file\":\"{seq}-build-implementer.md\",\"role\":\"implementer\",\"phase\":\"3\",\"task\":3,\"status\":\"{status}\",\"duration_s\":60,\"summary\":{summary},\"replay_of\":{of},\"replay_session\":\"1775431900\",\"mutation\":null}}\n"
            )
        };
        let text = [
            // The sandbox's last line is torn.
            "\n".to_owned(),
            line(10, "8", "completed", "\"Task 3: PASS\""),
            line(11, "9", "error", "null"),
            line(12, "null", "completed", "\"looked again\""),
        ];
        let file = format!("home/tmp/{}/manifest.jsonl", scene.dispatch());
        scene.append(&file, &text.concat());
    });
    let id = scene.id(&scene.dispatch().replace("dispatch-", "")).clone();
    (scene, id)
}

#[test]
fn a_replay_that_the_manifest_records_is_compared_with_the_original() {
    let (scene, id) = replayed_in_place();
    let comparison = scene.engine.compare(&id, None, None).unwrap();
    assert_eq!(
        (comparison.a.name.as_str(), comparison.b.name.as_str()),
        ("original", "1775431900")
    );
    let row = |pair: &Pair| (pair.key.clone(), pair.bucket);
    let rows: Vec<_> = comparison
        .pairs
        .iter()
        .rev()
        .take(4)
        .rev()
        .map(row)
        .collect();
    let row = |key: &str, bucket| (key.to_owned(), Some(bucket));
    assert_eq!(
        rows,
        [
            row("7", Bucket::NotReplayed),
            // Neither original came to an end, so nobody can say what the replay changed.
            row("8", Bucket::NoAnswer),
            row("9", Bucket::NoAnswer),
            row("+12", Bucket::New),
        ]
    );
    assert_eq!(comparison.divergence, Some(7));
    assert_eq!(comparison.verdict, ComparisonVerdict::NotJudged);
    let open = "1 run of side A has not ended: 2 dispatches are open.";
    assert!(
        comparison.confounders.iter().any(|one| *one == *open),
        "{:?}",
        comparison.confounders
    );
    // It has no folder of its own, and the original's is left alone.
    assert_eq!(scene.engine.keep_report(&comparison), Ok(Vec::new()));
}

/// Runs the sandbox's finished run again, `repeat` times, with another red-team template.
fn replayed(scene: &Scene, repeat: usize) -> PipelineId {
    let engine = &scene.engine;
    let id = labels(scene);
    let ask = ReplayAsk {
        mutations: vec![Mutation {
            original: "red-team-prompt.md".into(),
            replacement: scene.path("projects/labels-experiment/red-team-v2.md"),
        }],
        runner: RunnerAsk::Words(
            [
                "/bin/sh",
                "-c",
                "echo x > made; echo looked; echo PASS",
                "{file}",
            ]
            .map(Into::into)
            .to_vec(),
        ),
        repeat,
        ..ReplayAsk::default()
    };
    let plan = engine.replay_plan(&id, &ask).unwrap();
    engine.replay(&plan, &|_| {}, &Cancel::new()).unwrap();
    id
}

#[test]
fn a_run_that_is_deleted_and_run_again_confounds_its_experiment() {
    let scene = Scene::new();
    let engine = &scene.engine;
    let id = replayed(&scene, 2);
    let sessions = engine.replays(&id).unwrap();
    let group = sessions[0].group.clone();
    let confounds = || {
        let known = engine.known(&id).unwrap();
        let arms = engine.arms(&known, std::slice::from_ref(&group), &mut Vec::new());
        let found = arms.unwrap().facts.confounders;
        found
            .iter()
            .any(|one| *one == *"1 run was deleted and run again.")
    };
    let (meant, _) = engine
        .purgeable_replays(&[sessions[1].id.0.clone()])
        .unwrap();
    let held = engine.hold_replays(meant).unwrap();
    engine.purge_replays(&held, &Cancel::new()).unwrap();
    drop(held);
    // As long as it is not run again, it is missing.
    assert!(!confounds());
    let again = engine.replay_extend(&id, &group, (0, true), &|_| {}, &Cancel::new());
    assert!(again.unwrap().iter().any(|one| one.id == sessions[1].id));
    assert!(confounds());
}

#[test]
fn a_block_whose_runs_were_deleted_is_missing_there_and_for_later_experiments() {
    let scene = Scene::new();
    let engine = &scene.engine;
    let id = replayed(&scene, 3);
    let first = engine.replays(&id).unwrap()[0].group.clone();
    let block = [3, 4].map(|number| format!("{first}-{number}"));
    let (meant, _) = engine.purgeable_replays(&block).unwrap();
    let held = engine.hold_replays(meant).unwrap();
    engine.purge_replays(&held, &Cancel::new()).unwrap();
    drop(held);
    replayed(&scene, 2);
    let sessions = engine.replays(&id).unwrap();
    let mut groups = sessions.iter().map(|one| &one.group);
    let second = groups.find(|group| **group != first);
    let second = second.unwrap_or_else(|| panic!("{sessions:?}"));
    for (experiment, blocks) in [(&first, 3), (second, 5)] {
        let found = engine.compare(&id, Some(&experiment.0), None).unwrap();
        let statistics = found.statistics.unwrap();
        assert_eq!(statistics.blocks.len(), blocks);
        assert_eq!(
            (statistics.missing, statistics.blocks[1].sign),
            ([1, 1], None)
        );
        let note = format!("Block 2 of {first} is missing: a run of it was deleted.");
        assert!(
            found.notes.contains(&Foreign::from(note)),
            "{:?}",
            found.notes
        );
    }
}

/// Replays the sandbox's finished run once by a script, and compares it with the original.
fn beside_the_original(scene: &Scene, script: &str) -> Comparison {
    let id = labels(scene);
    let words = ["/bin/sh", "-c", script, "{file}"];
    let ask = ReplayAsk {
        runner: RunnerAsk::Words(words.map(Into::into).to_vec()),
        ..ReplayAsk::default()
    };
    let plan = scene.engine.replay_plan(&id, &ask).unwrap();
    let ran = scene.engine.replay(&plan, &|_| {}, &Cancel::new()).unwrap();
    let run = Some(ran[0].id.0.as_str());
    scene.engine.compare(&id, Some("original"), run).unwrap()
}

#[test]
fn the_end_of_an_output_that_was_cut_decides() {
    let scene = Scene::new();
    let flood = "mkdir flood && head -c 17000000 /dev/zero && echo && echo FAIL; echo written";
    let comparison = beside_the_original(&scene, flood);
    let first = &comparison.b.runs[0].work[0];
    assert_eq!(first.verdict, TestOutcome::Fail);
    let text = format!(
        "The output of dispatch {} of {} was cut: only its beginning and its end are compared.",
        first.seq.unwrap(),
        comparison.b.name
    );
    assert!(comparison.confounders.contains(&Foreign::from(text)));
}

#[test]
fn a_dispatch_without_an_answer_says_nothing() {
    for (signal, status) in [("KILL", WorkStatus::Open), ("SEGV", WorkStatus::Error)] {
        let scene = Scene::new();
        let comparison = beside_the_original(&scene, &format!("kill -{signal} $$"));
        let run = &comparison.b.runs[0];
        let said = |one: &Work| (one.status, one.verdict);
        let all: Vec<_> = run.work.iter().map(said).collect();
        assert!(all.contains(&(status, TestOutcome::Unknown)), "{all:?}");
        assert!(!all.iter().any(|one| one.1 == TestOutcome::Fail), "{all:?}");
        if status == WorkStatus::Open {
            assert_eq!(run.outcome, TestOutcome::Unknown);
        }
    }
}

fn labels(scene: &Scene) -> PipelineId {
    let mut ids = scene.ids.iter().filter(|id| id.0.starts_with("crucible-"));
    let of_labels = |id: &&PipelineId| {
        let dossier = scene.engine.dossier(id).unwrap();
        dossier.pipeline.reading.root.ends_with("labels")
    };
    ids.find(of_labels).unwrap().clone()
}

fn texts(
    engine: &Engine,
    comparison: &Comparison,
    what: Compared,
) -> (Option<String>, Option<String>) {
    let sides = engine.compared(comparison, what).unwrap();
    let text = |bytes: Option<Vec<u8>>| bytes.map(|bytes| String::from_utf8(bytes).unwrap());
    (text(sides.before), text(sides.after))
}

#[test]
fn replays_of_relights_own_are_compared_with_every_text_behind_a_row() {
    let scene = Scene::new();
    let engine = &scene.engine;
    let id = replayed(&scene, 3);
    let comparison = engine.compare(&id, None, None).unwrap();
    assert!(
        comparison.a.name.ends_with("-control"),
        "{}",
        comparison.a.name
    );
    assert_eq!((comparison.a.runs.len(), comparison.b.runs.len()), (3, 3));
    // Every run comes out alike, and three blocks are too few for any verdict.
    assert_eq!(comparison.verdict, ComparisonVerdict::Undecided);
    let statistics = comparison.statistics.as_ref().unwrap();
    assert_eq!((statistics.tally.ties, statistics.planned), (3, 3));
    let comparison = engine.compare(&id, Some("original"), None).unwrap();
    assert_eq!(comparison.verdict, ComparisonVerdict::NotJudged);
    assert!(comparison.skipped.is_empty(), "{:?}", comparison.skipped);
    let run = &comparison.b.runs[0];
    assert!(matches!(run.tree, RunTree::WorkTree(_)), "{:?}", run.tree);
    assert_eq!(run.mutations.len(), 1);

    let paired = |pair: &&Pair| pair.a[0].is_some() && pair.b[0].is_some();
    let at = comparison
        .pairs
        .iter()
        .position(|pair| paired(&pair))
        .unwrap();
    let (pair, a, b) = (at, 0, 2);
    let (before, after) = texts(engine, &comparison, Compared::Dispatch { pair, a, b });
    assert!(before.unwrap().starts_with("# Dispatch: "));
    assert!(after.unwrap().contains("/dispatch"));
    let (_, printed) = texts(engine, &comparison, Compared::Output { pair, a, b });
    assert_eq!(printed.as_deref(), Some("looked\nPASS\n"));
    let (_, summary) = texts(engine, &comparison, Compared::Summary { pair, a, b });
    assert_eq!(summary.as_deref(), Some("PASS\n"));
    let (template, replacement) = texts(engine, &comparison, Compared::Template(0));
    assert_ne!(template.unwrap(), replacement.unwrap());

    let artifacts = comparison.artifacts.as_ref().unwrap();
    let made = artifacts
        .files
        .iter()
        .position(|one| one.path == *"made")
        .unwrap();
    let content = texts(engine, &comparison, Compared::Artifact(made));
    assert_eq!(content, (None, Some("x\n".to_owned())));
    let nowhere = engine.compared(&comparison, Compared::Artifact(9_999));
    assert_eq!(nowhere.unwrap_err().kind, ErrorKind::NotFound);
}

#[test]
fn the_record_is_kept_beside_each_manifest_and_only_once() {
    let scene = Scene::new();
    let engine = &scene.engine;
    let id = replayed(&scene, 2);
    let comparison = engine.compare(&id, None, None).unwrap();
    let kept: Vec<PathBuf> = engine.keep_report(&comparison).unwrap();
    assert_eq!(kept.len(), 2);
    for path in &kept {
        assert!(path.parent().unwrap().join("manifest.jsonl").exists());
        let text = fs::read_to_string(path).unwrap();
        assert!(
            text.starts_with("{\"type\":\"replay-diff\",") && text.ends_with("}\n"),
            "{text}"
        );
    }
    // A crash may leave half a line; it stays one by itself.
    let whole = fs::read_to_string(&kept[1]).unwrap();
    let torn: String = whole.chars().take(40).collect();
    fs::write(&kept[1], &torn).unwrap();
    assert_eq!(engine.keep_report(&comparison).unwrap(), kept);
    let lines = |path: &PathBuf| fs::read_to_string(path).unwrap().lines().count();
    assert_eq!((lines(&kept[0]), lines(&kept[1])), (1, 2));
}

#[test]
fn the_original_ended_at_the_recorded_commit_or_the_last_before_the_replay() {
    let scene = Scene::new();
    let engine = &scene.engine;
    let known = engine.known(&labels(&scene)).unwrap();
    let mut experiment = known.experiment.clone().unwrap();
    let repo = experiment.work_tree.clone().unwrap();
    let git = engine.world.git();
    let head = git.repo(&repo).unwrap().head.unwrap();
    let tip = git
        .branch_tip(&repo, experiment.branch.as_ref().unwrap().as_str().unwrap())
        .unwrap();
    let log = git.log(&repo, &tip, None, 100).unwrap();
    let commit = |tree: RunTree| match tree {
        RunTree::Commit { commit, .. } => commit,
        other @ (RunTree::None | RunTree::WorkTree(_) | RunTree::Files(_)) => {
            panic!("{other:?}")
        }
    };
    let recorded = experiment.end.clone().unwrap();
    let later = Some(Stamp::utc(log[0].time));
    assert_eq!(commit(engine.original_tree(&experiment, later)), recorded);
    // One that is not in the repository is no end.
    experiment.end = Some("0".repeat(40));
    assert_eq!(commit(engine.original_tree(&experiment, later)), log[0].id);
    experiment.end = None;
    let earlier = log.iter().find(|one| one.time < log[0].time).unwrap();
    let between = Some(Stamp::utc(earlier.time));
    assert_eq!(
        commit(engine.original_tree(&experiment, between)),
        earlier.id
    );
    assert_eq!(commit(engine.original_tree(&experiment, None)), head);
    experiment.work_tree = None;
    assert_eq!(engine.original_tree(&experiment, later), RunTree::None);
}
