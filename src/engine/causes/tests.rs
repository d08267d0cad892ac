//! What an open terminal and a conversation elsewhere change in a list and in a plan.

use std::fs::{self, File};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};

use chrono::{DateTime, FixedOffset, TimeDelta, Utc};
use serde_json::{Value, json};

use crate::engine::Request;
use crate::engine::testing::Scene;
use crate::model::{
    Aliveness, CauseKind, Guard, ListRow, PipelineId, PlanOptions, PointChoice, Status,
};

const ID: &str = "5c5b2a7e-0000-4000-8000-0000000000ff";
const PIPELINE: &str = "autoconference-tokenizer";

/// A process that stands for the client.
struct Client(Child);

impl Drop for Client {
    fn drop(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

/// The root of the pipeline, its last write, and its rows in a list made now.
struct Told {
    scene: Scene,
    root: PathBuf,
    at: DateTime<FixedOffset>,
}

impl Told {
    fn new() -> Self {
        let scene = Scene::new();
        let opened = scene.engine.recall(scene.id(PIPELINE)).unwrap();
        let reading = &opened.pipeline.reading;
        // The sandbox has a conversation of its own for it.
        fs::remove_dir_all(scene.path("home/.claude/projects")).unwrap();
        let (root, at) = (reading.root.clone(), reading.last_activity_at.unwrap().at);
        Self { scene, root, at }
    }

    /// Writes a conversation in a directory that wrote the state and ended so.
    fn conversation(&self, cwd: &str, last: &Value) {
        let state = self.root.join("conference_events.jsonl");
        let write = json!({"id": "w", "model": "x", "stop_reason": "tool_use", "content": [
            {"type": "tool_use", "id": "w", "name": "Write", "input": {"file_path": state}}]});
        let answer =
            json!({"content": [{"type": "tool_result", "tool_use_id": "w", "content": "ok"}]});
        let turn = [
            ("user", json!({"content": "go"})),
            ("assistant", write),
            ("user", answer),
        ];
        let line = |kind: &str, message: &Value| {
            json!({"type": kind, "timestamp": self.at.to_rfc3339(), "cwd": cwd, "sessionId": ID,
                "version": "2.1.281", "isSidechain": false, "message": message})
        };
        let mut lines: Vec<Value> = turn
            .iter()
            .map(|(kind, message)| line(kind, message))
            .collect();
        let mut end = line("assistant", &last["message"]);
        for (key, value) in last.as_object().unwrap() {
            end[key] = value.clone();
        }
        lines.push(end);
        let slug = cwd.replace(|sign: char| !sign.is_ascii_alphanumeric(), "-");
        let dir = self.scene.path("home/.claude/projects").join(slug);
        fs::create_dir_all(&dir).unwrap();
        let file = dir.join(format!("{ID}.jsonl"));
        let lines: Vec<String> = lines.iter().map(Value::to_string).collect();
        let text = lines.join("\n") + "\n";
        fs::write(&file, text).unwrap();
        File::options()
            .append(true)
            .open(file)
            .unwrap()
            .set_modified(self.at.into())
            .unwrap();
    }

    /// Registers it as waiting in a process.
    fn open(&self) -> Client {
        self.opened(&json!({"cwd": self.root, "status": "waiting", "waitingFor": "input needed"}))
    }

    /// Registers it so in a process.
    fn opened(&self, entry: &Value) -> Client {
        let client = started("sleep", Path::new("/"));
        let pid = client.0.id();
        let mut entry = entry.clone();
        entry["sessionId"] = ID.into();
        entry["startedAt"] = Utc::now().timestamp_millis().into();
        let dir = self.scene.path("home/.claude/sessions");
        fs::create_dir_all(&dir).unwrap();
        fs::write(dir.join(format!("{pid}.json")), entry.to_string()).unwrap();
        client
    }

    /// The sole row of the list, with which all that is asked of the pipeline agrees.
    fn row(&self) -> ListRow {
        let engine = &self.scene.engine;
        let request = Request {
            paths: vec![self.root.clone()],
            all: true,
            ..Request::default()
        };
        let row = engine.rows(&request, false).unwrap().0.remove(0);
        engine.survey(&request, &|_| {}).unwrap();
        row
    }

    fn guard(&self, id: &PipelineId) -> Guard {
        let options = PlanOptions::default();
        let engine = &self.scene.engine;
        let plan = engine.plan(id, &PointChoice::Recommended, &options);
        let mut guards = plan.unwrap().guards.into_iter();
        guards.find(|guard| guard.id == "liveness").unwrap()
    }
}

/// A process of this name that works in a directory.
fn started(name: &str, dir: &Path) -> Client {
    let mut command = Command::new("sleep");
    let command = command.arg0(name).arg("600").current_dir(dir);
    Client(command.spawn().unwrap())
}

fn question() -> Value {
    json!({"message": {"id": "m", "model": "x", "stop_reason": "tool_use",
        "content": [{"type": "tool_use", "id": "t", "name": "AskUserQuestion", "input": {}}]}})
}

#[test]
fn an_open_question_outranks_the_process_that_asks_it() {
    let told = Told::new();
    told.conversation(told.root.to_str().unwrap(), &question());
    let client = told.open();
    let row = told.row();
    let standing = &row.pipeline.standing;
    assert_eq!(row.cause.unwrap().kind, CauseKind::WaitingAnswer);
    assert_eq!(
        (standing.status, standing.liveness.verdict),
        (Status::Waiting, Aliveness::Alive)
    );

    let id = &row.pipeline.id;
    let engine = &told.scene.engine;
    let plan = engine
        .plan(id, &PointChoice::Recommended, &PlanOptions::default())
        .unwrap();
    assert_eq!(plan.cause.as_ref().unwrap().kind, CauseKind::WaitingAnswer);
    let guard = told.guard(id);
    let cure = format!(
        "The conversation is open in pid {}. Answer it there.",
        client.0.id()
    );
    assert!(guard.refuses());
    assert_eq!(guard.would_hold_if.unwrap().lossy(), cure);
}

/// To continue the conversation would start a second agent.
#[test]
fn an_idle_terminal_hides_no_other_agent() {
    let told = Told::new();
    let ended = json!({"message": {"id": "m", "model": "x", "stop_reason": "end_turn",
        "content": [{"type": "text", "text": "Done."}]}});
    told.conversation(told.root.to_str().unwrap(), &ended);
    let _client = told.opened(&json!({"cwd": told.root, "status": "idle"}));
    let row = told.row();
    assert_ne!(row.cause.unwrap().kind, CauseKind::Running);
    let _agent = started("codex", &told.root);
    let row = told.row();
    assert_eq!(row.cause.unwrap().kind, CauseKind::Running);
    let why = told.scene.engine.why(&row.pipeline.id, false).unwrap();
    assert_eq!(why.cause.kind, CauseKind::Running);
}

/// The console asks for it by that option.
#[test]
fn a_question_keeps_the_answer_to_an_unknown_liveness() {
    let told = Told::new();
    told.conversation(told.root.to_str().unwrap(), &question());
    let _client = told.opened(&json!({"cwd": "/elsewhere", "status": "waiting"}));
    let now = std::time::SystemTime::now();
    let log = File::options()
        .append(true)
        .open(told.root.join("conference_events.jsonl"));
    log.unwrap().set_modified(now).unwrap();
    let row = told.row();
    let verdict = row.pipeline.standing.liveness.verdict;
    assert_eq!(verdict, Aliveness::Unknown);
    let cure = told.guard(&row.pipeline.id).would_hold_if.unwrap();
    let own = "Make sure that it has stopped, then add --assume-stopped.";
    assert!(cure.lossy().starts_with(own), "{cure:?}");
}

#[test]
fn a_plan_knows_the_limit_of_a_conversation_anywhere() {
    let told = Told::new();
    let reset = (Utc::now() + TimeDelta::hours(3)).timestamp();
    let limit = json!({"isApiErrorMessage": true, "error": "rate_limit", "apiErrorStatus": 429,
        "quotaLimits": {"status": "rejected", "resetsAt": reset, "rateLimitType": "five_hour"},
        "message": {"model": "<synthetic>", "stop_reason": "stop_sequence", "usage": {"input_tokens": 0},
            "content": [{"type": "text", "text": "You've hit your session limit"}]}});
    told.conversation("/elsewhere", &limit);
    let engine = &told.scene.engine;
    let id = told.scene.id(PIPELINE);
    let why = engine.why(id, false).unwrap();
    assert_eq!(why.cause.kind, CauseKind::UsageLimit);
    let plan = engine
        .plan(id, &PointChoice::Recommended, &PlanOptions::default())
        .unwrap();
    assert_eq!(
        plan.handoff.limit_until.map(|until| until.unix()),
        Some(reset)
    );
    assert_eq!(
        engine.cause(id).map(|cause| cause.kind),
        Some(CauseKind::UsageLimit)
    );
}
