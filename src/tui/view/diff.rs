//! The comparison screen: only the lines that are seen are ever made presentable.

mod wrap;

use std::ops::Range;

use ratatui::layout::Rect;

use super::pen::Bits;
use super::pipeline::waiting;
use super::{Canvas, split_top};
use crate::clean;
use crate::diff::fold::{Layout, Shown};
use crate::diff::inline::{LONGEST, emphasis};
use crate::diff::{Diff, Kind, Row};
use crate::model::Clean;
use crate::tui::data::Load;
use crate::tui::geometry::{ListId, Page, Target};
use crate::tui::state::compare::{DiffScreen, DiffSource};
use crate::tui::theme::Role;
use crate::tui::words;

/// Draws the screen.
pub(super) fn draw(canvas: &mut Canvas<'_>, area: Rect, screen: &DiffScreen) {
    let ready = match &screen.diff {
        Load::Pending => {
            waiting(canvas, area, "Comparing …");
            return;
        }
        Load::Failed(trouble) => {
            let line = Bits::new()
                .say(Role::Bad, " ✗ ")
                .add(Role::Text, trouble.text.clean());
            super::lines(canvas, area, &[Bits::new(), line]);
            return;
        }
        Load::Ready(ready) => std::sync::Arc::clone(ready),
    };
    let (title, diff) = (&ready.0, &ready.1);
    let (head, body) = split_top(area, 3);
    let inside = Rect::new(
        head.x + 1,
        head.y,
        head.width.saturating_sub(2),
        head.height,
    );
    let lines = heading(screen, &title.clean(), diff, usize::from(inside.width));
    super::lines(canvas, inside, &lines);
    canvas
        .pen
        .rule(Rect::new(head.x, head.y + 2, head.width, 1));
    if let Some(why) = unshown(diff) {
        canvas.pen.line(
            Rect::new(body.x + 1, body.y, body.width.saturating_sub(1), 1),
            &why,
        );
        return;
    }
    rows(canvas, body, screen, diff);
}

fn heading(screen: &DiffScreen, title: &Clean, diff: &Diff, width: usize) -> Vec<Bits> {
    let first = Bits::new().add(Role::Title, title.clip_start(width));
    let of = screen.changes.len();
    let at = (screen.current + 1).min(of);
    let side = |present: bool, bytes: usize| {
        if present {
            words::size(bytes)
        } else {
            Clean::new("absent")
        }
    };
    // A plan that nobody can carry out is the record of one: its other side is what is kept.
    let (one, other) = match &screen.source {
        DiffSource::Plan { plan, .. } if plan.fingerprint.0.is_empty() => ("now", "kept"),
        DiffSource::Plan { .. } => ("now", "after"),
        DiffSource::Comparison { .. } => ("A", "B"),
    };
    let mut second = Bits::new()
        .add(Role::Bad, clean!("-{}", diff.stats.removed))
        .say(Role::Text, " ")
        .add(Role::Good, clean!("+{}", diff.stats.added))
        .add(
            Role::Dim,
            clean!(
                "   {} {} → {} {}",
                one,
                side(diff.old.is_present(), diff.old.bytes().len()),
                other,
                side(diff.new.is_present(), diff.new.bytes().len())
            ),
        )
        .add(Role::Dim, clean!("   difference {} of {}", at, of));
    if screen.wrap {
        second = second.say(Role::Dim, "   wrapped");
    }
    if screen.ignore_blanks {
        second = second.say(Role::Warn, "   blanks ignored");
    }
    if diff.coarse {
        second = second.say(
            Role::Warn,
            "   coarse: too different to compare finely in time",
        );
    }
    vec![first, second]
}

/// Why there are no lines to show, if there are none.
fn unshown(diff: &Diff) -> Option<Bits> {
    let text = match diff.kind {
        Kind::Binary => "Binary: only the sizes can be compared.",
        Kind::Huge => "Too large to compare line by line: only the sizes are known.",
        Kind::Text if diff.is_same() => "Both sides hold the same bytes.",
        Kind::Text => return None,
    };
    Some(Bits::new().say(Role::Dim, text))
}

fn rows(canvas: &mut Canvas<'_>, area: Rect, screen: &DiffScreen, diff: &Diff) {
    let height = usize::from(area.height);
    let total = screen.lines.len();
    let width = area.width.saturating_sub(2);
    let lowest = wrap::lowest(screen, diff, width, height);
    let first = screen.top.min(lowest);
    canvas.map.spot(area, Target::List(ListId::Diff));
    let page = Page {
        first,
        // As many lines as the last screen holds, so that its last line can be reached and not passed.
        height: if screen.wrap { total - lowest } else { height },
        total,
    };
    canvas.map.page(ListId::Diff, page);
    let current = screen.current_line();
    let mut y = area.top();
    let mut end = first;
    for (number, line) in (first..).zip(screen.lines.iter().skip(first)) {
        if y >= area.bottom() {
            break;
        }
        end = number + 1;
        if current == Some(number) {
            let mark = Rect::new(area.x, y, 1, 1);
            canvas.pen.line(mark, &Bits::new().say(Role::Focus, "▌"));
        }
        let room = area.bottom() - y;
        let tall = u16::try_from(wrap::height(screen, diff, line, width, usize::from(room)));
        let place = Rect::new(area.x + 1, y, width, tall.unwrap_or(1).clamp(1, room));
        y += place.height;
        shown(canvas, place, screen, diff, line);
    }
    super::list::scrollbar(canvas, area, total, first, end);
}

