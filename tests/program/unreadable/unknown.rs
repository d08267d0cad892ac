//! What cannot be read is unknown: no count of it is zero, and nothing in its place is an empty directory.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::Scene;

/// Nothing of relight's own that is no directory is read as an empty one.
#[test]
fn a_file_in_the_place_of_one_of_its_own_directories_is_named() {
    let Some(scene) = Scene::new() else { return };
    fs::remove_file(scene.path("demo/.relight-sandbox")).unwrap();
    let state = scene.path("demo/home").join("state/relight");
    fs::create_dir_all(&state).unwrap();
    for name in ["", "replays", "handoffs", "locks", "checkpoints"] {
        let path = if name.is_empty() {
            fs::remove_dir(&state).unwrap();
            state.clone()
        } else {
            state.join(name)
        };
        fs::write(&path, "").unwrap();
        let history = scene.relight(&["history"]);
        let doctor = scene.relight(&["doctor"]);
        fs::remove_file(&path).unwrap();
        fs::create_dir_all(&state).unwrap();
        let said = String::from_utf8_lossy(&history.stderr);
        assert!(said.contains(path.to_str().unwrap()), "{name}: {said}");
        let report = String::from_utf8_lossy(&doctor.stdout);
        let shown = if name.is_empty() { "relight: " } else { name };
        let mut problems = report
            .lines()
            .filter(|line| line.trim_start().starts_with('!'));
        assert!(
            problems.any(|line| line.contains(shown)),
            "{name}: {report}"
        );
        assert_eq!(doctor.status.code(), Some(1), "{name}");
    }
}

/// Nothing is left half-done by a command that reads, so a signal ends it as it ends any program.
#[test]
fn a_command_that_only_reads_ends_by_the_signal_itself() {
    let Some(scene) = Scene::new() else { return };
    let fifo = scene.path("demo/projects/config.toml");
    let made = Command::new("mkfifo").arg(&fifo).status().unwrap();
    assert!(made.success());
    let mut command = scene.command(&["list", "--config", fifo.to_str().unwrap()]);
    let mut child = command.spawn().unwrap();
    // Opening it waits until the command reads it, and then the command waits for content.
    let _writer = fs::File::options().write(true).open(&fifo).unwrap();
    let pid = child.id().to_string();
    // A shell's background programs ignore an interrupt, and with them all that they start.
    let killed = Command::new("kill").args(["-TERM", &pid]).status().unwrap();
    assert!(killed.success());
    assert_eq!(child.wait().unwrap().signal(), Some(15));
}

/// No count of a pipeline whose state may not be read is a number that the other files happen to give.
#[test]
fn what_a_state_file_that_may_not_be_read_records_is_not_counted() {
    let Some(scene) = Scene::new() else { return };
    let (_, list) = scene.json(&["list", "--all"]);
    let manifest = |path: &Path| path.ends_with("manifest.jsonl");
    let (mut seen, mut kept, mut done) = (0, 0, 0);
    for one in list["pipelines"].as_array().unwrap() {
        let id = one["id"].as_str().unwrap();
        let files = one["state_files"].as_array().unwrap().iter();
        let files = files.map(|file| PathBuf::from(file.as_str().unwrap()));
        let named = ["manifest.jsonl", "workflow-state.json", "journal.jsonl"];
        let is_state = |file: &PathBuf| named.iter().any(|name| file.ends_with(name));
        for file in files.filter(|file| is_state(file) && one["status"] == "interrupted") {
            seen += 1;
            fs::set_permissions(&file, Permissions::from_mode(0o000)).unwrap();
            let (_, points) = scene.json(&["points", id]);
            let (code, show) = scene.json(&["show", id]);
            let (_, verify) = scene.json(&["verify", id]);
            fs::set_permissions(&file, Permissions::from_mode(0o644)).unwrap();
            for point in points["points"].as_array().unwrap() {
                assert!(point["kept"].is_u64() && point["redone"].is_u64());
                assert_eq!(point["at_least"], true, "{id}: {point:#}");
                assert_eq!(point["redone"], 0, "{id}: {point:#}");
                kept += point["kept"].as_u64().unwrap();
            }
            for phase in show["phases"].as_array().unwrap() {
                let (number, total) = (phase["done"].as_u64().unwrap(), &phase["total"]);
                let is_all = total.as_u64() == Some(number) && number > 0;
                assert_eq!(phase["at_least"], !is_all, "{id}: {phase:#}");
                done += number;
            }
            assert_eq!(code, 0, "{id}");
            assert_eq!(show["pipeline"]["progress"]["at_least"], true, "{show:#}");
            assert!(
                show["findings"]
                    .to_string()
                    .contains(file.to_str().unwrap())
            );
            let failed = verify["checks"]
                .as_array()
                .unwrap()
                .iter()
                .any(|check| check["id"] == "F1" && check["verdict"] == "fail");
            assert_eq!(failed, manifest(&file), "{verify:#}");
        }
    }
    assert!(seen >= 4, "{seen} state files");
    // What the other files show is said as the least.
    assert!(kept > 0 && done > 0, "{kept} kept, {done} done");
}

/// What a conversation in the folder of another project hides is rarely of this pipeline, as with a whole folder.
#[test]
fn a_conversation_of_another_project_that_cannot_be_read_leaves_the_cause_as_sure_as_before() {
    let Some(scene) = Scene::new() else { return };
    let (_, list) = scene.json(&["list", "--system", "autoconference"]);
    let id = list["pipelines"][0]["id"].as_str().unwrap();
    let cause = || scene.json(&["why", id]).1["cause"].clone();
    let before = cause();
    let projects = scene.path("demo/home/.claude/projects");
    for (folder, sure) in [("-notes", "certain"), ("-lab-tokenizer-speed", "guess")] {
        let folders = fs::read_dir(&projects)
            .unwrap()
            .map(|one| one.unwrap().path());
        let mut folders = folders.filter(|one| one.to_str().unwrap().ends_with(folder));
        let file = folders
            .next()
            .unwrap()
            .join("9f0c6c1a-5d0e-4b7e-9a51-000000000009.jsonl");
        fs::write(&file, "x").unwrap();
        fs::set_permissions(&file, Permissions::from_mode(0o000)).unwrap();
        let after = cause();
        fs::remove_file(&file).unwrap();
        assert_eq!(
            (&before["sure"], &after["sure"]),
            (&"certain".into(), &sure.into())
        );
    }
}
