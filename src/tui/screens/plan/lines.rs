//! The rows of a plan's outline.

use super::CONTEXT;
use super::{PlanRow, Section, paths};
use crate::model::{GuardKind, WorkItem};
use crate::tui::commands;
use crate::tui::prelude::*;
use crate::tui::screens::{browser, recoveries};

/// How many lines a row takes. Those of which there may be many take one, and are not laid out for it.
pub(crate) fn height(
    screen: &PlanScreen,
    (listed, now, keymap): (&Plan, &Plan, &Keymap),
    row: PlanRow,
    width: usize,
) -> usize {
    match row {
        PlanRow::Action(_) | PlanRow::Folder(..) | PlanRow::Path(..) | PlanRow::Line(..) => 1,
        _ => lines(screen, (listed, now, keymap), row, width).len(),
    }
}

/// True for a row with a blank line above it: a heading with rows below it, unless it is the first, and a line of the
/// briefing that has one there.
pub(crate) fn is_spaced(screen: &PlanScreen, row: PlanRow) -> bool {
    if let PlanRow::Briefing(place) = row {
        let above = place.checked_sub(1).map(PlanRow::Briefing);
        return above.is_some_and(|above| !screen.rows.contains(&above));
    }
    let PlanRow::Head(section) = row else {
        return false;
    };
    // The summary of the guards stays next to what they guard.
    let summed_up = section == Section::Guards && screen.folded.contains(&row);
    let mut rows = screen.rows.iter().skip_while(|one| **one != row).skip(1);
    let holds = rows
        .next()
        .is_some_and(|next| !matches!(next, PlanRow::Head(_)));
    holds && !summed_up && screen.rows.first() != Some(&row)
}

/// The lines of a row: a heading has a blank one above where [`is_spaced`] says so; guards and losses are said in full.
/// `listed` is the plan over all paths, `now` the plan without what is left out.
pub(crate) fn lines(
    screen: &PlanScreen,
    (listed, now, keymap): (&Plan, &Plan, &Keymap),
    row: PlanRow,
    width: usize,
) -> Vec<Bits> {
    let mut above = Bits::new();
    let [redone, kept] = screen.id_widths;
    let line = match row {
        PlanRow::Head(section) => head(screen, now, keymap, section),
        PlanRow::Guard(place) => {
            let guard = now.guards.get(place);
            return guard.map_or_else(Vec::new, |guard| guard_lines(guard, keymap, width));
        }
        PlanRow::Passing => Bits::new()
            .gap(2)
            .dim(fold_sign(screen, row))
            .join(passing(now)),
        PlanRow::Sentence(section, place) => {
            let text = section.sentences(now).into_iter().nth(place);
            return text.map_or_else(Vec::new, |text| sentence_lines(text, keymap, width));
        }
        PlanRow::Action(place) => paths::action_line(screen, listed, now, place, width),
        PlanRow::Folder(action, at) => paths::folder_line(screen, listed, (action, at), width),
        PlanRow::Path(action, path) => paths::path_line(screen, listed, action, path, width),
        PlanRow::Line(action, place) => state_line(listed, action, place),
        PlanRow::Redone(place) => work(&now.redone, place, redone, ("↻ ", Role::Warn)),
        PlanRow::Kept(place) => work(&now.kept, place, kept, ("✓ ", Role::Good)),
        PlanRow::Cwd => labelled("directory ", Role::Text, clean!("{}", now.handoff.cwd)),
        PlanRow::Command => command(now, keymap),
        PlanRow::Prompt => labelled("prompt   ", Role::Text, now.handoff.prompt.verbatim()),
        PlanRow::Briefing(place) => {
            above = Bits::new().gap(4).dim("│");
            let text = now.handoff.briefing.lines().nth(place);
            let lead = Bits::new().gap(4).dim("│ ");
            lead.dim(text.unwrap_or_default().verbatim())
        }
    };
    let above = is_spaced(screen, row).then_some(above);
    above.into_iter().chain([line]).collect()
}

fn head(screen: &PlanScreen, now: &Plan, keymap: &Keymap, section: Section) -> Bits {
    let row = PlanRow::Head(section);
    let folded = screen.folded.contains(&row);
    let title = match section {
        Section::Warnings if screen.is_record() => "Problems",
        _ => section.word(),
    };
    let (number, empty) = match section {
        Section::Guards => (now.guards.len(), now.guards.is_empty()),
        Section::Warnings => (now.warnings.len(), now.warnings.is_empty()),
        // The number of sentences would be read as one of files.
        Section::Overwritten | Section::NotRestored => (0, section.sentences(now).is_empty()),
        Section::Actions => (now.actions.len(), now.actions.is_empty()),
        Section::Redone => (now.redone.len(), now.redone.is_empty()),
        Section::Kept => (now.kept.len(), now.kept.is_empty()),
        Section::Handoff => (0, false),
    };
    if empty {
        let bits = Bits::new().gap(2).title(title);
        return bits.gap(2).dim(section.nothing(now));
    }
    let mut bits = Bits::of(Role::Dim, fold_sign(screen, row)).title(title);
    if number > 0 {
        let is_work = matches!(section, Section::Kept | Section::Redone);
        let unknown = is_work && !now.point.boundary.is_counted();
        let known = if unknown { " known" } else { "" };
        bits = bits.dim(clean!("  {}{}", number, known));
    }
    if section == Section::Guards {
        let refusing = now.guards.iter().filter(|guard| guard.refuses()).count();
        return match (refusing, folded) {
            (0, true) => bits.gap(2).join(passing(now)),
            (0, false) => bits,
            _ => bits.bad(clean!("  ✗ {} blocked", refusing)),
        };
    }
    let work = match section {
        Section::Redone => now.redone.as_slice(),
        Section::Kept => &now.kept,
        _ => &[],
    };
    let total = WorkItem::recorded_time(work).unwrap_or(0);
    if total > 0 {
        bits = bits.dim(clean!("  {} of recorded work", format::duration(total)));
    }
    if folded {
        let enter = keymap.name(Cmd::Enter, [CONTEXT]);
        bits = bits.dim(clean!("  {} unfolds", enter));
    }
    bits
}

