//! Compiles an intent into the one plan object behind every screen, `--json` and the executor.

use std::path::Path;

use super::fingerprint::{Basis, Parts, fingerprint};
use super::guards;
use crate::model::{
    Action, ActionKind, Asked, ChangeCounts, CheckpointNeed, Drift, Foreign, Guard, Intent,
    PathChange, PathState, Pipeline, Plan, PlanOptions, PlanPath, Preview, RestoreMode,
    ResumePoint, Step, TreeFacts,
};

/// Everything a plan is compiled from.
pub struct Inputs<'a> {
    /// What was asked.
    pub asked: Asked,
    /// The judged pipeline.
    pub pipeline: &'a Pipeline,
    /// The chosen point.
    pub point: ResumePoint,
    /// What the system wants done there.
    pub intent: Intent,
    /// What the person said beside it.
    pub options: &'a PlanOptions,
    /// For each step of the intent, how far its tree has moved; `None` for steps that change no tree.
    pub drifts: Vec<Option<Drift>>,
    /// What was found of the work tree.
    pub tree: Option<TreeFacts>,
    /// Guards about the request itself, such as a tree that could not be measured.
    pub extra_guards: Vec<Guard>,
    /// What the plan was computed from, beside what is above.
    pub basis: Vec<Basis>,
}

/// Compiles the plan.
pub fn compile(inputs: Inputs<'_>) -> Plan {
    let Inputs {
        asked,
        pipeline,
        point,
        intent,
        options,
        drifts,
        tree,
        extra_guards,
        basis,
    } = inputs;
    let head = tree.as_ref().and_then(|facts| facts.head.clone());
    let actions: Vec<Action> = intent
        .steps
        .iter()
        .zip(
            drifts
                .iter()
                .map(Option::as_ref)
                .chain(std::iter::repeat(None)),
        )
        .filter_map(|(step, drift)| action(step, drift, options, head.as_deref()))
        .collect();
    let kinds: Vec<ActionKind> = actions.iter().map(|a| a.kind).collect();
    let mut all = vec![guards::liveness(&pipeline.standing.liveness, options)];
    all.extend(guards::tree(
        &kinds,
        intent.tree.as_ref(),
        tree.as_ref(),
        options,
    ));
    all.extend(intent.guards);
    all.extend(extra_guards);
    // The worst news first; the order is otherwise kept.
    all.sort_by_key(|guard| guard.holds);
    let mut losses = losses(&actions, tree.as_ref());
    losses.extend(intent.losses);
    let checkpoint = match &point.boundary.checkpoint {
        CheckpointNeed::Found(checkpoint) => Some(checkpoint.id.clone()),
        CheckpointNeed::None | CheckpointNeed::Missing { .. } => None,
    };
    let fingerprint = fingerprint(&Parts {
        pipeline: &pipeline.id,
        point: &point.boundary.id,
        checkpoint: checkpoint.as_deref(),
        options,
        actions: &actions,
        guards: &all,
        liveness: &pipeline.standing.liveness,
        tree: tree.as_ref(),
        basis: &basis,
    });
    Plan {
        asked,
        fingerprint,
        pipeline: pipeline.id.clone(),
        point,
        kept: intent.kept,
        redone: intent.redone,
        destructive: actions.iter().any(destroys),
        actions,
        guards: all,
        losses,
        handoff: intent.handoff,
    }
}

