//! The keys beside the commands that a screen advises.

use super::acting::{PLAN, console};
use super::harness::top_as;
use super::made_up::{End, MadeUp, replays, stamp};
use super::replays::{top, under_way};
use crate::model::EngineError;
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
