//! A link or a directory in the place of a state file is not a missing file.

use crate::systems::nine_step::tests::*;

#[test]
fn what_is_in_the_place_of_a_state_file_is_named_with_its_cure() {
    let link = |path: &Path| std::os::unix::fs::symlink("../../real.json", path).unwrap();
    let dir = |path: &Path| std::fs::create_dir(path).unwrap();
    for (make, what, cure) in [
        (&link as &dyn Fn(&Path), "a symbolic link", "cp"),
        (&dir, "a directory", "mv"),
    ] {
        let scene = Scene::new();
        scene.write("real.json", STATE);
        make(&scene.top.join(WT).join("workflow-state.json"));
        let read = reading(&scene);
        let texts: Vec<_> = read.findings.iter().map(|one| one.text.lossy()).collect();
        assert!(texts.iter().any(|text| text.contains(what)), "{texts:?}");
        assert!(
            !texts
                .iter()
                .any(|text| text.contains("There is no state file")),
            "{texts:?}"
        );
        assert!(read.badges.contains(&Badge::Damaged));
        let facts = scene.facts();
        let decision = scene.decision();
        let point = decision.chosen.id();
        let intent = crate::systems::nine_step::points::intent::intent(
            scene.of(&facts, &decision),
            &PointId(point),
        );
        let guards = intent.unwrap().guards;
        let open = guards.iter().find(|guard| !guard.holds).unwrap();
        let said = open.would_hold_if.as_ref().unwrap().lossy().into_owned();
        assert!(said.contains(&format!(": {cure} ")), "{said}");
    }
}

/// A phase that begins with its plan has ten steps from its first record on.
#[test]
fn a_phase_has_the_same_number_of_steps_from_its_first_one_on() {
    for (last, completed, done) in [
        ("1 1 in_progress 10", "", 0),
        ("1 1 completed 10", "1 1 completed 10", 1),
        (
            "1 3 completed 40",
            "1 1 completed 10; 1 2 approved 20; 1 2.5 approved 30; 1 3 completed 40",
            4,
        ),
    ] {
        let scene = Scene::new();
        let text = scene::state("", &scene::records(last), &scene::records(completed));
        scene.write(&format!("{WT}/workflow-state.json"), &text);
        let first = reading(&scene).phases[0].clone();
        assert_eq!((first.done, first.total), (Some(done), Some(10)), "{last}");
    }
}

/// Only a state file that is damaged too makes it "either".
#[test]
fn a_damaged_backup_is_named_as_what_it_is() {
    for (state, said) in [
        (STATE, "The backup cannot be used: "),
        (head(100), "The backup cannot be used either: "),
    ] {
        let scene = Scene::with_state(state);
        scene.write(&format!("{WT}/workflow-state.json.backup"), head(90));
        let facts = scene.facts();
        let decision = crate::systems::nine_step::points::decision::decide(&facts);
        let checks = crate::systems::nine_step::checks::checks(scene.of(&facts, &decision));
        let check = checks.iter().find(|check| check.id.0 == "N3").unwrap();
        let text = check.evidence.lossy();
        assert!(text.starts_with(said), "{text}");
    }
}
