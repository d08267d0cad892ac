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

use crate::tui::screens::pipeline::{Pane, PipelineScreen};
use crate::tui::view::inset;
use crate::tui::view::loaded;
use ratatui::layout::Rect;

use super::{cause, checkpoints, checks, phases, timeline};
use crate::clean;
use crate::model::{Aliveness, CauseKind, Clean, Pipeline, Severity, Verdict};
use crate::text::format;
use crate::tui::commands::Cmd;
use crate::tui::data::Dossier;
use crate::tui::screens::browser::branch;
use crate::tui::theme::Role;
use crate::tui::view::pen::Bits;
use crate::tui::view::tabs::{self, Part};
use crate::tui::view::{Canvas, look, split_left, split_top};

/// From this size on the panes are side by side.
const GRID: (u16, u16) = (110, 24);

/// Draws the screen.
pub(crate) fn draw(canvas: &mut Canvas<'_>, area: Rect, screen: &PipelineScreen) {
    let known = canvas
        .state
        .dossier(&screen.id)
        .map(|dossier| &dossier.pipeline);
    let known = known.or_else(|| {
        let browser = &canvas.state.browser;
        browser.pipeline(&screen.id).map(std::sync::Arc::as_ref)
    });
    let rows = if screen.zoom { 0 } else { 3 };
    let (head, body) = split_top(area, rows);
    if let Some(pipeline) = known {
        let lines = identity(canvas, pipeline);
        let inside = inset(head);
        crate::tui::view::lines(canvas, inside, &lines);
    }
    let load = canvas.state.dossiers.get(&screen.id);
    if let Some(dossier) = loaded(canvas, body, load, "Reading and verifying …") {
        panes(canvas, body, screen, dossier);
    }
}

/// Three lines: what it is, the reason for its status, and its liveness and damage.
fn identity(canvas: &Canvas<'_>, pipeline: &Pipeline) -> Vec<Bits> {
    let dot = |bits: Bits| bits.say(Role::Dim, " · ");
    let mut first = Bits::of(Role::Accent, pipeline.reading.system.0)
        .gap(2)
        .file(
            Role::Text,
            clean!("{}", pipeline.reading.root).clip_start(44),
            &pipeline.reading.root.as_path().into(),
        );
    if let Some(branch) = branch(pipeline) {
        let wrong =
            pipeline.reading.branch.as_ref().is_some_and(|branch| {
                branch.expected.is_some() && branch.expected != branch.actual
            });
        first = dot(first).say(if wrong { Role::Warn } else { Role::Text }, branch);
    }
    first = dot(first)
        .say(Role::Text, look::progress(pipeline.reading.progress))
        .say(Role::Dim, ", last write ")
        .say(
            Role::Text,
            format::ago(
                canvas.state.now,
                pipeline.reading.last_activity_at.map(|at| at.at),
            ),
        );
    let (sign, role) = look::status(pipeline.standing.status);
    let mut second = Bits::of(role, sign)
        .gap(1)
        .say(role, pipeline.standing.status.word());
    let why = canvas
        .state
        .dossier(&pipeline.id)
        .and_then(|dossier| dossier.why.as_ref());
    let cause = why.map(|why| &why.cause);
    if let Some(cause) = cause.filter(|cause| cause.kind != CauseKind::Unknown) {
        second = dot(second).say(role, cause.label(canvas.state.now));
    }
    second = second
        .say(Role::Dim, ": ")
        .say(Role::Text, pipeline.standing.reason.clean());
    let life = &pipeline.standing.liveness;
    let (sign, role) = match life.verdict {
        Aliveness::Alive => ("►", Role::Live),
        Aliveness::Dead => ("·", Role::Dim),
        Aliveness::Unknown => ("?", Role::Warn),
    };
    let mut third = Bits::of(role, sign).gap(1).say(role, life.verdict.word());
    for (place, evidence) in life.evidence.iter().enumerate() {
        third = third
            .say(Role::Dim, if place == 0 { ": " } else { " " })
            .say(Role::Dim, evidence.clean());
    }
    let damage = pipeline
        .reading
        .findings
        .iter()
        .filter(|finding| finding.severity > Severity::Info);
    if let Some(worst) = damage.clone().max_by_key(|finding| finding.severity) {
        let number = u64::try_from(damage.count()).unwrap_or(0);
        third = Bits::of(Role::Warn, "! ")
            .say(Role::Warn, format::count(number, "finding"))
            .say(Role::Dim, ": ")
            .say(Role::Text, worst.text.clean())
            .gap(2)
            .join(third);
    }
    let cut = canvas
        .state
        .dossier(&pipeline.id)
        .map(|known| known.cut_short());
    if let Some(cut) = cut.filter(|cut| *cut > 0) {
        let number = format::count(cut, "replay");
        third = Bits::of(Role::Warn, "! ")
            .say(Role::Warn, clean!("{} interrupted", number))
            .say(Role::Key, " V")
            .gap(2)
            .join(third);
    }
    vec![first, second, third]
}

