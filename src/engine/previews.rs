//! The details of an action or a row: the two sides of a file, the raw line.

use std::path::Path;

use super::{Engine, EngineError, ErrorKind, Result};
use crate::model::{
    Action, FileForm, Foreign, Forms, KeptPair, Origin, Place, Plan, PlanPath, Preview, Sides,
};
use crate::text::Shown as _;
use crate::world::files::{FileKind, ReadError, SMALL_CAP};

/// The most of a log that is read to show one line, in bytes.
const LINE_CAP: usize = 1 << 20;

impl Engine {
    /// Both sides of an action, or of one path of a tree action.
    pub fn sides(&self, plan: &Plan, action: usize, path: Option<usize>) -> Result<Sides> {
        let none =
            || EngineError::new(ErrorKind::NotFound, "There is no such action in this plan.");
        let action = plan.actions.get(action).ok_or_else(none)?;
        let target = Foreign::from(&action.target);
        match &action.preview {
            Preview::Tree { store, .. } => {
                let path = path.and_then(|at| action.paths.get(at)).ok_or_else(none)?;
                self.sides_of_path(store, action, path)
            }
            Preview::Content { before, after, .. } => Ok(Sides {
                title: target,
                before: before.clone(),
                after: Some(after.clone()),
                forms: Forms::default(),
            }),
            Preview::Rows {
                before, keep_bytes, ..
            } => Ok(Sides {
                title: target,
                before: Some(before.clone()),
                after: before.get(..*keep_bytes).map(<[u8]>::to_vec),
                forms: Forms::default(),
            }),
            Preview::Lines { appended, .. } => {
                // A log may be larger than what is compared: then only the new lines are shown.
                let before = self.whole_file(&action.target);
                let before = before.unwrap_or_else(|_| Some(Vec::new()));
                let old = before.as_deref().unwrap_or_default();
                let end: &[u8] = match old.last() {
                    None | Some(b'\n') => b"",
                    Some(_) => b"\n",
                };
                let after = Some([old, end, &joined(appended)].concat());
                Ok(Sides {
                    title: target,
                    before,
                    after,
                    forms: Forms::default(),
                })
            }
            Preview::Kept { .. } if action.keeps_nothing(path) => Err(EngineError::new(
                ErrorKind::NotFound,
                "Nothing is kept of it to compare with.",
            )),
            Preview::Kept { pairs } => {
                let pair = pairs.get(path.unwrap_or_default()).ok_or_else(none)?;
                let shown = path.and_then(|at| action.paths.get(at));
                // From its root: a link that took the place of a directory leads to files of another place.
                let here = shown.map_or_else(
                    || Place::of(&pair.here),
                    |shown| Place::known(&action.target, shown.path.as_path()).ok(),
                );
                let title = shown.map_or(target, |shown| shown.path.clone());
                let mut sides = self.sides_of_pair(title, here, pair)?;
                // A plan knows more: what is made way for. A record says what was done, and may be undone by now.
                let is_plan = !plan.fingerprint.0.is_empty();
                if let Some(shown) = shown.filter(|_| is_plan) {
                    sides.forms = shown.forms;
                }
                Ok(sides)
            }
            Preview::Appended { .. } => Err(none()),
            Preview::Rename { to } => Ok(Sides {
                title: target.clone(),
                before: Some(target.as_bytes().to_vec()),
                after: Some(Foreign::from(to).as_bytes().to_vec()),
                forms: Forms::default(),
            }),
        }
    }

    /// Both sides of a path that a checkpoint restores.
    fn sides_of_path(&self, store: &Path, action: &Action, path: &PlanPath) -> Result<Sides> {
        let before = match Place::known(&action.target, path.path.as_path()) {
            // A directory in the place of a file has none.
            Ok(place) if path.forms.before != Some(FileForm::Directory) => self.side_in(&place)?,
            Ok(_) | Err(_) => None,
        };
        let after = match &path.blob {
            Some(blob) => {
                let stored = self.world.git().blob_by_id(store, &blob.id);
                let stored = stored.map_err(|error| {
                    EngineError::unreadable(format!(
                        "The checkpoint's copy cannot be read: {error}."
                    ))
                })?;
                Some(blob.line_ends.written(&stored).into_owned())
            }
            None => None,
        };
        Ok(Sides {
            title: path.path.clone(),
            before,
            after,
            forms: path.forms,
        })
    }

