//! The resume points of a pipeline in order, and everything about the selected one.

use super::{amendment, pipeline};
use crate::model::{Boundary, CheckpointNeed, Readiness, ResumePoint};
use crate::tui::prelude::*;

/// The screen.
#[derive(Debug, Clone)]
pub(crate) struct Picker {
    /// Which pipeline.
    pub(crate) id: PipelineId,
    /// The selection; the recommended point at first.
    pub(crate) cursor: Cursor<PointId>,
}

impl Picker {
    pub(crate) fn new(id: PipelineId) -> Self {
        Self {
            id,
            cursor: Cursor::default(),
        }
    }

    /// Takes the points; selects the recommended one, unless the person selected one already.
    pub(crate) fn reselect(&mut self, dossier: &Dossier) {
        let keys = keys(dossier);
        if self.cursor.key().is_none() {
            let place = dossier.points.iter().position(|point| point.recommended);
            self.cursor.go(&keys, place.unwrap_or(0));
        }
        self.cursor.reselect(&keys);
    }
}

fn keys(dossier: &Dossier) -> Vec<PointId> {
    let points = dossier.points.iter();
    points.map(|point| point.boundary.id.clone()).collect()
}

fn run(state: &mut State, cmd: Cmd) {
    let Some(picker) = state.layers.top_as::<Picker>() else {
        return;
    };
    if cmd == Cmd::Amend {
        let id = picker.id.clone();
        return amendment::open(state, id);
    }
    if !matches!(cmd, Cmd::Enter | Cmd::Right) {
        return;
    }
    let id = picker.id.clone();
    match picker.cursor.key().cloned() {
        Some(point) => pipeline::plan(state, id, PointChoice::Id(point)),
        None => state.refuse("No resume point to plan for."),
    }
}

/// The context of its keys.
pub(crate) const CONTEXT: Context = Context::new("Resume points");

/// Its keys.
pub(crate) const KEYS: &[Command] = &[
    row!(Enter => "point-plan", CONTEXT, ["enter", "p"], "plan", "Show what a resume at this point would do. Nothing is written.", cli "relight plan PIPELINE --point POINT", foot 1),
    row!(Amend => "point-amend", CONTEXT, ["M"], "amend", "Change the plan of the pipeline by an amendment that you approve.", cli "relight amend PIPELINE --type TYPE --stage STAGE --reason TEXT --dry-run"),
];

/// From this width on the explanation is beside the list.
const SIDE: u16 = 130;

impl Screen for Picker {
    fn profile(&self) -> Profile<'_> {
        Profile::screen("resume points", CONTEXT)
            .ends_with_plan()
            .runs(run)
            .about(&self.id)
    }

    fn offers(&self, state: &State, cmd: Cmd) -> bool {
        let points = state.dossier(&self.id).map(|dossier| dossier.points.len());
        cmd != Cmd::Enter || points != Some(0)
    }

    fn draw(&self, canvas: &mut Canvas<'_>, area: Rect) {
        let load = canvas.state.dossiers.get(&self.id);
        let what = "Verifying, and looking for resume points …";
        let Some(dossier) = loaded(canvas, area, load, what) else {
            return;
        };
        if dossier.points.is_empty() {
            let why = clean!(
                "This pipeline has no resume point. {}, then {} says why, and what to repair.",
                canvas.state.key(Cmd::Back),
                canvas.state.key(Cmd::Plan)
            );
            return nothing(canvas, area, why);
        }
        let (len, selected) = self.cursor.extent(&keys(dossier));
        let (table, side) = split_table(area, SIDE, 11, len);
        points(canvas, table, dossier, selected);
        if let Some(point) = selected.and_then(|place| dossier.points.get(place)) {
            explain(canvas, side, dossier, point);
        }
    }

    fn shows_dossier(&self) -> bool {
        true
    }

    fn position(&self, state: &State) -> Position {
        let keys = state.dossier(&self.id).map(|dossier| keys(dossier));
        self.cursor.position(&keys.unwrap_or_default())
    }

    fn go(&mut self, to: usize, state: &mut State) {
        if let Some(dossier) = state.dossier(&self.id) {
            self.cursor.go(&keys(dossier), to);
        }
    }

    fn copyable(&self, _: &State) -> Result<Clean, &'static str> {
        let point = self.cursor.key().ok_or(NOTHING)?;
        Ok(clean!("relight plan {} --point {}", self.id.0, point.0))
    }

    fn command_words(&self) -> Vec<(&'static str, String)> {
        let point = self.cursor.key();
        Vec::from_iter(point.map(|point| ("POINT", point.0.clone())))
    }
}

fn points(canvas: &mut Canvas<'_>, area: Rect, dossier: &Dossier, selected: Option<usize>) {
    let points = &dossier.points;
    let longest = points.iter().map(|point| point.boundary.id.0.len()).max();
    let columns = [
        Column::cells("  POINT", longest.unwrap_or(0).clamp(5, 24) + 2),
        Column::share("WHERE", 1),
        Column::cells("KEPT", 4).right(),
        Column::cells("RERUN", 5).right(),
        // The text about the selected point says it, too.
        Column::cells("LOST", 7).right().from(70),
        Column::cells("VERIFIED", 9),
        Column::cells("RESTORE", 9),
    ];
    let list = List::new(ListId::of::<Picker>(), points.len(), selected);
    table::each(canvas, area, (list, &columns), points, &cells);
}

