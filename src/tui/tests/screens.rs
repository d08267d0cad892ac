//! Every screen as a picture, drawn at three sizes.

use super::harness::{Breaks, Console, hold};
use super::made_up::MadeUp;
use super::{acting_screens, replay_screens};
use crate::tui::msg::Msg;
use crate::tui::theme::Palette;

const BREAKS: Breaks = Breaks {
    narrow: &[
        "browser",
        "browser-filter",
        "browser-marked",
        "several-verified",
        "several-exported",
        "pipeline-phases",
        "pipeline-timeline",
        "pipeline-verification",
        "pipeline-checkpoints",
        "pipeline-cause",
        "detail-event",
        "points",
        "plan",
        "diff",
        "help",
        "palette",
    ],
    wide: &[
        "browser",
        "pipeline-timeline",
        "pipeline-cause",
        "points",
        "plan",
        "diff",
        "help",
    ],
};

/// Screens by name, with the keys that lead there.
pub(super) const SCREENS: &[(&str, &str)] = &[
    ("browser", ""),
    ("browser-all-by-system", "c b b"),
    ("browser-filter", "/ p a y enter"),
    ("browser-filter-nothing", "/ z z z z"),
    ("browser-marked", "space space"),
    ("several-verified", "space space space space C"),
    (
        "several-exported",
        "space space space space e / t m p / o u t enter",
    ),
    ("pipeline-phases", "/ p r i c e enter enter"),
    ("pipeline-timeline", "/ p r i c e enter enter 2"),
    (
        "pipeline-timeline-filter",
        "/ p r i c e enter enter 2 / t a s k",
    ),
    ("pipeline-verification", "/ p r i c e enter enter 3"),
    ("pipeline-checkpoints", "/ p r i c e enter enter 4"),
    ("pipeline-cause", "/ p r i c e enter enter 5 j"),
    ("pipeline-zoom", "/ p r i c e enter enter 2 z"),
    ("pipeline-unreadable", "/ u n r e a d enter enter"),
    ("detail-event", "/ p r i c e enter enter 2 e k k enter"),
    ("detail-checkpoint", "/ p r i c e enter enter 4 enter"),
    ("detail-cause", "/ p r i c e enter enter 5 enter"),
    ("detail-conversation", "/ p r i c e enter enter 5 j enter"),
    (
        "detail-conversation-quoted",
        "/ p r i c e enter enter 5 j enter s",
    ),
    ("points", "/ p r i c e enter r"),
    ("points-unverified", "/ p r i c e enter r j"),
    ("points-earlier", "/ p r i c e enter r k"),
    ("plan", "/ p r i c e enter p"),
    ("plan-exact", "/ p r i c e enter p x"),
    (
        "plan-path-left-out",
        "/ p r i c e enter p j j j j j j j j j j space",
    ),
    ("plan-nothing", "/ p r i c e enter r j j enter"),
    ("diff", "/ p r i c e enter p j j j j j j j j j j j enter"),
    (
        "diff-unfolded",
        "/ p r i c e enter p j j j j j j j j j j j enter = | n",
    ),
    ("help", "?"),
    ("help-search", "? f i l t e r"),
    ("palette", "/ p r i c e enter enter 2 :"),
    ("log", "f5 @"),
];

/// The screens of all pictures: their names, their machines, and the keys that lead to the list they begin at and on.
pub(super) fn of_all()
-> impl Iterator<Item = (&'static str, fn() -> MadeUp, &'static str, &'static str)> {
    let made_up = SCREENS.iter().map(|(name, keys)| {
        let machine: fn() -> MadeUp = MadeUp::default;
        (*name, machine, "", *keys)
    });
    let acting = acting_screens::SCREENS.iter();
    let acting = acting.map(|(name, machine, keys)| (*name, *machine, "", *keys));
    let replays = replay_screens::SCREENS.iter();
    let replays =
        replays.map(|(name, machine, keys)| (*name, *machine, replay_screens::LIST, *keys));
    made_up.chain(acting).chain(replays)
}

