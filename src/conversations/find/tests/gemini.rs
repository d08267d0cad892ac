//! Gemini CLI.

use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use super::*;

const START: &str = "2026-11-22T07:30:00Z";
const LAST: &str = "2026-11-22T08:10:00Z";
const LINES: &str = "tmp/shop/chats/session-2026-11-22T07-30-5c5b2a7e.jsonl";

impl Scene {
    /// Writes a file of Gemini CLI.
    fn gemini(&self, rel: &str, text: &str) {
        let root = self.world.places.gemini.as_ref();
        write(root, rel, text.as_bytes(), LAST);
    }

    /// Writes a conversation of the project as lines.
    fn gemini_lines(&self, lines: &[Value]) {
        let root = self.project.to_str().unwrap();
        self.gemini("tmp/shop/.project_root", root);
        let first = [first(ONE)];
        let lines: Vec<&Value> = first.iter().chain(lines).collect();
        self.gemini(LINES, &lines_of(&lines));
    }
}

fn first(id: &str) -> Value {
    json!({"sessionId": id, "projectHash": "f".repeat(64), "startTime": START, "lastUpdated": START})
}

fn user() -> Value {
    json!({"id": "u1", "timestamp": START, "type": "user", "content": [{"text": "CANARY"}, {"inlineData": {}}]})
}

fn reply(id: &str, calls: &Value) -> Value {
    json!({"id": id, "timestamp": LAST, "type": "gemini", "content": "CANARY", "toolCalls": calls,
        "thoughts": [{"subject": "CANARY"}], "model": "gemini-3-pro",
        "tokens": {"input": 4000, "output": 20, "cached": 3000, "thoughts": 5, "tool": 0, "total": 4025}})
}

fn call(name: &str, status: &str) -> Value {
    json!({"id": "c1", "name": name, "args": {"file_path": "notes.md", "content": "CANARY"}, "status": status,
        "timestamp": LAST, "result": [{"text": "CANARY"}]})
}

#[test]
fn every_end_of_a_conversation() {
    use CauseKind as K;
    let answer = json!([{"functionResponse": {"id": "c1", "response": {"output": "CANARY"}}}]);
    let message = |kind: &str, content: &Value| json!({"id": "x", "timestamp": LAST, "type": kind, "content": content});
    let table = [
        (
            vec![user(), reply("g1", &json!([]))],
            K::TurnEnded,
            Sure::Likely,
        ),
        (
            vec![reply("g1", &json!([call("replace", "success")]))],
            K::KilledBetweenTurns,
            Sure::Guess,
        ),
        (
            vec![reply("g1", &json!([])), message("user", &answer)],
            K::KilledBetweenTurns,
            Sure::Guess,
        ),
        (
            vec![reply("g1", &json!([call("replace", "executing")]))],
            K::KilledInTool,
            Sure::Likely,
        ),
        (
            vec![reply("g1", &json!([{"name": "replace"}]))],
            K::KilledInTool,
            Sure::Likely,
        ),
        (
            vec![reply("g1", &json!([call("replace", "cancelled")]))],
            K::Unknown,
            Sure::Guess,
        ),
        (
            vec![reply("g1", &json!([])), user()],
            K::CutWhileStreaming,
            Sure::Guess,
        ),
        (
            vec![user(), message("error", &json!("CANARY"))],
            K::ApiError,
            Sure::Guess,
        ),
        // Notes and unknown messages are skipped.
        (
            vec![
                user(),
                message("info", &json!("CANARY")),
                message("new", &json!(1)),
            ],
            K::CutWhileStreaming,
            Sure::Guess,
        ),
        // A repeated message replaces the earlier one.
        (
            vec![
                reply("g1", &json!([call("replace", "executing")])),
                reply("g1", &json!([call("replace", "success")])),
            ],
            K::KilledBetweenTurns,
            Sure::Guess,
        ),
        // A turn that a person rewound does not count.
        (
            vec![reply("g1", &json!([])), user(), json!({"$rewindTo": "u1"})],
            K::TurnEnded,
            Sure::Likely,
        ),
        // An update replaces all messages.
        (
            vec![
                user(),
                json!({"$set": {"messages": [reply("g1", &json!([]))]}}),
            ],
            K::TurnEnded,
            Sure::Likely,
        ),
        (
            vec![
                reply("g1", &json!([])),
                json!({"$set": {"lastUpdated": LAST}}),
            ],
            K::TurnEnded,
            Sure::Likely,
        ),
        (vec![], K::Unknown, Sure::Guess),
    ];
    for (lines, kind, sure) in table {
        let scene = Scene::new();
        scene.gemini_lines(&lines);
        let cause = scene.only().cause;
        assert_eq!(
            (cause.kind, cause.sure),
            (kind, sure),
            "{lines:?} {cause:?}"
        );
        assert!(!format!("{cause:?}").contains("CANARY"), "{cause:?}");
    }
}

