//! The pipeline screen.
//!
//! ```text
//!  crucible · /home/…/shop · branch feat/pay          (tabs instead of panes below 110 columns)
//!  ╭ 5 Cause ─────────────────────────────────────────╮ (where there is room for it)
//!  ╰──────────────────────────────────────────────────╯
//!  ╭ 1 Phases ─────────────╮╭ 2 Timeline ──────────────╮
//!  ╰───────────────────────╯╰──────────────────────────╯
//!  ╭ 3 Verification ───────╮╭ 4 Checkpoints ───────────╮
//!  ╰───────────────────────╯╰──────────────────────────╯
//! ```

use super::{Pane, panes, timeline};
use crate::model::{CauseKind, Severity};
use crate::tui::prelude::*;
use crate::tui::screens::browser::branch;
use crate::tui::view::tabs::{self, Part};

/// From this size on the panes are side by side.
const GRID: (u16, u16) = (110, 24);

/// From this height on the lines of the head may be wrapped into this many more; below it, into all rows that would be
/// blank.
const ROOMY: u16 = 30;
const MORE: usize = 6;

/// Draws the screen.
pub(crate) fn draw(canvas: &mut Canvas<'_>, area: Rect, screen: &PipelineScreen) {
    let state = canvas.state;
    let dossier = state.dossier(&screen.id);
    let known = dossier.map(|dossier| &dossier.pipeline);
    let known = known.or_else(|| state.browser.pipeline(&screen.id).map(Arc::as_ref));
    let inside = inset(area);
    let width = usize::from(inside.width);
    let named = known.filter(|_| !screen.zoom);
    let more = match dossier {
        Some(dossier) if area.height < ROOMY => blank(state, screen, dossier, area),
        _ => MORE,
    };
    let lines = named.map(|pipeline| identity(state, pipeline, width, more));
    let body = canvas.lines(inside, &lines.unwrap_or_default());
    let body = Rect {
        x: area.x,
        width: area.width,
        ..body
    };
    let load = canvas.state.dossiers.get(&screen.id);
    if let Some(dossier) = loaded(canvas, body, load, "Reading and verifying …") {
        all(canvas, body, screen, dossier);
    }
}

/// Rows that the pane below the head would leave blank, where one is shown at a time.
fn blank(state: &State, screen: &PipelineScreen, dossier: &Dossier, area: Rect) -> usize {
    const HEAD_AND_TABS: usize = 5;
    if screen.zoom || area.width >= GRID.0 && area.height >= GRID.1 {
        return 0;
    }
    let room = usize::from(area.height).saturating_sub(HEAD_AND_TABS);
    let rows = panes::height(state, screen, dossier, (usize::from(area.width), room));
    room.saturating_sub(rows)
}

/// What it is, the reason for its status, its damage and its liveness: three lines, and as many more as are given to what
/// is longer. Damage and liveness share a line where that has room for both.
fn identity(state: &State, pipeline: &Pipeline, width: usize, mut more: usize) -> Vec<Bits> {
    let dot = |bits: Bits| bits.dim(" · ");
    let (reading, standing) = (&pipeline.reading, &pipeline.standing);
    let dossier = state.dossier(&pipeline.id);
    let root = clean!("{}", reading.root);
    let file = reading.root.as_path().into();
    let mut first = Bits::of(Role::Accent, reading.system.0).gap(2);
    first = first
        .file(Role::Text, root.clip_start(44), &file)
        .aloud(root);
    if let Some(branch) = branch(pipeline) {
        let known = reading.branch.as_ref();
        let wrong = known.is_some_and(|of| of.expected.is_some() && of.expected != of.actual);
        first = dot(first).say(if wrong { Role::Warn } else { Role::Text }, branch);
    }
    let written = format::ago(state.now, reading.last_activity_at.map(|at| at.at));
    first = dot(first).text(look::progress(reading.progress));
    first = first.dim(", last write ").text(written);
    let look @ (_, role) = look::status(standing.status);
    let mut second = Bits::signed(look, standing.status.word());
    let why = dossier.and_then(|dossier| dossier.why.as_ref());
    let cause = why.map(|why| &why.cause);
    second = match cause.filter(|cause| cause.kind != CauseKind::Unknown) {
        Some(cause) => dot(dot(second).say(role, cause.label(state.now))),
        None => second.dim(": "),
    };
    second = second.text(standing.reason.clean());
    let life = &standing.liveness;
    let (mut damaged, replays) = (Bits::new(), state.key(Cmd::Replays));
    if let Some(cut @ 1..) = dossier.map(|known| known.cut_short()) {
        let number = clean!("{} interrupted", format::count(cut, "replay"));
        damaged = damaged
            .warn("! ")
            .warn(number)
            .gap(1)
            .key(replays.clone())
            .gap(2);
    }
    let findings = reading.findings.iter();
    let damage = findings.filter(|finding| finding.severity > Severity::Info);
    if let Some(worst) = damage.clone().max_by_key(|finding| finding.severity) {
        let number = format::count(damage.count(), "finding");
        let lead = damaged.warn("! ").warn(number).dim(": ");
        damaged = lead.text(worst.text.clean()).gap(2);
    }
    let verdict = Bits::signed(look::liveness(life.verdict), life.verdict.word());
    let colon = if life.evidence.is_empty() { "" } else { ": " };
    let lead = verdict.dim(colon);
    let mut evidence = life.evidence.iter();
    let first_of_it = evidence.next().map(Foreign::clean).unwrap_or_default();
    let text = evidence.fold(first_of_it, |said, one| clean!("{} {}", said, one));
    let mut all = damaged.clone().join(lead.clone()).dim(text.clone());
    let roomy = more > 1;
    let mut laid = |line: Bits| {
        let lines = line.wrapped(width, more + 1);
        more -= lines.len() - 1;
        lines
    };
    // Why it stopped comes before what it is.
    let mut below = laid(second);
    if roomy && damaged.width() > 0 && all.width() > width {
        below.push(damaged);
        all = lead.dim(text);
    }
    below.extend(laid(all));
    laid(first).into_iter().chain(below).collect()
}

