//! The panes beside the timeline: why it stopped, the phases, the checks and the checkpoints.

use super::{CONTEXT, Pane, timeline};
use crate::model::{CheckpointKind, Why};
use crate::tui::commands::keyed;
use crate::tui::prelude::*;

/// The rows that the panes below need.
const BELOW: u16 = 24;
/// Cells of the bar of a phase.
const BAR: usize = 6;
/// The most rows beside the panes.
const MOST: u16 = 10;

/// The least width of the reason of a checkpoint, and what is beside it.
const REASON: usize = 22;
const BESIDE_REASON: usize = 45;

/// The rows of the pane above the others; none where that would leave them too few.
pub(super) fn cause_height(state: &State, dossier: &Dossier, area: Rect) -> u16 {
    let Some(why) = &dossier.why else {
        return 0;
    };
    let inner = usize::from(area.width).saturating_sub(5);
    let rows = list::height_within(usize::from(MOST), cause_heights(state, why, inner));
    let wanted = u16::try_from(rows + 2).unwrap_or(MOST).min(MOST);
    let room = area.height.saturating_sub(BELOW);
    // Less than its sentence and one conversation helps nobody.
    if room >= wanted.min(6) {
        wanted.min(room)
    } else {
        0
    }
}

/// The rows of the pane that is shown, at most `most`.
pub(super) fn height(
    state: &State,
    screen: &PipelineScreen,
    dossier: &Dossier,
    (width, most): (usize, usize),
) -> usize {
    let width = width.saturating_sub(3);
    match screen.pane {
        Pane::Phases => dossier.pipeline.reading.phases.len(),
        Pane::Timeline => timeline::height(screen, dossier, most),
        Pane::Verification => {
            let lines = |check| check_lines(check, width, (&state.keymap, CONTEXT)).len();
            list::height_within(most, dossier.checks.iter().map(lines))
        }
        Pane::Checkpoints => 2 * dossier.checkpoints.len(),
        Pane::Cause => {
            let rows = |why| list::height_within(most, cause_heights(state, why, width));
            dossier.why.as_ref().map_or(0, rows)
        }
    }
}

/// Draws the cause.
pub(super) fn cause(canvas: &mut Canvas<'_>, area: Rect, list: List<'_>, dossier: &Dossier) {
    let Some(why) = &dossier.why else { return };
    let width = usize::from(area.width).saturating_sub(3);
    let state = canvas.state;
    list::laid(canvas, area, list, &|row| {
        cause_lines(state, why, row, width)
    });
}

/// How many lines each row has.
fn cause_heights(state: &State, why: &Why, width: usize) -> impl Iterator<Item = usize> {
    let rows = 0..=why.conversations.len();
    rows.map(move |row| cause_lines(state, why, row, width).len())
}

/// The lines of a row: the cause, then the conversations.
fn cause_lines(state: &State, why: &Why, row: usize, width: usize) -> Vec<Bits> {
    if let Some(at) = row.checked_sub(1) {
        let one = why.conversations.get(at);
        return one.map_or_else(Vec::new, |one| of_conversation(one, state.now));
    }
    let mut cause = of_cause(state, &why.cause, width);
    let notes = why.notes.iter().map(Foreign::clean);
    let cautions = why.caution().map(Clean::new).into_iter().chain(notes);
    cause.extend(cautions.flat_map(|caution| {
        let sign = Bits::of(Role::Warn, "  ! ");
        paragraph(&sign, Role::Text, &caution, width)
    }));
    cause
}

fn of_cause(state: &State, cause: &Cause, width: usize) -> Vec<Bits> {
    let now = state.now;
    let awaited = cause.kind.awaits_person();
    let role = if awaited { Role::Warn } else { Role::Accent };
    let mut head = Bits::of(role, cause.label(now));
    if let Some(at) = cause.at {
        let age = format::ago(now, Some(at.at));
        head = head.dim(clean!(" · since {} ({})", at.words(), age));
    }
    let mut lines = vec![head];
    let lead = Bits::new().gap(2);
    lines.extend(paragraph(&lead, Role::Text, &cause.text.clean(), width));
    for next in &cause.next {
        let next = keyed(&state.keymap, &next.clean(), CONTEXT);
        let lead = Bits::of(Role::Accent, "  → ");
        lines.extend(paragraph(&lead, Role::Text, &next, width));
    }
    lines
}