    /// Both sides of a place and what is kept of it.
    fn sides_of_pair(&self, title: Foreign, here: Option<Place>, kept: &KeptPair) -> Result<Sides> {
        let both = [here, kept.kept.as_deref().and_then(Place::of)];
        let [before, after] = both.each_ref().map(|at| self.form_of_place(at.as_ref()?));
        let forms = Forms::new(before, after);
        let side = |at: &Option<Place>, form| match at {
            // Of a directory beside a file only the file has content.
            Some(_) if form == Some(FileForm::Directory) && forms.change() => Ok(None),
            Some(at) => self.side_in(at),
            None => Ok(None),
        };
        let [here, kept] = &both;
        Ok(Sides {
            title,
            before: side(here, before)?,
            after: side(kept, after)?,
            forms,
        })
    }

    /// The content at a place in a tree; `None` for nothing, also beneath a link: that leads to files of another place.
    fn side_in(&self, place: &Place) -> Result<Option<Vec<u8>>> {
        match self.world.files().stat(place) {
            Err(ReadError::Link) => Ok(None),
            Ok(_) | Err(_) => self.side_of(place),
        }
    }

    /// What is at a path; `None` for nothing.
    pub(super) fn form_at(&self, path: &Path) -> Option<FileForm> {
        self.form_of_place(&Place::of(path)?)
    }

    /// The same, of a place.
    pub(super) fn form_of_place(&self, place: &Place) -> Option<FileForm> {
        let stat = self.world.files().stat(place).ok()?;
        Some(stat.kind.form(stat.mode))
    }

    /// The content of a file, or where a link leads; `None` where there is neither.
    fn whole_file(&self, path: &Path) -> Result<Option<Vec<u8>>> {
        Place::of(path).map_or(Ok(None), |place| self.side_of(&place))
    }

    /// The same, of a place. What is there and cannot be read is an error: it must not look as if it were not.
    pub(super) fn side_of(&self, place: &Place) -> Result<Option<Vec<u8>>> {
        let files = self.world.files();
        let why = match files.read(place, SMALL_CAP) {
            Ok(bytes) => return Ok(Some(bytes)),
            Err(ReadError::NotFound) => return Ok(None),
            Err(why) => why,
        };
        if let Ok(target) = files.link_target(place) {
            return Ok(Some(target.as_bytes().to_vec()));
        }
        if files
            .stat(place)
            .is_ok_and(|stat| stat.kind == FileKind::Dir)
        {
            let text = "A directory has no content of its own to compare.";
            return Err(EngineError::new(ErrorKind::NotFound, text));
        }
        Err(EngineError::unreadable(format!(
            "The current content cannot be compared: {why}."
        )))
    }

    /// The raw line a fact was read from, or the whole file.
    pub fn raw(&self, origin: &Origin) -> Result<Foreign> {
        let (Some(parent), Some(name)) = (origin.file.parent(), origin.file.file_name()) else {
            return Err(EngineError::new(
                ErrorKind::NotFound,
                "That fact has no file.",
            ));
        };
        let place = Place::known(parent, name)
            .map_err(|why| EngineError::new(ErrorKind::NotFound, why.to_string()))?;
        let Some(line) = origin.line else {
            return self
                .world
                .files()
                .read(&place, SMALL_CAP)
                .map(Foreign::from)
                .map_err(|why| gone(origin, &why));
        };
        self.line(&place, line).map_err(|why| gone(origin, &why))
    }

    /// One line of a file of any size, counted from 1.
    fn line(&self, place: &Place, wanted: u64) -> Result<Foreign, ReadError> {
        let (mut offset, mut number) = (0_u64, 1_u64);
        let mut line: Vec<u8> = Vec::new();
        loop {
            let block = self.world.files().read_range(place, offset, LINE_CAP)?;
            if block.is_empty() {
                return Ok(line.into());
            }
            offset += block.len() as u64;
            let mut rest = block.as_slice();
            while let Some(end) = memchr::memchr(b'\n', rest) {
                let (head, tail) = rest.split_at(end);
                if number == wanted {
                    line.extend_from_slice(head);
                    return Ok(line.into());
                }
                number += 1;
                rest = tail.get(1..).unwrap_or_default();
            }
            if number == wanted && line.len() < LINE_CAP {
                line.extend_from_slice(rest);
            }
        }
    }
}

fn joined(lines: &[Foreign]) -> Vec<u8> {
    lines
        .iter()
        .flat_map(|line| line.as_bytes().iter().copied().chain(*b"\n"))
        .collect()
}

fn gone(origin: &Origin, why: &ReadError) -> EngineError {
    EngineError::unreadable(format!("{} cannot be read: {why}.", origin.file.shown()))
}
