//! Commands as text that a POSIX shell parses back to exactly the same words.

use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use crate::clean;
use crate::text::Clean;

/// A word quoted for a shell, only where needed. `None` if it contains control or invisible characters, or what
/// [`Clean`] shows for them, or is not UTF-8: the shown line would differ from the pasted one.
pub fn shell_word(word: impl AsRef<[u8]>) -> Option<String> {
    let word = std::str::from_utf8(word.as_ref()).ok()?;
    (Clean::new(word).as_str() == word).then(|| quoted(word))
}

/// The word, quoted where a shell would read it otherwise. For words without control characters.
pub(crate) fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "%+,-./:=@_~".contains(c);
    // A shell expands `~` only at the start of a word, and bash also after `:` and `=`. Elsewhere it is left bare,
    // because ids contain it. zsh expands a leading `=`.
    let expands = word.starts_with(['=', '~']) || word.contains(":~") || word.contains("=~");
    if !word.is_empty() && !expands && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

/// Splits a line into words as a POSIX shell would, without any expansion. The error is a reason.
pub fn split_words(line: &str) -> Result<Vec<String>, &'static str> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut signs = line.chars();
    while let Some(sign) = signs.next() {
        match sign {
            ' ' | '\t' | '\n' => words.extend(word.take()),
            '\'' => {
                let end = signs.as_str().split_once('\'');
                let (quoted, rest) = end.ok_or("a quote is not closed")?;
                word.get_or_insert_default().push_str(quoted);
                signs = rest.chars();
            }
            '"' => {
                let word = word.get_or_insert_default();
                loop {
                    match signs.next().ok_or("a quote is not closed")? {
                        '"' => break,
                        '\\' => match signs.next().ok_or("a quote is not closed")? {
                            sign @ ('"' | '\\' | '$' | '`') => word.push(sign),
                            '\n' => {}
                            sign => word.extend(['\\', sign]),
                        },
                        sign => word.push(sign),
                    }
                }
            }
            '\\' => {
                let sign = signs.next().ok_or("a backslash is the last character")?;
                word.get_or_insert_default().push(sign);
            }
            sign => word.get_or_insert_default().push(sign),
        }
    }
    words.extend(word);
    Ok(words)
}

/// A path as an operand of a command: one that starts with `-` is not parsed as an option.
pub fn shell_path(path: &Path) -> Option<String> {
    let bytes = path.as_os_str().as_bytes();
    if bytes.starts_with(b"-") {
        return shell_word([b"./", bytes].concat());
    }
    shell_word(bytes)
}

/// An argument vector as one line for a shell, shown exactly as it is typed; `None` if a word contains control or
/// invisible characters or is not UTF-8. A prompt may name files as [`Clean`] shows them.
pub fn shell_line<W: AsRef<[u8]>>(argv: impl IntoIterator<Item = W>) -> Option<Clean> {
    let word = |word: W| {
        let word = Clean::printable(std::str::from_utf8(word.as_ref()).ok()?)?;
        Some(quoted(word.as_str()))
    };
    let words: Option<Vec<String>> = argv.into_iter().map(word).collect();
    let mut words = words?;
    // `A=b` as the first word would be parsed as an assignment.
    if let Some(program) = words.first_mut()
        && program.contains('=')
        && !program.starts_with('\'')
    {
        *program = format!("'{program}'");
    }
    Clean::printable(&words.join(" "))
}

