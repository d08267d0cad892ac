//! The plan screen: a summary of a few lines, then the outline, with failed guards first.

use super::{beside, confirm, lines as plan_rows};
use crate::model::{BranchMove, ChangeCounts, KeptContent};
use crate::tui::prelude::*;
use crate::tui::screens::{recoveries, rehearsal};

/// Draws the screen.
pub(crate) fn draw(canvas: &mut Canvas<'_>, area: Rect, screen: &PlanScreen) {
    let what = "Computing the plan; nothing is written …";
    let Some(plan) = loaded(canvas, area, &screen.plan, what) else {
        return;
    };
    let lines = verdict(canvas, (screen, plan), area.width);
    let height = u16::try_from(lines.len()).unwrap_or(u16::MAX);
    let (head, body) = split_top(area, height.saturating_add(1));
    let inside = inset(head);
    canvas.lines(inside, &lines);
    let beside = screen.beside.as_ref();
    let half = beside::columns(area.width).filter(|_| beside.is_some());
    let (left, right) = split_left(body, area.width - half.unwrap_or(0));
    outline(canvas, left, screen);
    if let Some(shown) = beside.filter(|_| half.is_some()) {
        let edge = Bits::of(Role::Border, "│");
        for y in right.top()..right.bottom() {
            canvas.pen.line(Rect::new(right.x, y, 1, 1), &edge);
        }
        shown.draw(canvas, indented(right));
    }
}

/// The summary: how destructive it is, what refuses it, how it restores with its fingerprint, and why it stopped.
fn verdict(canvas: &Canvas<'_>, (screen, plan): (&PlanScreen, &Plan), width: u16) -> Vec<Bits> {
    if let About::Record(recovery) = &screen.about {
        return record(recovery, &canvas.state.key(Cmd::Enter));
    }
    let lead = if plan.actions.is_empty() {
        Bits::of(Role::Good, "✓ ")
            .title("No changes on disk")
            .text(match plan.asked.reversal() {
                None => "; only the hand-off.",
                Some(_) => ".",
            })
            .gap(2)
    } else if plan.destructive {
        Bits::of(Role::Bad, "! destructive").text(": ")
    } else {
        Bits::of(Role::Good, "✓ not destructive").text(": ")
    };
    let mut lines = totals(&lead, plan, usize::from(width).saturating_sub(2));
    let failing = plan.guards.iter().filter(|guard| !guard.holds);
    let asked = |guard: &&Guard| confirm::open_question(canvas.state, plan, guard).is_some();
    let (asked, refusing): (Vec<_>, Vec<_>) = failing.partition(asked);
    let (open, refusing) = (asked.len(), refusing.len());
    let apply = canvas.state.key(Cmd::Apply);
    let second = if refusing > 0 {
        let of = format::count(plan.guards.len(), "guard");
        Bits::of(Role::Bad, clean!("✗ {} of {} failed", refusing, of))
            .text("; ")
            .key(apply)
            .text(" shows what would help.")
    } else if open > 0 {
        Bits::of(Role::Warn, "? ")
            .warn(format::count(open, "question"))
            .text(" to answer first; ")
            .key(apply)
            .text(" asks.")
    } else {
        let bits = Bits::of(Role::Good, "✓ ").text("All guards are ok.");
        if canvas.state.read_only {
            bits.dim("  relight is read-only here: nothing is written.")
        } else if plan.actions.is_empty() {
            bits.gap(2)
                .key(apply)
                .dim(" writes the briefing and shows the hand-off.")
        } else {
            bits.dim("  Nothing is written yet; ")
                .key(apply)
                .dim(" asks first.")
        }
    };
    lines.extend(second.wrapped(usize::from(width).saturating_sub(2), 2));
    lines.push(choices(canvas, (screen, plan), width));
    lines.extend(plan.cause.as_ref().map(|cause| why(cause, canvas)));
    lines
}

/// Why the pipeline stopped. When a limit resets comes first: the line is cut where the terminal ends.
fn why(cause: &Cause, canvas: &Canvas<'_>) -> Bits {
    let bits = Bits::of(Role::Dim, "why it stopped: ");
    match cause.until {
        Some(_) => bits
            .text(cause.label(canvas.state.now))
            .gap(2)
            .dim(cause.text.clean()),
        None => bits.text(cause.text.clean()),
    }
}

