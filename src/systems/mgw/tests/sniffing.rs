use crate::systems::mgw::tests::*;

fn natives(sniffed: &Sniffed) -> Vec<(String, usize)> {
    match sniffed {
        Sniffed::Ours(all) => all
            .iter()
            .map(|c| (c.native.lossy().into_owned(), c.sources.len()))
            .collect(),
        Sniffed::NotOurs(why) => panic!("not ours: {why:?}"),
    }
}

#[test]
fn one_candidate_for_each_issue_number() {
    let sandbox = Sandbox::new();
    for (name, text) in [
        ("active/57-a.json", r#"{"pipeline_stage":"planning"}"#),
        ("active/57-b.json", r#"{"pipeline_stage":"planning"}"#),
        ("active/57-list.json", "[1]"),
        ("completed/57-a.json", r#"{"pipeline_stage":"done"}"#),
        ("active/4-x.json", r#"{"checkpoint":null}"#),
        ("active/5-half.json", r#"{"pipeline_stage":"pla"#),
        ("active/6-x.json.tmp", r#"{"pipeline_stage":"new"}"#),
        ("active/8-foreign.json", r#"{"compilerOptions":{}}"#),
        ("active/9-list.json", "[1]"),
        ("active/notes.json", r#"{"pipeline_stage":"planning"}"#),
        ("active/10-x.txt", "x"),
    ] {
        sandbox.file(&format!(".mgw/{name}"), text);
    }
    let seen = natives(&sandbox.sniff(&sandbox.root.join(".mgw")));
    let expected = [
        ("4", 1),
        ("5", 1),
        ("6", 1),
        // Valid JSON that is not a state, next to a state file of its issue, is a damaged one. Those of 8 and 9 belong to
        // another tool, whatever other issues have.
        ("57", 4),
    ];
    assert_eq!(seen, expected.map(|(n, c)| (n.to_owned(), c)));
}

#[test]
fn foreign_folders_and_files_are_rejected() {
    for (files, accepted) in [
        (&[(".mgw/notes.txt", "x")][..], false),
        (&[(".mgw/active/4-x.json", r#"{"a":1}"#)][..], false),
        (&[(".mgw/project.json", "{}")][..], true),
        (&[(".mgw/cross-refs.json", "{}")][..], true),
        (&[(".mgw/active/README", "x")][..], true),
        (
            &[
                (".mgw/active/4-x.json", r#"{"a":1}"#),
                (".mgw/active/5-y.json", r#"{"pipeline_stage":"new"}"#),
            ][..],
            true,
        ),
    ] {
        let sandbox = Sandbox::new();
        for (path, text) in files {
            sandbox.file(path, text);
        }
        let sniffed = sandbox.sniff(&sandbox.root.join(".mgw"));
        assert_eq!(matches!(sniffed, Sniffed::Ours(_)), accepted, "{files:?}");
    }
}

#[test]
fn a_stray_folder_in_a_worktree_belongs_to_the_main_repository() {
    let mut sandbox = Sandbox::new();
    sandbox.git(1);
    sandbox.state("\"pipeline_stage\": \"executing\"");
    let stray = format!(".worktrees/{BRANCH}/{FILE}");
    sandbox.file(&stray, r#"{"pipeline_stage":"verifying"}"#);
    let tree = sandbox.root.join(".worktrees").join(BRANCH);
    let Sniffed::Ours(found) = sandbox.sniff(&tree.join(".mgw")) else {
        panic!("not ours");
    };
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].anchor, sandbox.root);
    assert_eq!(found[0].sources, [sandbox.root.join(&stray)]);
    let case = sandbox.open();
    assert_eq!(case.reading().state_files[0], sandbox.root.join(FILE));
    assert_eq!(case.reading().state_files.len(), 2);
    let codes: Vec<&str> = case.reading().findings.iter().map(|f| f.code).collect();
    assert!(codes.contains(&"stray-state") && codes.contains(&"duplicate-file"));
}

#[test]
fn a_person_may_name_a_state_file_a_folder_or_a_worktree() {
    let mut sandbox = Sandbox::new();
    sandbox.git(1);
    sandbox.state("\"pipeline_stage\": \"executing\"");
    sandbox.file(".mgw/active/4-x.json", r#"{"pipeline_stage":"new"}"#);
    let tree = format!(".worktrees/{BRANCH}");
    for (path, expected) in [
        (FILE, vec![("57".to_owned(), 1)]),
        (
            ".mgw/active",
            vec![("4".to_owned(), 1), ("57".to_owned(), 1)],
        ),
        ("", vec![("4".to_owned(), 1), ("57".to_owned(), 1)]),
    ] {
        assert_eq!(
            natives(&sandbox.sniff(&sandbox.root.join(path))),
            expected,
            "{path}"
        );
    }
    // The fake repository cannot report that a worktree is linked; its layout shows it.
    let named = sandbox.sniff(&sandbox.root.join(&tree));
    assert_eq!(natives(&named), [("57".to_owned(), 1)]);
}
