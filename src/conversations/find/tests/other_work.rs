//! Conversations that went on to other work, or that belong to it.

use super::*;

/// A conversation at a pipeline's last write, then a prompt and a question at later times.
fn later(scene: &Scene, prompt: &str, times: [&str; 2], first: &serde_json::Value) {
    let file = scene.conversation(
        ONE,
        &scene.project,
        "2026-11-22T08:00:00Z",
        std::slice::from_ref(first),
    );
    let text = std::fs::read_to_string(&file).unwrap();
    let line = |kind: &str, time: &str, message: &serde_json::Value| {
        json!({"type": kind, "timestamp": format!("2026-11-22T{time}:00Z"), "cwd": scene.project,
            "version": "2.1.281", "isSidechain": false, "message": message})
    };
    let lines = [
        line("user", times[0], &json!({"content": prompt})),
        line("assistant", times[1], &question()),
    ];
    let rel = file.strip_prefix("/").unwrap().to_str().unwrap();
    let root = PathBuf::from("/");
    let last = format!("2026-11-22T{}:00Z", times[1]);
    write(
        Some(&root),
        rel,
        (text + &lines_of(&lines)).as_bytes(),
        &last,
    );
}

#[test]
fn the_end_of_later_work_is_a_guess_and_never_outranks_a_record() {
    let told = "<task-notification>x</task-notification>";
    let cases = [
        // Work on the same prompt may take hours.
        (told, ["08:50", "10:30"], Sure::Certain),
        ("CANARY", ["08:05", "10:30"], Sure::Certain),
        // So may a pause of minutes.
        ("CANARY", ["08:50", "08:55"], Sure::Certain),
        ("CANARY", ["08:50", "10:30"], Sure::Guess),
        (
            "<command-name>/mgw:run</command-name>",
            ["08:50", "10:30"],
            Sure::Guess,
        ),
    ];
    for (prompt, times, sure) in cases {
        let scene = Scene::new();
        later(&scene, prompt, times, &ended());
        let one = scene.only();
        assert_eq!(
            (one.cause.kind, one.cause.sure),
            (CauseKind::WaitingAnswer, sure),
            "{prompt} {times:?}"
        );
        let guess = sure == Sure::Guess;
        let said = one
            .cause
            .text
            .lossy()
            .ends_with("last write, so this may be about other work.");
        assert_eq!((one.went_on, said), (guess, guess), "{:?}", one.cause.text);
        let recorded = Cause {
            kind: CauseKind::ScriptFailed,
            at: Some(at("2026-11-22T08:00:00Z")),
            sure: Sure::Likely,
            ..Cause::unknown("x")
        };
        let chosen = cause([recorded], &[one], &scene.reading());
        assert_eq!(chosen.kind == CauseKind::ScriptFailed, guess);
    }
    // An orchestrator may work through several pipelines without a prompt.
    let scene = Scene::new();
    let elsewhere = json!({"id": "w", "model": "x", "stop_reason": "tool_use", "content": [
        {"type": "tool_use", "id": "w", "name": "Write", "input": {"file_path": "/elsewhere/state.json"}}]});
    later(
        &scene,
        "<task-notification>",
        ["08:50", "10:30"],
        &elsewhere,
    );
    assert!(scene.only().went_on);
}

/// Whether it left an output or not.
#[test]
fn a_command_of_the_client_is_no_other_work() {
    let exit = "<command-name>/exit</command-name>\n<command-message>exit</command-message>";
    let bash = "<bash-input>ls</bash-input>";
    for text in [exit, bash, "[Request interrupted by user]"] {
        let scene = Scene::new();
        later(&scene, text, ["09:20", "09:30"], &ended());
        assert!(!scene.only().went_on, "{text}");
    }
}

#[test]
fn plans_and_memories_of_the_client_are_no_other_work() {
    let scene = Scene::new();
    let plan = scene.world.places.claude.as_ref().unwrap();
    let plan = plan.join("plans/a.md");
    let write = json!({"id": "w", "model": "x", "stop_reason": "tool_use", "content": [
        {"type": "tool_use", "id": "w", "name": "Write", "input": {"file_path": plan}}]});
    later(&scene, "<task-notification>", ["08:50", "10:30"], &write);
    assert!(!scene.only().went_on);
}

#[test]
fn a_list_looks_into_the_folders_of_the_directories_above() {
    let scene = Scene::new();
    let above = scene.project.parent().unwrap().to_owned();
    let call = json!({"id": "w", "model": "x", "stop_reason": "tool_use", "content": [
        {"type": "tool_use", "id": "w", "name": "Write", "input": {"file_path": scene.project.join(".mgw/state.json")}}]});
    scene.conversation(ONE, &above, "2026-11-22T08:00:00Z", &[call, question()]);
    assert_eq!(scene.only().id.lossy(), ONE);
}

#[test]
fn a_folder_by_two_names_is_read_once_and_another_one_needs_its_variable() {
    let mut scene = Scene::new();
    let top = scene.dir.path().canonicalize().unwrap();
    let home = top.join("home");
    std::fs::create_dir_all(&home).unwrap();
    scene.world.places.home = Some(home.clone());
    scene.conversation(ONE, &scene.project, "2026-11-22T08:00:00Z", &[ended()]);
    let configured = scene.world.places.claude.clone().unwrap();
    std::os::unix::fs::symlink(&configured, home.join(".claude")).unwrap();
    assert_eq!(scene.only().id.lossy(), ONE);
    let line = |scene: &Scene| scene.only().resume.unwrap().line().unwrap().into_string();
    assert!(line(&scene).ends_with(&format!("&& claude --resume {ONE}")));

    std::fs::remove_file(home.join(".claude")).unwrap();
    std::fs::rename(configured, home.join(".claude")).unwrap();
    let expected = format!("&& env -u CLAUDE_CONFIG_DIR claude --resume {ONE}");
    assert!(line(&scene).ends_with(&expected), "{}", line(&scene));
}
