//! Making sessions: the tree, its repository, what is written and what is left alone.

use std::os::unix::fs::PermissionsExt as _;

use super::super::{Session, all, find, group};
use super::kit::{Kit, dispatched, ended, now, seconds};
use crate::git::testing::{git, git_is_there};
use crate::model::{
    CheckpointKind, DispatchStatus, Merge, PipelineId, SessionId, SessionState, StepBody,
};
use crate::replay::run::Book as _;

#[test]
fn a_tree_is_the_checkpoint_in_a_repository_of_its_own() {
    if !git_is_there() {
        return;
    }
    let kit = Kit::new();
    let session = kit.create(&kit.plan());
    let tree = session.about.tree.clone().unwrap();
    let read = |name: &str| std::fs::read_to_string(tree.join(name)).unwrap();
    assert_eq!(
        read("src/a.rs"),
        "fn a() { 1 }\n",
        "as the checkpoint has it"
    );
    assert_eq!(read("src/new.rs"), "fn new() {}\n");
    let mode = |name: &str| tree.join(name).metadata().unwrap().permissions().mode() & 0o100;
    assert_eq!((mode("bin/run"), mode("README.md")), (0o100, 0));
    let link = std::fs::read_link(tree.join("link")).unwrap();
    assert_eq!(link.to_str(), Some("../../outside"));
    assert_eq!(tree.join("vendor").read_dir().unwrap().count(), 0);
    let said: Vec<String> = session
        .about
        .trouble
        .iter()
        .map(|text| text.lossy().into_owned())
        .collect();
    assert_eq!(
        said,
        ["vendor is not in the tree: it is a repository of its own and stays empty."]
    );
    // The judge.
    assert_eq!(
        git(&tree, &["status", "--porcelain=v1", "--branch"]),
        "## feat/cache\n M src/a.rs\n?? src/new.rs\n"
    );
    git(&tree, &["fsck", "--strict"]);
    std::fs::write(tree.join("mine.tmp"), "ignored as in the original\n").unwrap();
    assert_eq!(git(&tree, &["rev-parse", "HEAD"]).trim(), kit.commit);
    assert_eq!(git(&tree, &["log", "--format=%s"]), "First\n");
    git(&tree, &["add", "-A"]);
    git(&tree, &["commit", "-qm", "Replayed"]);
    assert_eq!(
        git(&tree, &["log", "--format=%an %s"]),
        "relight Replayed\nrelight First\n"
    );
    assert_eq!(git(&tree, &["status", "--porcelain"]), "");
}

#[test]
fn nothing_outside_relights_own_folder_changes() {
    if !git_is_there() {
        return;
    }
    let kit = Kit::new();
    let before = kit.others();
    let mut session = kit.create(&kit.plan());
    for step in 0..2 {
        drop(session.begin(step, 1).unwrap());
        session
            .end(step, &ended(DispatchStatus::Completed, "Done."))
            .unwrap();
    }
    let tree = session.about.tree.clone().unwrap();
    git(&tree, &["add", "-A"]);
    git(&tree, &["commit", "-qm", "Replayed"]);
    git(&tree, &["gc", "-q"]);
    session.close(SessionState::Done).unwrap();
    assert_eq!(kit.others(), before);
}

#[test]
fn a_session_folder_is_private_and_keeps_both_templates() {
    let kit = Kit::new();
    let session = kit.create(&kit.plan());
    let folder = session.about.folder.clone().unwrap();
    assert_eq!(
        folder,
        kit.state
            .join("relight/replays/crucible-1775430161~ab12")
            .join(seconds())
    );
    let mode = |name: &str| folder.join(name).metadata().unwrap().permissions().mode() & 0o777;
    for dir in ["", "dispatch", "outputs", "templates"] {
        assert_eq!(mode(dir), 0o700, "{dir}");
    }
    for file in ["session.json", "manifest.jsonl", "lock"] {
        assert_eq!(mode(file), 0o600, "{file}");
    }
    let template = |side: &str| {
        std::fs::read(
            folder
                .join("templates")
                .join(side)
                .join("build-implementer-prompt.md"),
        )
        .unwrap()
    };
    assert_eq!(template("original"), b"old\n");
    assert_eq!(template("replacement"), b"new \xff\n");
}

#[test]
fn an_identity_replay_writes_the_originals_bytes_but_for_timestamp_and_folder() {
    let kit = Kit::new();
    let mut session = kit.create(&kit.plan());
    let begun = session.begin(1, 1).unwrap();
    let written = std::fs::read_to_string(&begun.dispatch).unwrap();
    let original = dispatched(9, &kit.dispatch_dir());
    let dir = begun.dispatch.parent().unwrap().to_str().unwrap();
    assert_eq!(
        written,
        original
            .replace("2026-04-08T10:22:41Z", "2026-04-09T10:00:01Z")
            .replace(kit.dispatch_dir().to_str().unwrap(), dir)
    );
}

