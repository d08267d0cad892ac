//! opencode before 1.2.

mod database;

use serde_json::{Value, json};

use super::*;

const SES: &str = "ses_415013fdbffeVFCrhzsaZaztxM";
const CREATED: i64 = 1_795_332_600_000;
const LAST: &str = "2026-11-22T08:10:00Z";

impl Scene {
    /// Writes a record below opencode's storage.
    fn opencode(&self, rel: &str, record: &Value) {
        let root = self.world.places.opencode.as_ref();
        let rel = format!("storage/{rel}.json");
        let text = serde_json::to_vec_pretty(record).unwrap();
        write(root, &rel, &text, LAST);
    }

    /// Writes a session in a directory.
    fn opencode_session(&self, id: &str, directory: &Path) {
        self.opencode(
            &format!("session/0a1b2c/{id}"),
            &json!({"id": id, "version": "1.1.40", "projectID": "0a1b2c", "directory": directory, "title": "CANARY",
                "time": {"created": CREATED, "updated": millis()}}),
        );
    }

    /// Writes its messages, each with its parts.
    fn opencode_messages(&self, messages: &[(Value, Vec<Value>)]) {
        for (number, (message, parts)) in messages.iter().enumerate() {
            let id = format!("msg_beb0772b{number:03}");
            self.opencode(&format!("message/{SES}/{id}"), message);
            for (number, part) in parts.iter().enumerate() {
                self.opencode(&format!("part/{id}/prt_{number:03}"), part);
            }
        }
    }
}

fn millis() -> i64 {
    at(LAST).unix() * 1000
}

fn user() -> (Value, Vec<Value>) {
    let text = json!({"type": "text", "text": "CANARY"});
    (
        json!({"role": "user", "time": {"created": CREATED}}),
        vec![text],
    )
}

/// A reply with more fields.
fn reply(more: &Value, parts: Vec<Value>) -> (Value, Vec<Value>) {
    let mut message = json!({"role": "assistant", "time": {"created": CREATED, "completed": millis()},
        "path": {"cwd": "/x", "root": "/x"}, "cost": 0, "modelID": "m", "providerID": "p",
        "tokens": {"input": 10, "output": 7, "reasoning": 3, "cache": {"read": 200, "write": 30}}});
    for (key, value) in more.as_object().unwrap() {
        message[key] = value.clone();
    }
    (message, parts)
}

fn tool(name: &str, status: &str) -> Value {
    json!({"type": "tool", "tool": name, "callID": "c",
        "state": {"status": status, "input": {"filePath": ".mgw/state.json", "command": "CANARY"}, "output": "CANARY",
            "time": {"start": millis()}}})
}

#[test]
fn every_end_of_a_conversation() {
    use CauseKind as K;
    let open = json!({"time": {"created": CREATED}});
    let error = |name: &str| json!({"error": {"name": name, "data": {"message": "CANARY"}}});
    let finish = |word: &str| json!({ "finish": word });
    let step = || json!({"type": "step-start"});
    let table = [
        (
            reply(&finish("stop"), vec![step()]),
            K::TurnEnded,
            Sure::Certain,
        ),
        (reply(&json!({}), vec![]), K::TurnEnded, Sure::Likely),
        (
            reply(&finish("tool-calls"), vec![tool("bash", "completed")]),
            K::KilledBetweenTurns,
            Sure::Likely,
        ),
        (
            reply(&finish("length"), vec![]),
            K::OutputLimit,
            Sure::Certain,
        ),
        (
            reply(&error("MessageAbortedError"), vec![]),
            K::UserInterrupted,
            Sure::Likely,
        ),
        (
            reply(&error("ProviderAuthError"), vec![]),
            K::Auth,
            Sure::Certain,
        ),
        (
            reply(&error("APIError"), vec![]),
            K::ApiError,
            Sure::Certain,
        ),
        (
            reply(&error("MessageOutputLengthError"), vec![]),
            K::OutputLimit,
            Sure::Certain,
        ),
        (
            reply(&error("ContextOverflowError"), vec![]),
            K::ContextFull,
            Sure::Certain,
        ),
        (reply(&error("CANARY"), vec![]), K::Unknown, Sure::Guess),
        (
            reply(
                &open,
                vec![tool("bash", "completed"), json!({"type": "new"})],
            ),
            K::CutWhileStreaming,
            Sure::Guess,
        ),
        (
            reply(&open, vec![tool("bash", "running")]),
            K::KilledInTool,
            Sure::Likely,
        ),
        (
            reply(&open, vec![tool("bash", "pending")]),
            K::KilledInTool,
            Sure::Likely,
        ),
        (
            reply(&open, vec![tool("question", "running")]),
            K::WaitingAnswer,
            Sure::Likely,
        ),
        (
            reply(&finish("tool-calls"), vec![tool("question", "completed")]),
            K::KilledBetweenTurns,
            Sure::Likely,
        ),
        (user(), K::CutWhileStreaming, Sure::Guess),
    ];
    for (last, kind, sure) in table {
        let scene = Scene::new();
        scene.opencode_session(SES, &scene.project);
        let newer = (json!({"role": "new", "time": 1}), vec![]);
        scene.opencode_messages(&[user(), reply(&json!({}), vec![]), last, newer]);
        let cause = scene.only().cause;
        assert_eq!((cause.kind, cause.sure), (kind, sure), "{cause:?}");
        assert!(!format!("{cause:?}").contains("CANARY"), "{cause:?}");
    }
}

