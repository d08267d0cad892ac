//! Copies of a run that somebody made.

use super::points::run;
use super::*;
use crate::systems::crucible::facts::project::claude_name;

#[test]
fn a_copy_that_somebody_made_counts_only_where_the_run_is_gone() {
    let kit = run(
        "3",
        &[
            (1, "implementer", "3", true, "10:00:00"),
            (2, "implementer", "3", false, "10:40:00"),
        ],
        &[("pre-wave-1", "09:59:00")],
    );
    let (live, name) = (kit.dispatch(), format!("crucible-dispatch-{SID}"));
    let backup = kit.root().join("backup").join(name);
    let whole = std::fs::read_to_string(live.join("manifest.jsonl")).unwrap();
    // More lines than the run has, so that it would be the better copy.
    let more = whole
        .lines()
        .next()
        .unwrap()
        .replace("\"seq\":1", "\"seq\":3");
    kit.write(&backup.join("manifest.jsonl"), &format!("{whole}{more}\n"));
    let places = [&live, &backup].map(|dir| dir.join("manifest.jsonl"));
    let reversed: Vec<_> = places.iter().rev().cloned().collect();
    let words = |case: &CrucibleCase| {
        let reading = case.reading();
        let findings = reading
            .findings
            .iter()
            .map(|one| one.text.lossy().into_owned());
        (
            reading.progress,
            findings.collect::<Vec<_>>(),
            kit.points(case),
        )
    };
    let alone = words(&kit.open());
    for sources in [places.to_vec(), reversed] {
        let mut seen = words(&kit.open_from(sources));
        let copies = seen.1.iter().position(|text| text.contains("other copies"));
        let said = seen.1.remove(copies.unwrap());
        assert!(said.contains(&*backup.to_string_lossy()), "{said}");
        assert_eq!(seen, alone);
    }
    std::fs::remove_dir_all(&live).unwrap();
    let left = kit.open_from(vec![backup.join("manifest.jsonl")]);
    let (_, findings, points) = words(&left);
    assert!(!findings.iter().any(|text| text.contains("other copies")));
    assert!(points.1.len() > 1, "{points:?}");
}

/// Runs of one second in two projects have one number: neither project is taken for the other's.
#[test]
fn a_run_of_another_project_with_the_same_number_is_not_mixed_in() {
    let kit = run("3", &[(1, "implementer", "3", true, "10:00:00")], &[]);
    let (other, name) = (kit.root().join("other"), format!("crucible-dispatch-{SID}"));
    std::fs::create_dir_all(&other).unwrap();
    let folder = kit.project().with_file_name(claude_name(&other));
    let talk = |path: PathBuf| format!("{{\"cwd\":\"{}\"}}\n", path.display());
    kit.write(&kit.project().join("a.jsonl"), &talk(kit.proj()));
    let alone = kit.open();
    assert_eq!(alone.run.work_tree(), Some(kit.proj().as_path()));
    let line =
        "{\"seq\":1,\"role\":\"r\",\"phase\":\"1\",\"task\":null,\"status\":\"dispatched\"}\n";
    kit.write(
        &folder.join("memory").join(name).join("manifest.jsonl"),
        &line.repeat(9),
    );
    kit.write(&folder.join("b.jsonl"), &talk(other.clone()));
    let both = kit.open();
    assert_eq!(both.run.work_tree(), None);
    assert!(both.run.without_project().contains("--work-tree PATH"));
    for (path, projects) in [(kit.proj(), kit.project()), (other, folder)] {
        let candidate = Candidate {
            work_tree: Some(path.clone()),
            ..Candidate::new(crate::systems::crucible::NAME, SID, "", Vec::new())
        };
        let named = Run::gather(&candidate, &kit.world);
        assert_eq!(named.work_tree(), Some(path.as_path()));
        assert_eq!(named.sources.projects, [projects]);
    }
}