#[test]
fn the_pointer_is_one_line_and_leads_away_from_the_originals_folders() {
    let kit = Kit::new();
    let (work_tree, dir) = (kit.project.work_tree(), kit.dispatch_dir());
    let text = |body: &str| format!("# D\n**Dispatch-Dir:** {}\n\n---\n{body}\n", dir.display());
    let both = format!("In {} read {}/x.md.", work_tree.display(), dir.display());
    let mut plan = kit.plan();
    for (step, body) in plan.steps.iter_mut().zip(["Do it.", &both]) {
        step.body = StepBody::Ready(text(body).into_bytes());
    }
    let mut session = kit.create(&plan);
    let begun = session.begin(1, 1).unwrap();
    assert!(!begun.prompt.contains("instead"), "{}", begun.prompt);
    let written = std::fs::read_to_string(&begun.dispatch).unwrap();
    let own = |name: &str| session.folder.path.join(name).display().to_string();
    let named = format!("In {} read {}/x.md.\n", own("tree"), own("dispatch"));
    assert!(written.ends_with(&named), "{written}");
    drop(session);
    plan.ask.isolation.keep_paths = true;
    let group = SessionId("1".to_owned());
    let session = Session::create(&kit.ground(), &plan, (&group, None), &|_, _| {});
    let mut session = session.unwrap();
    for (step, mentions) in [(0, 0), (1, 2)] {
        let begun = session.begin(step, 1).unwrap();
        let named = [begun.dispatch.as_path(), begun.tree.as_path()];
        for path in named {
            assert!(
                begun.prompt.contains(path.to_str().unwrap()),
                "{}",
                begun.prompt
            );
        }
        assert_eq!(begun.prompt.lines().count(), 1);
        let said = begun.prompt.matches("instead").count();
        assert_eq!(said, mentions, "{}", begun.prompt);
    }
}

#[test]
fn the_manifest_is_continued_byte_for_byte() {
    let kit = Kit::new();
    let mut session = kit.create(&kit.plan());
    let manifest = session.about.manifest.clone();
    let before = std::fs::read_to_string(&manifest).unwrap();
    assert_eq!(before, format!("{}\n", super::kit::MANIFEST));
    let begun = session.begin(1, 1).unwrap();
    assert_eq!(begun.seq, 10);
    session.begin(0, 1).unwrap();
    session
        .end(1, &ended(DispatchStatus::Completed, "Task 9:\n9 tests"))
        .unwrap();
    let text = std::fs::read_to_string(&manifest).unwrap();
    let chars = std::fs::read_to_string(&begun.dispatch)
        .unwrap()
        .chars()
        .count();
    let eight = session.dispatch.1.join("11-build-implementer.md");
    let other = std::fs::read_to_string(eight).unwrap().chars().count();
    let id = seconds();
    let mutation = "\"build-implementer-prompt.md -> v2.md\"";
    assert_eq!(
        text.strip_prefix(&before).unwrap(),
        format!(
            "{{\"seq\":10,\"file\":\"10-build-implementer.md\",\"role\":\"implementer\",\"phase\":\"3\",\"task\":9,\"status\":\"dispatched\",\"duration_s\":null,\"summary\":null,\"input_chars\":{chars},\"output_chars\":null,\"model_tier\":null,\"tool_calls\":null,\"replay_of\":9,\"replay_session\":\"{id}\",\"mutation\":{mutation}}}\n\
             {{\"seq\":11,\"file\":\"11-build-implementer.md\",\"role\":\"implementer\",\"phase\":\"3\",\"task\":8,\"status\":\"dispatched\",\"duration_s\":null,\"summary\":null,\"input_chars\":{other},\"output_chars\":null,\"model_tier\":null,\"tool_calls\":null,\"replay_of\":8,\"replay_session\":\"{id}\",\"mutation\":null}}\n\
             {{\"seq\":10,\"file\":\"10-build-implementer.md\",\"role\":\"implementer\",\"phase\":\"3\",\"task\":9,\"status\":\"completed\",\"duration_s\":5,\"summary\":\"Task 9: 9 tests\",\"input_chars\":{chars},\"output_chars\":11,\"model_tier\":null,\"tool_calls\":null,\"replay_of\":9,\"replay_session\":\"{id}\",\"mutation\":{mutation}}}\n"
        )
    );
}

/// Makes a plan one that no session can be made of.
type Spoil = fn(&mut crate::model::ReplayPlan);

