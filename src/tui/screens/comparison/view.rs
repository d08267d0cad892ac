//! Two runs side by side: the verdict, what stands against it, then the figures, the work and the files.
//!
//! ```text
//!  ▼ worse: original against 1795248000
//!  ! what makes it less than fair
//!  ╭ 1 Metrics ────────────╮╭ 3 Files ───────────────╮      (tabs instead of panes below 150 columns)
//!  ╰───────────────────────╯╰────────────────────────╯
//!  ╭ 2 Dispatches ──────────────────────────────────╮
//!  ╰────────────────────────────────────────────────╯
//! ```

use super::{about, files, metrics, work};
use crate::tui::screens::comparison::{ComparisonScreen, Only, Tab};
use crate::tui::view::loaded;
use ratatui::layout::Rect;

use crate::clean;
use crate::model::{Bucket, Clean, Comparison, ComparisonVerdict, Party, STRIP_ROWS, strip_fit};
use crate::text::format;
use crate::tui::commands::Cmd;
use crate::tui::geometry::Target;
use crate::tui::theme::Role;
use crate::tui::view::pen::{Bits, ellipsis};
use crate::tui::view::wrap;
use crate::tui::view::{Canvas, paragraph, split_left, split_top};

/// From this size on the parts stand side by side.
const GRID: (u16, u16) = (150, 36);

/// Below this height the head is as short as it can be; `4` shows all of it.
const LOW: u16 = 26;

/// Draws the screen.
pub(crate) fn draw(canvas: &mut Canvas<'_>, area: Rect, screen: &ComparisonScreen) {
    let Some(ready) = loaded(canvas, area, Some(&screen.comparison), "Comparing …") else {
        return;
    };
    let width = usize::from(area.width).saturating_sub(3);
    let lines = head(screen, ready, width, area.height);
    let (top, body) = split_top(area, u16::try_from(lines.len()).unwrap_or(u16::MAX));
    crate::tui::view::lines(canvas, top, &lines);
    if area.width < GRID.0 || area.height < GRID.1 || screen.tab == Tab::About {
        let (bar, body) = split_top(body, 2);
        tabs(canvas, bar, screen, ready);
        canvas.pen.rule(Rect::new(bar.x, bar.y + 1, bar.width, 1));
        content(canvas, body, screen, ready, screen.tab);
        return;
    }
    let (above, below) = split_top(body, body.height * 2 / 5);
    let (left, right) = split_left(above, above.width / 2);
    pane(canvas, left, screen, ready, Tab::Metrics);
    pane(canvas, right, screen, ready, Tab::Files);
    pane(canvas, below, screen, ready, Tab::Work);
}