/// One step as an action; `None` where nothing would change.
fn action(
    step: &Step,
    drift: Option<&Drift>,
    options: &PlanOptions,
    head: Option<&str>,
) -> Option<Action> {
    match step {
        Step::RestoreTree {
            store,
            commit,
            work_tree,
        } => {
            let preview = Preview::Tree {
                store: store.clone(),
                commit: commit.clone(),
            };
            tree_action(
                ActionKind::RestoreTree,
                work_tree,
                preview,
                commit,
                drift?,
                options,
                false,
            )
        }
        Step::ResetWorktree { worktree, commit } => {
            let preview = Preview::Tree {
                store: worktree.clone(),
                commit: commit.clone(),
            };
            tree_action(
                ActionKind::ResetWorktree,
                worktree,
                preview,
                commit,
                drift?,
                options,
                head.is_some_and(|head| head != commit),
            )
        }
        Step::ReplaceFile {
            path,
            expect,
            content,
            clock,
            summary,
        } => (expect.as_ref() != Some(content)).then(|| {
            let preview = Preview::Content {
                before: expect.clone(),
                after: content.clone(),
                clock: *clock,
            };
            file_action(ActionKind::ReplaceFile, path, summary, preview)
        }),
        Step::AppendLines {
            path,
            lines,
            clock,
            summary,
        } => (!lines.is_empty()).then(|| {
            let appended = lines
                .iter()
                .map(|line| Foreign::from(line.as_str()))
                .collect();
            file_action(
                ActionKind::AppendLines,
                path,
                summary,
                Preview::Lines {
                    appended,
                    clock: *clock,
                },
            )
        }),
        Step::TruncateRows {
            path,
            expect,
            keep_bytes,
            summary,
        } => {
            let gone = expect.get(*keep_bytes..).filter(|gone| !gone.is_empty())?;
            let removed = Foreign::from(gone).lines().collect();
            Some(file_action(
                ActionKind::TruncateRows,
                path,
                summary,
                Preview::Rows {
                    removed,
                    before: expect.clone(),
                    keep_bytes: *keep_bytes,
                },
            ))
        }
        Step::MoveAside { from, to, summary } => Some(file_action(
            ActionKind::MoveAside,
            from,
            summary,
            Preview::Rename { to: to.clone() },
        )),
    }
}

fn file_action(kind: ActionKind, target: &Path, summary: &Foreign, preview: Preview) -> Action {
    Action {
        kind,
        target: target.to_owned(),
        summary: summary.clone(),
        changes: None,
        paths: Vec::new(),
        preview,
    }
}

/// What a tree action does to each path, as chosen. A reset that only moves the branch is an action too.
fn tree_action(
    kind: ActionKind,
    target: &Path,
    preview: Preview,
    commit: &str,
    drift: &Drift,
    options: &PlanOptions,
    moves_branch: bool,
) -> Option<Action> {
    let paths: Vec<PlanPath> = drift
        .paths
        .iter()
        .filter(|path| {
            options.paths.is_empty()
                || options
                    .paths
                    .iter()
                    .any(|chosen| covers(chosen, &path.path))
        })
        .map(|path| PlanPath {
            path: path.path.clone(),
            blob: path.blob.clone(),
            drifted: false,
            change: match path.state {
                PathState::Modified => PathChange::Write,
                PathState::Missing => PathChange::Create,
                PathState::Created if options.mode == RestoreMode::Exact => PathChange::Remove,
                PathState::Created => PathChange::KeepNewer,
                PathState::NotCovered => PathChange::NotCovered,
            },
        })
        .collect();
    let count = |change: PathChange| paths.iter().filter(|p| p.change == change).count() as u64;
    let changes = ChangeCounts {
        modified: count(PathChange::Write),
        added: count(PathChange::Create),
        removed: count(PathChange::Remove),
    };
    if changes == ChangeCounts::default() && !moves_branch {
        return None;
    }
    let short: String = commit.chars().take(8).collect();
    let how = match options.mode {
        RestoreMode::Overlay => "what came since stays",
        RestoreMode::Exact => "what came since is moved aside",
    };
    let branch = if moves_branch {
        ", and the branch with them"
    } else {
        ""
    };
    let summary = format!(
        "Puts {} back to {short}{branch}; {how}.",
        files(changes.modified + changes.added)
    );
    Some(Action {
        kind,
        target: target.to_owned(),
        summary: summary.into(),
        changes: Some(changes),
        paths,
        preview,
    })
}

