//! W7: who works on a pipeline, seen from real processes: whoever holds one of its files open for writing, and
//! agents that the configuration names, in its dispatch and scratch folders too.

use std::fs::{self, File, OpenOptions};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use serde_json::Value;

use super::sandbox::Sandbox;

/// A program that waits, for as long as this is held.
struct Waiting(Child);

impl Waiting {
    /// By this name, standing there, with this as its input or output.
    fn start(program: &Path, at: &Path, io: impl FnOnce(&mut Command)) -> Self {
        let mut command = Command::new(program);
        command
            .arg("600")
            .current_dir(at)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        io(&mut command);
        Self(command.spawn().unwrap())
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        drop(self.0.kill());
        drop(self.0.wait());
    }
}

/// The same program by another name.
fn by_name(dir: &Path, name: &str) -> PathBuf {
    let program = dir.join(name);
    fs::copy("/bin/sleep", &program).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    program
}

/// The verdict about its life and the evidence for it.
fn life(sandbox: &Sandbox, id: &str, more: &[&str]) -> (String, String) {
    let (_, shown) = sandbox.json(&[&["show", id][..], more].concat());
    let life = &shown["pipeline"]["liveness"];
    let said = life["evidence"].as_array().unwrap().iter();
    let said: Vec<&str> = said.map(|text| text.as_str().unwrap()).collect();
    (
        life["verdict"].as_str().unwrap().to_owned(),
        said.join("\n"),
    )
}

#[test]
fn w7_whoever_writes_one_of_its_files_keeps_a_pipeline_alive() {
    let sandbox = Sandbox::new();
    let crucible = sandbox.crucible();
    for id in [
        crucible.as_str(),
        "tokenizer-speed",
        "mgw-57",
        "superscientist-polymer",
        "two-factor",
    ] {
        let (_, shown) = sandbox.json(&["show", id]);
        let files = shown["pipeline"]["state_files"].as_array().unwrap();
        let file = files[0].as_str().unwrap();
        let sleep = Path::new("/bin/sleep");
        let reader = Waiting::start(sleep, Path::new("/"), |command| {
            command.stdin(File::open(file).unwrap());
        });
        let (verdict, said) = life(&sandbox, id, &[]);
        assert_ne!(verdict, "alive", "{id}: {said}");
        drop(reader);
        let writer = Waiting::start(sleep, Path::new("/"), |command| {
            command.stdout(OpenOptions::new().append(true).open(file).unwrap());
        });
        let (verdict, said) = life(&sandbox, id, &[]);
        assert_eq!(verdict, "alive", "{id}: {said}");
        let pid = writer.0.id();
        assert!(said.contains(&format!("(pid {pid}, ")), "{id}: {said}");
        assert!(
            said.contains(&format!(" has {file} open for writing.")),
            "{id}: {said}"
        );
        let (code, refused) = sandbox.json(&["resume", id, "--yes", "--assume-stopped"]);
        assert_eq!(code, 3, "{id}: {refused}");
    }
}

#[test]
fn w7_an_agent_in_the_dispatch_or_scratch_folder_keeps_a_run_alive() {
    let sandbox = Sandbox::new();
    let id = sandbox.crucible();
    let programs = tempfile::tempdir().unwrap();
    let config = programs.path().join("config.toml");
    fs::write(&config, "[agent]\nmgw = [\"own-agent\", \"-p\"]\n").unwrap();
    let config = ["--config", config.to_str().unwrap()];
    let (_, shown) = sandbox.json(&["show", &id]);
    let files: Vec<Value> = shown["pipeline"]["state_files"].as_array().unwrap().clone();
    let mut folders: Vec<&Path> = files
        .iter()
        .map(|file| Path::new(file.as_str().unwrap()).parent().unwrap())
        .collect();
    folders.sort();
    folders.dedup();
    assert!(folders.len() > 1, "{folders:?}");
    let (claude, own) = (
        by_name(programs.path(), "claude"),
        by_name(programs.path(), "own-agent"),
    );
    for folder in folders {
        for (program, more, expected) in [
            (&claude, &[][..], "alive"),
            (&own, &[][..], "dead"),
            (&own, &config[..], "alive"),
        ] {
            let agent = Waiting::start(program, folder, |_| {});
            let (verdict, said) = life(&sandbox, &id, more);
            assert_eq!(verdict, expected, "{program:?} in {folder:?}: {said}");
            drop(agent);
        }
    }
}