fn shown(canvas: &mut Canvas<'_>, place: Rect, screen: &DiffScreen, diff: &Diff, line: &Shown) {
    match (line, screen.layout) {
        (Shown::Folded(rows), _) => canvas.pen.line(place, &fold_line(rows)),
        (Shown::Both(row), Layout::Split) => split_row(canvas, place, screen, diff, *row),
        (Shown::Both(row), Layout::Unified) => {
            one_sided(canvas, place, screen, diff, *row, Side::Both);
        }
        (Shown::Old(row), _) => one_sided(canvas, place, screen, diff, *row, Side::Old),
        (Shown::New(row), _) => one_sided(canvas, place, screen, diff, *row, Side::New),
    }
}

fn fold_line(rows: &Range<usize>) -> Bits {
    let number = u64::try_from(rows.len()).unwrap_or(0);
    Bits::new().say(Role::Dim, "  ⋯ ").add(
        Role::Dim,
        clean!(
            "{} unchanged  (= shows every line)",
            words::count(number, "line")
        ),
    )
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Old,
    New,
    Both,
}

/// The presentable texts of a row's sides and the words in which they differ.
struct Pair {
    old: Option<(usize, Clean)>,
    new: Option<(usize, Clean)>,
    old_words: Vec<Range<usize>>,
    new_words: Vec<Range<usize>>,
}

impl Pair {
    fn of(diff: &Diff, row: usize) -> Option<Self> {
        let row = *diff.rows.get(row)?;
        let text = |bytes: &[u8]| Clean::from_bytes(bytes.get(..LONGEST).unwrap_or(bytes));
        let old = row.old().map(|line| (line, text(diff.old.line(line))));
        let new = row.new_line().map(|line| (line, text(diff.new.line(line))));
        let words = match (&row, &old, &new) {
            (Row::Changed { .. }, Some((_, old)), Some((_, new))) => emphasis(old, new),
            _ => crate::diff::inline::Emphasis::default(),
        };
        Some(Self {
            old,
            new,
            old_words: words.old,
            new_words: words.new,
        })
    }
}

fn split_row(canvas: &mut Canvas<'_>, area: Rect, screen: &DiffScreen, diff: &Diff, row: usize) {
    let (Some(pair), Some(kind)) = (Pair::of(diff, row), diff.rows.get(row)) else {
        return;
    };
    let [left, middle, right] = wrap::halves(area);
    let differs = kind.differs();
    cell(
        canvas,
        left,
        screen,
        pair.old.as_ref(),
        &pair.old_words,
        differs.then_some(Side::Old),
    );
    let border = Bits::new().say(Role::Border, " │");
    for y in middle.top()..middle.bottom() {
        canvas.pen.line(Rect::new(middle.x, y, 2, 1), &border);
    }
    cell(
        canvas,
        right,
        screen,
        pair.new.as_ref(),
        &pair.new_words,
        differs.then_some(Side::New),
    );
}

fn one_sided(
    canvas: &mut Canvas<'_>,
    area: Rect,
    screen: &DiffScreen,
    diff: &Diff,
    row: usize,
    side: Side,
) {
    let Some(pair) = Pair::of(diff, row) else {
        return;
    };
    match side {
        Side::Old => cell(
            canvas,
            area,
            screen,
            pair.old.as_ref(),
            &pair.old_words,
            Some(side),
        ),
        Side::New => cell(
            canvas,
            area,
            screen,
            pair.new.as_ref(),
            &pair.new_words,
            Some(side),
        ),
        Side::Both => cell(canvas, area, screen, pair.new.as_ref(), &[], None),
    }
}

/// One side of a row: number, sign, text, on as many lines as the area has. A side that is not there stays empty.
fn cell(
    canvas: &mut Canvas<'_>,
    area: Rect,
    screen: &DiffScreen,
    text: Option<&(usize, Clean)>,
    words: &[Range<usize>],
    side: Option<Side>,
) {
    let Some((line, text)) = text else {
        return;
    };
    let (sign, role, word) = match side {
        Some(Side::Old) => ("- ", Role::Removed, Role::RemovedWord),
        Some(Side::New) => ("+ ", Role::Added, Role::AddedWord),
        Some(Side::Both) | None => ("  ", Role::Text, Role::Text),
    };
    let number = Clean::new(&format!("{:>5} ", line + 1));
    let wide = wrap::text_width(area.width);
    let parts = if screen.wrap {
        wrap::parts(text, wide, usize::from(area.height))
    } else {
        std::iter::once(wrap::skipped(text, screen.pan)..text.as_str().len()).collect()
    };
    for (y, part) in (area.top()..area.bottom()).zip(parts) {
        let over = words
            .iter()
            .filter(|range| range.end > part.start && range.start < part.end)
            .map(|range| {
                let start = range.start.max(part.start) - part.start;
                (start..range.end.min(part.end) - part.start, word)
            })
            .collect();
        let head = if y == area.top() {
            Bits::new().add(Role::Dim, number.clone()).say(role, sign)
        } else {
            Bits::new().say(Role::Dim, "    ⋮ ").say(role, "  ")
        };
        let bits = head.marked(role, text.part(part), over);
        canvas.pen.line(Rect::new(area.x, y, area.width, 1), &bits);
        if role != Role::Text {
            let used = u16::try_from(bits.width())
                .unwrap_or(u16::MAX)
                .min(area.width);
            // The rest of the line belongs to it as well.
            let rest = Rect::new(area.x + used, y, area.width - used, 1);
            canvas.pen.look(rest, role);
        }
    }
}
