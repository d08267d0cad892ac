//! What a question says, and what only the person knows: whether a pipeline has stopped.

use super::acting::{PLAN, console, top};
use super::harness::Console;
use super::made_up::MadeUp;
use crate::tui::screens::plan::PlanScreen;
use crate::tui::theme::Palette;

#[test]
fn an_unknown_liveness_is_answered_in_words_and_goes_on_to_the_question() {
    let machine = || MadeUp {
        unknown: true,
        ..MadeUp::ready()
    };
    let (mut console, asked) = console(machine());
    console.press(PLAN).press("A y e s enter");
    assert_eq!(top(&console), "plan", "yes answers another question");
    console.press("A n o t space r u n n i n g enter");
    assert_eq!(top(&console), "question");
    assert!(console.text().contains("treated as stopped"));
    console.press("y e s enter");
    assert_eq!(top(&console), "outcome");
    assert_eq!(*asked.lock().unwrap(), ["carry out wave-1 yes"]);
}

/// The answer makes another plan, so what was shown of the old one is asked for anew, also under a question.
#[test]
fn the_difference_of_the_selected_file_stays_behind_a_second_question() {
    let machine = MadeUp {
        unknown: true,
        ..MadeUp::ready()
    };
    let mut console = Console::over(machine, Palette::Sixteen, 160, 40);
    let shows = |console: &Console| {
        let mut plans = console.state.layers.all::<PlanScreen>();
        let beside = plans.next().and_then(|plan| plan.beside.as_ref());
        beside.is_some_and(|shown| shown.diff.ready().is_some())
    };
    console.press(PLAN).press("A");
    assert!(top(&console) == "question" && shows(&console));
    console.press("n o t space r u n n i n g enter");
    assert!(top(&console) == "question" && shows(&console));
}

/// Only a person knows it, of an undo as well.
#[test]
fn an_undo_asks_whether_its_pipeline_has_stopped() {
    let (mut console, asked) = console(MadeUp {
        unknown: true,
        ..MadeUp::ready()
    });
    console.press("R u A");
    assert!(
        console.text().contains("Is it still running?"),
        "{}",
        console.text()
    );
    console.press("n o t space r u n n i n g enter");
    assert!(!console.text().contains("Is it still running?"));
    assert_eq!(top(&console), "question");
    console.press("y e s enter");
    assert_eq!(asked.lock().unwrap().len(), 1);
}

#[test]
fn alive_beats_every_answer() {
    let machine = MadeUp {
        unknown: true,
        ..MadeUp::default()
    };
    let (mut console, _) = console(machine);
    console.press(PLAN).press("A");
    // The wrong branch refuses, too: no question is offered that would not help.
    assert_eq!(top(&console), "notice");
}

#[test]
fn only_a_plan_that_replaces_files_says_where_those_are_kept() {
    for gentle in [false, true] {
        let (mut console, _) = console(MadeUp {
            gentle,
            ..MadeUp::ready()
        });
        console.press(PLAN).press("A");
        let text = console.text();
        assert!(text.contains("To undo, press"), "{text}");
        assert_ne!(text.contains("Replaced files are kept"), gentle, "{text}");
    }
}
