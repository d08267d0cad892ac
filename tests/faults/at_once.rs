//! Twelve records at once: all of them land, no number is given twice, and one key lands once.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use serde_json::Value;

use super::full;
use super::ground::{Ground, Ran};
use super::tally::Tally;

const MANY: usize = 12;

/// The rounds of one system.
fn rounds() -> usize {
    if full() { 100 } else { 5 }
}

/// What every one of the callers got. `args` are the words of the caller.
fn at_once(
    ground: &Ground,
    project: &str,
    args: &(dyn Fn(usize) -> Vec<String> + Sync),
) -> Vec<Ran> {
    std::thread::scope(|scope| {
        let call = |caller: usize| {
            let mut words = vec!["record".to_owned()];
            words.extend(args(caller));
            words.push("--json".to_owned());
            ground.run(project, &words)
        };
        let callers: Vec<_> = (0..MANY)
            .map(|caller| scope.spawn(move || call(caller)))
            .collect();
        callers.into_iter().map(|one| one.join().unwrap()).collect()
    })
}

fn words(text: &str, more: &[String]) -> Vec<String> {
    let words = text.split(' ').map(str::to_owned);
    words.chain(more.iter().cloned()).collect()
}

fn all_landed(all: &[Ran], case: &str) {
    for ran in all {
        assert_eq!(ran.code, 0, "{case}: {ran:?}");
    }
}

fn read(ground: &Ground, name: &str) -> String {
    fs::read_to_string(ground.root().join(name)).unwrap()
}

/// The whole lines; the demo's manifest has a torn one.
fn objects(text: &str) -> Vec<Value> {
    let lines = text.lines();
    lines
        .filter_map(|line| serde_json::from_str(line).ok())
        .collect()
}

#[test]
fn twelve_dispatches_have_twelve_numbers() {
    let ground = Ground::new();
    let session = ground.session();
    let manifest = format!("home/tmp/crucible-dispatch-{session}/manifest.jsonl");
    for round in 0..rounds() {
        fs::write(ground.root().join("projects/shop/body.md"), "x").unwrap();
        let before = objects(&read(&ground, &manifest)).len();
        let form =
            format!("{session} dispatch reviewer --phase 3 --template review --body body.md");
        let all = at_once(&ground, "shop", &|_| words(&form, &[]));
        all_landed(&all, &format!("round {round}"));
        let seqs: BTreeSet<u64> = all
            .iter()
            .map(|ran| ran.json()["recorded"]["seq"].as_u64().unwrap())
            .collect();
        let lines = objects(&read(&ground, &manifest));
        let of_ours = lines.iter().filter_map(|line| line["seq"].as_u64());
        let of_ours = of_ours.filter(|seq| seqs.contains(seq)).count();
        assert_eq!((seqs.len(), of_ours), (MANY, MANY), "round {round}");
        assert_eq!(lines.len(), before + MANY, "round {round}");
        let copies: Vec<PathBuf> = ground
            .everything()
            .into_keys()
            .filter(|path| {
                path.ends_with(format!("memory/crucible-dispatch-{session}/manifest.jsonl"))
            })
            .collect();
        assert_eq!(copies.len(), 1, "{copies:?}");
        assert_eq!(
            fs::read_to_string(&copies[0]).unwrap(),
            read(&ground, &manifest)
        );
    }
    Tally::new("rounds of twelve records").add(rounds());
}

#[test]
fn twelve_histories_are_in_one_checkpoint() {
    let ground = Ground::new();
    let state = "projects/notes/.mgw/active/57-cache-lookups.json";
    let history = || -> Vec<Value> {
        let state: Value = serde_json::from_str(&read(&ground, state)).unwrap();
        state["checkpoint"]["step_history"]
            .as_array()
            .unwrap()
            .clone()
    };
    for round in 0..rounds() {
        let before = history().len();
        let all = at_once(&ground, "notes", &|caller| {
            words(
                "57 --step execute --history",
                &[format!("a:{round}-{caller}.md")],
            )
        });
        all_landed(&all, &format!("round {round}"));
        let now = history();
        let outputs: BTreeSet<&str> = now
            .iter()
            .skip(before)
            .map(|one| one["output_path"].as_str().unwrap())
            .collect();
        assert_eq!(
            (now.len(), outputs.len()),
            (before + MANY, MANY),
            "round {round}"
        );
    }
    Tally::new("rounds of twelve records").add(rounds());
}

