//! Files that are not what they should be: something else is in their place, or they are empty or truncated.

use std::path::Path;

use crate::systems::autoconference::testdata::interrupted;

const EVENTS: &str = "conference_events.jsonl";

/// Puts something else in the place of a file.
fn instead(path: &Path, kind: &str) {
    let bytes = std::fs::read(path).unwrap();
    std::fs::remove_file(path).unwrap();
    match kind {
        "missing" => {}
        "link" => {
            std::fs::write(path.with_extension("kept"), bytes).unwrap();
            std::os::unix::fs::symlink(path.with_extension("kept"), path).unwrap();
        }
        "fifo" => {
            let made = std::process::Command::new("mkfifo").arg(path).status();
            assert!(made.unwrap().success());
        }
        _ => std::fs::create_dir(path).unwrap(),
    }
}

const KINDS: [(&str, &str, &str); 3] = [
    ("link", "is a symbolic link", "cp --remove-destination"),
    ("fifo", "is a FIFO, socket or device", "mv "),
    ("dir", "is a directory", "mv "),
];

#[test]
fn what_is_in_the_place_of_a_required_file_is_named() {
    for (kind, problem, remedy) in KINDS {
        for (name, id) in [("conference.md", "A1"), (EVENTS, "A2")] {
            let dir = interrupted();
            instead(&dir.path().join(name), kind);
            let checks = dir.checks();
            let check = checks.iter().find(|check| check.id.0 == id).unwrap();
            let text = format!("{name} {problem}");
            assert!(check.evidence.lossy().contains(&text), "{check:?}");
            let said = check.remedy.as_ref().unwrap().lossy();
            assert!(said.contains(remedy), "{said}");
        }
    }
}
