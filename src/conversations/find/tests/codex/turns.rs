//! Turns of Codex that failed, were aborted or cannot be read to their end.

use super::*;

/// The error that ended a turn, as one of its last lines.
fn failed(info: &serde_json::Value, message: &str) -> serde_json::Value {
    let error = json!({"message": message, "codex_error_info": info});
    json!({"type": "task_complete", "last_agent_message": null, "error": error})
}

#[test]
fn a_turn_of_codex_that_failed_did_not_end_normally() {
    use CauseKind as K;
    let http = |kind: &str| json!({ kind: {"http_status_code": 502} });
    let c = Sure::Certain;
    for (info, kind, sure) in [
        (json!("usage_limit_exceeded"), K::UsageLimit, c),
        (json!({"usage_limit_exceeded": {}}), K::UsageLimit, c),
        (json!("context_window_exceeded"), K::ContextFull, c),
        (json!("session_budget_exceeded"), K::BudgetLimit, c),
        (json!("unauthorized"), K::Auth, c),
        (json!("server_overloaded"), K::ApiError, c),
        (json!("internal_server_error"), K::ApiError, c),
        (json!("rate_limit_exceeded"), K::ApiError, c),
        (json!("bad_request"), K::ApiError, c),
        (json!("cyber_policy"), K::Refused, c),
        (json!("stream_disconnected"), K::ApiError, c),
        (http("response_stream_disconnected"), K::ApiError, c),
        (http("response_stream_connection_failed"), K::ApiError, c),
        (http("http_connection_failed"), K::ApiError, c),
        (http("response_too_many_failed_attempts"), K::ApiError, c),
        (json!("sandbox_error"), K::Unknown, Sure::Guess),
        (json!("other"), K::Unknown, Sure::Guess),
        (json!("CANARY"), K::Unknown, Sure::Guess),
        (json!(null), K::Unknown, Sure::Guess),
        (json!(7), K::Unknown, Sure::Guess),
    ] {
        let event = json!({"type": "error", "message": "CANARY", "codex_error_info": info});
        let silent = json!({"type": "task_complete", "last_agent_message": null});
        for lines in [
            vec![failed(&info, "CANARY")],
            vec![event.clone()],
            // Older versions do not repeat the error at the end of the turn.
            vec![event.clone(), silent],
            vec![event, json!({"type": "task_complete"})],
        ] {
            let cause = last(&lines).cause;
            assert_eq!(
                (cause.kind, cause.sure),
                (kind, sure),
                "{lines:?}: {cause:?}"
            );
            assert!(!format!("{cause:?}").contains("CANARY"), "{cause:?}");
        }
    }
    let rollback = json!({"codex_error_info": "thread_rollback_failed"});
    for error in [json!("CANARY"), json!({}), json!(1), rollback] {
        let cause = last(&[json!({"type": "task_complete", "error": error})]).cause;
        assert_eq!(cause.kind, K::Unknown, "{error}");
    }
    // Without a name, the message says it.
    let unnamed = failed(
        &json!(null),
        "You've hit your usage limit. Try again in 2 hours.",
    );
    let cause = last(&[unnamed]).cause;
    assert_eq!((cause.kind, cause.sure), (K::UsageLimit, Sure::Likely));
    assert_eq!(
        cause.until.map(|until| until.unix()),
        Some(at("2026-11-22T09:43:00Z").unix())
    );
    let with_status = last(&[failed(&http("response_stream_disconnected"), "x")]).cause;
    assert!(
        with_status.text.lossy().contains("(HTTP 502)"),
        "{with_status:?}"
    );
}

#[test]
fn a_turn_of_codex_goes_on_after_an_error_that_did_not_end_it() {
    use CauseKind as K;
    let error = |info: serde_json::Value| json!({"type": "error", "message": "x", "codex_error_info": info});
    let done = json!({"type": "task_complete", "last_agent_message": "done", "error": null});
    let steer = error(json!({"active_turn_not_steerable": {"turn_kind": "review"}}));
    let rollback = error(json!("thread_rollback_failed"));
    let call = json!({"type": "function_call", "name": "shell", "call_id": "c"});
    let spoken = json!({"type": "agent_message", "message": "x"});
    let lost = error(json!("unauthorized"));
    for (lines, expected) in [
        (vec![steer, rollback.clone(), done.clone()], K::TurnEnded),
        (vec![rollback], K::KilledInTool),
        (vec![lost.clone(), spoken, done.clone()], K::TurnEnded),
        (vec![lost.clone(), call], K::KilledInTool),
        (
            vec![lost.clone(), json!({"type": "task_started"}), done],
            K::TurnEnded,
        ),
        (
            vec![lost, json!({"type": "task_started"})],
            K::KilledBetweenTurns,
        ),
    ] {
        assert_eq!(last(&lines).cause.kind, expected, "{lines:?}");
    }
}

