//! Lines after an end: those that the client writes for itself, prompts of other programs, and lines that cannot be
//! read.

use super::*;

fn typed(text: &str) -> String {
    user(json!(text), json!({}))
}

fn limit() -> String {
    let text = "You've hit your session limit · resets 5:50pm (Asia/Tokyo)";
    error(json!("rate_limit"), json!(429), text)
}

/// A person who sees a limit types `/exit`, or looks around with `!`. That is no prompt, and the limit stands.
#[test]
fn local_commands_after_an_end_tell_nothing() {
    let output = "<local-command-stdout>CANARY</local-command-stdout>";
    let command = |name: &str| {
        typed(&format!(
            "<command-name>/{name}</command-name>\n<command-message>{name}</command-message>\n<command-args></command-args>"
        ))
    };
    let other_order =
        "<command-message>x</command-message>\n<command-name>/anything</command-name>";
    for after in [
        command("exit") + &typed(output),
        command("exit"),
        command("rate-limit-options") + &typed("<local-command-stdout></local-command-stdout>"),
        command("rate-limit-options"),
        command("anything") + &typed(output),
        typed(other_order) + &typed("<local-command-stderr>CANARY</local-command-stderr>"),
        user(
            json!("<local-command-caveat>CANARY"),
            json!({"isMeta": true}),
        ) + &command("usage")
            + &typed(output)
            + &command("exit")
            + &typed(output),
        typed("<bash-input>git status</bash-input>")
            + &typed("<bash-stdout>clean</bash-stdout><bash-stderr></bash-stderr>"),
        typed("<task-notification><task-id>x</task-id></task-notification>"),
        user(
            text("<task-notification>x"),
            json!({"origin": {"kind": "task-notification"}}),
        ),
    ] {
        for (name, lines, ..) in table() {
            let (before, found) = (ending(&lines), ending(&(lines + &after)));
            assert_eq!(
                (found.kind, found.sure, found.line, found.until),
                (before.kind, before.sure, before.line, before.until),
                "{name} + {after}"
            );
            let said = format!("{} {:?}", found.text, found.facts);
            assert!(!said.contains("CANARY"), "{name}: {said}");
        }
    }
}

#[test]
fn what_starts_a_turn_after_an_end_counts() {
    let of_kind = |kind: &str| user(json!("go on"), json!({"origin": {"kind": kind}}));
    let crucible =
        "<command-message>crucible</command-message>\n<command-name>/crucible</command-name>";
    let prose = "why does <local-command-stdout> stand in my file?";
    for after in [
        typed(crucible),
        typed(crucible) + &user(text("the skill"), json!({"isMeta": true})),
        typed(prose),
        of_kind("human"),
        of_kind("coordinator"),
        of_kind("peer"),
        of_kind("channel"),
    ] {
        let found = ending(&(limit() + &after));
        let expected = (K::CutWhileStreaming, Sure::Guess, None);
        assert_eq!((found.kind, found.sure, found.until), expected, "{after}");
    }
}

/// What such a line said may have been the end, so nothing before it is certain.
#[test]
fn after_a_line_that_cannot_be_read_nothing_is_certain_or_ended_normally() {
    let bookkeeping = r#"{"type":"last-prompt","lastPrompt":"CANARY"}"#.to_owned() + "\n";
    let unread = [
        "{\"type\":\"assist",
        "{\"type\":\"assist\n",
        "not json\n",
        "\0\0\0\0\n",
        "[1]\n",
    ];
    for (name, lines, ..) in table() {
        let before = ending(&lines);
        for damage in unread {
            let mut texts = vec![lines.clone() + damage];
            if damage.ends_with('\n') {
                texts.push(lines.clone() + damage + &bookkeeping);
            }
            for text in texts {
                let found = ending(&text);
                let ended = before.kind == K::TurnEnded;
                let kind = if ended { K::Unknown } else { before.kind };
                assert_eq!(
                    (found.kind, found.line),
                    (kind, before.line),
                    "{name} + {damage:?}"
                );
                assert!(found.sure < Sure::Certain, "{name} + {damage:?}: {found:?}");
                let number = lines.lines().count() + 1;
                let fact = format!("Line {number} cannot be read, and may say otherwise");
                assert!(
                    found.facts.iter().any(|one| one.starts_with(&fact)),
                    "{found:?}"
                );
                assert!(!found.text.contains("normally"), "{found:?}");
                let few = read_end(text.as_bytes(), true, &zone()).ending;
                assert_eq!(few, Some(found), "{name}");
            }
        }
        // A later line of the conversation states the outcome.
        let later = ending(&(lines + "not json\n" + &reply(json!("end_turn"), text("CANARY"))));
        assert!(
            later
                .facts
                .iter()
                .all(|fact| !fact.contains("cannot be read")),
            "{name}"
        );
    }
}

#[test]
fn a_usage_limit_is_only_denied_by_the_text() {
    let limited = |text: &str| ending(&error(json!("rate_limit"), json!(429), text));
    let denied =
        limited("API Error: Server is temporarily limiting requests (not your usage limit)");
    assert_eq!((denied.kind, denied.sure), (K::ApiError, Sure::Certain));
    assert!(denied.text.contains("(not your usage limit)"), "{denied:?}");
    let bare = limited("API Error: Request rejected (429)");
    assert_eq!((bare.kind, bare.sure), (K::ApiError, Sure::Likely));
    assert_eq!(
        bare.text,
        "The server limited requests; whether that is your usage limit is not recorded (HTTP 429)."
    );
    let new = limited("You've used up your plan for now. Try again after 3pm (Asia/Tokyo)");
    assert_eq!((new.kind, new.sure), (K::UsageLimit, Sure::Likely));
    let until = new.until.map(|until| until.at.to_rfc3339());
    assert_eq!(until.as_deref(), Some("2026-11-23T15:00:00+09:00"));
    for text in [
        "You've reached your usage limit. Your access will be restored at 3pm (Asia/Tokyo)",
        "You've hit your session limit · resets 3 pm (Asia/Tokyo)",
    ] {
        let known = limited(text);
        assert_eq!(
            (known.kind, known.sure),
            (K::UsageLimit, Sure::Certain),
            "{text}"
        );
        assert_eq!(known.until, new.until, "{text}");
    }
    let unread = limited("You've hit your session limit · resets 12:30am (PST)");
    assert_eq!(
        unread.text,
        "The session limit was reached; its reset was recorded as \"12:30am (PST)\", whose zone relight does not know."
    );
}

/// A throttling server says so too.
#[test]
fn only_a_time_that_is_understood_makes_a_limit() {
    let limited = |text: &str| ending(&error(json!("rate_limit"), json!(429), text)).kind;
    let texts = [
        (
            "Too many requests, try again in a few minutes.",
            K::ApiError,
        ),
        ("Too many requests, try again in 5 minutes.", K::UsageLimit),
    ];
    for (text, kind) in texts {
        assert_eq!(limited(text), kind, "{text}");
    }
}
