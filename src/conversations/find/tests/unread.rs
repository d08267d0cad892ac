//! Conversations that are there and cannot be read.

use super::*;

/// What was not read, and how sure the cause of another client's conversation then is.
fn unread(scene: &Scene) -> (Vec<String>, Sure) {
    let mut sure = Vec::new();
    let mut said = Vec::new();
    for depth in [Depth::List, Depth::All] {
        let found = scene.looked(depth);
        let cause = cause(None, &found.conversations, &scene.reading());
        sure.push(doubted(cause, &found.conversations, &found.unread).sure);
        said = Unread::sentences(&found.unread);
    }
    assert_eq!(sure[0], sure[1]);
    let all = Unread::sentences(&Index::new(&scene.world).unread(&scene.world));
    let said: Vec<_> = said.iter().map(|one| one.lossy().into_owned()).collect();
    let of_machine: Vec<_> = all.iter().map(|one| one.lossy().into_owned()).collect();
    assert_eq!(said, of_machine, "the doctor says the same");
    (said, sure[0])
}

#[test]
fn what_is_there_and_was_not_read_is_named_and_makes_an_older_cause_a_guess() {
    let rollout = format!("sessions/2026/11/22/rollout-2026-11-22T07-40-00-{TWO}.jsonl");
    let cases: [(Client, &str, &[u8], &str); 5] = [
        (
            Client::Codex,
            &format!("{rollout}.zst"),
            b"x",
            "it is compressed",
        ),
        (Client::Codex, &rollout, b"{\"timestamp\":", "it is damaged"),
        (
            Client::GeminiCli,
            "tmp/shop/chats/session-x.jsonl",
            b"{\"sess",
            "it is damaged",
        ),
        (
            Client::Opencode,
            "storage/session/p/ses_x.json",
            b"{\"id\":",
            "it is damaged",
        ),
        (
            Client::Opencode,
            "opencode.db",
            b"SQLite format 3",
            "it is damaged, in use, or of another version",
        ),
    ];
    for (client, rel, bytes, why) in cases {
        for (last, expected) in [
            ("2026-11-22T08:30:00Z", Sure::Guess),
            ("2026-11-22T07:50:00Z", Sure::Certain),
        ] {
            let scene = Scene::new();
            scene.conversation(ONE, &scene.project, "2026-11-22T08:00:00Z", &[question()]);
            let places = &scene.world.places;
            let root = match client {
                Client::Codex => places.codex.as_ref(),
                Client::GeminiCli => places.gemini.as_ref(),
                Client::Opencode => places.opencode.as_ref(),
                Client::ClaudeCode => places.claude.as_ref(),
            };
            if client == Client::GeminiCli {
                let project = scene.project.to_str().unwrap();
                write(root, "tmp/shop/.project_root", project.as_bytes(), last);
            }
            write(root, rel, bytes, last);
            let (said, sure) = unread(&scene);
            let path = root.unwrap().join(rel);
            let text = format!(
                "Conversations of {} were not read: {} ({why}).",
                client.name(),
                path.display()
            );
            assert_eq!((said, sure), (vec![text], expected), "{rel} {last}");
        }
    }
    let scene = Scene::new();
    scene.conversation(ONE, &scene.project, "2026-11-22T08:00:00Z", &[question()]);
    assert_eq!(unread(&scene), (vec![], Sure::Certain));
}

#[test]
fn what_a_pipeline_recorded_stays_certain() {
    let scene = Scene::new();
    scene.conversation(ONE, &scene.project, "2026-11-22T07:59:00Z", &[ended()]);
    let root = scene.world.places.codex.as_ref();
    let rel = format!("sessions/2026/11/22/rollout-2026-11-22T07-40-00-{TWO}.jsonl.zst");
    write(root, &rel, b"x", "2026-11-22T08:30:00Z");
    let found = scene.looked(Depth::All);
    assert_eq!(found.unread.len(), 1);
    // Codex compresses old ones itself: nobody has to mend that.
    assert!(!found.unread[0].is_trouble());
    let recorded = Cause {
        kind: CauseKind::ScriptFailed,
        at: Some(at("2026-11-22T08:00:00Z")),
        sure: Sure::Certain,
        ..Cause::unknown("It exited with 1.")
    };
    let chosen = cause([recorded], &found.conversations, &scene.reading());
    let chosen = doubted(chosen, &found.conversations, &found.unread);
    assert_eq!(
        (chosen.kind, chosen.sure),
        (CauseKind::ScriptFailed, Sure::Certain)
    );
}

#[test]
fn archived_conversations_of_codex_and_those_without_a_day_are_read() {
    for folder in ["archived_sessions", "sessions"] {
        let scene = Scene::new();
        let lines = [
            json!({"timestamp": "2026-11-22T07:40:00Z", "type": "session_meta", "payload": {"id": TWO, "cwd": scene.project}}),
            json!({"timestamp": "2026-11-22T08:00:00Z", "type": "event_msg", "payload": {"type": "task_complete"}}),
        ];
        let rel = format!("{folder}/rollout-2026-11-22T07-40-00-{TWO}.jsonl");
        let root = scene.world.places.codex.as_ref();
        write(
            root,
            &rel,
            lines_of(&lines).as_bytes(),
            "2026-11-22T08:00:00Z",
        );
        assert_eq!(scene.only().id.lossy(), TWO);
    }
}
