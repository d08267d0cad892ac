//! What the history and refusals say of recoveries: in the past tense, and only what still works.

use super::kind;
use super::sandbox::Sandbox;

fn said(sandbox: &Sandbox, args: &[&str]) -> String {
    let output = sandbox.run(args);
    assert_eq!(output.status.code(), Some(0), "{args:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// A redo uses the backups of the undo: once those are deleted, it is not offered.
#[test]
fn the_history_offers_only_what_works_and_says_what_was_done() {
    let sandbox = Sandbox::new();
    let pipeline = sandbox.crucible();
    let (code, done) = sandbox.json(&["resume", &pipeline, "--yes"]);
    assert_eq!(code, 0, "{done}");
    let id = done["recovery"]["id"].as_str().unwrap();
    let one = said(&sandbox, &["history", id]);
    assert!(one.contains("1 file in shop (1 overwritten)"), "{one}");
    assert!(!one.contains("Restores "), "{one}");
    assert!(one.contains(&format!("relight undo {id}")), "{one}");
    let (code, undone) = sandbox.json(&["undo", "--yes"]);
    assert_eq!(code, 0, "{undone}");
    let undo = undone["recovery"]["id"].as_str().unwrap();
    let one = said(&sandbox, &["history", id]);
    assert!(one.contains(&format!("relight redo {id}")), "{one}");
    let (code, purged) = sandbox.json(&["purge", undo, "--yes"]);
    assert_eq!(code, 0, "{purged}");
    // It uses the backups of what it undid, so those are what goes.
    assert_eq!(purged["purged"][0], id, "{purged}");
    for named in [id, undo] {
        let one = said(&sandbox, &["history", named]);
        assert!(!one.contains("relight redo"), "{one}");
        assert!(one.contains("backups deleted; cannot redo"), "{one}");
    }
    for args in [&["redo", "--yes"][..], &["redo", id, "--yes"]] {
        let (code, refused) = sandbox.json(args);
        assert_eq!((code, kind(&refused)), (3, "refused"), "{refused}");
    }
    let (_, refused) = sandbox.json(&["undo", id, "--yes"]);
    assert!(!refused.to_string().contains("relight redo"), "{refused}");
}

/// As git does of an ambiguous object name: each candidate with what tells it apart.
#[test]
fn an_ambiguous_id_lists_what_it_may_mean() {
    let sandbox = Sandbox::new();
    let hints = |args: &[&str]| {
        let (code, refused) = sandbox.json(args);
        assert_eq!((code, kind(&refused)), (2, "ambiguous"), "{refused}");
        refused["error"]["hints"].to_string()
    };
    for command in ["show", "points", "replay"] {
        let named = hints(&[command, "mgw-5"]);
        for part in ["mgw-57~", "Cache lookups", "projects/notes", "Search index"] {
            assert!(named.contains(part), "{command}, {part}: {named}");
        }
    }
    let pipeline = sandbox.crucible();
    let (code, done) = sandbox.json(&["resume", &pipeline, "--yes"]);
    assert_eq!(code, 0, "{done}");
    let (code, undone) = sandbox.json(&["undo", "--yes"]);
    assert_eq!(code, 0, "{undone}");
    let id = done["recovery"]["id"].as_str().unwrap();
    let day = id.get(..8).unwrap();
    for args in [
        &["undo", day][..],
        &["redo", day],
        &["purge", day],
        &["recover", day],
    ] {
        let named = hints(args);
        for part in [id, "undo of", "wave-2", &pipeline, " UTC"] {
            assert!(named.contains(part), "{args:?}, {part}: {named}");
        }
    }
}
