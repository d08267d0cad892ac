//! The meaning of a line that records an error of the API.

use super::super::limits::{self, Reset};
use super::entry::Entry;
use crate::formats::json;
use crate::model::{CauseKind, LocalTime, Stamp, Sure};
use crate::text::format::time_full;

/// An error of the API.
pub(super) struct ApiError {
    pub(super) kind: CauseKind,
    pub(super) text: String,
    pub(super) sure: Sure,
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
    let denied = limits::denies(&text);
    let limit = !denied && (quota.is_some() || limits::is_limit(&text));
    if limit && (matches!(error, "" | "rate_limit" | "unknown") || status == Some(429)) {
        return usage_limit(entry, &text, zone, Sure::Certain);
    }
    let limited = error == "rate_limit" || status == Some(429);
    // The wordings of a limit change, and a throttling server seldom says when to try again.
    let resets = || matches!(reset(entry, &text, zone), Some(Reset::At(_)));
    if limited && !denied && resets() {
        return usage_limit(entry, &text, zone, Sure::Likely);
    }
    let lower = text.to_ascii_lowercase();
    let has = |part: &str| lower.contains(part);
    let (kind, what) = match (error, status) {
        _ if limited && denied => (
            CauseKind::ApiError,
            "The server limited requests for a short time (not your usage limit)",
        ),
        _ if limited => (
            CauseKind::ApiError,
            "The server limited requests; whether that is your usage limit is not recorded",
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
        sure: if limited && !denied {
            Sure::Likely
        } else {
            Sure::Certain
        },
        until: None,
        facts: Vec::new(),
    }
}

/// The reset in the text of a line.
fn reset(entry: &Entry, text: &str, zone: &dyn LocalTime) -> Option<Reset> {
    limits::reset(text, entry.at.map(|at| at.at), zone)
}

/// A usage limit. The reset from the server counts; if the text has a different one, both are reported.
fn usage_limit(entry: &Entry, text: &str, zone: &dyn LocalTime, sure: Sure) -> ApiError {
    let quota = json::child(&entry.map, "quotaLimits");
    let given = quota
        .and_then(|quota| json::int(quota, "resetsAt"))
        .and_then(Stamp::from_unix);
    let reset = reset(entry, text, zone);
    let mut facts = Vec::new();
    if let (Some(given), Some(said)) = (given, reset.as_ref().and_then(Reset::at))
        && (given.unix() - said.unix()).abs() > 60
    {
        facts.push(format!(
            "The server gave {} as the reset, the text {}.",
            time_full(given.at),
            said.words()
        ));
    }
    let reset = given.map(Reset::At).or(reset);
    let what = if sure == Sure::Certain {
        let kind = quota.and_then(|quota| json::text(quota, "rateLimitType"));
        format!("The {} was reached", limits::label(kind, text))
    } else {
        "The server limited requests, probably because of the usage limit".to_owned()
    };
    ApiError {
        kind: CauseKind::UsageLimit,
        text: limits::reached(&what, reset.as_ref()),
        sure,
        until: reset.as_ref().and_then(Reset::at),
        facts,
    }
}
