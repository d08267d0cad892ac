//! Files that are not what they should be: something else is in their place, or they are empty or truncated.

use std::path::{Path, PathBuf};

use crate::model::{Badge, Verdict};
use crate::systems::autoconference::testdata::{CONFIG, Dir, interrupted};
use crate::world::fake::FakeRepo;

const EVENTS: &str = "conference_events.jsonl";
const TABLE: &str = "researcher_B_results.tsv";

/// Puts something else in the place of a file.
fn instead(path: &Path, kind: &str) {
    let bytes = std::fs::read(path).unwrap();
    std::fs::remove_file(path).unwrap();
    match kind {
        "missing" => {}
        "link" => {
            std::fs::write(path.with_extension("kept"), bytes).unwrap();
            std::os::unix::fs::symlink(path.with_extension("kept"), path).unwrap();
        }
        "fifo" => {
            let made = std::process::Command::new("mkfifo").arg(path).status();
            assert!(made.unwrap().success());
        }
        _ => std::fs::create_dir(path).unwrap(),
    }
}

fn chosen(dir: &Dir) -> Option<String> {
    dir.points().into_iter().find(|p| p.ends_with('*'))
}

const KINDS: [(&str, &str, &str); 3] = [
    ("link", "is a symbolic link", "mv "),
    ("fifo", "is a FIFO, socket or device", "mv "),
    ("dir", "is a directory", "mv "),
];

#[test]
fn a_lost_table_is_named_in_checks_plan_and_prompt() {
    let missing = [("missing", "is missing", "resume at the point mend-B")];
    for (kind, problem, remedy) in missing.iter().chain(&KINDS) {
        let dir = interrupted();
        instead(&dir.path().join(TABLE), kind);
        let checks = dir.checks();
        let mut own = checks.iter().filter(|check| check.id.0 == "A8");
        let check = own.find(|check| check.verdict == Verdict::Warn).unwrap();
        let text = format!("{TABLE} {problem}");
        assert!(check.evidence.lossy().starts_with(&text), "{check:?}");
        let said = check.remedy.as_ref().unwrap().lossy();
        assert!(said.contains(remedy), "{said}");
        // A point that a remedy names exists.
        let mend = dir.points().contains(&"mend-B".to_owned());
        assert_eq!(mend, said.contains("mend-B"), "{kind}");
        assert_eq!(chosen(&dir).as_deref(), Some("round-2-mid*"));
        let boundaries = dir.boundaries();
        let point = boundaries.iter().find(|b| b.id.0 == "round-2-mid").unwrap();
        let warned = |text: &str| point.warnings.iter().any(|w| w.lossy().contains(text));
        assert!(warned(&text), "{:?}", point.warnings);
        let prompt = dir.handoff("round-2-mid").prompt;
        assert!(prompt.lossy().contains(&text), "{prompt:?}");
        let reading = dir.open();
        let badges = &reading.reading().badges;
        assert_eq!(
            badges.contains(&Badge::Damaged),
            *kind != "missing",
            "{kind}"
        );
    }
}

#[test]
fn what_is_in_the_place_of_a_required_file_is_named() {
    for (kind, problem, remedy) in KINDS {
        for (name, id) in [("conference.md", "A1"), (EVENTS, "A2")] {
            let dir = interrupted();
            instead(&dir.path().join(name), kind);
            let checks = dir.checks();
            let check = checks.iter().find(|check| check.id.0 == id).unwrap();
            let text = format!("{name} {problem}");
            assert!(check.evidence.lossy().contains(&text), "{check:?}");
            let said = check.remedy.as_ref().unwrap().lossy();
            assert!(said.contains(remedy), "{said}");
        }
    }
}

#[test]
fn an_emptied_or_truncated_plan_is_damage_and_nothing_is_recommended() {
    for text in ["", CONFIG.split_once("## Researchers").unwrap().0] {
        let mut dir = interrupted();
        dir.put("conference.md", text.as_bytes());
        assert_eq!(chosen(&dir), None);
        let reason = |dir: &Dir| dir.open().reading().claim.reason.lossy().into_owned();
        assert!(reason(&dir).contains("conference.md breaks these rules"));
        assert!(dir.open().reading().badges.contains(&Badge::Damaged));
        let guards = dir.intent("round-2-mid").guards;
        let refusing: Vec<_> = guards.iter().filter(|g| g.refuses()).collect();
        assert_eq!(refusing.len(), 1, "{refusing:?}");
        // git still has it.
        let path = dir.path().canonicalize().unwrap();
        let id = "a".repeat(40);
        let commit = crate::world::git::Commit {
            id: id.clone(),
            time: "2026-05-02T08:00:00Z".parse().unwrap(),
            authored: "2026-05-02T08:00:00Z".parse().unwrap(),
            subject: "plan".into(),
            body: crate::model::Foreign::default(),
            parents: Vec::new(),
            cut: false,
        };
        let mut repo = FakeRepo {
            branch: Some("main".to_owned()),
            ..FakeRepo::default()
        };
        repo.branches.insert("main".to_owned(), vec![commit]);
        let blob = (id, PathBuf::from("conference.md"));
        repo.blobs.insert(blob, CONFIG.as_bytes().to_vec());
        dir.world.git.repos.insert(path, repo);
        let said = reason(&dir);
        assert!(said.contains("restore --source=aaaaaaa"), "{said}");
    }
}
