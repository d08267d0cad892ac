//! A replay in place: the project's own tree, manifest and dispatch folder, and its locks.

use super::kit::{Kit, MANIFEST, ended, seconds};
use crate::apply::refs::RealRefs;
use crate::apply::session;
use crate::model::{DispatchStatus, ReplayPlan, SessionId, SessionState};
use crate::replay::run::Book as _;

fn plan(kit: &Kit) -> ReplayPlan {
    let mut plan = kit.plan();
    plan.ask.in_place = true;
    plan
}

#[test]
fn lines_and_files_are_added_to_the_originals_and_nothing_else_changes() {
    let kit = Kit::new();
    let dir = kit.dispatch_dir();
    // A number that was given out by nobody's line is taken all the same.
    std::fs::write(dir.join("12-spec-writer.md"), "theirs\n").unwrap();
    let before = kit.others();
    let mut session = kit.create(&plan(&kit));
    assert_eq!(session.about.tree.as_deref(), Some(kit.project.work_tree()));
    let begun = session.begin(1, 1).unwrap();
    assert_eq!(begun.dispatch, dir.join("13-build-implementer.md"));
    assert_eq!(begun.tree, kit.project.work_tree());
    session
        .end(1, &ended(DispatchStatus::Completed, "Done."))
        .unwrap();
    session.close(SessionState::Done).unwrap();
    let mut after = kit.others();
    assert!(after.remove(&begun.dispatch).is_some());
    let manifest = dir.join("manifest.jsonl");
    let (_, bytes) = after.get_mut(&manifest).unwrap();
    let text = String::from_utf8(std::mem::take(bytes)).unwrap();
    let added = text.strip_prefix(MANIFEST).unwrap();
    assert!(added.starts_with("\n{\"seq\":13,"), "{added}");
    assert_eq!(added.lines().count(), 3);
    *bytes = MANIFEST.as_bytes().to_vec();
    assert_eq!(after, before);
    let all = kit.all();
    assert!(all[0].in_place && all[0].manifest == manifest);
    assert_eq!(all[0].dispatches.done, 1);
}

#[test]
fn no_recovery_runs_meanwhile_and_none_may_be_under_way() {
    let kit = Kit::new();
    let ground = session::Context {
        disk: &kit.disk,
        refs: &RealRefs,
        state: &kit.state,
        root: kit.project.work_tree(),
        common_dir: None,
        me: rustix::process::geteuid().as_raw(),
        now: super::kit::now(),
        cancel: &crate::model::Cancel::new(),
    };
    let session = kit.create(&plan(&kit));
    assert!(session::Session::lock(&ground).is_err());
    drop(session);
    let recovery = session::Session::lock(&ground).unwrap();
    let error = kit.try_create(&plan(&kit)).unwrap_err();
    assert_eq!(error.kind(), std::io::ErrorKind::ResourceBusy);
    // The one before stays, the refused one does not.
    assert_eq!(kit.all().len(), 1);
    let id = SessionId(seconds());
    let error = kit.reopen(&id).unwrap_err();
    assert_eq!(error.kind(), std::io::ErrorKind::ResourceBusy);
    drop(recovery);
    kit.reopen(&id).unwrap();
}

#[test]
fn another_ones_dispatch_file_is_never_written_over() {
    let kit = Kit::new();
    let mut session = kit.create(&plan(&kit));
    let theirs = kit.dispatch_dir().join("10-build-implementer.md");
    std::fs::write(&theirs, "theirs\n").unwrap();
    let Err(error) = session.begin(0, 1) else {
        panic!("it was written over");
    };
    assert_eq!(error.kind(), std::io::ErrorKind::AlreadyExists);
    assert_eq!(std::fs::read(&theirs).unwrap(), b"theirs\n");
}
