//! A command that a person can copy to undo an action. Only for actions that can be repeated afterwards, and only with
//! plain digits and plain names.

use super::patterns::Remedy;
use crate::text::is_digits;

/// The command, if the sentence has the required number.
pub(super) fn against((nouns, verb): Remedy, words: &[String]) -> String {
    if let Some(link) = words.iter().find_map(|word| github(word)) {
        return format!("{verb} {link}");
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

/// The number and the repository of a pull request or issue, from its URL.
fn github(word: &str) -> Option<String> {
    let rest = word.strip_prefix("https://github.com/")?;
    let mut parts = rest.split('/');
    let (owner, name, what, number) = (parts.next()?, parts.next()?, parts.next()?, parts.next()?);
    let plain = |part: &str| {
        let sign = |b: u8| b.is_ascii_alphanumeric() || b"-_.".contains(&b);
        !part.is_empty() && !part.starts_with('-') && part.bytes().all(sign)
    };
    let numbered = matches!(what, "pull" | "issues") && is_digits(number);
    (plain(owner) && plain(name) && numbered).then(|| format!("{number} --repo {owner}/{name}"))
}
