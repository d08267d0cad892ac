//! The end of every hand-off: what the plan changes, what it does not restore, what it keeps and what will run again.
//! It is computed from the finished plan, so that no system can say anything else.

use std::fmt::Write as _;
use std::path::Path;

use crate::model::{
    Action, ActionKind, Asked, CheckpointNeed, Foreign, Handoff, LossKind, PathChange, Plan,
    Preview, WorkItem, said, short_id,
};
use crate::text::Shown as _;
use crate::text::format::{count, count_of, list_first, plural};

/// How many names of a list the prompt gives; the briefing has them all.
const NAMED: usize = 10;

/// The hand-off of a plan: the system's own text, completed with the parts that every hand-off has.
pub fn finish(own: Handoff, plan: &Plan) -> Handoff {
    if own == Handoff::default() {
        return own;
    }
    let mut prompt = own.prompt.clone();
    for sentence in sentences(plan, &own.cwd) {
        prompt = said(&prompt, &sentence).into();
    }
    let briefing = briefing(&own, plan);
    Handoff { briefing, ..own }.saying(prompt)
}

/// What the prompt says of the plan, one sentence each.
fn sentences(plan: &Plan, cwd: &Path) -> Vec<String> {
    let mut all = told(plan, cwd);
    if all.is_empty() {
        all.extend(unchanged(plan));
    }
    if let Some(reason) = reason(plan) {
        all.push(format!("Reason given: \"{reason}\"."));
    }
    let not_restored = plan.not_restored().map(Foreign::from);
    all.extend(not_restored.as_ref().map(one_line));
    // Without this, an agent that repeats the work would take leftovers of the first attempt for its input.
    if !plan.kept_newer.is_empty() {
        let subject = count_of(
            plan.kept_newer.len(),
            "file created after the checkpoint is still there",
            "files created after the checkpoint are still there",
        );
        let names = list_first(plan.kept_newer.iter().map(quoted), NAMED);
        all.push(format!("{subject}: {names}."));
    }
    all
}

/// The reason that the person gave, in their words.
fn reason(plan: &Plan) -> Option<&str> {
    match &plan.asked {
        Asked::Resume { options, .. } => options.reason.as_deref(),
        Asked::Undo { .. } => None,
    }
}

/// The sentence for a plan that changes nothing on disk but names a checkpoint.
fn unchanged(plan: &Plan) -> Option<String> {
    if !plan.left_out.is_empty() {
        return None;
    }
    let refusing = plan.guards.iter().find(|guard| guard.refuses());
    match &plan.point.boundary.checkpoint {
        // What a guard refuses may have been compared in part only, so nothing is said to match.
        CheckpointNeed::Found(checkpoint) => Some(refusing.map_or_else(
            || {
                let reason = checkpoint.reason.clean();
                format!("The files already match checkpoint {reason}; restore nothing.")
            },
            |guard| {
                format!(
                    "relight refuses this plan and changed no files, so do not follow this hand-off: {}",
                    one_line(&guard.text)
                )
            },
        )),
        CheckpointNeed::Missing { .. } => {
            Some("No checkpoint was restored: continue with the files as they are.".to_owned())
        }
        CheckpointNeed::None => None,
    }
}

/// What the prompt says was done to the files: of many changes, first those that leave something with less than it had.
fn told(plan: &Plan, cwd: &Path) -> Vec<String> {
    let mut actions: Vec<&Action> = plan.actions.iter().collect();
    let rest = actions.len().saturating_sub(NAMED);
    if rest > 0 {
        actions.sort_by_key(|action| rank(action));
        actions.truncate(NAMED);
    }
    let mut all: Vec<String> = actions
        .into_iter()
        .map(|one| change(one, plan, cwd))
        .collect();
    if rest > 0 {
        all.push(format!("relight made {} more.", count(rest, "change")));
    }
    all
}

/// How soon a change is named: content that is lost or rewritten, what is renamed, then what is only added.
fn rank(action: &Action) -> u8 {
    match (action.kind, &action.preview) {
        (ActionKind::ReplaceFile, Preview::Content { before: None, .. }) => 3,
        (ActionKind::AppendLines, _) => 2,
        (ActionKind::MoveAside, _) => 1,
        _ => 0,
    }
}

