//! The replays of a pipeline, those that were cut short first, and everything about the selected one.

use super::state::{ReplayRow, ReplaysScreen, counts, worst};
use crate::tui::view::inset;
use crate::tui::view::loaded;
use ratatui::layout::Rect;

use crate::clean;
use crate::model::{Clean, DispatchCounts, Foreign, PipelineId, ReplaySession, SessionState};
use crate::text::format;
use crate::tui::geometry::ListId;
use crate::tui::theme::Role;
use crate::tui::view::facts::{self, Fact};
use crate::tui::view::list::{self, List};
use crate::tui::view::pen::Bits;
use crate::tui::view::{Canvas, paragraph, split_left, split_top};

/// From this width on the explanation stands beside the list.
const SIDE: u16 = 150;

/// From this width of the list on it has a column for the boundary.
const WIDE: usize = 100;

/// The width of the ids, a space in front of those of a group and a gap after each.
const ID: usize = 18;

/// Draws the screen.
pub(crate) fn draw(canvas: &mut Canvas<'_>, area: Rect, screen: &ReplaysScreen) {
    let Some(all) = loaded(canvas, area, Some(&screen.all), "Reading the replays …") else {
        return;
    };
    if all.is_empty() {
        return empty(canvas, area, &screen.id);
    }
    let rows = u16::try_from(screen.rows.len() + 2).unwrap_or(u16::MAX);
    let (table, side) = if area.width >= SIDE {
        split_left(area, area.width * 3 / 5)
    } else {
        split_top(area, rows.min(area.height / 2))
    };
    rows_of(canvas, table, screen);
    if let (Some(row), Some(session)) = (screen.cursor.key(), screen.selected()) {
        explain(canvas, side, screen, row, session);
    }
}

/// Says how a first replay is made.
fn empty(canvas: &mut Canvas<'_>, area: Rect, id: &PipelineId) {
    let width = usize::from(area.width).saturating_sub(2);
    let lead = Bits::new().pad(1);
    let mut lines = vec![Bits::new()];
    let text = "This pipeline has no replay yet.";
    lines.extend(paragraph(&lead, Role::Title, &Clean::new(text), width));
    let text = "A replay runs its dispatches again with other templates, in a work tree of its own: the original's \
                files do not change. Then compare it with the original.";
    lines.extend(paragraph(&lead, Role::Text, &Clean::new(text), width));
    lines.push(Bits::new());
    let key = |key: &'static str, what: &'static str| {
        Bits::new()
            .pad(1)
            .cell(Role::Key, key, 3)
            .say(Role::Text, what)
    };
    lines.push(key(
        "n",
        "start one: choose templates to replace; the plan is shown first.",
    ));
    lines.push(key(
        "C",
        "compare what exists already: rounds, stages, recoveries.",
    ));
    lines.push(Bits::new());
    let command = clean!(
        "relight replay {} --mutate ORIGINAL=REPLACEMENT --dry-run",
        id.0
    );
    lines.extend(paragraph(&lead, Role::Accent, &command, width));
    crate::tui::view::lines(canvas, area, &lines);
}

