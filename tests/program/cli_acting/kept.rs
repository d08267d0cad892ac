//! The backups of a recovery: exported, deleted; and a rehearsed restore.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::kind;
use super::sandbox::{Sandbox, differences};
use super::tty::Tty;

/// A sandbox with one recovery, and its id.
fn done() -> (Sandbox, String) {
    let sandbox = Sandbox::new();
    let id = sandbox.crucible();
    let (code, done) = sandbox.json(&["resume", &id, "--yes"]);
    assert_eq!(code, 0, "{done}");
    let id = done["recovery"]["id"].as_str().unwrap().to_owned();
    (sandbox, id)
}

#[test]
fn purging_wants_its_own_word_and_ends_the_undo() {
    let (sandbox, id) = done();
    let before = sandbox.all();
    let (code, refused) = sandbox.json(&["purge", &id]);
    assert_eq!((code, kind(&refused)), (4, "consent"), "{refused}");
    let program = assert_cmd::cargo::cargo_bin!("relight");
    for keys in ["\r", "y\r", "yes\r"] {
        let args = ["purge", &id];
        let mut tty = Tty::start(program.to_str().unwrap(), &args, &sandbox.root(), 100, 40);
        tty.wait("the question", |screen| {
            screen.contents().contains("Type purge")
        });
        tty.screen(|screen| {
            let text = screen.contents();
            assert!(text.contains("1 recovery cannot be undone"), "{text}");
        });
        tty.keys(keys);
        assert_eq!(tty.ended(), Some(130), "{keys:?}");
    }
    assert_eq!(differences(&before, &sandbox.all()), Vec::<PathBuf>::new());
    let (_, history) = sandbox.json(&["history"]);
    let kept = history["recoveries"][0]["kept_bytes"].as_u64().unwrap();
    let (code, purged) = sandbox.json(&["purge", &id, "--yes"]);
    assert_eq!(code, 0, "{purged}");
    assert_eq!(
        (&purged["purged"][0], purged["bytes"].as_u64()),
        (&Value::from(id.as_str()), Some(kept))
    );
    let (_, history) = sandbox.json(&["history"]);
    assert_eq!(history["recoveries"][0]["purged"], true);
    let (code, refused) = sandbox.json(&["undo", &id, "--yes"]);
    assert_eq!((code, kind(&refused)), (3, "refused"), "{refused}");
}

/// A resume that only logged is undone in that log; one without backups is refused. An older recovery, which may be of
/// another pipeline, is never undone in its place.
#[test]
fn undo_without_an_id_means_the_latest_recovery_or_nothing() {
    let (sandbox, older) = done();
    let history = |sandbox: &Sandbox| sandbox.json(&["history"]).1["recoveries"].clone();
    let conference = "tokenizer";
    let log = sandbox
        .root()
        .join("projects/lab/tokenizer-speed/conference_events.jsonl");
    let last = || {
        let text = fs::read_to_string(&log).unwrap();
        text.lines().last().unwrap().to_owned()
    };
    let resume = [
        "resume",
        conference,
        "round-2-keep",
        "--yes",
        "--assume-stopped",
    ];
    let output = sandbox.run(&resume);
    let said = String::from_utf8(output.stdout).unwrap();
    let latest = history(&sandbox)[0]["id"].as_str().unwrap().to_owned();
    assert!(said.contains(&format!("relight undo {latest}")), "{said}");
    let (code, undone) = sandbox.json(&["undo", "--yes", "--assume-stopped"]);
    assert_eq!(
        (code, undone["recovery"]["undoes"].as_str()),
        (0, Some(latest.as_str())),
        "{undone}"
    );
    assert!(last().contains("conference.resume_undone"), "{}", last());
    let (code, redone) = sandbox.json(&["redo", "--yes", "--assume-stopped"]);
    assert_eq!(code, 0, "{redone}");
    assert!(last().contains(&format!("{latest} redone")), "{}", last());
    let newest = redone["recovery"]["id"].as_str().unwrap();
    let (code, purged) = sandbox.json(&["purge", newest, "--yes"]);
    assert_eq!(code, 0, "{purged}");
    let (code, refused) = sandbox.json(&["undo", "--yes", "--assume-stopped"]);
    assert_eq!((code, kind(&refused)), (3, "refused"), "{refused}");
    assert!(refused.to_string().contains(newest), "{refused}");
    let all = history(&sandbox);
    let first = all
        .as_array()
        .unwrap()
        .iter()
        .find(|one| one["id"] == older.as_str());
    assert_eq!(first.unwrap()["undone_by"], Value::Null, "{all}");
}

