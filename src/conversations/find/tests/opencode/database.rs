//! opencode 1.2 and later.

use super::*;

/// Creates a database like opencode 1.2, with a session, its subagent and three messages. Changes after the checkpoint
/// are only in the log.
fn database(scene: &Scene, last: &(Value, Vec<Value>), checkpoint: bool) -> rusqlite::Connection {
    let place = scene.dir.path().join("made.db");
    let made = rusqlite::Connection::open(place).unwrap();
    made.execute_batch(
        "PRAGMA page_size = 1024; PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0;
        CREATE TABLE session (id text PRIMARY KEY, project_id text NOT NULL, parent_id text, slug text NOT NULL,
            directory text NOT NULL, title text NOT NULL, time_created integer NOT NULL, time_updated integer NOT NULL);
        CREATE TABLE message (id text PRIMARY KEY, session_id text NOT NULL, time_created integer NOT NULL,
            time_updated integer NOT NULL, data text NOT NULL);
        CREATE TABLE part (id text PRIMARY KEY, message_id text NOT NULL, session_id text NOT NULL,
            time_created integer NOT NULL, time_updated integer NOT NULL, data text NOT NULL);
        CREATE INDEX message_session_idx ON message (session_id, time_created, id);
        CREATE INDEX part_message_idx ON part (message_id, id);",
    )
    .unwrap();
    let directory = scene.project.to_str().unwrap();
    let session = |id: &str, parent: Option<&str>| {
        let values = (id, parent, directory, CREATED, millis());
        let insert = "INSERT INTO session VALUES (?1, 'p', ?2, 'CANARY', ?3, 'CANARY', ?4, ?5)";
        made.execute(insert, values).unwrap();
    };
    session(SES, None);
    session("ses_sub", Some(SES));
    let messages = [
        user(),
        reply(&json!({}), vec![tool("bash", "completed")]),
        last.clone(),
    ];
    for (number, (message, parts)) in messages.iter().enumerate() {
        if checkpoint && number == 2 {
            made.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))
                .unwrap();
        }
        let id = format!("msg_beb0772b{number:03}");
        let values = (&id, SES, CREATED, message.to_string());
        let insert = "INSERT INTO message VALUES (?1, ?2, ?3, ?3, ?4)";
        made.execute(insert, values).unwrap();
        for (number, part) in parts.iter().enumerate() {
            let values = (
                format!("prt_{id}{number}"),
                &id,
                SES,
                CREATED,
                part.to_string(),
            );
            let insert = "INSERT INTO part VALUES (?1, ?2, ?3, ?4, ?4, ?5)";
            made.execute(insert, values).unwrap();
        }
    }
    made
}

/// Copies the database and its log to opencode's folder.
fn put(scene: &Scene) {
    let home = scene.world.places.opencode.as_ref().unwrap();
    std::fs::create_dir_all(home).unwrap();
    for ending in ["db", "db-wal"] {
        let from = scene.dir.path().join(format!("made.{ending}"));
        if from.exists() {
            std::fs::copy(from, home.join(format!("opencode.{ending}"))).unwrap();
        }
    }
}

/// The content of opencode's folder, and its modification time.
fn kept(scene: &Scene) -> (std::time::SystemTime, Vec<(std::ffi::OsString, Vec<u8>)>) {
    let home = scene.world.places.opencode.as_ref().unwrap();
    let entries = std::fs::read_dir(home).unwrap().map(Result::unwrap);
    let mut files: Vec<_> = entries
        .map(|entry| (entry.file_name(), std::fs::read(entry.path()).unwrap()))
        .collect();
    files.sort();
    (home.metadata().unwrap().modified().unwrap(), files)
}

#[test]
fn a_database_is_read_with_its_log_and_nothing_is_written() {
    let running = reply(
        &json!({"time": {"created": CREATED}}),
        vec![tool("bash", "running")],
    );
    for (checkpoint, closed) in [(true, true), (true, false), (false, false), (false, true)] {
        let scene = Scene::new();
        let made = database(&scene, &running, checkpoint);
        if closed {
            made.close().unwrap();
        }
        put(&scene);
        let before = kept(&scene);
        assert_eq!(before.1.len(), if closed { 1 } else { 2 });
        let one = scene.only();
        assert_eq!(one.cause.kind, CauseKind::KilledInTool, "{:?}", one.cause);
        assert_eq!((one.id.lossy().as_ref(), one.tokens), (SES, Some(240)));
        assert_eq!(one.started_at.map(|at| at.unix()), Some(CREATED / 1000));
        assert!(
            one.reasons
                .iter()
                .any(|reason| reason.lossy().starts_with("It ran in this project"))
        );
        assert!(!format!("{one:?}").contains("CANARY"), "{one:?}");
        let quotes = scene.found(Depth::All).remove(0).quotes;
        assert_eq!(quotes.len(), 1);
        assert_eq!(kept(&scene), before);
    }
}

