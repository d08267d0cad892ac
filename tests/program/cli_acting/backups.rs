//! Backups that are damaged, that are the only copies of something, or that a person is left with.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::crashed::{UNCOMMITTED, cut_short};
use super::kind;
use super::sandbox::{Sandbox, differences};

/// The folder of a recovery in relight's own state.
pub(super) fn folder(sandbox: &Sandbox, id: &str) -> PathBuf {
    let state = sandbox.root().join("home/.local/state/relight");
    let homes = fs::read_dir(state).unwrap();
    let mut homes = homes.map(|home| home.unwrap().path().join(id));
    homes.find(|folder| folder.exists()).unwrap()
}

/// A sandbox in which the files of the crucible run were restored, and the id of the recovery.
pub(super) fn restored() -> (Sandbox, String) {
    let sandbox = Sandbox::new();
    let id = sandbox.crucible();
    let (code, done) = sandbox.json(&["resume", &id, "wave-1", "--yes"]);
    assert_eq!(code, 0, "{done}");
    let id = done["recovery"]["id"].as_str().unwrap().to_owned();
    (sandbox, id)
}

/// What a command prints, and its exit code.
pub(super) fn said(sandbox: &Sandbox, args: &[&str]) -> (i32, String) {
    let output = sandbox.run(args);
    let text = [output.stdout, output.stderr].concat();
    let words = String::from_utf8(text).unwrap();
    let words: Vec<&str> = words.split_whitespace().collect();
    (output.status.code().unwrap(), words.join(" "))
}

pub(super) fn texts(values: &Value) -> String {
    values.to_string()
}

#[test]
fn an_undo_refuses_a_backup_whose_content_was_changed() {
    let (sandbox, id) = restored();
    let slots = fs::read_dir(folder(&sandbox, &id).join("slots")).unwrap();
    let slot = slots.map(|slot| slot.unwrap().path()).min().unwrap();
    fs::write(&slot, "CORRUPT").unwrap();
    let before = sandbox.persons();
    let (code, refused) = sandbox.json(&["undo", "--yes"]);
    assert_eq!((code, kind(&refused)), (3, "refused"), "{refused}");
    let guards = texts(&refused["error"]["guards"]);
    assert!(guards.contains("is damaged"), "{guards}");
    assert_eq!(
        differences(&before, &sandbox.persons()),
        Vec::<PathBuf>::new()
    );
}

#[test]
fn what_is_given_up_half_applied_is_not_called_rolled_back_and_blocks_nothing() {
    let (sandbox, id) = restored();
    let crucible = sandbox.crucible();
    cut_short(&sandbox, &id, UNCOMMITTED);
    let kept = folder(&sandbox, &id);
    let mut journal = fs::read(kept.join("journal")).unwrap();
    journal[10] ^= 1;
    fs::write(kept.join("journal"), journal).unwrap();
    let (code, refused) = sandbox.json(&["recover", &id, "--yes"]);
    assert_eq!((code, kind(&refused)), (7, "unclear"), "{refused}");
    let left = sandbox.persons();
    let root = sandbox.root().join("projects/shop");
    let root = root.to_str().unwrap();
    let (code, text) = said(&sandbox, &["recover", &id, "--keep", root, "--yes"]);
    assert_eq!(code, 0, "{text}");
    assert!(text.contains("half-applied"), "{text}");
    assert!(!text.contains("rolled back"), "{text}");
    let slots = kept.join("slots");
    let (_, history) = sandbox.json(&["history"]);
    let recovery = &history["recoveries"][0];
    assert_eq!(recovery["state"], "needs_attention", "{recovery}");
    let trouble = texts(&recovery["trouble"]);
    assert!(trouble.contains(slots.to_str().unwrap()), "{trouble}");
    assert!(trouble.contains("--export"), "{trouble}");
    // Work goes on.
    let (_, list) = sandbox.json(&["list"]);
    assert_eq!(list["pending_recovery"], Value::Null);
    let (_, plan) = sandbox.json(&["plan", &crucible, "wave-1"]);
    let guards = texts(&plan["plan"]["guards"]);
    assert!(!guards.contains("pending_recovery"), "{guards}");
    for args in [&["undo", &id, "--yes"][..], &["recover", &id, "--yes"]] {
        let (code, refused) = sandbox.json(args);
        assert!(matches!(code, 3 | 7), "{refused}");
        assert!(
            texts(&refused["error"]["hints"]).contains("--export"),
            "{refused}"
        );
    }
    assert_eq!(
        differences(&left, &sandbox.persons()),
        Vec::<PathBuf>::new()
    );
}

