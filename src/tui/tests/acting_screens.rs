//! The screens that act, as pictures, drawn at three sizes.

use super::acting::{PLAN, console, top, word};
use super::harness::{Breaks, Console, SIZES, hold};
use super::made_up::{End, MadeUp};
use crate::model::{Stage, StageProgress};
use crate::tui::keys::Key;
use crate::tui::msg::{Effect, Msg, Query, Reply};
use crate::tui::theme::Palette;

const BREAKS: Breaks = Breaks {
    narrow: &[
        "confirm",
        "confirm-stopped",
        "outcome-done",
        "outcome-unclear",
        "handoff",
        "rehearsal",
        "recoveries",
        "recovery",
        "undo",
        "pending",
    ],
    wide: &["handoff", "recoveries", "recovery", "pending"],
};

fn ready() -> MadeUp {
    MadeUp::ready()
}

fn unknown() -> MadeUp {
    MadeUp {
        unknown: true,
        ..MadeUp::ready()
    }
}

fn pending() -> MadeUp {
    MadeUp {
        pending: true,
        ..MadeUp::ready()
    }
}

fn limited() -> MadeUp {
    MadeUp {
        limited: true,
        ..MadeUp::ready()
    }
}

fn ends(end: End) -> MadeUp {
    MadeUp {
        end,
        ..MadeUp::ready()
    }
}

/// To the plan of the first pipeline, and through its question.
const CARRY: &str = "/ p r i c e enter p A y e s enter";

/// A machine.
pub(super) type Machine = fn() -> MadeUp;

/// Screens by name: the machine, and the keys that lead there.
pub(super) const SCREENS: &[(&str, Machine, &str)] = &[
    ("refused", MadeUp::default, "/ p r i c e enter p A"),
    ("confirm", ready, "/ p r i c e enter p A"),
    ("confirm-exact", ready, "/ p r i c e enter p x A y e"),
    ("confirm-above", ready, "/ p r i c e enter p A up up up"),
    ("confirm-stopped", unknown, "/ p r i c e enter p A n o t"),
    (
        "confirm-after-stopped",
        unknown,
        "/ p r i c e enter p A n o t space r u n n i n g enter",
    ),
    ("outcome-done", ready, CARRY),
    ("outcome-refused", || ends(End::Refused), CARRY),
    ("outcome-rolled-back", || ends(End::RolledBack), CARRY),
    ("outcome-unclear", || ends(End::Unclear), CARRY),
    ("handoff", ready, "/ p r i c e enter p A y e s enter H"),
    (
        "handoff-launch",
        ready,
        "/ p r i c e enter p A y e s enter H A",
    ),
    (
        "handoff-limit",
        limited,
        "/ p r i c e enter p A y e s enter H",
    ),
    ("recovery-handoff-limit", limited, "R H"),
    ("handoff-ahead", ready, "/ p r i c e enter p H"),
    ("rehearsal", ready, "/ p r i c e enter p t"),
    ("plan-rehearsed", ready, "/ p r i c e enter p t esc"),
    ("plan-missing-only", ready, "/ p r i c e enter p c"),
    ("recoveries", ready, "R"),
    ("recoveries-pending", pending, "esc R"),
    ("recovery", ready, "R enter"),
    ("recovery-difference", ready, "R enter j j j j enter"),
    ("undo", ready, "R u"),
    ("undo-kept", ready, "R u j j j j j j j space"),
    ("undo-confirm", ready, "R u A"),
    ("purge", ready, "R P p u r"),
    ("pending", pending, ""),
    ("pending-settled", pending, "S"),
    ("export", pending, "e / t m p"),
    ("export-several", ready, "space space e / t m p / o u t"),
    ("help-plan", ready, "/ p r i c e enter p ?"),
];

#[test]
fn every_screen_at_every_size() {
    for (name, machine, keys) in SCREENS {
        hold("act-", name, &BREAKS, &|palette, width, height| {
            let mut console = Console::over(machine(), palette, width, height);
            console.press(keys);
            console
        });
    }
}

#[test]
fn without_colour_every_verdict_is_still_told_apart() {
    let mut seen = std::collections::BTreeSet::new();
    for end in [End::Done, End::Refused, End::RolledBack, End::Unclear] {
        let mut console = Console::over(ends(end), Palette::None, 80, 24);
        console.press(CARRY);
        let head: String = console.text().lines().skip(2).take(1).collect();
        assert!(seen.insert(head.clone()), "{head}");
        for cell in &console.buffer().content {
            let colors = (cell.fg, cell.bg);
            let reset = ratatui::style::Color::Reset;
            assert_eq!(colors, (reset, reset));
        }
    }
}

#[test]
fn hostile_text_reaches_no_cell_and_no_size_panics() {
    for (name, machine, keys) in SCREENS {
        for (width, height) in [(120, 40), (60, 14), (61, 15), (20, 5), (1, 1), (300, 90)] {
            let mut console = Console::over(machine(), Palette::Dark, width, height);
            console.press(keys);
            for cell in &console.buffer().content {
                let mut signs = cell.symbol().chars();
                let hidden = signs.any(|c| c.is_control() || crate::model::text::is_hidden(c));
                assert!(!hidden, "{name}: {:?}", cell.symbol());
            }
        }
    }
}

#[test]
fn a_gauge_shows_no_more_than_was_told() {
    for (width, height) in SIZES {
        let mut console = Console::over(ready(), Palette::Sixteen, width, height);
        console.press("/ p r i c e enter p A y e s");
        let effects = console.ask(Msg::Key(Key::parse("enter").unwrap()));
        let ticket = effects.iter().find_map(|effect| match effect {
            Effect::Ask(ticket, Query::Apply(..)) => Some(*ticket),
            _ => None,
        });
        let ticket = ticket.unwrap();
        let told = [
            (Stage::Lock, 1, 1),
            (Stage::Stage, 412, 412),
            (Stage::Exchange, 299, 300),
        ];
        for (stage, done, total) in told {
            let progress = StageProgress { stage, done, total };
            drop(console.ask(Msg::Reply(ticket, Reply::Progress(progress))));
        }
        if width == 80 {
            insta::assert_snapshot!("act-progress", console.text());
        }
        let text = console.text();
        let exchange = text
            .lines()
            .find(|line| line.contains("299 of 300"))
            .unwrap();
        assert_eq!(exchange.matches('─').count(), 1, "{exchange}");
    }
}

#[test]
fn a_rehearsal_that_is_left_is_cancelled() {
    let (mut console, _) = console(MadeUp::ready());
    console.press(PLAN);
    let asked = console.ask(Msg::Key(Key::parse("t").unwrap()));
    let [Effect::Ask(_, Query::Rehearse(_, cancel))] = asked.as_slice() else {
        panic!("{asked:?}");
    };
    assert!(!cancel.is_cancelled());
    console.press("esc");
    assert_eq!(top(&console), "plan");
    assert!(cancel.is_cancelled());
    assert!(word(&console).contains("rehearsal is canceled"));
    // One that has ended is only closed.
    console.press("t esc");
    assert_eq!(word(&console), "");
}
