use super::*;

const V1: &str = include_str!("../../../assets/demo/templates/red-team-prompt.md");
const V2: &str = include_str!("../../../assets/demo/red-team-v2.md");
const V3: &str = include_str!("../../../assets/demo/red-team-v3.md");

fn dispatch(template: &str, when: &str, body: &str) -> String {
    format!(
        "# Dispatch: {template}\n**Pipeline:** build | **Phase:** 3 | **Task:** 4\n**Timestamp:** {when}\n**Dispatch-Dir:** /{when}/\n\n---\n{body}"
    )
}

/// Lets it answer in a tree: what it ended with and printed.
fn answer_in(tree: &Path, text: &str, session: &str) -> (Result<u8, String>, Vec<u8>) {
    let file = tree.join("dispatch.md");
    fs::write(&file, text).unwrap();
    let mut out = Vec::new();
    let call = Call {
        file: &file,
        session: Some(OsStr::new(session)),
        tree,
        stray: &|| Ok(()),
    };
    (run(&call, &mut out), out)
}

fn answer(text: &str, session: &str) -> String {
    let tree = crate::world::temporary::directory();
    let (status, out) = answer_in(tree.path(), text, session);
    assert_eq!(status, Ok(0));
    String::from_utf8(out).unwrap()
}

#[test]
fn time_and_folder_do_not_matter_and_the_repeat_does() {
    let text = |when| dispatch("red-team", when, V1);
    let first = answer(&text("2026-01-01"), "1775431900-1");
    assert_eq!(first, answer(&text("2027-02-02"), "1999999999-1"));
    assert_eq!(first, answer(&text("2026-01-01"), "1775431900"));
    let all: std::collections::BTreeSet<String> = (1..=8)
        .map(|repeat| answer(&text("x"), &format!("17-{repeat}")))
        .collect();
    assert!(all.len() > 3, "{all:?}");
}

#[test]
fn the_template_moves_the_odds() {
    assert!(odds::chance(V1) < 30, "{}", odds::chance(V1));
    assert!(odds::chance(V2) > 80 && odds::chance(V3) > 80);
    let passes = |template: &str| {
        let body = |repeat: u64| dispatch("red-team", "x", &format!("{template}\n{}", repeat / 20));
        let said = (0..200).map(|at| answer(&body(at), &format!("17-{}", at % 20 + 1)));
        said.filter(|said| {
            said.lines()
                .last()
                .is_some_and(|last| last.starts_with("PASS"))
        })
        .count()
    };
    let (before, after) = (passes(V1), passes(V2));
    assert!(before < 70 && after > 150, "{before} and {after} of 200");
}

#[test]
fn every_kind_of_work_has_its_answer() {
    let table = [
        ("code-reviewer", "PASS|FAIL", None),
        ("acceptance-tests", "PASS|FAIL", None),
        ("build-implementer", "Task 4: built", Some("task-4.md")),
        ("plan-writer", "Written: ", Some("plan-writer.md")),
        ("", "Written: ", Some("work.md")),
    ];
    for (template, begins, file) in table {
        let tree = crate::world::temporary::directory();
        let text = dispatch(template, "x", "Do it.\n");
        let (status, out) = answer_in(tree.path(), &text, "17");
        assert_eq!(status, Ok(0));
        let said = String::from_utf8(out).unwrap();
        let last = said.lines().last().unwrap();
        assert!(
            begins.split('|').any(|word| last.starts_with(word)),
            "{template}: {last}"
        );
        let made = fs::read_dir(tree.path().join(FOLDER)).map(|entries| {
            let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
            names.collect::<Vec<_>>()
        });
        assert_eq!(
            made.unwrap_or_default(),
            file.into_iter().collect::<Vec<_>>()
        );
    }
}

#[test]
fn a_summary_never_says_both() {
    for repeat in 1..=60 {
        for template in ["red-team", "acceptance-tests"] {
            let said = answer(&dispatch(template, "x", V1), &format!("17-{repeat}"));
            let last = said.lines().last().unwrap();
            let (pass, fail) = (last.contains("PASS"), last.contains("FAIL"));
            assert!(pass != fail, "{last}");
            let other = if pass { "failed" } else { "passed" };
            assert!(!last.contains(other), "{last}");
        }
    }
}

#[test]
fn it_works_in_a_replay_alone_and_never_beyond_a_link() {
    let tree = crate::world::temporary::directory();
    let elsewhere = crate::world::temporary::directory();
    let text = dispatch("build-implementer", "x", "Do it.\n");
    let file = tree.path().join("dispatch.md");
    fs::write(&file, &text).unwrap();
    for session in [None, Some(OsStr::new(""))] {
        let call = Call {
            file: &file,
            session,
            tree: tree.path(),
            stray: &|| Ok(()),
        };
        let refusal = run(&call, &mut Vec::new()).unwrap_err();
        assert!(refusal.contains("only answers dispatches of a replay"));
    }
    std::os::unix::fs::symlink(elsewhere.path(), tree.path().join(FOLDER)).unwrap();
    let (status, _) = answer_in(tree.path(), &text, "17");
    assert!(
        status
            .unwrap_err()
            .starts_with("stand-in/task-4.md cannot be written")
    );
    fs::remove_file(tree.path().join(FOLDER)).unwrap();
    fs::create_dir(tree.path().join(FOLDER)).unwrap();
    let target = elsewhere.path().join("target");
    std::os::unix::fs::symlink(&target, tree.path().join("stand-in/task-4.md")).unwrap();
    assert!(answer_in(tree.path(), &text, "17").0.is_err());
    assert_eq!(fs::read_dir(elsewhere.path()).unwrap().count(), 0);
}

#[test]
fn a_dispatch_may_ask_for_trouble() {
    let table = [
        ("stand-in: exit 3", Some(Directive::Exit(3))),
        ("text\n  - stand-in: hang\n", Some(Directive::Hang)),
        ("stand-in: flood", Some(Directive::Flood)),
        ("stand-in: garbage", Some(Directive::Garbage)),
        ("stand-in: leave a child", Some(Directive::Stray)),
        ("stand-in: crash", Some(Directive::Crash)),
        ("stand-in: exit 900", None),
        ("stand-in: dance", None),
        ("the stand-in: hang", None),
    ];
    for (text, asked) in table {
        assert_eq!(directive::of(text), asked, "{text}");
    }
    let tree = crate::world::temporary::directory();
    let body = |what: &str| dispatch("red-team", "x", &format!("stand-in: {what}\n"));
    assert_eq!(answer_in(tree.path(), &body("exit 3"), "17").0, Ok(3));
    let (status, out) = answer_in(tree.path(), &body("flood"), "17");
    assert!(status == Ok(0) && out.len() > FLOOD);
    let (status, out) = answer_in(tree.path(), &body("garbage"), "17");
    assert!(status == Ok(0) && String::from_utf8(out).is_err());
}