fn panes(canvas: &mut Canvas<'_>, area: Rect, screen: &PipelineScreen, dossier: &Dossier) {
    let strip = cause::height(dossier, area, canvas.state.now);
    let is_grid = canvas.shows_all(area, GRID);
    if screen.zoom || is_grid && strip == 0 && screen.pane == Pane::Cause {
        pane(canvas, area, screen, dossier, screen.pane);
        return;
    }
    if !is_grid {
        let (bar, body) = split_top(area, 2);
        let parts = Pane::ALL.map(|pane| part(pane, screen, dossier));
        tabs::line(canvas, bar, parts);
        canvas.pen.rule(Rect::new(bar.x, bar.y + 1, bar.width, 1));
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
    let (key, cmd) = match pane {
        Pane::Phases => ("1", Cmd::Pane1),
        Pane::Timeline => ("2", Cmd::Pane2),
        Pane::Verification => ("3", Cmd::Pane3),
        Pane::Checkpoints => ("4", Cmd::Pane4),
        Pane::Cause => ("5", Cmd::Pane5),
    };
    Part {
        key,
        cmd,
        title: pane.title(),
        tally: tally(pane, dossier),
        focus: pane == screen.pane,
    }
}

/// The content of a pane in a few words, so that problems show even when the tab is not open.
fn tally(pane: Pane, dossier: &Dossier) -> Bits {
    let bits = Bits::new();
    match pane {
        Pane::Phases => bits.say(Role::Dim, look::fraction(dossier.pipeline.reading.progress)),
        Pane::Timeline => bits.say(Role::Dim, clean!("{}", dossier.timeline.len())),
        Pane::Verification => verdicts(bits, dossier),
        Pane::Checkpoints => bits.say(Role::Dim, clean!("{}", dossier.checkpoints.len())),
        // The header names it.
        Pane::Cause => Bits::new(),
    }
}

fn verdicts(mut bits: Bits, dossier: &Dossier) -> Bits {
    let count = |verdict: Verdict| {
        let checks = dossier.checks.iter();
        checks.filter(|check| check.verdict == verdict).count()
    };
    let (fail, warn) = (count(Verdict::Fail), count(Verdict::Warn));
    if fail > 0 {
        bits = bits.say(Role::Bad, clean!("✗{}", fail));
    }
    if warn > 0 {
        bits = bits.say(Role::Warn, clean!("!{}", warn));
    }
    if fail + warn == 0 {
        bits = bits.say(Role::Good, "✓");
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
        Bits::of(Role::Dim, "  filter ").say(Role::Accent, Clean::new(filter.text()))
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
    let focus = pane == screen.pane;
    match pane {
        Pane::Phases => phases::draw(canvas, inside, screen, dossier, focus),
        Pane::Timeline => timeline::draw(canvas, inside, screen, dossier, focus),
        Pane::Verification => checks::draw(canvas, inside, screen, dossier, focus),
        Pane::Checkpoints => checkpoints::draw(canvas, inside, screen, dossier, focus),
        Pane::Cause => cause::draw(canvas, inside, screen, dossier, focus),
    }
}
