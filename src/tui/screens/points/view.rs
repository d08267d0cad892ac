//! The resume point picker: every boundary in order, and everything about the selected one.

use crate::tui::screens::points::Picker;
use crate::tui::view::inset;
use crate::tui::view::loaded;
use ratatui::layout::Rect;

use crate::clean;
use crate::model::{CheckpointNeed, Readiness, ResumePoint, Verdict};
use crate::text::format;
use crate::tui::data::Dossier;
use crate::tui::geometry::ListId;
use crate::tui::theme::Role;
use crate::tui::view::facts::{self, Fact};
use crate::tui::view::nothing;
use crate::tui::view::pen::Bits;
use crate::tui::view::table::{self, Column, Table};
use crate::tui::view::{Canvas, look, split_left, split_top};

/// From this width on the explanation is beside the list.
const SIDE: u16 = 130;

/// Draws the picker.
pub(crate) fn draw(canvas: &mut Canvas<'_>, area: Rect, picker: &Picker) {
    let load = canvas.state.dossiers.get(&picker.id);
    let Some(dossier) = loaded(
        canvas,
        area,
        load,
        "Verifying, and looking for resume points …",
    ) else {
        return;
    };
    if dossier.points.is_empty() {
        nothing(canvas, area, "This pipeline has no resume point.");
        return;
    }
    let keys: Vec<_> = dossier
        .points
        .iter()
        .map(|point| point.boundary.id.clone())
        .collect();
    let selected = picker.cursor.place(&keys);
    let (table, side) = if area.width >= SIDE {
        split_left(area, area.width * 11 / 20)
    } else {
        let want = u16::try_from(keys.len() + 2).unwrap_or(u16::MAX);
        split_top(area, want.min(area.height / 2))
    };
    points(canvas, table, dossier, selected);
    if let Some(point) = selected.and_then(|place| dossier.points.get(place)) {
        explain(canvas, side, dossier, point);
    }
}

fn points(canvas: &mut Canvas<'_>, area: Rect, dossier: &Dossier, selected: Option<usize>) {
    let points = &dossier.points;
    let longest = points.iter().map(|point| point.boundary.id.0.len()).max();
    let columns = [
        Column::cells("  POINT", longest.unwrap_or(0).clamp(5, 24) + 2),
        Column::share("WHERE", 1),
        Column::cells("KEPT", 4).right(),
        Column::cells("AGAIN", 5).right(),
        Column::cells("LOST", 7).right(),
        Column::cells("VERIFIED", 9),
        Column::cells("RESTORE", 9),
    ];
    let table = Table {
        id: ListId::of::<Picker>(),
        columns: &columns,
        len: points.len(),
        selected,
        focus: true,
        above: &|_| None,
    };
    table::draw(canvas, area, &table, &|row| {
        points.get(row).map(cells).unwrap_or_default()
    });
}

fn cells(point: &ResumePoint) -> Vec<Bits> {
    let boundary = &point.boundary;
    let blocked = matches!(point.readiness, Readiness::Blocked(_));
    let role = if blocked { Role::Dim } else { Role::Text };
    let (sign, verified) = look::verdict(boundary.verified);
    let lost = boundary.time_lost_s.map(format::brief_duration);
    let (star, id) = if point.recommended {
        ("★ ", Role::Title)
    } else {
        ("  ", role)
    };
    let restore = match (&point.readiness, &boundary.checkpoint) {
        (Readiness::Blocked(_), _) => Bits::of(Role::Bad, "✗ blocked"),
        (_, CheckpointNeed::None) => Bits::of(Role::Dim, "– none"),
        (_, CheckpointNeed::Found(_)) => Bits::of(Role::Accent, "● files"),
        (_, CheckpointNeed::Missing { .. }) => Bits::of(Role::Warn, "! missing"),
    };
    vec![
        Bits::of(Role::Accent, star).say(id, boundary.id.0.as_str()),
        Bits::of(role, boundary.label.clean()),
        Bits::of(role, boundary.kept.to_string()),
        Bits::of(role, boundary.redone.to_string()),
        Bits::of(role, lost.unwrap_or_else(|| "?".to_owned())),
        Bits::of(verified, sign)
            .gap(1)
            .say(verified, boundary.verified.word()),
        restore,
    ]
}

