//! Rows that a person hides, what is counted below them, and what they say.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::sync::Arc;

use ratatui::layout::Rect;

use super::acting::word;
use super::harness::{Console, top_as};
use super::made_up::MadeUp;
use crate::model::{Badge, Branch, Dossier, Hidden, ListKey, Pipeline, Skipped, Survey, Verdict};
use crate::tui::data::Load;
use crate::tui::geometry::ListId;
use crate::tui::keys::Key;
use crate::tui::msg::{Effect, Msg, Query, Reply};
use crate::tui::screens::browser::branch;
use crate::tui::screens::diff::DiffScreen;
use crate::tui::screens::pipeline::PipelineScreen;
use crate::tui::theme::{Palette, Role};
use crate::tui::view::Canvas;
use crate::tui::view::list::{self, List};
use crate::tui::view::look as signs;
use crate::tui::view::pen::{Bits, Pen};

/// The line below the list.
fn note(console: &Console) -> String {
    let text = console.text();
    let line = text.lines().find(|line| line.contains("scope "));
    line.unwrap_or_default().to_owned()
}

#[test]
fn hidden_rows_are_counted_shown_and_brought_back() {
    let mut console = Console::new(120, 40);
    let all = console.state.browser.ids.clone();
    console.press("x");
    assert!(word(&console).contains("No row is hidden"));
    console.press("space space X");
    assert_eq!(console.state.browser.ids.len(), all.len() - 2);
    assert!(note(&console).contains("2 hidden x"), "{}", note(&console));
    // Complete ones are counted as complete, hidden or not by hand.
    console.press("x");
    assert_eq!(console.state.browser.ids, all);
    assert!(note(&console).contains("2 hidden shown x"));
    let text = console.text();
    let signed = text
        .lines()
        .filter(|line| line.starts_with([' ', '▌']) && line.chars().nth(1) == Some('-'));
    assert_eq!(signed.count(), 2, "{text}");
    console.press("g X");
    assert!(note(&console).contains("1 hidden shown x"));
    console.press("x");
    assert_eq!(console.state.browser.ids.len(), all.len() - 1);
}

#[test]
fn where_every_row_is_hidden_the_key_that_shows_them_is_named() {
    let mut console = Console::new(120, 40);
    for _ in 0..console.state.browser.ids.len() {
        console.press("X");
    }
    let text = console.text();
    assert!(text.contains("pipelines are hidden."), "{text}");
    assert!(text.contains("x     show hidden pipelines"), "{text}");
    console.press("x");
    assert!(!console.state.browser.ids.is_empty());
}

pub(super) fn pipelines(console: &Console) -> Vec<Pipeline> {
    let rows = console.state.browser.rows.iter();
    rows.map(|row| Pipeline::clone(&row.pipeline)).collect()
}

/// A look after a change on disk that finds these pipelines.
pub(super) fn look(console: &mut Console, pipelines: &[Pipeline]) -> Vec<Effect> {
    look_past(console, pipelines, Vec::new())
}

/// The same where these paths were skipped.
fn look_past(console: &mut Console, pipelines: &[Pipeline], skipped: Vec<Skipped>) -> Vec<Effect> {
    let survey = Survey {
        pipelines: pipelines.to_vec(),
        skipped,
        hidden: Hidden::default(),
        scope: console.state.browser.scope.unwrap(),
        roots: Vec::new(),
    };
    let effects = console.ask(Msg::Changed);
    let ticket = effects.into_iter().find_map(|effect| match effect {
        Effect::Ask(ticket, Query::Survey(_)) => Some(ticket),
        _ => None,
    });
    console.ask(Msg::Reply(ticket.unwrap(), Reply::Survey(Ok(survey))))
}

#[test]
fn a_path_that_cannot_be_read_is_counted_on_a_narrow_screen_and_logged_whole_once() {
    let mut console = Console::new(80, 24);
    let pipelines = pipelines(&console);
    let skipped = |unread: bool| Skipped {
        path: "/home/ada/closed".into(),
        reason: "permission denied".into(),
        unread,
    };
    for _ in 0..2 {
        let skipped = vec![skipped(false), skipped(true)];
        drop(look_past(&mut console, &pipelines, skipped));
    }
    let text = console.text();
    assert!(text.contains("1 path cannot be read @ "), "{text}");
    console.press("@");
    let text = console.text();
    let said = "/home/ada/closed cannot be read: permission denied";
    assert_eq!(text.matches(said).count(), 1, "{text}");
}

