//! The console over a real machine: what it asks is answered by the engine, in a sandbox.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use super::acting::{top, word};
use super::harness::Console;
use crate::engine::testing::Scene;
use crate::engine::{Engine, Settings};
use crate::model::{
    Cancel, PipelineId, ReplayAsk, ReplayProgress, Request, Runner, SessionState, StepState,
};
use crate::tui::keys::Key;
use crate::tui::msg::Msg;

fn request(scene: &Scene) -> Request {
    let projects = scene.path("projects").canonicalize().unwrap();
    Request {
        cwd: projects.clone(),
        paths: vec![projects],
        ..Request::default()
    }
}

/// An engine whose rehearsals run a check that passes, and whose replays a runner that says that it is done.
fn engine(scene: &Scene) -> Engine {
    let words = ["/bin/sh", "-c", "echo Done.", "sh", "{file}", "{prompt}"];
    let settings = Settings {
        check: vec!["true".into()],
        runner: Some(Runner {
            name: "sh".into(),
            argv: words.iter().map(Into::into).collect(),
            timeout_s: 60,
            retries: 0,
            models: BTreeMap::new(),
        }),
        ..Settings::default()
    };
    let projects = scene.path("projects").canonicalize().unwrap();
    Engine::of_this_machine(Vec::new(), &[&projects])
        .with_quiet(Duration::ZERO)
        .with_settings(settings)
}

pub(super) fn console(scene: &Scene) -> Console {
    Console::real(engine(scene), request(scene))
}

/// The interrupted crucible run, which the list has first.
fn crucible(scene: &Scene) -> &PipelineId {
    scene.id(&scene.dispatch().replace("dispatch-", ""))
}

fn write(console: &mut Console, text: &str) {
    for letter in text.chars() {
        console.send(Msg::Key(Key::letter(letter)));
    }
}

#[track_caller]
fn says(console: &Console, text: &str) {
    let shown = console.text();
    assert!(
        shown.contains(text),
        "no {text:?}: {}\n{shown}",
        word(console)
    );
}

/// The bytes of a file of the shop.
fn shop(scene: &Scene, file: &str) -> Option<Vec<u8>> {
    std::fs::read(scene.path("projects/shop").join(file)).ok()
}

/// A directory with files, one next to it with one file, and nothing of them in any checkpoint.
fn later_files(scene: &Scene) {
    for file in ["newdir/a", "newdir/sub/b", "lone/c"] {
        scene.append(&format!("projects/shop/{file}"), "1\n");
    }
}

/// The folders of all recoveries, among others.
fn recoveries(scene: &Scene) -> impl Iterator<Item = PathBuf> {
    let state = scene.path("home/.local/state/relight");
    let homes = std::fs::read_dir(state).unwrap();
    let homes = homes
        .map(|home| home.unwrap().path())
        .filter(|home| home.is_dir());
    let folders = homes.flat_map(|home| home.read_dir().unwrap());
    folders.map(|folder| folder.unwrap().path())
}

/// Takes the marks away that the last recovery was committed and is done, as if relight had been killed before them.
pub(super) fn cut_short(scene: &Scene) {
    for folder in recoveries(scene) {
        for (mark, slot) in [("DONE", "done.slot"), ("COMMITTED", "committed.slot")] {
            if folder.join(mark).exists() {
                std::fs::rename(folder.join(mark), folder.join(slot)).unwrap();
            }
        }
    }
}

/// A replay of the crucible run that was stopped after its first dispatch.
pub(super) fn stopped(scene: &Scene) {
    let engine = engine(scene);
    engine.survey(&request(scene), &|_| {}).unwrap();
    let asked = ReplayAsk::default();
    let plan = engine.replay_plan(crucible(scene), &asked).unwrap();
    let cancel = Cancel::new();
    let tell = |progress: &ReplayProgress| {
        let mut steps = progress.sessions.iter().flat_map(|one| &one.steps);
        if steps.any(|step| step.state == StepState::Completed) {
            cancel.cancel();
        }
    };
    let sessions = engine.replay(&plan, &tell, &cancel).unwrap();
    assert_eq!(sessions[0].state, SessionState::Cancelled);
}