/// The verdict and its sentence, then what stands against it, as far as there is room.
fn head(screen: &ComparisonScreen, ready: &Comparison, width: usize, height: u16) -> Vec<Bits> {
    let low = height < LOW;
    let most = if low { 5 } else { usize::from(height / 3) };
    let (sign, role) = verdict(ready.verdict);
    let mut lines = vec![
        Bits::new()
            .say(Role::Text, " ")
            .say(role, sign)
            .say(Role::Text, " ")
            .say(role, ready.verdict.title())
            .say(Role::Dim, "   A ")
            .join(side(&ready.a, screen.runs.0))
            .say(Role::Dim, "   B ")
            .join(side(&ready.b, screen.runs.1)),
    ];
    let lead = Bits::new().pad(3);
    lines.extend(capped(
        lead,
        Role::Text,
        &ready.verdict_text.clean(),
        width,
        if low { 2 } else { 4 },
    ));
    lines.extend(strip(ready, width));
    let mut against: Vec<(Role, &'static str, Clean)> = Vec::new();
    for text in &ready.confounders {
        against.push((Role::Warn, " ! ", text.clean()));
    }
    if !ready.skipped.is_empty() {
        let number = format::count(ready.skipped.len(), "input");
        let text = clean!("{} could not be read; 4 lists them.", number);
        against.push((Role::Warn, " ! ", text));
    }
    let all = against.len();
    for (place, (role, sign, text)) in against.into_iter().enumerate() {
        let lead = Bits::new().say(role, sign);
        let more = capped(lead, Role::Text, &text, width, if low { 1 } else { 2 });
        let left = all - place;
        let reserved = usize::from(left > 1);
        if lines.len() + more.len() + reserved > most && place > 0 {
            let text = clean!("   (+{} more: press 4)", left);
            lines.push(Bits::new().add(Role::Warn, text));
            break;
        }
        lines.extend(more);
    }
    if !low {
        lines.push(Bits::new());
    }
    lines
}

/// The blocks of an experiment, the newest where not all of them fit.
fn strip(ready: &Comparison, width: usize) -> Vec<Bits> {
    let Some(statistics) = &ready.statistics else {
        return Vec::new();
    };
    let cells = statistics.strip();
    let (wide, fit) = strip_fit(&cells, width);
    let wide = wide + 1;
    let cut = cells.len().saturating_sub(fit);
    let shown = cells.get(cut..).unwrap_or_default();
    let row = |((row, name), total): ((usize, &&'static str), &String)| {
        let mut bits = Bits::new().pad(3).cell(Role::Dim, *name, 9);
        bits = bits.say(Role::Dim, if cut > 0 { "… " } else { "" });
        for cell in shown.iter().filter_map(|block| block.get(row)) {
            let role = match cell.as_str() {
                "o" | "+" => Role::Good,
                "x" | "-" => Role::Bad,
                "?" => Role::Warn,
                _ => Role::Text,
            };
            bits = bits.add(role, Clean::new(&format!("{cell:<wide$}")));
        }
        bits.add(Role::Text, clean!("   {}", total))
    };
    let totals = statistics.totals();
    STRIP_ROWS
        .iter()
        .enumerate()
        .zip(&totals)
        .map(row)
        .collect()
}

/// A sentence in at most so many lines, the last one cut.
fn capped(lead: Bits, role: Role, text: &Clean, width: usize, most: usize) -> Vec<Bits> {
    let indent = lead.width();
    let mut lines = paragraph(&lead, role, text, width);
    if lines.len() > most {
        let room = width.saturating_sub(indent).max(8);
        let wrapped = wrap(text, room);
        let seen: usize = wrapped
            .iter()
            .take(most - 1)
            .map(|line| line.as_str().len() + 1)
            .sum();
        let rest = text.part(seen.min(text.as_str().len())..text.as_str().len());
        lines.truncate(most - 1);
        let begin = if most > 1 {
            Bits::new().gap(indent)
        } else {
            lead
        };
        lines.push(begin.add(role, ellipsis(&rest, room)));
    }
    lines
}

/// A side by its word, and which of its runs is looked at.
fn side(party: &Party, run: usize) -> Bits {
    let bits = Bits::new().add(Role::Accent, Clean::new(&party.name));
    match party.runs.len() {
        0 | 1 => bits,
        runs => bits.add(Role::Dim, clean!(" (run {} of {})", run + 1, runs)),
    }
}

/// A verdict: its sign and its role.
fn verdict(verdict: ComparisonVerdict) -> (&'static str, Role) {
    match verdict {
        ComparisonVerdict::NoMeaningfulChange => ("≈", Role::Title),
        ComparisonVerdict::Better => ("▲", Role::Good),
        ComparisonVerdict::Worse => ("▼", Role::Bad),
        ComparisonVerdict::Undecided => ("?", Role::Wait),
        ComparisonVerdict::Confounded => ("!", Role::Warn),
        ComparisonVerdict::NotJudged => ("·", Role::Title),
    }
}

/// A bucket: its sign and its role.
pub(crate) fn bucket(bucket: Bucket) -> (&'static str, Role) {
    match bucket {
        Bucket::Regressed => ("▼", Role::Bad),
        Bucket::StillFailing => ("✗", Role::Bad),
        Bucket::Fixed => ("▲", Role::Good),
        Bucket::NoAnswer => ("?", Role::Warn),
        Bucket::NotReplayed => ("–", Role::Dim),
        Bucket::New => ("+", Role::Accent),
        Bucket::Unchanged => ("=", Role::Dim),
    }
}

/// How many pairs a bucket has, worst first; those that have none are left out.
pub(crate) fn buckets(ready: &Comparison) -> Bits {
    let mut bits = Bits::new();
    for kind in Bucket::ALL {
        let number = ready
            .pairs
            .iter()
            .filter(|pair| pair.bucket == kind)
            .count();
        if number > 0 {
            let (sign, role) = bucket(kind);
            bits = bits
                .say(role, sign)
                .add(Role::Text, clean!(" {} {}  ", number, kind.word()));
        }
    }
    bits
}

/// One line that names every part, the one with the keys lit.
fn tabs(canvas: &mut Canvas<'_>, area: Rect, screen: &ComparisonScreen, ready: &Comparison) {
    let mut x = area.x + 1;
    for tab in Tab::ALL {
        let (digit, cmd) = digit(tab);
        let focus = tab == screen.tab;
        let bits = Bits::new()
            .say(
                if focus { Role::Focus } else { Role::Dim },
                if focus { "▌" } else { " " },
            )
            .say(Role::Key, digit)
            .say(if focus { Role::Title } else { Role::Dim }, tab.title())
            .join(tally(tab, screen, ready))
            .say(Role::Text, "  ");
        let width = u16::try_from(bits.width())
            .unwrap_or(0)
            .min(area.right().saturating_sub(x));
        let place = Rect::new(x, area.y, width, 1);
        canvas.pen.line(place, &bits);
        canvas.map.spot(place, Target::Button(cmd));
        x += width;
    }
}

fn digit(tab: Tab) -> (&'static str, Cmd) {
    match tab {
        Tab::Metrics => ("1 ", Cmd::Pane1),
        Tab::Work => ("2 ", Cmd::Pane2),
        Tab::Files => ("3 ", Cmd::Pane3),
        Tab::About => ("4 ", Cmd::Pane4),
    }
}

/// What a part holds, in a word.
fn tally(tab: Tab, screen: &ComparisonScreen, ready: &Comparison) -> Bits {
    let bits = Bits::new().say(Role::Text, " ");
    match tab {
        Tab::Metrics => bits.add(Role::Dim, clean!("{}", ready.metrics.len())),
        Tab::Work => {
            let bits = bits.add(Role::Dim, clean!("{}", ready.pairs.len()));
            if screen.only == Only::All {
                bits
            } else {
                let (shown, only) = (screen.shown.len(), screen.only.word());
                bits.add(Role::Accent, clean!(" ({} {})", shown, only))
            }
        }
        Tab::Files => match &ready.artifacts {
            Some(artifacts) => bits.add(Role::Dim, clean!("{}", artifacts.files.len())),
            None => bits.say(Role::Dim, "n/a"),
        },
        Tab::About => Bits::new(),
    }
}

fn pane(
    canvas: &mut Canvas<'_>,
    area: Rect,
    screen: &ComparisonScreen,
    ready: &Comparison,
    tab: Tab,
) {
    let focus = tab == screen.tab;
    let (digit, _) = digit(tab);
    let title = Bits::new()
        .say(Role::Key, digit)
        .say(if focus { Role::Title } else { Role::Text }, tab.title())
        .join(tally(tab, screen, ready));
    let inside = canvas.pen.frame(area, &title, focus);
    content(canvas, inside, screen, ready, tab);
}

fn content(
    canvas: &mut Canvas<'_>,
    area: Rect,
    screen: &ComparisonScreen,
    ready: &Comparison,
    tab: Tab,
) {
    match tab {
        Tab::Metrics => metrics::draw(canvas, area, screen, ready),
        Tab::Work => work::draw(canvas, area, screen, ready),
        Tab::Files => files::draw(canvas, area, screen, ready),
        Tab::About => about::draw(canvas, area, screen, ready),
    }
}
