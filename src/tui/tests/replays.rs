//! Replays, key by key: what starts programs, what stops them, what a conflict needs.

use super::acting::{console, word};
use super::comparing::asked_sides;
use super::harness::{Console, top_as};
use super::made_up::{MadeUp, replays};
use crate::model::{Resolved, StepBody};
use crate::tui::keys::Key;
use crate::tui::msg::{Effect, Msg, Query, Reply, Signal, Ticket};
use crate::tui::screens::question::{Ask, Question};
use crate::tui::screens::replaying::ReplayRun as Run;
use crate::tui::screens::replays::ReplaysScreen;

pub(super) const LIST: &str = "/ p r i c e enter V";

pub(super) fn top(console: &Console) -> &'static str {
    match console.state.top().name() {
        "pipelines" => "list",
        "new replay" => "form",
        "replay plan" => "plan",
        "what to compare" => "operands",
        "difference" => "diff",
        "hand-off" => "handoff",
        name => name,
    }
}

#[test]
fn what_was_cut_short_stands_first_and_the_rest_newest_first() {
    let (mut console, _) = console(MadeUp::default());
    console.press(LIST);
    let Some(screen) = console.state.layers.top_as::<ReplaysScreen>() else {
        panic!("{}", top(&console));
    };
    let rows: Vec<&str> = screen.rows.iter().map(|row| row.id().0.as_str()).collect();
    let expected = [
        "1795248000",
        "1795233600",
        "1795244400",
        "1795226400",
        "1795258800",
        "1795255200",
        "1795240800",
    ];
    assert_eq!(rows, expected);
    // The runs of an experiment are listed under it.
    console.press("G k l");
    let screen = top_as::<ReplaysScreen>(&console);
    assert_eq!(screen.rows.len(), expected.len() + 5);
    console.press("j j h");
    let screen = top_as::<ReplaysScreen>(&console);
    assert_eq!(screen.rows.len(), expected.len());
    assert_eq!(screen.cursor.key().unwrap().id().0, "1795255200");
}

#[test]
fn nothing_runs_before_a_yes() {
    // Keys from the plan, what is on top then, what was asked to run.
    let table: &[(&str, &str, &[&str])] = &[
        ("A", "question", &[]),
        ("A n", "plan", &[]),
        ("A enter", "plan", &[]),
        ("A esc", "plan", &[]),
        ("A A A", "question", &[]),
        ("A q", "plan", &[]),
        ("A y", "progress", &["replay 10"]),
        ("A y esc", "replays", &["replay 10"]),
    ];
    for (keys, expected, ran) in table {
        let (mut console, asked) = console(MadeUp::default());
        console.press(LIST).press("n p").press(keys);
        assert_eq!(top(&console), *expected, "{keys}");
        assert_eq!(*asked.lock().unwrap(), *ran, "{keys}");
    }
}

#[test]
fn an_open_conflict_keeps_a_replay_from_running_until_it_is_resolved() {
    let (mut console, asked) = console(MadeUp::default());
    console.press(LIST).press("n j enter v 2 enter p A");
    assert_eq!(top(&console), "plan");
    assert!(
        word(&console).starts_with("2 conflicts are open"),
        "{}",
        word(&console)
    );
    console.press("enter");
    assert_eq!(top(&console), "conflict");
    console.press("R A");
    assert!(
        word(&console).starts_with("1 conflict is open"),
        "{}",
        word(&console)
    );
    console.press("j enter O A");
    assert_eq!(top(&console), "question");
    let Some(question) = console.state.layers.top_as::<Question>() else {
        panic!("{}", top(&console));
    };
    let Ask::Replay { plan, command, .. } = &question.ask else {
        panic!("{:?}", question.ask);
    };
    let ready = |body: &StepBody| matches!(body, StepBody::Ready(_));
    assert!(plan.steps.iter().all(|step| ready(&step.body)));
    let resolved: Vec<_> = plan.ask.resolutions.iter().map(|one| &one.how).collect();
    assert_eq!(resolved, [&Resolved::Replacement, &Resolved::Original]);
    let command = command.as_ref().unwrap().as_str();
    assert!(
        command.contains("--resolve 5=replacement --resolve 10=original"),
        "{command}"
    );
    console.press("y");
    assert_eq!(*asked.lock().unwrap(), ["replay 10"]);
}