fn of_conversation(one: &Conversation, now: DateTime<FixedOffset>) -> Vec<Bits> {
    let dot = |bits: Bits| bits.dim(" · ");
    let mut head = dot(Bits::of(Role::Title, one.name())).text(one.cause.label(now));
    head = dot(head).dim(format::ago(now, one.last_at.map(|at| at.at)));
    head = dot(head).dim(one.state());
    if let Some(tokens) = one.tokens {
        head = dot(head).dim(format::count(tokens, "token"));
    }
    let reason = one.reasons.first();
    let reason = reason.map(|reason| Bits::new().gap(2).dim(reason.clean()));
    std::iter::once(head).chain(reason).collect()
}

/// Draws the table.
pub(super) fn phases(canvas: &mut Canvas<'_>, area: Rect, list: List<'_>, dossier: &Dossier) {
    let phases = &dossier.pipeline.reading.phases;
    // No wider than what is in it: the name needs the rest.
    let column = |most: usize, width: &dyn Fn(&Phase) -> usize| {
        Column::cells("", phases.iter().map(width).max().unwrap_or(0).min(most))
    };
    // Without headings: the pane names its rows.
    let columns = [
        Column::share("", 1),
        column(11, &|phase| phase.status.word().len()),
        Column::cells("", BAR).from(64),
        column(6, &|phase| phase.progress().fraction().len()),
        column(7, &|phase| took(phase).len()),
        column(3, &|phase| attempts(phase).width()),
    ];
    table::each(canvas, area, (list, &columns), phases, &cells);
}

fn took(phase: &Phase) -> String {
    let took = phase.duration_s.map(format::brief_duration);
    took.unwrap_or_default()
}

fn attempts(phase: &Phase) -> Bits {
    if phase.attempts < 2 {
        return Bits::new();
    }
    let aloud = format::count(phase.attempts, "attempt");
    Bits::of(Role::Warn, clean!("×{}", phase.attempts)).aloud(aloud)
}

fn cells(phase: &Phase) -> Vec<Bits> {
    let (sign, role) = look::phase(phase.status);
    let progress = phase.progress();
    vec![
        Bits::of(role, sign).gap(1).text(phase.name.clean()),
        Bits::of(role, phase.status.word()),
        look::bar(progress, BAR),
        Bits::of(Role::Text, progress.fraction()),
        Bits::of(Role::Dim, took(phase)),
        attempts(phase),
    ]
}

/// Draws the checks.
pub(super) fn checks(canvas: &mut Canvas<'_>, area: Rect, list: List<'_>, dossier: &Dossier) {
    let width = usize::from(area.width).saturating_sub(3);
    let words = (&canvas.state.keymap, CONTEXT);
    let problem = |verdict| match verdict {
        Verdict::Fail => Some(RowMark::Error),
        Verdict::Warn => Some(RowMark::Warning),
        Verdict::Pass | Verdict::Skipped => None,
    };
    let checks = dossier.checks.iter().enumerate();
    let marks = checks.filter_map(|(row, check)| Some((row, problem(check.verdict)?)));
    let marks = Marks::of(marks);
    let list = List {
        marks: Some(&marks),
        ..list
    };
    list::laid(canvas, area, list, &|row| {
        let check = dossier.checks.get(row);
        check.map_or_else(Vec::new, |check| check_lines(check, width, words))
    });
}

