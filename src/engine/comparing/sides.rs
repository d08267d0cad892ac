//! The sides of a comparison, from the chosen operands.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};

use super::super::{Engine, EngineError, ErrorKind, Result};
use super::known::{Choice, Known};
use crate::foreign;
use crate::model::{
    Action, Arm, FileForm, Foreign, Party, Place, Recovery, Run, RunKind, RunTree, Stamp,
};
use crate::replay::compare::runs;
use crate::text::format::count_of;

/// Files of something that was moved aside.
const MOST: usize = 10_000;

/// Files that a sentence names.
const NAMED: usize = 8;

impl Engine {
    /// A side, the first of the two.
    pub(super) fn party(
        &self,
        known: &Known,
        (choice, beside): (&Choice, &Choice),
        began: Option<Stamp>,
        skipped: &mut Vec<Foreign>,
    ) -> Result<Party> {
        let gone = || EngineError::new(ErrorKind::NotFound, "It no longer exists.");
        let runs = match choice {
            Choice::Original => {
                let experiment = known.experiment.as_ref().ok_or_else(gone)?;
                let tree = self.original_tree(experiment, began);
                vec![runs::original(experiment, tree)]
            }
            Choice::Session(at) => vec![self.replayed(known, *at, skipped)?],
            Choice::Group(group, members) => {
                skipped.extend(known.unreadable(group));
                let runs = members.iter().map(|at| self.replayed(known, *at, skipped));
                runs.collect::<Result<_, _>>()?
            }
            Choice::Arm(ids, arm) => {
                let arms = self.arms(known, ids, skipped).ok_or_else(gone)?;
                return Ok(match arm {
                    Arm::Control => arms.gathered.a,
                    Arm::Mutated => arms.gathered.b,
                });
            }
            Choice::Run(at) => vec![known.runs.get(*at).cloned().ok_or_else(gone)?],
            Choice::After(at) => {
                let found = self.around(known, (*at, false), beside, skipped);
                vec![found.ok_or_else(gone)?]
            }
            Choice::Before(at) => {
                let found = self.around(known, (*at, true), beside, skipped);
                vec![found.ok_or_else(gone)?]
            }
        };
        let (name, title) = match (choice, runs.first()) {
            (Choice::Group(group, _), _) => (group.0.clone(), known.title(choice)),
            (_, Some(run)) => (run.name.clone(), run.title.clone()),
            (_, None) => (String::new(), known.title(choice)),
        };
        Ok(Party { name, title, runs })
    }

    /// The state before or after a recovery, of all that it changed and the recovery of the other side, if that is one.
    /// What somebody changed later is no work of either, and is left out.
    fn around(
        &self,
        known: &Known,
        (at, before): (usize, bool),
        beside: &Choice,
        skipped: &mut Vec<Foreign>,
    ) -> Option<Run> {
        let recovery = known.recoveries.get(at)?;
        let kept: Vec<Kept<'_>> = known.recoveries.iter().map(kept).collect();
        let from = if before { at } else { at + 1 };
        let other = match beside {
            Choice::After(other) => Some((*other, other + 1)),
            Choice::Before(other) => Some((*other, *other)),
            Choice::Original
            | Choice::Session(_)
            | Choice::Group(..)
            | Choice::Arm(..)
            | Choice::Run(_) => None,
        };
        let both = [Some((at, from)), other].into_iter().flatten();
        let recoveries = both.clone().filter_map(|(at, _)| known.recoveries.get(at));
        let (mut files, mut changed) = (Vec::new(), BTreeSet::new());
        let mut found = HashMap::new();
        for (here, slot) in recoveries.flat_map(pairs) {
            let place = |from| content_before(known, &kept, here, from);
            let is_read = both.clone().any(|(_, from)| place(from) == here);
            if is_read && self.is_changed(known, &kept, here, &mut found) {
                changed.insert(Foreign::from(
                    here.strip_prefix(&recovery.root).unwrap_or(here),
                ));
                continue;
            }
            let wanted = place(from);
            self.content_of_place(&recovery.root, [here, slot], &wanted, &mut files);
        }
        files.sort();
        files.dedup();
        let nothing = files.is_empty() && !changed.is_empty();
        let said = left_out(&changed).filter(|said| !skipped.contains(said));
        skipped.extend(said);
        let id = &recovery.id;
        let (kind, name) = if before {
            (RunKind::Before, format!("before {id}"))
        } else {
            (RunKind::After, id.0.clone())
        };
        Some(Run {
            name,
            kind,
            title: foreign!("{} {}", kind.word(), &recovery.label),
            started_at: Some(Stamp::stated(recovery.started_at)),
            tree: if nothing {
                RunTree::None
            } else {
                RunTree::Files(files)
            },
            ..Run::default()
        })
    }

