//! Research that a person closed before every researcher finished it, and the time of a round.

use super::again::{EVENTS, apply, chosen};
use crate::model::Boundary;
use crate::systems::autoconference::testdata::{Dir, interrupted, log};

fn boundary(dir: &Dir, id: &str) -> Boundary {
    let mut all = dir.boundaries().into_iter();
    all.find(|boundary| boundary.id.0 == id).unwrap()
}

/// The choice to go on is no evidence that the others finished.
#[test]
fn the_choice_to_go_on_does_not_finish_the_research() {
    let dir = interrupted();
    let unfinished = "Researchers with work left: none is started again; unfinished: B\n";
    let briefing = |point: &str| dir.handoff(point).briefing.lossy().into_owned();
    assert!(briefing("round-2-phase-2").contains(unfinished));
    assert!(briefing("synthesis").contains(unfinished));
    apply(&dir, "round-2-phase-2");
    let points = [
        "round-2-phase-1",
        "round-2-phase-2*",
        "round-2-mid",
        "round-2-keep",
        "synthesis",
        "fresh",
    ];
    assert_eq!(dir.points(), points);
    let next = boundary(&dir, "round-2-phase-2");
    let why = "A person chose to continue round 2 without the rest of its research; unfinished: B.";
    assert_eq!(next.reason.lossy(), why);
    let said = "Researcher B is incomplete after 3 iterations.";
    assert!(next.warnings.iter().any(|w| w.lossy() == said), "{next:?}");
    let detail = dir.open().reading().phases[1].detail.lossy().into_owned();
    let closed = "B incomplete after 3, closed by a person's choice";
    assert!(detail.ends_with(closed), "{detail}");
    let briefing = dir.handoff("round-2-phase-2").briefing;
    assert!(briefing.lossy().contains(unfinished));
    apply(&dir, "round-2-mid");
    assert_eq!(chosen(&dir), "round-2-mid");
    let prompt = dir.handoff("round-2-mid").prompt;
    assert!(prompt.lossy().contains("Re-spawn only B"), "{prompt:?}");
}

/// Nobody worked between the interruption and the resume.
#[test]
fn the_time_before_a_resume_is_nobodys_work() {
    let dir = interrupted();
    let took = |nth: usize| dir.open().reading().phases[nth].duration_s.unwrap();
    let again = |point: &str| boundary(&dir, point).time_lost_s.unwrap();
    assert_eq!(again("fresh"), again("round-2-phase-1") + took(0));
    let (round, work) = (took(1), again("round-2-phase-1"));
    apply(&dir, "round-2-keep");
    assert_eq!((took(1), again("round-2-phase-1")), (round, work));
    let text = std::fs::read_to_string(dir.path().join(EVENTS)).unwrap();
    let more = log(&[
        "researcher.iteration 2 B 3 47 kept",
        "researcher.iteration 2 B 4 48 kept",
    ]);
    let more = more.replace("T08:0", "T19:1");
    dir.put(EVENTS, format!("{text}{more}").as_bytes());
    assert_eq!(
        (took(1), again("round-2-phase-1")),
        (round + 60, work + 60),
        "only the minute between the two new iterations is known"
    );
    let runs = dir.open().runs(&dir.world);
    let times: Vec<_> = runs[1].work.iter().map(|one| one.duration_s).collect();
    assert!(
        times.iter().flatten().all(|time| *time < 3_600),
        "{times:?}"
    );
}
