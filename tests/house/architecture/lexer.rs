//! Blanks what is not code: comments and the insides of string literals, line breaks kept.

/// The same text with spaces where there were comments and strings.
pub(crate) fn blanked(text: &str) -> String {
    let chars: Vec<char> = text.chars().collect();
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    while at < chars.len() {
        let end = literal_end(&chars, at);
        if let Some(end) = end {
            let blank = |c: &char| if *c == '\n' { '\n' } else { ' ' };
            out.extend(chars[at..end].iter().map(blank));
            at = end;
        } else {
            out.push(chars[at]);
            at += 1;
        }
    }
    out
}

/// Where the comment, string or character that begins here ends.
fn literal_end(chars: &[char], at: usize) -> Option<usize> {
    let next = |by: usize| chars.get(at + by).copied();
    match chars[at] {
        '/' if next(1) == Some('/') => Some(line_end(chars, at)),
        '/' if next(1) == Some('*') => Some(comment_end(chars, at)),
        '"' => Some(string_end(chars, at + 1)),
        'r' if !follows_a_name(chars, at) => raw_end(chars, at + 1),
        '\'' if next(1) == Some('\\') => {
            let close = (at + 3..chars.len()).find(|i| chars[*i] == '\'')?;
            Some(close + 1)
        }
        // A quote that is not closed after one character begins a lifetime.
        '\'' if next(2) == Some('\'') => Some(at + 3),
        _ => None,
    }
}

/// `br"` is a raw string, `for"` is not.
fn follows_a_name(chars: &[char], at: usize) -> bool {
    let name = |i: usize| chars[i].is_alphanumeric() || chars[i] == '_';
    match at.checked_sub(1) {
        Some(before) if chars[before] == 'b' => before.checked_sub(1).is_some_and(name),
        Some(before) => name(before),
        None => false,
    }
}

fn line_end(chars: &[char], at: usize) -> usize {
    (at..chars.len())
        .find(|i| chars[*i] == '\n')
        .unwrap_or(chars.len())
}

fn comment_end(chars: &[char], at: usize) -> usize {
    let closed = (at + 2..chars.len()).find(|i| chars[*i] == '/' && chars[*i - 1] == '*');
    closed.map_or(chars.len(), |i| i + 1)
}

fn string_end(chars: &[char], mut at: usize) -> usize {
    while at < chars.len() {
        match chars[at] {
            '\\' => at += 2,
            '"' => return at + 1,
            _ => at += 1,
        }
    }
    chars.len()
}

/// From after the `r`; nothing where no raw string begins.
fn raw_end(chars: &[char], at: usize) -> Option<usize> {
    let hashes = chars[at..].iter().take_while(|c| **c == '#').count();
    if chars.get(at + hashes) != Some(&'"') {
        return None;
    }
    let mut close = vec!['"'];
    close.extend(std::iter::repeat_n('#', hashes));
    let start = at + hashes + 1;
    let found = (start..chars.len()).find(|i| chars[*i..].starts_with(&close));
    Some(found.map_or(chars.len(), |i| i + close.len()))
}

#[test]
fn only_code_is_left() {
    for (text, left) in [
        ("a // b\nc", "a     \nc"),
        ("a /* b\n */ c", "a     \n    c"),
        (r#"f("x \" y") z"#, r"f(        ) z"),
        ("g(r#\"a \" b\"#) c", "g(          ) c"),
        ("b'\"' d '\\'' e", "b    d      e"),
        ("<'a> \"s\"", "<'a>    "),
        ("for \"x\" r#type", "for     r#type"),
    ] {
        assert_eq!(blanked(text), left, "{text}");
    }
}
