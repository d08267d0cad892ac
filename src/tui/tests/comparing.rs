//! Comparisons, key by key: what is compared with what, what is shown of it, and which texts a row opens.

use std::sync::Arc;

use super::acting::{console, word};
use super::harness::{Console, top_as};
use super::made_up::{MadeUp, replays};
use super::replays::{LIST, top};
use crate::model::{Compared, Comparison};
use crate::tui::data::Load;
use crate::tui::msg::{Msg, Reply, Ticket};
use crate::tui::screens::comparison::{ComparisonScreen, Tab};
use crate::tui::screens::diff::{DiffScreen, DiffSource};
use crate::tui::screens::replays::ReplaysScreen;
use crate::tui::theme::Palette;

/// What the comparison on top was asked for.
pub(super) fn asked_sides(console: &Console) -> (Option<&str>, Option<&str>) {
    {
        let screen = top_as::<ComparisonScreen>(console);
        (screen.a.as_deref(), screen.b.as_deref())
    }
}

#[test]
fn enter_compares_the_marked_pair_or_the_selected_one_with_the_original() {
    let table = [
        ("enter", ("original", "1795248000")),
        ("G k enter", ("original", "1795255200")),
        ("space j space enter", ("1795248000", "1795233600")),
        (
            "space j space j j space enter",
            ("1795248000", "1795226400"),
        ),
        // A mark alone is no pair.
        ("space j enter", ("original", "1795233600")),
        ("space space j space enter", ("original", "1795233600")),
    ];
    for (keys, (a, b)) in table {
        let (mut console, asked) = console(MadeUp::default());
        console.press(LIST).press(keys);
        assert_eq!(asked_sides(&console), (Some(a), Some(b)), "{keys}");
        console.press("esc");
        assert_eq!(top(&console), "replays");
        assert!(asked.lock().unwrap().is_empty());
    }
}

#[test]
fn without_a_mark_an_operand_is_compared_with_what_it_follows() {
    let (mut console, _) = console(MadeUp::default());
    console.press("/ p r i c e enter enter C g j enter");
    assert_eq!(asked_sides(&console), (Some("1795248000"), None));
    // The newest is selected at first.
    console.press("esc space j space enter");
    assert_eq!(
        asked_sides(&console),
        (Some("1795248000"), Some("1795255200"))
    );
}

/// A summary takes what is left; a name that is also the key is said once.
#[test]
fn names_of_work_are_whole_where_there_is_room() {
    let mut console = Console::over(MadeUp::default(), Palette::Sixteen, 200, 60);
    console.press(LIST).press("enter");
    let screen = console.state.layers.top_mut::<ComparisonScreen>().unwrap();
    let mut ready = screen.comparison.ready().unwrap().as_ref().clone();
    let pair = &mut ready.pairs[1];
    pair.key = "a poster session".to_owned();
    pair.role = pair.key.as_str().into();
    screen.take(Load::Ready(Arc::new(ready)));
    console.draw();
    let text = console.text();
    assert_eq!(text.matches("a poster session").count(), 1, "{text}");
}

#[test]
fn the_selection_begins_where_the_sides_part_and_v_goes_round() {
    let (mut console, _) = console(MadeUp::default());
    console.press(LIST).press("enter");
    let pair = |console: &Console| {
        let screen = top_as::<ComparisonScreen>(console);
        (screen.pair(), screen.shown.len())
    };
    assert_eq!(pair(&console), (Some(1), 9));
    console.press("G f");
    assert_eq!(pair(&console), (Some(1), 9));
    console.press("n");
    assert_eq!(pair(&console), (Some(2), 9));
    console.press("v");
    assert_eq!(pair(&console), (Some(2), 7));
    console.press("v");
    assert_eq!(pair(&console), (Some(2), 2));
    // Every outcome that occurs, worst first.
    for shown in [1, 1, 1, 1, 1, 2] {
        console.press("v");
        assert_eq!(pair(&console).1, shown);
    }
    console.press("v");
    assert_eq!(pair(&console).1, 9);
}

