//! JSON Lines: every line is parsed by itself, and a truncated last line differs from an invalid one.

use serde_json::Value;

/// The longest line that is parsed, in bytes. Longer ones are counted as bad and skipped.
pub const LINE_CAP: usize = 1 << 20;

/// A byte order mark, which some editors put before the first line.
const BOM: &[u8] = b"\xef\xbb\xbf";

/// One physical line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Line<'a> {
    /// Counted from 1.
    pub number: u64,
    /// Byte offset in the file of the first of its bytes.
    pub offset: usize,
    /// Its bytes without `\n`, `\r\n` or a leading byte order mark.
    pub bytes: &'a [u8],
    /// False for a last line without its newline.
    pub ended: bool,
}

impl Line<'_> {
    /// Where its bytes are in the file.
    pub fn span(&self) -> Span {
        let short = |number| u32::try_from(number).unwrap_or(u32::MAX);
        Span {
            start: short(self.offset),
            len: short(self.bytes.len()),
        }
    }
}

/// Where the bytes of a line are in the file that was read, so that nothing of them is kept twice. Files of more than
/// 4 GiB are not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    start: u32,
    len: u32,
}

impl Span {
    /// The bytes, out of those of the file.
    pub fn of(self, file: &[u8]) -> &[u8] {
        let rest = usize::try_from(self.start).map(|start| file.get(start..));
        let len = usize::try_from(self.len).unwrap_or(usize::MAX);
        let rest = rest.ok().flatten().unwrap_or_default();
        rest.get(..len).unwrap_or(rest)
    }
}

/// The lines of a file, without blank ones.
pub fn lines(bytes: &[u8]) -> impl Iterator<Item = Line<'_>> {
    all_lines(bytes).filter(|line| !line.bytes.trim_ascii().is_empty())
}

/// The lines of a file.
pub(super) fn all_lines(bytes: &[u8]) -> impl Iterator<Item = Line<'_>> {
    let mut offset = 0;
    let mut number = 0;
    std::iter::from_fn(move || {
        let rest = bytes.get(offset..).filter(|rest| !rest.is_empty())?;
        let (body, ended) = match memchr::memchr(b'\n', rest) {
            Some(end) => (rest.get(..end).unwrap_or_default(), true),
            None => (rest, false),
        };
        number += 1;
        let mut at = offset;
        offset += body.len() + usize::from(ended);
        let mut body = body.strip_suffix(b"\r").unwrap_or(body);
        if let Some(rest) = body.strip_prefix(BOM).filter(|_| at == 0) {
            (body, at) = (rest, BOM.len());
        }
        Some(Line {
            number,
            offset: at,
            bytes: body,
            ended,
        })
    })
}

/// The result of parsing a line.
#[derive(Debug, Clone, PartialEq)]
pub enum Parsed {
    /// A JSON object.
    Object(serde_json::Map<String, Value>),
    /// A complete line that is not a JSON object; why.
    Bad(String),
    /// The last line, truncated while it was being written; why.
    Torn(String),
}

impl Parsed {
    /// The object, if the line is one.
    pub fn object(self) -> Option<serde_json::Map<String, Value>> {
        match self {
            Self::Object(map) => Some(map),
            Self::Bad(_) | Self::Torn(_) => None,
        }
    }
}

/// The lines that are objects, each with its number; the others are left out.
pub fn objects(bytes: &[u8]) -> impl Iterator<Item = (u64, serde_json::Map<String, Value>)> + '_ {
    lines(bytes).filter_map(|line| Some((line.number, parse(&line).object()?)))
}

/// Parses one line.
pub fn parse(line: &Line<'_>) -> Parsed {
    parse_up_to(line, LINE_CAP)
}

/// Parses one line of at most `cap` bytes.
pub fn parse_up_to(line: &Line<'_>, cap: usize) -> Parsed {
    if line.bytes.len() > cap {
        return Parsed::Bad(format!("longer than {cap} bytes"));
    }
    let body = trim_nuls(line.bytes);
    let error = match serde_json::from_slice::<Value>(body) {
        Ok(Value::Object(map)) => return Parsed::Object(map),
        Ok(_) => return Parsed::Bad("not a JSON object".to_owned()),
        Err(error) => error,
    };
    if !line.ended || body.len() < line.bytes.len() {
        Parsed::Torn(format!("an interrupted write ({} bytes)", line.bytes.len()))
    } else if error.is_eof() {
        Parsed::Bad("cut off in the middle".to_owned())
    } else {
        Parsed::Bad(super::json::why(&error))
    }
}

/// A power cut can leave NUL bytes in place of the end of a line.
fn trim_nuls(bytes: &[u8]) -> &[u8] {
    let end = bytes
        .iter()
        .rposition(|b| *b != 0)
        .map_or(0, |last| last + 1);
    bytes.get(..end).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_lines_and_separates_truncated_from_invalid() {
        let bytes = b"\xef\xbb\xbf{\"a\":1}\r\n\n[1]\n{\"b\":\n{\"c\":1}\n{\"d\":";
        let seen: Vec<(u64, bool, Parsed)> = lines(bytes)
            .map(|l| (l.number, l.ended, parse(&l)))
            .collect();
        let kinds: Vec<(u64, &str)> = seen
            .iter()
            .map(|(n, _, p)| {
                (
                    *n,
                    match p {
                        Parsed::Object(_) => "object",
                        Parsed::Bad(_) => "bad",
                        Parsed::Torn(_) => "torn",
                    },
                )
            })
            .collect();
        assert_eq!(
            kinds,
            [
                (1, "object"),
                (3, "bad"),
                (4, "bad"),
                (5, "object"),
                (6, "torn")
            ]
        );
    }

    #[test]
    fn a_complete_last_line_without_newline_counts() {
        let all: Vec<Parsed> = lines(b"{\"a\":1}").map(|l| parse(&l)).collect();
        assert!(matches!(all.as_slice(), [Parsed::Object(_)]));
    }

    #[test]
    fn survives_depth_and_nul_tails() {
        let deep = [
            b"{\"a\":".to_vec(),
            vec![b'['; 200_000],
            vec![b']'; 200_000],
            b"}\n".to_vec(),
        ]
        .concat();
        assert!(matches!(
            lines(&deep).map(|l| parse(&l)).next(),
            Some(Parsed::Bad(_))
        ));
        assert!(matches!(
            lines(b"{\"a\":1\0\0\0\n").map(|l| parse(&l)).next(),
            Some(Parsed::Torn(_))
        ));
    }
}
