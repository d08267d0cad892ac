//! The question before a plan is applied: what it does, the counts, the paths; then what is lost, the worst last, and
//! next to the prompt how it is undone.

use crate::model::{CheckpointNeed, short_id};
use crate::tui::prelude::*;
use crate::tui::screens::outcome;
use crate::tui::screens::plan as plan_screen;
use crate::tui::screens::plan::Section;

/// The most names that are listed; the plan lists all of them.
const NAMES: usize = 2_000;

/// The title.
pub(crate) fn title(plan: &Plan) -> &'static str {
    match plan.asked.reversal() {
        None => "Apply this plan?",
        Some((Reversal::Undo, _)) => "Undo this recovery?",
        Some((Reversal::Redo, _)) => "Redo this recovery?",
    }
}

/// What stays on top whatever is scrolled: the sentence that says what would be done, in a window of at most so many
/// lines with the path of the project shortened, and the numbers.
pub(crate) fn head(state: &State, plan: &Plan, (width, most): (usize, usize)) -> Vec<Bits> {
    let totals = plan_screen::totals(&Bits::new(), plan, width);
    let room = most.saturating_sub(totals.len() + 1).max(1);
    let mut head = sentence(state, plan, (width, room));
    head.push(choices(state, plan));
    head.extend(totals);
    head
}

/// The text below, which of its lines name replaced files, and how many more are replaced and named in the plan alone. A
/// long list is first shown at its end: what is overwritten, by name, and how that is undone.
pub(crate) fn lines(
    state: &State,
    plan: &Plan,
    command: Option<&Clean>,
    kept_in: Option<&Path>,
    width: usize,
) -> (Vec<Bits>, Replaced) {
    let command = command.map(|line| state.found_by.line(line));
    let mut lines = shell(command.as_ref(), width);
    let (other, lost) = names(plan, width);
    lines.extend(short(other).0);
    lines.extend(inverses(plan, width));
    for section in [Section::Warnings, Section::NotRestored] {
        lines.extend(heading(section, plan, false));
        lines.extend(sentences(section, plan, width));
    }
    lines.extend(heading(Section::Overwritten, plan, !lost.is_empty()));
    let first = lines.len();
    let (shown, more) = short(lost);
    lines.extend(shown);
    let replaced = Replaced {
        lines: first..lines.len() - usize::from(more > 0),
        more,
    };
    lines.extend(sentences(Section::Overwritten, plan, width));
    lines.extend(tail(state, plan, kept_in, width));
    (lines, replaced)
}

/// The names of replaced files in the text of a dialog.
#[derive(Debug, Default)]
pub(crate) struct Replaced {
    /// The lines with a name each.
    pub(crate) lines: std::ops::Range<usize>,
    /// How many are named in the plan alone.
    pub(crate) more: usize,
}

/// The title of a section that says something, or under which something is named.
fn heading(section: Section, plan: &Plan, names: bool) -> Option<Bits> {
    let says = names || !section.sentences(plan).is_empty();
    says.then(|| Bits::of(Role::Title, section.word()))
}

fn sentences(section: Section, plan: &Plan, width: usize) -> Vec<Bits> {
    let lead = Bits::of(Role::Bad, "! ");
    let of = |text: &Foreign| paragraph(&lead, Role::Warn, &text.clean(), width);
    section.sentences(plan).into_iter().flat_map(of).collect()
}

/// Crucible's own sentence where files come from a checkpoint; its counterpart elsewhere.
fn sentence(state: &State, plan: &Plan, (width, most): (usize, usize)) -> Vec<Bits> {
    let target = plan.actions.first().map(|action| &action.target);
    let pipeline = state.browser.pipeline(&plan.pipeline);
    let known = pipeline.map(|known| {
        let reading = &known.reading;
        reading.work_tree.as_ref().unwrap_or(&reading.root)
    });
    let project = known
        .or(target)
        .map_or_else(|| Path::new(""), PathBuf::as_path);
    let whole = clean!("{}", project);
    let about = |project: &Clean| about(pipeline.map(Arc::as_ref), plan, project);
    let lines = |text: &Clean| paragraph(&Bits::new(), Role::Title, text, width);
    let text = about(&whole);
    let full = lines(&text);
    if full.len() <= most {
        return full;
    }
    let beside = text.width().saturating_sub(whole.width());
    let room = (most * width).saturating_sub(beside + width / 4);
    let short = about(&format::shorten_path(project, room.max(width / 3)));
    // A word that does not fit leaves the end of a line empty.
    let ends = (width / 4..=most * width).rev().step_by(4);
    let mut cut = ends.map(|cells| lines(&short.clone().clip(cells)));
    cut.find(|lines| lines.len() <= most).unwrap_or_default()
}