#[test]
fn an_edited_text_resolves_only_without_its_marks() {
    let table: &[(Option<&[u8]>, &str)] = &[
        (None, "Not changed in the editor"),
        (
            Some(b"a\n<<<<<<< the original dispatch\nb\n"),
            "Conflict markers are left",
        ),
        (
            Some(b"all resolved\n"),
            "Dispatch 5: resolved with your text.",
        ),
    ];
    for (edited, said) in table {
        let (mut console, _) = console(MadeUp::default());
        console.press(LIST).press("n j enter v 2 enter p enter e");
        let (ticket, text) = match console.outside.pop() {
            Some(Effect::Edit(ticket, text)) => (ticket, text),
            other => panic!("{other:?}"),
        };
        assert!(String::from_utf8_lossy(&text).contains("||||||| the template\nLook for"));
        let text = edited.map_or(text, <[u8]>::to_vec);
        console.send(Msg::Reply(ticket, Reply::Edited(Ok(text))));
        assert!(word(&console).starts_with(said), "{}", word(&console));
    }
}

#[test]
fn only_one_that_was_cut_short_is_continued_and_only_after_a_yes() {
    let (mut console, asked) = console(MadeUp::default());
    console.press(LIST).press("c n");
    assert_eq!(top(&console), "replays");
    assert!(asked.lock().unwrap().is_empty());
    console.press("c y");
    assert_eq!(*asked.lock().unwrap(), ["continue 1795248000"]);
    assert_eq!(top(&console), "progress");
    console.press("esc G c");
    assert!(word(&console).contains("manually"), "{}", word(&console));
    console.press("H");
    assert_eq!(top(&console), "handoff");
    console.press("esc k c");
    assert!(word(&console).contains("is complete"), "{}", word(&console));
    assert_eq!(asked.lock().unwrap().len(), 1);
}

/// A console in which a replay was begun and has told how far it is, with its request.
pub(super) fn under_way() -> (Console, Ticket) {
    let (mut console, _) = console(MadeUp::default());
    console.press(LIST).press("n p A");
    let effects = console.ask(Msg::Key(Key::parse("y").unwrap()));
    let ticket = effects.iter().find_map(|effect| match effect {
        Effect::Ask(ticket, Query::Replay(..)) => Some(*ticket),
        _ => None,
    });
    let ticket = ticket.unwrap();
    drop(console.ask(Msg::Reply(ticket, Reply::Replaying(replays::progress(5)))));
    (console, ticket)
}

#[test]
fn leaving_its_screen_does_not_stop_a_replay_and_the_header_says_that_it_runs() {
    let (mut console, ticket) = under_way();
    console.press("esc esc esc");
    assert_eq!(top(&console), "list");
    assert!(console.state.busy());
    assert!(
        console.text().contains("► replay 13 of 45"),
        "{}",
        console.text()
    );
    assert!(
        !console
            .state
            .replaying
            .as_ref()
            .unwrap()
            .cancel
            .is_cancelled()
    );
    // A second one is refused meanwhile.
    console.press("V n p A");
    assert!(
        word(&console).contains("A replay is running"),
        "{}",
        word(&console)
    );
    // Its end is said wherever the person is, and stays in the header until it was seen.
    console.send(Msg::Reply(
        ticket,
        Reply::Replayed(Ok(replays::ran(5, false))),
    ));
    assert!(word(&console).contains("ended"), "{}", word(&console));
    console.press("j");
    assert!(
        console.text().contains("✓ replay ended"),
        "{}",
        console.text()
    );
    console.press("esc esc w");
    assert_eq!(top(&console), "progress");
    console.press("enter");
    assert_eq!(
        asked_sides(&console),
        (Some("original"), Some("1795262400"))
    );
    console.press("esc esc");
    assert!(!console.text().contains("replay ended"));
}

#[test]
fn dispatches_of_less_than_a_second_leave_less_than_a_minute_and_not_nothing() {
    let (mut console, ticket) = under_way();
    let mut progress = replays::progress(5);
    for step in progress.sessions.iter_mut().flat_map(|one| &mut one.steps) {
        step.duration_s = step.duration_s.map(|_| 0);
    }
    console.send(Msg::Reply(ticket, Reply::Replaying(progress)));
    let text = console.text();
    assert!(text.contains("Running; less than a minute left"), "{text}");
}

#[test]
fn a_replay_is_stopped_only_after_a_yes() {
    let (mut console, ticket) = under_way();
    console.press("x n");
    let running = |console: &Console| console.state.replaying.clone().unwrap();
    assert!(!running(&console).cancel.is_cancelled());
    assert_eq!(word(&console), "Not confirmed: the replay keeps running.");
    console.press("x y");
    assert!(running(&console).cancel.is_cancelled());
    assert!(matches!(running(&console).run, Run::Stopping));
    console.send(Msg::Reply(
        ticket,
        Reply::Replayed(Ok(replays::ran(1, true))),
    ));
    assert!(
        word(&console).contains("can be continued"),
        "{}",
        word(&console)
    );
    assert!(!console.state.busy());
}