#[test]
fn a_rollback_is_said_whatever_the_answer_is() {
    let (sandbox, id) = restored();
    cut_short(&sandbox, &id, UNCOMMITTED);
    let copy = sandbox.all();
    let (code, answer) = sandbox.json(&["undo", "--yes"]);
    assert_eq!(code, 1, "{answer}");
    assert_eq!(answer["reason"], "There is nothing to undo.");
    let notes = texts(&answer["notes"]);
    assert!(notes.contains(&format!("{id} was rolled back")), "{notes}");
    assert_ne!(differences(&copy, &sandbox.all()), Vec::<PathBuf>::new());
}

#[test]
fn a_purge_names_what_was_edited_and_is_nowhere_else() {
    let (sandbox, id) = restored();
    let file = sandbox.root().join("projects/shop/src/price.rs");
    fs::write(&file, "// written after the restore\n").unwrap();
    let (code, undone) = sandbox.json(&["undo", "--yes"]);
    assert_eq!(code, 0, "{undone}");
    let (_, history) = said(&sandbox, &["history"]);
    let by = undone["recovery"]["id"].as_str().unwrap();
    assert!(
        history.contains(&format!("of what {by} replaced")),
        "{history}"
    );
    let (code, text) = said(&sandbox, &["purge", &id, "--yes"]);
    assert_eq!(code, 0, "{text}");
    let copy = "The only copy of what was edited after the recovery was deleted: ";
    assert!(
        text.contains(&format!("{copy}{}.", file.display())),
        "{text}"
    );
    let (code, text) = said(&sandbox, &["redo", &id, "--yes"]);
    assert_eq!(code, 3, "{text}");
    assert!(
        text.contains(&format!("it uses the backups of {id}, which were deleted")),
        "{text}"
    );
}

#[test]
fn where_nothing_is_to_be_done_a_dry_run_says_what_to_do_instead_too() {
    let (sandbox, id) = restored();
    assert_eq!(sandbox.json(&["undo", "--yes"]).0, 0);
    for (args, instead) in [
        (&["undo", &id][..], format!("relight redo {id}")),
        (&["undo"], "relight history --scope machine".to_owned()),
    ] {
        let (code, acting) = said(&sandbox, args);
        let (dry_code, dry) = said(&sandbox, &[args, &["--dry-run"]].concat());
        assert_eq!((code, dry_code), (1, 1), "{acting}");
        assert!(acting.contains(&instead), "{acting}");
        assert_eq!(acting, dry);
    }
}

#[test]
fn an_undo_creates_what_was_deleted_since_and_says_how_to_leave_it() {
    let (sandbox, id) = restored();
    let shop = sandbox.root().join("projects/shop");
    fs::remove_file(shop.join("src/price.rs")).unwrap();
    let (code, plan) = sandbox.json(&["undo", "--dry-run"]);
    assert_eq!(code, 0, "{plan}");
    let paths = plan["plan"]["actions"][0]["paths"].as_array().unwrap();
    let price = paths.iter().find(|path| path["path"] == "src/price.rs");
    assert_eq!(price.unwrap()["change"], "create", "{plan}");
    let losses = texts(&plan["plan"]["losses"]);
    assert!(
        losses.contains("Deleted after the recovery and restored: "),
        "{losses}"
    );
    assert!(!losses.contains("overwritten"), "{losses}");
    let (_, text) = said(&sandbox, &["undo", "--dry-run"]);
    let keep = format!("relight undo {id} --keep PATH");
    assert!(text.contains(&keep), "{text}");
}

