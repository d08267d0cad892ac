//! A command that a person can copy to undo an action. Only for actions that can be repeated afterwards, and only with
//! plain digits and plain names.

use crate::text::is_digits;

/// What can undo an action.
#[derive(Clone, Copy)]
pub(super) enum Remedy {
    /// No command is safe to copy.
    None,
    /// Closing the pull request, which can be opened again.
    ClosePull,
    /// Closing the issue, which can be opened again.
    CloseIssue,
    /// Opening the issue again.
    ReopenIssue,
}

/// The command, if the sentence has the required number.
pub(super) fn against(remedy: Remedy, words: &[String]) -> String {
    let (nouns, verb): (&[&str], &str) = match remedy {
        Remedy::None => return String::new(),
        Remedy::ClosePull => (&["pr", "request", "pull", "mr"], "gh pr close"),
        Remedy::CloseIssue => (&["issue"], "gh issue close"),
        Remedy::ReopenIssue => (&["issue"], "gh issue reopen"),
    };
    if let Some(link) = words.iter().find_map(|word| github(word)) {
        return format!("{verb} {} --repo {}", link.number, link.repo);
    }
    let numbered = words
        .iter()
        .zip(words.iter().skip(1))
        .find_map(|(noun, number)| {
            let digits = number.strip_prefix('#').unwrap_or(number);
            (nouns.contains(&noun.as_str()) && is_digits(digits)).then_some(digits)
        });
    // gh does not know merge requests of other hosts.
    let foreign = words.iter().any(|word| word == "mr");
    numbered
        .filter(|_| !foreign)
        .map_or_else(String::new, |number| format!("{verb} {number}"))
}

/// A pull request or issue from its URL.
struct Link<'a> {
    repo: String,
    number: &'a str,
}

fn github(word: &str) -> Option<Link<'_>> {
    let rest = word.strip_prefix("https://github.com/")?;
    let mut parts = rest.split('/');
    let (owner, name, what, number) = (parts.next()?, parts.next()?, parts.next()?, parts.next()?);
    let plain = |part: &str| {
        let sign = |b: u8| b.is_ascii_alphanumeric() || b"-_.".contains(&b);
        !part.is_empty() && !part.starts_with('-') && part.bytes().all(sign)
    };
    let numbered = matches!(what, "pull" | "issues") && is_digits(number);
    (plain(owner) && plain(name) && numbered).then(|| Link {
        repo: format!("{owner}/{name}"),
        number,
    })
}
