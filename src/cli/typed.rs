//! The command line as it was typed: global options before the command, and misspelled commands.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt as _;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, Command, Error};

use crate::model::nearest;
use crate::text::format::list;

/// Moves options from before a command to after it, where clap reads them: then they add up with those there,
/// and none is taken for a path of the console.
pub(super) fn command_first(mut args: Vec<OsString>, whole: &Command) -> Vec<OsString> {
    let at = first_word(&args, whole);
    let Some(word) = args.get(at).and_then(|word| word.to_str()) else {
        return args;
    };
    // Clap's `help` takes no options.
    if word == "help" {
        args.drain(1..at);
        args.retain(|word| leading(word, whole) != Some(1));
    } else if is_command(word, whole) {
        let command = args.remove(at);
        args.insert(1, command);
    }
    args
}

/// The misspelled command and a hint; `None` if the word is a command or looks like a path.
pub(super) fn misspelled(args: &[OsString], whole: &Command) -> Option<(String, String)> {
    let word = args.get(first_word(args, whole))?.to_str()?;
    if word.starts_with('-') || word.contains('/') || is_command(word, whole) {
        return None;
    }
    meant(word, whole).map(|hint| (word.to_owned(), hint))
}

/// The same error with the argument that is missing: clap gives what was typed to a last argument after a repeated one
/// first, and then reports the repeated one.
pub(super) fn missing(mut error: Error, args: &[OsString], whole: &Command) -> Error {
    let command = args.get(1).and_then(|word| whole.find_subcommand(word));
    let last = command.and_then(|command| command.get_positionals().last());
    let last = last.filter(|last| last.is_required_set());
    let last = last.map(Arg::to_string);
    let repeated = match error.get(ContextKind::InvalidArg) {
        Some(ContextValue::Strings(names)) => {
            names.len() == 1 && names.iter().all(|name| name.ends_with("..."))
        }
        _ => false,
    };
    if error.kind() == ErrorKind::MissingRequiredArgument
        && repeated
        && let Some(last) = last
    {
        error.insert(ContextKind::InvalidArg, ContextValue::Strings(vec![last]));
    }
    error
}

/// That a command lacks an option, and a hint with the commands that have it; `None` if none has it, or if the error is
/// another one.
pub(super) fn misplaced(
    error: &Error,
    args: &[OsString],
    whole: &Command,
) -> Option<(String, String)> {
    let unknown = error.kind() == ErrorKind::UnknownArgument;
    let Some(ContextValue::String(option)) = error.get(ContextKind::InvalidArg) else {
        return None;
    };
    let name = option.strip_prefix("--").filter(|_| unknown)?;
    let has = |one: &Command| one.get_arguments().any(|arg| arg.get_long() == Some(name));
    let own = has(whole).then_some("relight without a command");
    let commands = whole
        .get_subcommands()
        .filter(|one| !one.is_hide_set() && has(one));
    let having: Vec<&str> = own
        .into_iter()
        .chain(commands.map(Command::get_name))
        .collect();
    let here = args.get(1).and_then(|word| word.to_str());
    let here = here
        .filter(|word| is_command(word, whole))
        .unwrap_or("relight");
    let hint = format!("--{name} is an option of {}.", list(&having));
    (!having.is_empty()).then(|| (format!("{here} has no option --{name}."), hint))
}

/// A hint with the commands that a word may mean.
pub(super) fn meant(word: &str, whole: &Command) -> Option<String> {
    let known = whole.get_subcommands().filter(|one| !one.is_hide_set());
    let names = known.map(Command::get_name).chain(["help"]);
    nearest::hint(word, names.map(|name| (name, name)))
}

/// Whether a word is a command.
pub(super) fn is_command(word: &str, whole: &Command) -> bool {
    word == "help" || whole.find_subcommand(word).is_some()
}

/// The index of the first word that is neither an option nor the value of one.
fn first_word(args: &[OsString], whole: &Command) -> usize {
    let mut at = 1;
    while let Some(taken) = args.get(at).and_then(|word| leading(word, whole)) {
        at += taken;
    }
    at
}

/// How many words an option takes that can stand before a command; `None` for any other word.
fn leading(word: &OsStr, whole: &Command) -> Option<usize> {
    let mut options = whole.get_arguments().filter(|arg| !arg.is_positional());
    let bytes = word.as_bytes();
    if let Some(long) = bytes.strip_prefix(b"--") {
        let (name, value) = match long.iter().position(|byte| *byte == b'=') {
            Some(end) => (long.get(..end)?, true),
            None => (long, false),
        };
        let named = |arg: &Arg| arg.get_long().is_some_and(|long| long.as_bytes() == name);
        let takes = options.find(|arg| named(arg))?.get_action().takes_values();
        return Some(if takes && !value { 2 } else { 1 });
    }
    let short = std::str::from_utf8(bytes.strip_prefix(b"-")?).ok()?;
    let mut letters = short.chars();
    let first = letters.next()?;
    let mut repeated = letters.all(|letter| letter == first);
    repeated &=
        options.any(|arg| arg.get_short() == Some(first) && !arg.get_action().takes_values());
    repeated.then_some(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ordered(line: &str) -> String {
        let args = line.split(' ').map(OsString::from).collect();
        let args = command_first(args, &crate::cli::command());
        let words: Vec<&str> = args.iter().map(|word| word.to_str().unwrap()).collect();
        words.join(" ")
    }

    #[test]
    fn s3_global_options_move_after_the_command() {
        for (line, expected) in [
            ("r list", "r list"),
            ("r --json list --all", "r list --json --all"),
            ("r -q --root a list b", "r list -q --root a b"),
            (
                "r --root=a --scope here show x",
                "r show --root=a --scope here x",
            ),
            ("r --root list list", "r list --root list"),
            ("r --json help list", "r help list"),
            ("r help list --json --color=never", "r help list"),
            ("r --plain demo d", "r demo --plain d"),
            // Neither is a command: clap says what is wrong with them, or the console opens.
            ("r --json somewhere", "r --json somewhere"),
            ("r --nonsense list", "r --nonsense list"),
            ("r --json -- list", "r --json -- list"),
            ("r --root", "r --root"),
            ("r", "r"),
        ] {
            assert_eq!(ordered(line), expected, "{line}");
        }
    }

    #[test]
    fn s4_only_a_word_in_the_place_of_a_command_is_misspelled() {
        for (line, expected) in [
            ("r verfy", Some("Did you mean verify?")),
            ("r --json --root x verfy", Some("Did you mean verify?")),
            ("r verify", None),
            ("r ./verfy", None),
            ("r --json", None),
            ("r --verfy", None),
            ("r quite-another-thing", None),
        ] {
            let args: Vec<OsString> = line.split(' ').map(OsString::from).collect();
            let found = misspelled(&args, &crate::cli::command());
            assert_eq!(found.map(|(_, hint)| hint).as_deref(), expected, "{line}");
        }
    }
}
