//! Keys as stories: the state before, the keys pressed, the result.

use super::harness::{Console, top_as};
use super::made_up::{MadeUp, NOW, stamp};
use crate::model::{PointChoice, PointId, RestoreMode, Scope};
use crate::tui::keys::Key;
use crate::tui::msg::{Effect, MouseAction, Msg, Query, Reply, Signal, Ticket};
use crate::tui::screens::pipeline::{Pane, PipelineScreen};
use crate::tui::screens::plan::{About, PlanScreen};
use crate::tui::theme::Palette;

fn plan(console: &Console) -> &PlanScreen {
    top_as::<PlanScreen>(console)
}

fn selected(console: &Console) -> String {
    console
        .state
        .browser
        .selected()
        .map(|row| row.pipeline.id.0.clone())
        .unwrap_or_default()
}

fn word(console: &Console) -> String {
    console
        .state
        .word
        .as_ref()
        .map(|word| word.text.to_string())
        .unwrap_or_default()
}

#[test]
fn the_whole_way_leads_to_a_plan_and_back_out() {
    let mut console = Console::new(120, 40);
    console.press("/ p r i c e enter enter r enter");
    assert_eq!(console.state.layers.iter().count(), 3);
    let shown = plan(&console);
    let wave = PointChoice::Id(PointId("wave-1".to_owned()));
    assert!(matches!(&shown.about, About::Resume { choice, .. } if *choice == wave));
    assert!(shown.plan.ready().is_some_and(|plan| plan.destructive));
    console.press("esc esc esc");
    assert!(console.state.layers.is_empty());
    assert_eq!(console.outside, []);
    console.press("q");
    assert_eq!(console.outside, [Effect::Quit]);
}

#[test]
fn q_goes_back_and_quits_only_from_the_list() {
    let mut console = Console::new(80, 24);
    console.press("enter q");
    assert_eq!(console.outside, []);
    console.press("q");
    assert_eq!(console.outside, [Effect::Quit]);
}

#[test]
fn ctrl_c_cancels_what_is_on_top_and_then_quits() {
    let mut console = Console::new(80, 24);
    console.press("/ x ctrl-c");
    assert!(!console.state.browser.filter.open);
    console.press("@ ctrl-c");
    assert!(console.state.layers.is_empty());
    assert_eq!(console.outside, []);
    console.press("ctrl-c");
    assert_eq!(console.outside, [Effect::Quit]);
}

#[test]
fn the_selection_stays_on_its_pipeline_whatever_the_order() {
    let mut console = Console::new(120, 40);
    console.press("j j");
    let before = selected(&console);
    for keys in ["s", "S", "b", "b", "c", "s", "f5", "c"] {
        console.press(keys);
        assert_eq!(selected(&console), before, "{keys}");
    }
}

/// What is shown may be gone, though its screen was opened a moment ago.
#[test]
fn f5_reads_what_is_compared_again() {
    let is_read = |effect: &Effect| match effect {
        Effect::Ask(_, query) => matches!(query, Query::Diff(..) | Query::Operands(_)),
        _ => false,
    };
    for keys in ["p n enter", "enter C"] {
        let mut console = Console::over(MadeUp::ready(), Palette::Sixteen, 120, 40);
        console.press("/ p r i c e enter").press(keys);
        let screen = console.state.top().name();
        assert!(
            ["difference", "what to compare"].contains(&screen),
            "{screen}"
        );
        let asked = console.ask(Msg::Key(Key::parse("f5").unwrap()));
        assert!(asked.iter().any(is_read), "{screen}: {asked:?}");
    }
}

#[test]
fn what_is_hidden_is_counted_and_one_key_shows_it() {
    let mut console = Console::new(80, 24);
    assert_eq!(console.state.browser.hidden_complete, 2);
    assert!(console.text().contains("+2 complete c"));
    assert!(console.text().contains("+12 outside a"));
    console.press("c");
    assert_eq!(console.state.browser.ids.len(), 10);
    console.press("a");
    assert_eq!(console.state.browser.scope, Some(Scope::Machine));
    assert!(!console.text().contains(" outside a"));
}

#[test]
fn letters_that_match_are_lit() {
    let mut console = Console::over(MadeUp::default(), Palette::Roles, 120, 40);
    console.press("/ p r i c e");
    let roles = console.roles();
    assert!(roles.contains("hhhhh"), "{roles}");
}

#[test]
fn letters_go_to_an_open_filter_and_never_to_commands() {
    let mut console = Console::new(80, 24);
    console.press("/ q a c A");
    assert_eq!(console.state.browser.filter.text(), "qacA");
    assert_eq!(console.outside, []);
    console.press("esc");
    assert!(console.state.browser.filter.is_empty());
}