/// True where a chosen path names this one or a folder above it.
fn covers(chosen: &Path, path: &Foreign) -> bool {
    use std::os::unix::ffi::OsStrExt as _;
    Path::new(std::ffi::OsStr::from_bytes(path.as_bytes())).starts_with(chosen)
}

/// Whether an action replaces, cuts or moves bytes that are there.
fn destroys(action: &Action) -> bool {
    match &action.preview {
        Preview::Tree { .. } => action
            .paths
            .iter()
            .any(|p| matches!(p.change, PathChange::Write | PathChange::Remove)),
        Preview::Content { before, .. } => before.is_some(),
        Preview::Rows { removed, .. } => !removed.is_empty(),
        Preview::Lines { .. } => false,
        Preview::Rename { .. } | Preview::Kept { .. } => true,
    }
}

/// Uncommitted paths that are named one by one.
const NAMED: usize = 20;

/// What tree actions overwrite, leave or cannot bring back; what undo alone could bring back first.
fn losses(actions: &[Action], tree: Option<&TreeFacts>) -> Vec<Foreign> {
    let mut losses = Vec::new();
    for action in actions.iter().filter(|a| a.kind.touches_tree()) {
        let count = |change: PathChange| {
            let of_it = action.paths.iter().filter(|p| p.change == change);
            of_it.count() as u64
        };
        let mut say = |count: u64, text: String| {
            if count > 0 {
                losses.push(Foreign::from(text));
            }
        };
        let written = count(PathChange::Write);
        say(
            written,
            format!("The present content of {} is replaced.", files(written)),
        );
        let removed = count(PathChange::Remove);
        say(
            removed,
            format!(
                "Moved aside because it came since the checkpoint: {}.",
                files(removed)
            ),
        );
        if let Some(text) = tree.and_then(|tree| uncommitted(action, tree)) {
            say(1, text);
        }
        let newer = count(PathChange::KeepNewer);
        say(
            newer,
            format!(
                "Left where it is though it came since the checkpoint: {}.",
                files(newer)
            ),
        );
        let left = count(PathChange::NotCovered);
        say(
            left,
            format!(
                "Left as it is because the checkpoint does not cover it: {}.",
                files(left)
            ),
        );
    }
    losses
}

/// The uncommitted changes that an action truly takes away.
fn uncommitted(action: &Action, tree: &TreeFacts) -> Option<String> {
    if let Some(why) = &tree.uncommitted_unknown {
        let text = format!(
            "Whether there are uncommitted changes cannot be told: {}.",
            why.lossy()
        );
        return Some(text);
    }
    let open: std::collections::HashSet<&[u8]> =
        tree.uncommitted.iter().map(Foreign::as_bytes).collect();
    let is_open = |path: &[u8]| {
        // An untracked folder is named once, with a slash behind it.
        let above = path.iter().enumerate().filter(|(_, b)| **b == b'/');
        let mut above = above.filter_map(|(at, _)| path.get(..=at));
        open.contains(path) || above.any(|folder| open.contains(folder))
    };
    let taken: Vec<_> = action
        .paths
        .iter()
        .filter(|p| matches!(p.change, PathChange::Write | PathChange::Remove))
        .filter(|p| is_open(p.path.as_bytes()))
        .map(|p| p.path.lossy())
        .collect();
    if taken.is_empty() {
        return None;
    }
    let named = taken.iter().take(NAMED).map(AsRef::as_ref);
    let named = named.collect::<Vec<&str>>().join(", ");
    let rest = taken.len().saturating_sub(NAMED);
    let more = if rest > 0 {
        format!(" and {rest} more")
    } else {
        String::new()
    };
    Some(format!(
        "Changes that are in no commit are taken back: {named}{more}."
    ))
}

fn files(count: u64) -> String {
    if count == 1 {
        "1 file".to_owned()
    } else {
        format!("{count} files")
    }
}

#[cfg(test)]
mod tests;
