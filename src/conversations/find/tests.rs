mod codex;
mod gemini;
mod issues;
mod moved;
mod opencode;
mod other_work;
mod ranks;
mod reasons;
mod registered;
mod terminal;
mod unread;

use serde_json::json;

use super::files::slug;
use super::*;
use crate::conversations::claude::Transcript;
use crate::model::{
    Aliveness, Branch, Cause, CauseKind, Claim, LifeEvidence, Progress, ResumeCommand, Stamp,
    Status, Sure, SystemName,
};
use crate::world::fake::FakeWorld;

const NOW: &str = "2026-11-22T09:00:00+00:00";
const ONE: &str = "5c5b2a7e-0000-4000-8000-000000000001";
const TWO: &str = "5c5b2a7e-0000-4000-8000-000000000002";

fn at(text: &str) -> Stamp {
    Stamp::stated(DateTime::parse_from_rfc3339(text).unwrap())
}

/// A project with a pipeline, and a home of the client.
struct Scene {
    dir: tempfile::TempDir,
    world: FakeWorld,
    project: PathBuf,
}

impl Scene {
    fn new() -> Self {
        let dir = crate::world::temporary::directory();
        let top = dir.path().canonicalize().unwrap();
        let mut world = FakeWorld::from(NOW);
        world.places.claude = Some(top.join("claude"));
        world.places.codex = Some(top.join("codex"));
        world.places.gemini = Some(top.join("gemini"));
        world.places.opencode = Some(top.join("opencode"));
        let project = top.join("work/shop");
        std::fs::create_dir_all(project.join(".mgw")).unwrap();
        Self {
            dir,
            world,
            project,
        }
    }

    fn reading(&self) -> Reading {
        Reading {
            system: SystemName("mgw"),
            native: "57".into(),
            title: "t".into(),
            root: self.project.clone(),
            state_files: vec![self.project.join(".mgw/state.json")],
            work_tree: None,
            branch: Some(Branch {
                expected: Some("feat/pay".into()),
                actual: None,
            }),
            pull_request: None,
            started_at: Some(at("2026-11-22T07:00:00Z")),
            last_activity_at: Some(at("2026-11-22T08:00:00Z")),
            claim: Claim {
                status: Status::Interrupted,
                reason: "r".into(),
            },
            life: LifeEvidence::default(),
            stopped_where: "s".into(),
            progress: Progress::new(Some(0), None, "phases"),
            badges: vec![],
            phases: vec![],
            findings: vec![],
        }
    }

    /// Writes a conversation whose lines are in a directory, the last at a time.
    fn conversation(
        &self,
        id: &str,
        cwd: &Path,
        last: &str,
        more: &[serde_json::Value],
    ) -> PathBuf {
        let line = |kind: &str, at: &str, message: serde_json::Value| {
            json!({"type": kind, "timestamp": at, "cwd": cwd, "sessionId": id, "gitBranch": "feat/pay",
                "version": "2.1.281", "isSidechain": false, "message": message})
        };
        let mut lines = vec![line(
            "user",
            "2026-11-22T07:30:00Z",
            json!({"content": "CANARY"}),
        )];
        for message in more {
            lines.push(line("assistant", last, message.clone()));
        }
        let rel = format!("projects/{}/{id}.jsonl", slug(cwd));
        let root = self.world.places.claude.as_ref();
        write(root, &rel, lines_of(&lines).as_bytes(), last);
        root.unwrap().join(rel)
    }

    /// The only conversation, which a list and a single pipeline must find alike.
    fn only(&self) -> Conversation {
        let mut listed = self.found(Depth::List);
        let asked = self.found(Depth::All);
        assert_eq!((listed.len(), asked.len()), (1, 1), "{asked:?}");
        let one = listed.remove(0);
        assert_eq!((&one.id, &one.cause), (&asked[0].id, &asked[0].cause));
        one
    }

    /// Writes a conversation of Codex.
    fn codex(&self, lines: &[serde_json::Value], last: &str) {
        let rel = format!("sessions/2026/11/22/rollout-2026-11-22T07-40-00-{TWO}.jsonl");
        let root = self.world.places.codex.as_ref();
        write(root, &rel, lines_of(lines).as_bytes(), last);
    }

    fn found(&self, depth: Depth) -> Vec<Conversation> {
        self.looked(depth).conversations
    }

    fn looked(&self, depth: Depth) -> Found {
        Index::new(&self.world).of(&self.reading(), depth, &self.world)
    }
}

fn ended() -> serde_json::Value {
    json!({"id": "m", "model": "x", "stop_reason": "end_turn", "content": [{"type": "text", "text": "CANARY"}],
        "usage": {"input_tokens": 5, "cache_read_input_tokens": 100}})
}

fn question() -> serde_json::Value {
    json!({"id": "m", "model": "x", "stop_reason": "tool_use",
        "content": [{"type": "tool_use", "id": "t", "name": "AskUserQuestion", "input": {"questions": ["CANARY"]}}]})
}