#[test]
fn pasted_text_never_runs_commands() {
    let mut console = Console::new(80, 24);
    console.send(Msg::Paste("q\nq\nA".to_owned()));
    assert_eq!(console.outside, []);
    assert!(console.state.layers.is_empty());
    console.press("/");
    console.send(Msg::Paste("pri\nce\u{1b}".to_owned()));
    assert_eq!(console.state.browser.filter.text(), "pri ce ");
}

#[test]
fn an_answer_that_nobody_awaits_is_dropped() {
    let mut console = Console::silent(MadeUp::default(), Palette::Sixteen, 80, 24);
    drop(crate::tui::update::start(&mut console.state));
    let late = Ticket(999);
    drop(console.ask(Msg::Reply(
        late,
        Reply::Survey(Err(super::made_up::error("late"))),
    )));
    assert!(console.state.browser.ticket.is_some());
    assert!(console.state.browser.trouble.is_none());
    drop(console.ask(Msg::Reply(late, Reply::Hits(vec![1, 2]))));
    drop(console.ask(Msg::Reply(late, Reply::Sought(Some(3)))));
}

#[test]
fn a_newer_survey_drops_what_the_older_one_still_sends() {
    let mut console = Console::silent(MadeUp::default(), Palette::Sixteen, 80, 24);
    let first = crate::tui::update::start(&mut console.state);
    let Some(Effect::Ask(old, Query::Survey(_))) = first.first().cloned() else {
        panic!("{first:?}");
    };
    let effects = console.ask(Msg::Key(Key::letter('a')));
    assert!(matches!(effects.first(), Some(Effect::Ask(new, Query::Survey(_))) if *new != old));
    drop(console.ask(Msg::Reply(
        old,
        Reply::Survey(Err(super::made_up::error("old"))),
    )));
    assert!(console.state.browser.trouble.is_none());
    assert!(console.state.browser.ticket.is_some());
}

#[test]
fn only_the_newest_preview_is_awaited() {
    let mut console = Console::new(80, 24);
    console.state.dossiers.clear();
    let asked = |effects: Vec<Effect>| {
        effects.into_iter().find_map(|effect| match effect {
            Effect::Ask(_, Query::Dossier { id, preview: true }) => Some(id),
            _ => None,
        })
    };
    let first = asked(console.ask(Msg::Key(Key::letter('j')))).unwrap();
    let second = asked(console.ask(Msg::Key(Key::letter('j')))).unwrap();
    assert_ne!(first, second);
    assert_eq!(
        console.state.preview.as_ref().map(|(_, id)| id),
        Some(&second)
    );
}

#[test]
fn leaving_out_a_path_makes_another_plan_and_the_last_one_stays() {
    let mut console = Console::new(120, 40);
    console.press("/ p r i c e enter p j j j j j j j j j j");
    let before = plan(&console).plan.ready().unwrap().fingerprint.clone();
    console.press("space");
    assert_eq!(plan(&console).excluded.len(), 1);
    let after = plan(&console).plan.ready().unwrap().clone();
    assert_ne!(before, after.fingerprint);
    assert_eq!(after.actions[0].changes.unwrap().added, 0);
    console.press("j space j space j space");
    assert_eq!(plan(&console).excluded.len(), 3);
    assert!(
        word(&console).contains("at least one path"),
        "{}",
        word(&console)
    );
    console.press("k space");
    assert_eq!(plan(&console).excluded.len(), 2);
}

#[test]
fn long_lines_are_wrapped_or_cut() {
    let mut console = Console::new(60, 20);
    console.press("/ p r i c e enter p j j j j j j j j j j j enter | |");
    let cut = console.text();
    assert!(cut.contains('…') && !cut.contains('⋮'), "{cut}");
    console.press("W");
    let wrapped = console.text();
    assert!(wrapped.contains('⋮'), "{wrapped}");
    console.press("l");
    assert!(console.text().contains("nothing to scroll"));
    console.press("W");
    assert_eq!(console.text(), cut);
}

#[test]
fn overlay_and_exact_differ_on_newer_files() {
    let mut console = Console::new(120, 40);
    console.press("/ p r i c e enter p");
    assert_eq!(plan(&console).chosen.mode, RestoreMode::Overlay);
    console.press("x");
    assert_eq!(plan(&console).chosen.mode, RestoreMode::Exact);
    let counts = plan(&console).plan.ready().unwrap().actions[0]
        .changes
        .unwrap();
    assert_eq!(counts.removed, 1);
    console.press("esc r j j enter x");
    assert!(
        word(&console).contains("restores no files"),
        "{}",
        word(&console)
    );
}