/// The counts of what is not shown, each with its key, are the only sign of it.
#[test]
fn what_is_not_shown_is_counted_whole_on_a_narrow_screen() {
    for (keys, counts) in [
        (
            "",
            "8 of 10   scope repository   +2 complete c   +12 outside a   1 file skipped",
        ),
        (
            "X",
            "7 of 10   scope repository   +2 complete c   1 hidden x   +12 outside a",
        ),
    ] {
        let mut console = Console::new(80, 24);
        let text = console.press(keys).text();
        assert!(text.contains(counts), "{keys}: {text}");
    }
    for width in 60..140 {
        let mut console = Console::new(width, 20);
        let text = console.press("X").text();
        let counts = [
            "+2 complete c",
            "1 hidden x",
            "+12 outside",
            "1 file skipped",
        ];
        for count in counts {
            assert!(text.contains(count), "{width}, no {count}: {text}");
        }
    }
}

#[test]
fn a_project_that_the_list_cuts_is_named_whole_below_it() {
    let mut console = Console::new(80, 24);
    let mut pipelines = pipelines(&console);
    for (place, one) in pipelines.iter_mut().enumerate() {
        one.reading.root = format!("/srv/pricing-platform-{place}-europe").into();
    }
    drop(look(&mut console, &pipelines));
    let project = console.state.browser.selected().unwrap();
    let project = project.text(ListKey::Project);
    let text = console.text();
    assert!(text.contains(&format!(" · {project} ")), "{text}");
}

#[test]
fn a_filter_without_a_match_names_the_keys_that_show_more() {
    let mut console = Console::new(80, 24);
    console.press("X / z z z z enter");
    let text = console.text();
    for said in [
        "Esc   clear the filter",
        "x     show hidden pipelines",
        "c     show 2 complete pipelines",
        "a     widen the scope: 12 outside",
    ] {
        assert!(text.contains(said), "{said}: {text}");
    }
}

#[test]
fn an_empty_list_says_whole_what_the_filter_has() {
    for (width, height) in [(60, 20), (80, 24)] {
        let mut console = Console::over(MadeUp::ready(), Palette::Sixteen, width, height);
        console.press("/ p r o j e c t : g o n e enter");
        let said = console.state.browser.filter_trouble.clone().unwrap();
        let text = console.text();
        let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(words.contains(said.as_str()), "{said}\n{text}");
    }
}

/// The worst comes first: whoever has not gone to another one sees it after every look.
#[test]
fn the_worst_check_stays_selected_whichever_it_is_now() {
    for (keys, selected) in [("", "F13"), ("3 j", "F9")] {
        let mut console = Console::new(120, 40);
        console.press("/ p r i c e enter enter").press(keys);
        let id = top_as::<PipelineScreen>(&console).id.clone();
        let mut dossier = Dossier::clone(console.state.dossier(&id).unwrap());
        for check in &mut dossier.checks {
            let worst = check.id.0 == "F13";
            check.verdict = if worst { Verdict::Fail } else { Verdict::Pass };
        }
        let effects = console.ask(Msg::Key(Key::parse("f5").unwrap()));
        let ticket = effects.into_iter().find_map(|effect| match effect {
            Effect::Ask(ticket, Query::Dossier { .. }) => Some(ticket),
            _ => None,
        });
        let reply = Reply::Dossier(id, Ok(dossier));
        drop(console.ask(Msg::Reply(ticket.unwrap(), reply)));
        let (check, _) = top_as::<PipelineScreen>(&console).checks.key().unwrap();
        assert_eq!(check.0, selected, "{keys}");
    }
}

/// The key opens nothing while the dialog is there.
#[test]
fn a_dialog_of_a_row_names_the_keys_of_its_screen_after_esc_and_is_read_again() {
    let mut console = Console::new(120, 40);
    console.press("/ p r i c e enter enter 3");
    let id = top_as::<PipelineScreen>(&console).id.clone();
    let mut dossier = Dossier::clone(console.state.dossier(&id).unwrap());
    dossier.checks[0].remedy = Some("Look: relight timeline".into());
    let dossier = Arc::new(dossier);
    let known = Load::Ready(Arc::clone(&dossier));
    console.state.dossiers.insert(id.clone(), known);
    console.press("enter");
    let text = console.text();
    assert!(text.contains("relight timeline (Esc, then 2)"), "{text}");

    let again = |console: &mut Console| console.ask(Msg::Key(Key::parse("f5").unwrap()));
    let mut newer = Dossier::clone(&dossier);
    newer.checks[0].evidence = "It is worse now.".into();
    let ticket = again(&mut console)
        .into_iter()
        .find_map(|effect| match effect {
            Effect::Ask(ticket, Query::Dossier { .. }) => Some(ticket),
            _ => None,
        });
    let reply = Reply::Dossier(id, Ok(newer));
    drop(console.ask(Msg::Reply(ticket.unwrap(), reply)));
    let text = console.text();
    assert!(text.contains("It is worse now."), "{text}");

    for (keys, quoted) in [("2 enter", "Raw"), ("5 j enter s", "Passages")] {
        console.press("esc").press(keys);
        let asked = again(&mut console);
        assert!(format!("{asked:?}").contains(quoted), "{keys}: {asked:?}");
        console.answer(asked);
    }
}