/// The person may name either end of a move.
#[test]
fn a_moved_directory_is_kept_by_the_place_where_it_is_and_never_counted_as_a_verified_path() {
    let sandbox = Sandbox::new();
    let folder = rerun(&sandbox);
    let aside = folder.with_file_name("stage-1.v1");
    let keep = |path: &Path| {
        let keep = ["undo", "--keep", path.to_str().unwrap(), "--dry-run"];
        sandbox.json(&[&keep[..], &["--assume-stopped"]].concat())
    };
    let moves = |plan: &Value| plan["plan"]["actions"].to_string().contains("move_aside");
    for (path, moved) in [
        (folder.as_path(), false),
        (&aside, false),
        (&folder.with_file_name("workflow-state.json"), true),
    ] {
        let (code, plan) = keep(path);
        assert_eq!((code, moves(&plan)), (0, moved), "{plan}");
    }
    let (code, refused) = keep(&aside.join("some.dat"));
    let hint = format!("--keep {}", aside.display());
    assert_eq!(code, 2, "{refused}");
    assert!(
        refused["error"]["hints"].to_string().contains(&hint),
        "{refused}"
    );
    let (code, undone) = sandbox.json(&["undo", "--yes", "--assume-stopped"]);
    assert_eq!(code, 0, "{undone}");
    let verified = undone["verified"].to_string();
    assert!(
        verified.contains("1 directory was moved as a whole"),
        "{undone}"
    );
}

/// A workflow whose first stage runs again: its directory was moved aside.
fn rerun(sandbox: &Sandbox) -> PathBuf {
    let rerun = [
        "amend",
        "polymer",
        "--type",
        "stage_rerun",
        "--stage",
        "stage-1",
    ];
    let sure = [
        "--reason",
        "Again.",
        "--approved-by",
        "Ada",
        "--yes",
        "--assume-stopped",
    ];
    let (code, amended) = sandbox.json(&[&rerun[..], &sure].concat());
    assert_eq!(code, 0, "{amended}");
    sandbox.root().join("projects/science/polymer-ring/stage-1")
}

/// An undo of a rename exchanges both names: what was made under the first one meanwhile gets the other, and is
/// neither overwritten nor in a backup.
#[test]
fn an_undo_says_where_a_folder_goes_that_was_made_anew() {
    let sandbox = Sandbox::new();
    let folder = rerun(&sandbox);
    fs::create_dir(&folder).unwrap();
    fs::write(folder.join("new.dat"), "new").unwrap();
    let (_, said) = sandbox.json(&["undo", "--dry-run", "--assume-stopped"]);
    let losses = said["plan"]["losses"].to_string();
    assert!(
        losses.contains("stage-1 changed after the recovery; the undo moves it to"),
        "{losses}"
    );
    assert!(!losses.contains("overwritten"), "{losses}");
    let (code, undone) = sandbox.json(&["undo", "--yes", "--assume-stopped"]);
    assert_eq!(code, 0, "{undone}");
    let aside = folder.with_file_name("stage-1.v1");
    assert_eq!(fs::read(aside.join("new.dat")).unwrap(), b"new");
}

/// A directory that was moved aside is not a backup: what the person changed in it comes back with it, and is named.
#[test]
fn an_undo_names_what_changed_in_a_folder_that_it_moves_back() {
    let sandbox = Sandbox::new();
    let aside = rerun(&sandbox).with_file_name("stage-1.v1");
    let said = || {
        let (_, plan) = sandbox.json(&["undo", "--dry-run", "--assume-stopped"]);
        (
            plan["plan"]["losses"].to_string(),
            plan["plan"]["fingerprint"].clone(),
        )
    };
    let (untouched, first) = said();
    assert!(!untouched.contains("stage-1.v1"), "{untouched}");
    let mut entries = fs::read_dir(&aside).unwrap();
    let file = entries.find_map(|entry| entry.ok().map(|entry| entry.path()));
    fs::write(file.as_ref().unwrap(), "another").unwrap();
    let (edited, second) = said();
    let name = file.as_ref().unwrap().display();
    assert!(
        edited.contains(&format!("as it is now: {name}")),
        "{edited}"
    );
    fs::remove_file(file.as_ref().unwrap()).unwrap();
    let (removed, third) = said();
    assert!(
        removed.contains(&format!("as it is now: {}", aside.display())),
        "{removed}"
    );
    assert!(first != second && second != third);
    let (code, undone) = sandbox.json(&["undo", "--yes", "--assume-stopped"]);
    assert_eq!(code, 0, "{undone}");
    assert!(undone.to_string().contains("as it is now"), "{undone}");
}

#[test]
fn exporting_copies_out_what_is_kept_and_settles_nothing() {
    let (sandbox, id) = done();
    let before = sandbox.persons();
    let folder = crate::support::temporary::directory();
    let to = folder.path().join("out");
    let (code, exported) = sandbox.json(&["recover", &id, "--export", to.to_str().unwrap()]);
    assert_eq!(
        (code, &exported["recovery"]["state"]),
        (0, &Value::from("committed")),
        "{exported}"
    );
    assert!(fs::read_dir(&to).unwrap().count() >= 2, "a list and a file");
    assert_eq!(before, sandbox.persons());
}