#[test]
fn jumping_between_problems() {
    let mut console = Console::new(120, 40);
    console.press("/ p r i c e enter enter 2 g");
    let event = |console: &Console| {
        let screen = top_as::<PipelineScreen>(console);
        screen.timeline.event
    };
    let table = [
        ("e", 6),
        ("W", 3),
        ("w", 6),
        ("w", 7),
        ("e", 7),
        ("E", 6),
        ("{", 4),
        ("}", 5),
        ("G", 8),
        ("g", 0),
        ("m", 0),
        ("G", 8),
        ("'", 0),
    ];
    for (keys, expected) in table {
        console.press(keys);
        assert_eq!(event(&console), expected, "{keys}");
    }
    console.press("/ r e t r y enter");
    assert_eq!(event(&console), 7);
    console.press("esc");
    assert_eq!(event(&console), 7);
}

#[test]
fn what_is_hostile_is_not_copied() {
    let mut console = Console::new(120, 40);
    console.press("/ p r i c e enter p j j j j j j j j j j j j j y");
    assert_eq!(console.outside, []);
    assert!(
        word(&console).contains("not safe to paste"),
        "{}",
        word(&console)
    );
}

#[test]
fn a_click_selects_a_second_one_opens_and_the_wheel_moves() {
    let mut console = Console::new(120, 40);
    let before = selected(&console);
    console.send(Msg::Mouse(MouseAction::Press, 20, 5));
    let clicked = selected(&console);
    assert_ne!(before, clicked);
    console.send(Msg::Mouse(MouseAction::WheelDown, 20, 5));
    assert_ne!(selected(&console), clicked);
    console.send(Msg::Mouse(MouseAction::Press, 20, 5));
    console.send(Msg::Mouse(MouseAction::Press, 20, 5));
    assert!(console.state.layers.is_top::<PipelineScreen>());
    // The verification pane is at the lower left.
    console.send(Msg::Mouse(MouseAction::Press, 10, 30));
    assert!(top_as::<PipelineScreen>(&console).pane == Pane::Verification);
}

#[test]
fn a_dialog_has_the_mouse_to_itself() {
    let mut console = Console::new(120, 40);
    let before = selected(&console);
    console.press("@");
    console.send(Msg::Mouse(MouseAction::Press, 2, 5));
    assert_eq!(selected(&console), before);
    assert_eq!(console.state.layers.iter().count(), 1);
}

#[test]
fn the_palette_and_the_help_run_what_they_list() {
    let mut console = Console::new(120, 40);
    console.press(": r e v e r s e enter");
    assert!(console.state.browser.reverse);
    assert!(console.state.layers.is_empty());
    console.press("? z o o m");
    assert!(console.text().contains("write to search") || console.text().contains("zoom"));
    console.press("enter");
    assert!(word(&console).contains("No command matches"));
    // The key that opens the help closes it, until something is typed.
    console.press("esc ? ?");
    assert!(console.state.layers.is_empty());
    console.press("? x ?");
    assert!(console.text().contains("› x?"), "{}", console.text());
}

#[test]
fn a_file_that_changes_looks_again_once() {
    let mut console = Console::new(80, 24);
    let effects = console.ask(Msg::Changed);
    assert!(matches!(
        effects.first(),
        Some(Effect::Ask(_, Query::Survey(_)))
    ));
    assert!(console.ask(Msg::Changed).is_empty());
    assert!(console.state.browser.again);
}

#[test]
fn signals_end_stop_and_redraw() {
    let mut console = Console::new(80, 24);
    let table = [
        (Signal::End, Effect::Quit),
        (Signal::Stop, Effect::Suspend),
        (Signal::Continue, Effect::Redraw),
    ];
    for (signal, effect) in table {
        assert_eq!(console.ask(Msg::Signal(signal)), [effect]);
    }
    assert_eq!(
        console.ask(Msg::Key(Key::parse("ctrl-z").unwrap())),
        [Effect::Suspend]
    );
}

#[test]
fn ages_follow_the_ticks() {
    let mut console = Console::new(80, 24);
    console.send(Msg::Tick(stamp(-86_400).at));
    assert_eq!(console.state.now.timestamp(), NOW + 86_400);
    assert!(console.text().contains(" 24 h"));
}

#[test]
fn the_mouse_is_given_back_and_taken_again() {
    let mut console = Console::new(80, 24);
    console.press("f2 f2");
    assert_eq!(console.outside, [Effect::Mouse(true), Effect::Mouse(false)]);
}
