//! Acting, key by key: what a question takes for yes, what it never does, and what follows.

use crate::tui::screens::plan::PlanScreen;
use std::sync::Arc;

use super::harness::{Console, top_as};
use super::made_up::{End, MadeUp, stamp};
use crate::model::{Clean, LaunchEnd, Resumed};
use crate::tui::data::{Launched, Watch};
use crate::tui::keys::Key;
use crate::tui::msg::{Effect, MouseAction, Msg, Query, Reply, Signal};
use crate::tui::theme::Palette;
use chrono::TimeDelta;

pub(super) const PLAN: &str = "/ p r i c e enter p";

/// A console over a machine, and what that machine was asked to write.
pub(super) fn console(machine: MadeUp) -> (Console, Arc<std::sync::Mutex<Vec<String>>>) {
    let asked = Arc::clone(&machine.asked);
    (Console::over(machine, Palette::Sixteen, 120, 40), asked)
}

pub(super) fn word(console: &Console) -> String {
    let word = console.state.word.as_ref();
    word.map(|word| word.text.to_string()).unwrap_or_default()
}

pub(super) fn top(console: &Console) -> &'static str {
    if let Some(screen) = console.state.layers.top_as::<PlanScreen>() {
        return match (screen.is_record(), screen.is_undo()) {
            (true, _) => "record",
            (_, true) => "undo",
            _ => "plan",
        };
    }
    match console.state.top().name() {
        "hand-off" => "handoff",
        "difference" => "diff",
        "interrupted recovery" => "pending",
        "pipelines" => "list",
        "history" => "recoveries",
        name => name,
    }
}

#[test]
fn only_the_typed_word_and_enter_carry_a_destructive_plan_out() {
    // Keys at the question, what is on top afterwards, how often something was written.
    let table = [
        ("y e s enter", "outcome", 1),
        ("space y e s space enter", "outcome", 1),
        ("enter", "plan", 0),
        ("esc", "plan", 0),
        ("n", "plan", 0),
        ("q", "plan", 0),
        ("ctrl-c", "plan", 0),
        ("y enter", "plan", 0),
        ("y e s", "question", 0),
        ("Y E S enter", "plan", 0),
        ("y e s s enter", "plan", 0),
        ("A A A", "question", 0),
        ("A enter", "plan", 0),
        ("A y A e s enter", "outcome", 1),
        ("up down pgup pgdn ctrl-l", "question", 0),
    ];
    for (keys, expected, written) in table {
        let (mut console, asked) = console(MadeUp::ready());
        console.press(PLAN).press("A").press(keys);
        assert_eq!(top(&console), expected, "{keys}");
        assert_eq!(asked.lock().unwrap().len(), written, "{keys}");
    }
}

#[test]
fn a_no_says_that_nothing_was_changed() {
    let (mut console, _) = console(MadeUp::ready());
    console.press(PLAN).press("A enter");
    assert!(word(&console).contains("nothing was changed"));
}

#[test]
fn nothing_pasted_or_clicked_is_an_agreement() {
    let (mut console, asked) = console(MadeUp::ready());
    console.press(PLAN).press("A");
    console.send(Msg::Paste("yes\n".to_owned()));
    console.press("enter");
    assert_eq!(top(&console), "plan");
    console.press("A y e s");
    for y in 0..40 {
        console.send(Msg::Mouse(MouseAction::Press, 30, y));
        console.send(Msg::Mouse(MouseAction::Press, 30, y));
    }
    assert_eq!(top(&console), "question");
    assert!(asked.lock().unwrap().is_empty());
}

#[test]
fn a_refusing_guard_is_shown_with_what_would_help_and_is_never_overridden() {
    let (mut console, asked) = console(MadeUp::default());
    console.press(PLAN).press("A");
    assert_eq!(top(&console), "notice");
    let text = console.text();
    assert!(text.contains("git switch feat/price-cache"), "{text}");
    console.press("y e s enter y enter esc");
    assert!(asked.lock().unwrap().is_empty());
}

#[test]
fn a_plan_older_than_five_minutes_is_worked_out_again_before_it_is_confirmed() {
    let (mut console, asked) = console(MadeUp::ready());
    console.press(PLAN);
    console.send(Msg::Clock(stamp(-299).at));
    console.press("A");
    assert_eq!(top(&console), "question");
    // The plan that is asked about is as old as the question.
    console.send(Msg::Clock(stamp(-601).at));
    console.press("y e s enter");
    assert_eq!(
        top(&console),
        "question",
        "the same plan is asked for again"
    );
    assert!(asked.lock().unwrap().is_empty());
    console.press("y e s enter");
    assert_eq!(top(&console), "outcome");
}

