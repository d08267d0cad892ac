//! Tables that fit the terminal: columns are narrowed in a stated order, and nothing ever wraps.

use super::answer::{Line, Span, Tone};
use crate::model::{Clean, ListColumn};

/// A column.
#[derive(Debug, Clone, Copy)]
pub(super) struct Column {
    /// Its heading.
    title: &'static str,
    /// Its least width, at first and at worst; its content's width where that is less.
    least: [usize; 2],
    /// Columns with a greater number are narrowed first; those with 0 never are.
    order: u8,
    /// Whether it is aligned to the right.
    right: bool,
    /// Whether it is dropped where even its least width would make a line longer than the terminal.
    droppable: bool,
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

    /// A column that is narrowed to `least` where lines would not fit, in this order.
    pub(super) const fn narrowing(title: &'static str, least: [usize; 2], order: u8) -> Self {
        Self {
            title,
            least,
            order,
            right: false,
            droppable: false,
        }
    }

    /// A column of the list of pipelines.
    pub(super) fn of_list(column: &ListColumn) -> Self {
        let least = column.least.unwrap_or([usize::MAX; 2]);
        Self {
            right: column.right,
            droppable: column.least.is_some(),
            ..Self::narrowing(column.heading, least, column.order)
        }
    }

    /// The same, dropped where lines would not fit otherwise.
    #[cfg(test)]
    const fn droppable(mut self) -> Self {
        self.droppable = true;
        self
    }
}

/// Lays out rows under their headings within so many cells.
pub(super) fn lay_out(columns: &[Column], rows: &[Vec<Span>], cells: usize) -> Vec<Line> {
    let mut columns = columns.to_vec();
    let mut rows = rows.to_vec();
    let mut widths = widths(&columns, &rows, cells);
    while taken(&widths) > cells {
        let places = columns
            .iter()
            .enumerate()
            .filter(|(_, column)| column.droppable);
        let Some((first, _)) = places.max_by_key(|(_, column)| column.order) else {
            break;
        };
        columns.remove(first);
        for row in rows.iter_mut().filter(|row| row.len() > first) {
            row.remove(first);
        }
        widths = self::widths(&columns, &rows, cells);
    }
    let head: Vec<Span> = columns.iter().map(|c| Tone::Faint.of(c.title)).collect();
    let head = Some(&head).filter(|_| columns.iter().any(|c| !c.title.is_empty()));
    head.into_iter()
        .chain(&rows)
        .map(|row| line(&columns, &widths, row))
        .collect()
}

/// Cells that columns of these widths take, with the gaps between them.
fn taken(widths: &[usize]) -> usize {
    widths.iter().sum::<usize>() + 2 * widths.len().saturating_sub(1)
}

fn widths(columns: &[Column], rows: &[Vec<Span>], cells: usize) -> Vec<usize> {
    let own = |at: usize, column: &Column| {
        let widest = rows
            .iter()
            .filter_map(|row| row.get(at))
            .map(|span| span.1.width())
            .max()
            .unwrap_or(0);
        widest.max(unicode_width::UnicodeWidthStr::width(column.title))
    };
    let mut widths: Vec<usize> = columns
        .iter()
        .enumerate()
        .map(|(at, c)| own(at, c))
        .collect();
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
    fn s5_a_column_that_may_go_does_so_before_an_id_is_cut() {
        let columns = [
            Column::fixed("ID"),
            Column::narrowing("TITLE", [20, 8], 2).droppable(),
            Column::narrowing("WHERE", [20, 8], 3).droppable(),
            Column::right("N"),
        ];
        let cells = [
            "an-id-of-twenty-cells",
            "a long title here",
            "a place far away",
            "7",
        ];
        let rows = [cells.map(|text| Span::plain(Clean::new(text))).to_vec()];
        let heads = |width| text(&lay_out(&columns, &rows, width))[0].clone();
        let shown = |width| text(&lay_out(&columns, &rows, width))[1].clone();
        for (width, titles) in [
            (80, "ID TITLE WHERE N"),
            (44, "ID TITLE WHERE N"),
            (43, "ID TITLE N"),
            (33, "ID N"),
            (5, "ID N"),
        ] {
            let found: Vec<String> = heads(width).split_whitespace().map(str::to_owned).collect();
            assert_eq!(found.join(" "), titles, "{width}");
            assert!(
                shown(width).starts_with("an-id-of-twenty-cells  "),
                "{width}"
            );
        }
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
