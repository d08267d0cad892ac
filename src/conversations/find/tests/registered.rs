//! What the register of running sessions shows.

use super::*;
use crate::model::SignVerdict;
use crate::world::process::Process;

#[test]
fn the_register_shows_open_and_killed_sessions() {
    let mut scene = Scene::new();
    let call = json!({"id": "m", "model": "x", "stop_reason": "tool_use",
        "content": [{"type": "tool_use", "id": "t", "name": "Bash", "input": {"command": "CANARY"}}]});
    scene.conversation(ONE, &scene.project, "2026-11-22T08:00:00Z", &[call]);
    let sessions = scene.world.places.claude.as_ref().unwrap().join("sessions");
    std::fs::create_dir_all(&sessions).unwrap();
    let started = at("2026-11-22T07:00:00Z");
    let entry = json!({"pid": 4711, "sessionId": ONE, "cwd": scene.project, "startedAt": started.unix() * 1000,
        "status": "waiting", "waitingFor": "permission prompt"});
    std::fs::write(sessions.join("4711.json"), entry.to_string()).unwrap();
    std::fs::write(sessions.join("4711.abc.key"), "CANARY").unwrap();

    let killed = scene.found(Depth::List).remove(0);
    assert_eq!(killed.cause.kind, CauseKind::KilledInTool);
    assert!(
        killed
            .cause
            .evidence
            .iter()
            .any(|one| one.text.lossy().contains("it was killed"))
    );
    assert!(killed.resume.is_some());

    scene.world.processes.list = vec![Process {
        pid: 4711,
        started: Some(started.at.to_utc()),
        ..Process::default()
    }];
    let open = scene.found(Depth::List).remove(0);
    assert_eq!(
        (open.cause.kind, open.cause.sure),
        (CauseKind::WaitingPermission, Sure::Certain)
    );
    assert_eq!(
        (open.resume, open.alive),
        (None, crate::model::Aliveness::Alive)
    );

    // Another process has reused the pid.
    scene.world.processes.list = vec![Process {
        pid: 4711,
        started: Some(at("2026-11-22T08:30:00Z").at.to_utc()),
        ..Process::default()
    }];
    assert_eq!(
        scene.found(Depth::List).remove(0).cause.kind,
        CauseKind::KilledInTool
    );
}

/// In one order, which a fingerprint depends on.
#[test]
fn open_sessions_in_the_project_are_signs_of_life() {
    let mut scene = Scene::new();
    scene.conversation(ONE, &scene.project, "2026-11-22T08:00:00Z", &[ended()]);
    let sessions = scene.world.places.claude.as_ref().unwrap().join("sessions");
    std::fs::create_dir_all(&sessions).unwrap();
    let started = at("2026-11-22T07:00:00Z");
    let elsewhere = scene.dir.path().join("elsewhere");
    let inside = scene.project.join("src");
    let ids = (0..9_u32).map(|nth| format!("5c5b2a7{nth}-0000-4000-8000-000000000001"));
    let ids: Vec<String> = ids.collect();
    for (pid, id) in (50_u32..).zip(&ids) {
        let cwd = match pid {
            50 => &elsewhere,
            51 => &inside,
            _ => &scene.project,
        };
        let status = if pid == 52 { "" } else { "busy" };
        let entry = json!({"pid": pid, "sessionId": id, "cwd": cwd, "status": status,
            "startedAt": started.unix() * 1000});
        std::fs::write(sessions.join(format!("{pid}.json")), entry.to_string()).unwrap();
    }
    let process = |pid| Process {
        pid,
        started: Some(started.at.to_utc()),
        ..Process::default()
    };
    scene.world.processes.list = (50..59).map(process).collect();
    scene.world.processes.ancestors = vec![53];
    let signs = Index::new(&scene.world).signs(&scene.reading(), &scene.world);
    let texts: Vec<String> = signs
        .iter()
        .map(|sign| sign.text.lossy().into_owned())
        .collect();
    let expected = (51_u32..59).map(|pid| {
        let status = if pid == 52 { "running" } else { "busy" };
        format!(
            "Claude Code's conversation 5c5b2a7{} is open here in pid {pid} ({status}).",
            pid - 50
        )
    });
    assert_eq!(texts, expected.collect::<Vec<_>>());
    let of_relight = |sign: &&LifeSign| sign.verdict == SignVerdict::Note;
    let notes = signs.iter().filter(of_relight).count();
    assert_eq!(notes, 1, "relight runs inside the conversation of pid 53");
}
