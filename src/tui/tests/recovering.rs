//! The recoveries, key by key: shown, undone, redone, recovered, purged.

use std::sync::Arc;

use super::acting::{PLAN, console, top, word};
use super::harness::{Console, top_as};
use super::made_up::{MadeUp, stamp};
use crate::model::{EngineError, ErrorKind, Foreign, History};
use crate::tui::commands::Cmd;
use crate::tui::data::Load;
use crate::tui::keys::Key;
use crate::tui::msg::{Effect, Msg, Query, Reply};
use crate::tui::screens::plan::PlanScreen;
use crate::tui::screens::recoveries;
use crate::tui::theme::Palette;

#[test]
fn undo_redo_and_the_way_between_them() {
    let (mut console, asked) = console(MadeUp::ready());
    console.press("R u");
    assert_eq!(top(&console), "undo");
    console.press("esc j u");
    assert_eq!(top(&console), "undo", "u undoes an undo, too");
    console.press("esc j u");
    assert!(word(&console).contains("Already undone"));
    console.press("ctrl-r");
    assert_eq!(top(&console), "undo");
    console.press("esc j u");
    assert!(word(&console).contains("rolled back"));
    console.press("j u");
    assert!(word(&console).contains("Backups deleted"));
    console.press("g ctrl-r");
    assert!(word(&console).contains("not undone"));
    console.press("u A y e s enter");
    assert_eq!(top(&console), "outcome");
    assert_eq!(asked.lock().unwrap().len(), 1);
    console.press("esc");
    assert_eq!(top(&console), "recoveries");
}

#[test]
fn what_is_kept_as_it_is_stays_out_of_an_undo() {
    let (mut console, _) = console(MadeUp::ready());
    console.press("R u");
    let find = |console: &Console| {
        let screen = top_as::<PlanScreen>(console);
        screen.clone()
    };
    let all = find(&console).choices().len();
    assert_eq!(all, 5);
    console.press("j j j j j j j space");
    let screen = find(&console);
    let kept: Vec<String> = screen
        .excluded
        .iter()
        .map(|p| p.lossy().into_owned())
        .collect();
    assert_eq!(kept, ["/home/ada/src/shop/src/cache.rs"]);
    let plan = screen.plan.ready().unwrap();
    assert_eq!(plan.actions[0].paths.len(), 3);
    // The one path of an action that lists none is its own row.
    console.press("j j j j space");
    assert_eq!(find(&console).excluded.len(), 2);
}

#[test]
fn a_pending_recovery_is_the_first_thing_seen_and_nothing_acts_by_itself() {
    let machine = || MadeUp {
        pending: true,
        ..MadeUp::ready()
    };
    let (mut first, asked) = console(machine());
    assert_eq!(top(&first), "pending");
    first.press("j k enter s b f y");
    assert!(asked.lock().unwrap().is_empty());
    // s on the record leads back to the dialog.
    first.press("esc");
    assert!(word(&first).contains("still pending"), "{}", word(&first));
    assert!(first.text().contains("1 recovery pending"));
    // It is put in the way once.
    first.press("f5");
    assert_eq!(top(&first), "list");
    for (key, how) in [("S", "Auto"), ("B", "RollBack"), ("F", "Finish")] {
        let (mut console, asked) = console(machine());
        console.press(key);
        assert_eq!(top(&console), "outcome", "{key}");
        let expected = format!("settle 20261121T100000Z-d9 {how}");
        assert_eq!(*asked.lock().unwrap(), [expected]);
    }
}

#[test]
fn a_recovery_that_another_relight_applies_is_left_alone() {
    let machine = MadeUp {
        pending: true,
        running: true,
        ..MadeUp::ready()
    };
    let (mut console, asked) = console(machine);
    assert_eq!(top(&console), "list");
    console.press("R");
    let offered = |console: &Console| console.text().lines().last().unwrap().to_owned();
    assert!(!offered(&console).contains("recover"), "{}", console.text());
    for open in ["", "enter"] {
        console.press(open);
        for key in ["s", "u"] {
            console.press(key);
            assert_eq!(word(&console), "Another relight is applying it now.");
            assert!(matches!(top(&console), "recoveries" | "record"), "{key}");
        }
    }
    assert!(asked.lock().unwrap().is_empty());
}

#[test]
fn paths_that_are_excluded_while_recovering_stay_as_they_are() {
    let machine = MadeUp {
        pending: true,
        ..MadeUp::ready()
    };
    let (mut console, asked) = console(machine);
    console.press("enter");
    assert_eq!(top(&console), "record");
    // Problems with their heading, then the restore and its paths.
    console.press("j j j j j j j space s");
    assert_eq!(top(&console), "pending");
    assert!(console.text().contains("1 path will stay as now"));
    console.press("S");
    let expected = "settle 20261121T100000Z-d9 Auto keep [\"/home/ada/src/shop/src/cache.rs\"]";
    assert_eq!(*asked.lock().unwrap(), [expected]);
}

