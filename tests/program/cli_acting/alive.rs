//! W7: who works on a pipeline, seen from real processes: whoever holds one of its files open for writing, and
//! agents that the configuration names, in its dispatch and scratch folders too.

use std::fs::{self, File, OpenOptions};
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

/// The same program by another name. Another process copies it: a program that is open for writing here while another
/// thread of the tests starts one is busy.
pub(super) fn by_name(dir: &Path, name: &str) -> PathBuf {
    let program = dir.join(name);
    let copied = Command::new("cp").arg("/bin/sleep").arg(&program).status();
    assert!(copied.unwrap().success());
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

/// The only entry of a folder whose name begins and ends so.
fn entry(dir: &Path, begins: &str, ends: &str) -> String {
    let names = fs::read_dir(dir).unwrap();
    let names = names.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names
        .filter(|name| name.starts_with(begins) && name.ends_with(ends))
        .collect();
    names.sort();
    format!("{}/{}", dir.display(), names.first().unwrap())
}

#[test]
fn w7_whoever_writes_a_file_that_the_format_names_keeps_a_pipeline_alive() {
    let sandbox = Sandbox::new();
    let crucible = sandbox.crucible();
    let root = sandbox.root();
    let session = crucible.split(['-', '~']).nth(1).unwrap();
    let dispatch = root.join(format!("home/tmp/crucible-dispatch-{session}"));
    let (_, shown) = sandbox.json(&["show", &crucible]);
    let files = shown["pipeline"]["state_files"].as_array().unwrap();
    let marker = files
        .iter()
        .map(|file| Path::new(file.as_str().unwrap()))
        .find(|file| file.ends_with(".pipeline-active"));
    let scratch = marker.unwrap().parent().unwrap();
    let (_, shown) = sandbox.json(&["show", "wf_5b1d70c2"]);
    let journal = shown["pipeline"]["state_files"].to_string();
    let journal = journal
        .split('"')
        .find(|part| part.ends_with("/journal.jsonl"));
    let run = Path::new(journal.unwrap()).parent().unwrap();
    let at = |rel: &str| root.join(rel).display().to_string();
    let lab = |name: &str| at(&format!("projects/lab/tokenizer-speed/{name}"));
    let ring = |name: &str| at(&format!("projects/science/polymer-ring/{name}"));
    let trader = root.join("projects/trader");
    for (id, file, alive) in [
        ("tokenizer-speed", lab("researcher_A_log.md"), true),
        ("tokenizer-speed", lab("researcher_B_results.tsv"), true),
        ("tokenizer-speed", lab("conference_results.tsv"), true),
        ("tokenizer-speed", lab("poster_session_round_1.md"), true),
        ("tokenizer-speed", lab("peer_review_round_2.md"), true),
        ("tokenizer-speed", lab("synthesis.md"), true),
        ("tokenizer-speed", lab("notes.txt"), false),
        ("superscientist-polymer", ring("stage-2/err"), true),
        (
            "superscientist-polymer",
            ring("stage-2/task/relax.out"),
            true,
        ),
        ("superscientist-polymer", ring("stage-2/.err.swp"), false),
        ("superscientist-polymer", ring("notes.txt"), false),
        (&crucible, entry(&dispatch, "", ".md"), true),
        (
            &crucible,
            format!("{}/99-late.md", dispatch.display()),
            true,
        ),
        (
            &crucible,
            format!("{}/pipeline-status.md", scratch.display()),
            true,
        ),
        (&crucible, format!("{}/MEMORY.md", scratch.display()), false),
        (
            "mgw-57",
            at("projects/notes/.mgw/active/57-late.json.tmp"),
            true,
        ),
        (
            "mgw-57",
            at("projects/notes/.mgw/active/5-late.json"),
            false,
        ),
        (
            "price-alerts",
            entry(&trader.join(".plan"), "price", ".md"),
            true,
        ),
        ("wf_5b1d70c2", entry(run, "agent-", ".jsonl"), true),
    ] {
        fs::create_dir_all(Path::new(&file).parent().unwrap()).unwrap();
        let there = Path::new(&file).exists();
        let writer = Waiting::start(Path::new("/bin/sleep"), Path::new("/"), |command| {
            let file = OpenOptions::new().create(true).append(true).open(&file);
            command.stdout(file.unwrap());
        });
        let (verdict, said) = life(&sandbox, id, &[]);
        drop(writer);
        if !there {
            fs::remove_file(&file).unwrap();
        }
        assert_eq!(verdict == "alive", alive, "{id} {file}: {said}");
        let named = said.contains(&format!(" has {file} open for writing."));
        assert_eq!(named, alive, "{id} {file}: {said}");
    }
}

#[test]
fn w7_an_agent_in_the_dispatch_or_scratch_folder_keeps_a_run_alive() {
    let sandbox = Sandbox::new();
    let id = sandbox.crucible();
    let programs = crate::support::temporary::directory();
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

/// Renames the marks of a finished recovery, so that it looks as if relight was killed after the last rename.
fn cut_short(sandbox: &Sandbox, id: &str) {
    let state = sandbox.root().join("home/.local/state/relight");
    let homes = fs::read_dir(state).unwrap();
    let folders = homes.map(|home| home.unwrap().path().join(id));
    let folder = folders.into_iter().find(|folder| folder.exists()).unwrap();
    for (mark, slot) in [("DONE", "done.slot"), ("COMMITTED", "committed.slot")] {
        fs::rename(folder.join(mark), folder.join(slot)).unwrap();
    }
}

#[test]
fn w7_a_crashed_recovery_of_another_pipeline_is_not_rolled_back_under_its_agent() {
    let sandbox = Sandbox::new();
    // A second issue of the same project, at the same gate.
    let active = sandbox.root().join("projects/notes/.mgw/active");
    let issue = fs::read_to_string(active.join("61-dark-mode.json")).unwrap();
    fs::write(active.join("62-light-mode.json"), issue.replace("61", "62")).unwrap();
    let accept = "--accept=override:blocked";
    let first = ["resume", "mgw-61", "override", accept, "--yes"];
    let second = [
        "resume",
        "mgw-62",
        "override",
        accept,
        "--yes",
        "--assume-stopped",
    ];
    let (code, done) = sandbox.json(&first);
    assert_eq!(code, 0, "{done}");
    let id = done["recovery"]["id"].as_str().unwrap();
    cut_short(&sandbox, id);
    sandbox.grow_old();
    let before = sandbox.persons();
    let writer = Waiting::start(Path::new("/bin/sleep"), Path::new("/"), |command| {
        let file = OpenOptions::new()
            .append(true)
            .open(active.join("61-dark-mode.json"));
        command.stdout(file.unwrap());
    });
    let (code, refused) = sandbox.json(&second);
    assert_eq!(code, 3, "{refused}");
    let said = refused["error"].to_string();
    let hint = format!("was interrupted and comes first: relight recover {id}");
    assert!(
        said.contains("open for writing") && said.contains(&hint),
        "{said}"
    );
    assert_eq!(sandbox.persons(), before);
    drop(writer);
    let (code, done) = sandbox.json(&second);
    assert_eq!(code, 0, "{done}");
    assert!(done["notes"].to_string().contains(id), "{done}");
}
