//! Records with faults: a process killed, or a call that fails, at each call that changes something. Afterwards the
//! files are entirely as before or entirely as recorded, the ledger agrees with them, the same record under its key
//! lands once, and the checks find nothing new.

mod completed;
mod forms;

use std::cell::Cell;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use relight::model::text::hex;
use serde_json::Value;
use sha2::{Digest as _, Sha256};

use super::calls::{Call, changing, strace};
use super::errors::says_so;
use super::ground::{Ground, Ran, shell};
use super::judge::{Judge, State};
use super::signals::with_signals;
use super::tally::Tally;
use super::{slice, until};
use forms::{RECORDS, Record, half};

const KEY: &str = "fault";

/// What was reached.
#[derive(Debug, Default)]
struct Figures {
    runs: usize,
    before: usize,
    after: usize,
    /// A failing call that did no harm, that refused the record, that left it to be finished.
    codes: std::collections::BTreeMap<i32, usize>,
}

impl Record {
    fn word(ground: &Ground, word: &str) -> String {
        match word {
            "RUN" => ground.session(),
            other => other.to_owned(),
        }
    }

    fn args(ground: &Ground, words: &[&str], more: &[&str]) -> Vec<String> {
        let words = words.iter().map(|word| Self::word(ground, word));
        let all = std::iter::once("record".to_owned()).chain(words);
        all.chain(more.iter().map(|&word| word.to_owned()))
            .collect()
    }

    /// The record under its key.
    fn once(&self, ground: &Ground) -> Vec<String> {
        Self::args(ground, self.words, &["--once", KEY, "--json"])
    }

    fn reset(&self, ground: &Ground) {
        ground.reset();
        let dir = ground.root().join("projects").join(self.project);
        let mut shell = shell(&dir);
        shell.args(["-ec", self.setup]).env("RUN", ground.session());
        let output = shell.output().unwrap();
        assert!(output.status.success(), "{}: {output:?}", self.setup);
    }

    /// The checks that fail or warn.
    fn findings(&self, ground: &Ground) -> BTreeSet<String> {
        let pipeline = Self::word(ground, self.pipeline);
        let ran = ground.run(self.project, &["verify", &pipeline, "--json"]);
        let checks = ran.json()["checks"].as_array().cloned().unwrap_or_default();
        // R1 names a record that is not ended yet, and is gone with the next one.
        let found = checks
            .iter()
            .filter(|check| check["verdict"] != "pass" && check["id"] != "R1");
        found
            .map(|check| format!("{} {}", check["id"], check["verdict"]))
            .collect()
    }

    fn learn(&self, ground: &Ground) -> Learned {
        self.reset(ground);
        let before = ground.persons();
        let all = ground.everything();
        let mut findings = self.findings(ground);
        let (ran, calls) = changing(ground, self.project, &self.once(ground));
        assert_eq!(ran.code, 0, "{:?}: {ran:?}", self.words);
        let files = ran.json()["recorded"]["files"].as_array().map(Vec::len);
        assert_eq!(files, Some(self.files), "{ran:?}");
        findings.extend(self.findings(ground));
        let judge = Judge {
            before,
            after: ground.persons(),
            logs: BTreeSet::new(),
            all,
        };
        Learned {
            judge,
            calls,
            findings,
        }
    }
}

/// A record that went well.
struct Learned {
    judge: Judge,
    calls: Vec<Call>,
    /// What the checks find before it and after it.
    findings: BTreeSet<String>,
}

impl Learned {
    /// Everything that must hold after a fault. Gives the state that the next record finds.
    fn holds(&self, ground: &Ground, record: &Record, case: &str) -> State {
        if !record.refused.is_empty() {
            let next = Record::args(ground, record.refused, &["--json"]);
            let ran = ground.run(record.project, &next);
            assert_eq!(ran.code, 3, "{case}: {ran:?}");
        }
        let state = self.judge.state(ground, case);
        agrees(ground, state, case);
        let found = record.findings(ground);
        let new: Vec<_> = found.difference(&self.findings).collect();
        assert!(new.is_empty(), "{case}: {new:?}");
        // What was cut short is finished or undone first, so nothing or everything may be left to do.
        let cut = is_cut(ground);
        for repeated in [(!cut).then_some(state == State::After), Some(true)] {
            let ran = ground.run(record.project, &record.once(ground));
            assert_eq!(ran.code, 0, "{case}: {ran:?}");
            let told = ran.json()["recorded"]["repeated"] == true;
            assert_eq!(told, repeated.unwrap_or(told), "{case}: {ran:?}");
            assert_eq!(self.judge.state(ground, case), State::After, "{case}");
        }
        state
    }
}

/// The record of a stage that is ready.
fn ready_stage() -> &'static Record {
    let mut records = RECORDS.iter();
    let found = records.find(|record| record.words == [".", "stage-2", "ready"]);
    found.unwrap()
}

