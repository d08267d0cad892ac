//! Sentences that name options and commands, with the keys that do the same: nobody types them here.

use super::of;
use crate::model::Clean;
use crate::tui::prelude::Context;
use crate::tui::screens::plan;

/// A sentence with the key after each option, and after a command at its end, that a key of this context stands for. A
/// command with other arguments does something else, so it has none.
pub(crate) fn keyed(text: &Clean, context: Context) -> Clean {
    let mut said = text.as_str().to_owned();
    for row in of(context) {
        let (Some(cli), Some(key)) = (row.cli, row.keys.first()) else {
            continue;
        };
        if !cli.contains("--") {
            said = with_key(&said, cli, key).unwrap_or(said);
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

/// The text with the key, if it ends with this command and at most the id of a pipeline.
fn with_key(text: &str, cli: &str, key: &str) -> Option<String> {
    let mut words = cli.split(' ');
    let name = [words.next()?, words.next()?].join(" ");
    let said = text.trim_end_matches(['.', ')']);
    let (_, arguments) = said.rsplit_once(&name)?;
    let is_id = |word: &str| word.contains(|sign: char| sign == '~' || sign.is_ascii_digit());
    let is_whole = match arguments.trim_end_matches('`').split_once(' ') {
        None => arguments.trim_end_matches('`').is_empty(),
        Some((before, id)) => {
            // A pipeline elsewhere is found by its root.
            let id = id.split(" --root ").next().unwrap_or_default();
            before.is_empty() && !id.contains(' ') && is_id(id)
        }
    };
    let end = text.strip_prefix(said)?;
    is_whole.then(|| format!("{said} (key {key}){end}"))
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
                browser::CONTEXT,
                "Choose: relight points mgw-57~ab12",
                "Choose: relight points mgw-57~ab12 (key r)",
            ),
            (
                pipeline::CONTEXT,
                "Choose: relight points mgw-57~ab12 --root /srv/notes",
                "Choose: relight points mgw-57~ab12 --root /srv/notes (key r)",
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
