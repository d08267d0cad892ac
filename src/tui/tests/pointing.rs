//! The mouse: headings, keys that the screen names, scrollbars. All of it by the one map that drawing returns.

use super::acting::{console, top, word};
use super::harness::Console;
use super::made_up::MadeUp;
use crate::model::ListKey;
use crate::tui::geometry::Target;
use crate::tui::msg::{MouseAction, Msg};
use crate::tui::screens::question::Question;
use crate::tui::theme::Palette;

/// The cell where a text begins on the screen.
fn find(console: &Console, text: &str) -> (u16, u16) {
    let screen = console.text();
    let found = screen.lines().enumerate().find_map(|(y, line)| {
        let at = line.find(text)?;
        let x = unicode_width::UnicodeWidthStr::width(line.get(..at)?);
        Some((u16::try_from(x).unwrap(), u16::try_from(y).unwrap()))
    });
    found.unwrap_or_else(|| panic!("no {text:?} in\n{screen}"))
}

fn click(console: &mut Console, (x, y): (u16, u16)) {
    console.send(Msg::Mouse(MouseAction::Press, x, y));
    console.send(Msg::Mouse(MouseAction::Release, x, y));
}

#[test]
fn a_heading_sorts_and_a_second_press_turns_the_order_round() {
    let mut console = Console::new(120, 40);
    let sorted = |console: &Console| {
        let browser = &console.state.browser;
        (browser.sort, browser.reverse, browser.ids.clone())
    };
    let before = sorted(&console);
    let at = find(&console, "TITLE");
    click(&mut console, at);
    let once = sorted(&console);
    assert_eq!((once.0, once.1), (ListKey::Title, false));
    assert_ne!(once.2, before.2);
    assert!(console.text().contains("TITLE▾"));
    click(&mut console, at);
    let mut twice = sorted(&console);
    assert_eq!((twice.0, twice.1), (ListKey::Title, true));
    twice.2.reverse();
    assert_eq!(twice.2, once.2);
    let at = find(&console, "PROJECT");
    click(&mut console, at);
    assert_eq!(
        (sorted(&console).0, sorted(&console).1),
        (ListKey::Project, false)
    );
}

#[test]
fn a_key_that_a_line_names_can_be_pressed() {
    let mut console = Console::new(120, 40);
    // The line below the list: what is hidden, and the key that shows it.
    let (x, y) = find(&console, "complete c");
    click(&mut console, (x + 9, y));
    assert!(console.state.browser.complete, "{}", console.text());
    // The message line.
    console.press("space");
    let (x, y) = find(&console, "C verifies");
    click(&mut console, (x, y));
    assert_eq!(top(&console), "verification");
}

#[test]
fn a_filter_is_cleared_by_the_key_beside_it_and_a_letter_is_never_typed() {
    let mut console = Console::new(120, 40);
    console.press("/ p r i c e");
    let at = find(&console, "/price");
    click(&mut console, at);
    assert_eq!(console.state.browser.filter.text(), "price");
    console.press("enter");
    let at = find(&console, "Esc clears it");
    click(&mut console, at);
    assert!(console.state.browser.filter.is_empty());
}

#[test]
fn a_question_is_answered_by_its_keys() {
    // A plan that deletes nothing is confirmed by a key.
    let plan = "/ p r i c e enter p A y e s enter H A";
    let (mut console, _) = console(MadeUp::ready());
    console.press(plan);
    assert!(
        console.state.layers.is_top::<Question>(),
        "{}",
        console.text()
    );
    let (x, y) = find(&console, "n Esc Enter");
    for at in [x, x + 2, x + 6] {
        click(&mut console, (at, y));
        assert!(word(&console).contains("nothing was changed"));
        console.press("A");
    }
    let (x, y) = find(&console, "y launch");
    click(&mut console, (x, y));
    assert!(!console.state.layers.is_top::<Question>());
    assert!(!console.outside.is_empty(), "it is launched");
}