/// Whether a record was cut short.
fn is_cut(ground: &Ground) -> bool {
    let all = ground.everything();
    all.keys().any(|path| path.ends_with("records/journal"))
}

/// Where the record was made, the ledger has it with the digests that are on the disk; otherwise it has none, or one
/// whose files are all as before it.
fn agrees(ground: &Ground, state: State, case: &str) {
    let side = match state {
        State::Before => "before",
        State::After => "after",
    };
    let lines = ledger(ground);
    assert!(lines.len() < 2, "{case}: {lines:?}");
    assert!(state == State::Before || lines.len() == 1, "{case}");
    for line in lines {
        for file in line["files"].as_array().unwrap() {
            let now = fs::read(file["path"].as_str().unwrap()).ok();
            let now = now.map(|bytes| hex(&Sha256::digest(bytes)));
            assert_eq!(file[side].as_str(), now.as_deref(), "{case}: {file}");
        }
    }
}

/// The lines of the ledgers that have the key.
fn ledger(ground: &Ground) -> Vec<Value> {
    let tree = ground.everything();
    let is_ledger = |path: &&PathBuf| path.ends_with("records/records.jsonl");
    let texts = tree
        .keys()
        .filter(is_ledger)
        .map(|path: &PathBuf| read(path));
    let lines: Vec<Value> = texts
        .flat_map(|text| {
            let lines = text.lines().map(|line| serde_json::from_str(line).unwrap());
            lines.collect::<Vec<Value>>()
        })
        .collect();
    let of_key = lines.into_iter().filter(|line| line["once"] == KEY);
    of_key.collect()
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap()
}

#[test]
fn a_record_that_is_killed_before_any_of_its_calls_happened_whole_or_not_at_all() {
    if !strace() {
        return;
    }
    let ground = Ground::new();
    let mut figures = Figures::default();
    for record in RECORDS {
        let learned = record.learn(&ground);
        for call in slice(learned.calls.clone(), 2) {
            let case = format!("{:?} {call:?}", record.words);
            record.reset(&ground);
            let ran = call.kill(&ground, record.project, &record.once(&ground));
            assert!(ran.killed(), "{case}: {ran:?}");
            figures.runs += 1;
            match learned.holds(&ground, record, &case) {
                State::Before => figures.before += 1,
                State::After => figures.after += 1,
            }
        }
    }
    println!("kills of records: {figures:?}");
    Tally::new("kills of records").add(figures.runs);
}

#[test]
fn a_signal_at_any_call_of_a_record_makes_all_of_it_or_none_and_says_which() {
    if !strace() {
        return;
    }
    let ground = Ground::new();
    let mut runs = 0;
    for record in half(1) {
        let learned = record.learn(&ground);
        // A file is opened before relight listens for signals, too.
        let calls = learned.calls.iter().filter(|call| call.name != "openat");
        for (call, signal) in slice(with_signals(calls.cloned().collect()), 2) {
            let case = format!("{:?} {signal} at {call:?}", record.words);
            record.reset(&ground);
            let ran = call.signal(&ground, signal, record.project, &record.once(&ground));
            assert_eq!(ran.code, 130, "{case}: {ran:?}");
            let value = ran.json();
            assert_eq!(value["error"]["kind"], "cancelled", "{case}: {ran:?}");
            let said = if value["recorded"].is_null() {
                State::Before
            } else {
                State::After
            };
            assert_eq!(learned.holds(&ground, record, &case), said, "{case}");
            runs += 1;
        }
    }
    Tally::new("signals").add(runs);
}

/// What was interrupted is named by every command that shows the pipeline, and `recover` ends it.
#[test]
fn a_record_that_was_killed_is_named_until_recover_ends_it() {
    if !strace() {
        return;
    }
    let ground = Ground::new();
    let cut_once = Cell::new(false);
    for words in [
        &[".", "log", "Mesh 60 fits."][..],
        &[".", "stage-2", "ready"],
    ] {
        let record = RECORDS.iter().find(|record| record.words == words).unwrap();
        let learned = record.learn(&ground);
        for call in until(learned.calls.clone(), 3, &cut_once) {
            let case = format!("{words:?} {call:?}");
            record.reset(&ground);
            let ran = call.kill(&ground, record.project, &record.once(&ground));
            assert!(ran.killed(), "{case}: {ran:?}");
            let named = |wanted: bool| {
                for (args, says) in [
                    (&["list", "--all"][..], "was interrupted"),
                    (&["show", "."], "A record was interrupted"),
                    (&["verify", "."], "R1"),
                    (&["doctor"], "workflow-state.json was interrupted"),
                ] {
                    let told = ground.run(record.project, args);
                    let words = format!("{} {}", told.out, told.err);
                    let words: Vec<&str> = words.split_whitespace().collect();
                    let found = words.join(" ").contains(says);
                    assert_eq!(found, wanted, "{case}: {args:?} {told:?}");
                }
                let (list, file) = (&["list", "--all", "--json"], "workflow-state.json");
                let list = ground.run(record.project, list).json();
                let found = list["interrupted_records"].to_string().contains(file);
                assert_eq!(found, wanted, "{case}: {list}");
            };
            let cut = is_cut(&ground);
            named(cut);
            let recover = ["recover", "--json"];
            let ran = ground.run(record.project, &recover);
            assert_eq!(ran.code, i32::from(!cut), "{case}: {ran:?}");
            let said = ran.json()["said"][0].to_string();
            assert_eq!(said.contains("The interrupted record of"), cut, "{said}");
            named(false);
            assert_eq!(ground.run(record.project, &recover).code, 1, "{case}");
            learned.holds(&ground, record, &case);
            cut_once.set(cut_once.get() || cut);
        }
    }
    assert!(cut_once.get());
}

