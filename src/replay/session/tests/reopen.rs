//! Continuing sessions: after a crash anywhere, after a cancel, and never twice at once.

use std::io::Write as _;

use super::kit::{Kit, ended, seconds};
use crate::model::{DispatchCounts, DispatchStatus, SessionId, SessionState, StepState};
use crate::replay::run::Book as _;

fn id() -> SessionId {
    SessionId(seconds())
}

fn states(session: &super::super::Session<'_>) -> Vec<(StepState, Option<u64>)> {
    let steps = session.steps().into_iter();
    steps
        .map(|step| (step.progress.state, step.progress.seq))
        .collect()
}

/// Something that is done to a session.
type Act = fn(&mut super::super::Session<'_>);

/// How the two steps stand, and under which numbers.
type Stand = [(StepState, Option<u64>); 2];

#[test]
fn a_session_that_is_dropped_anywhere_goes_on_where_it_was() {
    use StepState::{Completed, Failed, Waiting};
    let begin: Act = |session| drop(session.begin(0, 1).unwrap());
    let end: Act = |session| {
        session
            .end(0, &ended(DispatchStatus::Completed, "One."))
            .unwrap();
    };
    let both: Act = |session| {
        drop(session.begin(1, 1).unwrap());
        session
            .end(1, &ended(DispatchStatus::Failed, "Two."))
            .unwrap();
    };
    let table: &[(&[Act], Stand)] = &[
        (&[], [(Waiting, None), (Waiting, None)]),
        (&[begin], [(Waiting, Some(10)), (Waiting, None)]),
        (&[begin, end], [(Completed, Some(10)), (Waiting, None)]),
        (
            &[begin, end, both],
            [(Completed, Some(10)), (Failed, Some(11))],
        ),
        (&[both], [(Waiting, None), (Failed, Some(10))]),
        (&[begin, both], [(Waiting, Some(10)), (Failed, Some(11))]),
    ];
    for (acts, want) in table {
        let kit = Kit::new();
        let mut session = kit.create(&kit.plan());
        acts.iter().for_each(|act| act(&mut session));
        drop(session);
        assert_eq!(kit.all()[0].state, SessionState::Interrupted);
        let (session, plan) = kit.reopen(&id()).unwrap();
        assert_eq!(states(&session), want);
        assert_eq!(plan.steps, kit.plan().steps);
        assert_eq!(plan.mutations, kit.plan().mutations);
        assert_eq!(plan.runner, kit.plan().runner);
        assert_eq!(plan.begin(), kit.plan().begin());
        assert_eq!(plan.ask.resolutions, kit.plan().ask.resolutions);
        assert_eq!(plan.ask.isolation, kit.plan().ask.isolation);
    }
}

#[test]
fn a_dispatch_that_was_lost_runs_anew_under_its_number() {
    let kit = Kit::new();
    let mut session = kit.create(&kit.plan());
    let mut begun = session.begin(0, 1).unwrap();
    begun.output.write_all(b"half an ans").unwrap();
    drop(begun);
    drop(session);
    let (mut session, _) = kit.reopen(&id()).unwrap();
    let again = session.begin(0, 1).unwrap();
    assert_eq!(again.seq, 10);
    assert_eq!(std::fs::read(&again.output_path).unwrap(), b"");
    let outputs = again.output_path.parent().unwrap();
    assert_eq!(
        std::fs::read(outputs.join("10.1.txt")).unwrap(),
        b"half an ans"
    );
    session
        .end(0, &ended(DispatchStatus::Completed, "One."))
        .unwrap();
    assert_eq!(session.begin(1, 1).unwrap().seq, 11);
    let text = std::fs::read_to_string(&session.about.manifest).unwrap();
    let statuses: Vec<&str> = ["\"seq\":10,", "\"seq\":11,"]
        .into_iter()
        .flat_map(|seq| text.lines().filter(move |line| line.contains(seq)))
        .map(|line| {
            if line.contains("\"dispatched\"") {
                "d"
            } else {
                "c"
            }
        })
        .collect();
    assert_eq!(statuses, ["d", "d", "c", "d"]);
}

#[test]
fn a_torn_line_is_closed_and_its_number_not_given_out_again() {
    for torn in [
        "{\"seq\":10,\"file\":\"10-bu",
        "{\"seq\":10,\"file\":\"10-bu\0\0\0",
    ] {
        let kit = Kit::new();
        let session = kit.create(&kit.plan());
        let manifest = session.about.manifest.clone();
        drop(session);
        let mut file = std::fs::OpenOptions::new()
            .append(true)
            .open(&manifest)
            .unwrap();
        file.write_all(torn.as_bytes()).unwrap();
        let before = std::fs::read_to_string(&manifest).unwrap();
        let (mut session, _) = kit.reopen(&id()).unwrap();
        assert_eq!(session.begin(0, 1).unwrap().seq, 11);
        let text = std::fs::read_to_string(&manifest).unwrap();
        let added = text.strip_prefix(&before).unwrap();
        assert!(added.starts_with("\n{\"seq\":11,"), "{added}");
        assert_eq!(states(&session)[0], (StepState::Waiting, Some(11)));
    }
}

#[test]
fn what_a_crash_leaves_between_two_writes_is_no_hindrance() {
    // The dispatch file is there and no line names it; it was being written; the output was just made; the record
    // of an end was being written; a torn output of an attempt before.
    let table: &[&[&str]] = &[
        &["dispatch/10-build-implementer.md"],
        &["dispatch/.10-build-implementer.md.relight"],
        &["outputs/10.txt", "dispatch/10-build-implementer.md"],
        &["outputs/10.txt", "outputs/10.1.txt"],
        &[".ended.json.relight"],
    ];
    for left in table {
        let kit = Kit::new();
        let session = kit.create(&kit.plan());
        let folder = session.about.folder.clone().unwrap();
        drop(session);
        for file in *left {
            std::fs::write(folder.join(file), "left behind\n").unwrap();
        }
        assert_eq!(kit.all()[0].state, SessionState::Interrupted, "{left:?}");
        let (mut session, _) = kit.reopen(&id()).unwrap();
        let begun = session.begin(0, 1).unwrap();
        assert_eq!(begun.seq, 10, "{left:?}");
        let text = std::fs::read_to_string(&begun.dispatch).unwrap();
        assert!(
            text.starts_with("# Dispatch: build-implementer\n"),
            "{text}"
        );
        assert_eq!(std::fs::read(&begun.output_path).unwrap(), b"", "{left:?}");
        session
            .end(0, &ended(DispatchStatus::Completed, "One."))
            .unwrap();
        session.close(SessionState::Cancelled).unwrap();
        drop(session);
        assert_eq!(kit.all()[0].state, SessionState::Cancelled, "{left:?}");
    }
}

#[test]
fn one_session_is_held_once() {
    let kit = Kit::new();
    let session = kit.create(&kit.plan());
    assert_eq!(kit.all()[0].state, SessionState::Running);
    let error = kit.reopen(&id()).unwrap_err();
    assert_eq!(error.kind(), std::io::ErrorKind::ResourceBusy);
    drop(session);
    kit.reopen(&id()).unwrap();
}

#[test]
fn an_end_is_recorded_and_removed_when_the_session_continues() {
    let kit = Kit::new();
    let mut session = kit.create(&kit.plan());
    drop(session.begin(0, 1).unwrap());
    session
        .end(0, &ended(DispatchStatus::Error, "Out of time."))
        .unwrap();
    session.close(SessionState::Cancelled).unwrap();
    let about = session.about.clone();
    drop(session);
    assert_eq!(kit.all(), std::slice::from_ref(&about));
    assert_eq!(
        about.dispatches,
        DispatchCounts {
            error: 1,
            left: 1,
            ..DispatchCounts::default()
        }
    );
    drop(kit.reopen(&id()).unwrap());
    assert_eq!(kit.all()[0].state, SessionState::Interrupted);
    let (mut session, _) = kit.reopen(&id()).unwrap();
    drop(session.begin(1, 1).unwrap());
    session
        .end(1, &ended(DispatchStatus::Completed, "Two."))
        .unwrap();
    session.close(SessionState::Done).unwrap();
    drop(session);
    assert_eq!(kit.all()[0].state, SessionState::Done);
    assert!(kit.all()[0].ended_at.is_some());
}

#[test]
fn what_cannot_be_read_is_said_and_hides_nothing() {
    for (file, text) in [
        ("session.json", "{"),
        ("session.json", "{\"schema\":2}"),
        ("ended.json", "{}"),
    ] {
        let kit = Kit::new();
        let first = kit.create(&kit.plan()).about.clone();
        drop(kit.create(&kit.plan()));
        std::fs::write(first.folder.unwrap().join(file), text).unwrap();
        let all = kit.all();
        assert_eq!(all.len(), 2, "{file}");
        assert_eq!(all[0].state, SessionState::Unreadable, "{file}");
        assert_eq!(all[0].trouble.len(), 1);
        assert_eq!(all[1].state, SessionState::Interrupted);
    }
}

#[test]
fn without_a_runner_everything_is_written_and_handed_over() {
    let kit = Kit::new();
    let mut plan = kit.plan();
    plan.runner = None;
    let mut session = kit.create(&plan);
    session.hand_over().unwrap();
    let about = session.about.clone();
    drop(session);
    assert_eq!(about.state, SessionState::HandedOver);
    let handoff = about.handoff.clone().unwrap();
    assert_eq!(Some(&handoff.cwd), about.tree.as_ref());
    let briefing = handoff.briefing.lossy().into_owned();
    // The prompt alone reaches the agent.
    let named = handoff.briefing_file.as_ref().unwrap();
    assert_eq!(std::fs::read_to_string(named).unwrap(), briefing);
    let prompt = handoff.prompt.lossy();
    assert!(prompt.contains(&*named.to_string_lossy()), "{prompt}");
    let count = format!("the {} dispatches of", about.dispatches.open());
    assert!(prompt.contains(&count), "{prompt}");
    let mut lines = briefing.lines();
    let line = lines.find_map(|line| crate::formats::json::object(line.as_bytes()).ok());
    assert_eq!(line.unwrap()["seq"], 10);
    for file in ["10-build-implementer.md", "11-build-implementer.md"] {
        assert!(briefing.contains(file), "{briefing}");
        assert!(
            about
                .folder
                .as_ref()
                .unwrap()
                .join("dispatch")
                .join(file)
                .exists()
        );
    }
    assert_eq!(kit.all(), std::slice::from_ref(&about));
    // Whoever ran them wrote it down.
    let line = |(seq, of)| {
        let status = "\"status\":\"completed\"";
        let id = &about.id;
        format!("{{\"seq\":{seq},{status},\"replay_of\":{of},\"replay_session\":\"{id}\"}}\n")
    };
    let lines = [(10, 8), (11, 9)].map(line).concat();
    let mut file = std::fs::OpenOptions::new()
        .append(true)
        .open(&about.manifest)
        .unwrap();
    file.write_all(lines.as_bytes()).unwrap();
    let now = &kit.all()[0];
    assert_eq!((now.state, now.dispatches.done), (SessionState::Done, 2));
}

#[test]
fn a_dispatch_that_is_tried_again_begins_with_the_tree_as_it_was() {
    let kit = Kit::new();
    let mut session = kit.create(&kit.plan());
    let tree = session.about.tree.clone().unwrap();
    let (kept, left) = (tree.join("src/a.rs"), tree.join("left.txt"));
    let before = std::fs::read(&kept).unwrap();
    session.begin(0, 1).unwrap();
    std::fs::write(&kept, "broken").unwrap();
    std::fs::write(&left, "half").unwrap();
    session
        .end(0, &ended(DispatchStatus::Error, "cut"))
        .unwrap();
    session.begin(0, 2).unwrap();
    assert_eq!(std::fs::read(&kept).unwrap(), before);
    assert!(!left.exists());
    // What it did counts for the next dispatch, and stays also where that one is cut short.
    std::fs::write(&left, "whole").unwrap();
    session
        .end(0, &ended(DispatchStatus::Completed, "done"))
        .unwrap();
    session.begin(1, 1).unwrap();
    std::fs::write(&kept, "broken again").unwrap();
    let id = session.about.id.clone();
    drop(session);
    let (mut session, _) = kit.reopen(&id).unwrap();
    session.begin(1, 1).unwrap();
    assert_eq!(std::fs::read(&kept).unwrap(), before);
    assert_eq!(std::fs::read(&left).unwrap(), b"whole");
    session
        .end(1, &ended(DispatchStatus::Completed, "done"))
        .unwrap();
    let copy = session.folder.path.join("before");
    assert!(copy.exists());
    session.close(SessionState::Done).unwrap();
    assert!(!copy.exists());
}

#[test]
fn what_an_unreadable_manifest_records_is_unknown_and_not_left() {
    let kit = Kit::new();
    drop(kit.create(&kit.plan()));
    let manifest = kit.all()[0].manifest.clone();
    std::fs::remove_file(&manifest).unwrap();
    std::fs::create_dir(&manifest).unwrap();
    let one = kit.all().remove(0);
    assert_eq!(one.dispatches.words(), "2 unknown");
    assert_eq!(one.dispatches.open(), 2);
    let said = one.trouble.last().unwrap().lossy().into_owned();
    assert!(said.contains(manifest.to_str().unwrap()), "{said}");
}

#[test]
fn what_is_run_by_hand_is_not_handed_over_while_its_manifest_cannot_be_read() {
    let kit = Kit::new();
    let mut plan = kit.plan();
    plan.runner = None;
    let mut session = kit.create(&plan);
    session.hand_over().unwrap();
    let before = session.about.clone();
    drop(session);
    let aside = before.manifest.with_extension("aside");
    std::fs::rename(&before.manifest, &aside).unwrap();
    std::fs::create_dir(&before.manifest).unwrap();
    let one = kit.all().remove(0);
    assert_eq!((one.state, one.handoff), (SessionState::Unreadable, None));
    let said = one.trouble.last().unwrap().lossy().into_owned();
    assert!(
        said.ends_with("Repair it before you run a dispatch."),
        "{said}"
    );
    std::fs::remove_dir(&before.manifest).unwrap();
    std::fs::rename(&aside, &before.manifest).unwrap();
    assert_eq!(kit.all(), [before]);
}

#[test]
fn a_run_whose_manifest_lost_ends_is_not_done_and_runs_them_again() {
    let kit = Kit::new();
    let mut session = kit.create(&kit.plan());
    for step in 0..2 {
        drop(session.begin(step, 1).unwrap());
        let end = ended(DispatchStatus::Completed, "PASS");
        session.end(step, &end).unwrap();
    }
    session.close(SessionState::Done).unwrap();
    drop(session);
    let manifest = kit.all()[0].manifest.clone();
    let whole = std::fs::read(&manifest).unwrap();
    let torn = whole.len() - 10;
    for (kept, left) in [(whole.len(), 0), (torn, 1), (0, 2)] {
        std::fs::write(&manifest, &whole[..kept]).unwrap();
        let one = kit.all().remove(0);
        assert_eq!(one.dispatches.left, left);
        let expected = if left == 0 {
            SessionState::Done
        } else {
            SessionState::Interrupted
        };
        let mut texts = one.trouble.iter().map(|text| text.lossy());
        let said = texts.any(|text| text.contains("its manifest lacks the end"));
        assert_eq!((one.state, said), (expected, left > 0));
    }
    let (session, _) = kit.reopen(&id()).unwrap();
    let waiting = states(&session)
        .iter()
        .filter(|(state, _)| *state == StepState::Waiting)
        .count();
    assert_eq!(waiting, 2);
}