fn rows_of(canvas: &mut Canvas<'_>, area: Rect, screen: &ReplaysScreen) {
    let (head, body) = split_top(area, 1);
    let wide = usize::from(area.width).saturating_sub(2);
    let from = if wide >= WIDE { 16 } else { 0 };
    let rest = wide.saturating_sub(2 + 14 + ID + 6 + 20 + 2 + from);
    let word = |word: &'static str, width: usize| Bits::new().say(Role::Dim, word).pad(width);
    let mut heading = Bits::new()
        .say(Role::Text, " ")
        .join(word("", 2))
        .join(word("STATE", 14))
        .join(word("REPLAY", ID))
        .join(word("AGE", 6))
        .join(word(" DONE", 5))
        .join(word(" FAIL", 5))
        .join(word("  ERR", 5))
        .join(word(" LEFT", 5))
        .say(Role::Text, "  ");
    if from > 0 {
        heading = heading.join(word("FROM", from));
    }
    canvas.pen.line(head, &heading.join(word("REPLACED", rest)));
    let now = canvas.state.now;
    let list = List {
        id: ListId::of::<ReplaysScreen>(),
        len: screen.rows.len(),
        selected: screen.cursor.place(&screen.rows),
        focus: true,
        height: &|_| 1,
        lead: &|_| 0,
    };
    list::rows(canvas, body, &list, &mut |row, _| {
        let Some(row) = screen.rows.get(row) else {
            return Bits::new();
        };
        let Some(first) = screen.of(row).next() else {
            return Bits::new();
        };
        let (sign, state, role) = state_of(worst(screen.of(row)).unwrap_or(first.state));
        let mark = screen.marks.letter(row.operand()).unwrap_or("");
        let bits = Bits::new()
            .cell(Role::Accent, mark, 2)
            .badge(role, sign, state, 14)
            .join(name(screen, row, first).pad(ID))
            .cell(
                Role::Text,
                format::age(now, first.started_at.map(|at| at.at)),
                6,
            )
            .join(tallies(counts(screen.of(row))))
            .say(Role::Text, "  ");
        let start = first.start.as_ref().map_or("–", |point| point.0.as_str());
        let bits = if from > 0 {
            bits.cell(Role::Text, Clean::new(start), from)
        } else {
            bits
        };
        let what = if let (ReplayRow::Session(_), Some(place)) = (row, &first.place) {
            clean!("block {}, {}", place.block, place.arm.word())
        } else {
            // A control run swaps nothing: what the experiment swaps is said by the others.
            let swaps = |session: &&ReplaySession| !session.mutations.is_empty();
            swapped(&screen.of(row).find(swaps).unwrap_or(first).mutations)
        };
        bits.cell(Role::Text, what, rest)
    });
}

/// The id of a row; runs of a group stand beneath it.
fn name(screen: &ReplaysScreen, row: &ReplayRow, session: &ReplaySession) -> Bits {
    match row {
        ReplayRow::Group(id) => {
            let runs = screen.of(row).count() as u64;
            Bits::new()
                .add(Role::Text, Clean::new(&id.0))
                .say(Role::Dim, " ")
                .add(Role::Dim, clean!("×{}", runs))
        }
        ReplayRow::Session(id) if session.repeat.1 > 1 => Bits::new()
            .say(Role::Dim, " ")
            .add(Role::Text, Clean::new(&id.0)),
        ReplayRow::Session(id) => Bits::new().add(Role::Text, Clean::new(&id.0)),
    }
}

fn tallies(counts: DispatchCounts) -> Bits {
    let number = |number: u64, role: Role| {
        let text = clean!("{}", number);
        let lead = 5_usize.saturating_sub(text.width());
        let role = if number == 0 { Role::Dim } else { role };
        Bits::new().pad(lead).add(role, text)
    };
    number(counts.done, Role::Text)
        .join(number(counts.failed, Role::Bad))
        .join(number(counts.error, Role::Warn))
        .join(number(counts.left, Role::Text))
}

/// The mutations in a line.
fn swapped(mutations: &[Foreign]) -> Clean {
    let Some(first) = mutations.first() else {
        return Clean::new("nothing");
    };
    match mutations.len() {
        1 => first.clean(),
        more => clean!("{} (+{} more)", first, more - 1),
    }
}

/// How a session stands: a sign, a word, a role.
pub(crate) fn state_of(state: SessionState) -> (&'static str, &'static str, Role) {
    match state {
        SessionState::Running => ("►", "running", Role::Live),
        SessionState::Done => ("✓", "done", Role::Good),
        SessionState::Interrupted => ("■", "interrupted", Role::Warn),
        SessionState::Cancelled => ("–", "cancelled", Role::Warn),
        SessionState::HandedOver => ("?", "handed over", Role::Wait),
        SessionState::Unreadable => ("✗", "unreadable", Role::Bad),
    }
}

