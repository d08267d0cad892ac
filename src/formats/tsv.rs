//! Tab-separated tables, split only at `\n` and `\t`, without quoting.

use std::ops::Range;

use super::jsonl::all_lines;

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
        let end = |from: usize| {
            let newline = memchr::memchr(b'\n', bytes.get(from..).unwrap_or_default());
            newline.map_or(bytes.len(), |at| from + at + 1)
        };
        let lines = all_lines(bytes).filter(|line| !line.bytes.is_empty());
        let mut rows = lines.map(|line| Row {
            line: line.number,
            span: line.offset..end(line.offset),
            cells: line
                .bytes
                .split(|b| *b == b'\t')
                .map(<[u8]>::to_vec)
                .collect(),
            ended: line.ended,
        });
        let header = rows.next().into_iter().flat_map(|first| first.cells);
        Self {
            header: header
                .map(|cell| String::from_utf8_lossy(&cell).trim().to_owned())
                .collect(),
            rows: rows.collect(),
        }
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