#[test]
fn a_state_directory_in_the_project_is_found_before_anything_is_written() {
    let sandbox = Sandbox::new();
    let id = sandbox.crucible();
    // The demo's own state would be used in spite of the variables.
    fs::remove_file(sandbox.root().join(".relight-sandbox")).unwrap();
    let home = sandbox.root().join("home");
    let temp = home.join("tmp");
    let state = sandbox.root().join("projects/shop/.state");
    let variables = [
        ("HOME", home.to_str().unwrap()),
        ("TMPDIR", temp.to_str().unwrap()),
        ("XDG_STATE_HOME", state.to_str().unwrap()),
    ];
    for args in [
        &["plan", &id, "wave-1", "--json"][..],
        &["resume", &id, "wave-1", "--yes"],
    ] {
        let output = sandbox.run_with(&variables, args);
        let text = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
        assert_eq!(output.status.code(), Some(3), "{text}");
        assert!(
            text.contains("own state directory is in the project"),
            "{text}"
        );
        assert!(!Path::new(&state).exists(), "{args:?}");
    }
    let output = sandbox.run_with(&variables, &["doctor"]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(1), "{text}");
    let words: Vec<&str> = text.split_whitespace().collect();
    assert!(
        words.join(" ").contains("nothing can be restored there"),
        "{text}"
    );
}

#[test]
fn a_pending_recovery_of_a_project_that_was_moved_says_where_its_backups_are() {
    let (sandbox, id) = restored();
    cut_short(&sandbox, &id, UNCOMMITTED);
    let projects = sandbox.root().join("projects");
    fs::rename(projects.join("shop"), projects.join("moved")).unwrap();
    let slots = folder(&sandbox, &id).join("slots");
    let (_, history) = sandbox.json(&["history", "--scope", "machine"]);
    let trouble = texts(&history["recoveries"][0]["trouble"]);
    assert!(!trouble.contains("will be restored"), "{trouble}");
    let (code, refused) = sandbox.json(&["recover", &id, "--yes"]);
    assert_eq!((code, kind(&refused)), (3, "refused"), "{refused}");
    let hints = texts(&refused["error"]["hints"]);
    for told in ["Move it back", "--export", slots.to_str().unwrap()] {
        assert!(hints.contains(told), "{told}: {hints}");
    }
    let copy = sandbox.root().join("copy");
    let (code, text) = said(
        &sandbox,
        &["recover", &id, "--export", copy.to_str().unwrap()],
    );
    assert_eq!(code, 0, "{text}");
    let list = fs::read_to_string(copy.join("LIST.txt")).unwrap();
    assert!(list.contains("\tbefore\t"), "{list}");
}

#[test]
fn backups_that_were_removed_by_hand_are_said_to_be_gone() {
    let (sandbox, id) = restored();
    let slots = folder(&sandbox, &id).join("slots");
    let aside = slots.with_file_name("aside");
    fs::rename(&slots, &aside).unwrap();
    let (code, text) = said(&sandbox, &["undo", "--yes"]);
    assert_eq!(code, 3, "{text}");
    let gone = format!("{id} cannot be undone: its backups were deleted.");
    assert!(text.contains(&gone), "{text}");
    for args in [&["history"][..], &["history", &id]] {
        let (_, text) = said(&sandbox, args);
        assert!(text.contains("backups deleted; cannot undo"), "{text}");
    }
    let (_, history) = sandbox.json(&["history"]);
    assert_eq!(history["recoveries"][0]["purged"], true, "{history}");
    // Where they were only moved, they count again once they are back.
    fs::rename(&aside, &slots).unwrap();
    let (code, done) = sandbox.json(&["undo", "--yes"]);
    assert_eq!(code, 0, "{done}");
    for told in [
        "of backups; 1 recovery can no longer be redone",
        "were deleted already.",
    ] {
        let (code, text) = said(&sandbox, &["purge", &id, "--yes"]);
        assert!(code == 0 && text.contains(told), "{text}");
        assert_eq!(
            text.contains("can no longer"),
            told.contains("can no longer"),
            "{text}"
        );
    }
}
