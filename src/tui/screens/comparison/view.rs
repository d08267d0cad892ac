//! Two runs side by side: the verdict, the confounders, then the figures, the work and the files.
//!
//! ```text
//!  ▼ worse   A 1795248000-control   B 1795248000-mutated
//!    what was seen, and what to do next
//!  ! what makes it less than fair
//!    control  o o x      the blocks, one of them selected
//!  ╭ 1 Metrics ────────────╮╭ 3 Files ───────────────╮      (tabs instead of panes below 150 columns)
//!  ╰───────────────────────╯╰────────────────────────╯
//!  ╭ 2 Dispatches ──────────────────────────────────╮
//!  ╰────────────────────────────────────────────────╯
//! ```

use super::strip::strip;
use super::{about, files, metrics, work};
use crate::tui::screens::comparison::{ComparisonScreen, Only, Tab};
use crate::tui::view::loaded;
use ratatui::layout::Rect;

use crate::clean;
use crate::model::{
    Block, Bucket, Clean, Comparison, ComparisonVerdict, Foreign, Party, RunValue, Sign,
};
use crate::text::format;
use crate::tui::commands::Cmd;
use crate::tui::theme::Role;
use crate::tui::view::pen::Bits;
use crate::tui::view::tabs::{self, Part};
use crate::tui::view::{Canvas, capped, split_left, split_top};

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
    if screen.tab == Tab::About || !canvas.shows_all(area, GRID) {
        let (bar, body) = split_top(body, 2);
        let parts = screen.tabs().map(|tab| part(tab, screen, ready));
        tabs::line(canvas, bar, parts);
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

/// The verdict and its sentence, the confounders as far as there is room, then the blocks.
fn head(screen: &ComparisonScreen, ready: &Comparison, width: usize, height: u16) -> Vec<Bits> {
    let low = height < LOW;
    let (sign, role) = verdict_look(ready.verdict);
    let mut lines = vec![
        Bits::of(role, clean!(" {} {}", sign, ready.verdict.title()))
            .say(Role::Dim, "   A ")
            .join(side(&ready.a, screen.runs.0))
            .say(Role::Dim, "   B ")
            .join(side(&ready.b, screen.runs.1)),
    ];
    // What an undecided experiment needs stands in its last sentences.
    let most = if low && ready.statistics.is_none() {
        2
    } else {
        4
    };
    let text = ready.verdict_text.without_command().clean();
    lines.extend(capped(&Bits::new().gap(3), Role::Text, &text, width, most));
    lines.extend(against(ready, width, low));
    if let Some(statistics) = &ready.statistics {
        let focus = screen.tab == Tab::Blocks;
        lines.extend(strip(statistics, Some(screen.place(Tab::Blocks)), width));
        lines.extend(screen.block().map(|block| block_line(ready, block, focus)));
    }
    if !low {
        lines.push(Bits::new());
    }
    lines
}

/// The confounders of the comparison.
fn against(ready: &Comparison, width: usize, low: bool) -> Vec<Bits> {
    let (most, each) = if low { (1, 1) } else { (6, 2) };
    let unread = (!ready.skipped.is_empty()).then(|| {
        let number = format::count(ready.skipped.len(), "input");
        clean!("{} could not be read; 4 lists them.", number)
    });
    let texts = ready.confounders.iter().map(Foreign::clean);
    let texts: Vec<Clean> = texts.chain(unread).collect();
    let mut lines = Vec::new();
    for (place, text) in texts.iter().enumerate() {
        let left = texts.len() - place;
        if lines.len() + each > most && left > 1 {
            let text = clean!(" ! {} more; 4 lists them.", left);
            lines.push(Bits::of(Role::Warn, text));
            break;
        }
        let lead = Bits::of(Role::Warn, " ! ");
        lines.extend(capped(&lead, Role::Text, text, width, each));
    }
    lines
}

/// The selected block in words.
fn block_line(ready: &Comparison, block: &Block, focus: bool) -> Bits {
    let value = |value: RunValue| match value {
        RunValue::Pass => Bits::of(Role::Good, "passed"),
        RunValue::Fail => Bits::of(Role::Bad, "failed"),
        RunValue::Missing => Bits::of(Role::Warn, "is missing"),
        RunValue::Number(number) => Bits::of(Role::Text, format::number(number)),
    };
    let (result, role) = match block.sign {
        Some(Sign::Win) => ("better", Role::Good),
        Some(Sign::Loss) => ("worse", Role::Bad),
        Some(Sign::Tie) => ("the same", Role::Text),
        None => ("not counted", Role::Warn),
    };
    let several = ready.statistics.as_ref().is_some_and(|all| all.earlier > 0);
    let of = if several {
        clean!(" of {}", block.experiment.0)
    } else {
        Clean::empty()
    };
    let lead = Bits::of(
        if focus { Role::Focus } else { Role::Dim },
        if focus { " ▌ " } else { "   " },
    );
    let line = lead
        .say(Role::Text, clean!("block {}{}: control ", block.number, of))
        .join(value(block.control))
        .say(Role::Text, ", mutated ")
        .join(value(block.mutated))
        .say(Role::Text, ": ")
        .say(role, result);
    if focus {
        return line
            .say(Role::Key, "   h l")
            .say(Role::Dim, " other blocks");
    }
    line
}

/// The name of a side, and which of its runs is shown.
fn side(party: &Party, run: usize) -> Bits {
    let bits = Bits::of(Role::Accent, party.name.as_str());
    match party.runs.as_slice() {
        [] => bits,
        [one] => match &one.place {
            Some(place) => bits.say(
                Role::Dim,
                clean!(" ({}, block {})", place.arm.word(), place.block),
            ),
            None => bits,
        },
        runs => bits.say(Role::Dim, clean!(" (run {} of {})", run + 1, runs.len())),
    }
}

/// A verdict: its sign and its role.
pub(crate) fn verdict_look(verdict: ComparisonVerdict) -> (&'static str, Role) {
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
                .say(Role::Text, clean!(" {} {}  ", number, kind.word()));
        }
    }
    bits
}