#[test]
fn entries_of_the_history_that_cannot_be_read_are_listed() {
    let machine = MadeUp {
        unreadable: 5,
        ..MadeUp::ready()
    };
    let (mut console, _) = console(machine);
    console.press("R");
    let text = console.text();
    assert!(
        text.contains("5 entries skipped: not a readable recovery"),
        "{text}"
    );
    assert!(
        text.contains("/state/relight/entry-2: it is cut off"),
        "{text}"
    );
    assert!(text.contains("(+2 more)"), "{text}");
}

#[test]
fn a_pending_recovery_is_not_put_in_the_way_of_a_person_at_work() {
    let machine = MadeUp {
        pending: true,
        ..MadeUp::ready()
    };
    let mut console = Console::silent(machine, Palette::Sixteen, 120, 40);
    let effects = crate::tui::update::start(&mut console.state);
    let ticket = effects.iter().find_map(|effect| match effect {
        Effect::Ask(ticket, Query::Pending(_)) => Some(*ticket),
        _ => None,
    });
    console.press("/ s");
    let found = super::made_up::recoveries(true);
    drop(console.ask(Msg::Reply(ticket.unwrap(), Reply::Pending(Ok(found)))));
    assert_eq!(top(&console), "list");
    assert!(console.text().contains("pending: R"));
}

#[test]
fn exporting_asks_for_a_whole_path() {
    let machine = MadeUp {
        pending: true,
        ..MadeUp::ready()
    };
    let (mut console, asked) = console(machine);
    console.press("e ~ / x enter");
    assert_eq!(top(&console), "question");
    assert!(word(&console).contains("full path"));
    console.send(Msg::Paste("/tmp/out".to_owned()));
    console.press("enter");
    let expected = "settle 20261121T100000Z-d9 Export(\"/tmp/out\")";
    assert_eq!(*asked.lock().unwrap(), [expected]);
}

#[test]
fn purging_wants_its_own_word() {
    let table = [
        ("y e s enter", 0),
        ("enter", 0),
        ("p u r g e enter", 1),
        ("P P", 0),
    ];
    for (keys, written) in table {
        let (mut console, asked) = console(MadeUp::ready());
        console.press("R P").press(keys);
        assert_eq!(asked.lock().unwrap().len(), written, "{keys}");
    }
}

#[test]
fn a_foreign_name_is_shown_and_never_obeyed() {
    let (mut console, _) = console(MadeUp::ready());
    console.press("R G");
    assert!(console.text().contains("␛[31mred"));
    let label = Foreign::from("\u{1b}[31mred");
    assert_eq!(label.clean().as_str(), "␛[31mred");
}

#[test]
fn a_reason_is_part_of_the_plan_and_of_its_command() {
    let (mut console, _) = console(MadeUp::ready());
    console.press(PLAN).press("w");
    assert_eq!(top(&console), "question");
    console.press("t o o space l a t e enter");
    assert_eq!(top(&console), "plan");
    let screen = top_as::<PlanScreen>(&console);
    assert_eq!(screen.chosen.reason.as_deref(), Some("too late"));
    console.press("y");
    let copied = format!("{:?}", console.outside);
    assert!(copied.contains("--reason 'too late'"), "{copied}");
}

#[test]
fn what_a_plan_warns_of_is_said_in_full_however_narrow_the_screen_is() {
    let mut console = Console::over(MadeUp::ready(), Palette::Sixteen, 60, 30);
    console.press(PLAN);
    let screen = console.state.layers.find_mut::<PlanScreen>().unwrap();
    let mut plan = screen.plan.ready().unwrap().as_ref().clone();
    let words: Vec<String> = (0..40).map(|number| format!("word{number}")).collect();
    plan.warnings = vec![words.join(" ").as_str().into()];
    plan.losses.clear();
    screen.take(Load::Ready(Arc::new(plan)), stamp(0).at);
    console.draw();
    let text = console.text();
    assert!(
        words.iter().all(|word| text.contains(word.as_str())),
        "{text}"
    );
    assert!(text.contains("Overwritten"), "{text}");
}

#[test]
fn a_hand_off_that_is_void_says_why_and_is_neither_copied_nor_launched() {
    // An undone recovery, one that was rolled back, and one without backups; the latest one is still applied.
    for (keys, why) in [
        ("R H", None),
        ("R j j H", Some("was undone by")),
        ("R j j enter H", Some("was undone by")),
        ("R j j j H", Some("was rolled back")),
        ("R j j j j H", Some("briefing was deleted")),
    ] {
        let (mut console, asked) = console(MadeUp::ready());
        console.press(keys);
        assert_eq!(top(&console), "handoff", "{keys}");
        let void = console.text().contains("This hand-off is void");
        assert_eq!(void, why.is_some(), "{keys}: {}", console.text());
        let Some(why) = why else { continue };
        assert!(console.text().contains(why), "{keys}: {}", console.text());
        for key in ["A", "y"] {
            console.press(key);
            assert_eq!(top(&console), "handoff", "{keys} {key}");
            assert!(word(&console).contains("void"), "{}", word(&console));
        }
        assert!(asked.lock().unwrap().is_empty());
    }
}

