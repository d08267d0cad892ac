//! The undo of a recovery: an ordinary plan whose actions restore the files that the recovery replaced.

mod guards;
mod losses;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::{Path, PathBuf};

pub use guards::{branch_guard, order_guard};
pub use losses::{Appended, losses, unlogged};

use super::fingerprint::{fingerprint, with_words};
use crate::foreign;
use crate::model::{
    Action, ActionKind, Aliveness, Asked, Basis, ChangeCounts, CheckpointNeed, Fingerprint,
    Foreign, Forms, Guard, Handoff, KeptContent, KeptPair, Loss, PathChange, Plan, PlanOptions,
    PlanPath, PointKind, Preview, Recovery, ResumePoint, UndoOptions, Verdict, files_of,
};
use crate::text::format;

/// What is known of a recovery that is to be undone.
#[derive(Debug, Default)]
pub struct Facts {
    /// Places that changed since the recovery, absolute.
    pub drifted: HashSet<PathBuf>,
    /// Places that changed since the recovery and whose content goes to another place among the person's files: where
    /// it is, and where it goes.
    pub moved: BTreeMap<PathBuf, PathBuf>,
    /// What changed since the recovery in what it moved among the person's files, by the place that this goes back to.
    pub in_moved: BTreeMap<PathBuf, Vec<PathBuf>>,
    /// Directories that the recovery created and that now contain something else: they stay.
    pub staying: Vec<PathBuf>,
    /// Places that were empty before the recovery.
    pub made: HashSet<PathBuf>,
    /// Places where nothing is now.
    pub empty: HashSet<PathBuf>,
    /// The places of all that it exchanged.
    pub places: HashSet<PathBuf>,
    /// What each of these places is now, and what it is after the undo.
    pub forms: HashMap<PathBuf, Forms>,
    /// Places that changed since the recovery and hold what would be restored: they are left alone.
    pub same: HashSet<PathBuf>,
    /// What changes where a directory leaves, comes or is exchanged as a whole, by that place.
    pub whole: BTreeMap<PathBuf, Vec<Within>>,
    /// Paths that the person chose to keep as they are.
    pub keep: Vec<PathBuf>,
    /// Whether a branch is moved back.
    pub moves_refs: bool,
    /// Whether it was an undo itself, so that undoing it is a redo.
    pub redo: bool,
    /// What it appended to logs.
    pub appended: Vec<Appended>,
}

/// What changes in a directory that moves as a whole, as the disk shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Within {
    /// The place, absolute.
    pub here: PathBuf,
    /// What is restored to it; `None` where it leaves.
    pub kept: Option<PathBuf>,
    /// What happens to it.
    pub change: PathChange,
    /// What it is now and afterwards.
    pub forms: Forms,
    /// Whether it changed since the recovery.
    pub drifted: bool,
    /// True for a directory, which comes or goes with the files in it.
    pub is_dir: bool,
}

/// Everything the plan of an undo is compiled from.
pub struct Inputs<'a> {
    /// The recovery to undo.
    pub recovery: &'a Recovery,
    /// The options that the person chose.
    pub options: UndoOptions,
    /// What is known of it.
    pub facts: &'a Facts,
    /// What changes, the lines of logs included.
    pub actions: Vec<Action>,
    /// The conditions, in the order in which they were asked.
    pub guards: Vec<Guard>,
    /// What is overwritten, and what stays as it is.
    pub losses: Vec<Loss>,
    /// What else the plan was computed from.
    pub basis: Vec<Basis>,
}

/// Compiles the plan.
pub fn compile(inputs: Inputs<'_>) -> Plan {
    let (recovery, facts) = (inputs.recovery, inputs.facts);
    let mut guards = inputs.guards;
    // Failed guards first; the order is otherwise kept. The sort is stable.
    guards.sort_by_key(|guard| guard.holds);
    let mut actions = inputs.actions.iter();
    let mut plan = Plan {
        asked: Asked::Undo {
            recovery: recovery.id.clone(),
            redoes: recovery.undoes.clone().filter(|_| facts.redo),
            options: inputs.options,
        },
        fingerprint: Fingerprint(String::new()),
        basis: inputs.basis,
        pipeline: recovery.pipeline.clone(),
        point: point(recovery),
        cause: None,
        kept: Vec::new(),
        redone: Vec::new(),
        destructive: actions.any(|action| destroys(action, &facts.empty)),
        actions: inputs.actions,
        guards,
        warnings: Vec::new(),
        left_out: facts.keep.iter().map(Foreign::from).collect(),
        kept_newer: Vec::new(),
        losses: inputs.losses,
        handoff: Handoff::default(),
    };
    // The verdict changes by itself, because the recovery made the files young.
    let silent = Aliveness::Unknown;
    plan.fingerprint = fingerprint(&plan, &PlanOptions::default(), silent, None);
    plan.fingerprint = with_words(&plan, &plan.handoff);
    plan
}