#[test]
fn a_conversation_has_its_times_tokens_and_command() {
    let scene = Scene::new();
    scene.opencode_session(SES, &scene.project);
    let empty = json!({"time": {"created": CREATED}, "tokens": {"input": 0, "output": 0, "cache": {"read": 0, "write": 0}}});
    scene.opencode_messages(&[
        user(),
        reply(&json!({}), vec![]),
        reply(&empty, vec![tool("edit", "running")]),
    ]);
    let one = scene.only();
    assert_eq!(one.client, Client::Opencode);
    assert_eq!(one.started_at.map(|at| at.unix()), Some(CREATED / 1000));
    assert_eq!(one.last_at.map(|at| at.unix()), Some(at(LAST).unix()));
    // The input does not include cached tokens.
    assert_eq!(one.tokens, Some(240));
    let line = one.resume.as_ref().and_then(ResumeCommand::line).unwrap();
    assert!(
        line.as_str().starts_with("cd ") && line.as_str().ends_with(&format!("opencode -s {SES}")),
        "{line}"
    );
    assert!(
        one.cause.evidence[0]
            .text
            .lossy()
            .starts_with("opencode: It stopped in a tool call (edit)")
    );
    // Its tools name files relative to its directory.
    assert!(
        one.reasons[0]
            .lossy()
            .starts_with("It wrote .mgw/state.json"),
        "{:?}",
        one.reasons
    );
    let quotes = scene.found(Depth::All).remove(0).quotes;
    assert_eq!(
        quotes.iter().map(|quote| quote.from).collect::<Vec<_>>(),
        ["person"]
    );
    assert_eq!(one.quotes, []);
}

#[test]
fn the_sessions_of_subagents_and_of_other_directories_are_left_out() {
    let scene = Scene::new();
    scene.opencode_session(SES, &scene.project);
    let subagent =
        json!({"parentID": SES, "directory": scene.project, "time": {"created": CREATED}});
    scene.opencode("session/0a1b2c/ses_sub", &subagent);
    scene.opencode_session("ses_other", &scene.project.with_file_name("other"));
    scene.opencode("session/0a1b2c/notes", &json!({"directory": scene.project}));
    let one = scene.only();
    assert_eq!(one.id.lossy(), SES);
    // Without any message there is nothing to judge by.
    assert_eq!((one.cause.kind, one.tokens), (CauseKind::Unknown, None));
}

#[test]
fn any_truncation_or_damage_still_gives_an_ending() {
    let scene = Scene::new();
    scene.opencode_session(SES, &scene.project);
    scene.opencode_messages(&[user(), reply(&json!({}), vec![tool("bash", "running")])]);
    let root = scene.world.places.opencode.as_ref();
    for rel in [
        format!("storage/session/0a1b2c/{SES}.json"),
        format!("storage/message/{SES}/msg_beb0772b001.json"),
        "storage/part/msg_beb0772b001/prt_000.json".to_owned(),
    ] {
        let whole = std::fs::read(root.unwrap().join(&rel)).unwrap();
        for end in (0..whole.len()).step_by(5) {
            for damage in [&b""[..], b"\0\0\0", b"\xff\xfe", b"]}"] {
                write(root, &rel, &[&whole[..end], damage].concat(), LAST);
                assert!(scene.found(Depth::All).len() <= 1);
            }
        }
        write(root, &rel, &whole, LAST);
        assert_eq!(scene.only().cause.kind, CauseKind::TurnEnded);
    }
}

#[test]
fn after_a_message_that_cannot_be_read_nothing_is_certain_or_ended_normally() {
    for (last, expected) in [
        (json!({"finish": "stop"}), (CauseKind::Unknown, Sure::Guess)),
        (
            json!({"error": {"name": "APIError"}}),
            (CauseKind::ApiError, Sure::Likely),
        ),
    ] {
        let scene = Scene::new();
        scene.opencode_session(SES, &scene.project);
        let next = (json!({"role": "user"}), vec![]);
        scene.opencode_messages(&[user(), reply(&last, vec![]), next.clone(), next]);
        let root = scene.world.places.opencode.as_ref();
        for number in [2, 3] {
            let rel = format!("storage/message/{SES}/msg_beb0772b00{number}.json");
            write(root, &rel, b"{\"ro", LAST);
        }
        let cause = scene.only().cause;
        assert_eq!((cause.kind, cause.sure), expected, "{cause:?}");
        let facts: Vec<_> = cause.evidence.iter().map(|one| one.text.lossy()).collect();
        assert!(
            facts.iter().any(|fact| fact.contains("cannot be read")),
            "{facts:?}"
        );
    }
}

#[test]
fn a_part_of_the_last_message_that_cannot_be_read_is_told_where_it_could_decide() {
    let open = json!({"time": {"created": CREATED}});
    for (last, expected, is_told) in [
        (open, (CauseKind::KilledInTool, Sure::Likely), true),
        (
            json!({"error": {"name": "APIError"}}),
            (CauseKind::ApiError, Sure::Likely),
            true,
        ),
        (
            json!({"finish": "stop"}),
            (CauseKind::TurnEnded, Sure::Certain),
            false,
        ),
    ] {
        let scene = Scene::new();
        scene.opencode_session(SES, &scene.project);
        let parts = vec![tool("bash", "running"), tool("question", "running")];
        scene.opencode_messages(&[user(), reply(&last, parts)]);
        let part = "storage/part/msg_beb0772b001/prt_001.json";
        write(scene.world.places.opencode.as_ref(), part, b"{\"ty", LAST);
        let cause = scene.only().cause;
        assert_eq!((cause.kind, cause.sure), expected, "{cause:?}");
        let facts: Vec<_> = cause.evidence.iter().map(|one| one.text.lossy()).collect();
        let told = facts
            .iter()
            .any(|fact| fact.contains("A part of the last message"));
        assert_eq!(told, is_told, "{facts:?}");
    }
}
