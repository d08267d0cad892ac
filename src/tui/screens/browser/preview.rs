//! The preview of the selected pipeline: where it stopped, where to resume, and the worst check.

use super::marks::FOLDED;
use crate::model::{Badge, CauseKind};
use crate::tui::commands::keyed;
use crate::tui::prelude::*;

/// Draws the preview; `tall` where it has a whole side. A project that the list cuts to `cells` is named whole.
pub(crate) fn draw(canvas: &mut Canvas<'_>, area: Rect, tall: bool, cells: usize) {
    let Some(row) = canvas.state.browser.selected() else {
        let inside = canvas.pen.frame(area, &Bits::new(), false);
        canvas.pen.line(inset(inside), &Bits::of(Role::Dim, FOLDED));
        return;
    };
    let room = usize::from(area.width).saturating_sub(6);
    let project = row.text(ListKey::Project);
    let of = match project.width() {
        width if width > cells => clean!(" · {}", project.clip_middle(room / 2)),
        _ => Clean::empty(),
    };
    let name = ellipsis(&row.text(ListKey::Title), room.saturating_sub(of.width()));
    let title = Bits::of(Role::Title, name).dim(of);
    let inside = canvas.pen.frame(area, &title, false);
    let inside = inset(inside);
    let width = usize::from(inside.width);
    let load = canvas.state.dossiers.get(&row.pipeline.id);
    let facts = |tall: bool| {
        let most = if tall { 6 } else { 1 };
        let mut all = known(canvas.state, &row.pipeline, most);
        all.extend(judged(canvas.state, load, tall));
        all.extend(where_it_is(&row.pipeline, most));
        all
    };
    let height = usize::from(inside.height);
    let mut all = facts(true);
    // A card may have no space for everything, so what matters for the decision comes first.
    if !tall && facts::lines(&all, width).len() > height {
        all = facts(false);
    }
    let lines = facts::within(&all, width, height);
    canvas.lines(inside, &lines);
}

fn known(state: &State, pipeline: &Pipeline, most: usize) -> Vec<Fact> {
    let (sign, role) = look::status(pipeline.standing.status);
    let status = clean!(
        "{}: {}",
        pipeline.standing.status.word(),
        pipeline.standing.reason
    );
    let stopped = clean!(
        "{} · {} · last write {}",
        pipeline.reading.stopped_where,
        look::progress(pipeline.reading.progress),
        format::ago(state.now, pipeline.reading.last_activity_at.map(|at| at.at))
    );
    vec![
        Fact::text("status", status).sign((sign, role)).most(most),
        Fact::text("stopped at", stopped).most(most),
    ]
}

/// The facts of the dossier, once it was read.
fn judged(state: &State, load: Option<&Load<Dossier>>, tall: bool) -> Vec<Fact> {
    let most = if tall { 8 } else { 2 };
    match load {
        Some(Load::Ready(dossier)) => {
            let (cause, next) = cause(state, dossier, most).unzip();
            let (cause, next) = (cause.flatten(), next.flatten());
            // On a small card all of these are seen, before what the cause advises.
            let short = if tall || cause.is_none() { most } else { 1 };
            let (before, after) = if tall { (next, None) } else { (None, next) };
            let mut facts: Vec<Fact> = cause.into_iter().chain(before).collect();
            facts.push(recommended(state, dossier).most(short));
            facts.push(worst(dossier).most(short));
            facts.extend(after);
            facts.extend(replays(state, dossier));
            facts
        }
        Some(Load::Failed(trouble)) => {
            let fact = Fact::new("error", Role::Bad, trouble.text.clean());
            vec![fact.sign(("✗", Role::Bad)).most(most)]
        }
        Some(Load::Pending) | None => {
            let fact = Fact::new("", Role::Dim, "reading and verifying …");
            vec![fact.sign((look::spinner(state.beat), Role::Accent))]
        }
    }
}