#[test]
fn each_key_of_a_line_has_a_place_of_its_own() {
    let (mut console, _) = console(MadeUp {
        pending: true,
        ..MadeUp::ready()
    });
    assert_eq!(top(&console), "pending");
    for (width, height) in [(200, 60), (60, 20), (120, 40)] {
        console.send(Msg::Resize(width, height));
        let (x, y) = find(&console, "B  F");
        let at = |x, y| console.state.geometry.at(x, y);
        assert!(matches!(at(x, y), Some(Target::Key(_))), "{width}");
        assert!(matches!(at(x + 3, y), Some(Target::Key(_))), "{width}");
        assert_ne!(at(x, y), at(x + 3, y), "{width}");
    }
    let (x, y) = find(&console, "Esc");
    click(&mut console, (x, y));
    assert_eq!(top(&console), "list");
    assert!(word(&console).contains("still pending"));
}

#[test]
fn the_keys_of_a_pending_recovery_act() {
    let (mut console, asked) = console(MadeUp {
        pending: true,
        ..MadeUp::ready()
    });
    let (x, y) = find(&console, "B  F");
    click(&mut console, (x, y));
    let asked = asked.lock().unwrap();
    assert!(asked[0].contains("RollBack"), "{asked:?}");
}

#[test]
fn a_scrollbar_is_pressed_and_dragged() {
    let mut console = Console::new(80, 24);
    console.press("?");
    let list = console.state.top().list();
    let bar = (0..80)
        .flat_map(|x| (0..24).map(move |y| (x, y)))
        .filter(|(x, y)| {
            let at = console.state.geometry.at(*x, *y);
            matches!(at, Some(Target::Scroll(of, _)) if of == list)
        })
        .collect::<Vec<_>>();
    let (column, bottom) = *bar.last().unwrap();
    let place = |console: &Console| console.state.geometry.page_of(list).first;
    assert_eq!(place(&console), 0);
    console.send(Msg::Mouse(MouseAction::Press, column, bottom));
    let end = place(&console);
    assert!(end > 0);
    // The mouse may leave the column, and the list, while the button is down.
    console.send(Msg::Mouse(MouseAction::Drag, 3, 0));
    assert_eq!(place(&console), 0);
    console.send(Msg::Mouse(MouseAction::Drag, 3, 23));
    assert_eq!(place(&console), end);
    console.send(Msg::Mouse(MouseAction::Release, 3, 23));
    console.send(Msg::Mouse(MouseAction::Drag, 3, 0));
    assert_eq!(place(&console), end, "nothing is held anymore");
}

#[test]
fn the_text_of_a_question_is_dragged_and_has_two_ends() {
    let mut console = Console::over(MadeUp::ready(), Palette::Sixteen, 80, 24);
    console.press("/ p r i c e enter p A");
    let above = |console: &Console| {
        let screen = console.text();
        let mark = screen.lines().find(|line| line.contains(" above "));
        let number = mark.map(|mark| mark.split_whitespace().nth(2).unwrap());
        number.unwrap_or("0").to_owned()
    };
    let end = above(&console);
    assert_ne!(end, "0");
    // A key that leads beyond an end needs none to come back.
    console.press("down down down up");
    let before_the_end = end.parse::<u32>().unwrap() - 1;
    assert_eq!(above(&console), before_the_end.to_string());
    for _ in 0..5 {
        console.press("pgup");
    }
    assert_eq!(above(&console), "0");
    console.press("down");
    assert_eq!(above(&console), "1");

    let list = console.state.top().list();
    let bar = (0..24).filter_map(|y| {
        let mut columns = 0..80;
        columns
            .find(|x| {
                let at = console.state.geometry.at(*x, y);
                matches!(at, Some(Target::Scroll(of, _)) if of == list)
            })
            .map(|x| (x, y))
    });
    let bar = bar.collect::<Vec<_>>();
    let (column, bottom) = *bar.last().unwrap();
    console.send(Msg::Mouse(MouseAction::Press, column, bottom));
    assert_eq!(above(&console), end);
    console.send(Msg::Mouse(MouseAction::Drag, 3, 0));
    assert_eq!(above(&console), "0");
    console.send(Msg::Mouse(MouseAction::WheelDown, 40, bottom));
    assert_eq!(above(&console), "3");
}