#[test]
fn what_a_pipeline_has_is_read_from_its_files() {
    let scene = Scene::new();
    // The keys from the list, and what is then on the screen.
    let table = [
        ("space j space C", "2 pipelines verified"),
        ("enter 1 g enter", "native"),
        // The raw line of an event, laid out.
        ("enter 2 g enter", "\"file\": \"1-design-researcher.md\""),
        ("enter 2 g / r e d enter enter", "\"role\": \"red-team\""),
        ("enter 2 g } enter", "\"role\": \"plan-writer\""),
        ("enter 3 g enter", "verdict    warn"),
        ("enter 4 G enter", "1 modified, 0 deleted, 1 created"),
        ("enter 4 g enter", "kind       a commit in"),
        (
            "/ l o o k u p s enter enter 4 g j enter",
            "kind       a record in",
        ),
        ("enter 5 G enter s", "agent: You've hit your session limit"),
        ("/ t o k e n i z e r enter enter r", "● records"),
        ("p", "now 139 B → after 117 B"),
        ("C", "1 pipeline verified"),
    ];
    for (keys, said) in table {
        let mut console = console(&scene);
        console.press(keys);
        says(&console, said);
    }
    let mut console = console(&scene);
    console.press("e");
    write(&mut console, "out");
    console.press("enter");
    says(&console, "1 of 1 pipeline exported");
    assert!(
        scene
            .path("projects/out")
            .join(&crucible(&scene).0)
            .is_dir()
    );
}

#[test]
fn a_resume_is_rehearsed_applied_and_undone_and_its_backups_are_deleted() {
    let scene = Scene::new();
    later_files(&scene);
    let before = shop(&scene, "src/price.rs");
    let mut console = console(&scene);
    console.press("p x t");
    says(&console, "✓ rehearsed: the check passed");
    assert_eq!(shop(&scene, "src/price.rs"), before);
    console.press("esc A y e s enter");
    says(&console, "✓ Done: resume at wave-2");
    says(&console, "5 files in shop (1 overwritten, 4 moved aside)");
    assert_ne!(shop(&scene, "src/price.rs"), before);
    assert_eq!(shop(&scene, "newdir/sub/b"), None);
    console.press("enter esc R");
    // The three directories are not counted.
    let text = console.text();
    let row = text
        .lines()
        .find(|line| line.contains("✓ applied"))
        .unwrap();
    assert!(row.contains("  5  "), "{row}");
    console.press("u A y e s enter");
    says(&console, "✓ Done: undo of");
    assert_eq!(shop(&scene, "src/price.rs"), before);
    assert_eq!(shop(&scene, "newdir/sub/b"), Some(b"1\n".to_vec()));
    console.press("enter P");
    says(&console, "1 recovery cannot be redone afterwards.");
    console.press("p u r g e enter");
    says(&console, "✓ Done: ");
    console.press("enter u");
    assert!(word(&console).contains("eleted"), "{}", word(&console));
}

#[test]
fn what_another_console_deletes_is_not_deleted_again() {
    let scene = Scene::new();
    stopped(&scene);
    let [mut one, mut asked, mut late] = [console(&scene), console(&scene), console(&scene)];
    one.press("p A y e s enter enter esc R P");
    asked.press("R P");
    late.press("R");
    one.press("p u r g e enter");
    says(&one, "✓ Done: ");
    asked.press("p u r g e enter");
    says(&asked, "✗ Refused: ");
    says(&asked, "The backups of this recovery are deleted already.");
    late.press("P");
    assert!(word(&late).contains("deleted already"), "{}", word(&late));
    says(&late, "· purged");
    // Without its backup a file is not one that was absent.
    late.press("enter");
    says(&late, "Nothing is kept of it to compare with.");
    assert!(!late.text().contains("absent"), "{}", late.text());
    for console in [&mut one, &mut asked] {
        console.press("enter esc V P");
    }
    one.press("p u r g e enter");
    says(&one, "✓ Done: ");
    asked.press("p u r g e enter");
    says(&asked, "✗ Refused: ");
    says(&asked, "is deleted already.");
}

#[test]
fn a_directory_is_no_row_and_goes_with_its_files() {
    let scene = Scene::new();
    later_files(&scene);
    let mut console = console(&scene);
    console.press("p x");
    says(&console, "file 1 of 5");
    let text = console.text();
    assert!(
        !text.contains("newdir/  \n") && !text.contains(" lone/ "),
        "{text}"
    );
    // A file that is left out stays, and the directories above it.
    console.press("/ s u b / b enter n space");
    says(&console, "1 path excluded");
    says(&console, "moves aside 3 files");
    console.press("A y e s enter");
    says(&console, "4 files in shop (1 overwritten, 3 moved aside)");
    assert!(shop(&scene, "newdir/sub/b").is_some());
    assert!(shop(&scene, "newdir/a").is_none() && shop(&scene, "lone/c").is_none());
}

