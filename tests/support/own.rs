//! The runner's own tests: what it builds is what the case says, and a wrong expectation fails.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use super::Trouble;
use super::asked::Answers;
use super::build::{Built, build};
use super::case::{Case, Expect, Fixture};
use super::compare::differences;
use super::harness::Test;

pub(crate) fn tests() -> Vec<Test> {
    vec![
        Test::new(
            "runner::builds_what_the_case_says",
            builds_what_the_case_says,
        ),
        Test::new(
            "runner::a_wrong_expectation_fails",
            a_wrong_expectation_fails,
        ),
        Test::new("runner::a_misspelt_key_fails", a_misspelt_key_fails),
    ]
}

fn made(case: &Value) -> Result<(Built, Case), Trouble> {
    let case: Case = serde_json::from_value(case.clone())?;
    let fixture = Fixture {
        name: "own".to_owned(),
        dir: Path::new("/nonexistent").to_owned(),
    };
    Ok((build(&fixture, &case)?, case))
}

fn builds_what_the_case_says() -> Result<(), Trouble> {
    let (built, case) = made(&json!({
        "about": "Everything at once.",
        "now": "2026-04-08T15:00:00Z",
        "age_s": 7200,
        "ages_s": {"proj/new": 60},
        "git": [{
            "dir": "proj", "branch": "main", "ignore": ["*.log"], "busy": "merge",
            "commits": [{"ref": "c1", "subject": "init", "at": "2026-04-08T09:00:00Z", "files": {"a": "1"}}],
            "branches": {"other": "c1"},
            "worktrees": [{"dir": "proj/.worktree/x", "branch": "feature/x"}],
        }],
        "shadow": [{
            "store": "home/@PH:proj@/s", "work_tree": "proj", "table": ["s2"],
            "commits": [
                {"ref": "s1", "reason": "one", "source": "build", "at": "2026-04-08T10:00:00Z", "files": {"a": "2"}},
                {"ref": "s2", "reason": "two", "source": "build", "at": "2026-04-08T11:00:00Z", "files": {"a": "3"}},
            ],
        }],
        "files": {"proj/new": "@OID:c1@ @R@ a@b @unknown@", "proj/@DH:proj@": "x"},
        "files_b64": {"bytes": "/wA="},
        "copies": {"half": {"from": "proj/new", "cut": 4}},
        "links": {"link": "@R@/proj"},
        "empty_dirs": ["empty"],
        "removed": ["proj/.gitignore"],
    }))?;
    let root = built.root();
    let shown = root.to_string_lossy();
    let id = built.words.ids.get("c1").cloned().unwrap_or_default();
    same(&id.len(), &40)?;
    let read =
        |path: &str| fs::read(root.join(path)).map_err(|why| Trouble(format!("{path}: {why}")));
    same(
        &read("proj/new")?,
        &format!("{id} {shown} a@b @unknown@").into_bytes(),
    )?;
    same(&read("half")?, &id.as_bytes()[..4].to_vec())?;
    same(&read("bytes")?, &vec![0xff, 0])?;
    same(&read("proj/a")?, &b"3".to_vec())?;
    same(&read("proj/.worktree/x/a")?, &b"1".to_vec())?;
    same(&read("proj/.git/MERGE_HEAD")?.len(), &41)?;
    same(&fs::read_link(root.join("link"))?, &root.join("proj"))?;
    same(&root.join("proj/.gitignore").exists(), &false)?;
    let folded = shown.replace(['/', '.'], "-") + "-proj";
    let table = read(&format!("home/{folded}/s/checkpoint-manifest.md"))?;
    same(&String::from_utf8_lossy(&table).lines().count(), &1)?;
    let age = |path: &str| -> Result<i64, Trouble> {
        let at = fs::metadata(root.join(path))?.modified()?;
        let at = chrono::DateTime::<chrono::Utc>::from(at);
        Ok(case.now.utc().signed_duration_since(at).num_seconds())
    };
    same(&age("proj/new")?, &60)?;
    for path in ["proj", "empty", "proj/.git/index", ""] {
        same(&age(path)?, &7200)?;
    }
    Ok(())
}

fn a_wrong_expectation_fails() -> Result<(), Trouble> {
    let found = json!({
        "system": "mgw", "native": "7", "status": "live", "badges": ["stale"], "points": ["a", "b"],
        "checks": {"M1": "pass", "M2": "warn"}, "findings": ["torn-line"],
        "plan": {"actions": ["replace_file"], "destructive": true},
    });
    let table: &[(Value, usize)] = &[
        (json!({}), 0),
        (json!({"status": "waiting"}), 1),
        (json!({"native": "8"}), 2),
        (json!({"badges": []}), 1),
        (json!({"points": ["b", "a"]}), 1),
        (json!({"checks": {"M2": "warn"}}), 0),
        (json!({"checks": {"M2": "pass", "M3": "pass"}}), 2),
        (json!({"findings": []}), 0),
        (json!({"findings": ["bad-line"]}), 1),
        (json!({"plan": {"destructive": true}}), 0),
        (json!({"plan": {"actions": []}}), 1),
        (json!({"title": "x"}), 1),
    ];
    for (change, expected) in table {
        let mut wanted = json!({"system": "mgw", "native": "7", "status": "live"});
        for (key, value) in change.as_object().into_iter().flatten() {
            wanted[key] = value.clone();
        }
        let expect: Expect = serde_json::from_value(json!({"pipelines": [wanted], "skipped": 0}))?;
        let answers = Answers {
            pipelines: found.as_object().cloned().into_iter().collect(),
            skipped: Vec::new(),
        };
        let lines = differences(&expect, &answers);
        if lines.len() != *expected {
            return Err(Trouble(format!("{change} gave {lines:?}")));
        }
    }
    Ok(())
}

fn a_misspelt_key_fails() -> Result<(), Trouble> {
    let case = json!({"about": "x", "now": "2026-04-08T15:00:00Z", "agse_s": 1});
    same(&serde_json::from_value::<Case>(case).is_err(), &true)
}

fn same<T: PartialEq + std::fmt::Debug>(found: &T, expected: &T) -> Result<(), Trouble> {
    if found == expected {
        return Ok(());
    }
    Err(Trouble(format!("expected {expected:?}, found {found:?}")))
}
