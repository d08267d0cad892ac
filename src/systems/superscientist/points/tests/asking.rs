//! What is only handed over after a question, or not at all, and what a prompt must say.

use super::*;
use crate::model::{Handoff, Prospect};

fn asked(site: &Site, point: &str) -> Vec<String> {
    let guards = site.intent(point).guards;
    let open = guards.into_iter().filter(Guard::is_open);
    open.map(|guard| guard.id.into_owned()).collect()
}

#[test]
fn a_job_whose_result_is_unknown_is_asked_about() {
    type Change = fn(&Site);
    let table: &[(&str, &str, &str, Change)] = &[
        ("no code", "retry", "gate:unknown-result", |_| {}),
        ("empty code", "retry", "gate:unknown-result", |site| {
            site.write("stage-1/DPDISP_EXIT_CODE", "");
        }),
        ("stale marker", "monitor", "gate:stale-marker", |site| {
            let marker = site.wf.join("stage-1/DPDISP_DONE");
            let old = std::fs::metadata(&marker).unwrap().modified().unwrap();
            site.write("stage-1/dpdisp-run.sh", "");
            let wrapper = site.wf.join("stage-1/dpdisp-run.sh");
            let file = std::fs::File::options().write(true).open(wrapper).unwrap();
            let later = old + std::time::Duration::from_secs(60);
            file.set_modified(later).unwrap();
        }),
    ];
    for (name, verb, gate, change) in table {
        let site = Site::new(&[("stage-1", "running", &[])]);
        site.job("stage-1", false);
        site.write("stage-1/DPDISP_DONE", "");
        change(&site);
        let point = format!("stage-1:{verb}");
        assert_eq!(site.chosen(), Some(point.clone()), "{name}");
        assert_eq!(asked(&site, &point), [*gate], "{name}");
        // To name what happened is the answer.
        assert_eq!(asked(&site, "stage-1:fail"), [""; 0], "{name}");
        let prompt = site.handoff(&point).prompt;
        assert!(prompt.lossy().contains("ask me whether"), "{prompt:?}");
    }
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

/// What blocks the first stage may be the status of another one, which is what has to be corrected.
#[test]
fn a_deadlock_names_what_blocks() {
    for (stages, why) in [
        (
            &[
                ("stage-1", "pending", &["stage-2"][..]),
                ("stage-2", "finished", &[]),
            ],
            "No stage can continue. stage-2 has the unknown status \"finished\".",
        ),
        (
            &[
                ("stage-1", "failed", &["stage-2"]),
                ("stage-2", "failed", &["stage-1"]),
            ],
            "No stage can continue. These stages depend on each other: stage-1 and stage-2.",
        ),
    ] {
        let all = Site::new(stages).boundaries();
        let chosen = |point: &&Boundary| matches!(point.preference, Preference::Chosen(_));
        let point = all.iter().find(chosen).unwrap();
        assert_eq!(point.reason, why);
    }
}

/// A monitor that launches the job again does not only watch it, and what a rerun makes stale includes what runs.
#[test]
fn a_job_that_is_launched_again_runs_again() {
    let site = Site::new(&[
        ("stage-1", "completed", &[]),
        ("stage-2", "running", &["stage-1"]),
        ("stage-3", "pending", &["stage-2"]),
    ]);
    site.job("stage-2", false);
    let all = site.boundaries();
    for (point, redone) in [("stage-2:monitor", 1), ("stage-1:rerun", 2)] {
        let found = all.iter().find(|b| b.id.0 == point).unwrap();
        assert_eq!(found.redone, Some(redone), "{point}");
        assert_eq!(site.intent(point).redone.len() as u64, redone, "{point}");
    }
    let monitor = all.iter().find(|b| b.id.0 == "stage-2:monitor").unwrap();
    assert_eq!(
        monitor.label,
        "Launch the job of stage-2 (Name of stage-2) again"
    );
}

/// The counts of a point are those of its plan, and no stage is neither kept nor run again.
#[test]
fn invalidated_stages_run_again_whatever_the_point() {
    let site = Site::new(&[
        ("stage-1", "completed", &[]),
        ("stage-2", "failed", &["stage-1"]),
        ("stage-3", "invalidated", &["stage-2"]),
    ]);
    for (point, kept, redone) in [
        ("stage-1:rerun", 0, 3),
        ("stage-2:retry", 1, 2),
        ("stage-2:skip", 1, 1),
        ("stage-3:skip", 1, 1),
    ] {
        let all = site.boundaries();
        let found = all.iter().find(|b| b.id.0 == point).unwrap();
        assert_eq!(
            (found.kept, found.redone),
            (Some(kept), Some(redone)),
            "{point}"
        );
        let intent = site.intent(point);
        let planned = (intent.kept.len() as u64, intent.redone.len() as u64);
        assert_eq!(planned, (kept, redone), "{point}");
    }
}

#[test]
fn a_completion_over_lost_outputs_says_so_first() {
    let site = Site::new(&[
        ("stage-1", "completed", &[]),
        ("stage-2", "completed", &["stage-1"]),
    ]);
    let prompt = |site: &Site| {
        let case = site.open();
        let checks = case.verify(&site.world);
        let id = PointId("completion".to_owned());
        let handoff: Handoff = case.handoff(&Prospect::new(&id, &checks), &site.world);
        handoff.prompt.lossy().into_owned()
    };
    assert!(!prompt(&site).contains("clarify"), "{}", prompt(&site));
    std::fs::remove_file(site.wf.join("stage-2/out.dat")).unwrap();
    let text = prompt(&site);
    let said = "First clarify with me what contradicts that every stage is done: (1) stage-2: its output stage-2/out.dat is not found. ";
    assert!(text.contains(said), "{text}");
    assert!(
        text.find(said) < text.find("Then do the completion step"),
        "{text}"
    );
    // An amendment that was not applied counts too.
    site.write("stage-2/out.dat", "1");
    site.edit("\"version\": 1", "\"version\": 2");
    assert!(prompt(&site).contains("The amendments do not match"));
    let all = site.boundaries();
    let point = all.iter().find(|b| b.id.0 == "completion").unwrap();
    assert_eq!(point.verified, Verdict::Warn);
    let said = |warning: &Foreign| warning.lossy().contains("The amendments do not match");
    assert!(point.warnings.iter().any(said), "{:?}", point.warnings);
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
