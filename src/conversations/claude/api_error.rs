//! The meaning of a line that records an error of the API.

use super::super::limits;
use super::entry::Entry;
use crate::formats::json;
use crate::model::{CauseKind, LocalTime, Stamp};
use crate::text::format::time_full;

/// An error of the API.
pub(super) struct ApiError {
    pub(super) kind: CauseKind,
    pub(super) text: String,
    pub(super) until: Option<Stamp>,
    /// Additional facts.
    pub(super) facts: Vec<String>,
}

/// Classifies an error line: first by the client's own kind, because its texts change between versions.
pub(super) fn classify(entry: &Entry, zone: &dyn LocalTime) -> ApiError {
    let text = entry.texts().join(" ");
    let status = json::int(&entry.map, "apiErrorStatus");
    let error = entry.text("error").unwrap_or_default();
    let quota = json::child(&entry.map, "quotaLimits");
    let throttled = text.contains("not your usage limit");
    let limit = !throttled && (quota.is_some() || limits::is_limit(&text));
    if limit && (matches!(error, "" | "rate_limit" | "unknown") || status == Some(429)) {
        return usage_limit(entry, &text, zone);
    }
    let lower = text.to_ascii_lowercase();
    let has = |part: &str| lower.contains(part);
    let (kind, what) = match (error, status) {
        ("rate_limit", _) | (_, Some(429)) => (
            CauseKind::ApiError,
            "The server limited requests for a short time (not your usage limit)",
        ),
        ("overloaded", _) | (_, Some(529)) => (CauseKind::ApiError, "The API was overloaded"),
        ("server_error", _) | (_, Some(500..=599)) => {
            (CauseKind::ApiError, "The API had a server error")
        }
        ("billing_error", _) => (CauseKind::Auth, "The credit balance is too low"),
        ("authentication_failed" | "oauth_org_not_allowed", _) | (_, Some(401 | 403)) => {
            (CauseKind::Auth, "The login was missing, expired or refused")
        }
        ("model_not_found", _) => (
            CauseKind::ApiError,
            "The model does not exist or is not available",
        ),
        ("max_output_tokens", _) => (CauseKind::OutputLimit, "A reply exceeded the output limit"),
        _ if has("credit balance is too low") => (CauseKind::Auth, "The credit balance is too low"),
        _ if has("prompt is too long") || has("context limit reached") => {
            (CauseKind::ContextFull, "The context was full")
        }
        ("invalid_request", _) | (_, Some(400 | 413)) => {
            (CauseKind::ApiError, "The API rejected the request")
        }
        _ if has("/login")
            || has("login expired")
            || has("invalid api key")
            || has("failed to authenticate")
            || has("token revoked") =>
        {
            (CauseKind::Auth, "The login was missing, expired or refused")
        }
        _ if has("overloaded") => (CauseKind::ApiError, "The API was overloaded"),
        _ if has("output token maximum") => {
            (CauseKind::OutputLimit, "A reply exceeded the output limit")
        }
        _ if has("internal server error") || has("api error: 5") => {
            (CauseKind::ApiError, "The API had a server error")
        }
        _ if has("connection") || has("timed out") || has("unable to connect") => (
            CauseKind::ApiError,
            "The network connection to the API failed",
        ),
        _ if has("can't help with this") || has("can’t help with this") => {
            (CauseKind::Refused, "The model refused")
        }
        _ => (
            CauseKind::ApiError,
            "The API returned an error of an unknown kind",
        ),
    };
    let status = status
        .map(|status| format!(" (HTTP {status})"))
        .unwrap_or_default();
    ApiError {
        kind,
        text: format!("{what}{status}."),
        until: None,
        facts: Vec::new(),
    }
}

/// A usage limit. The reset from the server counts; if the text has a different one, both are reported.
fn usage_limit(entry: &Entry, text: &str, zone: &dyn LocalTime) -> ApiError {
    let quota = json::child(&entry.map, "quotaLimits");
    let given = quota
        .and_then(|quota| json::int(quota, "resetsAt"))
        .and_then(Stamp::from_unix);
    let said = entry.at.and_then(|at| limits::reset(text, at.at, zone));
    let label = limits::label(
        quota.and_then(|quota| json::text(quota, "rateLimitType")),
        text,
    );
    let until = given.or(said);
    let mut facts = Vec::new();
    if let (Some(given), Some(said)) = (given, said)
        && (given.unix() - said.unix()).abs() > 60
    {
        facts.push(format!(
            "The server gave {} as the reset, the text {}.",
            time_full(given.at),
            said.words()
        ));
    }
    let reset = if until.is_some() {
        ""
    } else {
        "; no reset time was recorded"
    };
    let text = format!("The {label} was reached{reset}.");
    ApiError {
        kind: CauseKind::UsageLimit,
        text,
        until,
        facts,
    }
}
