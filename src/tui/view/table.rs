//! Tables: a heading and a width for each column, and the rows of a list below.

use crate::tui::prelude::*;

/// A column.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Column {
    title: &'static str,
    cells: usize,
    /// Its part of what the other columns leave.
    share: usize,
    right: bool,
    from: usize,
    /// The arrow beside the heading, where the rows are sorted by it.
    arrow: &'static str,
    /// What the rows are sorted by when the heading is pressed.
    sort: Option<ListKey>,
}

impl Column {
    /// A column of a width.
    pub(crate) const fn cells(title: &'static str, cells: usize) -> Self {
        Self {
            title,
            cells,
            share: 0,
            right: false,
            from: 0,
            arrow: "",
            sort: None,
        }
    }

    /// A column that gets so many parts of the width that is left.
    pub(crate) const fn share(title: &'static str, share: usize) -> Self {
        Self {
            share,
            ..Self::cells(title, 0)
        }
    }

    /// The same, aligned to the right.
    pub(crate) const fn right(self) -> Self {
        Self {
            right: true,
            ..self
        }
    }

    /// The same, with an arrow at its heading: the rows are sorted by it.
    pub(crate) const fn sorted(self, reversed: bool) -> Self {
        Self {
            arrow: if reversed { "▴" } else { "▾" },
            ..self
        }
    }

    /// The same with a heading that sorts the rows when it is pressed.
    pub(crate) const fn sorts(self, key: ListKey) -> Self {
        Self {
            sort: Some(key),
            ..self
        }
    }

    /// The same, shown only where the table has at least this width.
    pub(crate) const fn from(self, from: usize) -> Self {
        Self { from, ..self }
    }

    fn align(self, cell: Bits, width: usize) -> Bits {
        let lead = if self.right {
            width.saturating_sub(cell.width())
        } else {
            0
        };
        Bits::new().gap(lead).join(cell).pad(width)
    }
}

/// A table.
pub(crate) struct Table<'a> {
    /// Its rows.
    pub(crate) list: List<'a>,
    /// Its columns, from the left.
    pub(crate) columns: &'a [Column],
    /// The line above a row, where a group begins.
    pub(crate) above: &'a dyn Fn(usize) -> Option<Bits>,
}

impl<'a> Table<'a> {
    /// A table without headings of groups.
    pub(crate) fn new(list: List<'a>, columns: &'a [Column]) -> Self {
        Self {
            list,
            columns,
            above: &|_| None,
        }
    }
}

/// Draws a table; `cells` gives the cells of a row, one for each column.
pub(crate) fn draw(
    canvas: &mut Canvas<'_>,
    area: Rect,
    table: &Table<'_>,
    cells: &dyn Fn(usize) -> Vec<Bits>,
) {
    // The first column of the area is the selection's, the last one the scrollbar's.
    let widths = widths(table.columns, usize::from(area.width).saturating_sub(2));
    let speaks = canvas.pen.speaks();
    let line = |row: Vec<Bits>| {
        if speaks {
            return aloud(table.columns, row);
        }
        let placed = table.columns.iter().zip(&widths).zip(row);
        let shown = placed.filter_map(|((column, width), text)| Some((column, (*width)?, text)));
        shown
            .map(|(column, width, text)| column.align(text, width).gap(1))
            .fold(Bits::new(), Bits::join)
    };
    let titled = table.columns.iter().any(|column| !column.title.is_empty());
    let (head, body) = split_top(area, u16::from(titled));
    if titled && !speaks {
        let headings = table.columns.iter();
        let headings = headings.map(|column| Bits::of(Role::Dim, column.title).text(column.arrow));
        let heading = Bits::new().gap(1).join(line(headings.collect()));
        canvas.pen.line(head, &heading);
        let (_, mut rest) = split_left(head, 1);
        let shown = table.columns.iter().zip(&widths);
        for (column, width) in shown.filter_map(|(column, width)| Some((column, (*width)?))) {
            let (place, after) = split_left(rest, u16::try_from(width).unwrap_or(u16::MAX));
            if let Some(key) = column.sort {
                canvas.map.spot(place, Target::Sort(key));
            }
            (_, rest) = split_left(after, 1);
        }
    }
    let lead = |row: usize| usize::from((table.above)(row).is_some());
    let list = List {
        height: &|row| 1 + lead(row),
        lead: &lead,
        ..table.list
    };
    list::rows(canvas, body, &list, &mut |row, place| {
        let above = (table.above)(row).filter(|_| place == 0);
        above.unwrap_or_else(|| match cells(row) {
            // A single cell takes the whole line.
            mut cells if cells.len() == 1 && table.columns.len() > 1 => {
                cells.pop().unwrap_or_default()
            }
            cells => line(cells),
        })
    });
}

/// Draws a table without headings of groups, one row for each item.
pub(crate) fn each<T>(
    canvas: &mut Canvas<'_>,
    area: Rect,
    (list, columns): (List<'_>, &[Column]),
    items: &[T],
    cells: &dyn Fn(&T) -> Vec<Bits>,
) {
    let table = Table::new(list, columns);
    draw(canvas, area, &table, &|row| {
        items.get(row).map(cells).unwrap_or_default()
    });
}

/// A row as it is read aloud: each value after the name of its column.
fn aloud(columns: &[Column], row: Vec<Bits>) -> Bits {
    let mut line = Bits::new();
    for (column, cell) in columns.iter().zip(row) {
        // In a cell the word beside a sign says the same.
        let value = cell.spoken();
        let sign = ["Error: ", "Warning: "];
        let sign = sign.iter().find(|sign| value.as_str().starts_with(**sign));
        let value = value.part(sign.map_or(0, |sign| sign.len())..value.as_str().len());
        if matches!(value.as_str(), "" | "…") {
            continue;
        }
        let title = match column.title {
            "A" | "B" => format!("side {}", column.title),
            "SUMMARY OF B" => "summary of side B".to_owned(),
            "Δ" => "difference".to_owned(),
            "ORIG" => "original".to_owned(),
            title => title.to_lowercase(),
        };
        let value = match title.as_str() {
            "" => value,
            title => clean!("{} {}", title, value),
        };
        line = line.text(value).dim(",  ");
    }
    line
}

/// The width of each column that is shown, with one blank between two.
fn widths(columns: &[Column], width: usize) -> Vec<Option<usize>> {
    let shown = |column: &&Column| width >= column.from;
    let number = columns.iter().filter(shown).count();
    let cells: usize = columns.iter().filter(shown).map(|one| one.cells).sum();
    let mut left = width.saturating_sub(cells + number.saturating_sub(1));
    let mut shares: usize = columns.iter().filter(shown).map(|one| one.share).sum();
    let mut of = |column: &Column| {
        let part = (left * column.share).checked_div(shares).unwrap_or(0);
        left -= part;
        shares -= column.share;
        column.cells + part
    };
    let columns = columns.iter();
    columns
        .map(|column| shown(&column).then(|| of(column)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_share_the_remaining_width_and_hide_without_room() {
        let columns = [
            Column::cells("A", 5),
            Column::share("B", 3),
            Column::share("C", 2),
            Column::cells("D", 10).from(60),
        ];
        assert_eq!(widths(&columns, 27), [Some(5), Some(12), Some(8), None]);
        let wide = [Some(5), Some(25), Some(17), Some(10)];
        assert_eq!(widths(&columns, 60), wide);
        assert_eq!(widths(&columns, 3), [Some(5), Some(0), Some(0), None]);
    }
}
