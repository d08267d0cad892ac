//! Two texts of a comparison, for the diff view.

use std::path::PathBuf;

use super::super::{Engine, EngineError, ErrorKind, Result, Sides};
use super::listing::Content;
use super::nowhere;
use crate::foreign;
use crate::model::{Compared, Comparison, Foreign, Forms, Pair, Run, RunTree, Work};

impl Engine {
    /// Two texts of a comparison.
    pub fn compared(&self, comparison: &Comparison, what: Compared) -> Result<Sides> {
        match what {
            Compared::Template(at) => {
                let swap = comparison.templates.get(at).ok_or_else(nowhere)?;
                Ok(Sides {
                    title: swap.mutation.text(),
                    before: swap.template.clone(),
                    after: Some(swap.replacement.clone()),
                    forms: Forms::default(),
                })
            }
            Compared::Dispatch { pair, a, b } => {
                let file = |work: &Work| work.dispatch.clone();
                self.files_of(comparison, (pair, a, b), "dispatch file", file)
            }
            Compared::Output { pair, a, b } => {
                let file = |work: &Work| work.output.clone();
                self.files_of(comparison, (pair, a, b), "output", file)
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
        path: fn(&Work) -> Option<PathBuf>,
    ) -> Result<Sides> {
        let [before, after] = works(comparison, at)?.map(|work| work.and_then(path));
        let text = |path: PathBuf| shown(&Foreign::from(&path), self.content_of_file(&path));
        let text = |path: Option<PathBuf>| path.map_or(Ok(None), text);
        both(title(comparison, at.0, what), text(before)?, text(after)?)
    }

    fn artifact(&self, comparison: &Comparison, at: usize) -> Result<Sides> {
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
            forms: file.forms,
        })
    }
}

/// The work of a pair in one run of each side.
fn works(
    comparison: &Comparison,
    (pair, a, b): (usize, usize, usize),
) -> Result<[Option<&Work>; 2]> {
    let pair = comparison.pairs.get(pair);
    let works = pair.and_then(|pair| Some([pair.a.get(a)?.as_ref(), pair.b.get(b)?.as_ref()]));
    works.ok_or_else(nowhere)
}

fn title(comparison: &Comparison, pair: usize, what: &str) -> Foreign {
    let pair = comparison.pairs.get(pair);
    let named = |pair: &Pair| {
        let role = pair.role.lossy();
        format!("{what} of {} ({role})", pair.key)
    };
    pair.map(named).unwrap_or_default().into()
}

/// Both sides, if there is any.
fn both(title: Foreign, before: Option<Vec<u8>>, after: Option<Vec<u8>>) -> Result<Sides> {
    if before.is_none() && after.is_none() {
        let text = foreign!("Neither side has a {}.", title);
        return Err(EngineError::new(ErrorKind::NotFound, text));
    }
    Ok(Sides {
        before,
        after,
        title,
        forms: Forms::default(),
    })
}

fn shown(path: &Foreign, content: Result<Content, String>) -> Result<Option<Vec<u8>>> {
    let why = match content {
        Ok(Content::Absent) => return Ok(None),
        Ok(Content::Bytes(bytes)) => return Ok(Some(bytes)),
        Ok(Content::Huge(size)) => format!("it has {size} bytes"),
        Err(why) => why,
    };
    let text = foreign!("{} cannot be shown: {why}.", path);
    Err(EngineError::unreadable(text))
}