#[test]
fn the_newest_conversation_of_the_project_is_the_cause() {
    let scene = Scene::new();
    std::fs::create_dir(scene.project.join("sub")).unwrap();
    scene.conversation(ONE, &scene.project, "2026-11-22T07:55:00Z", &[ended()]);
    scene.conversation(
        TWO,
        &scene.project.join("sub"),
        "2026-11-22T08:30:00Z",
        &[question()],
    );
    // A list does not read conversations that cannot be the cause.
    for (depth, expected) in [(Depth::List, &[TWO][..]), (Depth::All, &[TWO, ONE])] {
        let found = scene.found(depth);
        let ids: Vec<_> = found
            .iter()
            .map(|one| one.id.lossy().into_owned())
            .collect();
        assert_eq!(ids, expected);
        let cause = cause(None, &found, &scene.reading());
        assert_eq!(
            (cause.kind, cause.sure),
            (CauseKind::WaitingAnswer, Sure::Certain)
        );
        assert!(
            cause.next[0].lossy().contains("claude --resume"),
            "{cause:?}"
        );
    }
    let older = scene.found(Depth::All).remove(1);
    assert_eq!(older.tokens, Some(105));
    assert_eq!(
        older.expires_at.map(|at| at.unix()),
        Some(at("2026-12-22T07:55:00Z").unix())
    );
}

/// For any set of conversations, the fast path of a list finds the same cause as all of them.
#[test]
fn a_list_has_the_cause_that_all_conversations_have() {
    let lasts = [
        "07:20", "07:49", "07:51", "07:59", "08:01", "08:12", "08:40",
    ];
    let ends = [ended(), question(), json!({"content": []})];
    for (round, first) in lasts.iter().enumerate() {
        for second in &lasts {
            let scene = Scene::new();
            let message = |of: usize| ends[of % ends.len()].clone();
            for (number, last) in [(0, first), (1, second), (2, &"07:55")] {
                let id = format!("5c5b2a7e-0000-4000-8000-{number:012}");
                let last = format!("2026-11-22T{last}:00Z");
                scene.conversation(&id, &scene.project, &last, &[message(round + number)]);
            }
            let [short, long] = [Depth::List, Depth::All].map(|depth| {
                let found = cause(None, &scene.found(depth), &scene.reading());
                (found.kind, found.at, found.sure, found.text)
            });
            assert_eq!(short, long, "{first} {second}");
        }
    }
}

#[test]
fn a_conversation_after_the_last_write_or_long_before_is_not_the_cause() {
    let scene = Scene::new();
    let skill = |at: &str, end: serde_json::Value| {
        let call = json!({"id": "s", "model": "x", "stop_reason": "tool_use", "content": [
            {"type": "tool_use", "id": "t", "name": "Skill", "input": {"skill": "mgw:resume"}}]});
        let file = scene.conversation(ONE, &scene.project, at, &[call, end]);
        // The conversation of a scene begins at 07:30.
        let text = std::fs::read_to_string(&file).unwrap();
        std::fs::write(&file, text.replace("2026-11-22T07:30:00Z", at)).unwrap();
    };
    for at in ["2026-11-22T08:45:00Z", "2026-11-22T07:40:00Z"] {
        skill(at, question());
        assert_eq!(scene.found(Depth::All).len(), 1, "it is listed anyway");
        for depth in [Depth::List, Depth::All] {
            let cause = cause(None, &scene.found(depth), &scene.reading());
            assert_eq!(cause.kind, CauseKind::Unknown, "{at}");
        }
    }
}

#[test]
fn a_conversation_elsewhere_is_read_where_its_end_names_the_pipeline_and_not_otherwise() {
    let scene = Scene::new();
    let elsewhere = scene.dir.path().canonicalize().unwrap().join("elsewhere");
    scene.conversation(ONE, &elsewhere, "2026-11-22T08:00:00Z", &[ended()]);
    let call = json!({"id": "m", "model": "x", "stop_reason": "tool_use", "content": [
        {"type": "tool_use", "id": "t", "name": "Edit", "input": {"file_path": scene.project.join(".mgw/state.json")}}]});
    scene.conversation(TWO, &elsewhere, "2026-11-22T08:00:00Z", &[call]);
    let found = scene.found(Depth::All);
    let ids: Vec<_> = found
        .iter()
        .map(|one| one.id.lossy().into_owned())
        .collect();
    assert_eq!(ids, [TWO]);
}

#[test]
fn a_foreign_project_another_time_and_a_branch_alone_never_match() {
    let scene = Scene::new();
    // The client gives its directory the same name.
    let twin = scene.project.with_file_name("shop-");
    assert!(slug(&twin).starts_with(&slug(&scene.project)));
    scene.conversation(ONE, &twin, "2026-11-22T08:00:00Z", &[ended()]);
    // The right directory, before the pipeline began.
    scene.conversation(TWO, &scene.project, "2026-11-20T08:00:00Z", &[ended()]);
    for depth in [Depth::List, Depth::All] {
        assert_eq!(scene.found(depth), []);
    }
}