#[test]
fn the_limit_that_ended_a_turn_of_codex_has_its_reset() {
    let window = |used: u64, resets: &str| {
        let resets = at(resets).unix();
        json!({"type": "token_count", "rate_limits":
            {"primary": {"used_percent": used, "window_minutes": 10_080, "resets_at": resets}}})
    };
    let limit = |message: &str| failed(&json!("usage_limit_exceeded"), message);
    let said = "You've hit your usage limit. Visit https://x.example/usage or try again at Nov 24th, 2026 6:29 PM.";
    let later = "2026-11-25T00:00:00Z";
    for (lines, text, until) in [
        (
            vec![window(100, later), limit(said)],
            "The weekly limit was reached.",
            Some(later),
        ),
        (
            vec![window(12, later), limit(said)],
            "The usage limit was reached.",
            Some("2026-11-24T18:29:00Z"),
        ),
        (
            vec![limit(said)],
            "The usage limit was reached.",
            Some("2026-11-24T18:29:00Z"),
        ),
        (
            vec![limit("Your workspace is out of credits.")],
            "The usage limit was reached; no reset time was recorded.",
            None,
        ),
    ] {
        let cause = last(&lines).cause;
        assert_eq!(cause.text.lossy(), text);
        assert_eq!(
            cause.until.map(|at| at.unix()),
            until.map(|text| at(text).unix()),
            "{lines:?}"
        );
    }
}

#[test]
fn an_aborted_turn_of_codex_has_the_reason_that_it_records() {
    use CauseKind as K;
    for (reason, kind, sure) in [
        (json!("interrupted"), K::UserInterrupted, Sure::Certain),
        (json!("budget_limited"), K::BudgetLimit, Sure::Certain),
        (json!("replaced"), K::Unknown, Sure::Guess),
        (json!("review_ended"), K::Unknown, Sure::Guess),
        (json!("CANARY"), K::Unknown, Sure::Guess),
        (json!(7), K::Unknown, Sure::Guess),
        // The first versions recorded none.
        (json!(null), K::UserInterrupted, Sure::Likely),
    ] {
        let cause = last(&[json!({"type": "turn_aborted", "reason": reason})]).cause;
        assert_eq!(
            (cause.kind, cause.sure),
            (kind, sure),
            "{reason}: {cause:?}"
        );
        assert!(!format!("{cause:?}").contains("CANARY"), "{cause:?}");
    }
}

#[test]
fn a_limit_of_codex_lasts_until_its_reset_and_to_the_end_of_its_turn() {
    use CauseKind as K;
    let output = json!({"type": "function_call_output"});
    let full = |resets: &str| {
        let resets = at(resets).unix();
        json!({"type": "token_count", "rate_limits":
            {"primary": {"used_percent": 100.0, "window_minutes": 300, "resets_at": resets}}})
    };
    let later = full("2026-11-22T10:00:00Z");
    let spoken = json!({"type": "agent_message", "message": "x"});
    let silent = json!({"type": "task_complete", "last_agent_message": null});
    for (lines, expected) in [
        (
            vec![output.clone(), later.clone()],
            (K::UsageLimit, Sure::Guess),
        ),
        (
            vec![
                later.clone(),
                json!({"type": "task_started"}),
                spoken.clone(),
            ],
            (K::KilledBetweenTurns, Sure::Guess),
        ),
        // The last line is of 07:45.
        (
            vec![output.clone(), full("2026-11-22T07:45:00Z"), spoken.clone()],
            (K::KilledBetweenTurns, Sure::Guess),
        ),
        (
            vec![output, full("2026-11-22T07:46:00Z"), spoken],
            (K::UsageLimit, Sure::Guess),
        ),
        // Older versions end a turn that met the limit like any other, but without a reply.
        (vec![later, silent.clone()], (K::UsageLimit, Sure::Guess)),
        (vec![silent], (K::TurnEnded, Sure::Likely)),
    ] {
        let cause = last(&lines).cause;
        assert_eq!((cause.kind, cause.sure), expected, "{lines:?}");
    }
}