/// What can be done next, in a sentence.
fn next(screen: &ReplaysScreen, row: &ReplayRow, session: &ReplaySession) -> Clean {
    let left = session.dispatches.left;
    match session.state {
        SessionState::Interrupted | SessionState::Cancelled => clean!(
            "c continues {}: {} left; finished dispatches are kept.",
            session.id.0,
            format::count_of(left, "dispatch is", "dispatches are")
        ),
        SessionState::Running => Clean::new("Running; Enter shows the progress."),
        SessionState::HandedOver => Clean::new("Waiting to be run manually: H shows how."),
        SessionState::Unreadable => Clean::new("Its manifest cannot be read; o opens it."),
        SessionState::Done => match row {
            _ if screen.has_control(row) => {
                Clean::new("Enter compares the mutated runs with the control runs.")
            }
            ReplayRow::Group(_) => Clean::new("Enter compares all its runs with the original."),
            ReplayRow::Session(_) => Clean::new("Enter compares it with the original."),
        },
    }
}

fn explain(
    canvas: &mut Canvas<'_>,
    area: Rect,
    screen: &ReplaysScreen,
    row: &ReplayRow,
    session: &ReplaySession,
) {
    let title = Bits::new().add(Role::Title, clean!("Replay {}", row.operand()));
    let inside = canvas.pen.frame(area, &title, false);
    let inside = inset(inside);
    let width = usize::from(inside.width);
    let mut lines = Vec::new();
    for text in screen.of(row).flat_map(|session| &session.trouble) {
        let lead = Bits::new().say(Role::Bad, "! ");
        lines.extend(paragraph(&lead, Role::Text, &text.clean(), width));
    }
    lines.extend(facts::lines(&about(screen, row, session), width));
    crate::tui::view::lines(canvas, inside, &lines);
}

fn about(screen: &ReplaysScreen, row: &ReplayRow, session: &ReplaySession) -> Vec<Fact> {
    let (sign, _, role) = state_of(session.state);
    let mut all =
        vec![Fact::new("next", Role::Text, next(screen, row, session)).sign((sign, role))];
    if session.mutations.is_empty() {
        let text = Clean::new("nothing: the same dispatches run again");
        all.push(Fact::new("replaced", Role::Text, text));
    }
    for mutation in &session.mutations {
        all.push(Fact::new("replaced", Role::Accent, mutation.clean()));
    }
    let start = session.start.as_ref();
    let from = start.map_or_else(|| Clean::new("unknown"), |point| Clean::new(&point.0));
    all.push(Fact::new("from", Role::Text, from));
    let sum = counts(screen.of(row));
    let text = clean!(
        "{} done, {} failed, {} without a result, {} left",
        sum.done,
        sum.failed,
        sum.error,
        sum.left
    );
    all.push(Fact::new("dispatches", Role::Text, text));
    if session.repeat.1 > 1 {
        let text = match row {
            ReplayRow::Group(_) if session.place.is_some() => clean!(
                "{} of {} planned, two in each block",
                screen.of(row).count(),
                session.repeat.1
            ),
            ReplayRow::Group(_) => clean!("{} independent runs", session.repeat.1),
            ReplayRow::Session(_) => clean!("{} of {}", session.repeat.0, session.repeat.1),
        };
        all.push(Fact::new("run", Role::Text, text));
    }
    let runner = if session.runner.is_empty() {
        Clean::new("none: run its files by hand")
    } else {
        session.runner.clean()
    };
    all.push(Fact::new("runner", Role::Text, runner));
    let unknown = |text: &'static str| Clean::new(text);
    let began = session
        .started_at
        .as_ref()
        .map_or_else(|| unknown("unknown"), |at| at.words().into());
    let ended = session
        .ended_at
        .as_ref()
        .map_or_else(|| unknown("not ended"), |at| at.words().into());
    all.push(Fact::new(
        "when",
        Role::Text,
        clean!("{} to {}", began, ended),
    ));
    if session.in_place {
        let text = Clean::new("the pipeline's own work tree");
        all.push(Fact::new("tree", Role::Warn, text));
    } else if let Some(tree) = &session.tree {
        all.push(Fact::new("tree", Role::Text, clean!("{}", tree)));
    }
    all.push(Fact::new(
        "record",
        Role::Text,
        clean!("{}", session.manifest),
    ));
    all
}
