//! Recoveries long after they were made: projects, backups and relight's own files were moved, copied, lost, or written
//! by a newer version since.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::json;
use sha2::{Digest as _, Sha256};

use super::backups::{folder, restored, said, texts};
use super::crashed::{UNCOMMITTED, cut_short};
use super::kind;
use super::sandbox::{Sandbox, differences};

fn none() -> Vec<PathBuf> {
    Vec::new()
}

/// Puts a copy in the place of a directory: all of it is as before, and none of it is the same.
fn copied(dir: &Path) {
    let copy = dir.with_extension("copy");
    let copies = Command::new("cp").arg("-a").arg(dir).arg(&copy).status();
    assert!(copies.unwrap().success());
    fs::remove_dir_all(dir).unwrap();
    fs::rename(copy, dir).unwrap();
}

/// The journal in another format, of which nothing else is known.
fn newer(journal: &Path) {
    let body = json!({"format": 99, "recovery": {"new": "shape"}}).to_string();
    let sum = format!("{:x}", Sha256::digest(body.as_bytes()));
    fs::write(journal, format!("{body}\nEND {sum}\n")).unwrap();
}

#[test]
fn a_recovery_whose_marks_are_gone_is_never_rolled_back() {
    let (sandbox, id) = restored();
    let entries = fs::read_dir(folder(&sandbox, &id)).unwrap();
    let mut removed = 0;
    for entry in entries.map(Result::unwrap) {
        let facts = entry.metadata().unwrap();
        if facts.is_file() && facts.len() == 0 {
            fs::remove_file(entry.path()).unwrap();
            removed += 1;
        }
    }
    assert!(removed > 5, "{removed}");
    let before = sandbox.persons();
    let (code, text) = said(&sandbox, &["undo", "--yes", "--assume-stopped"]);
    assert_ne!(code, 0, "{text}");
    let (code, text) = said(&sandbox, &["recover", &id, "--yes", "--assume-stopped"]);
    assert_eq!(code, 7, "{text}");
    assert!(text.contains("whether it was applied is unknown"), "{text}");
    let (_, text) = said(&sandbox, &["history"]);
    assert!(text.contains("mark how far it came are missing"), "{text}");
    assert_eq!(differences(&before, &sandbox.persons()), none());
}

/// Each damage, whether it can be repaired, and a word of the reason.
type Row = (&'static str, fn(&Sandbox, &str), &'static str);

#[test]
fn what_can_no_longer_be_undone_is_said_by_whatever_tells_of_it() {
    let table: [Row; 5] = [
        (
            "moved",
            |sandbox, _| {
                let shop = sandbox.root().join("projects/shop");
                fs::rename(&shop, shop.with_extension("moved")).unwrap();
            },
            "Move it back if it was moved.",
        ),
        (
            "copied",
            |sandbox, _| copied(&sandbox.root().join("projects/shop")),
            "was replaced by a different directory",
        ),
        (
            "state copied",
            |sandbox, _| copied(&sandbox.root().join("home/.local/state")),
            "The directory of its backups",
        ),
        (
            "journal lost",
            |sandbox, id| fs::remove_file(folder(sandbox, id).join("journal")).unwrap(),
            "Its journal is missing.",
        ),
        (
            "newer",
            |sandbox, id| newer(&folder(sandbox, id).join("journal")),
            "Use the version of relight that made it.",
        ),
    ];
    for (name, damages, why) in table {
        let (sandbox, id) = restored();
        damages(&sandbox, &id);
        let export = format!("relight recover {id} --export");
        let undo = format!("relight undo {id}");
        for args in [
            &["history", "--scope", "machine"][..],
            &["history", &id],
            &["doctor"],
        ] {
            let (_, text) = said(&sandbox, args);
            assert!(text.contains(why), "{name} {args:?}: {text}");
            assert!(text.contains(&export), "{name} {args:?}: {text}");
            assert!(!text.contains(&undo), "{name} {args:?}: {text}");
        }
        let (code, refused) = sandbox.json(&["undo", &id, "--yes", "--assume-stopped"]);
        assert_eq!((code, kind(&refused)), (3, "refused"), "{name}: {refused}");
        let told = refused["error"].to_string();
        assert!(
            told.contains(why) && told.contains(&export),
            "{name}: {told}"
        );
        let copy = sandbox.root().join("taken-out");
        let (code, text) = said(
            &sandbox,
            &["recover", &id, "--export", copy.to_str().unwrap()],
        );
        assert_eq!(code, 0, "{name}: {text}");
        assert!(fs::read_dir(copy).unwrap().count() > 1, "{name}");
    }
    // What was only moved can be undone once it is back.
    let (sandbox, id) = restored();
    let shop = sandbox.root().join("projects/shop");
    fs::rename(&shop, shop.with_extension("moved")).unwrap();
    fs::rename(shop.with_extension("moved"), &shop).unwrap();
    let (code, text) = said(&sandbox, &["undo", &id, "--yes"]);
    assert_eq!(code, 0, "{text}");
    let (code, text) = said(&sandbox, &["doctor"]);
    assert!(!text.contains("cannot be undone"), "{code}: {text}");
}

#[test]
fn the_backups_of_a_half_applied_recovery_are_measured_where_its_paths_are_unseen() {
    let (sandbox, id) = restored();
    cut_short(&sandbox, &id, UNCOMMITTED);
    let shop = sandbox.root().join("projects/shop");
    copied(&shop);
    let keep = shop.to_str().unwrap();
    let bytes = |sandbox: &Sandbox| {
        let (_, history) = sandbox.json(&["history"]);
        history["recoveries"][0]["kept_bytes"].as_u64().unwrap()
    };
    assert!(bytes(&sandbox) > 0);
    let (code, text) = said(
        &sandbox,
        &["recover", &id, "--keep", keep, "--yes", "--assume-stopped"],
    );
    assert!(text.contains("is left half-applied"), "{code}: {text}");
    assert!(bytes(&sandbox) > 0);
    let (_, text) = said(&sandbox, &["purge", &id]);
    assert!(!text.contains(" 0 B of backups"), "{text}");
}