#[test]
fn a_question_waits_and_a_note_of_a_cancelled_request_is_an_interruption() {
    use CauseKind as K;
    let note = |text: &str| json!({"id": "n", "timestamp": LAST, "type": "info", "content": text});
    let cancelled = note("Request cancelled.");
    let said = reply("g1", &json!([]));
    let asked = |status: &str| reply("g1", &json!([call("ask_user", status)]));
    for (lines, kind, sure) in [
        (
            vec![user(), said.clone(), cancelled.clone()],
            K::UserInterrupted,
            Sure::Likely,
        ),
        (
            vec![cancelled, user(), said.clone()],
            K::TurnEnded,
            Sure::Likely,
        ),
        (vec![said, note("CANARY")], K::TurnEnded, Sure::Likely),
        (vec![asked("executing")], K::WaitingAnswer, Sure::Likely),
        (vec![asked("success")], K::KilledBetweenTurns, Sure::Guess),
    ] {
        let scene = Scene::new();
        scene.gemini_lines(&lines);
        let cause = scene.only().cause;
        assert_eq!(
            (cause.kind, cause.sure),
            (kind, sure),
            "{lines:?} {cause:?}"
        );
    }
}

#[test]
fn a_conversation_has_its_times_tokens_and_command() {
    let scene = Scene::new();
    scene.gemini_lines(&[
        user(),
        reply("g1", &json!([call("run_shell_command", "executing")])),
    ]);
    let one = scene.only();
    assert_eq!(one.client, Client::GeminiCli);
    assert_eq!(one.started_at.map(|at| at.unix()), Some(at(START).unix()));
    assert_eq!(one.last_at.map(|at| at.unix()), Some(at(LAST).unix()));
    // The cached part of the input is not counted twice.
    assert_eq!(one.tokens, Some(4000));
    assert_eq!(one.cwd.as_ref(), Some(&scene.project));
    assert_eq!(one.expires_at, None);
    let line = one.resume.as_ref().and_then(ResumeCommand::line).unwrap();
    assert!(
        line.as_str().starts_with("cd ")
            && line.as_str().ends_with(&format!("gemini --resume {ONE}")),
        "{line}"
    );
    assert!(one.cause.text.lossy().contains("(run_shell_command)"));
    assert_eq!(one.cause.evidence[0].line, Some(3));
    assert!(
        one.cause.evidence[0]
            .text
            .lossy()
            .starts_with("Gemini CLI: It stopped")
    );
    let quotes = scene.found(Depth::All).remove(0).quotes;
    assert_eq!(
        quotes.iter().map(|quote| quote.from).collect::<Vec<_>>(),
        ["person", "agent"]
    );
    assert_eq!(one.quotes, []);
}

#[test]
fn a_folder_has_its_directory_in_three_ways() {
    let document = json!({"sessionId": ONE, "projectHash": "f", "startTime": START, "lastUpdated": LAST,
        "messages": [user(), reply("g1", &json!([]))]});
    let document = serde_json::to_string_pretty(&document).unwrap();
    let name = "chats/session-2026-11-22T07-30-5c5b2a7e.json";
    let hashed = |dir: &Path| crate::text::format::hex(&Sha256::digest(dir.to_str().unwrap()));

    let digest = Scene::new();
    digest.gemini(
        &format!("tmp/{}/{name}", hashed(&digest.project)),
        &document,
    );
    let listed = Scene::new();
    listed.gemini(&format!("tmp/shop-1/{name}"), &document);
    listed.gemini(
        "projects.json",
        &json!({"projects": {listed.project.to_str().unwrap(): "shop-1"}}).to_string(),
    );
    let marked = Scene::new();
    marked.gemini(&format!("tmp/shop/{name}"), &document);
    marked.gemini(
        "tmp/shop/.project_root",
        &format!("{}\n", marked.project.display()),
    );
    for scene in [digest, listed, marked] {
        let one = scene.only();
        assert_eq!(
            (one.id.lossy().as_ref(), one.cause.kind),
            (ONE, CauseKind::TurnEnded)
        );
        assert_eq!(one.cwd.as_ref(), Some(&scene.project));
    }

    let other = Scene::new();
    other.gemini(
        &format!("tmp/{}/{name}", hashed(&other.project.join("sub"))),
        &document,
    );
    other.gemini(&format!("tmp/shop/{name}"), &document);
    other.gemini("tmp/shop/.project_root", "/elsewhere");
    for depth in [Depth::List, Depth::All] {
        assert_eq!(other.found(depth), []);
    }
}

