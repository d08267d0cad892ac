//! Sentences that name options and commands, with the keys that do the same: nobody types them here.

use super::of;
use crate::model::Clean;
use crate::tui::prelude::Context;
use crate::tui::screens::plan;

/// A sentence with the key after each option and each whole command that a key of this context stands for. A command
/// with other arguments does something else, so it has none.
pub(crate) fn keyed(text: &Clean, context: Context) -> Clean {
    let mut said = text.as_str().to_owned();
    for row in of(context) {
        let (Some(cli), Some(key)) = (row.cli, row.keys.first()) else {
            continue;
        };
        if !cli.contains("--") {
            said = with_key(&said, cli, key);
        } else if context == plan::CONTEXT {
            // A plan is changed by the options of its command; elsewhere they are a part of another command.
            let mut words = cli.split(' ');
            let option = words.find(|word| word.starts_with("--") && *word != "--point");
            let with_key = |option: &str| said.replace(option, &format!("{option} (key {key})"));
            said = option.map(with_key).unwrap_or(said);
        }
    }
    Clean::new(&said)
}

/// The text with the key after each of these commands.
fn with_key(text: &str, cli: &str, key: &str) -> String {
    let mut words = cli.splitn(3, ' ');
    let name: Vec<&str> = words.by_ref().take(2).collect();
    let (name, placeholder) = (name.join(" "), words.next().unwrap_or_default());
    let mut parts = text.split(&name);
    let mut said = parts.next().unwrap_or_default().to_owned();
    for after in parts {
        said.push_str(&name);
        match end_of(after, placeholder) {
            Some(end) => {
                let (argument, rest) = after.split_at(end);
                said.extend([argument, " (key ", key, ")", rest]);
            }
            None => said.push_str(after),
        }
    }
    said
}

/// Where a command ends, after its name: it has its one argument or none. `None` where it has others, or another name.
fn end_of(after: &str, placeholder: &str) -> Option<usize> {
    let quoted =
        |end: usize| end + usize::from(after.get(end..).is_some_and(|it| it.starts_with('`')));
    let ends =
        |text: &str| text.is_empty() || text.starts_with([' ', '.', ',', ';', ':', ')', '`']);
    if !ends(after) {
        return None;
    }
    let Some(rest) = after.strip_prefix(' ') else {
        return Some(quoted(0));
    };
    let is_argument = |word: &str| {
        let word = word.trim_end_matches(['.', ',', ';', ':', ')', '`']);
        let is_id = word.contains('~') || word.contains(|sign: char| sign.is_ascii_digit());
        (is_id || word == placeholder).then_some(word.len())
    };
    let is_other = |word: &str| {
        let word = word.trim_end_matches(['.', ',', ';', ':', ')', '`']);
        let shouts = word.len() > 1 && word.chars().all(|sign| sign.is_ascii_uppercase());
        word.starts_with("--") || shouts
    };
    let mut words = rest.split(' ');
    let first = words.next().unwrap_or_default();
    match is_argument(first) {
        Some(len) if words.next().is_some_and(is_other) && len == first.len() => None,
        Some(len) => Some(quoted(1 + len)),
        None if is_other(first) => None,
        None => Some(0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tui::screens::{browser, pipeline};

    #[test]
    fn what_a_key_does_has_the_key_beside_it() {
        let table = [
            (
                plan::CONTEXT,
                "--rewind-branch removes them.",
                "--rewind-branch (key b) removes them.",
            ),
            (plan::CONTEXT, "Omit --exact.", "Omit --exact (key x)."),
            (
                plan::CONTEXT,
                "Name it with --work-tree PATH.",
                "Name it with --work-tree PATH.",
            ),
            (
                pipeline::CONTEXT,
                "List them with relight timeline.",
                "List them with relight timeline (key 2).",
            ),
            (
                pipeline::CONTEXT,
                "Choose another: relight checkpoints.",
                "Choose another: relight checkpoints (key 4).",
            ),
            (
                pipeline::CONTEXT,
                "Choose: relight points mgw-57~ab12",
                "Choose: relight points mgw-57~ab12 (key r)",
            ),
            (
                pipeline::CONTEXT,
                "See `relight plan mgw-57~ab12`.",
                "See `relight plan mgw-57~ab12` (key p).",
            ),
            (
                pipeline::CONTEXT,
                "what relight plan a~1 prints",
                "what relight plan a~1 (key p) prints",
            ),
            (
                browser::CONTEXT,
                "Choose: relight points mgw-57~ab12",
                "Choose: relight points mgw-57~ab12 (key r)",
            ),
            // Each of these does something else than a key.
            (
                pipeline::CONTEXT,
                "Open it: relight show PATH.",
                "Open it: relight show PATH.",
            ),
            (
                pipeline::CONTEXT,
                "`relight plan 57 --point a:rerun`",
                "`relight plan 57 --point a:rerun`",
            ),
            (
                pipeline::CONTEXT,
                "Choose: relight plan a~1 POINT",
                "Choose: relight plan a~1 POINT",
            ),
            (
                pipeline::CONTEXT,
                "relight restore a~1 --checkpoint b",
                "relight restore a~1 --checkpoint b",
            ),
        ];
        for (context, said, shown) in table {
            assert_eq!(keyed(&Clean::new(said), context).as_str(), shown);
        }
    }
}