/// What was done to the files, a sentence an action.
fn change(action: &Action, plan: &Plan, cwd: &Path) -> String {
    let changes = action.changes.unwrap_or_default();
    let written = changes.modified + changes.added;
    let files = count(written, "file");
    let name = name(&action.target, cwd);
    let aside = |text: &str| format!("{} {text}", count(changes.removed, "file"));
    match (&action.kind, &action.preview) {
        (ActionKind::RestoreTree, Preview::Tree { commit, .. }) => {
            let from = checkpoint(plan).unwrap_or_else(|| short_id(commit).to_owned());
            let them = plural(written, "it", "them");
            let moved = format!("relight moved aside {}", aside("created after"));
            let restored = format!(
                "relight restored {files} from checkpoint {from}; do not restore {them} again."
            );
            match (written, changes.removed) {
                (0, _) => format!("{moved} checkpoint {from}."),
                (_, 0) => restored,
                _ => format!("{restored} {moved} it."),
            }
        }
        (ActionKind::ResetWorktree, Preview::Tree { commit, .. }) => {
            let commit = short_id(commit);
            match action.branch() {
                Some(_) if changes.files() == 0 => {
                    format!("relight moved the branch of {name} to {commit}.")
                }
                _ if changes.removed == 0 => {
                    format!("relight reset the worktree {name} to {commit} ({files}).")
                }
                _ => format!(
                    "relight reset the worktree {name} to {commit} ({files} restored, {}).",
                    aside("moved aside")
                ),
            }
        }
        (ActionKind::TruncateRows, Preview::Rows { removed, .. }) => format!(
            "relight removed {} from the end of {name}.",
            count(removed.len(), "row")
        ),
        (ActionKind::AppendLines, Preview::Lines { appended, .. }) => format!(
            "relight appended {} to {name}.",
            count(appended.len(), "line")
        ),
        (ActionKind::MoveAside, Preview::Rename { to }) => {
            format!("relight moved {name} to {}.", self::name(to, cwd))
        }
        (
            ActionKind::ReplaceFile,
            Preview::Content {
                before: Some(before),
                after,
                ..
            },
        ) if after.is_empty() && !before.is_empty() => format!("relight emptied {name}."),
        _ => format!("relight {} {name}.", action.verb_done()),
    }
}

/// The name of the checkpoint of the plan's point.
fn checkpoint(plan: &Plan) -> Option<String> {
    let found = plan.point.boundary.checkpoint.found()?;
    let id = short_id(&found.id);
    Some(format!("{} ({id})", found.reason.shown()))
}

fn briefing(own: &Handoff, plan: &Plan) -> Foreign {
    let lost = |kind| {
        let losses = plan.losses.iter().filter(move |loss| loss.kind == kind);
        losses.map(|loss| one_line(loss.done()))
    };
    let left_out = plan.left_out.iter().map(quoted);
    let not_restored = left_out.chain(lost(LossKind::NotRestored));
    let newer = plan.kept_newer.iter().map(quoted);
    let mut out = String::new();
    section(&mut out, "Changes made by relight", listed(plan, &own.cwd));
    section(&mut out, "Reason given", reason(plan).map(str::to_owned));
    section(&mut out, "Overwritten", lost(LossKind::Overwritten));
    section(&mut out, "Not restored", not_restored);
    section(&mut out, "Created after the checkpoint, still there", newer);
    section(&mut out, "Kept", plan.kept.iter().map(item));
    section(&mut out, "Will run again", plan.redone.iter().map(item));
    section(&mut out, "Warnings", plan.warnings.iter().map(one_line));
    let own = own.briefing.as_bytes();
    let gap: &[u8] = match own.last() {
        None => b"",
        Some(b'\n') => b"\n",
        Some(_) => b"\n\n",
    };
    [own, gap, out.trim_end().as_bytes(), b"\n"].concat().into()
}

/// A part of the briefing. One with no lines is left out.
fn section(out: &mut String, title: &str, lines: impl IntoIterator<Item = String>) {
    let begun = out.len();
    for line in lines {
        if out.len() == begun {
            let _infallible = writeln!(out, "{title}:");
        }
        let _infallible = writeln!(out, "- {line}");
    }
    if out.len() > begun {
        out.push('\n');
    }
}

/// Every action in full; the prompt names only the first.
fn listed(plan: &Plan, cwd: &Path) -> Vec<String> {
    let actions = plan.actions.iter();
    let mut all: Vec<String> = actions.map(|one| change(one, plan, cwd)).collect();
    if all.is_empty() {
        all.push(unchanged(plan).unwrap_or_else(|| "relight changed no files.".to_owned()));
    }
    for action in &plan.actions {
        all.extend(paths(action));
    }
    all
}

fn paths(action: &Action) -> Vec<String> {
    let word = |change| match change {
        PathChange::Write => Some("restored"),
        PathChange::Create => Some("created"),
        PathChange::Remove => Some("moved aside"),
        PathChange::KeepNewer | PathChange::NotCovered => None,
    };
    let changed = action.paths.iter();
    changed
        .filter_map(|path| {
            let forms = path.forms.said().map(|forms| format!(" ({forms})"));
            let (word, forms) = (word(path.change)?, forms.unwrap_or_default());
            Some(format!("{word}: {}{forms}", quoted(&path.path)))
        })
        .collect()
}

fn item(item: &WorkItem) -> String {
    let parts = [&item.id, &item.label, &item.detail];
    let parts = parts.into_iter().filter(|part| !part.is_empty());
    parts.map(one_line).collect::<Vec<_>>().join(" · ")
}

/// Foreign text on one line: a newline inside it must not forge a line of the briefing.
fn one_line(text: &Foreign) -> String {
    text.clean().into_string()
}

/// A path in quotes, cleaned.
fn quoted(path: &Foreign) -> String {
    format!("'{}'", path.clean())
}

/// A file that the plan changes, as its agent finds it: from the directory in which it works, or from the root.
fn name(path: &Path, cwd: &Path) -> String {
    let beneath = path.strip_prefix(cwd).ok();
    let path = beneath
        .filter(|rest| *rest != Path::new(""))
        .unwrap_or(path);
    Foreign::from(path).clean().into_string()
}
