//! Quotes of a conversation for a person who requested them: shortened, and without secrets.

use super::claude::entry::{Entry, Role};
use crate::model::{Foreign, Quote};

/// How many characters of a quote are shown.
const LONGEST: usize = 400;

/// A value after one of these words counts as a secret.
const NAMES: &[&str] = &[
    "password",
    "passwd",
    "secret",
    "token",
    "api_key",
    "apikey",
    "api-key",
    "authorization",
    "bearer",
];

/// Prefixes of the keys of known services.
const KEYS: &[&str] = &[
    "sk-",
    "ghp_",
    "gho_",
    "github_pat_",
    "xoxb-",
    "xoxp-",
    "AKIA",
    "AIza",
    "glpat-",
    "eyJ",
];

/// The quote of a line of Claude Code.
pub(super) fn of_claude(entry: &Entry) -> Option<Quote> {
    let from = match entry.role {
        Role::User => "person",
        Role::Assistant => "agent",
        Role::System | Role::Attachment => return None,
    };
    let text = entry.texts().join(" ");
    passage(from, entry.at, &text)
}

/// A quote that is safe to show; `None` without any text.
pub(super) fn passage(
    from: &'static str,
    at: Option<crate::model::Stamp>,
    text: &str,
) -> Option<Quote> {
    let text = shown(text);
    (!text.is_empty()).then(|| Quote {
        from,
        at,
        text: Foreign::from(text),
    })
}

/// A text on one line, shortened, with its secrets replaced.
fn shown(text: &str) -> String {
    let mut after_name = false;
    let words = text.split_whitespace().map(|word| {
        let lower = word.to_ascii_lowercase();
        let named = NAMES.iter().any(|name| lower.contains(name));
        let value = named && word.contains(['=', ':']) && !word.ends_with([':', '=']);
        let secret =
            value || after_name || KEYS.iter().any(|key| word.contains(key)) || looks_random(word);
        after_name = named && (word.ends_with([':', '=']) || lower.ends_with("bearer"));
        if secret { "[removed]" } else { word }
    });
    let joined = words.collect::<Vec<_>>().join(" ");
    if joined.chars().count() <= LONGEST {
        return joined;
    }
    let cut: String = joined.chars().take(LONGEST).collect();
    format!("{cut}…")
}

/// A long word of letters and digits without a path or a sentence in it.
fn looks_random(word: &str) -> bool {
    let word = word.trim_matches(|c: char| !c.is_ascii_alphanumeric());
    word.len() >= 32
        && word
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'=' | b'_' | b'-'))
        && word.bytes().any(|b| b.is_ascii_digit())
        && word.bytes().any(|b| b.is_ascii_alphabetic())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_removed_and_long_texts_are_cut() {
        for (text, expected) in [
            ("use sk-ant-abc123 please", "use [removed] please"),
            ("PASSWORD=hunter2 ok", "[removed] ok"),
            ("password: hunter2 ok", "password: [removed] ok"),
            (
                "Authorization: Bearer abc",
                "Authorization: [removed] [removed]",
            ),
            ("0123456789abcdef0123456789abcdef01 x", "[removed] x"),
            (
                "src/a/long/path/that/is/no/secret/at/all/file.rs",
                "src/a/long/path/that/is/no/secret/at/all/file.rs",
            ),
            ("two\nlines", "two lines"),
        ] {
            assert_eq!(shown(text), expected);
        }
        assert_eq!(shown(&"word ".repeat(400)).chars().count(), LONGEST + 1);
    }
}