#[test]
fn a_writer_of_the_state_matches_from_any_directory() {
    let scene = Scene::new();
    let elsewhere = scene.dir.path().canonicalize().unwrap().join("elsewhere");
    let write = json!({"id": "m", "model": "x", "stop_reason": "tool_use", "content": [
        {"type": "tool_use", "id": "t", "name": "Write", "input": {"file_path": scene.project.join(".mgw/state.json")}}]});
    scene.conversation(ONE, &elsewhere, "2026-11-22T08:00:00Z", &[write]);
    let found = scene.found(Depth::All);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(
        found[0].reasons[0]
            .lossy()
            .starts_with("It wrote .mgw/state.json")
    );
}

#[test]
fn a_conversation_that_moved_is_judged_by_its_successor() {
    let scene = Scene::new();
    let file = scene.conversation(ONE, &scene.project, "2026-11-22T08:00:00Z", &[question()]);
    let moved = json!({"type": "continued-in", "continuedInSessionId": TWO});
    let text = std::fs::read_to_string(&file).unwrap() + &format!("{moved}\n");
    std::fs::write(&file, text).unwrap();
    scene.conversation(TWO, &scene.project, "2026-11-22T08:01:00Z", &[ended()]);
    let found = scene.found(Depth::All);
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].id.lossy(), TWO);
}

#[test]
fn a_thousand_conversations_are_judged_by_the_newest() {
    let scene = Scene::new();
    for number in 0..1000 {
        let id = format!("5c5b2a7e-0000-4000-8000-{number:012}");
        scene.conversation(&id, &scene.project, "2026-11-22T08:00:00Z", &[ended()]);
    }
    assert_eq!(scene.found(Depth::List).len(), LISTED);
    assert_eq!(scene.found(Depth::All).len(), ASKED);
}

#[test]
fn two_clients_at_once() {
    let mut scene = Scene::new();
    scene.conversation(ONE, &scene.project, "2026-11-22T08:00:00Z", &[ended()]);
    let patch = "*** Begin Patch\n*** Update File: .mgw/state.json\n@@\n-a\n+b\n*** End Patch\n";
    let lines = [
        json!({"timestamp": "2026-11-22T07:40:00Z", "type": "session_meta", "payload": {"id": TWO, "cwd": scene.project}}),
        json!({"timestamp": "2026-11-22T07:41:00Z", "type": "event_msg", "payload": {"type": "task_started"}}),
        json!({"timestamp": "2026-11-22T07:42:00Z", "type": "response_item", "payload": {"type": "custom_tool_call",
            "name": "apply_patch", "call_id": "c", "input": patch}}),
        json!({"timestamp": "2026-11-22T07:43:00Z", "type": "response_item", "payload": {"type": "custom_tool_call_output",
            "call_id": "c", "output": "Success."}}),
        json!({"timestamp": "2026-11-22T08:20:00Z", "type": "event_msg", "payload": {"type": "token_count",
            "info": {"last_token_usage": {"input_tokens": 900}},
            "rate_limits": {"primary": {"used_percent": 99.5, "window_minutes": 300, "resets_at": 1_795_340_000}}}}),
    ];
    scene.codex(&lines, "2026-11-22T08:20:00Z");
    let found = scene.found(Depth::All);
    assert_eq!(found.len(), 2);
    assert_eq!(
        (found[0].client, found[0].tokens),
        (Client::Codex, Some(900))
    );
    assert_eq!(
        (found[0].cause.kind, found[0].cause.sure),
        (CauseKind::UsageLimit, Sure::Guess)
    );
    assert!(found[0].cause.until.is_some());
    assert!(
        found[0].reasons[0]
            .lossy()
            .starts_with("It wrote .mgw/state.json"),
        "{:?}",
        found[0].reasons
    );
    let resume = found[0].resume.as_ref().and_then(ResumeCommand::line);
    let resume = resume.unwrap();
    assert!(resume.as_str().ends_with(&format!("codex resume {TWO}")));
    // Nobody waits for a reset that is past.
    let new = "esume at the recommended point in a new conversation, or continue this one: ";
    for (now, first) in [
        ("2026-11-22T09:33:19Z", "After 2026-11-22 09:33:20 UTC, r"),
        ("2026-11-22T09:33:20Z", "R"),
    ] {
        scene.world.clock.0 = DateTime::parse_from_rfc3339(now).unwrap();
        let next = &scene.found(Depth::All)[0].cause.next[0];
        assert_eq!(*next, format!("{first}{new}{resume}").as_str());
    }
}

/// Writes a file below the home of a client, last written at a time.
fn write(root: Option<&PathBuf>, rel: &str, bytes: &[u8], last: &str) {
    let file = root.unwrap().join(rel);
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    std::fs::write(&file, bytes).unwrap();
    let last = DateTime::parse_from_rfc3339(last).unwrap();
    let opened = std::fs::File::options().append(true).open(&file).unwrap();
    opened.set_modified(last.into()).unwrap();
}

fn lines_of(lines: &[impl ToString]) -> String {
    lines.iter().map(|line| line.to_string() + "\n").collect()
}