/// Seconds of recorded work that a point loses. Work without recorded times adds nothing to the sum, and is not free.
fn time_lost(boundary: &Boundary) -> Option<u64> {
    let lost = boundary.time_lost_s;
    lost.filter(|lost| *lost > 0 || boundary.redone == Some(0))
}

fn cells(point: &ResumePoint) -> Vec<Bits> {
    let boundary = &point.boundary;
    let blocked = matches!(point.readiness, Readiness::Blocked(_));
    let role = if blocked { Role::Dim } else { Role::Text };
    let lost = time_lost(boundary).map(format::brief_duration);
    let (star, id) = if point.recommended {
        ("★ ", Role::Title)
    } else {
        ("  ", role)
    };
    let restore = match (&point.readiness, &boundary.checkpoint) {
        (Readiness::Blocked(_), _) => Bits::of(Role::Bad, "✗ blocked"),
        (_, CheckpointNeed::None) if boundary.edits_records => Bits::of(Role::Accent, "● records"),
        (_, CheckpointNeed::None) => Bits::of(Role::Dim, "– none"),
        (_, CheckpointNeed::Found(_)) => Bits::of(Role::Accent, "● files"),
        (_, CheckpointNeed::Missing { .. }) => Bits::of(Role::Warn, "! missing"),
    };
    vec![
        Bits::of(Role::Accent, star).say(id, boundary.id.0.as_str()),
        Bits::of(role, boundary.label.clean()),
        Bits::of(role, kept(boundary)),
        Bits::of(role, format::or_unknown(boundary.redone)),
        lost.map_or_else(
            || Bits::of(role, "?").aloud("unknown"),
            |lost| Bits::of(role, lost),
        ),
        Bits::signed(look::verdict(boundary.verified), boundary.verified.word()),
        restore,
    ]
}

/// The work that is kept; `2+` where it is only the least.
fn kept(boundary: &Boundary) -> String {
    let more = boundary.kept.is_some() && !boundary.is_counted();
    let more = if more { "+" } else { "" };
    format!("{}{more}", format::or_unknown(boundary.kept))
}

/// Everything about the selected point, its problems first.
fn explain(canvas: &mut Canvas<'_>, area: Rect, dossier: &Dossier, point: &ResumePoint) {
    let boundary = &point.boundary;
    let mut title = Bits::of(Role::Title, boundary.label.clean());
    if point.recommended {
        title = title.accent("  ★ recommended");
    }
    let inside = canvas.pen.frame(area, &title, false);
    let inside = inset(inside);
    let state = canvas.state;
    let said = |label, sign| {
        move |text: &Foreign| {
            let text = keyed_below(&state.keymap, &text.clean(), state.below());
            Fact::text(label, text).sign(sign)
        }
    };
    let mut all = Vec::new();
    if let Readiness::Blocked(reasons) = &point.readiness {
        all.extend(reasons.iter().map(said("blocked", ("✗", Role::Bad))));
    }
    all.extend(failing(dossier, point));
    all.extend(
        boundary
            .warnings
            .iter()
            .map(said("note", ("!", Role::Warn))),
    );
    all.push(Fact::text("why", point.reason.clean()));
    let lost = time_lost(boundary).map_or_else(|| "an unknown amount".to_owned(), format::duration);
    let counts = match (boundary.kept, boundary.redone) {
        (Some(kept), Some(redone)) => clean!("{} kept, {} run again", kept, redone),
        (Some(kept), None) => clean!("at least {} kept, repeated work is unknown", kept),
        (None, _) => "kept and repeated work is unknown".into(),
    };
    let cost = clean!("{}, {} of recorded work lost", counts, lost);
    all.push(Fact::text("cost", cost));
    all.push(restores(canvas, point));
    let size = (usize::from(inside.width), usize::from(inside.height));
    let lines = facts::each_within(&all, size.0, size.1);
    canvas.lines(inside, &lines);
}

/// The checks of the point that warn or fail, with their evidence.
fn failing<'a>(dossier: &'a Dossier, point: &'a ResumePoint) -> impl Iterator<Item = Fact> + 'a {
    point.boundary.failing.iter().map(|(id, verdict)| {
        let mut checks = dossier.checks.iter();
        let check = checks.find(|check| check.id == *id && check.verdict == *verdict);
        let text = match check {
            Some(check) => clean!("{} {}: {}", id.0, check.subject(), check.evidence),
            None => clean!("{}", id.0),
        };
        Fact::text("check", text).sign(look::verdict(*verdict))
    })
}

fn restores(canvas: &Canvas<'_>, point: &ResumePoint) -> Fact {
    match &point.boundary.checkpoint {
        CheckpointNeed::None if point.boundary.edits_records => {
            let text = "no checkpoint; records of the pipeline change, as its plan shows";
            Fact::text("restore", text).sign(("●", Role::Accent))
        }
        CheckpointNeed::None => Fact::new("restore", Role::Dim, "no files are restored"),
        CheckpointNeed::Missing { wanted } => {
            let text = clean!("the checkpoint {} is missing", wanted);
            Fact::text("restore", text).sign(("!", Role::Warn))
        }
        CheckpointNeed::Found(checkpoint) => {
            let text = clean!(
                "{} ({}, {}). {}",
                checkpoint.reason,
                pipeline::short_id(checkpoint),
                format::ago(canvas.state.now, checkpoint.taken_at.map(|at| at.at)),
                checkpoint.brings_back
            );
            Fact::text("restore", text).sign(("●", Role::Accent))
        }
    }
}
