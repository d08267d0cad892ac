//! What is done with several marked pipelines: verify and export, one after the other, in the background.

use std::path::PathBuf;

use super::acting::{console, top, word};
use super::harness::{Console, top_as};
use super::made_up::MadeUp;
use crate::model::{PipelineId, Verdict};
use crate::tui::data::Load;
use crate::tui::keys::Key;
use crate::tui::msg::{Effect, Msg, Query};
use crate::tui::screens::batch::BatchScreen;
use crate::tui::screens::pipeline::{Pane, PipelineScreen};

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
        assert_eq!(row.pipeline.standing.status, crate::model::Status::Waiting);
        seen.push(row.pipeline.id.clone());
    }
    assert_ne!(seen[0], seen[1]);
    assert_eq!(seen[0], seen[2], "round the end");
    console.press("W");
    let row = console.state.browser.selected().unwrap();
    assert_eq!(row.pipeline.id, seen[1]);
    console.press("/ s t a t u s : l i v e enter w");
    assert!(word(&console).contains("No pipeline"), "{}", word(&console));
}
