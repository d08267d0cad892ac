//! A console that may only look, and a person who looks away.

use super::acting::{PLAN, console, top, word};
use super::made_up::{MadeUp, replays};
use crate::tui::msg::{Effect, Msg, Reply};

#[test]
fn read_only_refuses_what_acts_and_shows_everything() {
    let (mut console, asked) = console(MadeUp::ready());
    console.state.read_only = true;
    for keys in ["A", "t"] {
        console.press(PLAN).press(keys);
        assert_eq!(top(&console), "plan");
        assert!(word(&console).contains("read-only"), "{}", word(&console));
        console.press("esc esc esc");
    }
    console.press(PLAN);
    let text = console.text();
    assert!(text.lines().next().unwrap().contains("read-only"), "{text}");
    assert!(
        !text.contains("A apply") && !text.contains("asks first"),
        "{text}"
    );
    console.press("H");
    assert_eq!(top(&console), "handoff");
    assert!(asked.lock().unwrap().is_empty());
}

#[test]
fn who_may_have_looked_away_is_told_of_the_end() {
    for (seconds, told) in [(9, false), (10, true), (3_600, true)] {
        for (stopped, said) in [
            (false, "The replay has ended."),
            (true, "The replay has stopped."),
        ] {
            let (mut console, _) = console(MadeUp::ready());
            let ticket = console.state.effects.ticket();
            console.state.now += chrono::TimeDelta::seconds(seconds);
            let end = Reply::Replayed(Ok(replays::ran(2, stopped)));
            console.send(Msg::Reply(ticket, end));
            let notified = [Effect::Notify(said)];
            assert_eq!(console.outside == notified, told, "{seconds}");
        }
    }
}

#[test]
fn what_was_only_measured_again_has_not_ended() {
    let (mut console, _) = console(MadeUp::default());
    console.press(super::replays::LIST).press("c");
    console.press("y");
    let running = console.state.replaying.as_mut().unwrap();
    assert!(!running.measures);
    running.measures = true;
    let ticket = running.ticket;
    console.press("esc");
    let end = Reply::Replayed(Ok(Vec::new()));
    console.send(Msg::Reply(ticket, end));
    assert_eq!(word(&console), "The replay was measured again.");
    console.press("j");
    let header = console.text().lines().next().unwrap().to_owned();
    assert!(header.contains("measured again"), "{header}");
    assert!(!header.contains("ended"), "{header}");
}
