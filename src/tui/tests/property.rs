//! Whatever happens, in whatever order: no panic, a valid selection, a clean screen.

use crate::tui::screens::comparison::ComparisonScreen;
use crate::tui::screens::menu::Menu;
use crate::tui::screens::new_replay::NewReplay;
use crate::tui::screens::pipeline::PipelineScreen;
use crate::tui::screens::plan::PlanScreen;
use crate::tui::screens::replay_plan::ReplayPlanScreen;
use crate::tui::screens::replays::ReplaysScreen;
use proptest::prelude::*;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

use super::harness::Console;
use super::made_up::MadeUp;
use crate::model::Clean;
use crate::tui::keys::Key;
use crate::tui::msg::{MouseAction, Msg, Signal};
use crate::tui::theme::Palette;
use crate::tui::view::pen::Bits;

const KEYS: &[&str] = &[
    "j",
    "k",
    "g",
    "G",
    "ctrl-d",
    "ctrl-u",
    "pgdn",
    "pgup",
    "h",
    "l",
    "enter",
    "esc",
    "q",
    "r",
    "p",
    "/",
    "n",
    "N",
    "s",
    "S",
    "b",
    "a",
    "c",
    "tab",
    "shift-tab",
    "1",
    "2",
    "3",
    "4",
    "z",
    "e",
    "E",
    "w",
    "W",
    "{",
    "}",
    "m",
    "'",
    "f",
    "space",
    "x",
    "A",
    "y",
    "o",
    "f5",
    "f2",
    ":",
    "@",
    "?",
    "|",
    "-",
    "=",
    ".",
    ",",
    "[",
    "]",
    "i",
    "ctrl-c",
    "ctrl-l",
    "up",
    "down",
    "backspace",
    "V",
    "C",
    "i",
    "O",
    "v",
    "<",
    ">",
    "run",
    "R",
    "u",
    "ctrl-r",
    "H",
    "t",
    "P",
    "S",
    "B",
    "F",
    "yes",
    "d",
    "D",
    "delete",
    "!",
    "é",
    "日",
];

#[derive(Debug, Clone)]
enum Operation {
    Key(usize),
    Click(u16, u16),
    Drag(u16, u16),
    Release,
    Wheel(bool, u16, u16),
    Resize(u16, u16),
    Paste(String),
    Changed,
    Signal,
}

fn operation() -> impl Strategy<Value = Operation> {
    prop_oneof![
        12 => (0..KEYS.len()).prop_map(Operation::Key),
        3 => (0..130_u16, 0..45_u16).prop_map(|(x, y)| Operation::Click(x, y)),
        2 => (0..130_u16, 0..45_u16).prop_map(|(x, y)| Operation::Drag(x, y)),
        1 => Just(Operation::Release),
        2 => (any::<bool>(), 0..130_u16, 0..45_u16).prop_map(|(up, x, y)| Operation::Wheel(up, x, y)),
        1 => (0..200_u16, 0..60_u16).prop_map(|(width, height)| Operation::Resize(width, height)),
        1 => any::<String>().prop_map(Operation::Paste),
        1 => Just(Operation::Changed),
        1 => Just(Operation::Signal),
    ]
}

fn send(console: &mut Console, operation: Operation) {
    let msg = match operation {
        // The one word that carries something out, as a person types it.
        Operation::Key(place) if KEYS[place] == "yes" => {
            console.press("A y e s enter");
            return;
        }
        // A replay, from wherever a plan of one is shown.
        Operation::Key(place) if KEYS[place] == "run" => {
            console.press("A y");
            return;
        }
        Operation::Key(place) => Msg::Key(Key::parse(KEYS[place]).unwrap()),
        Operation::Click(x, y) => Msg::Mouse(MouseAction::Press, x, y),
        Operation::Drag(x, y) => Msg::Mouse(MouseAction::Drag, x, y),
        Operation::Release => Msg::Mouse(MouseAction::Release, 0, 0),
        Operation::Wheel(true, x, y) => Msg::Mouse(MouseAction::WheelUp, x, y),
        Operation::Wheel(false, x, y) => Msg::Mouse(MouseAction::WheelDown, x, y),
        Operation::Resize(width, height) => Msg::Resize(width, height),
        Operation::Paste(text) => Msg::Paste(text),
        Operation::Changed => Msg::Changed,
        Operation::Signal => Msg::Signal(Signal::Continue),
    };
    console.send(msg);
}