#[test]
fn a_row_opens_the_difference_that_its_key_names() {
    // Keys from the comparison with five runs, and which texts they open.
    let (pair, a, b) = (1, 0, 0);
    let table = [
        ("enter", Compared::Output { pair, a, b }),
        ("O", Compared::Output { pair, a, b }),
        ("i", Compared::Dispatch { pair, a, b }),
        ("s", Compared::Summary { pair, a, b }),
        ("t", Compared::Template(0)),
        ("> O", Compared::Output { pair, a, b: 1 }),
        ("> > > > > O", Compared::Output { pair, a, b }),
        ("3 j enter", Compared::Artifact(1)),
        ("3 t", Compared::Template(0)),
    ];
    for (keys, expected) in table {
        let (mut console, _) = console(MadeUp::default());
        console.press(LIST).press("G k enter 2").press(keys);
        match &top_as::<DiffScreen>(&console).source {
            DiffSource::Comparison { what, .. } => assert_eq!(*what, expected, "{keys}"),
            DiffSource::Plan { .. } => panic!("{keys}"),
        }
        console.press("esc");
        assert_eq!(top(&console), "comparison");
    }
    let (mut console, _) = console(MadeUp::default());
    console.press(LIST).press("enter <");
    assert_eq!(word(&console), "A has only this run.");
    console.press("1 enter");
    assert_eq!(top(&console), "comparison");
}

#[test]
fn an_experiment_shows_the_two_runs_of_one_block() {
    let (mut console, _) = console(MadeUp::default());
    console.press(LIST).press("G k enter 2");
    let shown = |screen: &ComparisonScreen| {
        let block = screen.block().unwrap();
        let of = |run: Option<usize>| run.unwrap_or(usize::MAX);
        let expected = (of(block.control_run), of(block.mutated_run));
        assert_eq!(screen.runs, expected, "block {}", block.number);
        block.number
    };
    let mut seen = vec![shown(top_as(&console))];
    for key in "> > < > > > > > n > > > > > v f > >".split(' ') {
        console.press(key);
        seen.push(shown(top_as(&console)));
    }
    seen.sort_unstable();
    seen.dedup();
    assert_eq!(seen, (1..=10).collect::<Vec<usize>>());
    // No run of another block stands in for one that is missing.
    let ready = top_as::<ComparisonScreen>(&console).comparison.ready();
    let mut comparison = Comparison::clone(ready.unwrap());
    let blocks = &mut comparison.statistics.as_mut().unwrap().blocks;
    blocks[3].mutated_run = None;
    blocks[4].control_run = None;
    let mut screen = ComparisonScreen::default();
    screen.take(Load::Ready(comparison.into()));
    for block in [2, 3, 4, 5, 4, 3] {
        screen.select(Tab::Blocks, block);
        shown(&screen);
    }
}

#[test]
fn what_was_not_compared_is_not_said_to_be_the_same() {
    let (mut console, _) = console(MadeUp::default());
    console.press(LIST).press("enter");
    let ready = top_as::<ComparisonScreen>(&console).comparison.ready();
    let mut comparison = Comparison::clone(ready.unwrap());
    comparison.artifacts = None;
    comparison.templates = Vec::new();
    let screen = console.state.layers.top_mut::<ComparisonScreen>().unwrap();
    screen.take(Load::Ready(comparison.into()));
    console.press("3 enter");
    assert!(
        word(&console).contains("not compared"),
        "{}",
        word(&console)
    );
    console.press("2 t");
    assert_eq!(word(&console), "No template is known to differ.");
}

#[test]
fn an_answer_that_nobody_awaits_changes_nothing() {
    let (mut console, _) = console(MadeUp::default());
    console.press(LIST).press("enter");
    let before = console.text();
    let stray = Ticket(9_999);
    let replies = [
        Reply::Replays(Ok(crate::model::ReplayList::default())),
        Reply::Operands(Ok(Vec::new())),
        Reply::Replaying(replays::progress(1)),
        Reply::Replayed(Ok(Vec::new())),
        Reply::Edited(Ok(Vec::new())),
    ];
    for reply in replies {
        console.send(Msg::Reply(stray, reply));
    }
    assert_eq!(console.text(), before);
    let Some(screen) = console.state.layers.top_as::<ComparisonScreen>() else {
        panic!("{}", top(&console));
    };
    assert_eq!(screen.tab, Tab::Work);
}