/// Another program saves the state between the kill and the next record: what it saved stays, and the record is made
/// once and whole.
#[test]
fn a_record_that_is_killed_before_another_program_saves_is_made_once() {
    if !strace() {
        return;
    }
    let ground = Ground::new();
    let record = ready_stage();
    let learned = record.learn(&ground);
    let dir = ground.root().join("projects").join(record.project);
    let ready = || {
        let log = read(&dir.join("progress.log"));
        log.lines()
            .filter(|line| line.contains("status -> ready"))
            .count()
    };
    for call in slice(learned.calls.clone(), 2) {
        let case = format!("{call:?}");
        record.reset(&ground);
        let before = ready();
        let ran = call.kill(&ground, record.project, &record.once(&ground));
        assert!(ran.killed(), "{case}: {ran:?}");
        let cut = ground
            .everything()
            .keys()
            .any(|path| path.ends_with("records/journal"));
        let doctor = ground.run(record.project, &["doctor"]);
        // The lines are wrapped, and how long the path is depends on the machine.
        let told: Vec<&str> = doctor.out.split_whitespace().collect();
        let told = told.join(" ");
        let told = told.contains("workflow-state.json was interrupted");
        assert_eq!(told, cut, "{case}: {doctor:?}");
        let saved = shell(&dir)
            .args([
                "-ec",
                "sed -i 's/\"workflow_id\"/\"by_hand\": 1, &/' workflow-state.json",
            ])
            .output();
        assert!(saved.unwrap().status.success(), "{case}");
        for _ in 0..2 {
            let ran = ground.run(record.project, &record.once(&ground));
            assert_eq!(ran.code, 0, "{case}: {ran:?}");
            assert_eq!(ready(), before + 1, "{case}");
            let state = read(&dir.join("workflow-state.json"));
            let state: Value = serde_json::from_str(&state).unwrap();
            assert_eq!(state["by_hand"], 1, "{case}");
            assert_eq!(state["stages"][1]["status"], "ready", "{case}");
        }
        let found = record.findings(&ground);
        let new: Vec<_> = found.difference(&learned.findings).collect();
        assert!(new.is_empty(), "{case}: {new:?}");
    }
}

#[test]
fn a_record_whose_call_fails_is_whole_or_refused_in_a_sentence() {
    if !strace() {
        return;
    }
    let ground = Ground::new();
    let mut figures = Figures::default();
    for record in half(0) {
        let learned = record.learn(&ground);
        let mut cases = Vec::new();
        for call in &learned.calls {
            for (errno, on) in [("ENOSPC", ""), ("ENOSPC", "+"), ("EIO", ""), ("EIO", "+")] {
                cases.push((call.clone(), errno, on));
            }
        }
        for (call, errno, on) in slice(cases, 3) {
            let case = format!("{:?} {call:?} {errno}{on}", record.words);
            record.reset(&ground);
            let ran = call.fail(&ground, errno, on, record.project, &record.once(&ground));
            figures.runs += 1;
            *figures.codes.entry(ran.code).or_default() += 1;
            let state = learned.holds(&ground, record, &case);
            fits(&ran, state, call.name == "write" && on == "+", &case);
        }
    }
    println!("failing calls of records: {figures:?}");
    Tally::new("failing calls").add(figures.runs);
}

/// The exit code and the sentence say what became of the files. `mute` is a process that may not be able to answer.
fn fits(ran: &Ran, state: State, mute: bool, case: &str) {
    match ran.code {
        0 => assert_eq!(state, State::After, "{case}: {ran:?}"),
        // A disk without space refuses nothing.
        3 | 6 => assert_eq!(state, State::Before, "{case}: {ran:?}"),
        7 => {}
        _ => panic!("{case}: {ran:?}"),
    }
    if ran.code != 0 && !(mute && ran.out.is_empty()) {
        says_so(ran, case);
    }
}