fn check(console: &Console) {
    let browser = &console.state.browser;
    match browser.cursor.key() {
        Some(key) => assert!(browser.ids.contains(key)),
        None => assert!(browser.ids.is_empty()),
    }
    let layers = &console.state.layers;
    for screen in layers.all::<PlanScreen>() {
        let selected = screen.cursor.key();
        assert!(screen.rows.is_empty() || selected.is_some_and(|row| screen.rows.contains(row)));
    }
    for screen in layers.all::<PipelineScreen>() {
        if let Some(dossier) = console.state.dossier(&screen.id) {
            assert!(screen.timeline.event < dossier.timeline.len());
            let (len, place) = screen.extent(screen.pane, dossier);
            assert!(place.is_none_or(|place| place < len));
        }
    }
    for screen in layers.all::<ReplaysScreen>() {
        let selected = screen.cursor.key();
        assert!(screen.rows.is_empty() || selected.is_some_and(|row| screen.rows.contains(row)));
    }
    for screen in layers.all::<NewReplay>() {
        assert!(screen.place < screen.rows().len());
        assert!((1..=99).contains(&screen.chosen.repeat) && (1..=99).contains(&screen.chosen.jobs));
    }
    for screen in layers.all::<ReplayPlanScreen>() {
        let selected = screen.cursor.key();
        assert!(screen.rows.is_empty() || selected.is_some_and(|row| screen.rows.contains(row)));
    }
    for screen in layers.all::<ComparisonScreen>() {
        let Some(ready) = screen.comparison.ready() else {
            continue;
        };
        assert!(screen.runs.0 < ready.a.runs.len() && screen.runs.1 < ready.b.runs.len());
        let shown = &screen.shown;
        assert!(shown.is_empty() || screen.pair().is_some());
        assert!(shown.iter().all(|pair| *pair < ready.pairs.len()));
        assert!(shown.is_sorted());
    }
    for menu in layers.all::<Menu>() {
        assert!(menu.rows.is_empty() || menu.place < menu.rows.len());
    }
    let dirty = |symbol: &str| {
        symbol
            .chars()
            .any(|c| c.is_control() || crate::model::text::is_hidden(c))
    };
    assert!(
        console
            .buffer()
            .content
            .iter()
            .all(|cell| !dirty(cell.symbol()))
    );
}

proptest! {
    // Letters with a common form, signs that a selector makes wide, and whatever else there is.
    #[test]
    fn a_text_takes_the_cells_that_it_is_measured_with(
        text in prop_oneof![any::<String>(), "[\u{644}\u{627}\u{2764}\u{fe0f}\u{65e5}\u{301}ab]{0,20}"],
        cells in 0_usize..40,
    ) {
        let written = |text: &Clean| {
            let mut line = Buffer::empty(Rect::new(0, 0, 4_000, 1));
            usize::from(line.set_stringn(0, 0, text.as_str(), 4_000, Style::default()).0)
        };
        let text = Clean::new(&text);
        prop_assert_eq!(written(&text), text.width());
        for cut in [text.clip(cells), text.ellipsis(cells), text.clip_start(cells)] {
            prop_assert!(written(&cut) <= cells, "{} in {}", cut, cells);
        }
    }
}

proptest! {
    #[test]
    fn a_line_that_is_cut_says_so(texts in prop::collection::vec("[ab 日]{0,4}", 0..6), width in 1_usize..16) {
        let line = texts.iter().fold(Bits::new(), |line, text| line.text(Clean::new(text)));
        let whole = line.written();
        let shown = line.pad(width).written();
        prop_assert_eq!(shown.width(), width);
        let trimmed = Clean::new(whole.as_str().trim_end());
        if trimmed.width() > width {
            prop_assert!(shown.as_str().contains('…'), "{} in {}: {}", whole, width, shown);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn any_messages_leave_a_valid_console(operations in proptest::collection::vec(operation(), 0..40)) {
        let machine = MadeUp {
            pending: operations.len() % 2 == 0,
            unknown: operations.len() % 5 == 0,
            ..MadeUp::ready()
        };
        let mut console = Console::over(machine, Palette::Sixteen, 120, 40);
        for operation in operations {
            send(&mut console, operation);
            check(&console);
        }
    }
}
