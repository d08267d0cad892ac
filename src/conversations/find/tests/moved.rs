//! Conversations that continue in another one.

use super::*;

impl Scene {
    /// Writes a conversation with a question that continues in another one.
    fn moved(&self, id: &str, to: &str) {
        let file = self.conversation(id, &self.project, "2026-11-22T08:00:00Z", &[question()]);
        let moved = json!({"type": "continued-in", "continuedInSessionId": to});
        let text = std::fs::read_to_string(&file).unwrap() + &format!("{moved}\n");
        write(
            Some(&PathBuf::from("/")),
            file.strip_prefix("/").unwrap().to_str().unwrap(),
            text.as_bytes(),
            "2026-11-22T08:00:00Z",
        );
    }
}

#[test]
fn a_successor_in_any_project_is_judged_whenever_it_began() {
    let scene = Scene::new();
    scene.moved(ONE, TWO);
    let elsewhere = scene.dir.path().canonicalize().unwrap().join("elsewhere");
    let file = scene.conversation(TWO, &elsewhere, "2026-11-22T08:45:00Z", &[ended()]);
    let text = std::fs::read_to_string(&file).unwrap();
    let text = text.replace("2026-11-22T07:30:00Z", "2026-11-22T08:40:00Z");
    std::fs::write(&file, text).unwrap();
    let one = scene.only();
    assert_eq!(
        (one.id.lossy().as_ref(), one.cause.kind),
        (TWO, CauseKind::TurnEnded)
    );
    assert_eq!(
        one.started_at.map(|at| at.unix()),
        Some(at("2026-11-22T07:30:00Z").unix())
    );
    let reasons: Vec<_> = one.reasons.iter().map(|one| one.lossy()).collect();
    assert_eq!(
        reasons.last().unwrap(),
        "It continues conversation 5c5b2a7e."
    );
    let chosen = cause(None, &[one], &scene.reading());
    assert_eq!(
        chosen.kind,
        CauseKind::TurnEnded,
        "it began after the last write"
    );
}

#[test]
fn without_its_successor_the_end_of_a_conversation_is_unknown() {
    let scene = Scene::new();
    scene.moved(ONE, TWO);
    for round in 0..3 {
        let why = if round == 0 {
            "was not found"
        } else {
            "ended before"
        };
        if round == 1 {
            // A conversation that ended before cannot be the one.
            scene.conversation(TWO, &scene.project, "2026-11-22T07:31:00Z", &[ended()]);
        }
        let found = scene.found(Depth::List);
        let one = found.iter().find(|one| one.id.lossy() == ONE).unwrap();
        assert_eq!(one.cause.kind, CauseKind::Unknown);
        assert_eq!(
            one.cause.text.lossy(),
            format!("It continued in 5c5b2a7e, which {why}.")
        );
        assert_eq!((one.resume.as_ref(), one.cause.next.len()), (None, 0));
    }
    // Two that name each other end somewhere.
    let circle = Scene::new();
    circle.moved(ONE, TWO);
    circle.moved(TWO, ONE);
    assert_eq!(circle.only().cause.kind, CauseKind::WaitingAnswer);
}
