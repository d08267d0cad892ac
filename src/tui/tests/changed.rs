//! What follows on the screens when pipelines change on the disk, or are gone.

use std::sync::Arc;

use chrono::TimeDelta;
use crossterm::event::KeyCode;

use super::acting::word;
use super::harness::{Console, top_as};
use super::made_up::MadeUp;
use super::rows::{look, pipelines};
use crate::model::Branch;
use crate::tui::keys::Key;
use crate::tui::msg::{Effect, Msg, Query};
use crate::tui::screens::pipeline::PipelineScreen;
use crate::tui::screens::plan::PlanScreen;
use crate::tui::theme::Palette;
use crate::tui::update;
use crate::tui::worker::{Source, answer_now};

#[test]
fn what_was_measured_in_a_project_is_measured_again_when_the_project_went() {
    let mut console = Console::new(120, 40);
    console.press("enter");
    let measured = |console: &Console| top_as::<PipelineScreen>(console).drifts.known.len();
    let all = measured(&console);
    assert!(all > 0);
    let mut pipelines = pipelines(&console);
    drop(look(&mut console, &pipelines));
    assert_eq!(measured(&console), all);
    let id = top_as::<PipelineScreen>(&console).id.clone();
    for one in pipelines.iter_mut().filter(|one| one.id == id) {
        assert!(one.reading.work_tree.take().is_some());
    }
    drop(look(&mut console, &pipelines));
    assert_eq!(measured(&console), 0);
}

/// A restore of relight's own, too: the old numbers would say that it failed.
#[test]
fn checkpoints_are_measured_again_whenever_their_pipeline_is_read_again() {
    let mut console = Console::new(120, 40);
    console.press("enter");
    let id = top_as::<PipelineScreen>(&console).id.clone();
    let all = top_as::<PipelineScreen>(&console).drifts.known.len();
    let mut pipelines = pipelines(&console);
    let mut change = |console: &mut Console, expected: &str| {
        for one in pipelines.iter_mut().filter(|one| one.id == id) {
            one.reading.branch = Some(Branch {
                expected: Some(expected.into()),
                actual: None,
            });
        }
        let mut asked = look(console, &pipelines);
        let mut measured = 0;
        while !asked.is_empty() {
            let is_drift = |effect: &&Effect| matches!(effect, Effect::Ask(_, Query::Drift(..)));
            measured += asked.iter().filter(is_drift).count();
            let source: Arc<dyn Source> = Arc::new(MadeUp::default());
            let told = asked
                .into_iter()
                .filter_map(|one| answer_now(&source, one).ok());
            let told: Vec<Msg> = told.flatten().collect();
            asked = told.into_iter().flat_map(|msg| console.ask(msg)).collect();
            // What is known stays on the screen meanwhile.
            assert_eq!(top_as::<PipelineScreen>(console).drifts.known.len(), all);
        }
        measured
    };
    assert_eq!(change(&mut console, "one"), all);
    assert_eq!(change(&mut console, "two"), all);
}

/// Its dossier may have been forgotten, as after F5, and is read for no screen.
#[test]
fn a_plan_on_the_screen_is_computed_again_at_every_change_of_its_pipeline() {
    let mut console = Console::over(MadeUp::ready(), Palette::Sixteen, 120, 40);
    console.press("p f5");
    let id = top_as::<PlanScreen>(&console).id().clone();
    let mut pipelines = pipelines(&console);
    let mut changed = |console: &mut Console, expected: &str| {
        for one in pipelines.iter_mut().filter(|one| one.id == id) {
            one.reading.branch = Some(Branch {
                expected: Some(expected.into()),
                actual: None,
            });
        }
        look(console, &pipelines)
    };
    let plan = |effect: &Effect| matches!(effect, Effect::Ask(_, Query::Plan(..)));
    for expected in ["one", "two"] {
        let asked = changed(&mut console, expected);
        assert!(asked.iter().any(plan), "{expected}: {asked:?}");
        console.answer(asked);
    }
    // A change while it is computed is not lost.
    let mut asked = changed(&mut console, "three");
    drop(changed(&mut console, "four"));
    asked.retain(plan);
    let source: Arc<dyn Source> = Arc::new(MadeUp::ready());
    let told = answer_now(&source, asked.remove(0)).unwrap();
    let next = told.into_iter().flat_map(|msg| console.ask(msg));
    assert!(next.collect::<Vec<_>>().iter().any(plan));
}

