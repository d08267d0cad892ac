//! Why a turn of Codex failed or was aborted, by Codex's own names.

use serde_json::{Map, Value};

use crate::conversations::claude::ending;
use crate::conversations::limits::{self, Reset};
use crate::formats::json;
use crate::model::{CauseKind, LocalTime, Stamp, Sure};

/// The error that ended a turn.
#[derive(Debug, Clone)]
pub(super) struct Failure {
    pub(super) kind: CauseKind,
    pub(super) sure: Sure,
    pub(super) text: String,
    /// The reset of a usage limit in its message.
    pub(super) reset: Option<Reset>,
}

/// Whether the error in an event ends its turn: the others answer a request about it.
pub(super) fn ends_turn(event: &Map<String, Value>) -> bool {
    let (name, _) = name(event.get("codex_error_info"));
    !matches!(name, "thread_rollback_failed" | "active_turn_not_steerable")
}

/// The error that ended a turn, from its event or from the end of the turn.
pub(super) fn of(error: &Map<String, Value>, at: Option<Stamp>, zone: &dyn LocalTime) -> Failure {
    use CauseKind as K;
    let message = json::text(error, "message").unwrap_or_default();
    let (name, status) = name(error.get("codex_error_info"));
    let (kind, what) = match name {
        "usage_limit_exceeded" => (K::UsageLimit, "The usage limit was reached"),
        "session_budget_exceeded" => (K::BudgetLimit, BUDGET),
        "context_window_exceeded" => (K::ContextFull, "The context was full"),
        "unauthorized" => (K::Auth, "The login was missing, expired or refused"),
        "cyber_policy" => (K::Refused, "A policy of the provider refused the request"),
        "server_overloaded" => (K::ApiError, "The API was overloaded"),
        "internal_server_error" => (K::ApiError, "The API had a server error"),
        "rate_limit_exceeded" => (K::ApiError, "The server limited requests for a short time"),
        "bad_request" => (K::ApiError, "The API rejected the request"),
        "response_too_many_failed_attempts" => (K::ApiError, "The API failed repeatedly"),
        "http_connection_failed"
        | "response_stream_connection_failed"
        | "response_stream_disconnected"
        | "stream_disconnected" => (K::ApiError, "The network connection to the API failed"),
        _ if limits::is_limit(message) => (K::UsageLimit, "The usage limit was reached"),
        _ => (K::Unknown, "The turn ended with an error of another kind"),
    };
    let status = status.map(|status| format!(" (HTTP {status})"));
    let sure = if kind == K::Unknown {
        Sure::Guess
    } else if kind == K::UsageLimit && name != "usage_limit_exceeded" {
        Sure::Likely
    } else {
        Sure::Certain
    };
    Failure {
        kind,
        sure,
        text: format!("{what}{}", status.unwrap_or_default()),
        reset: limits::reset(message, at.map(|at| at.at), zone),
    }
}

const BUDGET: &str = "The budget was used up";

/// The name of a kind of error, which has details or is alone, and an HTTP status in the details.
fn name(info: Option<&Value>) -> (&str, Option<i64>) {
    match info {
        Some(Value::String(name)) => (name, None),
        Some(Value::Object(named)) => {
            let named = named.iter().next();
            named.map_or(("", None), |(name, details)| {
                let details = details.as_object();
                (
                    name,
                    details.and_then(|all| json::int(all, "http_status_code")),
                )
            })
        }
        Some(_) | None => ("", None),
    }
}

/// How a turn ended that was aborted for this reason.
pub(super) fn aborted(reason: Option<&Value>) -> (CauseKind, Sure, String) {
    use CauseKind as K;
    let interrupted = ending::INTERRUPTED;
    let (kind, sure, text) = match reason {
        None | Some(Value::Null) => (K::UserInterrupted, Sure::Likely, interrupted),
        Some(reason) => match reason.as_str() {
            Some("interrupted") => (K::UserInterrupted, Sure::Certain, interrupted),
            Some("budget_limited") => (K::BudgetLimit, Sure::Certain, BUDGET),
            Some("replaced") => (
                K::Unknown,
                Sure::Guess,
                "Another turn replaced the last one, and its beginning was not recorded",
            ),
            Some("review_ended") => (
                K::Unknown,
                Sure::Guess,
                "The turn was aborted when a review ended",
            ),
            Some(_) | None => (
                K::Unknown,
                Sure::Guess,
                "The turn was aborted for a reason that relight does not know",
            ),
        },
    };
    (kind, sure, format!("{}.", text.trim_end_matches('.')))
}
