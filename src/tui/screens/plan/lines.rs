//! The rows of a plan's outline.

use crate::clean;
use crate::model::{ActionKind, Clean, Foreign, Guard, GuardKind, Plan, Preview, WorkItem};
use crate::text::format;
use crate::tui::screens::plan::{PlanRow, PlanScreen, Section, touched};
use crate::tui::theme::Role;
use crate::tui::view::look;
use crate::tui::view::paragraph;
use crate::tui::view::pen::Bits;

/// How many lines a row takes. Headings have a blank line above; guards and losses are said in full.
pub(crate) fn height(plan: &Plan, row: PlanRow, width: usize) -> usize {
    match row {
        PlanRow::Head(Section::Guards) => 1,
        PlanRow::Head(_) => 2,
        PlanRow::Guard(place) => plan
            .guards
            .get(place)
            .map_or(1, |guard| guard_lines(guard, width).len()),
        PlanRow::Sentence(section, place) => {
            let sentence = section.sentences(plan).into_iter().nth(place);
            sentence.map_or(1, |text| sentence_lines(text, width).len())
        }
        _ => 1,
    }
}

/// True for a row with a blank line above it.
pub(crate) fn is_spaced(row: PlanRow) -> bool {
    matches!(row, PlanRow::Head(section) if section != Section::Guards)
}

/// One line of a row. `listed` is the plan over all paths, `now` the plan without what is left out.
pub(crate) fn line(
    screen: &PlanScreen,
    listed: &Plan,
    now: &Plan,
    row: PlanRow,
    line: usize,
    width: usize,
) -> Bits {
    match row {
        PlanRow::Head(Section::Guards) => head(screen, listed, now, Section::Guards),
        PlanRow::Head(_) if line == 0 => Bits::new(),
        PlanRow::Head(section) => head(screen, listed, now, section),
        PlanRow::Nothing(section) => Bits::new().gap(4).say(Role::Dim, nothing(section)),
        PlanRow::Guard(place) => {
            let lines = now.guards.get(place).map(|guard| guard_lines(guard, width));
            lines
                .and_then(|lines| lines.into_iter().nth(line))
                .unwrap_or_default()
        }
        PlanRow::Sentence(section, place) => {
            let text = section.sentences(now).into_iter().nth(place);
            let lines = text.map(|text| sentence_lines(text, width));
            lines
                .and_then(|lines| lines.into_iter().nth(line))
                .unwrap_or_default()
        }
        PlanRow::Action(place) => action_line(screen, listed, place, width),
        PlanRow::Path(action, path) => path_line(screen, listed, action, path, width),
        PlanRow::Line(action, place) => state_line(listed, action, place),
        PlanRow::Redone(place) => listed
            .redone
            .get(place)
            .map_or_else(Bits::new, |item| work(item, "↻ ", Role::Warn)),
        PlanRow::Kept(place) => listed
            .kept
            .get(place)
            .map_or_else(Bits::new, |item| work(item, "✓ ", Role::Good)),
        PlanRow::Cwd => labelled("directory ", Role::Text, clean!("{}", listed.handoff.cwd)),
        PlanRow::Command => command(listed),
        PlanRow::Prompt => labelled("prompt   ", Role::Text, listed.handoff.prompt.clean()),
        PlanRow::Briefing(place) => Bits::new().gap(4).say(Role::Dim, "│ ").say(
            Role::Dim,
            listed
                .handoff
                .briefing
                .lines()
                .nth(place)
                .unwrap_or_default()
                .clean(),
        ),
    }
}

