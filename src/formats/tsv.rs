//! Tab-separated tables, split only at `\n` and `\t`, without quoting.

use std::ops::Range;

/// A row with its position in the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// Line, counted from 1; the header is line 1 in a well-formed file.
    pub line: u64,
    /// Byte range including its newline, if it has one.
    pub span: Range<usize>,
    /// Cells as bytes, without the `\r` of a CRLF ending.
    pub cells: Vec<Vec<u8>>,
    /// False for a last row without its newline.
    pub ended: bool,
}

impl Row {
    /// A cell as text; `None` if the row is shorter or the cell is not UTF-8.
    pub fn text(&self, column: usize) -> Option<&str> {
        self.cells
            .get(column)
            .and_then(|cell| std::str::from_utf8(cell).ok())
    }
}

/// A table: its header and its rows, without blank lines.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Table {
    /// Names of the columns; empty for an empty file.
    pub header: Vec<String>,
    /// The rows below the header.
    pub rows: Vec<Row>,
}

impl Table {
    /// Splits a file.
    pub fn parse(bytes: &[u8]) -> Self {
        let mut rows = Vec::new();
        let mut start = 0;
        let mut line = 0;
        while start < bytes.len() {
            let rest = bytes.get(start..).unwrap_or_default();
            let (len, ended) =
                memchr::memchr(b'\n', rest).map_or((rest.len(), false), |at| (at, true));
            line += 1;
            let mut body = rest.get(..len).unwrap_or_default();
            body = body.strip_suffix(b"\r").unwrap_or(body);
            if line == 1 {
                body = body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(body);
            }
            let end = start + len + usize::from(ended);
            if !body.is_empty() {
                let cells = body.split(|b| *b == b'\t').map(<[u8]>::to_vec).collect();
                rows.push(Row {
                    line,
                    span: start..end,
                    cells,
                    ended,
                });
            }
            start = end;
        }
        if rows.is_empty() {
            return Self::default();
        }
        let first = rows.remove(0);
        let header = first
            .cells
            .iter()
            .map(|c| String::from_utf8_lossy(c).trim().to_owned())
            .collect();
        Self { header, rows }
    }

    /// The index of a column by name.
    pub fn column(&self, name: &str) -> Option<usize> {
        self.header.iter().position(|h| h == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splits_without_quoting_and_keeps_spans() {
        let bytes = b"a\tb\r\n1\t\"x\n\n2\ty\"\n3";
        let table = Table::parse(bytes);
        assert_eq!(table.header, ["a", "b"]);
        let seen: Vec<_> = table
            .rows
            .iter()
            .map(|r| (r.line, &bytes[r.span.clone()], r.ended))
            .collect();
        assert_eq!(
            seen,
            [
                (2, &b"1\t\"x\n"[..], true),
                (4, b"2\ty\"\n", true),
                (5, b"3", false)
            ]
        );
        assert_eq!(table.rows[1].text(1), Some("y\""));
        assert_eq!(Table::parse(b""), Table::default());
    }
}
