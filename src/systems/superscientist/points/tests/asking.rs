//! What is only handed over after a question, or not at all, and what a prompt must say.

use super::*;
use crate::model::{Guard, Handoff, Prospect};

fn asked(site: &Site, point: &str) -> Vec<String> {
    let guards = site.intent(point).guards;
    let open = guards.into_iter().filter(Guard::is_open);
    open.map(|guard| guard.id.into_owned()).collect()
}

#[test]
fn nothing_is_handed_over_of_a_plan_that_contradicts_itself() {
    let table: [(Stages, &str); 3] = [
        (
            &[
                ("stage-1", "completed", &[]),
                ("stage-2", "ready", &["stage-1"]),
                ("stage-2", "ready", &["stage-1"]),
            ],
            "Two stages have the id stage-2.",
        ),
        (
            &[
                ("stage-1", "pending", &["stage-2"]),
                ("stage-2", "pending", &["stage-1"]),
            ],
            "These stages depend on each other: stage-1 and stage-2.",
        ),
        (
            &[
                ("stage-1", "completed", &[]),
                ("stage-2", "pending", &["stage-9"]),
            ],
            "stage-2 depends on stage-9, which is not a stage.",
        ),
    ];
    for (stages, said) in table {
        let site = Site::new(stages);
        for point in ids(&site) {
            let guards = site.intent(&point).guards;
            let mut refusing = guards.iter().filter(|g| g.id == "graph" && g.refuses());
            let guard = refusing.next().unwrap();
            assert!(guard.text.lossy().contains(said), "{point}: {guard:?}");
            assert!(refusing.next().is_none(), "{point}");
        }
    }
}

#[test]
fn a_stage_that_cannot_run_is_not_called_run() {
    let site = Site::new(&[
        ("stage-1", "finished", &[]),
        ("stage-2", "pending", &["stage-1"]),
    ]);
    let chosen = site.chosen().unwrap();
    let all = site.boundaries();
    let point = all.iter().find(|b| b.id.0 == chosen).unwrap();
    assert_eq!(
        point.label,
        "Find out what blocks stage-1 (Name of stage-1)"
    );
}

#[test]
fn a_point_in_a_remedy_is_among_the_points() {
    let site = Site::new(&[
        ("stage-1", "pending", &[]),
        ("stage-2", "completed", &["stage-1"]),
    ]);
    std::fs::remove_file(site.wf.join("stage-2/out.dat")).unwrap();
    let all = ids(&site);
    let mut named = 0;
    for check in site.checks() {
        let remedy = check.remedy.unwrap_or_default();
        let remedy = remedy.lossy();
        let Some((_, rest)) = remedy.split_once("relight plan ") else {
            continue;
        };
        named += 1;
        let command = rest.split('`').next().unwrap();
        let (wf, point) = command.split_once(" --point ").unwrap();
        assert_eq!(std::path::Path::new(wf), site.wf);
        assert!(all.iter().any(|id| id == point), "{remedy}");
    }
    assert_eq!(named, 2);
}
