//! The rows of a plan's outline.

use super::look;
use super::pen::Bits;
use crate::clean;
use crate::model::{ActionKind, Clean, Foreign, Guard, GuardKind, Plan, Preview, WorkItem};
use crate::tui::state::plan::{PlanRow, PlanScreen, Section, touched};
use crate::tui::theme::Role;
use crate::tui::words::{self, wrap};

/// How many lines a row takes. Headings have a blank line above; guards and losses are said in full.
pub(super) fn height(plan: &Plan, row: PlanRow, width: usize) -> usize {
    match row {
        PlanRow::Head(Section::Guards) => 1,
        PlanRow::Head(_) => 2,
        PlanRow::Guard(place) => plan
            .guards
            .get(place)
            .map_or(1, |guard| guard_lines(guard, width).len()),
        PlanRow::Loss(place) => plan
            .losses
            .get(place)
            .map_or(1, |loss| loss_lines(loss, width).len()),
        _ => 1,
    }
}

/// True for a row with a blank line above it.
pub(super) fn is_spaced(row: PlanRow) -> bool {
    matches!(row, PlanRow::Head(section) if section != Section::Guards)
}

/// One line of a row. `listed` is the plan over all paths, `now` the plan as it stands.
pub(super) fn line(
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
        PlanRow::Nothing(section) => Bits::new()
            .say(Role::Text, "    ")
            .say(Role::Dim, nothing(section)),
        PlanRow::Guard(place) => {
            let lines = now.guards.get(place).map(|guard| guard_lines(guard, width));
            lines
                .and_then(|lines| lines.into_iter().nth(line))
                .unwrap_or_default()
        }
        PlanRow::Loss(place) => {
            let lines = now
                .concerns()
                .nth(place)
                .map(|loss| loss_lines(loss, width));
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
        PlanRow::Cwd => labelled("stand in ", Role::Text, clean!("{}", listed.handoff.cwd)),
        PlanRow::Command => command(listed),
        PlanRow::Prompt => labelled("prompt   ", Role::Text, listed.handoff.prompt.clean()),
        PlanRow::Briefing(place) => Bits::new()
            .say(Role::Text, "    ")
            .say(Role::Dim, "│ ")
            .add(
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
    let (title, number) = match section {
        Section::Guards => ("Guards", now.guards.len()),
        Section::Losses if screen.is_record() => ("What was found", now.concerns().count()),
        Section::Losses => ("Lost or left behind", now.concerns().count()),
        Section::Actions => ("On disk", listed.actions.len()),
        Section::Redone => ("Redone", listed.redone.len()),
        Section::Kept => ("Kept", listed.kept.len()),
        Section::Handoff => ("Hand-off", 0),
    };
    let mut bits = Bits::new()
        .say(Role::Dim, if folded { "▸ " } else { "▾ " })
        .say(Role::Title, title);
    if number > 0 {
        bits = bits.add(Role::Dim, clean!("  {}", number));
    }
    if section == Section::Guards {
        let refusing = now.guards.iter().filter(|guard| guard.refuses()).count();
        if refusing > 0 {
            let verb = if refusing == 1 { "refuses" } else { "refuse" };
            bits = bits.add(Role::Bad, clean!("  ✗ {} {}", refusing, verb));
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
        bits = bits.add(
            Role::Dim,
            clean!("  {} of recorded work", words::duration(total)),
        );
    }
    if folded {
        bits = bits.say(Role::Dim, "  Enter unfolds");
    }
    bits
}

fn nothing(section: Section) -> &'static str {
    match section {
        Section::Guards => "No condition has to hold.",
        Section::Losses => "Nothing is lost.",
        Section::Actions => "Nothing on disk would change.",
        Section::Redone => "Nothing is done again.",
        Section::Kept => "Nothing is kept.",
        Section::Handoff => "There is nothing to hand over.",
    }
}

fn guard_lines(guard: &Guard, width: usize) -> Vec<Bits> {
    let (sign, role, word) = match guard.kind {
        _ if guard.holds => ("✓ ", Role::Good, "holds  "),
        GuardKind::Must => ("✗ ", Role::Bad, "refuses"),
        GuardKind::Ask => ("? ", Role::Warn, "asks   "),
    };
    let room = width.saturating_sub(27).max(20);
    let mut lines: Vec<Bits> = Vec::new();
    for (place, text) in wrap(&guard.text.clean(), room).into_iter().enumerate() {
        let lead = if place == 0 {
            Bits::new()
                .say(Role::Text, "  ")
                .say(role, sign)
                .say(role, word)
                .say(Role::Text, "  ")
                .join(Bits::new().add(Role::Accent, Clean::new(&guard.id)).pad(13))
                .say(Role::Text, " ")
        } else {
            Bits::new().pad(27)
        };
        lines.push(lead.add(Role::Text, text));
    }
    // A question is answered where it is asked, so nothing has to be done about it here.
    if let Some(would) = guard.would_hold_if.as_ref().filter(|_| !guard.is_open()) {
        for (place, text) in wrap(&words::cure(would), room.saturating_sub(2))
            .into_iter()
            .enumerate()
        {
            let lead = if place == 0 { "→ " } else { "  " };
            lines.push(
                Bits::new()
                    .pad(27)
                    .say(Role::Accent, lead)
                    .add(Role::Text, text),
            );
        }
    }
    lines
}

fn loss_lines(loss: &Foreign, width: usize) -> Vec<Bits> {
    let mut lines = Vec::new();
    for (place, text) in wrap(&loss.clean(), width.saturating_sub(6).max(20))
        .into_iter()
        .enumerate()
    {
        let lead = if place == 0 { "  ! " } else { "    " };
        lines.push(Bits::new().say(Role::Warn, lead).add(Role::Text, text));
    }
    lines
}

/// What an action does, in a verb.
pub(super) fn verb(kind: ActionKind) -> &'static str {
    match kind {
        ActionKind::RestoreTree => "restore files",
        ActionKind::ResetWorktree => "reset worktree",
        ActionKind::ReplaceFile => "rewrite file",
        ActionKind::TruncateRows => "cut rows",
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
    let alone = screen.is_undo() && action.paths.is_empty();
    let tick = match (alone, screen.left_out(listed, place, None)) {
        (false, _) => "",
        (true, false) => "[x] ",
        (true, true) => "[ ] ",
    };
    let bits = Bits::new()
        .say(Role::Text, "  ")
        .say(Role::Dim, opens)
        .say(Role::Dim, tick)
        .join(Bits::new().say(role, verb(action.kind)).pad(15));
    let room = width.saturating_sub(bits.width() + 3);
    let target = clean!("{}", action.target).clip_start(room.clamp(12, 60));
    let bits = bits.add(Role::Text, target);
    let bits = match &action.preview {
        Preview::Rename { to } => bits.say(Role::Dim, " → ").add(Role::Text, clean!("{}", to)),
        _ => bits,
    };
    bits.say(Role::Dim, "  ")
        .add(Role::Dim, action.summary.clean())
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
    let out = if screen.is_undo() {
        "kept as now"
    } else {
        "left out"
    };
    let fixed = !touched(path.change) || screen.is_record();
    let (tick, role, text_role) = match (fixed, left_out) {
        (true, _) if screen.is_record() => ("    ", role, Role::Text),
        (true, _) => ("    ", role, Role::Dim),
        (false, false) => ("[x] ", role, Role::Text),
        (false, true) => ("[ ] ", Role::Dim, Role::Dim),
    };
    let bits = Bits::new()
        .say(Role::Text, "      ")
        .say(if left_out { Role::Warn } else { Role::Dim }, tick)
        .say(role, sign)
        .say(Role::Text, " ")
        .join(
            Bits::new()
                .say(role, if left_out { out } else { word })
                .pad(14),
        );
    let mark = if path.drifted { "changed since  " } else { "" };
    let bits = bits.say(Role::Bad, mark);
    let room = width.saturating_sub(bits.width());
    bits.add(text_role, path.path.clean().clip_start(room.max(8)))
}

fn state_line(plan: &Plan, action: usize, place: usize) -> Bits {
    let preview = plan.actions.get(action).map(|action| &action.preview);
    match preview {
        Some(Preview::Rows { removed, .. }) => Bits::new()
            .say(Role::Text, "      ")
            .say(Role::Bad, "- ")
            .add(
                Role::Removed,
                removed.get(place).map(Foreign::clean).unwrap_or_default(),
            ),
        Some(Preview::Lines { appended, .. }) => Bits::new()
            .say(Role::Text, "      ")
            .say(Role::Good, "+ ")
            .add(
                Role::Added,
                appended.get(place).map(Foreign::clean).unwrap_or_default(),
            ),
        _ => Bits::new(),
    }
}

fn work(item: &WorkItem, sign: &'static str, role: Role) -> Bits {
    let took = item.duration_s.map(words::duration).unwrap_or_default();
    Bits::new()
        .say(Role::Text, "    ")
        .say(role, sign)
        .join(Bits::new().add(Role::Accent, item.id.clean()).pad(8))
        .say(Role::Text, " ")
        .join(Bits::new().add(Role::Text, item.label.clean()).pad(32))
        .say(Role::Text, " ")
        .join(Bits::new().add(Role::Dim, took).pad(8))
        .add(Role::Dim, item.detail.clean())
}

fn labelled(label: &'static str, role: Role, text: Clean) -> Bits {
    Bits::new()
        .say(Role::Text, "    ")
        .join(Bits::new().say(Role::Dim, label).pad(11))
        .add(role, text)
}

fn command(plan: &Plan) -> Bits {
    match words::shell_line(&plan.handoff.argv) {
        Some(line) => labelled("run", Role::Title, line).say(Role::Dim, "   y copies"),
        None => labelled(
            "run",
            Role::Warn,
            Clean::new("the command holds characters that must not be pasted; Enter shows it"),
        ),
    }
}
