//! A replay in place: confirmed like a recovery, and undone like one.

use std::fs;
use std::path::PathBuf;

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