fn about(pipeline: Option<&Pipeline>, plan: &Plan, project: &Clean) -> Clean {
    let restores = restores(plan);
    match (plan.asked.reversal(), &plan.point.boundary.checkpoint) {
        (Some((Reversal::Undo, recovery)), _) => {
            clean!("About to undo {} in {}.", recovery.0, project)
        }
        (Some((Reversal::Redo, recovery)), _) => {
            clean!("About to redo {} in {}.", recovery.0, project)
        }
        (None, CheckpointNeed::Found(checkpoint)) if restores => {
            let taken = checkpoint.taken_at.map(|at| at.words());
            let taken = taken.unwrap_or_else(|| "at an unknown time".to_owned());
            let branch = pipeline.and_then(|pipeline| pipeline.reading.branch.as_ref());
            let branch = branch.and_then(|b| b.expected.as_ref().or(b.actual.as_ref()));
            let branch = branch.map_or_else(|| Clean::new("not recorded"), Foreign::clean);
            clean!(
                "About to restore {} to checkpoint {} (taken {}, branch {}).",
                project,
                checkpoint.reason,
                taken,
                branch
            )
        }
        (None, _) => clean!(
            "About to resume {} at {}, in {}.",
            plan.pipeline.0,
            plan.point.boundary.id.0,
            project
        ),
    }
}

fn restores(plan: &Plan) -> bool {
    plan.actions.iter().any(|action| action.kind.touches_tree())
}

/// What the person chose, and which plan it is.
fn choices(state: &State, plan: &Plan) -> Bits {
    let restores = restores(plan);
    let mode = match &plan.asked {
        Asked::Resume { options, .. } if restores => match options.mode {
            RestoreMode::Overlay => "overlay: files created later are kept",
            RestoreMode::Exact => "exact: files created later are moved aside",
        },
        Asked::Resume { .. } | Asked::Undo { .. } => "",
    };
    let said = if plan.assumes_stopped() {
        "   treated as stopped"
    } else {
        ""
    };
    let screen = state.layers.all::<PlanScreen>().last();
    Bits::of(Role::Dim, "fingerprint ")
        .text(Clean::new(short_id(&plan.fingerprint.0)))
        .dim("   ")
        .warn(screen.map(plan_screen::excluded).unwrap_or_default())
        .accent(mode)
        .warn(said)
}

/// The names of what is touched: those that come back or are added to, then those of which something is replaced.
fn names(plan: &Plan, width: usize) -> (Vec<Bits>, Vec<Bits>) {
    let (mut other, mut replaced) = (Vec::new(), Vec::new());
    for action in &plan.actions {
        let target = clean!("{}", action.target);
        if action.paths.is_empty() {
            let bits = Bits::new().gap(2).cell(Role::Dim, plan.phrase(action), 15);
            let room = width.saturating_sub(bits.width()).max(8);
            let creates = action.change() == Some(PathChange::Create);
            let list = match action.kind {
                ActionKind::AppendLines => &mut other,
                _ if creates => &mut other,
                _ => &mut replaced,
            };
            list.push(bits.ending(Role::Text, target, room));
            continue;
        }
        let paths = action.paths.iter().enumerate();
        for (_, path) in paths.filter(|(at, _)| action.changes_file(*at)) {
            let (sign, word, role) = look::change(path.change);
            let bits = Bits::new()
                .gap(2)
                .say(role, sign)
                .gap(1)
                .cell(role, word, 13)
                .bad(if path.drifted { "modified since  " } else { "" })
                .join(plan_screen::form_change(path.forms, usize::MAX));
            let room = width.saturating_sub(bits.width()).max(8);
            let list = match path.change {
                PathChange::Create => &mut other,
                _ => &mut replaced,
            };
            list.push(bits.ending(Role::Text, path.path.clean(), room));
        }
    }
    (other, replaced)
}

/// The first names, and how many more there are, which the last line says.
fn short(mut names: Vec<Bits>) -> (Vec<Bits>, usize) {
    let more = names.len().saturating_sub(NAMES);
    if more > 0 {
        names.truncate(NAMES);
        let text = clean!("  (+{} more, listed in the plan)", more);
        names.push(Bits::of(Role::Dim, text));
    }
    (names, more)
}

fn shell(command: Option<&Clean>, width: usize) -> Vec<Bits> {
    let lead = Bits::of(Role::Dim, "  $ ");
    let lines = |command| paragraph(&lead, Role::Dim, command, width);
    command.map(lines).unwrap_or_default()
}