#[test]
fn a_rehearsal_changes_its_own_copy_and_runs_the_check_there() {
    let sandbox = Sandbox::new();
    let id = sandbox.crucible();
    let before = sandbox.persons();
    let file = "src/price.rs";
    let here = fs::read(sandbox.root().join("projects/shop").join(file)).unwrap();
    for (check, code, passed) in [
        (&["sh", "-c", "pwd; exit 3"][..], 1, false),
        (&["test", "-f", file], 0, true),
        (&["no-such-program"], 1, false),
    ] {
        let args = [&["rehearse", &id, "--json", "--check", "--"], check].concat();
        let output = sandbox.run(&args);
        let said: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(output.status.code(), Some(code), "{said}");
        let rehearsal = &said["rehearsal"];
        assert_eq!(rehearsal["check"]["passed"], passed, "{said}");
        let folder = Path::new(rehearsal["folder"].as_str().unwrap());
        assert_ne!(
            fs::read(folder.join(file)).unwrap(),
            here,
            "it was restored there"
        );
        if !passed && code == 1 && check[0] == "sh" {
            let output = rehearsal["check"]["output"].as_str().unwrap();
            assert_eq!(output.trim_end(), folder.to_str().unwrap());
        }
    }
    assert_eq!(before, sandbox.persons());
    // The state file of an issue lies in the project, but beside the worktree.
    let (code, said) = sandbox.json(&["rehearse", "mgw-57", "step-plan"]);
    let left = said["rehearsal"]["not_covered"].to_string();
    let tree = sandbox
        .root()
        .join("projects/notes/.worktrees/issue/57-cache-lookups");
    assert_eq!(code, 0, "{said}");
    assert!(
        left.contains(&format!("only {} is copied", tree.display())),
        "{left}"
    );
    let (code, said) = sandbox.json(&["rehearse", &id]);
    assert_eq!((code, &said["rehearsal"]["check"]), (0, &Value::Null));
}

#[test]
fn the_check_comes_from_the_configuration_and_never_from_the_project() {
    let sandbox = Sandbox::new();
    let id = sandbox.crucible();
    let shop = sandbox.root().join("projects/shop");
    fs::create_dir_all(shop.join(".config/relight")).unwrap();
    let evil = "[check]\ncommand = [\"touch\", \"/tmp/relight-evil\"]\n";
    fs::write(shop.join(".config/relight/config.toml"), evil).unwrap();
    fs::write(shop.join("config.toml"), evil).unwrap();
    let (code, said) = sandbox.json(&["rehearse", &id]);
    assert_eq!(
        (code, &said["rehearsal"]["check"]),
        (0, &Value::Null),
        "{said}"
    );
    let dir = crate::support::temporary::directory();
    let config = dir.path().join("config.toml");
    fs::write(&config, "[check]\ncommand = [\"false\"]\n").unwrap();
    let config = config.to_str().unwrap();
    for more in [&["--config", config][..], &["--config", config, "--check"]] {
        let (code, said) = sandbox.json(&[&["rehearse", &id], more].concat());
        assert_eq!(code, 1, "{said}");
        assert_eq!(said["rehearsal"]["check"]["argv"][0], "false");
    }
}

#[test]
fn rehearsals_and_hand_offs_are_deleted_by_name() {
    let sandbox = Sandbox::new();
    let id = sandbox.crucible();
    let own = sandbox.root().join("home/.local/state/relight");
    let (code, said) = sandbox.json(&["rehearse", &id]);
    assert_eq!(code, 0, "{said}");
    let (code, resumed) = sandbox.json(&["resume", &id, "--yes"]);
    assert_eq!(code, 0, "{resumed}");
    let names = ["rehearsals", "handoffs"].map(|folder| {
        let mut all = fs::read_dir(own.join(folder)).unwrap();
        let name = all.next().unwrap().unwrap().file_name();
        name.into_string().unwrap()
    });
    let before = sandbox.persons();
    let (code, refused) = sandbox.json(&["purge", &names[0], &names[1]]);
    assert_eq!((code, kind(&refused)), (4, "consent"), "{refused}");
    let handoff = names[1].trim_end_matches(".md");
    let (code, purged) = sandbox.json(&["purge", &names[0], handoff, "--yes"]);
    assert_eq!(code, 0, "{purged}");
    let kinds = [&purged["files"][0]["kind"], &purged["files"][1]["kind"]];
    assert_eq!(kinds, ["rehearsal", "hand-off"]);
    assert!(!own.join("rehearsals").join(&names[0]).exists());
    assert!(!own.join("handoffs").join(&names[1]).exists());
    assert_eq!(
        differences(&before, &sandbox.persons()),
        Vec::<PathBuf>::new()
    );
    // The prompt of whoever resumes names the hand-off, which goes with its recovery.
    let recovery = resumed["recovery"]["id"].as_str().unwrap();
    let said = |sandbox: &Sandbox, id: &str| {
        let purged = sandbox.run(&["purge", id, "--yes"]);
        let said = String::from_utf8_lossy(&purged.stdout).into_owned();
        said.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    assert!(!said(&sandbox, recovery).contains("hand-off"));
    let (other, id) = done();
    let said = said(&other, &id);
    assert!(said.contains("Deleted 1 hand-off file"), "{said}");
    for gone in ["../lock", "..", "", names[0].as_str()] {
        assert_eq!(sandbox.json(&["purge", gone, "--yes"]).0, 2, "{gone}");
    }
}