/// What it was made from may have changed while it was made.
#[test]
fn a_plan_is_as_old_as_its_request_however_long_it_is_computed() {
    let (mut console, _) = console(MadeUp::ready());
    console.press(PLAN);
    for round in [1, 2] {
        let asked = console.state.now + TimeDelta::seconds(2);
        console.send(Msg::Clock(asked));
        let effects = console.ask(Msg::Key(Key::parse("A").unwrap()));
        assert_eq!(top(&console), "plan", "{round}: it is computed again");
        console.send(Msg::Clock(asked + TimeDelta::seconds(3)));
        console.answer(effects);
        console.draw();
        assert_eq!(
            top(&console),
            "question",
            "{round}: and asked about at once"
        );
        console.press("esc");
        assert_eq!(top_as::<PlanScreen>(&console).made_at, Some(asked));
    }
}

#[test]
fn an_old_plan_that_came_out_different_is_only_shown() {
    let machine = MadeUp {
        restless: 1.into(),
        ..MadeUp::ready()
    };
    let (mut console, _) = console(machine);
    console.press(PLAN);
    console.send(Msg::Clock(stamp(-400).at));
    console.press("A");
    assert_eq!(top(&console), "plan");
    assert!(word(&console).contains("has changed"), "{}", word(&console));
    console.press("A");
    assert_eq!(top(&console), "question");
}

#[test]
fn while_it_writes_nothing_else_is_heard_and_the_end_waits() {
    let (mut console, _) = console(MadeUp::ready());
    console.press(PLAN).press("A y e s");
    let effects = console.ask(Msg::Key(Key::parse("enter").unwrap()));
    let Some(Effect::Ask(ticket, Query::Apply(..))) = effects.first().cloned() else {
        panic!("{effects:?}");
    };
    for key in ["q", "esc", "A", "y", "enter", "?", "@", ":", "ctrl-z", "f5"] {
        let effects = console.ask(Msg::Key(Key::parse(key).unwrap()));
        assert_eq!(effects, [], "{key}");
        assert_eq!(top(&console), "progress", "{key}");
        assert!(word(&console).contains("Wait for the result"), "{key}");
    }
    assert_eq!(console.ask(Msg::Signal(Signal::Stop)), []);
    assert_eq!(console.ask(Msg::Signal(Signal::End)), []);
    assert!(console.text().contains("quits as soon as"));
    let failure = crate::model::EngineError::new(crate::model::ErrorKind::RolledBack, "full");
    let effects = console.ask(Msg::Reply(ticket, Reply::Applied(Err(failure))));
    assert_eq!(effects, [Effect::Quit]);
    let said = console.state.left.words.as_ref().unwrap().as_str();
    assert!(
        said.contains("rolled back; everything is as before"),
        "{said}"
    );
}

/// W1: ctrl-c cancels what is being written as long as nothing has changed, and waits afterwards; so does a signal
/// that means to end.
#[test]
fn w1_ctrl_c_cancels_what_is_written_until_it_is_too_late() {
    let key = || Msg::Key(Key::parse("ctrl-c").unwrap());
    let begin = |console: &mut Console| {
        console.press(PLAN).press("A y e s");
        let effects = console.ask(Msg::Key(Key::parse("enter").unwrap()));
        match effects.first().cloned() {
            Some(Effect::Ask(ticket, Query::Apply(_, _, cancel))) => (ticket, cancel),
            _ => panic!("{effects:?}"),
        }
    };
    for signal in [None, Some(Signal::End), Some(Signal::Interrupt)] {
        let (mut console, _) = console(MadeUp::ready());
        let (ticket, cancel) = begin(&mut console);
        cancel.open();
        assert_eq!(console.ask(signal.map_or_else(key, Msg::Signal)), []);
        assert!(cancel.is_cancelled());
        assert!(console.text().contains("removing what was prepared"));
        let cancelled = crate::model::EngineError::new(
            crate::model::ErrorKind::Cancelled,
            "Canceled; nothing was changed.",
        );
        let reply = Reply::Applied(Err(cancelled));
        let effects = console.ask(Msg::Reply(ticket, reply));
        if signal.is_none() {
            let text = console.text();
            assert!(
                text.contains("Canceled: ") && text.contains("nothing was changed"),
                "{text}"
            );
        } else {
            assert_eq!(effects, [Effect::Quit]);
            let said = console.state.left.words.as_ref().unwrap().as_str();
            assert!(said.ends_with("canceled; nothing was changed."), "{said}");
        }
    }
    let (mut console, _) = console(MadeUp::ready());
    let (ticket, cancel) = begin(&mut console);
    cancel.open();
    assert!(cancel.commit());
    for _twice in 0..2 {
        assert_eq!(console.ask(key()), []);
        assert_eq!(top(&console), "progress");
        assert!(word(&console).starts_with("Too late to cancel"));
    }
    assert!(console.text().contains("Too late to cancel: it finishes"));
    let outcome = Reply::Applied(Ok(crate::model::Outcome {
        recovery: None,
        verified: Vec::new(),
        notes: Vec::new(),
        handoff: None,
    }));
    drop(console.ask(Msg::Reply(ticket, outcome)));
    let text = console.text();
    assert!(text.contains("Canceled too late"), "{text}");
}

