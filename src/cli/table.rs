//! Tables that fit the terminal: columns are narrowed in a stated order, and nothing ever wraps.

use super::answer::{Line, Span, Tone};
use crate::model::{Clean, ListColumn};

/// A column.
#[derive(Debug, Clone, Copy)]
pub(super) struct Column {
    /// Its heading.
    title: &'static str,
    /// Its minimum width, preferred and at worst; less if the content is narrower.
    least: [usize; 2],
    /// Columns with a greater number are narrowed first; those with 0 are never narrowed.
    order: u8,
    /// Whether it is aligned to the right.
    right: bool,
}

impl Column {
    /// A column that is never narrowed.
    pub(super) const fn fixed(title: &'static str) -> Self {
        Self::narrowing(title, [usize::MAX; 2], 0)
    }

    /// A fixed column, aligned to the right.
    pub(super) const fn right(title: &'static str) -> Self {
        Self {
            right: true,
            ..Self::fixed(title)
        }
    }

    /// A column that is narrowed to `least` if lines do not fit, in this order.
    pub(super) const fn narrowing(title: &'static str, least: [usize; 2], order: u8) -> Self {
        Self {
            title,
            least,
            order,
            right: false,
        }
    }

    /// A column of the list of pipelines, whose widths are given.
    pub(super) const fn of_list(column: &ListColumn) -> Self {
        Self {
            right: column.right,
            ..Self::fixed(column.heading)
        }
    }
}

/// Lays out rows under their headings within this many cells.
pub(super) fn lay_out(columns: &[Column], rows: &[Vec<Span>], cells: usize) -> Vec<Line> {
    lay_out_at(columns, &widths(columns, rows, cells), rows)
}

/// Lays out rows under their headings, each column at its width.
pub(super) fn lay_out_at(columns: &[Column], widths: &[usize], rows: &[Vec<Span>]) -> Vec<Line> {
    let head: Vec<Span> = columns.iter().map(|c| Tone::Faint.of(c.title)).collect();
    let head = Some(&head).filter(|_| columns.iter().any(|c| !c.title.is_empty()));
    let all = head.into_iter().chain(rows);
    all.map(|row| line(columns, widths, row)).collect()
}

/// Cells that columns of these widths take, with the gaps between them.
fn taken(widths: &[usize]) -> usize {
    widths.iter().sum::<usize>() + 2 * widths.len().saturating_sub(1)
}

fn widths(columns: &[Column], rows: &[Vec<Span>], cells: usize) -> Vec<usize> {
    let own = |(at, column): (usize, &Column)| {
        let cells = rows.iter().filter_map(|row| row.get(at));
        let widest = cells.map(|span| span.1.width()).max().unwrap_or(0);
        widest.max(unicode_width::UnicodeWidthStr::width(column.title))
    };
    let mut widths: Vec<usize> = columns.iter().enumerate().map(own).collect();
    let mut order: Vec<usize> = (0..columns.len()).collect();
    order.sort_by_key(|at| std::cmp::Reverse(columns.get(*at).map_or(0, |c| c.order)));
    for bound in 0..2 {
        for at in &order {
            let over = taken(&widths).saturating_sub(cells);
            let (Some(width), Some(column)) = (widths.get_mut(*at), columns.get(*at)) else {
                continue;
            };
            let least = column.least.get(bound).copied().unwrap_or_default();
            if over > 0 && column.order > 0 {
                *width = width.saturating_sub(over).max(least.min(*width));
            }
        }
    }
    widths
}

fn line(columns: &[Column], widths: &[usize], row: &[Span]) -> Line {
    let last = columns.len().saturating_sub(1);
    let mut line = Line::new();
    for (at, ((column, width), Span(tone, text, file))) in
        columns.iter().zip(widths).zip(row).enumerate()
    {
        let text = text.clip(*width);
        let pad = width.saturating_sub(text.width());
        let space = |n: usize| Span::plain(Clean::new(&" ".repeat(n)));
        if column.right {
            line.push(space(pad));
        }
        line.push(Span(*tone, text, file.clone()));
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
            Column::narrowing("title", [6, 6], 2),
            Column::narrowing("where", [5, 5], 1),
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
