//! Why a pipeline stopped: what of its conversations is seen, copied and hidden.

use super::acting::{PLAN, console, top};
use super::made_up::{MadeUp, stamp};
use crate::tui::msg::{Effect, Msg, Query};

const CAUSE: &str = "/ p r i c e enter enter 5";
const SAID: &str = "Which currency is shown first?";

#[test]
fn what_was_said_is_hidden_until_it_is_asked_for_and_again_on_leaving() {
    let (mut console, _) = console(MadeUp::ready());
    console.press(CAUSE).press("j enter");
    assert_eq!(top(&console), "detail");
    assert!(!console.text().contains(SAID));
    console.press("s");
    assert!(console.text().contains(SAID), "{}", console.text());
    console.press("s");
    assert!(!console.text().contains(SAID));
    console.press("s esc enter");
    assert_eq!(top(&console), "detail");
    assert!(!console.text().contains(SAID));
    // The cause itself is no conversation.
    console.press("esc k enter s");
    assert!(!console.text().contains(SAID));
}

/// What to do about a usage limit is another once it has reset, and so may the status be.
#[test]
fn what_was_read_before_a_reset_is_read_again_after_it() {
    let (mut console, _) = console(MadeUp::ready());
    console.press(CAUSE);
    for (ago, reads) in [(-3_599, 0), (-3_600, 1), (-3_601, 0)] {
        let asked = console.ask(Msg::Clock(stamp(ago).at));
        let surveys = |one: &&Effect| matches!(one, Effect::Ask(_, Query::Survey(_)));
        let dossiers = |one: &&Effect| matches!(one, Effect::Ask(_, Query::Dossier { .. }));
        let (surveys, dossiers) = (
            asked.iter().filter(surveys).count(),
            asked.iter().filter(dossiers).count(),
        );
        assert_eq!((surveys, dossiers), (reads, reads), "{ago}");
        console.answer(asked);
    }
}

#[test]
fn the_command_that_continues_a_conversation_is_copied() {
    let line = |console: &super::harness::Console| match console.outside.last() {
        Some(Effect::Copy(lines, _)) => lines.first().map(ToString::to_string).unwrap_or_default(),
        _ => String::new(),
    };
    let (mut console, _) = console(MadeUp::ready());
    console.press(CAUSE).press("j y");
    assert!(line(&console).ends_with("claude --resume 5c5b2a7e-0000-4000-8000-000000000002"));
    console.press("esc esc").press(PLAN).press("H c");
    assert_eq!(top(&console), "handoff");
    assert!(
        line(&console)
            .contains("--resume 5c5b2a7e-0000-4000-8000-000000000002 'relight changed files")
    );
}
