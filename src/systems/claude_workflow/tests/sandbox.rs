//! A run on real files, as a test makes it.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use chrono::{DateTime, Utc};

use crate::model::{Boundary, Check, Handoff, PointId, Preference, Prospect, Status};
use crate::systems::claude_workflow::{ClaudeWorkflow, NAME};
use crate::systems::{Candidate, Case, System as _, testing};
use crate::world::fake::FakeWorld;

/// The moment of every test.
const NOW: &str = "2026-09-28T12:00:00Z";
const RUN: &str = "wf_one";
pub(super) const SESSION: &str = "11111111-2222-4333-8444-555555555555";

/// A project with one conversation and one run.
pub(super) struct Sandbox {
    _dir: tempfile::TempDir,
    pub(super) root: PathBuf,
    pub(super) world: FakeWorld,
}

impl Sandbox {
    pub(super) fn new() -> Self {
        let dir = crate::world::temporary::directory();
        let root = dir.path().canonicalize().unwrap();
        let sandbox = Self {
            _dir: dir,
            root,
            world: FakeWorld::from(NOW),
        };
        fs::create_dir_all(sandbox.folder()).unwrap();
        sandbox
    }

    /// The folder next to the conversation.
    pub(super) fn folder(&self) -> PathBuf {
        self.root.join("claude/projects/-proj").join(SESSION)
    }

    pub(super) fn run_dir(&self) -> PathBuf {
        self.folder().join("subagents/workflows").join(RUN)
    }

    /// Writes a file that is so many seconds old.
    pub(super) fn file(&self, path: impl AsRef<Path>, text: impl AsRef<[u8]>, age_s: u64) -> &Self {
        let path = path.as_ref();
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
        let now: DateTime<Utc> = NOW.parse().unwrap();
        let at = SystemTime::from(now) - Duration::from_secs(age_s);
        let file = fs::File::options().write(true).open(path).unwrap();
        file.set_modified(at).unwrap();
        self
    }

