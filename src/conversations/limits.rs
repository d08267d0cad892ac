//! Usage limits in the texts of errors: which limit it is, and when it resets.

mod reset;
#[cfg(test)]
mod tests;

pub(super) use reset::{Reset, reset};

/// Texts of a usage limit in an error line. People quote them, so they prove nothing elsewhere.
const WORDINGS: &[&str] = &[
    "usage limit",
    "limit reached",
    "hit your limit",
    "hit your session limit",
    "hit your weekly limit",
    "hit your opus limit",
    "hit your sonnet limit",
    "hit your fable limit",
    "out of extra usage",
    "spend limit",
    "usage credit limit",
    "session limit",
    "weekly limit",
    "opus limit",
    "sonnet limit",
    "fable limit",
];

/// Whether the text of an error line is about a usage limit.
pub(super) fn is_limit(text: &str) -> bool {
    let text = text.to_ascii_lowercase();
    !denies(&text)
        && !text.contains("context limit")
        && (WORDINGS.iter().any(|wording| text.contains(wording))
            || text.contains("limit will reset"))
}

/// Whether a text says that its limit is not the plan's: a throttling server does.
pub(super) fn denies(text: &str) -> bool {
    let text = text.to_ascii_lowercase();
    ["not your usage limit", "not a usage limit"]
        .iter()
        .any(|words| text.contains(words))
}

/// The sentence about a limit that was reached. A reset that was recorded is never denied.
pub(super) fn reached(what: &str, reset: Option<&Reset>) -> String {
    match reset {
        Some(Reset::At(_)) => format!("{what}."),
        Some(Reset::Unread { written, why }) => {
            format!("{what}; its reset was recorded as \"{written}\", {why}.")
        }
        None => format!("{what}; no reset time was recorded."),
    }
}

/// The name of the limit, such as `session limit`, from the client's own kind or from the text.
pub(super) fn label(kind: Option<&str>, text: &str) -> &'static str {
    match kind {
        Some("five_hour") => return "session limit",
        Some("seven_day") => return "weekly limit",
        Some("seven_day_opus") => return "Opus limit",
        Some("seven_day_sonnet") => return "Sonnet limit",
        Some("seven_day_overage_included") => return "Fable limit",
        Some("overage") => return "usage credit limit",
        Some(_) | None => {}
    }
    let text = text.to_ascii_lowercase();
    let known = [
        ("opus", "Opus limit"),
        ("sonnet", "Sonnet limit"),
        ("fable", "Fable limit"),
        ("weekly", "weekly limit"),
        ("5-hour", "session limit"),
        ("session", "session limit"),
        ("credit", "usage credit limit"),
        ("extra usage", "usage credit limit"),
        ("spend", "spend limit"),
    ];
    let found = known.iter().find(|(part, _)| text.contains(part));
    found.map_or("usage limit", |(_, label)| label)
}
