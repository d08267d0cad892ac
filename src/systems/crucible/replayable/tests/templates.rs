//! Installed templates: the searched folders, and the verdicts of check F12.

use super::*;
use crate::model::Verdict;

fn install(kit: &Kit, at: &str, name: &str) {
    let path = kit.root().join("home/.claude").join(at).join(name);
    kit.write(&path, "Implement it.\n");
}

fn folders(kit: &Kit) -> Vec<String> {
    let claude = kit.root().join("home/.claude");
    let all = experiment(kit).plugin_templates.into_iter();
    all.map(|path| path.strip_prefix(&claude).unwrap().display().to_string())
        .collect()
}

#[test]
fn the_most_likely_folders_come_first() {
    let kit = interrupted();
    let cache = "plugins/cache/market/crucible";
    for (at, name) in [
        ("skills/mine", "x-prompt.md"),
        ("plugins/marketplaces/other/skills/build", "x-prompt.md"),
        (&format!("{cache}/1.0.0/skills/build"), "x-prompt.md"),
        (&format!("{cache}/1.1.0/skills/quality-gate"), "x-prompt.md"),
        (&format!("{cache}/1.1.0/skills/build"), "x-prompt.md"),
        (&format!("{cache}/1.1.0/skills/none"), "SKILL.md"),
        (&format!("{cache}/1.1.0/.hidden"), "x-prompt.md"),
        ("plugins/a/b/c/d/e/f/g/h", "x-prompt.md"),
        ("elsewhere", "x-prompt.md"),
    ] {
        install(&kit, at, name);
    }
    let list = format!(
        r#"{{"version":2,"plugins":{{"crucible@market":[{{"installPath":"{}"}}]}}}}"#,
        kit.root()
            .join("home/.claude")
            .join(cache)
            .join("1.1.0")
            .display()
    );
    install(&kit, "plugins", "installed_plugins.json");
    kit.write(
        &kit.root()
            .join("home/.claude/plugins/installed_plugins.json"),
        &list,
    );
    assert_eq!(
        folders(&kit),
        [
            &format!("{cache}/1.1.0/skills/build"),
            &format!("{cache}/1.1.0/skills/quality-gate"),
            &format!("{cache}/1.0.0/skills/build"),
            "plugins/marketplaces/other/skills/build",
            "skills/mine",
        ]
    );
}

#[test]
fn a_missing_dispatch_file_is_judged_by_its_template() {
    let skills = "plugins/marketplaces/crucible/skills/build";
    let table = [
        (
            Some("implementer-prompt.md"),
            Verdict::Warn,
            "implementer-prompt.md with its role",
        ),
        (
            Some("other-prompt.md"),
            Verdict::Fail,
            "no installed template is named implementer",
        ),
        (
            None,
            Verdict::Warn,
            "no installed templates were found here",
        ),
    ];
    for (name, verdict, text) in table {
        let kit = interrupted();
        std::fs::remove_file(kit.dispatch().join("4-implementer.md")).unwrap();
        if let Some(name) = name {
            install(&kit, skills, name);
        }
        let checks = kit.open().verify(&kit.world);
        let check = checks.iter().find(|check| check.id.0 == "F12").unwrap();
        assert_eq!(check.verdict, verdict, "{name:?}");
        assert!(check.evidence.lossy().contains(text), "{check:?}");
    }
}

#[test]
fn a_dispatch_without_a_template_cannot_be_regenerated() {
    let kit = interrupted();
    install(
        &kit,
        "plugins/crucible/skills/build",
        "implementer-prompt.md",
    );
    kit.manifest(&[
        r#"{"seq":4,"role":"implementer","phase":"3","status":"dispatched"}"#.to_owned(),
    ]);
    std::fs::remove_file(kit.dispatch().join("4-implementer.md")).unwrap();
    let checks = kit.open().verify(&kit.world);
    let check = checks.iter().find(|check| check.id.0 == "F12").unwrap();
    assert_eq!(check.verdict, Verdict::Fail);
}
