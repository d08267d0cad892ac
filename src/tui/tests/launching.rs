//! After a launch: whether work has resumed, and how a system goes that runs step by step.

use super::acting::{PLAN, console, top, word};
use super::harness::Console;
use super::made_up::{MadeUp, error, stamp};
use crate::model::{LaunchEnd, Origin, Result, Resumed, StepNews};
use crate::tui::data::{Launched, Watch};
use crate::tui::msg::{Effect, Msg, Query, Reply, Ticket};

/// The card of a plan that writes nothing, launched once.
fn launched(seen: Resumed) -> Console {
    let machine = MadeUp {
        bare: true,
        ..MadeUp::ready()
    };
    let (mut console, _) = console(machine);
    console.press("/ p r i c e enter p A A y");
    let ticket = launch(&mut console).expect("a launch");
    end(&mut console, ticket, seen);
    console
}

fn launch(console: &mut Console) -> Option<Ticket> {
    let place = console
        .outside
        .iter()
        .position(|effect| matches!(effect, Effect::Launch(..)))?;
    match console.outside.remove(place) {
        Effect::Launch(ticket, ..) => Some(ticket),
        _ => None,
    }
}

fn end(console: &mut Console, ticket: Ticket, seen: Resumed) {
    let launched = Launched {
        end: LaunchEnd::Exited(0),
        seen,
        watch: Some(Watch::default()),
    };
    console.send(Msg::Reply(ticket, Reply::Launched(Ok(launched))));
}

fn record(step: StepNews) -> Resumed {
    Resumed::Yes {
        text: "step 5 was executed".into(),
        origin: Origin::file("/home/ada/src/shop/state.json"),
        at: None,
        step,
    }
}

const DONE: StepNews = StepNews {
    done: true,
    gate: false,
    error: false,
    phase_done: false,
};

#[test]
fn a_record_is_looked_for_every_second_and_after_a_minute_its_absence_is_told() {
    let mut console = launched(Resumed::No);
    let looks = |effects: Vec<Effect>| {
        let looks = effects
            .iter()
            .filter(|e| matches!(e, Effect::Ask(_, Query::Look(_))));
        looks.count()
    };
    assert!(console.state.busy());
    assert_eq!(looks(console.ask(Msg::Tick(stamp(0).at))), 0);
    assert_eq!(looks(console.ask(Msg::Tick(stamp(-1).at))), 1);
    // One look at a time.
    assert_eq!(looks(console.ask(Msg::Tick(stamp(-3).at))), 0);
    let mut console = launched(Resumed::No);
    console.send(Msg::Tick(stamp(-61).at));
    assert!(!console.state.busy());
    let text = console.text();
    assert!(text.contains("No new record"), "{text}");
    // What changes on disk is still looked at.
    assert_eq!(looks(console.ask(Msg::Changed)), 1);
}

#[test]
fn the_first_new_record_is_shown_with_its_place() {
    let console = launched(record(StepNews::default()));
    let text = console.text();
    assert!(text.contains("✓ resumed: step 5 was executed"), "{text}");
    assert!(text.contains("/home/ada/src/shop/state.json"), "{text}");
    assert!(!text.contains("n runs"), "it does not go step by step");
}

#[test]
fn after_a_step_it_asks_and_goes_on_only_when_told() {
    let mut console = launched(record(DONE));
    assert!(console.text().contains("n runs the next"));
    assert_eq!(launch(&mut console), None);
    console.press("n");
    let ticket = launch(&mut console).expect("the next step");
    end(&mut console, ticket, record(DONE));
    assert_eq!(launch(&mut console), None, "it asks after each step");
    console.press("N");
    let ticket = launch(&mut console).expect("the next step");
    end(&mut console, ticket, record(DONE));
    let ticket = launch(&mut console).expect("goes on by itself");
    let last = StepNews {
        phase_done: true,
        ..DONE
    };
    end(&mut console, ticket, record(last));
    assert_eq!(launch(&mut console), None, "the phase has ended");
    assert_eq!(top(&console), "handoff");
}

