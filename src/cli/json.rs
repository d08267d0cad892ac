//! JSON that is safe on a terminal: control, bidi and zero-width characters are written as `\u` escapes.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::ser::Formatter;

use crate::text::is_hidden;

/// Compact JSON in which every control or invisible character is escaped.
struct Careful;

impl Formatter for Careful {
    fn write_string_fragment<W: ?Sized + Write>(
        &mut self,
        writer: &mut W,
        fragment: &str,
    ) -> io::Result<()> {
        if fragment.is_ascii() && !fragment.contains('\u{7f}') {
            return writer.write_all(fragment.as_bytes());
        }
        let mut from = 0;
        let odd = |(_, c): &(usize, char)| *c == '\u{7f}' || is_hidden(*c);
        for (at, c) in fragment.char_indices().filter(odd) {
            writer.write_all(fragment.get(from..at).unwrap_or_default().as_bytes())?;
            for unit in c.encode_utf16(&mut [0; 2]) {
                write!(writer, "\\u{unit:04x}")?;
            }
            from = at + c.len_utf8();
        }
        writer.write_all(fragment.get(from..).unwrap_or_default().as_bytes())
    }
}

/// Writes one object and a newline.
pub(super) fn write<T: Serialize + ?Sized>(out: &mut dyn Write, value: &T) -> io::Result<()> {
    to(&mut *out, value)?;
    out.write_all(b"\n")
}

/// Writes one text into memory, which cannot fail. Bytes that are not UTF-8 are replaced.
pub(super) fn text(out: &mut Vec<u8>, text: &[u8]) {
    let odd = |byte: u8| u8::from(!(b' '..0x7f).contains(&byte) || matches!(byte, b'"' | b'\\'));
    // Looking at all of them, and adding up bytes instead of a count, lets the compiler compare sixteen at once.
    if text.iter().fold(0, |any, byte| any | odd(*byte)) != 0 {
        return drop(to(out, &*String::from_utf8_lossy(text)));
    }
    out.push(b'"');
    out.extend_from_slice(text);
    out.push(b'"');
}

fn to<T: Serialize + ?Sized>(out: impl Write, value: &T) -> io::Result<()> {
    let mut out = serde_json::Serializer::with_formatter(out, Careful);
    value.serialize(&mut out).map_err(io::Error::from)
}

#[cfg(test)]
mod tests {
    #[test]
    fn escapes_what_terminals_obey_and_reads_back_the_same() {
        let raw = "a\u{1b}[2J\u{202e}b\u{200b}\u{e0041}\u{9b}\u{7f}ü日";
        let mut out = Vec::new();
        super::write(&mut out, raw).unwrap();
        let mut other = Vec::new();
        super::text(&mut other, raw.as_bytes());
        assert_eq!([&other, "\n".as_bytes()].concat(), out);
        let text = String::from_utf8(out).unwrap();
        assert_eq!(
            text,
            "\"a\\u001b[2J\\u202eb\\u200b\\udb40\\udc41\\u009b\\u007fü日\"\n"
        );
        assert_eq!(serde_json::from_str::<String>(&text).unwrap(), raw);
    }
}