fn part(tab: Tab, screen: &ComparisonScreen, ready: &Comparison) -> Part {
    let (key, cmd) = match tab {
        Tab::Blocks => ("b", Cmd::Blocks),
        Tab::Metrics => ("1", Cmd::Pane1),
        Tab::Work => ("2", Cmd::Pane2),
        Tab::Files => ("3", Cmd::Pane3),
        Tab::About => ("4", Cmd::Pane4),
    };
    Part {
        key,
        cmd,
        title: tab.title(),
        tally: tally(tab, screen, ready),
        focus: tab == screen.tab,
    }
}

/// The content of a part in a few words.
fn tally(tab: Tab, screen: &ComparisonScreen, ready: &Comparison) -> Bits {
    let bits = Bits::new();
    match tab {
        Tab::Blocks => bits.say(Role::Dim, screen.blocks().len().to_string()),
        Tab::Metrics => bits.say(Role::Dim, clean!("{}", ready.metrics.len())),
        Tab::Work => {
            let bits = bits.say(Role::Dim, clean!("{}", ready.pairs.len()));
            if screen.only == Only::All {
                bits
            } else {
                let (shown, only) = (screen.shown.len(), screen.only.word());
                bits.say(Role::Accent, clean!(" ({} {})", shown, only))
            }
        }
        Tab::Files => match &ready.artifacts {
            Some(artifacts) => bits.say(Role::Dim, clean!("{}", artifacts.files.len())),
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
    let part = part(tab, screen, ready);
    let inside = tabs::frame(canvas, area, part, Bits::new());
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
        // The dispatches of the selected block's runs are shown beneath the blocks.
        Tab::Blocks | Tab::Work => work::draw(canvas, area, screen, ready),
        Tab::Files => files::draw(canvas, area, screen, ready),
        Tab::About => about::draw(canvas, area, screen, ready),
    }
}