#[test]
fn twelve_lines_are_in_one_log() {
    let ground = Ground::new();
    let log = "projects/science/polymer-ring/progress.log";
    for round in 0..rounds() {
        let before = read(&ground, log);
        let all = at_once(&ground, "science/polymer-ring", &|caller| {
            words(". log", &[format!("round {round} of caller {caller}")])
        });
        all_landed(&all, &format!("round {round}"));
        let now = read(&ground, log);
        let added = now.strip_prefix(&before).unwrap();
        let texts: BTreeSet<&str> = added
            .lines()
            .map(|line| line.split_once("] ").unwrap().1)
            .collect();
        let expected: Vec<String> = (0..MANY)
            .map(|caller| format!("round {round} of caller {caller}"))
            .collect();
        assert_eq!(
            texts,
            expected.iter().map(String::as_str).collect(),
            "round {round}"
        );
        assert_eq!(added.lines().count(), MANY, "round {round}");
    }
    Tally::new("rounds of twelve records").add(rounds());
}

/// An iteration follows the one before it, so a caller that is early is refused and tries again.
#[test]
fn twelve_iterations_are_in_the_log_and_in_both_tables() {
    let ground = Ground::new();
    let dir = "projects/lab/tokenizer-speed";
    for round in 0..rounds().div_ceil(5) {
        ground.reset();
        let rows = |name: &str| read(&ground, &format!("{dir}/{name}")).lines().count();
        let tables = [
            "researcher_B_results.tsv",
            "conference_results.tsv",
            "conference_events.jsonl",
        ];
        let before = tables.map(rows);
        let mut todo: BTreeSet<usize> = (0..MANY).collect();
        while !todo.is_empty() {
            let left = todo.clone();
            let all = at_once(&ground, "lab/tokenizer-speed", &|caller| {
                let number = (caller + 3).to_string();
                let value = format!("{}.5", 40 + caller);
                let key = if left.contains(&caller) {
                    "open"
                } else {
                    "done"
                };
                let form = format!(
                    ". iteration --researcher B --iteration {number} --value {value} --status kept --once {caller}"
                );
                words(&form, &["--description".to_owned(), key.to_owned()])
            });
            let landed = all.iter().zip(0..).filter(|(ran, _)| ran.code == 0);
            let landed: BTreeSet<usize> = landed.map(|(_, caller)| caller).collect();
            assert!(all.iter().all(|ran| [0, 3].contains(&ran.code)), "{all:?}");
            let progress = todo.len();
            todo.retain(|caller| !landed.contains(caller));
            assert!(todo.len() < progress, "nobody landed: {all:?}");
        }
        assert_eq!(
            tables.map(rows),
            before.map(|rows| rows + MANY),
            "round {round}"
        );
    }
    Tally::new("rounds of twelve records").add(rounds().div_ceil(5));
}

#[test]
fn twelve_equal_callers_with_one_key_land_once() {
    let ground = Ground::new();
    let log = "projects/lab/tokenizer-speed/conference_events.jsonl";
    for round in 0..rounds() {
        let before = read(&ground, log).lines().count();
        let form = format!(". researcher.stuck researcher=B stuck_level=2 --once round-{round}");
        let all = at_once(&ground, "lab/tokenizer-speed", &|_| words(&form, &[]));
        all_landed(&all, &format!("round {round}"));
        let first = all
            .iter()
            .filter(|ran| ran.json()["recorded"]["repeated"] != true);
        assert_eq!(first.count(), 1, "round {round}: {all:?}");
        assert_eq!(
            read(&ground, log).lines().count(),
            before + 1,
            "round {round}"
        );
    }
    Tally::new("rounds of twelve records").add(rounds());
}
