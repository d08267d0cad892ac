//! How git writes the line ends of a file that a commit stores.

use std::borrow::Cow;

/// The content that a commit has for a path, and how git writes it into the work tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Blob {
    /// The id of the git object, 40 hex.
    pub id: String,
    /// The line ends of the written file.
    pub line_ends: LineEnds,
    /// False where a partial clone has not fetched it.
    pub is_there: bool,
}

impl Blob {
    /// Content that is written as it is stored.
    pub fn as_stored(id: impl Into<String>) -> Self {
        Self {
            id: id.into(),
            line_ends: LineEnds::AsStored,
            is_there: true,
        }
    }
}

/// Which line ends a file gets, by its attributes and the configuration of its repository.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineEnds {
    /// Those of the commit.
    AsStored,
    /// CRLF.
    Crlf,
    /// CRLF where git takes the content for text that has none yet.
    CrlfIfText,
}

impl LineEnds {
    /// The word that a fingerprint takes for it.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::AsStored => "",
            Self::Crlf => "crlf",
            Self::CrlfIfText => "crlf if text",
        }
    }

    /// The bytes of the written file.
    pub fn written(self, stored: &[u8]) -> Cow<'_, [u8]> {
        let crlf = match self {
            Self::AsStored => false,
            Self::Crlf => true,
            // A text that was stored with CRLF was stored so by intention.
            Self::CrlfIfText => !stored.contains(&b'\r') && !is_binary(stored),
        };
        if !crlf {
            return Cow::Borrowed(stored);
        }
        let mut bytes = Vec::with_capacity(stored.len() + stored.len() / 16);
        for byte in stored {
            if *byte == b'\n' && bytes.last() != Some(&b'\r') {
                bytes.push(b'\r');
            }
            bytes.push(*byte);
        }
        Cow::Owned(bytes)
    }
}

/// Whether git takes content for no text where it has to guess: it has a NUL, a lone carriage return, or more than one
/// control character in 128 others.
pub fn is_binary(content: &[u8]) -> bool {
    let (mut plain, mut control) = (0, 0);
    // A Ctrl-Z at the end marks the end of a text.
    let content = content.strip_suffix(b"\x1a").unwrap_or(content);
    for (at, byte) in content.iter().enumerate() {
        match byte {
            0 => return true,
            b'\r' if content.get(at + 1) != Some(&b'\n') => return true,
            b'\r' | b'\n' => {}
            b'\t' | 0x08 | 0x0c | 0x1b => plain += 1,
            0x01..0x20 | 0x7f => control += 1,
            _ => plain += 1,
        }
    }
    plain >> 7 < control
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_gets_the_line_ends_that_git_writes() {
        use LineEnds::{AsStored, Crlf, CrlfIfText};
        let table: &[(LineEnds, &[u8], &[u8])] = &[
            (AsStored, b"a\nb\n", b"a\nb\n"),
            (Crlf, b"a\nb\n", b"a\r\nb\r\n"),
            (Crlf, b"a\r\nb\n", b"a\r\nb\r\n"),
            (Crlf, b"\n\0\n", b"\r\n\0\r\n"),
            (Crlf, b"", b""),
            (CrlfIfText, b"\na\nb", b"\r\na\r\nb"),
            (CrlfIfText, b"a\r\nb\n", b"a\r\nb\n"),
            (CrlfIfText, b"a\n\0\n", b"a\n\0\n"),
            (CrlfIfText, b"a\n\x01\n", b"a\n\x01\n"),
        ];
        for (ends, stored, want) in table {
            let written = ends.written(stored);
            assert_eq!(*written, **want, "{ends:?} {}", stored.escape_ascii());
        }
    }
}
