//! What matters is whole on a screen of 80×24, or is marked where it is cut.

use super::harness::Console;
use super::made_up::MadeUp;
use crate::model::Status;
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
