//! relight and a system's own way of writing take turns at the same files: each reads what the other wrote, and nothing
//! is lost. The other side runs in the language of its system, so that its own reader judges what relight writes.

use std::collections::BTreeSet;
use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use relight::engine::{Engine, Request};
use relight::git::RealGit;
use relight::model::{Cancel, RecordAsk, Recorded};
use relight::world::Places;
use relight::world::real::RealWorld;
use serde_json::{Value, json};

use super::full;
use super::temporary;

const JS: &str = include_str!("upstream/mgw.js");
const PYTHON: &str = include_str!("upstream/writers.py");

/// How many times each side writes.
fn turns() -> u64 {
    if full() { 500 } else { 20 }
}

/// The other side: a process that writes once for each line it is sent, and answers with what it reads.
struct Peer {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl Peer {
    fn start(program: &[&str], folder: &Path) -> Option<Self> {
        let spawned = Command::new(program[0])
            .args(&program[1..])
            .arg(folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn();
        let Ok(mut child) = spawned else {
            println!("SKIPPED: no {}", program[0]);
            return None;
        };
        let output = BufReader::new(child.stdout.take().unwrap());
        let input = child.stdin.take();
        Some(Self {
            child,
            input,
            output,
        })
    }

    fn writes(&mut self, ask: &Value) -> Value {
        let input = self.input.as_mut().unwrap();
        writeln!(input, "{ask}").unwrap();
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap_or_else(|why| panic!("{ask}: {line:?}: {why}"))
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        drop(self.input.take());
        let _ended = self.child.wait();
    }
}

/// A folder that nobody else writes to.
struct Place {
    root: tempfile::TempDir,
}

impl Place {
    fn new(files: &[(&str, &str)]) -> Self {
        let place = Self {
            root: temporary::directory(),
        };
        for (name, text) in files {
            let path = place.root.path().join("p").join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        place
    }

    fn folder(&self) -> std::path::PathBuf {
        fs::canonicalize(self.root.path()).unwrap().join("p")
    }

    fn text(&self, name: &str) -> String {
        fs::read_to_string(self.folder().join(name)).unwrap()
    }

    fn json(&self, name: &str) -> Value {
        serde_json::from_str(&self.text(name)).unwrap()
    }

    fn lines(&self, name: &str) -> Vec<Value> {
        let text = self.text(name);
        text.lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    }

    fn python(&self, system: &str) -> Option<Peer> {
        Peer::start(&["python3", "-c", PYTHON, system], &self.folder())
    }

    /// Records by a process of its own, as far as the engine knows.
    fn record(&self, words: &[&str], values: Value) -> Recorded {
        self.record_as(None, words, values)
    }

    fn record_as(&self, system: Option<&str>, words: &[&str], values: Value) -> Recorded {
        let folder = self.folder();
        let places = Places {
            state: Some(self.root.path().join("state")),
            home: Some(self.root.path().join("home")),
            temp: vec![folder.clone()],
            uid: uid(),
            ..Places::default()
        };
        let world = RealWorld::with_places(Box::new(RealGit), places);
        let Value::Object(values) = values else {
            panic!("options are an object")
        };
        let ask = RecordAsk {
            pipeline: words[0].into(),
            words: words[1..].iter().map(|&word| word.to_owned()).collect(),
            values,
            ..RecordAsk::default()
        };
        let request = Request {
            cwd: folder,
            system: system.map(str::to_owned),
            ..Request::default()
        };
        let recorded =
            Engine::new(Box::new(world), Vec::new()).record(&ask, &request, &Cancel::new());
        recorded.unwrap_or_else(|error| panic!("{ask:?}: {error:?}"))
    }
}

/// The user whom the temporary folders belong to.
fn uid() -> u32 {
    use std::os::unix::fs::MetadataExt as _;
    fs::metadata("/proc/self").unwrap().uid()
}

#[test]
fn mgw_and_its_checkpoint() {
    let issue = "{\n  \"issue\": {\"number\": 57, \"title\": \"Caché\"},\n  \"pipeline_stage\": \"executing\",\n  \
        \"unknown\": {\"deep\": [1, null]},\n  \"checkpoint\": null\n}";
    let name = ".mgw/active/57-cache.json";
    let place = Place::new(&[(name, issue)]);
    let Some(mut peer) = Peer::start(&["node", "-e", JS], &place.folder()) else {
        return;
    };
    for turn in 0..turns() {
        let number = 2 * turn;
        place.record(
            &["57"],
            json!({
                "step": "execute",
                "progress": [format!("k{number}={number}")],
                "artifact": [format!("a{number}:commit")],
                "history": format!("x:o{number}"),
                "action": "continue-execution",
                "context": [format!("number={number}")],
            }),
        );
        // Its reader sees the last record, or it would have nothing to add to.
        let seen = peer.writes(&json!({"number": number + 1}));
        assert_eq!(
            seen["checkpoint"]["resume"]["context"]["number"],
            number + 1
        );
    }
    let state = place.json(name);
    let checkpoint = &state["checkpoint"];
    let all: Vec<u64> = (0..2 * turns()).collect();
    let column = |list: &str, key: &str| -> Vec<Value> {
        let list = checkpoint[list].as_array().unwrap();
        list.iter().map(|one| one[key].clone()).collect()
    };
    let named = |letter: &str| {
        all.iter()
            .map(|n| json!(format!("{letter}{n}")))
            .collect::<Vec<_>>()
    };
    assert_eq!(column("artifacts", "path"), named("a"));
    assert_eq!(column("step_history", "output_path"), named("o"));
    for number in &all {
        assert_eq!(checkpoint["step_progress"][format!("k{number}")], *number);
    }
    assert_eq!(state["unknown"], json!({"deep": [1, null]}));
    assert_eq!(state["issue"]["title"], "Caché");
}

#[test]
fn nine_step_and_its_state_file() {
    let name = "workflow-state.json";
    let state = "{\n  \"feature_name\": \"alerts\",\n  \"unknown\": \"\\u00e9\",\n  \"current_phase\": 1,\n  \
        \"current_step\": 2.5,\n  \"last_execution\": {\n    \"phase\": 1,\n    \"step\": 2.5,\n    \"agent\": \"user\",\n    \
        \"status\": \"approved\",\n    \"timestamp\": \"2026-01-01T00:00:00\"\n  },\n  \"completed_steps\": []\n}";
    let place = Place::new(&[(name, state)]);
    let Some(mut peer) = place.python("nine-step") else {
        return;
    };
    let mut written = 0;
    for (phase, turn) in (1..).zip(0..turns()) {
        let steps = [3, 4, 5, 6, 7, 8, 9];
        for (at, step) in steps.into_iter().enumerate() {
            let status = if [4, 6, 8].contains(&step) {
                "approved"
            } else {
                "completed"
            };
            if (u64::try_from(at).unwrap() + turn) % 2 == 0 {
                place.record(
                    &["."],
                    json!({"phase": phase, "step": step, "status": status}),
                );
            } else {
                let ask =
                    json!({"phase": phase, "step": step, "agent": "someone", "status": status});
                let seen = peer.writes(&ask);
                assert_eq!(
                    seen["completed_steps"].as_array().unwrap().len(),
                    written + 1
                );
            }
            written += 1;
        }
        if written > 2 * usize::try_from(turns()).unwrap() {
            break;
        }
    }
    let state = place.json(name);
    let done = state["completed_steps"].as_array().unwrap();
    let spots: BTreeSet<_> = done
        .iter()
        .map(|one| (one["phase"].as_u64(), one["step"].as_u64()))
        .collect();
    assert_eq!((done.len(), spots.len()), (written, written));
    assert_eq!(state["unknown"], "é");
    assert_eq!(
        place.json("workflow-state.json.backup")["completed_steps"]
            .as_array()
            .unwrap()
            .len(),
        written - 1
    );
}

#[test]
fn superscientist_its_stages_and_its_log() {
    let place = Place::new(&[("design.md", "x"), ("plan.md", "x")]);
    let Some(mut peer) = place.python("superscientist") else {
        return;
    };
    let count = turns() / 2;
    let stage = |n: u64| json!({"id": format!("stage-{n}"), "name": "N", "depends_on": [], "success_criteria": "it is there"});
    let stages: Vec<Value> = (1..=count).map(stage).collect();
    let plan = json!({"workflow_id": "w-2026-11-22", "purpose": "See.", "experiment_design": "design.md",
        "workflow_plan": "plan.md", "stages": stages});
    place.record_as(Some("superscientist"), &[".", "init"], plan);
    for n in 1..=count {
        let id = format!("stage-{n}");
        place.record(&[".", &id, "ready"], json!({}));
        peer.writes(&json!({"stage": id, "status": "preparing"}));
        place.record(&[".", &id, "post_processing"], json!({}));
        let seen = peer.writes(&json!({"stage": id, "status": "completed"}));
        let seen = seen["stages"].as_array().unwrap().iter();
        let done = seen.filter(|stage| stage["status"] == "completed").count();
        assert_eq!(u64::try_from(done).unwrap(), n);
    }
    let log = place.text("progress.log");
    let statuses = log.lines().filter(|line| line.contains(": status -> "));
    assert_eq!(statuses.count(), usize::try_from(4 * count).unwrap());
}

#[test]
fn conferences_their_tables_and_events() {
    let conference = "# Conference: T\n\n## Goal\nT\n\n## Mode\nmetric\n\n## Success Metric\n- **Metric:** MB/s\n\
        - **Direction:** maximize\n\n## Researchers\n- **Count:** 1\n- **Iterations per round:** 5000\n\
        - **Max rounds:** 3\n\n## Constraints\n- **Max total iterations:** 9000\n\n## Shared Knowledge\n\n\
        ## Conference Log\n| Round | Researcher | Best Metric | Key Finding | Status |\n|---|---|---|---|---|\n";
    let place = Place::new(&[("conference.md", conference)]);
    let Some(mut peer) = place.python("autoconference") else {
        return;
    };
    place.record(&[".", "init"], json!({}));
    place.record(&[".", "round.started"], json!({}));
    let iteration = |number: u64, status: &str| {
        let value = format!("{}", 100 + number);
        place.record(
            &[".", "iteration"],
            json!({"researcher": "A", "iteration": number, "value": value, "status": status, "description": "x"}),
        );
    };
    iteration(0, "baseline");
    for turn in 0..turns() {
        let number = 2 * turn + 1;
        let seen = peer.writes(&json!({"iteration": number, "value": 100 + number, "delta": "+1"}));
        assert_eq!(seen["payload"]["iteration"], number - 1);
        iteration(number + 1, "kept");
    }
    let rows = 1 + 2 * usize::try_from(turns()).unwrap();
    let events = place.lines("conference_events.jsonl");
    let made: Vec<&Value> = events
        .iter()
        .filter(|event| event["event"] == "researcher.iteration")
        .collect();
    assert_eq!(made.len(), rows);
    // Each side's best is the other's last row.
    assert!(
        made.iter()
            .skip(1)
            .all(|event| event["payload"]["delta"] == "+1")
    );
    for table in ["researcher_A_results.tsv", "conference_results.tsv"] {
        assert_eq!(place.text(table).lines().count(), rows + 1, "{table}");
    }
}

#[test]
fn crucible_and_its_manifest() {
    let place = Place::new(&[("crucible-dispatch-1775600000/manifest.jsonl", "")]);
    let run = place.folder().join("crucible-dispatch-1775600000");
    let Some(mut peer) = Peer::start(&["python3", "-c", PYTHON, "crucible"], &run) else {
        return;
    };
    fs::write(place.folder().join("body.md"), "Do it.\n").unwrap();
    peer.writes(&json!({"number": 0}));
    for turn in 0..turns() {
        let made = place.record(
            &["1775600000", "dispatch", "writer"],
            json!({"phase": "1", "template": "t", "body": "body.md"}),
        );
        let seq = made.seq.unwrap();
        assert_eq!(seq, 2 * turn + 2);
        place.record(
            &["1775600000", "done", &seq.to_string()],
            json!({"status": "completed", "summary": format!("turn {turn}")}),
        );
        let seen = peer.writes(&json!({"number": turn}));
        assert_eq!(
            (&seen["seq"], &seen["status"]),
            (&json!(seq), &json!("completed"))
        );
    }
    let lines = place.lines("crucible-dispatch-1775600000/manifest.jsonl");
    let seqs: BTreeSet<u64> = lines
        .iter()
        .map(|line| line["seq"].as_u64().unwrap())
        .collect();
    assert_eq!(
        (lines.len() as u64, seqs.len() as u64),
        (4 * turns() + 2, 2 * turns() + 1)
    );
}