/// Old versions record no turns, so a turn that is not in the part that was read may not be in the file.
#[test]
fn a_file_of_codex_without_turns_ends_in_an_unknown_way() {
    let scene = Scene::new();
    let begun = json!({"timestamp": "2026-11-22T07:40:00Z", "type": "session_meta",
        "payload": {"id": TWO, "cwd": scene.project}});
    for bytes in [10, 2 << 20, 20 << 20] {
        let message = json!({"type": "message", "role": "user", "content": "x".repeat(bytes)});
        let patch = json!({"type": "function_call", "name": "apply_patch", "call_id": "c",
            "arguments": json!({"input": "*** Add File: .mgw/state.json\n+a\n"}).to_string()});
        let lines = [message, patch].map(|payload| {
            json!({"timestamp": "2026-11-22T07:45:00Z", "type": "response_item", "payload": payload})
        });
        let lines = [begun.clone()].into_iter().chain(lines).collect::<Vec<_>>();
        scene.codex(&lines, "2026-11-22T07:50:00Z");
        let cause = scene.found(Depth::All).remove(0).cause;
        assert_eq!(
            (cause.kind, cause.sure),
            (CauseKind::Unknown, Sure::Guess),
            "{bytes}"
        );
        assert!(
            cause.text.lossy().contains("No beginning or end of a turn"),
            "{cause:?}"
        );
    }
}

#[test]
fn after_a_line_that_cannot_be_read_nothing_is_certain_or_ended_normally() {
    use CauseKind as K;
    let cut = r#"{"type":"event_msg","payload":{"type":"task_star"#;
    let spoken = json!({"type": "event_msg", "payload": {"type": "agent_message", "message": "x"}});
    for (end, normal, damaged) in [
        (
            "task_complete",
            (K::TurnEnded, Sure::Certain),
            (K::Unknown, Sure::Guess),
        ),
        (
            "turn_aborted",
            (K::UserInterrupted, Sure::Likely),
            (K::UserInterrupted, Sure::Likely),
        ),
        (
            "unauthorized",
            (K::Auth, Sure::Certain),
            (K::Auth, Sure::Likely),
        ),
    ] {
        let payload = match end {
            "unauthorized" => failed(&json!(end), "x"),
            kind => json!({ "type": kind }),
        };
        let line =
            json!({"timestamp": "2026-11-22T07:45:00Z", "type": "event_msg", "payload": payload});
        let begun = |project: &Path| json!({"timestamp": "2026-11-22T07:40:00Z", "type": "session_meta", "payload": {"id": TWO, "cwd": project}});
        for (damage, expected) in [
            (String::new(), normal),
            (cut.to_owned(), damaged),
            (format!("{cut}\n"), damaged),
            ("\0\0\0\n".to_owned(), damaged),
            (format!("{cut}\n{spoken}\n"), damaged),
            (format!("{cut}\n{line}\n"), normal),
        ] {
            // The beginning of the part that is read is not damage.
            for long in [10, 1 << 20] {
                let scene = Scene::new();
                let early = json!({"type": "event_msg", "payload": {"type": "agent_message", "message": "x".repeat(long)}});
                let patch = json!({"type": "response_item", "payload": {"type": "function_call", "name": "apply_patch",
                    "arguments": json!({"input": "*** Add File: .mgw/state.json\n+a\n"}).to_string()}});
                scene.codex(
                    &[begun(&scene.project), early, patch, line.clone()],
                    "2026-11-22T07:50:00Z",
                );
                let rel = format!("sessions/2026/11/22/rollout-2026-11-22T07-40-00-{TWO}.jsonl");
                let root = scene.world.places.codex.as_ref();
                let text = std::fs::read_to_string(root.unwrap().join(&rel)).unwrap();
                write(
                    root,
                    &rel,
                    (text + &damage).as_bytes(),
                    "2026-11-22T07:50:00Z",
                );
                let cause = scene.found(Depth::All).remove(0).cause;
                assert_eq!(
                    (cause.kind, cause.sure),
                    expected,
                    "{end} + {damage:?}, {long}: {cause:?}"
                );
                let said = cause
                    .evidence
                    .iter()
                    .any(|one| one.text.lossy().contains("cannot be read"));
                assert_eq!(
                    said,
                    expected == damaged
                        && !damage.ends_with(&format!("{line}\n"))
                        && !damage.is_empty(),
                    "{damage:?}"
                );
            }
        }
    }
}