    /// Whether somebody changed what the last recovery left in a place. `found` has what was asked before.
    fn is_changed(
        &self,
        known: &Known,
        kept: &[Kept<'_>],
        here: &Path,
        found: &mut HashMap<usize, HashSet<PathBuf>>,
    ) -> bool {
        let wrote = |kept: &Kept<'_>| here.ancestors().any(|above| kept.contains_key(above));
        let last = kept.iter().rposition(wrote);
        let Some((at, recovery)) = last.and_then(|at| Some((at, known.recoveries.get(at)?))) else {
            return false;
        };
        let changed = found
            .entry(at)
            .or_insert_with(|| self.changed_after(&recovery.id).unwrap_or_default());
        here.ancestors().any(|above| changed.contains(above))
    }

    /// A place that a recovery exchanged, with the place of its other content: what `wanted` has of both.
    fn content_of_place(
        &self,
        root: &Path,
        [here, slot]: [&Path; 2],
        wanted: &Path,
        files: &mut Vec<(Foreign, Option<PathBuf>)>,
    ) {
        let name = here.strip_prefix(root).unwrap_or(here);
        let is_dir = |path: &Path| self.form_at(path) == Some(FileForm::Directory);
        let (dirs, others): (Vec<&Path>, Vec<_>) = [here, slot, wanted]
            .into_iter()
            .partition(|path| is_dir(path));
        // A file whose place a directory took, or the reverse, is there beside the files of that.
        if !others.is_empty() {
            let found = self.form_at(wanted).map(|_| wanted.to_owned());
            files.push((Foreign::from(name), found));
        }
        let is_there = |path: &Path| {
            // Not through a link, which leads to files of another place.
            let place = Place::known(wanted, path);
            is_dir(wanted) && place.is_ok_and(|place| self.world.files().stat(&place).is_ok())
        };
        for dir in dirs {
            for rel in self.walk(dir, MOST).unwrap_or_default() {
                let path = rel.as_path();
                let found = is_there(path).then(|| wanted.join(path));
                files.push((Foreign::from(&name.join(path)), found));
            }
        }
    }
}

/// The places that a recovery exchanged, each with the place of its other content.
type Kept<'a> = HashMap<&'a Path, &'a Path>;

fn pairs(recovery: &Recovery) -> impl Iterator<Item = (&Path, &Path)> {
    let pairs = recovery.actions.iter().flat_map(Action::replaced);
    pairs.filter_map(|pair| Some((pair.here.as_path(), pair.kept.as_deref()?)))
}

/// The sentence for what somebody changed later.
fn left_out(changed: &BTreeSet<Foreign>) -> Option<Foreign> {
    let [one, many] = [
        "file changed after the recovery is",
        "files changed after the recovery are",
    ];
    let files = count_of(changed.len(), one, many);
    let named = Foreign::list_first(changed.iter().cloned(), NAMED);
    let said = foreign!("{} left out: {}.", files, named);
    (!changed.is_empty()).then_some(said)
}

/// The same from either end: the undo of a move names the other one first.
fn kept(recovery: &Recovery) -> Kept<'_> {
    let ends = pairs(recovery).map(|(here, slot)| (slot, here));
    ends.chain(pairs(recovery)).collect()
}

/// Where the content is that a place had before one of the recoveries: what the first one since then that stands kept
/// of it, or what is there now. An undo exchanges both contents again.
fn content_before(known: &Known, kept: &[Kept<'_>], here: &Path, from: usize) -> PathBuf {
    let mut left = from;
    for (at, kept) in kept.iter().enumerate().skip(from) {
        let mut above = here.ancestors();
        let found = above.find_map(|above| Some((above, kept.get(above)?)));
        let (Some((above, slot)), true) = (found, at >= left) else {
            continue;
        };
        let by = known
            .recoveries
            .get(at)
            .and_then(|one| one.undone_by.as_ref());
        let Some(by) = by else {
            let rel = here.strip_prefix(above).unwrap_or(here);
            // Without the slash that a join leaves behind.
            return slot.join(rel).components().collect();
        };
        let undo = known.recoveries.iter().position(|one| one.id == *by);
        left = undo.unwrap_or(at) + 1;
    }
    here.to_owned()
}