#[test]
fn every_screen_at_every_size() {
    for (name, keys) in SCREENS {
        hold("", name, &BREAKS, &|palette, width, height| {
            let mut console = Console::over(MadeUp::default(), palette, width, height);
            console.press(keys);
            console
        });
    }
}

#[test]
fn without_colour_no_cell_has_one() {
    for (_, keys) in SCREENS {
        let mut console = Console::over(MadeUp::default(), Palette::None, 120, 40);
        console.press(keys);
        for cell in &console.buffer().content {
            let colors = (cell.fg, cell.bg);
            assert_eq!(
                colors,
                (ratatui::style::Color::Reset, ratatui::style::Color::Reset)
            );
        }
    }
}

#[test]
fn nothing_there_and_nothing_yet() {
    let empty = MadeUp {
        empty: true,
        ..MadeUp::default()
    };
    let console = Console::over(empty, Palette::Sixteen, 80, 24);
    insta::assert_snapshot!("empty", console.text());
    let broken = MadeUp {
        broken: true,
        ..MadeUp::default()
    };
    let console = Console::over(broken, Palette::Sixteen, 80, 24);
    insta::assert_snapshot!("trouble", console.text());
    let mut console = Console::silent(MadeUp::default(), Palette::Sixteen, 80, 24);
    drop(crate::tui::update::start(&mut console.state));
    console.draw();
    insta::assert_snapshot!("looking", console.text());
}

#[test]
fn what_is_too_small_says_so_calmly() {
    let mut console = Console::new(40, 8);
    insta::assert_snapshot!("too-small", console.text());
    for (width, height) in [
        (1, 1),
        (2, 2),
        (10, 3),
        (59, 14),
        (60, 14),
        (61, 15),
        (80, 14),
        (300, 100),
    ] {
        for (_, keys) in SCREENS {
            console = Console::new(width, height);
            console.press(keys);
        }
    }
}

#[test]
fn hostile_text_reaches_no_cell() {
    for (_, keys) in SCREENS {
        let mut console = Console::new(120, 40);
        console.press(keys);
        for cell in &console.buffer().content {
            let hidden = cell
                .symbol()
                .chars()
                .any(|c| c.is_control() || crate::model::text::is_hidden(c));
            assert!(!hidden, "{:?}", cell.symbol());
        }
    }
}

#[test]
fn waiting_is_shown_where_an_answer_is_awaited() {
    for (name, keys) in [("plan", "p"), ("points", "r"), ("pipeline", "enter")] {
        let mut console = Console::silent(MadeUp::default(), Palette::Sixteen, 80, 24);
        drop(crate::tui::update::start(&mut console.state));
        let found = {
            let found = std::sync::Mutex::new(Vec::new());
            MadeUp::default()
                .survey(&crate::model::Request::default(), &|one| {
                    found.lock().unwrap().push(one);
                })
                .unwrap();
            found.into_inner().unwrap()
        };
        let ticket = console.state.browser.ticket.unwrap();
        for pipeline in found {
            drop(console.ask(Msg::Reply(
                ticket,
                crate::tui::msg::Reply::Found(Box::new(pipeline)),
            )));
        }
        drop(console.ask(Msg::Key(crate::tui::keys::Key::parse(keys).unwrap())));
        assert!(console.state.busy());
        insta::assert_snapshot!(format!("waiting-{name}"), console.text());
    }
}

#[test]
fn every_key_of_a_footer_can_be_clicked() {
    use super::harness::role;
    use crate::tui::geometry::Target;
    use crate::tui::theme::Role;
    for (name, keys) in SCREENS {
        let mut console = Console::over(MadeUp::default(), Palette::Roles, 120, 40);
        console.press(keys);
        let mut found = 0;
        for x in 0..120 {
            let cell = &console.buffer()[(x, 39)];
            // Arrows stand for two keys.
            if role(cell.fg) != Some(Role::Key) || matches!(cell.symbol(), " " | "↑" | "↓") {
                continue;
            }
            let target = console.state.geometry.at(x, 39);
            let is_key = matches!(target, Some(Target::Button(_) | Target::Key(_)));
            assert!(is_key, "{name}: {} at {x}: {target:?}", cell.symbol());
            found += 1;
        }
        assert!(found > 0, "{name} has no keys");
    }
}
