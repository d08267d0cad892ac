//! A replay in place: confirmed like a recovery, and undone like one.

use std::fs;
use std::path::PathBuf;
use std::time::SystemTime;

use relight::text::format::split_words;
use serde_json::Value;

use super::kit::{Labels, counts, kind};
use super::sandbox::{Entry, differences};

#[test]
fn in_place_needs_consent_appends_and_is_undone() {
    let labels = Labels::new();
    let before = labels.sandbox.persons();
    let swap = labels.late();
    let options = ["--mutate", &swap, "--from-phase", "4", "--in-place"];
    let runner = ["/bin/sh", "-c", "echo PASS: in place"];
    let untouched = labels.sandbox.all();
    let (code, refused) = labels.json(&options, &runner);
    assert_eq!((code, kind(&refused)), (4, "consent"), "{refused}");
    let dry = [&options[..], &["--dry-run"]].concat();
    let (code, plan) = labels.json(&dry, &runner);
    assert_eq!(code, 0, "{plan}");
    assert!(plan["recovery"]["fingerprint"].is_string(), "{plan}");
    assert_eq!(
        differences(&untouched, &labels.sandbox.all()),
        Vec::<PathBuf>::new()
    );
    let manifest = fs::read(&labels.manifest).unwrap();
    let agreed = [&options[..], &["--yes"]].concat();
    let (code, done) = labels.json(&agreed, &runner);
    assert_eq!(code, 0, "{done}");
    let session = &done["sessions"][0];
    assert!(counts(session)[0] >= 3, "{done}");
    assert_eq!(session["in_place"], true);
    let appended = fs::read(&labels.manifest).unwrap();
    assert!(appended.starts_with(&manifest) && appended.len() > manifest.len());
    if done["recovery"].is_string() {
        labels.sandbox.grow_old();
        let (code, undone) = labels.sandbox.json(&["undo", "--yes"]);
        assert_eq!(code, 0, "{undone}");
    }
    // What the run appended stays; every file that was there is as it was.
    let after = labels.sandbox.persons();
    for (path, entry) in &before {
        if *path == labels.manifest {
            continue;
        }
        if let Entry::File(..) = entry {
            assert_eq!(after.get(path), Some(entry), "{}", path.display());
        }
    }
}

/// Runs a command as it was printed.
fn printed(labels: &Labels, line: &str) -> (i32, Value) {
    let words = split_words(line).unwrap();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    labels.sandbox.json(&words)
}

#[test]
fn the_command_that_confirms_a_replay_in_place_runs_as_it_is_printed() {
    let labels = Labels::new();
    let swap = labels.late();
    // It may be running, so that is answered, too.
    let manifest = fs::File::options().append(true).open(&labels.manifest);
    manifest.unwrap().set_modified(SystemTime::now()).unwrap();
    let options = ["--mutate", &swap, "--from-phase", "4", "--in-place"];
    let options = [&options[..], &["--assume-stopped"]].concat();
    let (code, refused) = labels.json(&options, &["/bin/sh", "-c", "echo PASS: in place"]);
    assert_eq!((code, kind(&refused)), (4, "consent"), "{refused}");
    let hint = refused["error"]["hints"][0].as_str().unwrap();
    let (_, command) = hint.split_once(": relight ").unwrap();
    assert!(command.contains("--assume-stopped --yes"), "{hint}");
    let other = command.replace("--yes", "--confirm 00");
    let (code, refused) = printed(&labels, &other);
    assert_eq!(code, 3, "another fingerprint: {refused}");
    let (code, done) = printed(&labels, command);
    assert_eq!(code, 0, "{done}");
    assert_eq!(done["sessions"][0]["in_place"], true, "{done}");
}

#[test]
fn the_files_of_a_replay_in_place_are_not_compared_once_they_are_gone() {
    let labels = Labels::new();
    let swap = labels.swap();
    let options = ["--mutate", &swap, "--runner", "stub", "--in-place", "--yes"];
    let (code, done) = labels.json(&options, &[]);
    assert_eq!(code, 0, "{done}");
    let id = done["sessions"][0]["id"].as_str().unwrap();
    let words = ["compare", &labels.id, "original", id];
    let (_, now) = labels.sandbox.json(&words);
    assert!(
        !now["artifacts"]["files"].as_array().unwrap().is_empty(),
        "{now}"
    );
    let confounders = now["confounders"].to_string();
    assert!(confounders.contains("ran in place"), "{confounders}");
    labels.sandbox.grow_old();
    let (code, undone) = labels.sandbox.json(&["undo", "--yes"]);
    assert_eq!(code, 0, "{undone}");
    let (_, later) = labels.sandbox.json(&words);
    assert!(later["artifacts"].is_null(), "{later}");
    let confounders = later["confounders"].to_string();
    assert!(
        confounders.contains("changed the work tree after"),
        "{confounders}"
    );
}
