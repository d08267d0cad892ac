//! What is done with several marked pipelines: verify and export, one after the other, in the background.

use std::path::PathBuf;

use super::acting::{console, top, word};
use super::harness::{Console, top_as};
use super::made_up::MadeUp;
use crate::model::{PipelineId, Status, Verdict};
use crate::tui::data::Load;
use crate::tui::keys::Key;
use crate::tui::msg::{Effect, Msg, Query};
use crate::tui::screens::batch::BatchScreen;
use crate::tui::screens::pipeline::{Pane, PipelineScreen};
use crate::tui::theme::Palette;

fn screen(console: &Console) -> &BatchScreen {
    top_as(console)
}

/// The pipeline that is asked for now.
fn asked(effects: &[Effect]) -> Vec<(&PipelineId, Option<&PathBuf>)> {
    let of = |effect: &'_ Effect| match effect {
        Effect::Ask(_, Query::Checks(_) | Query::ExportReport(..)) => Some(()),
        _ => None,
    };
    let effects = effects.iter().filter(|effect| of(effect).is_some());
    effects
        .map(|effect| match effect {
            Effect::Ask(_, Query::Checks(id)) => (id, None),
            Effect::Ask(_, Query::ExportReport(id, into)) => (id, Some(into)),
            _ => unreachable!(),
        })
        .collect()
}

#[test]
fn the_worst_of_the_marked_comes_first_and_enter_opens_it_at_its_check() {
    let mut console = Console::new(120, 40);
    console.press("space space space space C");
    let rows = screen(&console).rows();
    let ranks: Vec<_> = rows
        .iter()
        .map(|row| match (&row.item.result, row.check) {
            (Load::Failed(_), _) => 0,
            (_, Some(check)) if check.verdict == Verdict::Fail => 1,
            (_, Some(_)) => 2,
            (_, None) => 3,
        })
        .collect();
    assert_eq!(screen(&console).items.len(), 4);
    assert_eq!(screen(&console).waiting(), 0);
    assert!(ranks.len() > 4 && ranks.contains(&1), "{ranks:?}");
    console.press("j enter");
    let opened = top_as::<PipelineScreen>(&console);
    assert!(opened.pane == Pane::Verification);
    let batch = console.state.layers.all::<BatchScreen>().next().unwrap();
    let (id, check) = batch.cursor.key().unwrap();
    assert_eq!(opened.id, *id);
    assert_eq!(opened.checks.key(), check.as_ref());
    assert!(check.is_some());
}

#[test]
fn without_a_mark_it_is_the_selected_row() {
    let mut console = Console::new(120, 40);
    let id = console.state.browser.chosen_ids();
    console.press("C");
    let items = &screen(&console).items;
    assert_eq!(
        items.iter().map(|item| &item.id).collect::<Vec<_>>(),
        [&id[0]]
    );
}

#[test]
fn one_at_a_time_is_asked_for_and_none_once_the_screen_is_closed() {
    let mut console = Console::new(120, 40);
    console.press("space space");
    let first = console.ask(Msg::Key(Key::letter('C')));
    assert_eq!(asked(&first).len(), 1);
    assert!(console.state.busy());
    assert!(
        asked(&console.ask(Msg::Changed)).is_empty(),
        "one is under way"
    );
    let after = console.ask(Msg::Key(Key::letter('q')));
    assert!(asked(&after).is_empty());
    // The answer that is still to come finds nobody, and changes only the list.
    for effect in first {
        if let Effect::Ask(ticket, query @ Query::Checks(_)) = effect {
            let error = crate::model::EngineError::new(crate::model::ErrorKind::Bug, "x");
            let effects = console.ask(Msg::Reply(ticket, query.failed(error)));
            assert!(asked(&effects).is_empty());
        }
    }
}

#[test]
fn an_export_asks_where_writes_each_and_says_what_was_refused() {
    let (mut console, written) = console(MadeUp::default());
    console.press("space space space space e");
    assert_eq!(top(&console), "question");
    console.press("enter");
    assert_eq!(top(&console), "list", "an empty answer is no");
    assert!(written.lock().unwrap().is_empty());
    console.press("e ~ / o u t enter");
    assert!(word(&console).contains("full path"), "{}", word(&console));
    console.press("esc e / t m p / o u t enter");
    let screen = screen(&console);
    assert_eq!(screen.waiting(), 0);
    assert_eq!(screen.failed(), 1, "one was there before");
    assert_eq!(written.lock().unwrap().len(), 3);
    assert!(matches!(screen.rows()[0].item.result, Load::Failed(_)));
    assert!(
        console.text().contains("exists already"),
        "{}",
        console.text()
    );
    // Reading again never writes again.
    console.press("f5");
    assert_eq!(written.lock().unwrap().len(), 3);
}

#[test]
fn an_export_that_is_left_says_what_is_missing() {
    let mut console = Console::new(120, 40);
    console.press("space space e / t m p");
    drop(console.ask(Msg::Key(Key::parse("enter").unwrap())));
    drop(console.ask(Msg::Key(Key::letter('q'))));
    assert!(
        word(&console).contains("not exported"),
        "{}",
        word(&console)
    );
}

#[test]
fn a_read_only_console_verifies_and_does_not_export() {
    let mut console = Console::new(120, 40);
    console.state.read_only = true;
    console.press("e");
    assert!(word(&console).contains("read-only"));
    console.press("C");
    assert_eq!(screen(&console).waiting(), 0);
}