    /// The journal, a word for each line: `s1` starts agent 1; `r1` is its result, `n1` null, `e1` the text of an error,
    /// `f1` its failure. `?` is of a type of a newer client, `x` is damaged, `t` is cut.
    pub(super) fn journal(&self, words: &str) -> &Self {
        let lines = words.split_whitespace().map(|word| {
            let (kind, n) = word.split_at(1);
            let of = format!(r#""key":"v2:{n}","agentId":"a{n}""#);
            let result = |value: &str| format!("{{\"type\":\"result\",{of},\"result\":{value}}}\n");
            match kind {
                "s" => format!(
                    "{{\"type\":\"started\",{of},\"label\":\"part {n}\",\"phase\":\"Read\"}}\n"
                ),
                "r" => result(&format!("\"answer {n}\"")),
                "n" => result("null"),
                "e" => result("\"API Error: overloaded\""),
                "f" => format!("{{\"type\":\"failed\",{of}}}\n"),
                "?" => "{\"type\":\"paused\"}\n".to_owned(),
                "x" => "damaged\n".to_owned(),
                _ => "{\"type\":\"star".to_owned(),
            }
        });
        let text: String = lines.collect();
        self.file(self.run_dir().join("journal.jsonl"), text, 7_200)
    }

    /// The file of an agent, which ends with this message.
    pub(super) fn agent(&self, n: u32, end: &str) -> &Self {
        let line = |kind: &str, at: &str, message: &str| {
            format!(
                "{{\"isSidechain\":true,\"agentId\":\"a{n}\",\"timestamp\":\"2026-09-28T08:{at}:00.000Z\",\"uuid\":\"u{n}-{at}\",\"type\":\"{kind}\"{message}}}\n"
            )
        };
        let prompt = line(
            "user",
            "01",
            r#","message":{"role":"user","content":"do it"}"#,
        );
        let text = prompt + &line("assistant", "20", end);
        self.file(
            self.run_dir().join(format!("agent-a{n}.jsonl")),
            text,
            7_200,
        )
    }

    /// An agent that answered.
    pub(super) fn answered(&self, n: u32, answer: &str) -> &Self {
        let end = format!(
            r#","message":{{"id":"m{n}","role":"assistant","model":"x","stop_reason":"end_turn","usage":{{"input_tokens":10,"output_tokens":90}},"content":[{{"type":"text","text":"{answer}"}}]}}"#
        );
        self.agent(n, &end)
    }

    /// An agent that hit the usage limit.
    pub(super) fn limited(&self, n: u32) -> &Self {
        let end = format!(
            r#","isApiErrorMessage":true,"message":{{"id":"m{n}","role":"assistant","model":"<synthetic>","stop_reason":"stop_sequence","content":[{{"type":"text","text":"You've hit your session limit · resets 3pm (UTC)"}}]}}"#
        );
        self.agent(n, &end)
    }

    /// The snapshot with these members.
    pub(super) fn snapshot(&self, members: &str, age_s: u64) -> &Self {
        let path = self.folder().join("workflows").join(format!("{RUN}.json"));
        self.file(path, format!("{{\"runId\":\"{RUN}\",{members}}}"), age_s)
    }

    /// The conversation, with the launch and these lines after it. `input` is that of the call.
    pub(super) fn conversation(&self, input: &str, more: &str) -> &Self {
        let line = |kind: &str, at: &str, rest: &str| {
            format!(
                "{{\"type\":\"{kind}\",\"timestamp\":\"2026-09-28T{at}:00.000Z\",\"cwd\":\"{}/proj\",\"version\":\"2.1.270\",{rest}}}\n",
                self.root.display()
            )
        };
        let call = line(
            "assistant",
            "08:00",
            &format!(
                r#""message":{{"content":[{{"type":"tool_use","id":"toolu_1","name":"Workflow","input":{{{input}}}}}]}}"#
            ),
        );
        let result = line(
            "user",
            "08:00",
            &format!(
                r#""message":{{"content":[{{"type":"tool_result","tool_use_id":"toolu_1"}}]}},"toolUseResult":{{"taskId":"task1","workflowName":"review","runId":"{RUN}"}}"#
            ),
        );
        let more = if more.is_empty() {
            String::new()
        } else {
            let rest = format!(
                r#""origin":{{"kind":"task-notification"}},"message":{{"content":"<task-id>task1</task-id>{more}"}}"#
            );
            line("user", "08:40", &rest)
        };
        let path = self.folder().with_extension("jsonl");
        self.file(path, call + &result + &more, 7_200)
    }

    /// The usual conversation, with the end of the run if its notification has one.
    pub(super) fn launched(&self, notice: &str) -> &Self {
        let script = self.root.join("proj/review.js");
        self.file(&script, "script", 90_000);
        let copy = format!("workflows/scripts/review-{RUN}.js");
        self.file(self.folder().join(copy), "script", 90_000);
        let input = format!(r#""scriptPath":"{}","args":[1]"#, script.display());
        self.conversation(&input, notice)
    }

    pub(super) fn open(&self) -> Box<dyn Case> {
        let candidate = Candidate::new(NAME, RUN, PathBuf::new(), vec![self.run_dir()]);
        ClaudeWorkflow.open(&candidate, &self.world)
    }

    /// Where the run is, in one line.
    pub(super) fn claim(&self) -> (Status, String) {
        let case = self.open();
        let reading = case.reading();
        let claim = &reading.claim;
        let stopped = reading.stopped_where.lossy();
        (
            claim.status,
            format!("{} [{stopped}]", claim.reason.lossy()),
        )
    }

    /// What a check says.
    pub(super) fn check(&self, id: &str) -> String {
        testing::said(&self.checks(), id)
    }

    pub(super) fn checks(&self) -> Vec<Check> {
        self.open().verify(&self.world)
    }

    pub(super) fn points(&self) -> Vec<Boundary> {
        self.open().boundaries(&self.checks(), &self.world)
    }

    /// The recommended point, and why.
    pub(super) fn chosen(&self) -> String {
        let points = self.points().into_iter();
        let mut chosen = points.filter_map(|point| match point.preference {
            Preference::Chosen(why) => Some(format!("{}: {}", point.id.0, why.lossy())),
            Preference::Rung | Preference::ByHand | Preference::ByName => None,
        });
        chosen.next().unwrap_or_default()
    }

    pub(super) fn handoff(&self, point: &str) -> Handoff {
        let (id, checks) = (PointId(point.to_owned()), self.checks());
        let prospect = Prospect::new(&id, &checks);
        self.open().handoff(&prospect, &self.world)
    }
}
