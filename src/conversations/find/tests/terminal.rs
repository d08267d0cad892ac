//! Conversations that are open in a terminal.

use super::*;
use crate::model::SignVerdict;
use crate::world::process::Process;

const LIMIT: &str = "You've hit your session limit · resets 11:30am (UTC)";

impl Scene {
    /// Writes an entry of the register whose process runs.
    fn register(&mut self, name: &str, id: &str, more: &serde_json::Value) {
        let started = at("2026-11-22T07:00:00Z");
        let mut entry =
            json!({"sessionId": id, "cwd": self.project, "startedAt": started.unix() * 1000});
        for (key, value) in more.as_object().unwrap() {
            entry[key] = value.clone();
        }
        let root = self.world.places.claude.as_ref();
        let file = format!("sessions/{name}.json");
        write(root, &file, entry.to_string().as_bytes(), NOW);
        self.world.processes.list = vec![Process {
            pid: 4711,
            started: Some(started.at.to_utc()),
            ..Process::default()
        }];
    }

    fn next(&self) -> (CauseKind, String) {
        let cause = self.only().cause;
        (cause.kind, cause.next[0].lossy().into_owned())
    }

    fn signs(&self) -> Vec<LifeSign> {
        Index::new(&self.world).signs(&self.reading(), &self.world)
    }
}

fn limit() -> serde_json::Value {
    json!({"id": "e", "model": "<synthetic>", "stop_reason": "stop_sequence",
        "content": [{"type": "text", "text": LIMIT}], "usage": {"input_tokens": 0}})
}

#[test]
fn a_question_in_an_open_terminal_is_answered_there_and_the_pipeline_waits() {
    let plan = json!({"id": "m", "model": "x", "stop_reason": "tool_use",
        "content": [{"type": "tool_use", "id": "t", "name": "ExitPlanMode", "input": {}}]});
    let asked = [
        (question(), CauseKind::WaitingAnswer),
        (plan, CauseKind::WaitingApproval),
    ];
    let states = [
        json!({"status": "waiting", "waitingFor": "input needed"}),
        json!({"status": "waiting", "waitingFor": "dialog open"}),
        json!({"status": "waiting"}),
        json!({"status": "idle"}),
    ];
    for (message, kind) in asked {
        for state in &states {
            let mut scene = Scene::new();
            scene.conversation(
                ONE,
                &scene.project,
                "2026-11-22T08:00:00Z",
                std::slice::from_ref(&message),
            );
            scene.register("4711", ONE, state);
            let (found, next) = scene.next();
            assert_eq!(found, kind, "{state}");
            assert_eq!(
                next,
                "The conversation is open in pid 4711. Answer it there."
            );
            let one = scene.only();
            let told = is_told_by_open(std::slice::from_ref(&one), &scene.reading(), |_| false);
            assert!(told && one.cause.makes_waiting(Status::Live), "{one:?}");
        }
    }
    let mut scene = Scene::new();
    scene.conversation(ONE, &scene.project, "2026-11-22T08:00:00Z", &[ended()]);
    scene.register("4711", ONE, &json!({"status": "waiting"}));
    assert_eq!(scene.next().0, CauseKind::WaitingAnswer);
}

#[test]
fn only_a_busy_client_or_one_that_says_so_continues_by_itself() {
    let api_error = |text: &str| {
        text.replace("\"isSidechain\":false", "\"isSidechain\":false,\"isApiErrorMessage\":true,\"error\":\"rate_limit\",\"apiErrorStatus\":429")
    };
    let notice = |text: &str| {
        json!({"type": "system", "subtype": "informational", "level": "info", "content": text,
            "timestamp": "2026-11-22T08:01:00Z", "isSidechain": false})
    };
    let waits = "Usage limit reached · continuing automatically at 11:30am · esc or type to cancel";
    let cases: [(&str, serde_json::Value, &[&str], &str); 6] = [
        ("busy", ended(), &[], "Leave it: it continues by itself."),
        ("idle", ended(), &[], "Continue it there."),
        ("", ended(), &[], "Leave it, or continue it there."),
        (
            "idle",
            limit(),
            &[waits],
            "Leave it open: it waits for the reset and continues by itself.",
        ),
        (
            "idle",
            limit(),
            &[waits, "Automatic continue cancelled"],
            "Continue it there after the reset: it does not do so by itself.",
        ),
        (
            "idle",
            limit(),
            &[],
            "Leave it open until the reset. If it does not continue by itself then, as Claude Code 2.1.234 and later do, continue it there.",
        ),
    ];
    for (status, message, notices, expected) in cases {
        let mut scene = Scene::new();
        let file = scene.conversation(
            ONE,
            &scene.project,
            "2026-11-22T08:00:00Z",
            std::slice::from_ref(&message),
        );
        let mut text = std::fs::read_to_string(&file).unwrap();
        if message == limit() {
            let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
            let last = lines.pop().unwrap();
            lines.push(api_error(&last));
            text = lines_of(&lines);
        }
        text.extend(notices.iter().map(|text| format!("{}\n", notice(text))));
        std::fs::write(&file, text).unwrap();
        scene.register("4711", ONE, &json!({"status": status}));
        let (_, next) = scene.next();
        assert_eq!(
            next,
            format!("The conversation is open in pid 4711. {expected}")
        );
        let all = scene.found(Depth::All);
        let beside = is_told_by_open(&all, &scene.reading(), |_| false);
        assert_eq!(
            beside,
            message == limit(),
            "only what it waits for outranks a process of the system's own"
        );
    }
}

