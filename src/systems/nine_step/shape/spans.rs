//! Byte spans inside a JSON document that is known to be valid: the elements of a list, their lines, and
//! whole members with what surrounds them. One pass each.

use std::ops::Range;

/// The spans of a list's elements, given the list's own span.
pub(crate) fn elements(bytes: &[u8], list: &Range<usize>) -> Vec<Range<usize>> {
    parts(bytes, list)
}

/// The spans of an object's members, each from its key to the end of its value.
pub(crate) fn members(bytes: &[u8], object: &Range<usize>) -> Vec<Range<usize>> {
    parts(bytes, object)
}

/// What the commas of one bracket separate, without the white space around each part.
fn parts(bytes: &[u8], whole: &Range<usize>) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let (mut depth, mut quoted, mut escaped) = (0_usize, false, false);
    let mut part: Option<Range<usize>> = None;
    let inner = whole.start + 1..whole.end.saturating_sub(1);
    for (at, byte) in bytes.iter().enumerate().take(inner.end).skip(inner.start) {
        if quoted {
            quoted = escaped || *byte != b'"';
            escaped = !escaped && *byte == b'\\';
        } else {
            match byte {
                b'"' => quoted = true,
                b'{' | b'[' => depth += 1,
                b'}' | b']' => depth = depth.saturating_sub(1),
                b',' if depth == 0 => {
                    found.extend(part.take());
                    continue;
                }
                b' ' | b'\n' | b'\r' | b'\t' => continue,
                _ => {}
            }
        }
        part = Some(part.map_or(at..at + 1, |p| p.start..at + 1));
    }
    found.extend(part);
    found
}

/// The line, counted from 1, that each span begins in; the spans ascend.
pub(crate) fn lines(bytes: &[u8], spans: &[Range<usize>]) -> Vec<u64> {
    let (mut line, mut at) = (1, 0);
    spans
        .iter()
        .map(|span| {
            let between = bytes.get(at..span.start).unwrap_or_default();
            line += memchr::memchr_iter(b'\n', between).count() as u64;
            at = span.start;
            line
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_elements_and_their_lines() {
        let text = b"{\"a\": [\n  {\"x\": \"],\\\"\"},\n  2,\n  [3, 4]\n]}";
        let start = text.iter().position(|b| *b == b'[').unwrap();
        let list = start..text.len() - 1;
        let found = elements(text, &list);
        let texts: Vec<&[u8]> = found.iter().map(|s| &text[s.clone()]).collect();
        assert_eq!(texts, [&b"{\"x\": \"],\\\"\"}"[..], b"2", b"[3, 4]"]);
        assert_eq!(lines(text, &found), [2, 3, 4]);
        assert!(elements(b"[ ]", &(0..3)).is_empty());
        let object = br#"{"k": 1, "l": {"m": 2}}"#;
        let found = members(object, &(0..object.len()));
        let texts: Vec<&[u8]> = found.iter().map(|s| &object[s.clone()]).collect();
        assert_eq!(texts, [&b"\"k\": 1"[..], b"\"l\": {\"m\": 2}"]);
    }
}
