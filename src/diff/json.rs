//! Formats one line of JSON on many, for display only.
//!
//! Only white space between tokens changes; every token keeps its bytes. So two texts that differ in more than layout
//! also differ in their indented forms.

/// Bytes; shorter texts are readable as they are.
pub const LEAST: usize = 120;

/// Texts nested more deeply are not indented: they would be wider than any screen.
const DEEPEST: usize = 64;

/// The indented form of a JSON object or array on one line; `None` for any other text.
pub fn indented(text: &[u8]) -> Option<Vec<u8>> {
    let line = text.strip_suffix(b"\n").unwrap_or(text);
    let one = memchr::memchr(b'\n', line).is_none();
    let whole = line.trim_ascii();
    if !one || !matches!(whole, [b'{', .., b'}'] | [b'[', .., b']']) {
        return None;
    }
    let mut out = Vec::with_capacity(text.len() * 2);
    let mut open: Vec<u8> = Vec::new();
    let mut rest = whole;
    let mut fresh = false;
    while let Some((&first, after)) = rest.split_first() {
        let (token, left) = match first {
            b' ' | b'\t' | b'\r' => {
                rest = after;
                continue;
            }
            b'"' => string(rest)?,
            b'{' | b'[' | b'}' | b']' | b',' | b':' => (rest.get(..1)?, after),
            _ => scalar(rest),
        };
        let closes = matches!(first, b'}' | b']');
        if closes {
            let pair = (open.pop()?, first);
            if !matches!(pair, (b'{', b'}') | (b'[', b']')) {
                return None;
            }
        }
        // An empty object stays on its line.
        if closes != fresh {
            line_break(&mut out, open.len());
        }
        out.extend_from_slice(token);
        fresh = matches!(first, b'{' | b'[');
        match first {
            b'{' | b'[' => open.push(first),
            b',' => line_break(&mut out, open.len()),
            b':' => out.push(b' '),
            _ => {}
        }
        if open.len() > DEEPEST || (open.is_empty() && !left.is_empty()) {
            return None;
        }
        rest = left;
    }
    out.push(b'\n');
    open.is_empty().then_some(out)
}

fn line_break(out: &mut Vec<u8>, depth: usize) {
    if !out.is_empty() {
        out.push(b'\n');
        out.extend(std::iter::repeat_n(b' ', depth * 2));
    }
}

/// A string with its quotes, and the rest; `None` if it is not terminated.
fn string(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let mut escaped = false;
    for (at, byte) in text.iter().enumerate().skip(1) {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => return text.split_at_checked(at + 1),
            _ => {}
        }
    }
    None
}

/// A number or a keyword, and the rest.
fn scalar(text: &[u8]) -> (&[u8], &[u8]) {
    let ends = |byte: &u8| b"{}[],:\" \t\r".contains(byte);
    let end = text.iter().position(ends).unwrap_or(text.len());
    text.split_at(end)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn one_line_becomes_many() {
        let table: &[(&str, Option<&str>)] = &[
            (
                r#"{"a":1,"b":[true,"x, \" {"],"c":{},"d":[]}"#,
                Some(
                    "{\n  \"a\": 1,\n  \"b\": [\n    true,\n    \"x, \\\" {\"\n  ],\n  \"c\": {},\n  \"d\": []\n}\n",
                ),
            ),
            ("[1, 2]", Some("[\n  1,\n  2\n]\n")),
            ("{}", Some("{}\n")),
            ("[[]]", Some("[\n  []\n]\n")),
            ("{]", None),
            ("[}", None),
            (r#"{"a}"#, None),
            ("{}{}", None),
            ("plain text", None),
            ("[1\n,2]", None),
            ("", None),
        ];
        for (text, expected) in table {
            let got = indented(text.as_bytes());
            let got = got.map(|bytes| String::from_utf8(bytes).unwrap());
            assert_eq!(got.as_deref(), *expected, "{text}");
        }
        let deep = format!("{}{}", "[".repeat(200), "]".repeat(200));
        assert_eq!(indented(deep.as_bytes()), None);
    }

    proptest! {
        #[test]
        fn only_white_space_between_tokens_changes(words in proptest::collection::vec("[a-z0-9 {}\\[\\],:\"\\\\é]{0,6}", 0..40)) {
            let text: Vec<String> = words.iter().map(|word| serde_json::to_string(word).unwrap()).collect();
            let text = format!("[{}]", text.join(","));
            let shown = indented(text.as_bytes()).unwrap();
            let one: serde_json::Value = serde_json::from_str(&text).unwrap();
            let other: serde_json::Value = serde_json::from_slice(&shown).unwrap();
            prop_assert_eq!(one, other);
        }
    }
}