/// The inverse of everything that a recovery did, without actions that have nothing to undo.
pub fn actions(recovery: &Recovery, facts: &Facts) -> Vec<Action> {
    let owners = facts.whole.keys().map(|here| facts.owner(recovery, here));
    let owners: Vec<Option<usize>> = owners.collect();
    let actions = recovery.actions.iter().enumerate();
    let inverses = actions.filter_map(|(at, action)| {
        let wholes = facts.whole.values().zip(&owners);
        let own = wholes.filter(|(_, owner)| **owner == Some(at));
        let within: Vec<&Within> = own.flat_map(|(within, _)| within).collect();
        inverse(action, &within, facts)
    });
    inverses.collect()
}

/// The inverse of an action, with what changes in directories that move as a whole; `None` where it has none.
fn inverse(action: &Action, within: &[&Within], facts: &Facts) -> Option<Action> {
    // Without backups there is nothing to restore, and relight invents nothing.
    let Preview::Kept { pairs } = &action.preview else {
        return None;
    };
    match action.kind {
        // A log is append-only: its lines stay.
        ActionKind::AppendLines => None,
        ActionKind::MoveAside => moved_back(pairs.first()?, facts),
        ActionKind::RestoreTree | ActionKind::ResetWorktree => {
            tree_back(action, pairs, within, facts)
        }
        ActionKind::ReplaceFile | ActionKind::TruncateRows => {
            file_back(action, pairs.first()?, within, facts)
        }
    }
}

/// Whether an undo replaces, removes or moves anything that is there now.
fn destroys(action: &Action, empty: &HashSet<PathBuf>) -> bool {
    let is_there = |path: &PlanPath| {
        let here = action.target.join(path.path.as_path());
        path.change != PathChange::Create && !empty.contains(&here)
    };
    match action.kind {
        ActionKind::AppendLines => false,
        ActionKind::MoveAside => true,
        ActionKind::ReplaceFile | ActionKind::TruncateRows => !empty.contains(&action.target),
        // A branch that moves resets its index.
        ActionKind::ResetWorktree if action.paths.is_empty() => true,
        ActionKind::ResetWorktree | ActionKind::RestoreTree => action.paths.iter().any(is_there),
    }
}

impl Facts {
    /// Whether a path was chosen to stay as it is.
    fn keeps(&self, path: &Path) -> bool {
        self.keep.iter().any(|kept| path.starts_with(kept))
    }

    /// What a place is now and after the undo.
    fn forms_of(&self, path: &Path) -> Forms {
        self.forms.get(path).copied().unwrap_or_default()
    }

    /// Whether an exchanged place is left as it is.
    fn stays(&self, path: &Path) -> bool {
        self.keeps(path) || self.staying.iter().any(|dir| dir == path) || self.same.contains(path)
    }

    /// Whether the undo exchanges what is at a path.
    pub fn changes(&self, path: &Path) -> bool {
        self.places.contains(path) && !self.stays(path)
    }

    /// The place that a path moves with, if that moves as a whole.
    fn whole<'a>(&self, path: &'a Path) -> Option<&'a Path> {
        let place = path.ancestors().find(|above| self.places.contains(*above));
        place.filter(|place| self.whole.contains_key(*place))
    }

    /// The action that lists what changes in a directory: the one that changed something there, else that of its tree.
    fn owner(&self, recovery: &Recovery, place: &Path) -> Option<usize> {
        let mut actions = recovery.actions.iter();
        let changed = |action: &Action| {
            let mut pairs = action.kept_pairs().iter();
            pairs.any(|pair| self.whole(&pair.here) == Some(place))
        };
        let holds =
            |action: &Action| action.kind.touches_tree() && place.starts_with(&action.target);
        let owner = actions.position(changed);
        owner.or_else(|| recovery.actions.iter().position(holds))
    }

    /// A place and what is restored to it: nothing where nothing was before.
    fn back(&self, pair: &KeptPair) -> KeptPair {
        let kept = pair.kept.clone();
        KeptPair {
            here: pair.here.clone(),
            kept: kept.filter(|_| !self.made.contains(&pair.here)),
            content: pair.content,
        }
    }
}

fn moved_back(pair: &KeptPair, facts: &Facts) -> Option<Action> {
    let from = pair.kept.clone()?;
    let summary = if facts.redo {
        "Moves it again."
    } else {
        "Moves it back to where it was."
    };
    (!facts.keeps(&pair.here)).then(|| Action {
        kind: ActionKind::MoveAside,
        target: from,
        summary: summary.into(),
        changes: None,
        paths: Vec::new(),
        preview: Preview::Rename {
            to: pair.here.clone(),
        },
    })
}