#[test]
fn what_has_no_backups_is_not_redone() {
    let (mut console, _) = console(MadeUp::ready());
    console.press("R j j j j ctrl-r");
    assert_eq!(top(&console), "recoveries");
    assert!(
        word(&console).contains("Backups deleted"),
        "{}",
        word(&console)
    );
    // The refusal alone names it, not the keys below.
    let text = console.text();
    assert_eq!(text.matches("redo").count(), 1, "{text}");
    // A redo needs the backups of the undo.
    let mut undone = super::made_up::recoveries(false).swap_remove(2);
    assert!(recoveries::offers(&undone, Cmd::Redo));
    undone.undo_purged = true;
    assert!(!recoveries::offers(&undone, Cmd::Redo));
    let why = recoveries::not_undoable(&undone).unwrap();
    assert!(why.contains("cannot redo"), "{why}");
}

#[test]
fn a_question_that_wants_a_word_says_which() {
    let (mut console, _) = console(MadeUp::ready());
    console.press("R u A A");
    let said = word(&console);
    assert!(
        said.contains("A does not confirm: type yes and press Enter"),
        "{said}"
    );
    console.press("y e s enter");
    let text = console.text();
    assert!(text.contains("Done: undo of 20261121T105500Z-e5"), "{text}");
}

/// What was applied is told in the past tense; its plan tells what it does.
#[test]
fn an_outcome_says_what_was_done() {
    let (mut console, _) = console(MadeUp::ready());
    console.press(PLAN).press("A y e s enter");
    assert_eq!(top(&console), "outcome");
    let text = console.text();
    assert!(
        text.contains("4 files in shop (3 overwritten, 1 recreated)"),
        "{text}"
    );
    assert!(!text.contains("Puts 4 files back"), "{text}");
    console.press("esc R");
    assert!(!console.text().contains("Puts 4 files back"), "{text}");
}

/// Another relight may have deleted the backups meanwhile: what a refused undo says of the list is read again.
#[test]
fn a_refused_undo_reads_the_history_again() {
    let (mut console, _) = console(MadeUp::ready());
    console.press("R");
    let effects = console.ask(Msg::Key(Key::parse("u").unwrap()));
    let Some(Effect::Ask(ticket, Query::UndoPlan { .. })) = effects.first().cloned() else {
        panic!("{effects:?}");
    };
    let gone = crate::model::EngineError::new(
        crate::model::ErrorKind::Refused,
        "The backups were deleted, so it cannot be undone.",
    );
    let effects = console.ask(Msg::Reply(ticket, Reply::Plan(Err(gone))));
    let again = |effect: &Effect| matches!(effect, Effect::Ask(_, Query::Recoveries(_)));
    assert!(effects.iter().any(again), "{effects:?}");
    assert!(console.text().contains("The backups were deleted"));
}

#[test]
fn what_a_key_was_told_while_it_wrote_is_gone_with_the_result() {
    let (mut console, _) = console(MadeUp::ready());
    console.press(PLAN).press("A y e s");
    let effects = console.ask(Msg::Key(Key::parse("enter").unwrap()));
    let Some(Effect::Ask(ticket, Query::Apply(..))) = effects.first().cloned() else {
        panic!("{effects:?}");
    };
    drop(console.ask(Msg::Key(Key::letter('j'))));
    assert!(word(&console).contains("Wait for the result"));
    let refused = EngineError::new(ErrorKind::Refused, "The disk is full.");
    drop(console.ask(Msg::Reply(ticket, Reply::Applied(Err(refused)))));
    assert_eq!(top(&console), "outcome");
    assert_eq!(word(&console), "");
}

/// Another relight may have applied or undone one since it was opened.
#[test]
fn an_open_history_is_read_again_after_a_change_on_disk() {
    let mut console = Console::new(120, 40);
    let mut reads = |keys: &str| {
        let effects = console.press(keys).ask(Msg::Changed);
        let read = |effect: &&Effect| matches!(effect, Effect::Ask(_, Query::Recoveries(_)));
        let number = effects.iter().filter(read).count();
        console.answer(effects);
        number
    };
    assert_eq!([reads("R"), reads("q")], [1, 0]);
}

/// Another relight may delete them.
#[test]
fn the_backups_that_an_open_history_lists_are_watched() {
    let mut console = Console::new(120, 40);
    let listed = super::made_up::recoveries(false);
    let mut watched = |keys: &str| {
        let asked = console.press(keys).ask(Msg::Key(Key::parse("f5").unwrap()));
        let replies = asked.into_iter().filter_map(|effect| match effect {
            Effect::Ask(ticket, Query::Recoveries(_)) => {
                let all = History {
                    recoveries: listed.clone(),
                    ..History::default()
                };
                Some(Msg::Reply(ticket, Reply::Recoveries(Ok(all))))
            }
            _ => None,
        });
        let effects = replies.flat_map(|reply| console.ask(reply));
        let places = effects.filter_map(|effect| match effect {
            Effect::Watch(places) => Some(places),
            _ => None,
        });
        places.last().unwrap_or_default()
    };
    let places = watched("R");
    for path in listed.iter().flat_map(|one| &one.kept_in) {
        assert!(places.contains(path), "{places:?}");
    }
}