/// Why it stopped, where that is known and the status does not say it, and what to do now.
fn cause(state: &State, dossier: &Dossier, most: usize) -> Option<(Option<Fact>, Option<Fact>)> {
    let cause = dossier.why.as_ref().map(|why| &why.cause);
    let cause = cause.filter(|cause| cause.kind != CauseKind::Unknown)?;
    let is_said = cause.text == dossier.pipeline.standing.reason;
    let fact = (!is_said).then(|| Fact::text("cause", cause.text.clean()).most(most));
    let next = cause.next.first().map(|next| {
        let next = keyed(&state.keymap, &next.clean(), super::CONTEXT);
        Fact::new("next", Role::Dim, next).most(most)
    });
    Some((fact, next))
}

fn recommended(state: &State, dossier: &Dossier) -> Fact {
    if let Some(point) = dossier.recommended() {
        let text = clean!("{}: {}", point.boundary.id.0, point.reason);
        return Fact::text("resume", text).sign(("★", Role::Accent));
    }
    let text = if dossier.points.is_empty() {
        state.with_key(Cmd::Plan, "no resume point; {} says why")
    } else {
        state.with_key(Cmd::Points, "no recommended point; {} shows all points")
    };
    let none = Fact::new("resume", Role::Dim, text).ours();
    none.sign(("–", Role::Dim))
}

fn worst(dossier: &Dossier) -> Fact {
    if let Some(check) = dossier.worst_check() {
        // What is wrong before what it is about, which may be a long path.
        let text = clean!("{}: {} ({})", check.id.0, check.evidence, check.subject());
        return Fact::text("checks", text).sign(look::verdict(check.verdict));
    }
    let text = clean!(
        "all of {} passed or were skipped",
        format::count(dossier.checks.len(), "check")
    );
    Fact::text("checks", text).sign(("✓", Role::Good))
}

/// Its replays, if it has any; an interrupted one is highlighted.
fn replays(state: &State, dossier: &Dossier) -> Vec<Fact> {
    let all = dossier.replays.len();
    if all == 0 {
        return Vec::new();
    }
    let number = format::count(all, "replay");
    let key = state.key(Cmd::Replays);
    let fact = match dossier.cut_short() {
        0 => Fact::text("replays", clean!("{}; {} lists them", number, key)),
        cut => {
            let text = clean!("{} of {} interrupted; {} lists them", cut, number, key);
            Fact::text("replays", text).sign(("!", Role::Warn))
        }
    };
    vec![fact.most(1).ours()]
}

fn where_it_is(pipeline: &Pipeline, most: usize) -> Vec<Fact> {
    let mut facts = Vec::new();
    let life = pipeline.standing.liveness.verdict;
    let evidence = pipeline.standing.liveness.evidence.first();
    let text = match evidence {
        Some(evidence) => clean!("{}: {}", life.word(), evidence),
        None => clean!("{}", life.word()),
    };
    facts.push(Fact::text("process", text).sign(look::liveness(life)));
    let mut place = clean!("{}", pipeline.reading.root);
    if let Some(branch) = branch(pipeline) {
        place = clean!("{} · {}", place, branch);
    }
    facts.push(Fact::text("project", place));
    if !pipeline.reading.badges.is_empty() {
        facts.push(Fact::new("flags", Role::Warn, pipeline.flags()));
    }
    facts.push(Fact::new("id", Role::Dim, clean!("{}", pipeline.id.0)));
    facts.into_iter().map(|fact| fact.most(most)).collect()
}

/// The branch in words: what was recorded, and what the work tree has now where that differs.
pub(crate) fn branch(pipeline: &Pipeline) -> Option<Clean> {
    let branch = pipeline.reading.branch.as_ref()?;
    let badges = &pipeline.reading.badges;
    match (&branch.expected, &branch.actual) {
        (Some(expected), Some(actual)) if expected == actual => Some(clean!("branch {}", expected)),
        (Some(expected), Some(actual)) => {
            Some(clean!("on branch {}, expected {}", actual, expected))
        }
        // The work tree has another branch or none: that is told apart from a missing one by the flag alone.
        (Some(expected), None) if badges.contains(&Badge::BranchMismatch) => {
            Some(clean!("detached HEAD, expected branch {}", expected))
        }
        (Some(expected), None) => Some(clean!("branch unknown, expected {}", expected)),
        (None, Some(actual)) => Some(clean!("branch {}", actual)),
        (None, None) => None,
    }
}
