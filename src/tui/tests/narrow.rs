//! What a small terminal has no room for: what gives way, and what is not done unseen.

use std::sync::Arc;

use super::harness::Console;
use super::made_up::MadeUp;
use crate::tui::data::Load;
use crate::tui::msg::Msg;
use crate::tui::prelude::Question;
use crate::tui::screens::plan::PlanScreen;
use crate::tui::theme::Palette;

fn opened(keys: &str) -> Console {
    let mut console = Console::over(MadeUp::ready(), Palette::Sixteen, 80, 24);
    console.press(keys);
    console
}

#[test]
fn the_head_of_a_pipeline_is_whole_while_rows_below_it_are_blank() {
    let sizes = [(60, 20), (80, 24), (80, 30), (120, 40), (200, 60)];
    let panes = ["1", "2", "3", "4", "5"];
    let all = sizes
        .iter()
        .flat_map(|size| panes.map(|pane| (*size, pane)));
    let mut blank = 0;
    for (((width, height), pane), long) in all.flat_map(|one| [(one, false), (one, true)]) {
        let mut console = Console::over(MadeUp::ready(), Palette::Sixteen, width, height);
        console.press("/ p r i c e enter enter");
        for load in console.state.dossiers.values_mut().filter(|_| long) {
            if let Load::Ready(dossier) = load {
                let standing = &mut Arc::make_mut(dossier).pipeline.standing;
                standing.liveness.evidence = vec!["A sentence of its own.".into(); 24];
            }
        }
        let text = console.press(pane).text();
        let rows: Vec<&str> = text.lines().collect();
        let tabs = |row: &&str| row.contains("1 Phases") || row.contains("5 Cause");
        let head = rows.iter().skip(2).take_while(|row| !tabs(row));
        let head: Vec<&str> = head.copied().collect();
        // Above the message and the keys.
        if rows[rows.len() - 3].trim().is_empty() {
            blank += 1;
            assert!(!head.concat().contains('…'), "{width}, {pane}: {text}");
        }
    }
    assert!(blank > 5, "{blank}");
}

#[test]
fn a_question_that_cannot_be_read_is_not_answered() {
    let mut console = opened("/ p r i c e enter p A");
    console.send(Msg::Resize(59, 24));
    console.press("y e s enter");
    assert!(console.state.layers.is_top::<Question>());
    console.send(Msg::Resize(80, 24));
    assert!(console.text().contains("Apply this plan?"));
    console.send(Msg::Resize(59, 24));
    console.press("esc");
    assert!(console.state.layers.is_top::<PlanScreen>());
}

#[test]
fn a_paste_that_was_taken_is_not_said_to_be_refused() {
    let mut console = opened("/");
    console.send(Msg::Paste("x".repeat(10_000)));
    assert!(console.text().contains("Nothing was pasted"));
    console.send(Msg::Paste("price".to_owned()));
    let text = console.text();
    assert!(text.contains("/price"), "{text}");
    assert!(!text.contains("Nothing was pasted"), "{text}");
}

/// Where a message is read that was covered by the next one.
#[test]
fn a_line_of_the_log_is_whole() {
    let mut console = opened("");
    let words: Vec<String> = (1..30).map(|number| format!("word{number}")).collect();
    console.send(Msg::Note(words.join(" ").into()));
    let text = console.press("@").text();
    for word in &words {
        assert!(text.contains(word), "no {word}\n{text}");
    }
}

#[test]
fn what_a_key_does_is_whole_at_sixty_columns() {
    for (pending, keys, said) in [
        (
            true,
            "",
            ["refused if not", "possible", "later: nothing is changed"],
        ),
        (
            false,
            "/ p r i c e enter p",
            ["Nothing is written yet", "A asks", "first."],
        ),
    ] {
        let machine = MadeUp {
            pending,
            ..MadeUp::ready()
        };
        let mut console = Console::over(machine, Palette::Sixteen, 60, 20);
        let text = console.press(keys).text();
        for part in said {
            assert!(text.contains(part), "no {part}\n{text}");
        }
    }
}