#[test]
fn leaving_the_console_asks_first_and_waits_until_the_replay_has_stopped() {
    for keys in ["esc esc esc q", "ctrl-c"] {
        let (mut console, ticket) = under_way();
        console.press(keys);
        assert_eq!(top(&console), "question", "{keys}");
        assert!(!console.outside.contains(&Effect::Quit));
        console.press("n");
        assert!(
            !console
                .state
                .replaying
                .as_ref()
                .unwrap()
                .cancel
                .is_cancelled()
        );
        console.press("ctrl-c y");
        assert!(!console.outside.contains(&Effect::Quit));
        assert!(
            console
                .state
                .replaying
                .as_ref()
                .unwrap()
                .cancel
                .is_cancelled()
        );
        console.send(Msg::Reply(
            ticket,
            Reply::Replayed(Ok(replays::ran(1, true))),
        ));
        assert!(console.outside.contains(&Effect::Quit));
    }
    // Asked from outside there is nobody to answer.
    let (mut console, ticket) = under_way();
    console.send(Msg::Signal(Signal::End));
    assert!(
        console
            .state
            .replaying
            .as_ref()
            .unwrap()
            .cancel
            .is_cancelled()
    );
    console.send(Msg::Reply(
        ticket,
        Reply::Replayed(Ok(replays::ran(1, true))),
    ));
    assert!(console.outside.contains(&Effect::Quit));
}

#[test]
fn y_copies_the_command_that_gives_the_same() {
    let id = replays::id().0;
    let table = [
        ("y", format!("relight compare {id} original 1795248000")),
        (
            "space j space y",
            format!("relight compare {id} 1795248000 1795233600"),
        ),
        (
            "enter y",
            format!("relight compare {id} original 1795248000"),
        ),
        ("C g j y", format!("relight compare {id} 1795248000")),
        ("enter 3 y", "src/cache.rs".to_owned()),
        (
            "n j enter / t m p / v 2 . m d enter p y",
            format!(
                "relight replay {id} --mutate red-team-prompt.md=/tmp/v2.md --repeat 10 --dry-run"
            ),
        ),
    ];
    for (keys, expected) in table {
        let (mut console, _) = console(MadeUp::default());
        console.press(LIST).press(keys);
        match console.outside.pop() {
            Some(Effect::Copy(text, _)) => assert_eq!(text[0].as_str(), expected, "{keys}"),
            other => panic!("{keys}: {other:?}"),
        }
    }
}

#[test]
fn a_system_that_cannot_be_replayed_says_so_and_still_compares() {
    let (mut console, _) = console(MadeUp::default());
    console.press("/ t o k e n enter V n");
    assert!(
        console.text().contains("not supported"),
        "{}",
        console.text()
    );
    console.press("esc C");
    assert_eq!(top(&console), "operands");
}

#[test]
fn an_experiment_is_compared_continued_extended_and_deleted_as_a_whole() {
    // Keys from the list, what is on top then, what was asked.
    let table: &[(&str, &str, &[&str])] = &[
        ("j j enter", "replays", &[]),
        ("j j c", "question", &[]),
        ("j j c y", "progress", &["extend 1795244400 0"]),
        ("j j +", "question", &[]),
        ("j j + y", "progress", &["extend 1795244400 5"]),
        ("j j + n", "replays", &[]),
        // It has a verdict.
        ("G k k +", "replays", &[]),
        // One arm alone has no blocks.
        ("G k +", "replays", &[]),
        ("G k k P", "question", &[]),
        ("G k k P enter", "replays", &[]),
        ("G k k P p u r g e enter", "outcome", &["purge 1795258800"]),
        ("P p u r g e enter", "outcome", &["purge 1795248000"]),
    ];
    for (keys, expected, wrote) in table {
        let (mut console, asked) = console(MadeUp::default());
        console.press(LIST).press(keys);
        assert_eq!(top(&console), *expected, "{keys}");
        assert_eq!(*asked.lock().unwrap(), *wrote, "{keys}");
    }
    let (mut console, _) = console(MadeUp::default());
    console.press(LIST).press("G k k enter");
    assert_eq!(asked_sides(&console), (None, Some("1795258800")));
}