#[test]
fn a_pipeline_that_is_gone_is_said_at_the_next_look_and_projects_are_watched() {
    let mut console = Console::new(120, 40);
    let pipelines = pipelines(&console);
    let (gone, left) = pipelines.split_first().unwrap();
    let effects = look(&mut console, &pipelines);
    let watched = effects.into_iter().find_map(|effect| match effect {
        Effect::Watch(places) => Some(places),
        _ => None,
    });
    let watched = watched.unwrap();
    for pipeline in &pipelines {
        assert!(watched.contains(&pipeline.reading.root), "{watched:?}");
    }
    assert!(!word(&console).contains("gone"), "{}", word(&console));
    drop(look(&mut console, left));
    let said = format!("1 pipeline is gone: {}", gone.id.0);
    assert_eq!(word(&console), said);
}

#[test]
fn a_plan_is_computed_again_when_its_pipeline_changed() {
    let restless = MadeUp {
        restless: 1.into(),
        ..MadeUp::ready()
    };
    let mut console = Console::over(restless, Palette::Sixteen, 120, 40);
    console.press("/ p r i c e enter p");
    let mut pipelines = pipelines(&console);
    let asks = |effects: Vec<Effect>| {
        let plan = |effect: &Effect| matches!(effect, Effect::Ask(_, Query::Plan(..)));
        effects.iter().any(plan)
    };
    assert!(!asks(look(&mut console, &pipelines)), "nothing changed");
    let shown = top_as::<PlanScreen>(&console).about.pipeline().clone();
    for one in pipelines.iter_mut().filter(|one| one.id != shown) {
        one.reading.title = "another".into();
    }
    assert!(!asks(look(&mut console, &pipelines)), "others changed");
    for one in pipelines.iter_mut().filter(|one| one.id == shown) {
        one.reading.title = "changed".into();
    }
    let effects = look(&mut console, &pipelines);
    console.answer(effects);
    console.draw();
    let said = "since the plan was shown. Review the new plan, then press A.";
    assert!(console.text().contains(said), "{}", console.text());
}

fn restless(number: usize) -> Console {
    let machine = MadeUp {
        restless: number.into(),
        ..MadeUp::ready()
    };
    let mut console = Console::over(machine, Palette::Sixteen, 120, 40);
    console.press("/ p r i c e enter p");
    console
}

/// Nothing watches the files of a work tree.
#[test]
fn a_plan_is_computed_again_before_it_is_confirmed() {
    let again = "since the plan was shown. Review the new plan, then press A.";
    for (number, said) in [(0, "Apply this plan?"), (1, again)] {
        let mut console = restless(number);
        let later = console.state.now + TimeDelta::seconds(5);
        console.send(Msg::Tick(later));
        console.press("A");
        let text = console.text();
        assert!(text.contains(said), "{text}");
        assert_eq!(text.contains("Apply this plan?"), number == 0, "{text}");
    }
}

/// A key that was pressed meanwhile was not meant for it: `y` copies on the screen below.
#[test]
fn a_question_takes_no_answer_before_it_is_drawn() {
    let mut console = restless(0);
    let later = console.state.now + TimeDelta::seconds(5);
    console.send(Msg::Tick(later));
    let mut asked = console.ask(Msg::Key(Key::letter('A')));
    asked.retain(|effect| matches!(effect, Effect::Ask(_, Query::Plan(..))));
    let source: Arc<dyn Source> = Arc::new(MadeUp::ready());
    let told = answer_now(&source, asked.remove(0)).unwrap();
    let keys = "yes\n".chars().map(|letter| match letter {
        '\n' => Key::plain(KeyCode::Enter),
        letter => Key::letter(letter),
    });
    let together = told.into_iter().chain(keys.map(Msg::Key));
    let effects = update::absorb(&mut console.state, together);
    console.answer(effects);
    console.draw();
    assert!(
        console.text().contains("Apply this plan?"),
        "{}",
        console.text()
    );
    console.press("y e s enter");
    assert!(!console.text().contains("Apply this plan?"));
}

#[test]
fn what_is_opened_of_a_plan_is_as_new_as_the_plan() {
    let mut console = restless(1);
    console.press("g enter enter j enter");
    let text = console.text();
    assert!(text.contains("what       Look 1."), "{text}");
    console.press("f5");
    let text = console.text();
    assert!(text.contains("what       Look 2."), "{text}");
}