/// Everything about the selected point, its problems first.
fn explain(canvas: &mut Canvas<'_>, area: Rect, dossier: &Dossier, point: &ResumePoint) {
    let boundary = &point.boundary;
    let mut title = Bits::of(Role::Title, boundary.label.clean());
    if point.recommended {
        title = title.say(Role::Accent, "  ★ recommended");
    }
    let inside = canvas.pen.frame(area, &title, false);
    let inside = inset(inside);
    let mut all = Vec::new();
    if let Readiness::Blocked(reasons) = &point.readiness {
        all.extend(
            reasons.iter().map(|reason| {
                Fact::new("blocked", Role::Text, reason.clean()).sign(("✗", Role::Bad))
            }),
        );
    }
    all.extend(against(dossier, point));
    all.extend(failing(dossier, point));
    all.extend(
        boundary
            .warnings
            .iter()
            .map(|warning| Fact::new("note", Role::Text, warning.clean()).sign(("!", Role::Warn))),
    );
    all.push(Fact::new("why", Role::Text, point.reason.clean()));
    let lost = boundary
        .time_lost_s
        .map_or_else(|| "an unknown amount".to_owned(), format::duration);
    all.push(Fact::new(
        "cost",
        Role::Text,
        clean!(
            "{} kept, {} run again, {} of recorded work lost",
            boundary.kept,
            boundary.redone,
            lost
        ),
    ));
    all.push(restores(canvas, point));
    let lines = facts::lines(&all, usize::from(inside.width));
    crate::tui::view::lines(canvas, inside, &lines);
}

/// An earlier point than the recommended one redoes work that was verified.
fn against(dossier: &Dossier, point: &ResumePoint) -> Option<Fact> {
    let best = &dossier.recommended()?.boundary;
    let more = best
        .kept
        .checked_sub(point.boundary.kept)
        .filter(|more| *more > 0)?;
    let verified = if best.verified == Verdict::Pass {
        "verified "
    } else {
        ""
    };
    let text = clean!(
        "Runs {} again that {} would keep: {}work that is done already.",
        format::count(more, "unit"),
        best.id.0,
        verified
    );
    Some(Fact::new("again", Role::Text, text).sign(("!", Role::Warn)))
}

/// The failed checks of the point, with their evidence.
fn failing<'a>(dossier: &'a Dossier, point: &'a ResumePoint) -> impl Iterator<Item = Fact> + 'a {
    point.boundary.failing.iter().map(|id| {
        let check = dossier.checks.iter().find(|check| check.id == *id);
        let (text, verdict) = match check {
            Some(check) => (
                clean!("{} {}: {}", id.0, check.subject(), check.evidence),
                check.verdict,
            ),
            None => (clean!("{}", id.0), point.boundary.verified),
        };
        Fact::new("check", Role::Text, text).sign(look::verdict(verdict))
    })
}

fn restores(canvas: &Canvas<'_>, point: &ResumePoint) -> Fact {
    match &point.boundary.checkpoint {
        CheckpointNeed::None => Fact::new("restore", Role::Dim, "no files are restored"),
        CheckpointNeed::Missing { wanted } => Fact::new(
            "restore",
            Role::Text,
            clean!("the checkpoint {} is missing", wanted),
        )
        .sign(("!", Role::Warn)),
        CheckpointNeed::Found(checkpoint) => Fact::new(
            "restore",
            Role::Text,
            clean!(
                "{} ({}, {}); {}",
                checkpoint.reason,
                crate::tui::screens::pipeline::short_id(checkpoint),
                format::ago(canvas.state.now, checkpoint.taken_at.map(|at| at.at)),
                checkpoint.brings_back
            ),
        )
        .sign(("●", Role::Accent)),
    }
}