#[test]
fn a_continued_document_and_the_conversations_of_subagents_are_left_out() {
    let scene = Scene::new();
    scene.gemini_lines(&[reply("g1", &json!([]))]);
    let document = |id: &str, kind: &str| json!({"sessionId": id, "startTime": START, "messages": [user()], "kind": kind});
    let older = document(ONE, "main").to_string();
    let root = scene.world.places.gemini.as_ref();
    write(
        root,
        LINES.strip_suffix('l').unwrap(),
        older.as_bytes(),
        START,
    );
    scene.gemini(
        "tmp/shop/chats/session-b.json",
        &document(TWO, "subagent").to_string(),
    );
    let mut begun = first(TWO);
    begun["kind"] = json!("subagent");
    scene.gemini(
        "tmp/shop/chats/session-c.jsonl",
        &lines_of(&[begun, user()]),
    );
    // An id that a program would parse as an option never becomes part of a command.
    scene.gemini(
        "tmp/shop/chats/session-d.jsonl",
        &lines_of(&[first("--yolo"), user()]),
    );
    scene.gemini("tmp/shop/chats/logs.json", "[]");
    assert_eq!(scene.only().cause.kind, CauseKind::TurnEnded);
}

#[test]
fn a_writer_of_the_state_matches_from_any_directory() {
    let scene = Scene::new();
    let write = |status: &str| {
        let mut call = call("write_file", status);
        call["args"]["file_path"] = json!(scene.project.join(".mgw/state.json"));
        lines_of(&[first(ONE), reply("g1", &json!([call]))])
    };
    scene.gemini("tmp/other/.project_root", "/elsewhere");
    scene.gemini("tmp/other/chats/session-a.jsonl", &write("error"));
    assert_eq!(scene.found(Depth::All), []);
    scene.gemini("tmp/other/chats/session-a.jsonl", &write("success"));
    let found = scene.found(Depth::All);
    assert_eq!(found.len(), 1);
    assert!(
        found[0].reasons[0]
            .lossy()
            .starts_with("It wrote .mgw/state.json")
    );
    assert_eq!(found[0].resume, None);
    // A list reads no files of other projects.
    assert_eq!(scene.found(Depth::List), []);
    // Where no directory is recorded, the client is started in the pipeline's.
    let unknown = Scene::new();
    let mut call = call("write_file", "success");
    call["args"]["file_path"] = json!(unknown.project.join(".mgw/state.json"));
    let text = lines_of(&[first(ONE), reply("g1", &json!([call]))]);
    unknown.gemini("tmp/name/chats/session-a.jsonl", &text);
    let found = unknown.found(Depth::All).remove(0);
    let cwd = found.resume.unwrap().cwd;
    assert_eq!((found.cwd, cwd), (None, Some(unknown.project.clone())));
}

#[test]
fn any_truncation_or_damage_still_gives_an_ending() {
    let scene = Scene::new();
    scene.gemini("tmp/shop/.project_root", scene.project.to_str().unwrap());
    let calls = json!([call("replace", "success")]);
    let lines = lines_of(&[first(ONE), user(), reply("g1", &calls)]);
    let document =
        json!({"sessionId": ONE, "startTime": START, "messages": [user(), reply("g1", &calls)]});
    for (name, text) in [
        ("session-a.jsonl", lines),
        ("session-b.json", document.to_string()),
    ] {
        let rel = format!("tmp/shop/chats/{name}");
        let root = scene.world.places.gemini.as_ref();
        let file = root.unwrap().join(&rel);
        for end in (0..text.len()).step_by(7).chain([text.len()]) {
            for damage in [&b""[..], b"\0\0\0\n", b"\xff\xfe{\n", b"{\"id\":1}\n[]\n"] {
                let bytes = [&text.as_bytes()[..end], damage].concat();
                write(root, &rel, &bytes, LAST);
                assert!(scene.found(Depth::All).len() <= 1);
            }
        }
        // One line longer than the parse limit.
        let long = format!("{}{{\"id\":\"{}\"}}\n", text, "x".repeat(2 << 20));
        write(root, &rel, long.as_bytes(), LAST);
        assert_eq!(scene.found(Depth::List).len(), 1);
        std::fs::remove_file(file).unwrap();
    }
}

#[test]
fn after_a_line_that_cannot_be_read_nothing_ended_normally() {
    let cut = r#"{"id":"g2","type":"user","cont"#;
    for (damage, unread) in [
        ("", false),
        (cut, true),
        (&format!("{cut}\n"), true),
        (
            &format!("{cut}\n{}\n", json!({"$set": {"lastUpdated": LAST}})),
            true,
        ),
        (&format!("{cut}\n{}\n", reply("g3", &json!([]))), false),
    ] {
        for long in [10, 1 << 20] {
            let scene = Scene::new();
            let early = json!({"id": "u0", "type": "user", "content": "x".repeat(long)});
            scene.gemini_lines(&[early, user(), reply("g1", &json!([]))]);
            let file = scene.world.places.gemini.as_ref().unwrap().join(LINES);
            let text = std::fs::read_to_string(file).unwrap();
            scene.gemini(LINES, &(text + damage));
            let cause = scene.only().cause;
            let kind = if unread {
                CauseKind::Unknown
            } else {
                CauseKind::TurnEnded
            };
            assert_eq!(cause.kind, kind, "{damage}, {long}: {cause:?}");
            let said = cause
                .evidence
                .iter()
                .any(|one| one.text.lossy().contains("cannot be read"));
            assert_eq!(said, unread, "{cause:?}");
        }
    }
}