fn head(screen: &PlanScreen, listed: &Plan, now: &Plan, section: Section) -> Bits {
    let folded = screen.folded.contains(&PlanRow::Head(section));
    let title = match section {
        Section::Warnings if screen.is_record() => "Problems",
        _ => section.title(),
    };
    let number = match section {
        Section::Guards => now.guards.len(),
        Section::Warnings | Section::Overwritten | Section::NotRestored => {
            section.sentences(now).len()
        }
        Section::Actions => listed.actions.len(),
        Section::Redone => listed.redone.len(),
        Section::Kept => listed.kept.len(),
        Section::Handoff => 0,
    };
    let mut bits = Bits::of(Role::Dim, if folded { "▸ " } else { "▾ " }).say(Role::Title, title);
    if number > 0 {
        bits = bits.say(Role::Dim, clean!("  {}", number));
    }
    if section == Section::Guards {
        let refusing = now.guards.iter().filter(|guard| guard.refuses()).count();
        if refusing > 0 {
            bits = bits.say(Role::Bad, clean!("  ✗ {} blocked", refusing));
        }
    }
    let total: u64 = match section {
        Section::Redone => listed
            .redone
            .iter()
            .filter_map(|item| item.duration_s)
            .sum(),
        Section::Kept => listed.kept.iter().filter_map(|item| item.duration_s).sum(),
        _ => 0,
    };
    if total > 0 {
        bits = bits.say(
            Role::Dim,
            clean!("  {} of recorded work", format::duration(total)),
        );
    }
    if folded {
        bits = bits.say(Role::Dim, "  Enter unfolds");
    }
    bits
}

fn nothing(section: Section) -> &'static str {
    match section {
        Section::Guards => "No conditions.",
        Section::Warnings
        | Section::Overwritten
        | Section::NotRestored
        | Section::Redone
        | Section::Kept => "Nothing.",
        Section::Actions => "No changes.",
        Section::Handoff => "No hand-off.",
    }
}

fn guard_lines(guard: &Guard, width: usize) -> Vec<Bits> {
    let (sign, role, word) = match guard.kind {
        _ if guard.holds => ("✓ ", Role::Good, "ok     "),
        GuardKind::Must => ("✗ ", Role::Bad, "blocked"),
        GuardKind::Ask => ("? ", Role::Warn, "asks   "),
    };
    let width = width.max(47);
    let lead = Bits::new()
        .gap(2)
        .say(role, sign)
        .say(role, word)
        .gap(2)
        .cell(Role::Accent, &*guard.id, 13)
        .gap(1);
    let mut lines = paragraph(&lead, Role::Text, &guard.text.clean(), width);
    // A question is answered where it is asked, so nothing has to be done about it here.
    if let Some(would) = guard.would_hold_if.as_ref().filter(|_| !guard.is_open()) {
        let lead = Bits::new().gap(lead.width()).say(Role::Accent, "→ ");
        lines.extend(paragraph(&lead, Role::Text, &would.clean(), width));
    }
    lines
}

fn sentence_lines(text: &Foreign, width: usize) -> Vec<Bits> {
    let lead = Bits::of(Role::Warn, "  ! ");
    paragraph(&lead, Role::Text, &text.clean(), width.saturating_sub(2))
}

/// What an action does, in a verb.
pub(crate) fn verb(kind: ActionKind) -> &'static str {
    match kind {
        ActionKind::RestoreTree => "restore files",
        ActionKind::ResetWorktree => "reset worktree",
        ActionKind::ReplaceFile => "rewrite file",
        ActionKind::TruncateRows => "remove rows",
        ActionKind::AppendLines => "append lines",
        ActionKind::MoveAside => "move aside",
    }
}

