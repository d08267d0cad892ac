//! The table of cases for the rules.

use super::*;

/// Every row of the table and its variants: (name, lines, kind, sureness).
#[expect(clippy::too_many_lines, reason = "one row a case")]
pub(super) fn table() -> Vec<(&'static str, String, K, Sure)> {
    let prompt = || user(json!("CANARY do it"), json!({}));
    let system = |subtype: &str, extra: Value| {
        let mut fields = extra;
        fields["subtype"] = json!(subtype);
        line("system", fields)
    };
    let attach = |kind: &str| line("attachment", json!({"attachment": {"type": kind}}));
    let c = Sure::Certain;
    vec![
        (
            "limit",
            prompt()
                + &error(
                    json!("rate_limit"),
                    json!(429),
                    "You've hit your session limit · resets 5:50pm (Asia/Tokyo)",
                ),
            K::UsageLimit,
            c,
        ),
        (
            "limit, no kind",
            prompt()
                + &error(
                    json!(null),
                    json!(null),
                    "Claude AI usage limit reached|1790848800",
                ),
            K::UsageLimit,
            c,
        ),
        (
            "throttle",
            error(
                json!("rate_limit"),
                json!(429),
                "API Error: Server is temporarily limiting requests (not your usage limit)",
            ),
            K::ApiError,
            c,
        ),
        (
            "overload",
            error(
                json!("overloaded"),
                json!(529),
                "API Error: Repeated 529 Overloaded errors",
            ),
            K::ApiError,
            c,
        ),
        (
            "server",
            error(json!("server_error"), json!(500), "API Error: 500"),
            K::ApiError,
            c,
        ),
        (
            "network",
            error(
                json!("unknown"),
                json!(null),
                "Connection lost mid-response. The response above may be incomplete.",
            ),
            K::ApiError,
            c,
        ),
        (
            "context",
            error(json!("invalid_request"), json!(400), "Prompt is too long"),
            K::ContextFull,
            c,
        ),
        (
            "output",
            error(
                json!("max_output_tokens"),
                json!(null),
                "Claude's response exceeded the 32000 output token maximum",
            ),
            K::OutputLimit,
            c,
        ),
        (
            "login",
            error(
                json!("authentication_failed"),
                json!(401),
                "Not logged in · Please run /login",
            ),
            K::Auth,
            c,
        ),
        (
            "login, old",
            error(
                json!(null),
                json!(null),
                "Invalid API key · Please run /login",
            ),
            K::Auth,
            c,
        ),
        (
            "billing",
            error(
                json!("billing_error"),
                json!(null),
                "Credit balance is too low",
            ),
            K::Auth,
            c,
        ),
        (
            "model",
            error(
                json!("model_not_found"),
                json!(404),
                "The model x does not exist",
            ),
            K::ApiError,
            c,
        ),
        (
            "interrupted",
            prompt() + &user(text("[Request interrupted by user]"), json!({})),
            K::UserInterrupted,
            c,
        ),
        (
            "interrupted in a tool",
            call("Bash")
                + &result(json!({"toolUseResult": "User rejected tool use"}))
                + &user(
                    text("[Request interrupted by user for tool use]"),
                    json!({}),
                ),
            K::UserInterrupted,
            c,
        ),
        (
            "a quoted mark",
            prompt()
                + &user(
                    text("what does [Request interrupted by user] mean"),
                    json!({}),
                ),
            K::CutWhileStreaming,
            Sure::Guess,
        ),
        (
            "denied",
            call("Bash") + &result(json!({"toolUseResult": "User rejected tool use"})),
            K::ToolDenied,
            c,
        ),
        ("question", call("AskUserQuestion"), K::WaitingAnswer, c),
        ("plan", call("ExitPlanMode"), K::WaitingApproval, c),
        ("in a tool", call("Bash"), K::KilledInTool, Sure::Likely),
        (
            "between turns",
            call("Bash") + &result(json!({})),
            K::KilledBetweenTurns,
            Sure::Likely,
        ),
        ("prompt", prompt(), K::CutWhileStreaming, Sure::Guess),
        (
            "turn ended",
            prompt() + &reply(json!("end_turn"), text("CANARY Shall I go on?")),
            K::TurnEnded,
            c,
        ),
        (
            "background",
            reply(json!("end_turn"), text("CANARY"))
                + &system("turn_duration", json!({"pendingWorkflowCount": 2})),
            K::TurnEnded,
            c,
        ),
        (
            "output cut",
            reply(json!("max_tokens"), text("CANARY")),
            K::OutputLimit,
            c,
        ),
        (
            "refused",
            reply(json!("refusal"), text("CANARY")),
            K::Refused,
            Sure::Likely,
        ),
        (
            "streaming",
            reply(json!(null), text("CANARY")),
            K::CutWhileStreaming,
            Sure::Guess,
        ),
        (
            "turns",
            reply(json!("end_turn"), text("x")) + &attach("max_turns_reached"),
            K::TurnLimit,
            Sure::Likely,
        ),
        (
            "budget",
            reply(json!("end_turn"), text("x")) + &attach("budget_usd"),
            K::BudgetLimit,
            Sure::Likely,
        ),
        (
            "hook",
            reply(json!("end_turn"), text("x"))
                + &system("stop_hook_summary", json!({"preventedContinuation": true})),
            K::HookStopped,
            Sure::Likely,
        ),
        (
            "hook allowed it",
            reply(json!("end_turn"), text("x"))
                + &system("stop_hook_summary", json!({"preventedContinuation": false})),
            K::TurnEnded,
            c,
        ),
        (
            "compacted",
            reply(json!("end_turn"), text("x")) + &system("compact_boundary", json!({})),
            K::KilledBetweenTurns,
            Sure::Likely,
        ),
        (
            "no response requested",
            call("Bash")
                + &line(
                    "assistant",
                    json!({"isApiErrorMessage": false, "message": {"model": "<synthetic>", "stop_reason": "stop_sequence", "content": text("No response requested.")}}),
                ),
            K::KilledInTool,
            Sure::Likely,
        ),
        (
            "unknown",
            reply(json!("pause_turn"), text("x")),
            K::Unknown,
            Sure::Guess,
        ),
    ]
}
