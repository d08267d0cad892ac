//! How the turns of Codex end.

mod turns;

use super::*;

/// The only conversation, with these payloads in its last minutes.
fn last(payloads: &[serde_json::Value]) -> Conversation {
    let scene = Scene::new();
    let begun = json!({"type": "session_meta", "id": TWO, "cwd": scene.project});
    let patch = json!({"type": "function_call", "name": "apply_patch",
        "arguments": json!({"input": "*** Add File: .mgw/state.json\n+a\n"}).to_string()});
    let all = [begun, json!({"type": "task_started"}), patch];
    let lines = (40..).zip(all.iter().chain(payloads)).map(|(minute, payload)| {
        let kind = if minute == 40 { "session_meta" } else { "event_msg" };
        json!({"timestamp": format!("2026-11-22T07:{minute}:00Z"), "type": kind, "payload": payload})
    });
    let lines: Vec<serde_json::Value> = lines.collect();
    scene.codex(&lines, "2026-11-22T07:50:00Z");
    scene.found(Depth::All).remove(0)
}

#[test]
fn a_turn_of_codex_ends_as_its_last_lines_say() {
    use CauseKind as K;
    let of = |kind: &str| json!({"type": kind});
    let call = |name: &str| json!({"type": "function_call", "name": name, "arguments": "{}"});
    let said = |kind: &str| json!({"type": kind, "message": "Use the cache."});
    let limits = |slot: serde_json::Value| json!({"type": "token_count", "rate_limits": {"secondary": slot}});
    let weekly =
        limits(json!({"used_percent": 99, "window_minutes": 10_080, "resets_in_seconds": 60}));
    let free = limits(json!({"used_percent": 12, "window_minutes": 10_080}));
    let asked = call("request_user_input");
    let table: &[(&[serde_json::Value], K)] = &[
        (&[], K::KilledInTool),
        (&[call("shell")], K::KilledInTool),
        (&[of("function_call_output")], K::KilledBetweenTurns),
        (&[of("task_complete")], K::TurnEnded),
        (&[of("turn_aborted")], K::UserInterrupted),
        (std::slice::from_ref(&asked), K::WaitingAnswer),
        (&[of("exec_approval_request")], K::WaitingAnswer),
        (&[of("apply_patch_approval_request")], K::WaitingAnswer),
        // What was answered is no longer waited for.
        (
            &[asked.clone(), of("function_call_output")],
            K::KilledBetweenTurns,
        ),
        (
            &[
                of("apply_patch_approval_request"),
                of("custom_tool_call_output"),
            ],
            K::KilledBetweenTurns,
        ),
        (
            &[asked.clone(), said("user_message")],
            K::KilledBetweenTurns,
        ),
        (&[asked.clone(), call("shell")], K::KilledInTool),
        (&[asked.clone(), of("turn_started")], K::KilledBetweenTurns),
        (std::slice::from_ref(&weekly), K::KilledInTool),
        (&[of("function_call_output"), weekly.clone()], K::UsageLimit),
        (
            &[of("function_call_output"), weekly.clone(), free],
            K::KilledBetweenTurns,
        ),
    ];
    for (payloads, expected) in table {
        assert_eq!(last(payloads).cause.kind, *expected, "{payloads:?}");
    }
}

#[test]
fn a_long_turn_of_codex_has_a_cause_and_the_later_reset_counts() {
    let answer = |at: usize| json!({"type": "function_call_output", "output": "x".repeat(at)});
    let slot = |minutes: u64, seconds: u64| json!({"used_percent": 100, "window_minutes": minutes, "resets_in_seconds": seconds});
    let limits = json!({"type": "token_count", "rate_limits":
        {"primary": slot(300, 60), "secondary": slot(10_080, 3_600)}});
    for bytes in [10, 700 << 10, 3 << 20, 20 << 20] {
        let cause = last(&[answer(bytes), limits.clone()]).cause;
        assert_eq!(cause.kind, CauseKind::UsageLimit, "{bytes}");
        let until = cause.until.unwrap().at.to_rfc3339();
        assert_eq!(until, "2026-11-22T08:44:00+00:00", "{bytes}");
    }
}

#[test]
fn what_was_said_to_codex_is_quoted() {
    let one = last(&[
        json!({"type": "user_message", "message": "Use the cache."}),
        json!({"type": "agent_message", "message": "The cache is used."}),
    ]);
    let quotes = one
        .quotes
        .iter()
        .map(|quote| (quote.from, quote.text.lossy()));
    let expected = [
        ("person", "Use the cache."),
        ("agent", "The cache is used."),
    ];
    assert_eq!(
        quotes.collect::<Vec<_>>(),
        expected.map(|(from, text)| (from, text.into()))
    );
}