/// What is printed for a pending recovery works, and blames what is at fault.
#[test]
fn advice_about_a_pending_recovery_fits_what_was_lost() {
    let (sandbox, id) = restored();
    cut_short(&sandbox, &id, UNCOMMITTED);
    let slots = folder(&sandbox, &id).join("slots");
    copied(&slots);
    let (_, text) = said(&sandbox, &["history"]);
    assert!(text.contains("The directory of its backups"), "{text}");
    newer(&folder(&sandbox, &id).join("journal"));
    let (code, refused) = sandbox.json(&["recover", &id, "--yes", "--assume-stopped"]);
    assert_eq!(code, 7, "{refused}");
    let (_, history) = sandbox.json(&["history"]);
    for told in [&refused["error"], &history["recoveries"][0]["trouble"]] {
        let told = texts(told);
        let (version, keep) = (told.find("Use the version"), told.find("--keep"));
        assert!(version.is_some() && version < keep, "{told}");
        assert!(!told.contains("damaged"), "{told}");
    }
    for name in ["journal", "record.json"] {
        fs::remove_file(folder(&sandbox, &id).join(name)).unwrap();
    }
    let (_, text) = said(&sandbox, &["history"]);
    assert!(text.contains("--keep / keeps everything"), "{text}");
    let args = ["recover", &id, "--keep", "/", "--yes", "--assume-stopped"];
    let (_, text) = said(&sandbox, &args);
    assert!(text.contains("is left half-applied"), "{text}");
}

#[test]
fn a_lock_that_another_state_directory_knows_is_not_recovered_here() {
    let sandbox = Sandbox::new();
    let crucible = sandbox.crucible();
    let lock = sandbox.root().join("projects/shop/.git/index.lock");
    let id = "20200101T000000000-0000";
    let text = format!("Held by relight while it applies recovery {id}. If\n");
    fs::write(lock, text).unwrap();
    let (_, plan) = sandbox.json(&["plan", &crucible, "wave-1"]);
    let guards = plan["plan"]["guards"].as_array().unwrap();
    let lock = guards.iter().find(|guard| guard["id"] == "index_lock");
    let cure = texts(&lock.unwrap()["would_hold_if"]);
    assert!(!cure.contains(&format!("relight recover {id}")), "{cure}");
    assert!(cure.contains("XDG_STATE_HOME"), "{cure}");
}

#[test]
fn a_damaged_store_of_own_checkpoints_is_named() {
    for damage in ["HEAD", "refs"] {
        let sandbox = Sandbox::new();
        let id = sandbox.crucible();
        let (code, taken) = sandbox.json(&["checkpoint", &id, "--reason", "now"]);
        assert_eq!(code, 0, "{taken}");
        let taken = texts(&taken["recorded"]["checkpoint"]);
        let stores = sandbox.root().join("home/.local/state/relight/checkpoints");
        let store = fs::read_dir(stores)
            .unwrap()
            .next()
            .unwrap()
            .unwrap()
            .path();
        let lost = store.join(damage);
        fs::rename(&lost, store.with_extension("lost")).unwrap();
        let name = store.file_name().unwrap().to_str().unwrap();
        let checkpoint = taken.trim_matches('"');
        for args in [
            &["checkpoints", &id][..],
            &["restore", &id, "--checkpoint", checkpoint, "--dry-run"],
            &["doctor"],
        ] {
            let (_, text) = said(&sandbox, args);
            assert!(text.contains(name), "{damage} {args:?}: {text}");
            let cure = format!("relight purge {id}");
            assert!(text.contains(&cure), "{damage} {args:?}: {text}");
        }
        fs::rename(store.with_extension("lost"), &lost).unwrap();
        let (_, text) = said(&sandbox, &["doctor"]);
        assert!(!text.contains(name), "{text}");
    }
}

/// References of relight's own keep the commits that a branch was moved back from.
#[test]
fn a_purge_names_the_commits_that_go_with_it() {
    let sandbox = Sandbox::new();
    let id = sandbox.crucible();
    let (_, list) = sandbox.json(&["checkpoints", &id]);
    let checkpoint = list["checkpoints"][0]["id"].as_str().unwrap();
    let args = ["restore", &id, "--checkpoint", checkpoint, "--exact"];
    let (code, done) = sandbox.json(&[&args[..], &["--rewind-branch", "--yes"]].concat());
    assert_eq!(code, 0, "{done}");
    let done = done["recovery"]["id"].as_str().unwrap();
    let told = "5 commits that are no longer on feat/price-cache";
    let (code, text) = said(&sandbox, &["purge", done]);
    assert!(code == 4 && text.contains(told), "{text}");
    // Once it is undone, the branch has them again.
    let (code, text) = said(&sandbox, &["undo", "--yes"]);
    assert_eq!(code, 0, "{text}");
    let (_, text) = said(&sandbox, &["purge", done]);
    assert!(!text.contains("git will delete"), "{text}");
    let (code, text) = said(&sandbox, &["redo", "--yes"]);
    assert_eq!(code, 0, "{text}");
    let (code, text) = said(&sandbox, &["purge", done, "--yes"]);
    assert!(code == 0 && text.contains(told), "{text}");
}