#[test]
fn a_gate_or_an_error_pauses_in_every_mode() {
    for (gate, error) in [(true, false), (false, true)] {
        let mut console = launched(record(DONE));
        console.press("N");
        let ticket = launch(&mut console).unwrap();
        let step = StepNews {
            gate,
            error,
            ..DONE
        };
        end(&mut console, ticket, record(step));
        assert_eq!(launch(&mut console), None);
        assert!(console.text().contains("Paused: a gate"));
        console.press("n");
        assert!(word(&console).contains("No step has ended"));
        assert_eq!(launch(&mut console), None);
    }
}

#[test]
fn an_orchestrator_that_was_started_elsewhere_can_be_watched() {
    let (mut console, _) = console(MadeUp::ready());
    console.press("/ p r i c e enter p H w");
    assert!(word(&console).contains("was not applied yet"));
    console.press("esc A y e s enter H w");
    assert!(console.text().contains("waiting for"), "{}", console.text());
}

#[test]
fn a_record_from_elsewhere_is_shown_and_starts_nothing() {
    let (mut console, _) = console(MadeUp::ready());
    console.press("/ p r i c e enter p A y e s enter H w");
    look(&mut console, Ok(record(DONE)));
    let text = console.text();
    assert!(text.contains("✓ resumed: step 5 was executed"), "{text}");
    assert!(
        !text.contains("n runs the next"),
        "no step was launched here: {text}"
    );
    console.press("n");
    assert!(word(&console).contains("No step has ended here yet"));
    // One that comes after a launch that went by itself is asked about.
    let mut console = launched(record(DONE));
    console.press("N");
    let ticket = launch(&mut console).unwrap();
    end(&mut console, ticket, Resumed::No);
    look(&mut console, Ok(record(DONE)));
    assert_eq!(launch(&mut console), None);
    assert!(console.text().contains("n runs the next"));
}

#[test]
fn a_look_that_failed_is_forgotten_when_the_next_one_does_not() {
    let mut console = launched(Resumed::No);
    look(&mut console, Err(error("The record is being written.")));
    assert!(console.text().contains("The record is being written."));
    look(&mut console, Ok(Resumed::No));
    let text = console.text();
    assert!(!text.contains("is being written"), "{text}");
    assert!(text.contains("left no new record"), "{text}");
}

/// A look after a change on disk, and what it finds.
fn look(console: &mut Console, found: Result<Resumed>) {
    let effects = console.ask(Msg::Changed);
    let ticket = effects.iter().find_map(|effect| match effect {
        Effect::Ask(ticket, Query::Look(_)) => Some(*ticket),
        _ => None,
    });
    console.send(Msg::Reply(ticket.expect("a look"), Reply::Looked(found)));
}

/// Only applying asks what a plan asks, refuses what it refuses and writes the briefing, so nothing is launched past it.
#[test]
fn no_hand_off_is_launched_from_a_plan() {
    for ready in [true, false] {
        let (mut console, _) = console(MadeUp {
            bare: true,
            ready,
            unknown: !ready,
            ..MadeUp::default()
        });
        console.press(PLAN).press("H");
        assert!(console.text().contains("Preview: "), "{ready}");
        assert!(!console.text().contains("A runs it here"), "{ready}");
        console.press("A");
        assert!(word(&console).contains("was not applied yet"), "{ready}");
        assert_eq!(top(&console), "handoff", "{ready}");
    }
}

#[test]
fn a_launch_before_the_usage_limit_resets_is_typed() {
    let (mut console, _) = console(MadeUp {
        limited: true,
        ..MadeUp::ready()
    });
    console
        .press("/ p r i c e enter p")
        .press("A y e s enter H A");
    let text = console.text();
    assert!(text.contains("Type yes"), "{text}");
    assert!(text.contains("The usage limit resets at"), "{text}");
}