#[test]
fn migrated_sessions_are_listed_once() {
    let scene = Scene::new();
    scene.opencode_session(SES, &scene.project);
    let made = database(&scene, &reply(&json!({"finish": "stop"}), vec![]), false);
    made.close().unwrap();
    put(&scene);
    scene.opencode_messages(&[user()]);
    let root = scene.world.places.opencode.as_ref();
    let old = std::fs::read(
        root.unwrap()
            .join(format!("storage/session/0a1b2c/{SES}.json")),
    )
    .unwrap();
    let rel = format!("storage/session/0a1b2c/{SES}.json");
    write(root, &rel, &old, "2026-11-22T08:05:00Z");
    assert_eq!(scene.only().cause.kind, CauseKind::TurnEnded);
}

#[test]
fn a_damaged_or_unknown_database_has_no_conversations() {
    let scene = Scene::new();
    let made = database(&scene, &(user().0, vec![]), true);
    put(&scene);
    drop(made);
    let root = scene.world.places.opencode.as_ref();
    let whole = ["opencode.db", "opencode.db-wal"]
        .map(|name| std::fs::read(root.unwrap().join(name)).unwrap());
    for (name, bytes) in ["opencode.db", "opencode.db-wal"].into_iter().zip(&whole) {
        for at in (0..bytes.len()).step_by(97) {
            write(root, name, &bytes[..at], LAST);
            assert!(scene.found(Depth::All).len() <= 1);
            let mut flipped = bytes.clone();
            flipped[at] ^= 0xff;
            write(root, name, &flipped, LAST);
            assert!(scene.found(Depth::All).len() <= 1);
        }
        write(root, name, bytes, LAST);
    }
    assert_eq!(scene.only().cause.kind, CauseKind::CutWhileStreaming);
    // A truncated frame of the log is left out, and with it the last message.
    let cut = whole[1].len() - 1;
    write(root, "opencode.db-wal", &whole[1][..cut], LAST);
    assert_eq!(scene.only().cause.kind, CauseKind::TurnEnded);

    let other = Scene::new();
    let place = other.dir.path().join("made.db");
    let made = rusqlite::Connection::open(place).unwrap();
    made.execute_batch("CREATE TABLE session (id text, parent_id text)")
        .unwrap();
    made.close().unwrap();
    put(&other);
    assert_eq!(other.found(Depth::All), []);
    assert_eq!(other.looked(Depth::All).unread.len(), 1);
    // A link is not followed.
    let file = root.unwrap().join("opencode.db");
    let linked = other
        .world
        .places
        .opencode
        .as_ref()
        .unwrap()
        .join("opencode.db");
    std::fs::remove_file(&linked).unwrap();
    std::os::unix::fs::symlink(file, linked).unwrap();
    assert_eq!(other.found(Depth::All), []);
}

#[test]
fn a_newer_message_that_cannot_be_read_makes_the_end_a_guess() {
    let scene = Scene::new();
    let made = database(&scene, &reply(&json!({"finish": "stop"}), vec![]), true);
    let update = "INSERT INTO message VALUES ('msg_f', ?1, ?2, ?2, '{\"role\":')";
    made.execute(update, (SES, CREATED + 1)).unwrap();
    made.close().unwrap();
    put(&scene);
    let one = scene.only();
    assert_eq!(
        (one.cause.kind, one.cause.sure),
        (CauseKind::Unknown, Sure::Guess)
    );

    let old = Scene::new();
    old.opencode_session(SES, &old.project);
    old.opencode_messages(&[user(), reply(&json!({"finish": "stop"}), vec![])]);
    assert_eq!(old.only().cause.sure, Sure::Certain);
    let root = old.world.places.opencode.as_ref();
    write(
        root,
        &format!("storage/message/{SES}/msg_f.json"),
        b"{\"ro",
        LAST,
    );
    let cause = old.only().cause;
    assert_eq!(cause.sure, Sure::Guess);
    let said = cause
        .evidence
        .iter()
        .any(|one| one.text.lossy().starts_with("A message cannot be read"));
    assert!(said, "{cause:?}");
}
