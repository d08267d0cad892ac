//! What a plan was computed from, for its fingerprint: the content of what it touches, identity and times of the rest.

use std::path::Path;

use sha2::{Digest as _, Sha256};

use super::PART;
use crate::engine::{Engine, Opened};
use crate::model::{
    Basis, DriftPath, Intent, PathState, Place, Preview, RestoreMode, Step, in_parts,
};
use crate::recover::plan::Decided;
use crate::world::files::FileKind;

/// The largest file whose content is digested into a fingerprint; larger ones count by identity and times.
const DIGEST_CAP: u64 = 64 << 20;

impl Engine {
    /// Everything a plan was computed from: the content of what it touches, identity and times of the rest.
    pub(super) fn basis(
        &self,
        opened: &Opened,
        intent: &Intent,
        decided: &[Option<Decided>],
        mode: RestoreMode,
    ) -> Vec<Basis> {
        let mut basis: Vec<Basis> = Vec::new();
        let files = opened.pipeline.reading.state_files.iter();
        basis.extend(files.map(|file| self.identified(file)));
        for (step, decided) in intent.steps.iter().zip(decided) {
            if let Step::Change(action) = step {
                let file = (!action.kind.touches_tree()).then_some(&action.target);
                basis.extend(file.map(|file| self.identified(file)));
                if let Preview::Rename { to } = &action.preview {
                    basis.push(self.identified(to));
                }
            }
            let Some((_, tree, ..)) = step.tree() else {
                continue;
            };
            let paths = decided.as_ref();
            let paths = paths.map_or(&[][..], |one| &one.measured.drift.paths);
            let of_path = |DriftPath {
                               path, state, seen, ..
                           }: &DriftPath| {
                let rel = path.as_path();
                let place = Place::known(tree, rel).ok()?;
                let stays = *state == PathState::Created && mode == RestoreMode::Overlay;
                let path = place.path();
                let state = match seen {
                    Some(seen) => seen.clone(),
                    None if stays => self.identity(&path),
                    None => self.content(&place),
                };
                Some(Basis { path, state })
            };
            basis.extend(in_parts(paths, PART, of_path).into_iter().flatten());
        }
        basis
    }

    /// A file that is replaced counts by its content, and by its identity and times too: a file that was saved
    /// again is another one, though its bytes are the same.
    fn content(&self, place: &Place) -> Vec<u8> {
        let mut state = self.identity(&place.path());
        if let Ok(bytes) = self.world.files().read(place, DIGEST_CAP) {
            state.extend(Sha256::digest(bytes));
        }
        state
    }

    fn identified(&self, path: &Path) -> Basis {
        Basis {
            path: path.to_owned(),
            state: self.identity(path),
        }
    }

    fn identity(&self, path: &Path) -> Vec<u8> {
        let stat = Place::of(path).and_then(|place| self.world.files().stat(&place).ok());
        stat.map_or_else(Vec::new, |stat| {
            // A directory's own size and time change with what is in it, which is listed by itself.
            let (size, nanos) = if stat.kind == FileKind::Dir {
                (0, 0)
            } else {
                let nanos = stat.modified.timestamp_nanos_opt().unwrap_or_default();
                (stat.size, nanos)
            };
            format!(
                "{:?} {size} {nanos} {:?} {:o}",
                stat.kind, stat.identity, stat.mode
            )
            .into_bytes()
        })
    }
}
