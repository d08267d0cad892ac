//! Opens a file in a program of the person's, in the foreground of the terminal.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use super::command::{self, NoAnswer};
use super::launch;

/// Editors and pagers that accept `+LINE` before the file.
const TAKES_LINE: &[&str] = &[
    "vi", "vim", "nvim", "nano", "emacs", "micro", "kak", "less", "most", "joe", "ne",
];

/// Tried in this order if the environment names none.
const USUAL: &[&str] = &["less", "more"];

/// Opens a file in `$EDITOR`, else in `$PAGER`, else in `less` or `more`, and waits for the program's end. The words of
/// the variable are arguments; no shell is used.
pub fn show(
    file: &Path,
    line: Option<u64>,
    env: &dyn Fn(&str) -> Option<OsString>,
) -> Result<(), NoAnswer> {
    let words = viewer(env)?;
    let (program, rest) = words
        .split_first()
        .ok_or_else(|| NoAnswer::NotInstalled("less".to_owned()))?;
    let found = if program.contains('/') {
        PathBuf::from(program)
    } else {
        command::find(program, env("PATH").as_deref())
            .ok_or_else(|| NoAnswer::NotInstalled(program.clone()))?
    };
    let place = line
        .filter(|_| takes_line(&found))
        .map(|line| OsString::from(format!("+{line}")));
    let mut args: Vec<&OsStr> = rest.iter().map(OsStr::new).collect();
    args.extend(place.as_deref());
    args.push(file.as_os_str());
    let ended = launch::run(&found, &args, None)
        .map_err(|why| NoAnswer::Failed(format!("{program} cannot be started: {why}")))?;
    if ended.is_ok() {
        Ok(())
    } else {
        Err(NoAnswer::Failed(format!("{program} ended with an error")))
    }
}

fn viewer(env: &dyn Fn(&str) -> Option<OsString>) -> Result<Vec<String>, NoAnswer> {
    let named = ["EDITOR", "PAGER"].iter().find_map(|name| {
        let value = env(name)?.into_string().ok()?;
        let words: Vec<String> = value.split_whitespace().map(str::to_owned).collect();
        (!words.is_empty()).then_some(words)
    });
    if let Some(words) = named {
        return Ok(words);
    }
    let path = env("PATH");
    USUAL
        .iter()
        .find(|name| command::find(name, path.as_deref()).is_some())
        .map(|name| vec![(*name).to_owned()])
        .ok_or_else(|| NoAnswer::NotInstalled("less".to_owned()))
}

fn takes_line(program: &Path) -> bool {
    let name = program.file_name().and_then(OsStr::to_str);
    name.is_some_and(|name| TAKES_LINE.contains(&name))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with<'a>(pairs: &'a [(&'a str, &'a str)]) -> impl Fn(&str) -> Option<OsString> + 'a {
        |name| {
            let found = pairs.iter().find(|(key, _)| *key == name);
            found.map(|(_, value)| OsString::from(value))
        }
    }

    #[test]
    fn the_editor_comes_before_the_pager_and_its_words_are_arguments() {
        type Pairs = &'static [(&'static str, &'static str)];
        let table: &[(Pairs, &[&str])] = &[
            (
                &[("EDITOR", "code --wait"), ("PAGER", "less")],
                &["code", "--wait"],
            ),
            (&[("EDITOR", " "), ("PAGER", "less -R")], &["less", "-R"]),
            (&[("PAGER", "most")], &["most"]),
        ];
        for (pairs, words) in table {
            assert_eq!(viewer(&with(pairs)).unwrap(), *words);
        }
    }

    #[test]
    fn a_missing_program_is_named() {
        let env = [("EDITOR", "no-such-editor"), ("PATH", "/usr/bin")];
        let refused = show(Path::new("/dev/null"), None, &with(&env)).unwrap_err();
        assert_eq!(refused, NoAnswer::NotInstalled("no-such-editor".to_owned()));
    }

    #[test]
    fn an_error_of_the_program_is_reported() {
        let env = [("EDITOR", "false"), ("PATH", "/usr/bin:/bin")];
        assert!(show(Path::new("/dev/null"), Some(3), &with(&env)).is_err());
        let env = [("EDITOR", "true"), ("PATH", "/usr/bin:/bin")];
        assert_eq!(show(Path::new("/dev/null"), Some(3), &with(&env)), Ok(()));
    }
}
