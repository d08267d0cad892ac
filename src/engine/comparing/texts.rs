//! Two texts of a comparison, for the diff view.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use super::super::{Engine, EngineError, ErrorKind, Sides};
use super::listing::Content;
use super::nowhere;
use crate::model::{Compared, Comparison, Foreign, Run, RunTree, Work};
use crate::text::Shown as _;

/// A foreign path as the system takes it. It is opened only under a root.
pub(super) fn os(path: &Foreign) -> PathBuf {
    PathBuf::from(OsStr::from_bytes(path.as_bytes()))
}

impl Engine {
    pub(super) fn two_texts(
        &self,
        comparison: &Comparison,
        what: Compared,
    ) -> Result<Sides, EngineError> {
        match what {
            Compared::Template(at) => {
                let swap = comparison.templates.get(at).ok_or_else(nowhere)?;
                Ok(Sides {
                    title: swap.mutation.text(),
                    before: swap.template.clone(),
                    after: Some(swap.replacement.clone()),
                })
            }
            Compared::Dispatch { pair, a, b } => {
                self.files_of(comparison, (pair, a, b), "dispatch file", &|work| {
                    work.dispatch.as_deref()
                })
            }
            Compared::Output { pair, a, b } => {
                self.files_of(comparison, (pair, a, b), "output", &|work| {
                    work.output.as_deref()
                })
            }
            Compared::Summary { pair, a, b } => {
                let works = works(comparison, (pair, a, b))?;
                let [before, after] = works.map(|work| {
                    let text = work?.summary.as_ref()?;
                    Some([text.as_bytes(), b"\n"].concat())
                });
                let title = title(comparison, pair, "summary");
                both(title, before, after)
            }
            Compared::Artifact(at) => self.artifact(comparison, at),
        }
    }

    fn files_of(
        &self,
        comparison: &Comparison,
        at: (usize, usize, usize),
        what: &str,
        path: &dyn Fn(&Work) -> Option<&Path>,
    ) -> Result<Sides, EngineError> {
        let works = works(comparison, at)?;
        let [before, after] = works.map(|work| work.and_then(path));
        let title = title(comparison, at.0, what);
        both(title, self.text_at(before)?, self.text_at(after)?)
    }

    fn artifact(&self, comparison: &Comparison, at: usize) -> Result<Sides, EngineError> {
        let artifacts = comparison.artifacts.as_ref().ok_or_else(nowhere)?;
        let file = artifacts.files.get(at).ok_or_else(nowhere)?;
        let path = &file.path;
        let from = file.from.as_ref().unwrap_or(path);
        let tree = |runs: &[Run]| runs.first().map_or(RunTree::None, |run| run.tree.clone());
        let of = |tree: &RunTree, path| shown(path, self.content_of(tree, path));
        Ok(Sides {
            title: path.clone(),
            before: of(&tree(&comparison.a.runs), from)?,
            after: of(&tree(&comparison.b.runs), path)?,
        })
    }

    fn text_at(&self, path: Option<&Path>) -> Result<Option<Vec<u8>>, EngineError> {
        let Some(path) = path else {
            return Ok(None);
        };
        shown(&Foreign::from(path), self.content_of_file(path))
    }
}

/// The work of a pair in one run of each side.
fn works(
    comparison: &Comparison,
    (pair, a, b): (usize, usize, usize),
) -> Result<[Option<&Work>; 2], EngineError> {
    let pair = comparison.pairs.get(pair).ok_or_else(nowhere)?;
    let a = pair.a.get(a).ok_or_else(nowhere)?;
    let b = pair.b.get(b).ok_or_else(nowhere)?;
    Ok([a.as_ref(), b.as_ref()])
}

fn title(comparison: &Comparison, pair: usize, what: &str) -> Foreign {
    let pair = comparison.pairs.get(pair);
    let (key, role) = pair.map_or(("", String::new()), |pair| {
        (pair.key.as_str(), pair.role.lossy().into_owned())
    });
    format!("{what} of {key} ({role})").into()
}

/// Both sides, if there is any.
fn both(
    title: Foreign,
    before: Option<Vec<u8>>,
    after: Option<Vec<u8>>,
) -> Result<Sides, EngineError> {
    if before.is_none() && after.is_none() {
        let text = format!("Neither side has a {}.", title.shown());
        return Err(EngineError::new(ErrorKind::NotFound, text));
    }
    Ok(Sides {
        before,
        after,
        title,
    })
}

fn shown(path: &Foreign, content: Result<Content, String>) -> Result<Option<Vec<u8>>, EngineError> {
    let unreadable = |why: String| {
        let text = format!("{} cannot be shown: {why}.", path.shown());
        EngineError::unreadable(text)
    };
    match content {
        Ok(Content::Absent) => Ok(None),
        Ok(Content::Bytes(bytes)) => Ok(Some(bytes)),
        Ok(Content::Huge(size)) => Err(unreadable(format!("it has {size} bytes"))),
        Err(why) => Err(unreadable(why)),
    }
}