fn all(canvas: &mut Canvas<'_>, area: Rect, screen: &PipelineScreen, dossier: &Dossier) {
    let strip = panes::cause_height(canvas.state, dossier, area);
    let is_grid = canvas.shows_all(area, GRID);
    if screen.zoom || is_grid && strip == 0 && screen.pane == Pane::Cause {
        pane(canvas, area, screen, dossier, screen.pane);
        return;
    }
    if !is_grid {
        let parts = Pane::ALL.map(|pane| part(pane, screen, dossier));
        let body = tabs::bar(canvas, area, parts);
        content(canvas, body, screen, dossier, screen.pane);
        return;
    }
    let (above, area) = split_top(area, strip);
    if strip > 0 {
        pane(canvas, above, screen, dossier, Pane::Cause);
    }
    let (left, right) = split_left(area, area.width * 9 / 20);
    let (phases, verification) = split_top(left, left.height * 2 / 5);
    let (timeline, checkpoints) = split_top(right, right.height * 3 / 5);
    pane(canvas, phases, screen, dossier, Pane::Phases);
    pane(canvas, timeline, screen, dossier, Pane::Timeline);
    pane(canvas, verification, screen, dossier, Pane::Verification);
    pane(canvas, checkpoints, screen, dossier, Pane::Checkpoints);
}

fn part(pane: Pane, screen: &PipelineScreen, dossier: &Dossier) -> Part {
    Part {
        names: pane.names(),
        tally: tally(pane, dossier),
        focus: pane == screen.pane,
    }
}

/// The content of a pane in a few words, so that problems show even when the tab is not open.
fn tally(pane: Pane, dossier: &Dossier) -> Bits {
    let bits = Bits::new();
    match pane {
        Pane::Phases => {
            let progress = dossier.pipeline.reading.progress;
            bits.dim(progress.fraction())
        }
        Pane::Timeline => bits.dim(clean!("{}", dossier.timeline.len())),
        Pane::Verification => verdicts(bits, dossier),
        Pane::Checkpoints => bits.dim(clean!("{}", dossier.checkpoints.len())),
        // The header names it.
        Pane::Cause => Bits::new(),
    }
}

fn verdicts(mut bits: Bits, dossier: &Dossier) -> Bits {
    let sum = CheckSummary::of(&dossier.checks);
    let (fail, warn) = (sum.failed, sum.warnings);
    if fail > 0 {
        bits = bits.bad(clean!("✗{}", fail));
    }
    if warn > 0 {
        bits = bits.warn(clean!("!{}", warn));
    }
    if fail + warn == 0 {
        bits = bits.good("✓").aloud(", no problem");
    }
    bits
}

fn pane(
    canvas: &mut Canvas<'_>,
    area: Rect,
    screen: &PipelineScreen,
    dossier: &Dossier,
    pane: Pane,
) {
    let filter = &screen.timeline.filter;
    let behind = if pane == Pane::Timeline && !filter.is_empty() {
        Bits::of(Role::Dim, "  filter ").accent(Clean::new(filter.text()))
    } else {
        Bits::new()
    };
    let part = part(pane, screen, dossier);
    let inside = tabs::frame(canvas, area, part, behind);
    content(canvas, inside, screen, dossier, pane);
}

fn content(
    canvas: &mut Canvas<'_>,
    inside: Rect,
    screen: &PipelineScreen,
    dossier: &Dossier,
    pane: Pane,
) {
    let (len, selected) = screen.extent(pane, dossier);
    if len == 0 {
        let why = match pane {
            Pane::Phases => Clean::new("No phases recorded."),
            Pane::Timeline if screen.timeline.hits.is_some() => canvas
                .state
                .with_key(Cmd::Back, "No event matches the filter; {} clears it."),
            Pane::Timeline => Clean::new("No events recorded."),
            Pane::Verification => Clean::new("No checks for this pipeline."),
            Pane::Checkpoints => Clean::new("No checkpoint found: a resume restores no files."),
            Pane::Cause => Clean::new("The conversations of agents could not be read."),
        };
        return nothing(canvas, inside, why);
    }
    let list = List {
        focus: pane == screen.pane,
        ..List::new(pane.list(), len, selected)
    };
    match pane {
        Pane::Phases => panes::phases(canvas, inside, list, dossier),
        Pane::Timeline => timeline::draw(canvas, inside, screen, list, dossier),
        Pane::Verification => panes::checks(canvas, inside, list, dossier),
        Pane::Checkpoints => panes::checkpoints(canvas, inside, screen, list, dossier),
        Pane::Cause => panes::cause(canvas, inside, list, dossier),
    }
}