/// A check with its evidence, and its remedy with the keys of a context.
pub(crate) fn check_lines(
    check: &Check,
    width: usize,
    (keymap, context): (&Keymap, Context),
) -> Vec<Bits> {
    let head = Bits::signed(look::verdict(check.verdict), check.verdict.word())
        .gap(1)
        .accent(clean!("{} ", check.id.0))
        .text(check.subject().clean());
    let mut lines = vec![head];
    let room = width.saturating_sub(2).max(10);
    // What passed is said in one line; what did not is said in full.
    let most = if check.verdict == Verdict::Pass {
        1
    } else {
        usize::MAX
    };
    let evidence = wrap(&check.evidence.clean(), room).into_iter().take(most);
    lines.extend(evidence.map(|text| Bits::new().gap(2).dim(text)));
    if let Some(remedy) = &check.remedy {
        let lead = Bits::of(Role::Accent, "  → ");
        lines.extend(paragraph(
            &lead,
            Role::Text,
            &keyed(keymap, &remedy.clean(), context),
            room + 2,
        ));
    }
    lines
}

/// Draws the checkpoints.
pub(super) fn checkpoints(
    canvas: &mut Canvas<'_>,
    area: Rect,
    screen: &PipelineScreen,
    list: List<'_>,
    dossier: &Dossier,
) {
    let list = List {
        height: &|_| 2,
        ..list
    };
    let (now, beat) = (canvas.state.now, canvas.state.beat);
    let reasons = dossier.checkpoints.iter();
    let longest = reasons.map(|one| one.reason.clean().width()).max();
    let room = usize::from(area.width).saturating_sub(BESIDE_REASON);
    let width = longest.unwrap_or_default().clamp(REASON, room.max(REASON));
    list::rows(canvas, area, &list, &mut |row, line| {
        let Some(checkpoint) = dossier.checkpoints.get(row) else {
            return Bits::new();
        };
        if line == 0 {
            Bits::new()
                .cell(Role::Text, checkpoint.reason.clean().clip(width), width)
                .gap(1)
                .cell(Role::Accent, short_id(checkpoint), 11)
                .dim(kind(checkpoint))
                .dim(" · ")
                .dim(format::ago(now, checkpoint.taken_at.map(|at| at.at)))
        } else {
            let load = screen.drifts.known.get(&checkpoint.id);
            Bits::new().gap(2).join(drift(checkpoint, load, beat))
        }
    });
}

/// The first letters of a commit id; another id whole.
pub(crate) fn short_id(checkpoint: &Checkpoint) -> Clean {
    if checkpoint.is_own() || checkpoint.kind.repository().is_some() {
        format::short_id(&checkpoint.id).into()
    } else {
        Clean::new(&checkpoint.id).clip(10)
    }
}

fn kind(checkpoint: &Checkpoint) -> &'static str {
    match checkpoint.kind {
        _ if checkpoint.is_own() => "by relight",
        CheckpointKind::Shadow { .. } => "checkpoint store",
        CheckpointKind::Commit { .. } => "commit",
        CheckpointKind::File { .. } => "file",
        CheckpointKind::Folder { .. } => "directory",
        CheckpointKind::Record { .. } => "record",
    }
}

fn drift(checkpoint: &Checkpoint, load: Option<&Load<Option<Drift>>>, beat: usize) -> Bits {
    match load {
        None | Some(Load::Pending) => {
            Bits::of(Role::Dim, look::spinner(beat)).dim(" measuring drift")
        }
        Some(Load::Failed(trouble)) => Bits::of(Role::Warn, "! ").text(trouble.text.clean()),
        Some(Load::Ready(drift)) => match drift.as_ref() {
            None => Bits::of(Role::Dim, "– ").dim(checkpoint.brings_back.clean()),
            Some(drift) => numbers(drift),
        },
    }
}

/// The four numbers; those that are nothing are dim.
fn numbers(drift: &Drift) -> Bits {
    if drift.modified + drift.missing + drift.created + drift.not_covered == 0 {
        return Bits::of(Role::Good, "✓ the work tree is unchanged");
    }
    let parts = [
        (drift.modified, "modified", Role::Warn),
        (drift.missing, "deleted", Role::Bad),
        (drift.created, "created", Role::Text),
        (drift.not_covered, "not covered", Role::Dim),
    ];
    Bits::dotted(parts.into_iter().map(|(number, word, role)| {
        let role = if number == 0 { Role::Dim } else { role };
        Bits::of(role, clean!("{} {}", number, word))
    }))
}