#[test]
fn a_create_that_fails_leaves_nothing() {
    let kit = Kit::new();
    let spoils: &[(&str, Spoil)] = &[
        ("a conflict", |plan| {
            plan.steps[0].body = StepBody::Conflict(Merge { pieces: Vec::new() });
        }),
        ("no checkpoint", |plan| {
            plan.experiment.starts[0].checkpoint = None;
        }),
        ("a store that is gone", |plan| {
            let checkpoint = plan.experiment.starts[0].checkpoint.as_mut().unwrap();
            checkpoint.kind = CheckpointKind::Shadow {
                store: "/nowhere".into(),
            };
        }),
        ("a commit that is gone", |plan| {
            plan.commit = Some("1".repeat(40));
        }),
        ("a manifest that is gone", |plan| {
            plan.experiment.manifest = plan.experiment.manifest.with_file_name("gone.jsonl");
        }),
    ];
    for (what, spoil) in spoils {
        let mut plan = kit.plan();
        spoil(&mut plan);
        kit.try_create(&plan).unwrap_err();
        assert_eq!(kit.all(), [], "{what}");
        let home = kit.state.join("relight/replays/crucible-1775430161~ab12");
        assert_eq!(home.read_dir().unwrap().count(), 0, "{what}");
    }
}

#[test]
fn ids_are_seconds_that_nobody_has() {
    let kit = Kit::new();
    let base = now().timestamp();
    let id = |seconds: i64| SessionId(seconds.to_string());
    let taken = [SessionId(format!("{base}-3"))];
    let next = group(&kit.ground(), &Kit::pipeline(), &taken).unwrap();
    assert_eq!(next, id(base + 1));
    let first = kit.create(&kit.plan()).about.id.clone();
    let second = kit.create(&kit.plan()).about.id.clone();
    assert_eq!((first, second), (id(base), id(base + 1)));
    let found: Vec<_> = kit.all().into_iter().map(|one| one.id).collect();
    assert_eq!(found, [id(base), id(base + 1)]);
}

#[test]
fn a_pipeline_with_an_odd_id_stays_in_its_own_folder() {
    let kit = Kit::new();
    let mut plan = kit.plan();
    plan.pipeline = PipelineId("crucible-../../../x~12".to_owned());
    let session = kit.create(&plan);
    let replays = kit.state.join("relight/replays");
    let folder = session.about.folder.clone().unwrap();
    assert_eq!(folder.parent().unwrap().parent(), Some(replays.as_path()));
    let found = all(&kit.world, &kit.state, &plan.pipeline).unwrap();
    assert_eq!(found.len(), 1);
}

#[test]
fn what_a_crash_left_half_made_is_no_session_and_goes_with_the_next() {
    let kit = Kit::new();
    let session = kit.create(&kit.plan());
    let folder = session.about.folder.clone().unwrap();
    drop(session);
    std::fs::remove_file(folder.join("session.json")).unwrap();
    assert_eq!(kit.all(), []);
    find::tidy(&kit.ground(), &Kit::pipeline(), None).unwrap();
    assert!(!folder.exists());
}

#[test]
fn what_a_crash_left_before_the_lock_goes_with_the_same_run_and_with_no_other() {
    let kit = Kit::new();
    let session = kit.create(&kit.plan());
    let id = session.about.id.clone();
    let folder = session.about.folder.clone().unwrap();
    drop(session);
    std::fs::remove_dir_all(&folder).unwrap();
    std::fs::create_dir(&folder).unwrap();
    find::tidy(&kit.ground(), &Kit::pipeline(), None).unwrap();
    assert!(folder.exists(), "another process may just have made it");
    find::tidy(&kit.ground(), &Kit::pipeline(), Some(&id)).unwrap();
    assert!(!folder.exists());
}

#[test]
fn what_dispatches_name_is_copied_and_what_is_too_large_is_said() {
    let kit = Kit::new();
    let dir = kit.dispatch_dir();
    std::fs::create_dir_all(dir.join("notes/deep")).unwrap();
    for file in ["notes/a.md", "notes/deep/b.md"] {
        std::fs::write(dir.join(file), file).unwrap();
    }
    std::os::unix::fs::symlink("/etc", dir.join("notes/link")).unwrap();
    let huge = std::fs::File::create(dir.join("huge.bin")).unwrap();
    huge.set_len((16 << 20) + 1).unwrap();
    let mut plan = kit.plan();
    let text = format!(
        "Read {0}/notes and {0}/huge.bin and write {0}/later.md .\n",
        dir.display()
    );
    let text = dispatched(8, &dir) + &text;
    plan.steps[0].body = StepBody::Ready(text.into_bytes());
    let session = kit.create(&plan);
    let own = session.about.folder.as_ref().unwrap().join("dispatch");
    for file in ["notes/a.md", "notes/deep/b.md"] {
        assert_eq!(std::fs::read_to_string(own.join(file)).unwrap(), file);
    }
    for file in ["notes/link", "huge.bin", "later.md"] {
        assert!(own.join(file).symlink_metadata().is_err(), "{file}");
    }
    let said = format!(
        "{}/huge.bin is named by a dispatch and was not copied (limits: 16.0 MiB a file, 2000 files and 64.0 MiB in all).",
        dir.display()
    );
    let trouble: Vec<_> = session
        .about
        .trouble
        .iter()
        .map(|text| text.lossy())
        .collect();
    assert!(trouble.contains(&said.as_str().into()), "{trouble:?}");
}
