//! What matters is whole on a screen of 80×24, or is marked where it is cut.

use std::sync::Arc;

use super::harness::Console;
use super::made_up::{MadeUp, stamp};
use super::screens::SCREENS;
use crate::model::{EngineError, Status};
use crate::tui::data::Load;
use crate::tui::msg::Msg;
use crate::tui::screens::menu::Menu;
use crate::tui::screens::operands::OperandsScreen;
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

/// The text of a screen without its frames, the lines joined.
fn flat(console: &Console) -> String {
    let text = console.text().replace(['│', '┃', '▌'], " ");
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn the_help_of_every_screen_cuts_no_command() {
    let mut seen = 0;
    for (name, keys) in SCREENS {
        let mut console = Console::over(MadeUp::ready(), Palette::Sixteen, 80, 250);
        console.press(keys);
        console.press("?");
        let layers = &console.state.layers;
        if !layers.top_as::<Menu>().is_some_and(|menu| menu.full) {
            continue;
        }
        seen += 1;
        let text = console.text();
        let mut rows = text.lines().filter(|line| line.starts_with('│'));
        assert!(rows.all(|row| !row.contains('…')), "{name}:\n{text}");
    }
    assert!(seen > 15, "{seen} screens");
}

#[test]
fn help_and_the_way_back_are_named_on_every_screen() {
    let nothing = || MadeUp {
        empty: true,
        ..MadeUp::ready()
    };
    let more = [("history", "R"), ("replays", "V"), ("sides", "V C")];
    for (name, keys) in SCREENS.iter().chain(&more) {
        for source in [MadeUp::ready(), nothing()] {
            let mut console = Console::over(source, Palette::Sixteen, 80, 24);
            console.press(keys);
            if console.state.top().typing_keys().is_some() {
                continue;
            }
            let text = console.text();
            let footer = text.lines().last().unwrap_or_default();
            assert!(footer.contains("? help   q "), "{name}:\n{text}");
        }
    }
}

#[test]
fn what_is_wrong_with_a_filter_is_said_whole() {
    for width in [60, 80] {
        let mut console = Console::over(MadeUp::ready(), Palette::Sixteen, width, 24);
        console.press("/ s t a t i s : 3");
        let said = console.state.browser.filter_trouble.clone().unwrap();
        assert!(said.as_str().ends_with("Did you mean status?"), "{said}");
        let text = flat(&console);
        assert!(text.contains(said.as_str()), "{text}");
        assert!(text.contains("/statis:3"), "{text}");
    }
}

#[test]
fn on_the_smallest_screen_the_list_comes_before_the_card() {
    let console = Console::over(MadeUp::ready(), Palette::Sixteen, 60, 15);
    let text = console.text();
    let rows = text.lines().take_while(|line| !line.starts_with('╭'));
    let rows = rows.filter(|line| line.contains("✗ fail"));
    assert!(rows.count() >= 3, "{text}");
}

#[test]
fn every_fact_of_a_resume_point_has_a_line() {
    for keys in [
        "/ p r i c e enter r",
        "/ p r i c e enter r j",
        "/ p r i c e enter r k",
    ] {
        let wide = {
            let mut console = Console::over(MadeUp::ready(), Palette::Sixteen, 120, 60);
            console.press(keys);
            console.text()
        };
        let labels = ["check", "note", "again", "why", "cost", "restore"];
        let row = |label: &&str| format!("│ {label} ");
        let labels = labels.iter().filter(|label| wide.contains(&row(label)));
        let mut console = Console::over(MadeUp::ready(), Palette::Sixteen, 60, 20);
        console.press(keys);
        let text = console.text();
        for label in labels {
            assert!(text.contains(&row(label)), "{label}\n{text}");
        }
    }
}

#[test]
fn all_evidence_of_the_processes_is_in_the_detail_of_the_cause() {
    let mut console = opened("/ p r i c e enter enter 5 enter");
    let subject = console.state.subject().unwrap();
    let pipeline = console.state.browser.pipeline(&subject).unwrap();
    let evidence = pipeline.standing.liveness.evidence.clone();
    assert!(!evidence.is_empty());
    console.press("G");
    for one in evidence {
        let (said, text) = (one.clean(), flat(&console));
        assert!(text.contains(said.as_str()), "{said}\n{text}");
    }
}

#[test]
fn a_plan_that_cannot_be_made_offers_nothing_but_the_way_back() {
    let mut console = opened("/ p r i c e enter p");
    let screen = console.state.layers.find_mut::<PlanScreen>().unwrap();
    let failed = EngineError::refused("It cannot be read.");
    let failed = failed.hint("To see what can be read: relight show mgw-1~2");
    screen.take(Load::Failed(failed), stamp(0).at);
    console.draw();
    let text = console.text();
    let footer = text.lines().last().unwrap_or_default();
    assert!(text.contains("F5 tries again"), "{text}");
    assert!(
        text.contains("relight show mgw-1~2 (Esc, then Enter)"),
        "{text}"
    );
    assert!(!footer.contains("Enter"), "{text}");
    assert!(!footer.contains("A apply"), "{text}");
}

#[test]
fn a_folded_group_changes_no_number() {
    let mut console = opened("/ p r i c e enter b");
    let note = |console: &Console| {
        let text = console.text();
        let note = text.lines().find(|line| line.contains(" filtered out"));
        note.expect(&text).to_owned()
    };
    console.press("j");
    let before = note(&console);
    console.press("h");
    assert!(console.text().contains("folded"), "{}", console.text());
    assert_eq!(note(&console), before);
}

#[test]
fn where_nothing_can_be_compared_no_key_offers_it() {
    let mut console = opened("/ p r i c e enter enter C");
    assert!(
        console.text().contains("Enter compare"),
        "{}",
        console.text()
    );
    let screen = console.state.layers.top_mut::<OperandsScreen>().unwrap();
    screen.all = Load::Ready(Arc::new(Vec::new()));
    console.draw();
    let text = console.text();
    assert!(text.contains("gives two sides"), "{text}");
    assert!(!text.contains("Enter compare"), "{text}");
}

#[test]
fn the_parts_of_a_screen_are_named_whole_at_the_smallest_width() {
    for (keys, names) in [
        (
            "enter",
            &[
                "Phases",
                "Timeline",
                "Verification",
                "Checkpoints",
                "5 Cause",
            ][..],
        ),
        (
            "V G k enter",
            &["Blocks", "Metrics", "Dispatches", "Files", "4 About"][..],
        ),
    ] {
        let mut console = Console::over(MadeUp::ready(), Palette::Sixteen, 60, 24);
        let text = console.press("/ p r i c e enter").press(keys).text();
        for name in names {
            assert!(text.contains(name), "{name}: {text}");
        }
    }
}