#[test]
fn after_a_success_the_plan_is_gone_and_after_a_refusal_it_is_worked_out_again() {
    let table = [
        (End::Done, "pipeline"),
        (End::Unclear, "pipeline"),
        (End::Refused, "plan"),
        (End::RolledBack, "plan"),
    ];
    for (end, beneath) in table {
        let (mut console, _) = console(MadeUp {
            end,
            ..MadeUp::ready()
        });
        console.press("/ p r i c e enter enter p A y e s enter");
        assert_eq!(top(&console), "outcome", "{end:?}");
        console.press("esc");
        assert_eq!(top(&console), beneath, "{end:?}");
    }
}

#[test]
fn the_hand_off_copies_and_launches_only_after_a_yes() {
    let machine = MadeUp {
        bare: true,
        ..MadeUp::ready()
    };
    let (mut console, _) = console(machine);
    console.press(PLAN).press("H y");
    let line = r"cd /home/ada/src/shop && claude '/replay it'\''s me'";
    assert_eq!(
        console.outside,
        [Effect::Copy(vec![Clean::new(line)], Clean::new(line))]
    );
    console.outside.clear();
    console.press("b");
    assert!(matches!(console.outside.as_slice(), [Effect::Copy(lines, _)] if lines.len() == 3));
    console.outside.clear();
    for keys in ["A A", "esc", "A enter", "A n", "A j esc"] {
        console.press(keys);
        assert_eq!(console.outside, [], "{keys}");
    }
    console.press("A y");
    let Some(Effect::Launch(ticket, ..)) = console.outside.first().cloned() else {
        panic!("{:?}", console.outside);
    };
    let launched = Launched {
        end: LaunchEnd::Exited(0),
        seen: Resumed::No,
        watch: Some(Watch::default()),
    };
    let reply = Msg::Reply(ticket, Reply::Launched(Ok(launched)));
    drop(console.ask(reply));
    let text = console.text();
    assert!(text.contains("claude has ended: exit 0"), "{text}");
    assert!(text.contains("waiting for the orchestrator"), "{text}");
}

#[test]
fn a_plan_that_writes_nothing_leads_to_the_hand_off() {
    let (mut console, asked) = console(MadeUp::ready());
    console.press("/ p r i c e enter r j j enter A");
    assert_eq!(top(&console), "handoff");
    assert!(console.text().contains("nothing was written"));
    assert!(asked.lock().unwrap().is_empty());
}

#[test]
fn the_paths_go_round_all_missing_differing() {
    let (mut console, _) = console(MadeUp::ready());
    console.press(PLAN);
    let touched = |console: &Console| {
        let screen = top_as::<PlanScreen>(console);
        let plan = screen.plan.ready().unwrap();
        let changes = plan.actions[0].changes.unwrap();
        (changes.modified, changes.added)
    };
    assert_eq!(touched(&console), (3, 1));
    for expected in [(0, 1), (3, 0), (3, 1)] {
        console.press("c");
        assert_eq!(touched(&console), expected);
    }
}

#[test]
fn the_files_of_a_checkpoint_alone_can_be_restored() {
    let (mut console, _) = console(MadeUp::ready());
    console.press("/ p r i c e enter enter P");
    assert!(word(&console).contains("checkpoints first"));
    console.press("4 P");
    assert_eq!(top(&console), "plan");
    console.press("y");
    let Some(Effect::Copy(lines, _)) = console.outside.first() else {
        panic!("{:?}", console.outside);
    };
    let line = &lines[0];
    assert!(
        line.as_str()
            .starts_with("relight restore crucible-1795~ab12 --checkpoint"),
        "{line}"
    );
    assert!(line.as_str().ends_with("--dry-run"), "{line}");
}

#[test]
fn a_rehearsal_is_shown_with_the_plan_it_was_of_and_no_other() {
    let (mut console, asked) = console(MadeUp::ready());
    console.press(PLAN).press("t");
    assert!(console.text().contains("exit 101"));
    console.press("esc");
    assert!(console.text().contains("rehearsed"));
    console.press("x");
    assert!(asked.lock().unwrap().is_empty());
}

#[test]
fn every_plan_is_typed_where_the_configuration_says_so() {
    let (mut console, _) = console(MadeUp::ready());
    console.state.always_typed = true;
    console.press(PLAN).press("A");
    assert!(console.text().contains("Type yes"));
}

#[test]
fn the_hand_off_of_a_plan_that_was_not_applied_can_only_be_viewed() {
    let (mut console, _) = console(MadeUp::ready());
    console.press(PLAN).press("H A");
    assert_eq!(top(&console), "handoff");
    assert!(word(&console).contains("was not applied yet"));
    console.press("y esc A y e s enter H A");
    assert_eq!(top(&console), "question");
}