pub(super) fn fold_sign(screen: &PlanScreen, row: PlanRow) -> &'static str {
    if screen.folded.contains(&row) {
        "▸ "
    } else {
        "▾ "
    }
}

/// The guards that are ok, in a line.
fn passing(plan: &Plan) -> Bits {
    Bits::of(Role::Good, "✓ ").text(plan.guards_ok().unwrap_or_default())
}

/// The state of a guard.
pub(crate) fn guard_word(guard: &Guard) -> &'static str {
    match guard.kind {
        _ if guard.holds => "ok",
        GuardKind::Must => "blocked",
        GuardKind::Ask => "asks",
    }
}

fn guard_lines(guard: &Guard, keymap: &Keymap, width: usize) -> Vec<Bits> {
    let (sign, role) = match guard.kind {
        _ if guard.holds => ("✓ ", Role::Good),
        GuardKind::Must => ("✗ ", Role::Bad),
        GuardKind::Ask => ("? ", Role::Warn),
    };
    let width = width.max(47);
    let id = Clean::new(&guard.id);
    // That of a question is typed after --accept, so it is whole.
    let id_width = match guard.kind {
        GuardKind::Ask => id.width().max(13),
        GuardKind::Must => 13,
    };
    let lead = Bits::new()
        .gap(2)
        .say(role, sign)
        .cell(role, guard_word(guard), 9)
        .cell(Role::Accent, id, id_width)
        .gap(1);
    let mut lines = paragraph(&lead, Role::Text, &guard.text.clean(), width);
    let keyed = |text: &Clean| commands::keyed(keymap, text, CONTEXT);
    if let Some(remedy) = remedy(guard, keymap, &keyed) {
        let lead = Bits::new().gap(lead.width()).accent("→ ");
        lines.extend(paragraph(&lead, Role::Text, &remedy, width));
    }
    lines
}

/// What to do about a guard that failed. A question is answered where it is asked, so nothing has to be done about it.
pub(crate) fn remedy(
    guard: &Guard,
    keymap: &Keymap,
    keyed: &dyn Fn(&Clean) -> Clean,
) -> Option<Clean> {
    let would = guard.would_hold_if.as_ref().filter(|_| !guard.is_open())?;
    Some(match &*guard.id {
        "pending_recovery" => clean!(
            "Recover it first: in the list of pipelines, {}, then {}.",
            keymap.name(Cmd::Recoveries, [browser::CONTEXT]),
            keymap.name(Cmd::Recover, [recoveries::CONTEXT])
        ),
        _ => keyed(&would.clean()),
    })
}

fn sentence_lines(text: &Foreign, keymap: &Keymap, width: usize) -> Vec<Bits> {
    let lead = Bits::of(Role::Warn, "  ! ");
    let text = commands::keyed(keymap, &text.clean(), CONTEXT);
    paragraph(&lead, Role::Text, &text, width.saturating_sub(2))
}

fn state_line(plan: &Plan, action: usize, place: usize) -> Bits {
    let preview = plan.actions.get(action).map(|action| &action.preview);
    let lead = Bits::new().gap(6);
    let (lead, role, lines) = match preview {
        Some(Preview::Rows { removed, .. }) => (lead.bad("- "), Role::Removed, removed),
        Some(Preview::Lines { appended, .. }) => (lead.good("+ "), Role::Added, appended),
        _ => return Bits::new(),
    };
    lead.say(
        role,
        lines.get(place).map(Foreign::clean).unwrap_or_default(),
    )
}

fn work(
    items: &[WorkItem],
    place: usize,
    id_width: usize,
    (sign, role): (&'static str, Role),
) -> Bits {
    let Some(item) = items.get(place) else {
        return Bits::new();
    };
    let took = item.duration_s.map(format::brief_duration);
    Bits::new()
        .gap(4)
        .say(role, sign)
        .cell(Role::Accent, item.id.clean(), id_width)
        .gap(1)
        .cell(Role::Text, item.label.clean(), 32)
        .gap(1)
        .cell(Role::Dim, took.unwrap_or_default(), 8)
        .dim(item.detail.clean())
}

fn labelled(label: &'static str, role: Role, text: Clean) -> Bits {
    Bits::new()
        .gap(4)
        .cell(Role::Dim, label, 11)
        .say(role, text)
}

fn command(plan: &Plan, keymap: &Keymap) -> Bits {
    if let Some(line) = format::shell_line(&plan.handoff.argv) {
        let copies = clean!("   {} copies it", keymap.name(Cmd::Copy, []));
        return labelled("run", Role::Title, line).dim(copies);
    }
    let why = clean!(
        "not shown: it contains control or invisible characters; {} shows it escaped",
        keymap.name(Cmd::Enter, [CONTEXT])
    );
    labelled("run", Role::Warn, why)
}
