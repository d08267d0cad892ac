//! What matters is whole on a screen of 80×24, or is marked where it is cut.

use std::sync::Arc;

use super::harness::Console;
use super::made_up::{MadeUp, stamp};
use crate::model::Status;
use crate::tui::data::Load;
use crate::tui::msg::Msg;
use crate::tui::screens::plan::PlanScreen;
use crate::tui::theme::Palette;

fn opened(keys: &str) -> Console {
    let mut console = Console::over(MadeUp::ready(), Palette::Sixteen, 80, 24);
    console.press(keys);
    console
}

fn first_line(console: &Console) -> String {
    console.text().lines().next().unwrap_or_default().to_owned()
}

#[test]
fn the_header_cuts_nothing_while_it_has_room() {
    let list = first_line(&opened(""));
    assert!(list.contains("unreadable") && !list.contains('…'), "{list}");
    for dialog in ["?", ":"] {
        assert_eq!(first_line(&opened(dialog)), list);
    }
    // Signs are enough where there is more to say.
    let pending = MadeUp {
        pending: true,
        ..MadeUp::ready()
    };
    let mut console = Console::over(pending, Palette::Sixteen, 80, 24);
    let header = first_line(console.press("esc"));
    assert!(
        header.contains("1 recovery pending: R") && header.ends_with("✗ 1"),
        "{header}"
    );
    // A title gives way, and where the person is does not.
    let plan = first_line(&opened("/ p r i c e enter r enter"));
    assert!(
        plan.contains('…') && plan.contains("› plan wave-1 "),
        "{plan}"
    );
    let wide = |keys| {
        let mut console = Console::over(MadeUp::ready(), Palette::Sixteen, 200, 60);
        first_line(console.press(keys))
    };
    let plan = wide("/ p r i c e enter r enter");
    assert!(!plan.contains('…'), "{plan}");
}

#[test]
fn the_key_that_goes_to_what_waits_stands_beside_its_number() {
    let console = opened("");
    let waiting = console.state.browser.count(Status::Waiting);
    let header = first_line(&console);
    assert!(
        header.contains(&format!("{waiting} waiting w ")),
        "{header}"
    );
    let none = opened("/ s t a t u s : l i v e enter");
    assert_eq!(first_line(&none), header, "a filter hides nothing of it");
}

#[test]
fn a_message_that_is_longer_than_the_screen_is_shown_whole() {
    let mut console = opened("");
    let words: Vec<String> = (1..30).map(|number| format!("word{number}")).collect();
    console
        .state
        .refuse(crate::model::Clean::new(&words.join(" ")));
    console.draw();
    let text = console.text();
    for word in &words {
        assert!(text.contains(word), "no {word}\n{text}");
    }
    assert!(text.contains("? help"), "{text}");
    console.press("j");
    assert!(!console.text().contains("word1"));
}

#[test]
fn a_fact_of_the_card_that_is_cut_says_so() {
    let mut console = opened("");
    let mut cut = 0;
    for _ in 0..console.state.browser.ids.len() {
        let text = console.text();
        let card = text.lines().skip_while(|line| !line.starts_with('╭'));
        let card: Vec<&str> = card.filter(|line| line.starts_with('│')).collect();
        let last = card.last().unwrap().trim_end_matches(['│', ' ']);
        let full = last.chars().count() > 70;
        cut += usize::from(last.ends_with('…'));
        assert!(!full || last.ends_with(['…', '.']), "{text}");
        console.press("j");
    }
    assert!(cut > 0, "nothing was cut");
}

#[test]
fn the_question_ends_with_what_is_overwritten() {
    let mut console = opened("/ p r i c e enter p A");
    let text = console.text();
    let at = |words: &str| {
        text.find(words)
            .unwrap_or_else(|| panic!("no {words}\n{text}"))
    };
    let (names, sentence) = (at("~ overwritten"), at("! Uncommitted changes"));
    assert!(at("Overwritten") < names && names < sentence && sentence < at("To undo"));
    assert!(
        !text.contains("lines below") && text.contains("lines above"),
        "{text}"
    );
    for _ in 0..3 {
        console.press("pgup");
    }
    let text = console.text();
    assert!(
        text.contains("lines below") && !text.contains("0 lines"),
        "{text}"
    );
}

#[test]
fn a_destructive_plan_never_says_that_nothing_is_overwritten() {
    let mut console = opened("");
    let mut seen = 0;
    for _ in 0..console.state.browser.ids.len() {
        console.press("p");
        let screen = console.state.layers.top_as::<PlanScreen>();
        let plan = screen.and_then(|screen| screen.plan.ready());
        if plan.is_some_and(|plan| plan.destructive) {
            seen += 1;
            assert!(
                !console.text().contains("Overwritten  nothing"),
                "{}",
                console.text()
            );
        }
        console.press("esc j");
    }
    assert!(seen > 0);
}

#[test]
fn every_text_field_shows_what_is_typed_at_the_end_of_a_long_or_invisible_text() {
    for (width, height) in [(60, 14), (80, 24), (120, 40)] {
        for keys in [
            "/",
            ":",
            "?",
            "space e",
            "/ p r i c e enter enter 2 /",
            "/ p r i c e enter p /",
            "/ p r i c e enter p j j j j j j j j j j j enter /",
        ] {
            let mut console = Console::new(width, height);
            console.press(keys);
            console.send(Msg::Paste("赤\u{200b}x".repeat(100)));
            console.press("Q");
            let place = console
                .cursor()
                .unwrap_or_else(|| panic!("no cursor after {keys}"));
            let typed = console.buffer()[(place.x - 1, place.y)].symbol();
            assert_eq!(typed, "Q", "{keys} at {width}:\n{}", console.text());
        }
    }
}

#[test]
fn what_is_too_long_to_paste_is_refused_whole() {
    for keys in ["/", "space e"] {
        let mut console = opened(keys);
        console.send(Msg::Paste("a".repeat(1_001)));
        let text = console.text();
        assert!(text.contains("Nothing was pasted"), "{keys}:\n{text}");
        assert!(!text.contains("aaaa"), "{keys}:\n{text}");
    }
}

#[test]
fn a_long_filter_leaves_room_for_what_it_found() {
    let mut console = opened("/");
    console.send(Msg::Paste("a".repeat(500)));
    let text = console.text();
    assert!(text.contains("0 shown, "), "{text}");
}

#[test]
fn what_is_too_small_is_said_in_whole_words() {
    let console = Console::new(20, 8);
    let text = console.text();
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        words.contains("needs 60 columns and 14 rows; this terminal has 20 and 8. q quits"),
        "{text}"
    );
}

#[test]
fn the_count_of_kept_files_stands_apart_from_the_sentence_before_it() {
    let mut console = opened("/ p r i c e enter p");
    let screen = console.state.layers.find_mut::<PlanScreen>().unwrap();
    let mut plan = screen.plan.ready().unwrap().as_ref().clone();
    plan.actions.clear();
    screen.take(Load::Ready(Arc::new(plan)), stamp(0).at);
    console.draw();
    let text = console.text();
    assert!(
        text.contains("only the hand-off.  keeps 1 later file"),
        "{text}"
    );
}
