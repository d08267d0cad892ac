//! The typed command line, changed for a hint.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt as _;

use crate::text::format::shell_word;

/// The typed command line without some options and their values, with more words at the end of the options: what follows
/// `--` is another program's. `None` if it contains something that is not safe to copy.
pub(super) fn again(typed: &[OsString], without: &[&str], more: &[&str]) -> Option<String> {
    let mut words = vec!["relight".to_owned()];
    let mut skip = false;
    let end = typed.iter().position(|word| word == "--");
    let (options, rest) = typed.split_at(end.unwrap_or(typed.len()));
    for word in options.iter().skip(1) {
        let word = word.to_str()?;
        let mut options = without.iter();
        let valued = options.find_map(|option| {
            let value = word.strip_prefix(option);
            value.filter(|value| value.is_empty() || value.starts_with('='))
        });
        match valued {
            _ if skip => skip = false,
            Some("") => skip = true,
            Some(_) => {}
            None => words.push(shell_word(word)?),
        }
    }
    words.extend(more.iter().map(|word| (*word).to_owned()));
    for word in rest {
        words.push(shell_word(word.to_str()?)?);
    }
    Some(words.join(" "))
}

/// The options with a value that may have no effect on a plan.
pub(super) const WORK_TREE: &str = "--work-tree";
pub(super) const PATH: &str = "--path";

/// The words of the options: what follows `--` is another program's.
fn options(typed: &[OsString]) -> impl Iterator<Item = &OsString> {
    typed.iter().take_while(|word| *word != "--")
}

/// Whether a switch was typed.
pub(super) fn is_on(typed: &[OsString], switch: &str) -> bool {
    options(typed).any(|word| word == switch)
}

/// The value of an option as it was typed.
pub(super) fn value<'a>(typed: &'a [OsString], option: &str) -> Option<&'a OsStr> {
    let mut words = options(typed);
    while let Some(word) = words.next() {
        match word.as_bytes().strip_prefix(option.as_bytes()) {
            Some([]) => return words.next().map(OsString::as_os_str),
            Some([b'=', value @ ..]) => return Some(OsStr::from_bytes(value)),
            Some(_) | None => {}
        }
    }
    None
}

/// The same for a dry run, without the options that are idle: `plan` becomes `resume`.
pub(super) fn without_dry_run(typed: &[OsString], idle: &[&str]) -> Option<String> {
    let end = typed.iter().position(|word| word == "--");
    let (options, rest) = typed.split_at(end.unwrap_or(typed.len()));
    let valued = |option: &&str| [WORK_TREE, PATH].contains(option);
    let (valued, flags): (Vec<&str>, Vec<&str>) = idle.iter().copied().partition(valued);
    let hidden = [&flags[..], &["--dry-run", "--json"]].concat();
    let shown = |word: &&OsString| !hidden.iter().any(|hidden| *word == hidden);
    let options = options.iter().filter(shown);
    let mut words: Vec<OsString> = options.chain(rest).cloned().collect();
    if let Some(word) = words.iter_mut().find(|word| *word == "plan") {
        *word = "resume".into();
    }
    again(&words, &valued, &[])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_is_offered_again_as_a_shell_reads_it() {
        let line = |words: &[&str], without: &[&str]| {
            let words: Vec<OsString> = words.iter().map(OsString::from).collect();
            again(&words, without, &["--yes"])
        };
        let table: &[(&[&str], &[&str], Option<&str>)] = &[
            (&["r", "undo"], &[], Some("relight undo --yes")),
            (
                &["r", "resume", "a b"],
                &[],
                Some("relight resume 'a b' --yes"),
            ),
            (
                &["r", "resume", "$(id)"],
                &[],
                Some("relight resume '$(id)' --yes"),
            ),
            (&["r", "resume", "a\u{202e}"], &[], None),
            (
                &["r", "resume", "--confirm", "ff", "x", "--confirm=0"],
                &["--confirm"],
                Some("relight resume x --yes"),
            ),
            (
                &["r", "replay", "x", "--", "sh", "-c", "true", "--"],
                &[],
                Some("relight replay x --yes -- sh -c true --"),
            ),
        ];
        for (words, without, expected) in table {
            assert_eq!(line(words, without).as_deref(), *expected, "{words:?}");
        }
    }
}
