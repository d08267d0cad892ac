//! The keys beside the commands that a screen advises.

use super::acting::{PLAN, console};
use super::harness::top_as;
use super::made_up::{End, MadeUp, replays, stamp};
use super::replays::{top, under_way};
use crate::model::{EngineError, Guard};
use crate::tui::data::Load;
use crate::tui::msg::{Msg, Reply};
use crate::tui::screens::outcome::OutcomeScreen;
use crate::tui::screens::plan::PlanScreen;
use crate::tui::screens::question::{Ask, Question};
use crate::tui::screens::recoveries::RecoveriesScreen;

#[test]
fn a_failed_undo_names_the_key_of_the_same_recovery_only() {
    let (mut console, _) = console(MadeUp::ready());
    console.press("R u");
    let list = console.state.layers.find_mut::<RecoveriesScreen>();
    let id = list.unwrap().selected().unwrap().id.0.clone();
    for (command, key) in [
        (format!("relight redo {id}"), " (Esc, then Ctrl-R)"),
        (format!("relight undo {id}"), " (Esc, then u)"),
        (format!("relight recover {id}"), " (Esc, then s)"),
        ("relight undo 20200101T000000Z-a1".to_owned(), ""),
        ("relight recover 20200101T000000Z-a1".to_owned(), ""),
    ] {
        let failed = EngineError::refused("Refused.").hint(format!("To do it: {command}"));
        let screen = console.state.layers.find_mut::<PlanScreen>().unwrap();
        screen.take(Load::Failed(failed), stamp(0).at);
        console.draw();
        let text = console.text();
        let line = text.lines().find(|line| line.contains(&command));
        let said = format!("To do it: {command}{key}");
        assert_eq!(line.unwrap_or_default().trim(), said, "{text}");
    }
}

#[test]
fn what_helps_after_a_refusal_has_the_key_of_this_screen_or_the_one_below() {
    let refused = || MadeUp {
        end: End::Refused,
        ..MadeUp::ready()
    };
    let (mut console, _) = console(refused());
    console.press(PLAN).press("A y e s enter");
    for (command, key) in [
        ("relight history", "key R"),
        ("relight points mgw-1~2", "Esc, then r"),
    ] {
        let outcome = console.state.layers.find_mut::<OutcomeScreen>().unwrap();
        let trouble = EngineError::refused("Refused.").hint(format!("See {command}"));
        outcome.trouble = Some(trouble);
        console.draw();
        let text = console.text();
        assert!(text.contains(&format!("{command} ({key})")), "{text}");
    }
}

#[test]
fn a_replay_that_ended_early_names_keys_that_lead_to_its_continuation() {
    let failed = EngineError::refused("It stopped.").hint("relight replay a~1 --continue 7");
    for result in [Ok(replays::ran(2, true)), Err(failed)] {
        let (mut console, ticket) = under_way();
        console.send(Msg::Reply(ticket, Reply::Replayed(result)));
        let text = console.text();
        assert!(
            text.contains("V lists") && text.contains("c continues"),
            "{text}"
        );
        console.press("V");
        assert_eq!(top(&console), "replays", "{text}");
        console.press("c");
        assert!(matches!(top_as::<Question>(&console).ask, Ask::Continue(_)));
    }
}

#[test]
fn an_experiment_of_which_no_run_has_begun_is_not_said_to_have_no_runner() {
    let mut console = super::harness::Console::new(120, 40);
    console.press(super::replays::LIST).press("c");
    let question = console.state.layers.find_mut::<Question>().unwrap();
    let Ask::Continue(one) = &mut question.ask else {
        panic!("{question:?}");
    };
    one.runner = None;
    console.draw();
    let text = console.text();
    assert!(text.contains("If it has a runner"), "{text}");
    assert!(!text.contains("run them by hand"), "{text}");
}

#[test]
fn a_guard_that_failed_once_is_not_among_those_that_are_ok() {
    let (mut console, _) = console(MadeUp::ready());
    console.press(PLAN);
    let plan = console.state.layers.find_mut::<PlanScreen>().unwrap();
    let mut changed = plan.current().unwrap().as_ref().clone();
    let said = changed.guards_ok().unwrap();
    let id = changed.guards[0].id.clone();
    assert!(said.as_str().contains(&*id), "{said}");
    changed
        .guards
        .push(Guard::fails(id.to_string(), "No.", "Try."));
    let said = changed.guards_ok().unwrap();
    assert!(!said.as_str().contains(&*id), "{said}");
}
