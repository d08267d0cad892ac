//! What is refused before anything starts, with words that say what to do.

use super::kit::{Kit, at};

use crate::git::scratch::Scratch;
use crate::model::{ErrorKind, ReplayAsk, ReplayFrom};

#[test]
fn words_that_do_not_fit_are_usage_errors() {
    let kit = Kit::new();
    std::fs::write(kit.path("binary.md"), b"\xff\xfe\0").unwrap();
    std::fs::write(kit.path("big.md"), vec![b'a'; (1 << 20) + 1]).unwrap();
    std::os::unix::fs::symlink(kit.path("new.md"), kit.path("link.md")).unwrap();
    let with = |edit: &dyn Fn(&mut ReplayAsk)| {
        let mut ask = kit.ask(&[("red-team.md", "new.md")]);
        edit(&mut ask);
        ask
    };
    let table: &[(&str, ReplayAsk)] = &[
        (
            "not a plain file name",
            kit.ask(&[("skills/red-team.md", "new.md")]),
        ),
        ("not a plain file name", kit.ask(&[("", "new.md")])),
        (
            "replaced more than once",
            kit.ask(&[("red-team.md", "new.md"), ("red-team.md", "identity.md")]),
        ),
        (
            "both name the template of dispatch 6",
            kit.ask(&[("red-team.md", "new.md"), ("red-team-prompt.md", "new.md")]),
        ),
        ("not found", kit.ask(&[("red-team.md", "gone.md")])),
        ("not UTF-8", kit.ask(&[("red-team.md", "binary.md")])),
        ("more than the", kit.ask(&[("red-team.md", "big.md")])),
        (
            "links are not followed",
            kit.ask(&[("red-team.md", "link.md")]),
        ),
        ("not a regular file", kit.ask(&[("red-team.md", "dd")])),
        ("has no effect", kit.ask(&[("nobody.md", "new.md")])),
        ("is not run again from phase-4", {
            let mut ask = kit.ask(&[("reviewer.md", "new.md")]);
            ask.from = ReplayFrom::Phase("4".to_owned());
            ask
        }),
        (
            "no dispatch 99",
            with(&|ask| ask.from = ReplayFrom::Seq(99)),
        ),
        (
            "begins phase 3.5",
            with(&|ask| ask.from = ReplayFrom::Phase("3.5".to_owned())),
        ),
        ("At least one", with(&|ask| ask.jobs = 0)),
        (
            "runs only once",
            with(&|ask| (ask.in_place, ask.repeat) = (true, 2)),
        ),
        ("No template would be replaced", {
            let mut ask = kit.ask(&[("red-team.md", "identity.md")]);
            ask.repeat = 10;
            ask
        }),
        ("No template would be replaced", {
            let mut ask = kit.ask(&[]);
            ask.template_ref = Some(kit.template_commits[0].clone());
            ask.repeat = 10;
            ask
        }),
        (
            "There is no directory",
            with(&|ask| ask.templates = Some("/nowhere/at/all".into())),
        ),
        (
            "not a single git revision",
            with(&|ask| ask.template_ref = Some("HEAD^{/x}".to_owned())),
        ),
        (
            "not a single git revision",
            with(&|ask| ask.template_ref = Some("--all".to_owned())),
        ),
        (
            "not a single git revision",
            with(&|ask| ask.template_ref = Some("a..b".to_owned())),
        ),
        (
            "not a single git revision",
            with(&|ask| ask.template_ref = Some("main:x".to_owned())),
        ),
    ];
    for (words, ask) in table {
        let refused = kit.plan(ask).unwrap_err();
        assert_eq!(refused.kind, ErrorKind::Usage, "{refused}");
        assert!(refused.text.lossy().contains(words), "{refused}");
    }
}

#[test]
fn what_the_disk_stands_against_is_refused() {
    let mut kit = Kit::new();
    let mut ask = kit.ask(&[("red-team.md", "new.md")]);
    for unknown in ["nosuch", "deadbeef", "v9"] {
        ask.template_ref = Some(unknown.to_owned());
        let refused = kit.plan(&ask).unwrap_err();
        assert!(
            refused.kind == ErrorKind::Refused && refused.text.lossy().contains(unknown),
            "{refused}"
        );
    }
    std::fs::create_dir(kit.path("loose")).unwrap();
    ask.templates = Some(kit.path("loose"));
    let refused = kit.plan(&ask).unwrap_err();
    assert!(
        refused.kind == ErrorKind::Refused
            && refused.text.lossy().contains("not in a git repository"),
        "{refused}"
    );
    ask.template_ref = None;
    ask.templates = None;
    std::fs::remove_file(kit.path("dd/6-red-team.md")).unwrap();
    std::os::unix::fs::symlink("/etc/passwd", kit.path("dd/6-red-team.md")).unwrap();
    let refused = kit.plan(&ask).unwrap_err();
    assert!(
        refused.kind == ErrorKind::Refused && refused.text.lossy().contains("cannot be read"),
        "{refused}"
    );
    kit.experiment.starts.clear();
    assert_eq!(kit.plan(&ask).unwrap_err().kind, ErrorKind::Refused);
}

#[test]
fn templates_are_found_beneath_the_named_folder_and_never_through_a_link() {
    let kit = Kit::new();
    let outside = Scratch::init(&kit.path("outside"), "main", at(0)).unwrap();
    let other: &[(&str, Option<&[u8]>)] = &[("red-team-prompt.md", Some(b"# elsewhere\n"))];
    outside.commit(other, "Other", "", at(0)).unwrap();
    let folder = kit.path("mine");
    std::fs::create_dir_all(folder.join("skills/build")).unwrap();
    std::os::unix::fs::symlink(outside.work_tree(), folder.join("link")).unwrap();
    let mut ask = kit.ask(&[("red-team.md", "new.md")]);
    ask.templates = Some(folder.clone());
    let plan = kit.plan(&ask).unwrap();
    assert_eq!(plan.mutations[0].template, None);
    assert_eq!(plan.conflicts().count(), 1);
    let text = super::kit::template("red-team");
    for place in ["skills/build", "skills", ""] {
        let path = folder.join(place).join("red-team-prompt.md");
        std::fs::write(&path, &text).unwrap();
        let plan = kit.plan(&ask).unwrap();
        assert_eq!(plan.conflicts().count(), 0, "{place}");
        std::fs::remove_file(path).unwrap();
    }
}

#[test]
fn another_version_of_the_plugin_may_hold_the_text_that_fits() {
    let mut kit = Kit::new();
    let old = kit.path("cache/1.0/skills/build");
    std::fs::create_dir_all(&old).unwrap();
    let text = super::kit::template("red-team").replace("Do the work", "Did the work");
    std::fs::write(old.join("red-team-prompt.md"), &text).unwrap();
    let file = kit.path("dd/6-red-team.md");
    let dispatch = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, dispatch.replace("Do the work", "Did the work")).unwrap();
    let ask = kit.ask(&[("red-team.md", "new.md")]);
    assert_eq!(kit.plan(&ask).unwrap().conflicts().count(), 1);
    kit.experiment.plugin_templates.push(old);
    let plan = kit.plan(&ask).unwrap();
    assert_eq!(plan.conflicts().count(), 0);
    assert_eq!(plan.mutations[0].template.as_deref(), Some(text.as_bytes()));
}
