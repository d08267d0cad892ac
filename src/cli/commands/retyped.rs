//! The typed command line, changed for a hint.

use std::ffi::OsString;

use crate::text::format::shell_word;

/// The typed command line without an option and its value, with more words at the end of the options: what follows
/// `--` is another program's. `None` if it contains something that is not safe to copy.
pub(super) fn again(typed: &[OsString], without: Option<&str>, more: &[&str]) -> Option<String> {
    let mut words = vec!["relight".to_owned()];
    let mut skip = false;
    let end = typed.iter().position(|word| word == "--");
    let (options, rest) = typed.split_at(end.unwrap_or(typed.len()));
    for word in options.iter().skip(1) {
        let word = word.to_str()?;
        let valued = without.and_then(|option| word.strip_prefix(option));
        match valued {
            _ if skip => skip = false,
            Some("") => skip = true,
            Some(value) if value.starts_with('=') => {}
            _ => words.push(shell_word(word)?),
        }
    }
    words.extend(more.iter().map(|word| (*word).to_owned()));
    for word in rest {
        words.push(shell_word(word.to_str()?)?);
    }
    Some(words.join(" "))
}

/// The same for a dry run: `plan` becomes `resume`.
pub(super) fn without_dry_run(typed: &[OsString]) -> Option<String> {
    let end = typed.iter().position(|word| word == "--");
    let (options, rest) = typed.split_at(end.unwrap_or(typed.len()));
    let shown = |word: &&OsString| *word != "--dry-run" && *word != "--json";
    let options = options.iter().filter(shown);
    let mut words: Vec<OsString> = options.chain(rest).cloned().collect();
    if let Some(word) = words.iter_mut().find(|word| *word == "plan") {
        *word = "resume".into();
    }
    again(&words, None, &[])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_is_offered_again_as_a_shell_reads_it() {
        let line = |words: &[&str], without| {
            let words: Vec<OsString> = words.iter().map(OsString::from).collect();
            again(&words, without, &["--yes"])
        };
        let table: &[(&[&str], Option<&str>, Option<&str>)] = &[
            (&["r", "undo"], None, Some("relight undo --yes")),
            (
                &["r", "resume", "a b"],
                None,
                Some("relight resume 'a b' --yes"),
            ),
            (
                &["r", "resume", "$(id)"],
                None,
                Some("relight resume '$(id)' --yes"),
            ),
            (&["r", "resume", "a\u{202e}"], None, None),
            (
                &["r", "resume", "--confirm", "ff", "x", "--confirm=0"],
                Some("--confirm"),
                Some("relight resume x --yes"),
            ),
            (
                &["r", "replay", "x", "--", "sh", "-c", "true", "--"],
                None,
                Some("relight replay x --yes -- sh -c true --"),
            ),
        ];
        for (words, without, expected) in table {
            assert_eq!(line(words, *without).as_deref(), *expected, "{words:?}");
        }
    }
}