/// The same in at most so many cells, cut between words: what is left is no other option and no other value, and an
/// option whose value is cut off is left out with it. The first word is never cut.
pub fn shell_line_within(argv: &[Vec<u8>], cells: usize) -> Option<Clean> {
    let is_option = |word: &Vec<u8>| word.starts_with(b"-");
    let mut kept = argv.len();
    loop {
        let line = shell_line(argv.get(..kept)?);
        let line = if kept < argv.len() {
            line.map(|line| clean!("{} …", line))
        } else {
            line
        };
        if kept <= 1 || line.as_ref().is_some_and(|line| line.width() <= cells) {
            return line;
        }
        kept -= 1;
        let is_value = argv.get(kept).is_some_and(|word| !is_option(word));
        if is_value && argv.get(kept - 1).is_some_and(is_option) {
            kept -= 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_parse_back_or_are_refused() {
        let table: &[(&[u8], Option<&str>)] = &[
            (b"issue/4-x", Some("issue/4-x")),
            (b"issue/4-a;b", Some("'issue/4-a;b'")),
            (b"$(id)", Some("'$(id)'")),
            (b"`id`", Some("'`id`'")),
            (b"a!b", Some("'a!b'")),
            (b"it's", Some(r"'it'\''s'")),
            (b"", Some("''")),
            (b"~x", Some("'~x'")),
            (b"crucible:x~1", Some("crucible:x~1")),
            (b"a/~b", Some("a/~b")),
            (b"A=~/x", Some("'A=~/x'")),
            (b"a:~", Some("'a:~'")),
            (b"=ls", Some("'=ls'")),
            (b"{a,b}", Some("'{a,b}'")),
            (b"a b", Some("'a b'")),
            (b"#x", Some("'#x'")),
            (b"--point=phase-3", Some("--point=phase-3")),
            (b"a\nb", None),
            (b"a\tb", None),
            ("\u{202e}b".as_bytes(), None),
            (b"\x1b[201~", None),
            (b"a\xff", None),
        ];
        for (word, expected) in table {
            assert_eq!(shell_word(word).as_deref(), *expected, "{word:?}");
        }
    }

    #[test]
    fn a_line_parses_as_one_program_and_its_operands() {
        let line = |words: &[&str]| shell_line(words).map(Clean::into_string);
        assert_eq!(
            line(&["git", "switch", "a;b"]).as_deref(),
            Some("git switch 'a;b'")
        );
        assert_eq!(line(&["A=b", "C=d"]).as_deref(), Some("'A=b' C=d"));
        assert_eq!(line(&["x", "a\u{200b}"]), None);
        let named = format!("see ({})", Clean::new("a\nb"));
        assert_eq!(
            line(&["claude", &named]).as_deref(),
            Some("claude 'see (a␊b)'"),
            "a file with a newline in its name"
        );
        assert_eq!(shell_path(Path::new("-x")).as_deref(), Some("./-x"));
        assert_eq!(shell_path(Path::new("/a b")).as_deref(), Some("'/a b'"));
    }

    #[test]
    fn a_line_is_split_as_a_shell_does_with_nothing_expanded() {
        let table: &[(&str, &[&str])] = &[
            ("npm ci", &["npm", "ci"]),
            ("  a\t b\n", &["a", "b"]),
            (
                "sh -c 'cd x && make \"$A\"'",
                &["sh", "-c", "cd x && make \"$A\""],
            ),
            (r#"a "b \"c\" \d" e\ f"#, &["a", r#"b "c" \d"#, "e f"]),
            ("a''b \"\" $HOME ~ *", &["ab", "", "$HOME", "~", "*"]),
            ("", &[]),
        ];
        for (line, words) in table {
            assert_eq!(split_words(line).unwrap(), *words, "{line}");
        }
        for line in ["'a", "\"a", "a\\", "\"a\\"] {
            assert!(split_words(line).is_err(), "{line}");
        }
    }

    #[test]
    fn a_long_line_is_cut_between_words_and_never_inside_an_option() {
        let line = "relight resume x --exact --yes --confirm 59ef03a1 --assume-stopped";
        let words: Vec<Vec<u8>> = line
            .split(' ')
            .map(|word| word.as_bytes().to_vec())
            .collect();
        for cells in 0..line.len() + 4 {
            let cut = shell_line_within(&words, cells).unwrap().into_string();
            assert!(cut.chars().count() <= cells.max(9), "{cells}: {cut}");
            let Some(kept) = cut.strip_suffix(" …") else {
                assert_eq!(cut, line);
                continue;
            };
            assert!(line.starts_with(&format!("{kept} ")), "{cells}: {cut}");
            assert!(!kept.ends_with("--confirm"), "{cells}: {cut}");
        }
    }
}
