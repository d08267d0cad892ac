//! The rows of a plan's changes: an action, a folder of its paths, a path.

use super::PlanRow;
use crate::model::Forms;
use crate::tui::prelude::*;

/// The columns of the numbers of lines.
const COUNTS: usize = 12;

/// The columns that a name has at least beside other things, where it needs them.
const NAME: usize = 12;

/// An action. Its sentence is that of the plan without what is left out, so that all numbers agree.
pub(super) fn action_line(
    screen: &PlanScreen,
    listed: &Plan,
    now: &Plan,
    place: usize,
    width: usize,
) -> Bits {
    let Some(action) = listed.actions.get(place) else {
        return Bits::new();
    };
    let same = |one: &&Action| one.kind == action.kind && one.target == action.target;
    let now = now.actions.iter().find(same);
    let row = PlanRow::Action(place);
    let opens = match &action.preview {
        Preview::Kept { .. } if action.paths.is_empty() => "± ",
        Preview::Tree { .. }
        | Preview::Rows { .. }
        | Preview::Lines { .. }
        | Preview::Kept { .. } => super::lines::fold_sign(screen, row),
        Preview::Content { .. } => "± ",
        Preview::Appended { .. } => "  ",
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
    // The record of a recovery has what it did, not what its undo would do.
    let phrase = if screen.is_record() {
        action.phrase()
    } else {
        listed.phrase(action)
    };
    let bits = Bits::new()
        .gap(2)
        .dim(opens)
        .dim(tick)
        .cell(role, phrase, 15);
    let room = width.saturating_sub(bits.width() + 3);
    let whole = clean!("{}", action.target);
    let target = whole.clip_start(room.clamp(12, 60));
    let bits = bits.file(Role::Text, target, &action.target.as_path().into());
    let bits = bits.aloud(whole);
    let bits = match &action.preview {
        Preview::Rename { to } => bits.dim(" → ").text(clean!("{}", to)),
        _ => bits,
    };
    let summary = match now {
        Some(now) if screen.is_record() && !screen.is_unapplied() => now.done(),
        Some(now) => now.summary.clean(),
        None => Clean::new(left_out(screen)),
    };
    bits.dim("  ").dim(summary)
}

fn left_out(screen: &PlanScreen) -> &'static str {
    if screen.keeps_paths() {
        "kept as now"
    } else {
        "excluded"
    }
}

/// True where paths are only listed.
fn is_fixed(screen: &PlanScreen) -> bool {
    screen.is_record() && !screen.keeps_paths()
}

/// A folder: how many of its files change, and by how many lines.
pub(super) fn folder_line(
    screen: &PlanScreen,
    plan: &Plan,
    (action, at): (usize, usize),
    width: usize,
) -> Bits {
    let (Some(folder), Some(of)) = (screen.folder(action, at), plan.actions.get(action)) else {
        return Bits::new();
    };
    let around = screen.within(action, &folder.paths, folder.depth);
    let from = around.map_or(0, |(_, around)| around.bytes);
    let path = of.paths.get(folder.paths.start);
    let name = path.and_then(|path| path.path.as_bytes().get(from..folder.bytes));
    let name = Foreign::from(name.unwrap_or_default()).clean();
    let changed: Vec<usize> = folder
        .paths
        .clone()
        .filter(|path| of.changes_file(*path))
        .collect();
    let chosen = changed
        .iter()
        .filter(|path| !screen.left_out(plan, action, Some(**path)));
    let chosen: Vec<(usize, usize)> = chosen.map(|path| (action, *path)).collect();
    let tick = match chosen.len() {
        _ if is_fixed(screen) || changed.is_empty() => "",
        0 => "[ ] ",
        number if number == changed.len() => "[x] ",
        _ => "[-] ",
    };
    let look = match tick {
        "[x] " => Role::Dim,
        _ => Role::Warn,
    };
    let known = chosen.iter().filter_map(|path| screen.counted.get(path));
    let number = known.clone().count();
    let sum = known.flatten().fold(Stats::default(), |sum, stats| Stats {
        added: sum.added + stats.added,
        removed: sum.removed + stats.removed,
    });
    let files = match (chosen.len(), changed.len()) {
        (_, 0) => clean!("{} kept", format::count(folder.paths.len(), "file")),
        (some, all) if some < all => clean!("{} of {}", some, format::count(all, "file")),
        (_, all) => format::count(all, "file").into(),
    };
    let bits = Bits::new()
        .gap(4 + 2 * folder.depth)
        .dim(super::lines::fold_sign(screen, PlanRow::Folder(action, at)))
        .say(look, tick);
    let lines = (number == chosen.len() && number > 0).then(|| lines_changed(sum));
    let files = Bits::new().gap(2).dim(files).gap(2);
    let files = files.join(lines.unwrap_or_default());
    let room = width.saturating_sub(bits.width() + files.width());
    let said = clean!("folder {}", name);
    let bits = bits.ending(Role::Title, name, room.max(8)).aloud(said);
    bits.join(files)
}