#[test]
fn the_help_names_the_command_for_all_that_are_marked() {
    let mut console = Console::new(200, 60);
    console.press("space space ?");
    let ids = console.state.browser.chosen_ids();
    let line = format!("relight verify {} {}", ids[0], ids[1]);
    console.press("v e r i f y space t h e space m a r k e d");
    assert!(console.text().contains(&line), "{line}\n{}", console.text());
}

#[test]
fn the_next_pipeline_that_waits_is_one_key_away() {
    let mut console = Console::new(120, 40);
    let mut seen = Vec::new();
    for _ in 0..3 {
        console.press("w");
        let row = console.state.browser.selected().unwrap();
        assert_eq!(row.pipeline.standing.status, Status::Waiting);
        seen.push(row.pipeline.id.clone());
    }
    assert_ne!(seen[0], seen[1]);
    assert_eq!(seen[0], seen[2], "round the end");
    console.press("W");
    let row = console.state.browser.selected().unwrap();
    assert_eq!(row.pipeline.id, seen[1]);
    console.press("/ s t a t u s : l i v e enter w");
    let said = word(&console);
    assert!(said.starts_with("None of the 2 waiting"), "{said}");
    // Those of a folded group are not shown either.
    console.press("esc b w h w");
    let said = word(&console);
    assert!(said.starts_with("None of the 2 waiting"), "{said}");
}

/// Marks this many of the first rows, then filters all but those that wait.
fn marked_and_filtered(number: usize) -> Console {
    let mut console = Console::new(120, 40);
    console.press(&"space ".repeat(number));
    console.press("/ s t a t u s : w a i t i n g enter");
    console
}

#[test]
fn where_none_of_the_marked_is_shown_nothing_acts_on_another_row() {
    for key in ["C", "e", "X", "y"] {
        let mut console = marked_and_filtered(3);
        let marked = console.state.browser.marked.clone();
        let ids = console.state.browser.ids.clone();
        assert!(!ids.is_empty() && !ids.iter().any(|id| marked.contains(id)));
        console.outside.clear();
        console.press(key);
        assert_eq!(top(&console), "list", "{key}");
        let said = word(&console);
        assert!(said.starts_with("None of the marked"), "{key}: {said}");
        assert_eq!(console.state.browser.marked, marked, "{key}");
        assert_eq!(console.state.browser.ids, ids, "{key}");
        assert!(console.outside.is_empty(), "{key}: {:?}", console.outside);
    }
}

#[test]
fn what_acts_on_the_marked_says_how_many_are_not_shown_and_keeps_their_marks() {
    for key in ["C", "e", "X", "y"] {
        let mut console = marked_and_filtered(8);
        let shown = console.state.browser.ids.clone();
        assert_eq!(console.state.browser.chosen_ids(), shown);
        let others = 8 - shown.len();
        console.outside.clear();
        console.press(key);
        let copied = console.outside.iter().find_map(|effect| match effect {
            Effect::Copy(_, what) => Some(what.to_string()),
            _ => None,
        });
        let said = copied.unwrap_or_else(|| word(&console));
        let left = format!("{others} marked rows are not shown");
        assert!(said.contains(&left), "{key}: {said}");
        let marked = if key == "X" { others } else { 8 };
        assert_eq!(console.state.browser.marked.len(), marked, "{key}");
    }
    // A pipeline that is gone, or outside the scope, is no row that could be shown.
    let mut console = Console::new(120, 40);
    let gone = PipelineId("gone".to_owned());
    console.state.browser.marked.insert(gone);
    assert_eq!(console.state.browser.chosen_ids(), [console.selected_id()]);
}

#[test]
fn on_a_folded_group_nothing_acts_on_a_row_that_is_not_shown() {
    for key in ["C", "e", "X", "y", "r", "p", "V", "space", "o", "h"] {
        let mut console = Console::new(120, 40);
        console.press("b h");
        assert!(console.state.browser.is_folded());
        console.outside.clear();
        console.press(key);
        assert_eq!(top(&console), "list", "{key}");
        assert!(console.state.browser.marked.is_empty(), "{key}");
        assert!(console.state.browser.put_away.is_empty(), "{key}");
        assert!(console.outside.is_empty(), "{key}: {:?}", console.outside);
        let said = word(&console);
        assert!(key == "o" || said.contains("folded"), "{key}: {said}");
    }
    // A mark within a folded group is not shown either.
    let mut console = Console::new(120, 40);
    console.press("b space g h C");
    assert_eq!(top(&console), "list");
    assert!(word(&console).contains("None of the marked"));
}

#[test]
fn where_any_text_is_the_answer_the_question_names_the_key_that_gives_it() {
    for (keys, said) in [
        ("e", "Enter export   Esc no"),
        ("/ p r i c e enter p w", "Enter add it   Esc no"),
    ] {
        for width in [80, 120] {
            let mut console = Console::new(width, 40);
            console.press(keys);
            assert_eq!(top(&console), "question");
            let text = console.text();
            assert!(text.contains(said), "{text}");
            assert!(!text.contains("anything else"), "{text}");
        }
    }
}

#[test]
fn every_verified_pipeline_shows_the_end_of_its_id_by_which_it_differs() {
    let mut console = Console::over(MadeUp::default(), Palette::Sixteen, 80, 40);
    console.press("space space space space C");
    let text = console.text();
    let heads = text.lines().filter(|line| line.contains(" skipped  "));
    let ends: Vec<bool> = heads.map(|line| line.contains("~ab12")).collect();
    assert_eq!(ends, [true; 4], "{text}");
}