#[test]
fn a_pipeline_that_cannot_be_replayed_offers_no_replay() {
    let (mut console, _) = console(MadeUp {
        fresh: true,
        ..MadeUp::default()
    });
    console.press(LIST);
    assert!(console.text().contains("n  start one"));
    let ticket = top_as::<ReplaysScreen>(&console).ticket;
    assert_eq!(ticket, None);
    let why = "Replaying mgw pipelines is not supported: they do not record their dispatches.";
    console
        .state
        .layers
        .top_mut::<ReplaysScreen>()
        .unwrap()
        .ticket = Some(Ticket(9_999));
    let list = crate::model::ReplayList {
        unsupported: Some(why.into()),
        ..Default::default()
    };
    console.send(Msg::Reply(Ticket(9_999), Reply::Replays(Ok(list))));
    let text = console.text();
    assert!(!text.contains("start one"), "{text}");
    assert!(text.contains("C  compare what exists"), "{text}");
    console.press("n");
    assert_eq!((top(&console), word(&console)), ("replays", why.to_owned()));
}

#[test]
fn a_block_brings_its_runs_and_enter_compares_them() {
    let (mut console, _) = console(MadeUp::default());
    console.press(LIST).press("G k enter");
    let block = |console: &Console| {
        let screen = top_as::<ComparisonScreen>(console);
        let number = screen.block().unwrap().number;
        (screen.tab, number, screen.runs)
    };
    // The block that became worse is the first to look at.
    assert_eq!(block(&console), (Tab::Blocks, 6, (0, 0)));
    console.press("h");
    assert_eq!(block(&console), (Tab::Blocks, 5, (0, 4)));
    console.press("g h enter");
    assert_eq!(
        asked_sides(&console),
        (Some("original"), Some("1795255200-1"))
    );
    console.press("esc G l E");
    assert_eq!(top(&console), "notice");
    assert!(console.text().contains("Evidence E = 1.62"));
    console.press("esc tab");
    assert_eq!(block(&console).0, Tab::Metrics);
    console.press("b");
    assert_eq!(block(&console).0, Tab::Blocks);
    // What is no experiment has no blocks.
    let (mut console, _) = self::console(MadeUp::default());
    console.press(LIST).press("enter b");
    assert_eq!(
        word(&console),
        "Only an experiment with two arms has blocks."
    );
}

#[test]
fn two_groups_of_runs_are_whole_on_a_small_screen_and_no_column_is_empty() {
    let mut console = Console::new(80, 24);
    console.press(LIST).press("G k enter");
    let ready = top_as::<ComparisonScreen>(&console).comparison.ready();
    let mut comparison = Comparison::clone(ready.unwrap());
    comparison.a.runs = comparison.b.runs.clone();
    for pair in &mut comparison.pairs {
        (pair.a, pair.bucket) = (pair.b.clone(), None);
    }
    let screen = console.state.layers.top_mut::<ComparisonScreen>().unwrap();
    screen.take(Load::Ready(comparison.into()));
    console.press("2");
    let text = console.text();
    assert!(!text.contains("OUTCOME"), "{text}");
    let row = text.lines().find(|line| line.contains(" of 5 ok"));
    let row = row.unwrap_or_default();
    assert_eq!(row.matches(" of 5 ok ✓ completed").count(), 2, "{text}");
}

#[test]
fn the_files_of_several_runs_say_whose_they_are() {
    let mut console = Console::new(80, 24);
    console.press(LIST).press("G k enter l l 3");
    let text = console.text();
    let whose = "Files of original and 1795255200-1; for those of a block press b, then Enter.";
    assert!(text.replace("\n ", " ").contains(whose), "{text}");
    let mut single = Console::new(80, 24);
    single.press(LIST).press("enter 3");
    assert!(!single.text().contains("Files of"), "{}", single.text());
}
