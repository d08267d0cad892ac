//! The screens of replays and comparisons, as pictures, drawn at three sizes.

use super::acting::console;
use super::harness::{Breaks, Console, SIZES, hold};
use super::made_up::{MadeUp, replays};
use crate::tui::keys::Key;
use crate::tui::msg::{Effect, Msg, Query, Reply};
use crate::tui::screens::replays::ReplaysScreen;
use crate::tui::theme::Palette;

const BREAKS: Breaks = Breaks {
    narrow: &[
        "replays",
        "replays-judged",
        "replays-purge",
        "new-replay-filled",
        "plan-conflicts",
        "conflict",
        "ask",
        "ended",
        "operands",
        "comparison",
        "comparison-group",
        "comparison-metrics",
        "comparison-files",
    ],
    wide: &[
        "replays",
        "new-replay-filled",
        "comparison",
        "comparison-group",
    ],
};

/// To the replays of the first pipeline.
pub(super) const LIST: &str = "/ p r i c e enter V";

/// A machine.
pub(super) type Machine = fn() -> MadeUp;

fn fresh() -> MadeUp {
    MadeUp {
        fresh: true,
        ..MadeUp::default()
    }
}

fn unlucky() -> MadeUp {
    MadeUp {
        unlucky: true,
        ..MadeUp::default()
    }
}

/// Screens by name: the machine, and the keys that lead there from the list of replays.
pub(super) const SCREENS: &[(&str, Machine, &str)] = &[
    ("replays", MadeUp::default, ""),
    ("replays-group", MadeUp::default, "G k l space G space"),
    ("replays-judged", MadeUp::default, "G k k"),
    ("replays-add-blocks", MadeUp::default, "j j +"),
    ("replays-purge", MadeUp::default, "G k k P"),
    ("replays-empty", fresh, ""),
    ("continue", MadeUp::default, "c"),
    ("new-replay", MadeUp::default, "n"),
    (
        "new-replay-filled",
        MadeUp::default,
        "n j enter r t - v 2 . m d enter j j j j j j j l l j l l l l",
    ),
    ("plan-same", MadeUp::default, "n p"),
    ("plan-conflicts", MadeUp::default, "n j enter v 2 enter p"),
    (
        "plan-settled",
        MadeUp::default,
        "n j enter v 2 enter p enter R j enter O",
    ),
    ("conflict", MadeUp::default, "n j enter v 2 enter p enter"),
    (
        "ask",
        MadeUp::default,
        "n j enter v 2 enter p enter R j enter O A",
    ),
    ("ended", MadeUp::default, "n p A y"),
    ("failed", unlucky, "n p A y"),
    ("operands", MadeUp::default, "C g space j space"),
    ("comparison", MadeUp::default, "enter"),
    ("comparison-group", MadeUp::default, "G k enter >"),
    ("comparison-metrics", MadeUp::default, "G k enter 1 j"),
    ("comparison-files", MadeUp::default, "enter 3 j"),
    ("comparison-about", MadeUp::default, "G k enter 4"),
    ("comparison-regressed", MadeUp::default, "enter v v"),
    (
        "comparison-recovery",
        MadeUp::default,
        "C g j j j space j space enter",
    ),
    ("comparison-failed", fresh, "C esc"),
];

#[test]
fn every_screen_at_every_size() {
    for (name, machine, keys) in SCREENS {
        hold("replay-", name, &BREAKS, &|palette, width, height| {
            let mut console = Console::over(machine(), palette, width, height);
            console.press(LIST).press(keys);
            console
        });
    }
}

/// A console in which a replay of five runs is under way.
fn under_way(palette: Palette, width: u16, height: u16) -> Console {
    let mut console = Console::over(MadeUp::default(), palette, width, height);
    console.press(LIST).press("n p A");
    // A question that cannot be read is not answered, so the terminal becomes small after that.
    console.state.size = (120, 40);
    let effects = console.ask(Msg::Key(Key::parse("y").unwrap()));
    console.state.size = (width, height);
    let ticket = effects.iter().find_map(|effect| match effect {
        Effect::Ask(ticket, Query::Replay(..)) => Some(*ticket),
        _ => None,
    });
    let progress = replays::progress(5);
    drop(console.ask(Msg::Reply(ticket.unwrap(), Reply::Replaying(progress))));
    console
}

#[test]
fn a_replay_under_way_at_every_size() {
    for (width, height) in SIZES {
        let mut console = under_way(Palette::Sixteen, width, height);
        let progress = console.text();
        drop(console.ask(Msg::Key(Key::parse("x").unwrap())));
        if width == 80 {
            insta::assert_snapshot!("replay-progress", progress);
            insta::assert_snapshot!("replay-stop", console.text());
        }
    }
}

#[test]
fn the_replays_are_named_where_the_pipeline_is() {
    for (width, height) in SIZES {
        let mut console = Console::over(MadeUp::default(), Palette::Sixteen, width, height);
        console.press("/ p r i c e enter enter");
        let text = console.text();
        assert!(text.contains("2 replays interrupted V"), "{text}");
    }
}

#[test]
fn without_colour_no_cell_has_one_and_the_words_are_all_there() {
    for (_, machine, keys) in SCREENS {
        let mut console = Console::over(machine(), Palette::None, 120, 40);
        console.press(LIST).press(keys);
        for cell in &console.buffer().content {
            let reset = ratatui::style::Color::Reset;
            assert_eq!((cell.fg, cell.bg), (reset, reset));
        }
    }
    let mut console = Console::over(MadeUp::default(), Palette::None, 200, 60);
    console.press(LIST).press("enter");
    for bucket in crate::model::Bucket::WORST_FIRST {
        let said = bucket.said(true);
        assert!(console.text().contains(said), "{said}");
    }
}

#[test]
fn hostile_text_reaches_no_cell_and_no_size_panics() {
    let clean = |console: &Console, name: &str| {
        for cell in &console.buffer().content {
            let mut signs = cell.symbol().chars();
            let hidden = signs.any(|c| c.is_control() || crate::model::text::is_hidden(c));
            assert!(!hidden, "{name}: {:?}", cell.symbol());
        }
    };
    for (width, height) in [(120, 40), (60, 14), (61, 15), (20, 5), (1, 1), (300, 90)] {
        for (name, machine, keys) in SCREENS {
            let mut console = Console::over(machine(), Palette::Dark, width, height);
            console.press(LIST).press(keys);
            clean(&console, name);
        }
        clean(&under_way(Palette::Dark, width, height), "progress");
    }
}

/// `+` adds what the verdict says, and the question says whether these blocks can reach a verdict.
#[test]
fn the_blocks_that_are_added_are_those_that_the_verdict_advises() {
    let hopeless = "No verdict can be reached with these blocks, so all of them are run.";
    for (adds, lacking, expected) in [(Some(7), 0, 7), (Some(7), 7, 7), (None, 6, 5)] {
        let (mut console, asked) = console(MadeUp::default());
        console.press(LIST).press("G k k");
        let screen = console.state.layers.find_mut::<ReplaysScreen>().unwrap();
        let judged = &mut screen.details.judged[0];
        judged.text.adds = adds;
        judged.statistics.decided_at = None;
        judged.statistics.lacking = lacking;
        console.press("+");
        let text = console.text();
        assert!(
            text.contains(&format!("With {expected} blocks more")),
            "{text}"
        );
        assert_eq!(text.contains(hopeless), lacking > expected, "{text}");
        console.press("y");
        let wrote = format!("extend 1795258800 {expected}");
        assert_eq!(*asked.lock().unwrap(), [wrote]);
    }
}
