//! The form of a new experiment, key by key: what it asks for, what it completes, and where it says what is wrong.

use super::acting::{console, word};
use super::harness::{Console, top_as};
use super::made_up::MadeUp;
use super::replays::{LIST, top};
use crate::tui::screens::new_replay::{FormRow, NewReplay};
use crate::tui::screens::replay_plan::ReplayPlanScreen;

fn form(console: &Console) -> &NewReplay {
    top_as(console)
}

/// Opens the form, and goes to the row after the templates.
fn at_blocks() -> Console {
    let (mut console, _) = console(MadeUp::default());
    console.press(LIST).press("n");
    while form(&console).row() != FormRow::Blocks {
        console.press("j");
    }
    console
}

#[test]
fn the_form_asks_for_what_was_chosen() {
    let (mut console, _) = console(MadeUp::default());
    console.press(LIST).press("n j enter a b enter");
    while form(&console).row() != FormRow::Blocks {
        console.press("j");
    }
    // Blocks, arms, metric, where, parallel, stops, evidence, from, in a wave, runner.
    console.press("h j l j l j l j l l j l j l j l l j l j l l p");
    let ask = &top_as::<ReplayPlanScreen>(&console).ask;
    assert_eq!(ask.mutations.len(), 1);
    assert_eq!(ask.mutations[0].original, *"red-team-prompt.md");
    assert_eq!((ask.repeat, ask.parallel, ask.jobs), (8, 3, 2));
    assert_eq!(ask.on, crate::model::RunsOn::Slurm);
    assert!(ask.no_control && ask.all && ask.fresh && !ask.in_place);
    assert_eq!(ask.metrics[0].name, "lines");
    assert_eq!(ask.from, crate::model::ReplayFrom::Seq(4));
    assert_eq!(
        ask.runner,
        crate::model::RunnerAsk::Preset("codex".to_owned())
    );
}

#[test]
fn a_new_experiment_begins_with_ten_blocks_and_says_what_they_cost() {
    let (mut console, _) = console(MadeUp::default());
    console.press(LIST).press("n j enter r t - v 2 tab enter");
    let text = console.text();
    let dispatches = "20 runs × 9 dispatches = 180 dispatches";
    for part in [dispatches, "10 h", "12.0 MiB a run"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    console.press("p");
    let ask = &top_as::<ReplayPlanScreen>(&console).ask;
    assert_eq!((ask.repeat, ask.arms().len()), (10, 2));
}

#[test]
fn tab_completes_the_path_as_far_as_it_is_certain() {
    // What is typed before Tab, what is there then, and how many fit.
    let table = [
        ("r t", "rt-v", 2),
        ("r t - v 3", "rt-v3.md", 1),
        ("赤", "赤い/", 1),
        ("b e s i d e / r", "beside/rt-v4.md", 1),
        ("n o n e", "none", 0),
    ];
    for (typed, expected, found) in table {
        let (mut console, _) = console(MadeUp::default());
        console.press(LIST).press("n j enter").press(typed);
        console.press("tab");
        let mut form = form(&console).clone();
        assert_eq!(form.candidates.len(), found, "{typed}");
        let field = form.selected_field().unwrap();
        assert!(field.open, "{typed}");
        assert_eq!(field.text(), expected);
        assert_eq!(
            word(&console).starts_with("No file name begins"),
            found == 0
        );
    }
    // Where both are named, what follows the first equals sign is a path.
    let mut console = at_blocks();
    console.press("k enter a . m d = b tab");
    let mut form = form(&console).clone();
    let field = form.selected_field().unwrap();
    assert_eq!(field.text(), "a.md=beside/rt-v4.md");
}

#[test]
fn an_error_stands_beneath_the_row_that_it_is_about() {
    let (mut console, _) = console(MadeUp::default());
    console.press(LIST).press("n j enter l o s t . m d");
    // While it is typed it is not wrong yet.
    assert!(!console.text().contains("cannot be used"));
    console.press("enter");
    let text = console.text();
    let at = |part: &str| text.lines().position(|line| line.contains(part)).unwrap();
    let row = at("red-team-prompt.md  ×");
    assert_eq!(at("cannot be used"), row + 1, "{text}");
    assert!(text.contains("Unknown until the fields"), "{text}");
    console.press("enter ctrl-u ~ / x enter G p");
    assert_eq!(top(&console), "form");
    assert_eq!(form(&console).row(), FormRow::Template(1));
}

#[test]
fn a_cluster_is_offered_only_where_there_is_one() {
    // The synthetic machine has Slurm once a template is swapped.
    let mut console = at_blocks();
    console.press("j j j");
    assert_eq!(form(&console).row(), FormRow::On);
    let text = console.text();
    assert!(
        text.contains("no cluster here: sbatch is not installed"),
        "{text}"
    );
    console.press("l");
    assert_eq!(form(&console).chosen.on, crate::model::RunsOn::Local);
    assert!(word(&console).contains("only be executed on this machine"));
}