/// What the person chose, and which plan it is.
fn choices(canvas: &Canvas<'_>, (screen, plan): (&PlanScreen, &Plan), width: u16) -> Bits {
    let (mode, effect) = match screen.chosen.mode {
        RestoreMode::Overlay => ("overlay", "files created later are kept"),
        RestoreMode::Exact => ("exact", "files created later are moved aside"),
    };
    let mut bits = Bits::new();
    let restores = plan.actions.iter().any(|action| action.kind.touches_tree());
    if restores && !screen.is_undo() {
        bits = bits.accent(mode).dim(" (");
        // What the mode does is told again by the question; which plan it is must never be cut off.
        if beside::columns(width).is_some() {
            bits = bits.dim(effect).dim("; ");
        }
        bits = bits.key(canvas.state.key(Cmd::Mode)).dim(" changes)   ");
    }
    if screen.chosen.rewind_branch {
        bits = bits.warn("branch reset   ");
    }
    if screen.chosen.reason.is_some() {
        bits = bits.accent("with a reason   ");
    }
    bits = bits.warn(excluded(screen));
    if screen.ticket.is_some() {
        return bits
            .accent(look::spinner(canvas.state.beat))
            .dim(" computing it again");
    }
    let key = (plan.pipeline.clone(), plan.point.boundary.id.clone());
    let rehearsed = canvas.state.rehearsals.get(&key);
    if let Some((_, rehearsal)) = rehearsed.filter(|(of, _)| *of == plan.fingerprint) {
        bits = bits.join(rehearsal::verdict(rehearsal)).gap(3);
    }
    bits.dim("fingerprint ")
        .text(format::short_id(&plan.fingerprint.0))
}

/// How many paths the person excluded; nothing where there is none.
pub(crate) fn excluded(screen: &PlanScreen) -> Clean {
    if screen.excluded.is_empty() {
        return Clean::empty();
    }
    let paths = format::count(screen.excluded.len(), "path");
    if screen.keeps_paths() {
        clean!("{} kept as now   ", paths)
    } else {
        clean!("{} excluded   ", paths)
    }
}

/// The state of a recovery.
fn record(recovery: &Recovery, enter: &Clean) -> Vec<Bits> {
    let look = recoveries::state_of(recovery);
    let (label, of_it) = (&recovery.label, recovery.pipeline.of_it());
    let at = format::time_full(recovery.started_at);
    let kept = format::size(recovery.kept_bytes);
    let kept = if recovery.purged {
        Clean::new("backups deleted")
    } else {
        clean!("backups: {}", kept)
    };
    vec![
        Bits::signed(look, recovery.state_word()).text(clean!(": {}{}", label, of_it)),
        Bits::of(Role::Text, clean!("  started {}; {}", at, kept)),
        Bits::of(Role::Dim, compares(recovery, enter)),
    ]
}

/// What Enter compares.
fn compares(recovery: &Recovery, enter: &Clean) -> Clean {
    let pairs = || recovery.actions.iter().flat_map(Action::kept_pairs);
    let has = |content| pairs().any(|pair| pair.content == content);
    match (has(KeptContent::Backup), has(KeptContent::Planned)) {
        (true, true) => {
            clean!(
                "  {} on a path compares the file now with its backup; one that is not applied, with what was planned.",
                enter
            )
        }
        (true, false) => clean!(
            "  {} on a path compares the file now with its backup.",
            enter
        ),
        (false, true) => clean!(
            "  {} on a path compares the file now with what was planned.",
            enter
        ),
        (false, false) => Clean::new("  Nothing is kept of it to compare with."),
    }
}