/// The lines that come and go.
fn lines_changed(Stats { removed, added }: Stats) -> Bits {
    Bits::of(Role::Good, clean!("+{}", added))
        .gap(1)
        .bad(clean!("−{}", removed))
}

/// What becomes of the mode and the type of a path, in this many cells.
pub(crate) fn form_change(forms: Forms, most: usize) -> Bits {
    let said = forms
        .said()
        .map(|said| Clean::from(said).clip(most.saturating_sub(2)));
    said.map_or_else(Bits::new, |said| Bits::of(Role::Warn, said).gap(2))
}

/// A path, relative to the folder that it is listed in.
pub(super) fn path_line(
    screen: &PlanScreen,
    plan: &Plan,
    action: usize,
    place: usize,
    width: usize,
) -> Bits {
    let found = plan.actions.get(action);
    let found = found.and_then(|of| Some((of, of.paths.get(place)?)));
    let Some((of, path)) = found else {
        return Bits::new();
    };
    let (sign, word, role) = look::change(path.change);
    let open = of.is_only_planned(Some(place)) || of.keeps_nothing(Some(place));
    let changes = of.changes_file(place);
    let word = if changes && screen.is_unapplied() && open {
        "planned"
    } else {
        word
    };
    let is_out = screen.left_out(plan, action, Some(place));
    let fixed = !changes || is_fixed(screen);
    let (tick, role, text_role) = match (fixed, is_out) {
        (true, _) if screen.is_record() => ("    ", role, Role::Text),
        (true, _) => ("    ", role, Role::Dim),
        (false, false) => ("[x] ", role, Role::Text),
        (false, true) => ("[ ] ", Role::Dim, Role::Dim),
    };
    let folder = screen.within(action, &(place..place + 1), usize::MAX);
    let (depth, from) = folder.map_or((0, 0), |(_, folder)| (folder.depth + 1, folder.bytes));
    let stats = screen.counted.get(&(action, place)).copied();
    let stats = stats.flatten().map_or_else(Bits::new, lines_changed);
    let mark = if path.drifted { "modified since  " } else { "" };
    let name = path.path.as_bytes().get(from..).unwrap_or_default();
    let name = Foreign::from(name).clean();
    let bits = Bits::new()
        .gap(6 + 2 * depth)
        .say(if is_out { Role::Warn } else { Role::Dim }, tick)
        .say(role, sign)
        .gap(1)
        .cell(role, if is_out { left_out(screen) } else { word }, 14);
    let forms = form_change(path.forms, usize::MAX);
    // The name has some room beside what becomes of its mode and type.
    let least = name.width().min(NAME);
    let counts = stats.clone().pad(COUNTS);
    let others = bits.width() + mark.len() + forms.width() + least;
    let fits = others + counts.width() <= width;
    let counts = if forms.width() == 0 || fits {
        counts
    } else {
        stats.gap(1)
    };
    let bits = bits.join(counts).bad(mark);
    let most = width.saturating_sub(bits.width() + least);
    let bits = bits.join(form_change(path.forms, most));
    let room = width.saturating_sub(bits.width());
    bits.ending(text_role, name, room.max(8))
}
