//! Copies of the manifest with which replays continue.

use super::*;

struct Copy {
    manifest: Place,
    dir: std::path::PathBuf,
}

/// A replay's own folder: the manifest's copy with more lines, and a folder of dispatch files.
fn copy(kit: &Kit, more: &str) -> Copy {
    let root = kit.root().join("state");
    let text = std::fs::read_to_string(kit.dispatch().join("manifest.jsonl")).unwrap();
    kit.write(&root.join("replay/manifest.jsonl"), &(text + more));
    let dir = root.join("replay/dispatch");
    let header = "# Dispatch: implementer\n**Timestamp:** 2026-04-09T08:00:00Z\n---\nx\n";
    kit.write(&dir.join("5-implementer.md"), header);
    Copy {
        manifest: Place::known(&root, "replay/manifest.jsonl").unwrap(),
        dir,
    }
}

fn continued(kit: &Kit, copy: &Copy) -> Vec<Dispatch> {
    let case = kit.open();
    case.continued(&copy.manifest, &copy.dir, &kit.world)
        .unwrap()
}

#[test]
fn a_copy_has_the_original_and_the_replays_dispatches() {
    let kit = interrupted();
    // The run itself continued and used the same number.
    append(&kit, &[String::new()]);
    kit.header(5, "reviewer", "11:00:00");
    let more = replayed(5, 3, "1775650000", "completed") + "\n{\"seq\":6,\"fi";
    let copy = copy(&kit, &more);
    let all = continued(&kit, &copy);
    assert_eq!(
        all.iter().map(|one| one.seq).collect::<Vec<_>>(),
        [1, 2, 3, 4, 5]
    );
    let (original, new) = (&all[2], &all[4]);
    assert_eq!(original.path, Some(kit.dispatch().join("3-implementer.md")));
    assert_eq!(original.wave, Some(1));
    assert_eq!(new.path, Some(copy.dir.join("5-implementer.md")));
    assert_eq!(new.begun_at.unwrap().unix(), 1_775_721_600);
    assert_eq!((new.replay_of, new.wave), (Some(3), Some(1)));
    assert_eq!(new.session, Some(SessionId("1775650000".to_owned())));
    assert_eq!(new.origin.file, copy.manifest.path());
}

#[test]
fn a_replay_that_the_run_itself_records_keeps_its_files_in_a_copy() {
    let kit = interrupted();
    append(
        &kit,
        &[replayed(5, 3, "1775650000", "completed"), String::new()],
    );
    kit.header(5, "implementer", "11:00:00");
    let copy = copy(&kit, &replayed(6, 5, "1775660000", "dispatched"));
    let all = continued(&kit, &copy);
    assert_eq!(all[4].path, Some(kit.dispatch().join("5-implementer.md")));
    assert_eq!((all[5].path.as_deref(), all[5].replay_of), (None, Some(3)));
}

#[test]
fn a_missing_copy_is_an_error_in_a_sentence() {
    let kit = interrupted();
    let gone = Copy {
        manifest: Place::known(kit.root(), "nowhere/manifest.jsonl").unwrap(),
        dir: Path::new("/nowhere").to_owned(),
    };
    let why = kit
        .open()
        .continued(&gone.manifest, &gone.dir, &kit.world)
        .unwrap_err();
    assert!(
        why.lossy()
            .ends_with("manifest.jsonl cannot be read: not found."),
        "{why:?}"
    );
}
