//! What nobody can read is not agreed to, and a long question is read with few keys.

use std::path::PathBuf;
use std::sync::Arc;

use super::acting::{PLAN, top};
use super::harness::Console;
use super::made_up::MadeUp;
use crate::tui::keys::Key;
use crate::tui::msg::{Effect, Msg};
use crate::tui::screens::question::Question;
use crate::tui::screens::{Position, Screen as _};
use crate::tui::theme::Palette;
use crate::tui::update;

const TOO_SMALL: &str = "too small for the question";

/// A question about a project with a long path, in a window of this size.
fn asked(width: u16, height: u16) -> Console {
    let mut console = Console::over(MadeUp::ready(), Palette::Sixteen, width, height);
    let long = PathBuf::from(format!("/home/{}/shop", "deeply/nested/".repeat(9)));
    for row in &mut console.state.browser.rows {
        Arc::make_mut(&mut row.pipeline).reading.work_tree = Some(long.clone());
    }
    console.press(PLAN).press("A");
    assert_eq!(top(&console), "question");
    console
}

#[test]
fn a_question_is_answered_only_where_its_numbers_and_a_line_of_its_text_are_shown() {
    let mut refused = 0;
    for width in (60..=130).step_by(7) {
        for height in 14..=26 {
            let mut console = asked(width, height);
            let text = console.text();
            let page = console.state.geometry.page_of(console.state.top().list());
            let reads = page.height > 0;
            assert_eq!(reads, !text.contains(TOO_SMALL), "{width}x{height}\n{text}");
            if reads {
                let all = [
                    "About to restore",
                    "fingerprint",
                    "overwrites 4 files",
                    "To undo",
                ];
                for word in all {
                    assert!(text.contains(word), "{word} at {width}x{height}\n{text}");
                }
                continue;
            }
            refused += 1;
            console.press("y e s enter");
            assert_eq!(top(&console), "question", "{width}x{height}");
            console.press("esc");
            assert_eq!(top(&console), "plan");
        }
    }
    assert_eq!(
        refused, 0,
        "no window that the console accepts is too small"
    );
}

/// The first line that a question shows, before it is drawn again.
fn first(console: &Console) -> usize {
    let question = console.state.layers.top_as::<Question>().unwrap();
    match question.position(&console.state) {
        Position::Text(first) => first,
        Position::Fixed | Position::Row { .. } => 0,
    }
}

#[test]
fn keys_that_come_together_each_scroll_a_question() {
    let mut console = asked(80, 16);
    let end = first(&console);
    assert!(end > 8, "{}", console.text());
    for _ in 0..4 {
        drop(update::update(
            &mut console.state,
            Msg::Key(Key::parse("up").unwrap()),
        ));
    }
    assert_eq!(first(&console), end - 4);
    console.press("home");
    assert_eq!(first(&console), 0);
    console.press("end");
    assert_eq!(first(&console), end);
}

#[test]
fn a_question_says_how_many_paths_the_person_excluded() {
    let mut console = Console::over(MadeUp::ready(), Palette::Sixteen, 100, 30);
    console.press(PLAN).press("/ 価 enter space");
    let plan = console.text();
    assert!(plan.contains("1 path excluded"), "{plan}");
    console.press("A");
    let text = console.text();
    assert!(text.contains("1 path excluded"), "{text}");
}

#[test]
fn the_console_is_suspended_from_questions_and_text_fields_too() {
    for keys in ["", "/ a", "/ p r i c e enter p A", "space e", ": a", "? a"] {
        let mut console = Console::over(MadeUp::ready(), Palette::Sixteen, 100, 30);
        console.press(keys).press("ctrl-z");
        let suspended = console
            .outside
            .iter()
            .filter(|one| **one == Effect::Suspend);
        assert_eq!(suspended.count(), 1, "{keys}");
    }
}