fn file_back(
    action: &Action,
    pair: &KeptPair,
    within: &[&Within],
    facts: &Facts,
) -> Option<Action> {
    let pair = facts.back(pair);
    let files = within.iter().filter(|one| !one.is_dir);
    let mut files = files.map(|one| one.change).peekable();
    let summary = match &pair.kept {
        None if files.peek().is_some() => {
            "Moves the directory aside that is in the place of the file that the recovery created."
        }
        Some(_) if facts.redo => "Restores its content from before the undo.",
        Some(_) => "Restores its content from before the recovery.",
        None => "Removes the file that the recovery created.",
    };
    let change = match &pair.kept {
        None => PathChange::Remove,
        Some(_) if facts.empty.contains(&action.target) => PathChange::Create,
        Some(_) => PathChange::Write,
    };
    let own = Some(change).filter(|_| files.peek().is_none());
    let forms = facts.forms_of(&pair.here);
    let forms = forms.said().filter(|_| forms.change());
    let forms = forms.map(|forms| format!(" Also changes it: {forms}."));
    let summary = format!("{summary}{}", forms.unwrap_or_default());
    (!facts.stays(&pair.here)).then(|| Action {
        kind: ActionKind::ReplaceFile,
        target: action.target.clone(),
        summary: summary.into(),
        changes: Some(ChangeCounts::of(files.chain(own))),
        paths: Vec::new(),
        preview: Preview::Kept { pairs: vec![pair] },
    })
}

fn tree_back(
    action: &Action,
    pairs: &[KeptPair],
    within: &[&Within],
    facts: &Facts,
) -> Option<Action> {
    let row = |path: Foreign, change, forms, drifted| PlanPath {
        path,
        change,
        blob: None,
        forms,
        drifted,
    };
    let listed: HashSet<&Path> = pairs.iter().map(|pair| pair.here.as_path()).collect();
    let within = within
        .iter()
        .filter(|one| !one.is_dir || listed.contains(one.here.as_path()));
    let within = within.map(|one| {
        let rel = one.here.strip_prefix(&action.target).unwrap_or(&one.here);
        let pair = KeptPair {
            here: one.here.clone(),
            kept: one.kept.clone(),
            content: KeptContent::Backup,
        };
        (row(rel.into(), one.change, one.forms, one.drifted), pair)
    });
    let mut rows: Vec<(PlanPath, KeptPair)> = within.collect();
    for (path, pair) in action.paths.iter().zip(pairs) {
        let here = action.target.join(path.path.as_path());
        if facts.stays(&here) || facts.whole(&here).is_some() {
            continue;
        }
        let change = match path.change {
            // Somebody deleted it since.
            PathChange::Write if facts.empty.contains(&here) => PathChange::Create,
            PathChange::Create if facts.empty.contains(&here) => continue,
            PathChange::Write => PathChange::Write,
            PathChange::Create => PathChange::Remove,
            // Somebody made one there since.
            PathChange::Remove if facts.drifted.contains(&here) => PathChange::Write,
            PathChange::Remove => PathChange::Create,
            PathChange::KeepNewer | PathChange::NotCovered => continue,
        };
        let (forms, drifted) = (facts.forms_of(&here), facts.drifted.contains(&here));
        let row = row(path.path.clone(), change, forms, drifted);
        rows.push((row, facts.back(pair)));
    }
    rows.sort_by(|a, b| a.0.path.cmp(&b.0.path));
    let (shown, put): (Vec<_>, Vec<_>) = rows.into_iter().unzip();
    let moves = facts.moves_refs && action.kind == ActionKind::ResetWorktree;
    // Which commits come back is known where the record says which ones left.
    let changes = ChangeCounts {
        branch: moves.then(|| action.branch().unwrap_or_default().back()),
        ..ChangeCounts::of(files_of(&shown).map(|path| path.change))
    };
    (!shown.is_empty() || moves).then(|| Action {
        kind: action.kind,
        target: action.target.clone(),
        summary: tree_summary(changes.files(), moves, facts.redo).into(),
        changes: Some(changes),
        paths: shown,
        preview: Preview::Kept { pairs: put },
    })
}

fn tree_summary(count: u64, branch: bool, redo: bool) -> String {
    let files = format::count(count, "file");
    let what = match (count, branch) {
        (0, true) => "the branch".to_owned(),
        (_, true) => format!("{files} and the branch"),
        (_, false) => files,
    };
    let step = if redo { "undo" } else { "recovery" };
    format!("Restores {what} to the state before the {step}.")
}

/// The resume point that represents an undo.
fn point(recovery: &Recovery) -> ResumePoint {
    let at = format::time_full(recovery.started_at);
    let (what, label) = match recovery.undoes.as_ref().filter(|_| recovery.is_undo()) {
        Some(redone) => ("undo", format!("Redo of {redone}").into()),
        None => ("recovery", foreign!("Undo of {}", &recovery.label)),
    };
    ResumePoint::by_hand(
        (format!("undo-{}", recovery.id), label),
        PointKind::StateEdit,
        Verdict::Pass,
        CheckpointNeed::None,
        format!("Undoes the {what} of {at}."),
    )
}

#[cfg(test)]
mod tests;
