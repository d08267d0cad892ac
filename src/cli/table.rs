//! Tables that fit the terminal: columns give way in a stated order, and nothing ever wraps.

use super::answer::{Line, Span, Tone};
use crate::model::Clean;

/// A column.
#[derive(Debug, Clone, Copy)]
pub(super) struct Column {
    /// Its heading.
    pub title: &'static str,
    /// Cells it goes down to at first, and at the worst; its own width where that is less.
    pub bounds: [usize; 2],
    /// Columns of a greater number give way first; 0 never does.
    pub gives: u8,
    /// Numbers stand on the right.
    pub right: bool,
}

impl Column {
    pub(super) const fn fixed(title: &'static str) -> Self {
        Self {
            title,
            bounds: [usize::MAX; 2],
            gives: 0,
            right: false,
        }
    }

    pub(super) const fn right(title: &'static str) -> Self {
        Self {
            title,
            bounds: [usize::MAX; 2],
            gives: 0,
            right: true,
        }
    }

    pub(super) const fn gives(title: &'static str, bounds: [usize; 2], gives: u8) -> Self {
        Self {
            title,
            bounds,
            gives,
            right: false,
        }
    }
}

/// Lays out rows under their headings within so many cells.
pub(super) fn lay_out(columns: &[Column], rows: &[Vec<Span>], cells: usize) -> Vec<Line> {
    let titled: Vec<&str> = columns.iter().map(|c| c.title).collect();
    let header = titled.iter().any(|t| !t.is_empty());
    let widths = widths(columns, rows, cells);
    let head = header.then(|| {
        titled
            .iter()
            .map(|t| Span(Tone::Faint, Clean::new(t)))
            .collect::<Vec<_>>()
    });
    head.iter()
        .chain(rows)
        .map(|row| line(columns, &widths, row))
        .collect()
}

fn widths(columns: &[Column], rows: &[Vec<Span>], cells: usize) -> Vec<usize> {
    let own = |at: usize, column: &Column| {
        let widest = rows
            .iter()
            .filter_map(|row| row.get(at))
            .map(|span| span.1.width())
            .max()
            .unwrap_or(0);
        widest.max(column.title.len())
    };
    let mut widths: Vec<usize> = columns
        .iter()
        .enumerate()
        .map(|(at, c)| own(at, c))
        .collect();
    let gaps = 2 * columns.len().saturating_sub(1);
    let mut order: Vec<usize> = (0..columns.len()).collect();
    order.sort_by_key(|at| std::cmp::Reverse(columns.get(*at).map_or(0, |c| c.gives)));
    for bound in 0..2 {
        for at in &order {
            let over = (widths.iter().sum::<usize>() + gaps).saturating_sub(cells);
            let (Some(width), Some(column)) = (widths.get_mut(*at), columns.get(*at)) else {
                continue;
            };
            let least = column.bounds.get(bound).copied().unwrap_or_default();
            if over > 0 && column.gives > 0 {
                *width = width.saturating_sub(over).max(least.min(*width));
            }
        }
    }
    widths
}

fn line(columns: &[Column], widths: &[usize], row: &[Span]) -> Line {
    let last = columns.len().saturating_sub(1);
    let mut line = Line::new();
    for (at, ((column, width), Span(tone, text))) in columns.iter().zip(widths).zip(row).enumerate()
    {
        let text = text.clip(*width);
        let pad = width.saturating_sub(text.width());
        let space = |n: usize| Span::plain(Clean::new(&" ".repeat(n)));
        if column.right {
            line.push(space(pad));
        }
        line.push(Span(*tone, text));
        if at < last {
            line.push(space(2 + if column.right { 0 } else { pad }));
        }
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(lines: &[Line]) -> Vec<String> {
        lines
            .iter()
            .map(|line| line.iter().map(|s| s.1.as_str()).collect())
            .collect()
    }

    #[test]
    fn columns_give_way_in_order_and_keep_their_least() {
        let columns = [
            Column::fixed("id"),
            Column::gives("title", [6, 6], 2),
            Column::gives("where", [5, 5], 1),
            Column::right("n"),
        ];
        let row = |t: &str| {
            vec![
                Span::plain(Clean::new("x1")),
                Span::plain(Clean::new(t)),
                Span::plain(Clean::new("somewhere")),
                Span::plain(Clean::new("7")),
            ]
        };
        let rows = [row("a long title here"), row("日本語日本語")];
        for cells in [100, 30, 26, 20] {
            let lines = text(&lay_out(&columns, &rows, cells));
            assert!(
                lines
                    .iter()
                    .all(|l| unicode_width::UnicodeWidthStr::width(l.as_str()) <= cells.max(20)),
                "{cells}: {lines:?}"
            );
        }
        assert_eq!(
            text(&lay_out(&columns, &rows[..1], 28))[1],
            "x1  a long…  somewhere  7"
                .replace("a long…", "a long ti…")
                .replace(
                    "a long ti…",
                    Clean::new("a long title here").clip(10).as_ref()
                )
        );
    }
}