#[test]
fn flags_are_the_same_in_both_lists_and_the_alarming_ones_come_first() {
    let console = Console::new(120, 40);
    let mut pipeline = pipelines(&console).remove(0);
    pipeline.reading.badges = vec![Badge::Stale, Badge::Dirty, Badge::Inferred, Badge::Damaged];
    let said = "dirty, damaged, stale, inferred";
    assert_eq!(pipeline.flags().as_str(), said);
    assert_eq!(signs::badges(&pipeline).written().as_str(), said);
}

#[test]
fn projects_of_one_family_look_different_and_their_letters_are_lit() {
    let mut console = Console::over(MadeUp::default(), Palette::Roles, 80, 24);
    let mut all = pipelines(&console);
    for (pipeline, name) in all.iter_mut().zip(["eu", "us"]) {
        pipeline.reading.root = format!("/src/pricing-service-{name}").into();
    }
    drop(look(&mut console, &all));
    let text = console.text();
    assert!(
        text.contains("prici…eu") && text.contains("prici…us"),
        "{text}"
    );
    console.press("/ i c e - u s");
    let at = console.text().lines().position(|line| line.contains("…us"));
    let roles = console.roles();
    let line = roles.lines().nth(at.unwrap()).unwrap();
    assert_eq!(line.matches("hh").count(), 1, "{roles}");
}

#[test]
fn the_order_is_said_where_no_arrow_says_it() {
    // Keys, and what says the order: an arrow at a heading, or words.
    let table = [
        ("", "10   scope"),
        ("S", "10 by last write, reversed   "),
        ("s", "STATUS▾"),
        ("s s", "10 by system   "),
        ("s s s S", "TITLE▴"),
        ("/ p r i c e", " by match   "),
        (
            "/ s t a t u s : i n t enter S",
            " by last write, reversed   ",
        ),
    ];
    for (keys, said) in table {
        let mut console = Console::new(80, 24);
        let text = console.press(keys).text();
        assert!(text.contains(said), "{keys}: {text}");
        let arrows = text.matches(['▾', '▴']).count();
        let expected = usize::from(said.ends_with(['▾', '▴']));
        assert_eq!(arrows, expected, "{keys}: {text}");
    }
    let mut wide = Console::new(120, 40);
    let arrow = |console: &Console| console.text().contains("LAST WRITE▾");
    assert!(arrow(&wide) && !arrow(wide.press("/ p r i c e")));
    assert!(arrow(wide.press("esc")), "{}", wide.text());
}

#[test]
fn only_where_a_work_tree_has_another_branch_or_none_is_its_head_detached() {
    let console = Console::new(120, 40);
    let row = console.state.browser.selected().unwrap();
    let mut pipeline = Pipeline::clone(&row.pipeline);
    pipeline.reading.branch = Some(Branch {
        expected: Some("main".into()),
        actual: None,
    });
    for (badges, said) in [
        (Vec::new(), "branch unknown, expected main"),
        (
            vec![Badge::BranchMismatch],
            "detached HEAD, expected branch main",
        ),
    ] {
        pipeline.reading.badges = badges;
        assert_eq!(branch(&pipeline).unwrap().as_str(), said);
    }
}

#[test]
fn the_first_hidden_row_is_selected_when_hidden_rows_are_shown() {
    let mut console = Console::new(80, 24);
    console.press("G k");
    let hidden = console.selected_id();
    console.press("X g x");
    assert_eq!(console.selected_id(), hidden);
    console.press("X");
    assert!(console.state.browser.put_away.is_empty());
}

/// A list of many rows costs as much as its screen.
#[test]
fn only_rows_near_the_screen_are_laid_out_each_once() {
    let console = Console::new(80, 24);
    for selected in [0, 500, 99_999] {
        let mut canvas = Canvas {
            pen: Pen::speaking(console.state.theme),
            map: console.state.geometry.clone(),
            state: &console.state,
        };
        let laid: RefCell<Vec<usize>> = RefCell::default();
        let list = List::new(ListId::of::<DiffScreen>(), 100_000, Some(selected));
        list::laid(&mut canvas, Rect::new(0, 0, 80, 20), list, &|row| {
            laid.borrow_mut().push(row);
            vec![Bits::of(Role::Text, "one"), Bits::of(Role::Text, "two")]
        });
        let rows = laid.into_inner();
        assert!(rows.contains(&selected) && rows.len() < 200, "{rows:?}");
        let once: BTreeSet<&usize> = rows.iter().collect();
        assert_eq!(once.len(), rows.len());
    }
}
