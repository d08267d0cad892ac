//! Truncated, changed or incomplete files are still read as far as possible.

use proptest::prelude::*;

use crate::systems::nine_step::tests::*;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn any_cut_of_a_state_file_still_reads(cut in 0..STATE.len()) {
        let mut cut = cut;
        while !STATE.is_char_boundary(cut) { cut -= 1; }
        let scene = Scene::with_state(STATE.get(..cut).unwrap());
        let read = reading(&scene);
        // A truncated file is invalid JSON, so none of it counts; only the commits do.
        prop_assert!(read.progress.done <= Some(1));
        prop_assert!(read.badges.contains(&Badge::Damaged));
        let case = NineStep.open(&scene.candidates()[0], &scene.world);
        prop_assert!(!case.verify(&scene.world).is_empty());
    }

    #[test]
    fn any_changed_byte_still_reads(at in 0..STATE.len(), byte in any::<u8>()) {
        let mut bytes = STATE.as_bytes().to_vec();
        bytes[at] = byte;
        let scene = Scene::new();
        scene.write(".worktree/price-alerts/workflow-state.json", bytes);
        for candidate in scene.candidates() {
            let case = NineStep.open(&candidate, &scene.world);
            let checks = case.verify(&scene.world);
            for boundary in case.boundaries(&checks, &scene.world) {
                let options = PlanOptions::default();
                prop_assert!(case.intent(&boundary.id, &options, &scene.world).is_some());
            }
        }
    }
}

#[test]
fn a_state_that_lacks_or_mistypes_any_field_still_reads() {
    let map = crate::formats::json::object(STATE.as_bytes()).unwrap();
    for key in map.keys() {
        for value in [
            None,
            Some("null"),
            Some("[]"),
            Some("\"x\""),
            Some("-1"),
            Some("1e999"),
        ] {
            let mut changed = map.clone();
            match value {
                Some(text) => drop(
                    changed.insert(key.clone(), serde_json::from_str(text).unwrap_or_default()),
                ),
                None => drop(changed.shift_remove(key)),
            }
            let scene = Scene::with_state(&serde_json::to_string(&changed).unwrap());
            for candidate in scene.candidates() {
                let case = NineStep.open(&candidate, &scene.world);
                let checks = case.verify(&scene.world);
                assert!(
                    !case.boundaries(&checks, &scene.world).is_empty(),
                    "{key} {value:?}"
                );
            }
        }
    }
}

/// A writer that writes every number as text does so in every record: that is one fact about the file.
#[test]
fn numbers_as_text_are_one_finding_and_one_clause() {
    let mut text = STATE.to_owned();
    for key in ["phase", "step", "current_phase", "total_phases"] {
        for number in 1..=9 {
            let plain = format!("\"{key}\": {number}");
            text = text.replace(&plain, &format!("\"{key}\": \"{number}\""));
        }
    }
    let scene = Scene::with_state(&text);
    let said = "8 numbers are not written as plain numbers; the first: current_phase is \"2\", not a whole number.";
    let found = reading(&scene).findings.into_iter();
    let found: Vec<_> = found.filter(|one| one.code == "odd-value").collect();
    let texts: Vec<_> = found.iter().map(|one| one.text.lossy()).collect();
    assert_eq!(texts, [said]);
    let case = NineStep.open(&scene.candidates()[0], &scene.world);
    let checks = case.verify(&scene.world);
    let types = checks.iter().find(|check| check.id.0 == "N2").unwrap();
    assert_eq!(types.evidence.lossy(), said);
}