#[test]
fn an_undo_keeps_a_directory_that_was_moved_aside_as_a_whole() {
    let scene = Scene::new();
    later_files(&scene);
    let mut console = console(&scene);
    console.press("p x A y e s enter enter esc R u");
    says(&console, "recreates 4 files");
    says(&console, "file 1 of 5");
    console.press("/ s u b / b enter space");
    says(&console, "recreates 2 files");
    let text = console.text();
    assert_eq!(text.matches("[ ] + kept as now").count(), 2, "{text}");
    console.press("A y e s enter");
    says(&console, "✓ Done: undo of");
    assert!(shop(&scene, "lone/c").is_some());
    assert!(!scene.path("projects/shop/newdir").exists());
}

#[test]
fn an_interrupted_resume_is_shown_first_and_rolled_back() {
    let scene = Scene::new();
    let before = shop(&scene, "src/price.rs");
    let mut killed = console(&scene);
    killed.press("p A y e s enter");
    assert_ne!(shop(&scene, "src/price.rs"), before);
    cut_short(&scene);
    let mut console = console(&scene);
    assert_eq!(top(&console), "pending");
    console.press("B");
    says(&console, "Rolled back: every file is as it was before.");
    // There is nothing to undo.
    console.press("y");
    let copied = format!("{:?}", console.outside);
    assert!(!copied.contains("relight undo"), "{copied}");
    assert_eq!(shop(&scene, "src/price.rs"), before);
    console.press("esc R");
    says(&console, "– rolled back");
}

#[test]
fn a_record_that_cannot_be_read_is_not_called_missing() {
    let scene = Scene::new();
    let mut console = console(&scene);
    console.press("p A y e s enter enter esc R");
    let record = recoveries(&scene).map(|folder| folder.join("record.json"));
    for record in record.filter(|file| file.exists()) {
        std::fs::write(record, "{").unwrap();
    }
    console.press("f5");
    says(&console, "(record cannot be read)");
    console.press("enter");
    says(&console, "✓ applied: (record cannot be read)\n");
}

#[test]
fn a_new_record_of_the_orchestrator_is_seen() {
    let scene = Scene::new();
    let mut console = console(&scene);
    console.press("p A y e s enter H w");
    says(&console, "waiting for the orchestrator's first new record");
    let line = r#"{"seq":10,"file":"10-reviewer.md","role":"reviewer","phase":"3","task":null,"status":"dispatched"}"#;
    let file = format!("home/tmp/{}/manifest.jsonl", scene.dispatch());
    scene.append(&file, &format!("\n{line}\n"));
    console.send(Msg::Changed);
    says(&console, "✓ resumed: ");
}

#[test]
fn a_replay_is_continued_compared_and_deleted() {
    let scene = Scene::new();
    stopped(&scene);
    let mut console = console(&scene);
    console.press("V");
    says(&console, "– canceled");
    says(&console, "c continues it: 8 dispatches are left.");
    console.press("c y");
    says(
        &console,
        "✓ The replay has ended; Enter compares it with the original.",
    );
    says(&console, "9 of 9 dispatches");
    console.press("enter");
    says(&console, "A original");
    console.press("esc esc C");
    says(&console, "the original run, 9 dispatches");
    console.press("g space j space enter");
    says(&console, "2 still open");
    console.press("esc esc P p u r g e enter");
    says(&console, "✓ Done: ");
    console.press("enter");
    says(&console, "This pipeline has no replay yet.");
}

#[test]
fn an_experiment_gets_more_blocks() {
    let scene = Scene::new();
    scene.append("projects/v2.md", "new\n");
    let mut console = console(&scene);
    console.press("V n enter v 2 tab enter");
    // Two blocks in place of ten.
    console.press("j j j j j j j h h h h h h p enter R A y");
    says(&console, "36 of 36 dispatches");
    says(
        &console,
        "✓ The experiment has ended; Enter compares its arms.",
    );
    console.press("esc +");
    says(&console, "4 of 4 runs have ended.");
    console.press("y");
    says(&console, "✓ The experiment has ended");
    console.press("enter");
    says(&console, "the same in 5 of 5 blocks");
}

#[test]
fn an_experiment_without_a_replacement_is_compared_with_the_original() {
    let scene = Scene::new();
    let mut console = console(&scene);
    console.press("V n j j j j j j j h h h h h h p A y");
    says(&console, "18 of 18 dispatches");
    says(
        &console,
        "✓ The replay has ended; Enter compares it with the original.",
    );
    console.press("enter");
    says(&console, "A original");
}