/// The numbers of all actions together: how many, what is done to them, what they are.
pub(crate) fn numbers(plan: &Plan) -> Vec<(u64, &'static str, &'static str, Role)> {
    let mut counts = ChangeCounts::default();
    let (mut lines, mut rows, mut moved, mut removed) = (0, 0, 0, 0);
    let (mut created, mut branches, mut indexes, mut reformed) = (0, 0, 0, 0);
    let mut commits = BranchMove::default();
    for action in &plan.actions {
        // A file that is created or removed by itself is not one of a checkpoint; one that is overwritten is as lost.
        match action.change() {
            Some(PathChange::Create) => created += 1,
            Some(PathChange::Remove) => removed += 1,
            Some(PathChange::Write | PathChange::KeepNewer | PathChange::NotCovered) => {
                counts.modified += 1;
            }
            None => {
                let count = |change: PathChange| {
                    let paths = action.paths.iter().filter(|path| path.change == change);
                    paths.count() as u64
                };
                let changes = action.changes.unwrap_or_else(|| ChangeCounts {
                    modified: count(PathChange::Write),
                    added: count(PathChange::Create),
                    removed: count(PathChange::Remove),
                    branch: None,
                });
                counts.modified += changes.modified;
                counts.added += changes.added;
                counts.removed += changes.removed;
                let resets = action.kind == ActionKind::ResetWorktree;
                indexes += u64::from(resets && changes == ChangeCounts::default());
            }
        }
        reformed += action.reformed();
        if let Some(branch) = action.branch() {
            branches += 1;
            commits.removed += branch.removed;
            commits.restored += branch.restored;
        }
        match &action.preview {
            Preview::Lines { appended, .. } => lines += appended.len() as u64,
            Preview::Appended { lines: number } => lines += *number as u64,
            Preview::Rows { removed, .. } => rows += removed.len() as u64,
            Preview::Rename { .. } => moved += 1,
            Preview::Tree { .. } | Preview::Kept { .. } | Preview::Content { .. } => {}
        }
    }
    let kept = plan.kept_newer.len() as u64;
    let all = [
        (branches, "resets", "branch", Role::Bad),
        (commits.removed, "removes", "commit", Role::Bad),
        (commits.restored, "restores", "commit", Role::Good),
        (indexes, "resets", "index", Role::Warn),
        (counts.modified, "overwrites", "file", Role::Warn),
        (reformed, "changes mode or type of", "file", Role::Warn),
        (counts.removed, "moves aside", "file", Role::Bad),
        (counts.added, "recreates", "file", Role::Good),
        (created, "creates", "file", Role::Good),
        (removed, "removes", "file", Role::Bad),
        (rows, "removes", "row", Role::Bad),
        (moved, "renames", "item", Role::Warn),
        (lines, "appends", "line", Role::Good),
        (kept, "keeps", "later file", Role::Dim),
    ];
    all.into_iter().filter(|part| part.0 > 0).collect()
}

/// The numbers after a lead, as many in a line as fit: none is ever cut.
pub(crate) fn totals(lead: &Bits, plan: &Plan, width: usize) -> Vec<Bits> {
    let mut leads = lead.hanging();
    let mut lines: Vec<Bits> = leads.next().into_iter().collect();
    let mut alone = true;
    for (number, verb, noun, role) in numbers(plan) {
        let part = Bits::of(role, verb).text(clean!(" {}", format::count(number, noun)));
        let dot = if alone {
            Bits::new()
        } else {
            Bits::of(Role::Dim, " · ")
        };
        let fits = |line: &&mut Bits| line.width() + dot.width() + part.width() <= width;
        match lines.last_mut().filter(|line| alone || fits(line)) {
            Some(line) => *line = std::mem::take(line).join(dot).join(part),
            None => lines.extend(leads.next().map(|lead| lead.join(part))),
        }
        alone = false;
    }
    lines
}

fn outline(canvas: &mut Canvas<'_>, area: Rect, screen: &PlanScreen) {
    let (Some(listed), Some(now)) = (screen.listed(), screen.plan.ready()) else {
        return;
    };
    let width = usize::from(area.width).saturating_sub(2);
    let row_at = |place: usize| screen.rows.get(place).copied();
    let state = canvas.state;
    let of = (&**listed, &**now, &state.keymap);
    let height = |row| plan_rows::height(screen, of, row, width);
    let is_spaced = |row| plan_rows::is_spaced(screen, row);
    let needle = screen.needle();
    let (len, selected) = screen.cursor.extent(&screen.rows);
    let list = List {
        height: &|place| row_at(place).map_or(1, height),
        lead: &|place| usize::from(row_at(place).is_some_and(is_spaced)),
        marks: Some(&screen.search.marks),
        ..List::new(ListId::of::<PlanScreen>(), len, selected)
    };
    list::rows(canvas, area, &list, &mut |place, line| {
        let Some(row) = row_at(place) else {
            return Bits::new();
        };
        let mut lines = plan_rows::lines(screen, of, row, width).into_iter();
        let bits = lines.nth(line).unwrap_or_default();
        match &needle {
            Some(needle) => bits.found(needle),
            None => bits,
        }
    });
}