fn action_line(screen: &PlanScreen, listed: &Plan, place: usize, width: usize) -> Bits {
    let Some(action) = listed.actions.get(place) else {
        return Bits::new();
    };
    let row = PlanRow::Action(place);
    let opens = match &action.preview {
        Preview::Kept { .. } if action.paths.is_empty() => "± ",
        Preview::Tree { .. }
        | Preview::Rows { .. }
        | Preview::Lines { .. }
        | Preview::Kept { .. } => {
            if screen.folded.contains(&row) {
                "▸ "
            } else {
                "▾ "
            }
        }
        Preview::Content { .. } => "± ",
        Preview::Rename { .. } => "→ ",
    };
    let role = match action.kind {
        ActionKind::AppendLines => Role::Good,
        ActionKind::RestoreTree | ActionKind::ReplaceFile => Role::Warn,
        ActionKind::ResetWorktree | ActionKind::TruncateRows | ActionKind::MoveAside => Role::Bad,
    };
    // The one path of an action that lists none can be left out of an undo by itself.
    let alone = screen.keeps_paths() && action.paths.is_empty();
    let tick = match (alone, screen.left_out(listed, place, None)) {
        (false, _) => "",
        (true, false) => "[x] ",
        (true, true) => "[ ] ",
    };
    let bits = Bits::new()
        .gap(2)
        .say(Role::Dim, opens)
        .say(Role::Dim, tick)
        .cell(role, verb(action.kind), 15);
    let room = width.saturating_sub(bits.width() + 3);
    let target = clean!("{}", action.target).clip_start(room.clamp(12, 60));
    let bits = bits.say(Role::Text, target);
    let bits = match &action.preview {
        Preview::Rename { to } => bits.say(Role::Dim, " → ").say(Role::Text, clean!("{}", to)),
        _ => bits,
    };
    bits.say(Role::Dim, "  ")
        .say(Role::Dim, action.summary.clean())
}

fn path_line(screen: &PlanScreen, plan: &Plan, action: usize, place: usize, width: usize) -> Bits {
    let found = plan
        .actions
        .get(action)
        .and_then(|action| action.paths.get(place));
    let Some(path) = found else {
        return Bits::new();
    };
    let (sign, word, role) = look::change(path.change);
    let left_out = screen.left_out(plan, action, Some(place));
    let out = if screen.keeps_paths() {
        "kept as now"
    } else {
        "excluded"
    };
    let fixed = !touched(path.change) || (screen.is_record() && !screen.keeps_paths());
    let (tick, role, text_role) = match (fixed, left_out) {
        (true, _) if screen.is_record() => ("    ", role, Role::Text),
        (true, _) => ("    ", role, Role::Dim),
        (false, false) => ("[x] ", role, Role::Text),
        (false, true) => ("[ ] ", Role::Dim, Role::Dim),
    };
    let bits = Bits::new()
        .gap(6)
        .say(if left_out { Role::Warn } else { Role::Dim }, tick)
        .say(role, sign)
        .gap(1)
        .cell(role, if left_out { out } else { word }, 14);
    let mark = if path.drifted { "modified since  " } else { "" };
    let bits = bits.say(Role::Bad, mark);
    let room = width.saturating_sub(bits.width());
    bits.say(text_role, path.path.clean().clip_start(room.max(8)))
}

fn state_line(plan: &Plan, action: usize, place: usize) -> Bits {
    let preview = plan.actions.get(action).map(|action| &action.preview);
    match preview {
        Some(Preview::Rows { removed, .. }) => Bits::new().gap(6).say(Role::Bad, "- ").say(
            Role::Removed,
            removed.get(place).map(Foreign::clean).unwrap_or_default(),
        ),
        Some(Preview::Lines { appended, .. }) => Bits::new().gap(6).say(Role::Good, "+ ").say(
            Role::Added,
            appended.get(place).map(Foreign::clean).unwrap_or_default(),
        ),
        _ => Bits::new(),
    }
}

fn work(item: &WorkItem, sign: &'static str, role: Role) -> Bits {
    let took = item
        .duration_s
        .map(format::brief_duration)
        .unwrap_or_default();
    Bits::new()
        .gap(4)
        .say(role, sign)
        .cell(Role::Accent, item.id.clean(), 8)
        .gap(1)
        .cell(Role::Text, item.label.clean(), 32)
        .gap(1)
        .cell(Role::Dim, took, 8)
        .say(Role::Dim, item.detail.clean())
}

fn labelled(label: &'static str, role: Role, text: Clean) -> Bits {
    Bits::new()
        .gap(4)
        .cell(Role::Dim, label, 11)
        .say(role, text)
}

fn command(plan: &Plan) -> Bits {
    match format::shell_line(&plan.handoff.argv) {
        Some(line) => labelled("run", Role::Title, line.into()).say(Role::Dim, "   y copies it"),
        None => labelled(
            "run",
            Role::Warn,
            Clean::new(
                "not shown: it contains control or invisible characters; Enter shows it escaped",
            ),
        ),
    }
}