/// What undoing it would do, action by action.
fn inverses(plan: &Plan, width: usize) -> Vec<Bits> {
    if matches!(plan.asked, Asked::Undo { .. }) {
        return Vec::new();
    }
    let mut lines = vec![Bits::of(Role::Title, "An undo")];
    for (place, action) in plan.actions.iter().rev().enumerate() {
        let lead = Bits::of(Role::Dim, clean!("  {}. ", place + 1));
        lines.extend(paragraph(&lead, Role::Text, &inverse(action, plan), width));
    }
    lines
}

/// Where what is overwritten is kept, and how it is undone.
fn tail(state: &State, plan: &Plan, kept_in: Option<&Path>, width: usize) -> Vec<Bits> {
    // The screen of the result has these keys.
    let key = |cmd| state.keymap.name(cmd, [outcome::CONTEXT]);
    let text = match kept_in {
        Some(folder) => clean!("Replaced files are kept in {}", folder),
        None => clean!(
            "Replaced files are kept on the project's own file system; {} shows where.",
            key(Cmd::Recoveries)
        ),
    };
    let lead = Bits::of(Role::Good, "✓ ");
    let mut lines = Vec::new();
    if plan.destructive {
        lines.extend(paragraph(&lead, Role::Text, &text, width));
    }
    let scope = state.scope();
    let what = match plan.asked.reversal() {
        None | Some((Reversal::Redo, _)) => {
            clean!(
                "To undo, press {} or run: relight undo{}",
                key(Cmd::Undo),
                scope
            )
        }
        Some((Reversal::Undo, _)) => {
            clean!(
                "To redo, press {} or run: relight redo{}",
                key(Cmd::Redo),
                scope
            )
        }
    };
    let lead = Bits::of(Role::Accent, "↺ ");
    lines.extend(paragraph(&lead, Role::Text, &what, width));
    lines
}

/// The shortest end of a path that no other file of the plan ends with.
fn distinct_end<'a>(path: &'a Path, plan: &Plan) -> &'a Path {
    let parts = path.ancestors().skip(1);
    let mut ends = parts.filter_map(|above| path.strip_prefix(above).ok());
    let targets = || plan.actions.iter().map(|action| action.target.as_path());
    let is_distinct = |end: &&Path| targets().all(|other| other == path || !other.ends_with(end));
    ends.find(is_distinct).unwrap_or(path)
}

/// What undoing an action would do.
fn inverse(action: &Action, plan: &Plan) -> Clean {
    let name = clean!("{}", distinct_end(&action.target, plan));
    let keeps = |lines: usize| {
        let lines = format::count(lines, "appended line");
        clean!("keeps {} in {}: logs are append-only", lines, name)
    };
    let changes = action.changes.unwrap_or_default();
    match (&action.preview, action.kind) {
        (Preview::Tree { .. }, ActionKind::ResetWorktree) if changes.files() == 0 => {
            Clean::new(match changes.branch {
                Some(_) => "restores the branch to its current state",
                None => "restores the index to its current state",
            })
        }
        (Preview::Tree { .. }, _) => {
            let branch = match changes.branch {
                Some(_) => " and the branch to their current state",
                None => "",
            };
            let back = format::count(changes.modified + changes.removed, "file");
            let away = format::count(changes.added, "file");
            if changes.added == 0 {
                clean!("restores {}{}", back, branch)
            } else {
                clean!("restores {}, removes {}{}", back, away, branch)
            }
        }
        (Preview::Content { before: None, .. }, _) => clean!("removes {}", name),
        (Preview::Content { .. }, _) => clean!("restores {}", name),
        (Preview::Rows { removed, .. }, _) => {
            let rows = format::count(removed.len(), "row");
            clean!("restores {} in {}", rows, name)
        }
        (Preview::Lines { appended, .. }, _) => keeps(appended.len()),
        (Preview::Appended { lines }, _) => keeps(*lines),
        (Preview::Rename { .. }, _) => clean!("renames {} back", name),
        (Preview::Kept { .. }, _) => clean!("redoes the change of {}", name),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_beyond_the_limit_are_counted_and_the_line_that_says_so_is_no_name() {
        let (named, more) = short(vec![Bits::new(); NAMES + 500]);
        assert_eq!((named.len(), more), (NAMES + 1, 500));
        let (named, more) = short(vec![Bits::new(); NAMES]);
        assert_eq!((named.len(), more), (NAMES, 0));
    }
}
