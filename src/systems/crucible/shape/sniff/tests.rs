use super::*;
use crate::systems::crucible::tests::{Kit, SID, line};

fn natives(sniffed: &Sniffed) -> Option<Vec<String>> {
    match sniffed {
        Sniffed::Ours(all) => Some(all.iter().map(|c| c.native.lossy().into_owned()).collect()),
        Sniffed::NotOurs(_) => None,
    }
}

#[test]
fn manifests_are_recognized_by_lines_and_folder() {
    let two = format!(
        "{}\n{}\n",
        line(1, "a", "1", 0, "completed", ""),
        line(2, "a", "1", 0, "failed", "")
    );
    let one = line(1, "a", "1", 0, "completed", "");
    let named = format!("tmp/crucible-dispatch-{SID}");
    let table: &[(&str, &str, Option<&str>)] = &[
        (&named, &one, Some(SID)),
        (&named, "", Some(SID)),
        (&named, "{\"seq\":1,\"stat", Some(SID)),
        (&named, "{\"image\":\"a.png\"}\n", None),
        ("proj/data", &two, Some("data")),
        ("proj/data", &one, None),
        ("proj/data", "{\"image\":\"a.png\"}\n{\"seq\":1}\n", None),
        (
            "proj/data",
            "{\"seq\":1,\"status\":\"ok\",\"role\":\"r\"}\n{\"seq\":2,\"status\":\"ok\",\"role\":\"r\"}\n",
            None,
        ),
        (
            "proj/data",
            "{\"seq\":1,\"status\":\"completed\"}\n{\"seq\":2,\"status\":\"completed\"}\n",
            None,
        ),
        ("home/.claude/projects/-p/memory", &two, Some("-p")),
        (
            "home/.claude/projects/-p/memory/dispatch-abc",
            &one,
            Some("abc"),
        ),
    ];
    for (number, (folder, text, want)) in table.iter().enumerate() {
        let kit = Kit::new();
        let path = kit.root().join(folder).join("manifest.jsonl");
        kit.write(&path, text);
        let found = if folder.starts_with("home") {
            Found::ClaudeProject {
                project: kit.root().join("home/.claude/projects/-p"),
            }
        } else {
            Found::Walk { root: kit.root() }
        };
        let hit = Hit {
            marker: Marker::File("manifest.jsonl"),
            path,
            found,
        };
        let want = want.map(|native| vec![native.to_owned()]);
        assert_eq!(natives(&sniff(&hit, &kit.world)), want, "row {number}");
    }
}

#[test]
fn markers_checkpoint_tables_and_folders_are_distinguished() {
    let kit = crate::systems::crucible::tests::interrupted();
    let at = |path: PathBuf| natives(&sniff(&kit.hit(&path), &kit.world));
    assert_eq!(
        at(kit.memory().join(".pipeline-active")),
        Some(vec![SID.to_owned()])
    );
    assert_eq!(at(kit.dispatch()), Some(vec![SID.to_owned()]));
    let table = kit.store().join("checkpoint-manifest.md");
    assert_eq!(at(table.clone()), Some(vec![]), "its run is there");
    std::fs::remove_file(kit.memory().join(".pipeline-active")).unwrap();
    let hash = kit
        .store()
        .file_name()
        .unwrap()
        .to_str()
        .unwrap()
        .to_owned();
    assert_eq!(at(table.clone()), Some(vec![]), "its run is joined");
    let away = kit.root().join("away");
    std::fs::rename(kit.dispatch(), &away).unwrap();
    assert_eq!(at(table.clone()), Some(vec![hash]), "nothing else is left");
    std::fs::rename(&away, kit.dispatch()).unwrap();
    std::fs::remove_file(kit.store().join("HEAD")).unwrap();
    assert_eq!(at(table), None, "no git directory");
    kit.write(&kit.memory().join(".pipeline-active"), "running");
    assert_eq!(at(kit.memory().join(".pipeline-active")), None);
    std::fs::remove_file(kit.dispatch().join("manifest.jsonl")).unwrap();
    assert_eq!(
        at(kit.dispatch()),
        Some(vec![SID.to_owned()]),
        "dispatch files are left"
    );
    std::fs::remove_dir_all(kit.dispatch()).unwrap();
    std::fs::create_dir(kit.dispatch()).unwrap();
    assert_eq!(at(kit.dispatch()), Some(vec![]));
}

#[test]
fn folders_of_other_users_are_ignored() {
    let mut kit = crate::systems::crucible::tests::interrupted();
    kit.world.places.uid += 1;
    let hit = kit.hit(&kit.dispatch());
    assert_eq!(natives(&sniff(&hit, &kit.world)), Some(vec![]));
}

#[test]
fn a_named_scratch_folder_leads_to_its_copies() {
    let kit = Kit::new();
    let text = line(1, "a", "1", 0, "completed", "");
    kit.write(
        &kit.memory().join("crucible-dispatch-7/manifest.jsonl"),
        &text,
    );
    let hit = Hit {
        marker: Marker::Dir("memory"),
        path: kit.memory(),
        found: Found::Named,
    };
    assert_eq!(
        natives(&sniff(&hit, &kit.world)),
        Some(vec!["7".to_owned()])
    );
}