/// Of what other work it is, nobody knows, and a process is certain.
#[test]
fn a_guess_about_an_open_terminal_tells_nothing() {
    let mut scene = Scene::new();
    scene.conversation(ONE, &scene.project, "2026-11-22T08:00:00Z", &[question()]);
    scene.register("4711", ONE, &json!({"status": "idle"}));
    let one = scene.only();
    let told = |one: Conversation| is_told_by_open(&[one], &scene.reading(), |_| true);
    assert!(told(one.clone()));
    let mut guess = one.clone();
    guess.cause.sure = Sure::Guess;
    assert!(!told(guess));
    assert!(!told(Conversation {
        went_on: true,
        ..one
    }));
}

#[test]
fn an_open_session_outlives_the_entry_of_its_crash() {
    let mut scene = Scene::new();
    scene.conversation(ONE, &scene.project, "2026-11-22T08:00:00Z", &[ended()]);
    // The last name of the folder is that of the process that crashed.
    scene.register("99999", ONE, &json!({"status": "busy"}));
    scene.register("4711", ONE, &json!({"status": "busy"}));
    assert_eq!(scene.only().alive, Aliveness::Alive);
    let root = scene.world.places.claude.as_ref();
    let unknown = json!({"sessionId": ONE, "pidDomain": "other"}).to_string();
    write(root, "sessions/4711.json", unknown.as_bytes(), NOW);
    scene.world.processes.list.clear();
    assert_eq!(scene.only().alive, Aliveness::Unknown);
}

#[test]
fn a_register_that_cannot_be_read_leaves_liveness_unknown() {
    let mut scene = Scene::new();
    // Without a folder of projects, too.
    scene.register("4711", ONE, &json!({"status": "busy"}));
    assert_eq!(scene.signs()[0].verdict, SignVerdict::Positive);
    let root = scene.world.places.claude.clone();
    scene.conversation(ONE, &scene.project, "2026-11-22T08:00:00Z", &[ended()]);
    for torn in ["", "{\"pid\":", "{}"] {
        write(root.as_ref(), "sessions/4711.json", torn.as_bytes(), NOW);
        let signs = scene.signs();
        assert_eq!(signs[0].verdict, SignVerdict::Unreadable, "{torn}");
        let said = signs[0].text.lossy();
        assert!(said.contains("4711.json"), "{signs:?}");
        assert!(said.ends_with("if that is not Claude Code, remove the file."));
        assert_eq!(scene.only().alive, Aliveness::Unknown);
    }
    // Of a process that is gone it hides nothing.
    scene.world.processes.list.clear();
    for torn in ["", "\0\0\0", "{\"pid\":"] {
        write(root.as_ref(), "sessions/4711.json", torn.as_bytes(), NOW);
        let gone = (scene.signs(), scene.only().alive);
        assert_eq!(gone, (vec![], Aliveness::Dead));
    }
    let sessions = root.unwrap().join("sessions");
    std::fs::remove_dir_all(&sessions).unwrap();
    assert_eq!(
        (scene.signs(), scene.only().alive),
        (vec![], Aliveness::Dead)
    );
    std::fs::write(&sessions, "x").unwrap();
    assert_eq!(scene.signs()[0].verdict, SignVerdict::Unreadable);
    assert_eq!(scene.only().alive, Aliveness::Unknown);
}
