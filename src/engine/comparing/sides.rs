//! The sides of a comparison, from the chosen operands.

use std::path::{Path, PathBuf};

use super::super::{Engine, EngineError, ErrorKind, Result};
use super::known::{Choice, Known};
use crate::foreign;
use crate::model::{
    Action, Arm, FileForm, Foreign, KeptPair, Party, Place, Recovery, Run, RunKind, RunTree, Stamp,
};
use crate::replay::compare::runs;

/// Files of something that was moved aside.
const MOST: usize = 10_000;

impl Engine {
    /// A side.
    pub(super) fn party(
        &self,
        known: &Known,
        choice: &Choice,
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
            Choice::After(at) | Choice::Before(at) => {
                let recovery = known.recoveries.get(*at).ok_or_else(gone)?;
                vec![self.around(recovery, matches!(choice, Choice::Before(_)))]
            }
        };
        let (name, title) = match (choice, runs.first()) {
            (Choice::Group(group, _), _) => (group.0.clone(), known.title(choice)),
            (_, Some(run)) => (run.name.clone(), run.title.clone()),
            (_, None) => (String::new(), known.title(choice)),
        };
        Ok(Party { name, title, runs })
    }

    /// The state before or after a recovery.
    fn around(&self, recovery: &Recovery, before: bool) -> Run {
        let mut files = Vec::new();
        for pair in recovery.actions.iter().flat_map(Action::replaced) {
            self.file_of(recovery, pair, before, &mut files);
        }
        files.sort();
        files.dedup();
        let id = &recovery.id;
        let (kind, name) = if before {
            (RunKind::Before, format!("before {id}"))
        } else {
            (RunKind::After, id.0.clone())
        };
        Run {
            name,
            kind,
            title: foreign!("{} {}", kind.word(), &recovery.label),
            started_at: Some(Stamp::stated(recovery.started_at)),
            tree: RunTree::Files(files),
            ..Run::default()
        }
    }

    /// One place that a recovery changed: what was there before it, or after it.
    fn file_of(
        &self,
        recovery: &Recovery,
        pair: &KeptPair,
        before: bool,
        files: &mut Vec<(Foreign, Option<PathBuf>)>,
    ) {
        let Some(kept) = &pair.kept else {
            return;
        };
        // Taking a recovery back exchanges both places again.
        let is_kept = before == recovery.undone_by.is_none();
        let wanted = if is_kept { kept } else { &pair.here };
        let name = pair.here.strip_prefix(&recovery.root).unwrap_or(&pair.here);
        let is_dir = |path: &Path| self.form_at(path) == Some(FileForm::Directory);
        let (dirs, others): (Vec<&PathBuf>, Vec<_>) = [kept, &pair.here]
            .into_iter()
            .partition(|path| is_dir(path));
        // A file whose place a directory took, or the reverse, is there beside the files of that.
        if !others.is_empty() {
            let found = self.form_at(wanted).map(|_| wanted.clone());
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
