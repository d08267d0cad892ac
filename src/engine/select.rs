//! Which pipeline a word on the command line means (contract.md, Ids).

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError};

use super::{Engine, EngineError, ErrorKind, Request, Scope, Survey};
use crate::model::{Foreign, Pipeline, PipelineId, Place};
use crate::systems::Candidate;

impl Engine {
    /// The pipeline that an id, a prefix of an id or native key, or a path means.
    pub fn select(&self, word: &OsStr, request: &Request) -> Result<PipelineId, EngineError> {
        if word.is_empty() {
            let error = EngineError::new(ErrorKind::Usage, "The name of the pipeline is empty.");
            return Err(error.hint("relight list --all shows the pipelines with their ids."));
        }
        let wide = Request {
            all: true,
            ..request.clone()
        };
        let said = request.work_tree.as_deref();
        let said = said
            .map(|tree| self.existing(&request.cwd, tree))
            .transpose()?;
        let id = if self.is_path(word, &request.cwd) {
            self.by_path(word, &wide)?
        } else {
            self.by_name(word, wide)?
        };
        if let Some(tree) = said {
            self.place(&id, tree)?;
        }
        *self.fresh.lock().unwrap_or_else(PoisonError::into_inner) = Some(id.clone());
        Ok(id)
    }

    /// An id, or a beginning of an id or native key.
    fn by_name(&self, word: &OsStr, wide: Request) -> Result<PipelineId, EngineError> {
        let survey = self.survey(&wide, &|_| {})?;
        match by_word(word, &survey.pipelines) {
            Err(error)
                if (word.as_bytes().contains(&b'~') || wide.work_tree.is_some())
                    && survey.scope != Scope::Machine
                    && wide.paths.is_empty() =>
            {
                // A whole id says which pipeline is meant wherever one stands; a shortened one does not. A run
                // whose work tree must be said belongs to no repository that could be stood in.
                let machine = self.survey(
                    &Request {
                        scope: Some(Scope::Machine),
                        ..wide
                    },
                    &|_| {},
                )?;
                by_word(word, &machine.pipelines).or(Err(error))
            }
            other => other,
        }
    }

    /// Puts a pipeline whose project cannot be found where the person says it is. It keeps the id by which it
    /// was named.
    fn place(&self, id: &PipelineId, tree: PathBuf) -> Result<(), EngineError> {
        let before = self.recall(id)?;
        if before.pipeline.work_tree.is_some() {
            return Ok(());
        }
        let candidate = Candidate {
            work_tree: Some(tree),
            ..before.candidate.clone()
        };
        if let Some(mut placed) = self.open(candidate) {
            placed.pipeline.id = id.clone();
            self.remember(Arc::new(placed));
        }
        Ok(())
    }

    /// A word is a path when it looks like one, or when there is something of that name here.
    fn is_path(&self, word: &OsStr, cwd: &Path) -> bool {
        let here = Place::known(cwd, word).is_ok_and(|place| self.world.files().exists(&place));
        word.as_bytes().contains(&b'/') || word == "." || word == ".." || here
    }

    /// A path: the pipeline whose file, folder or work tree it is, else the only one beneath it.
    fn by_path(&self, word: &OsStr, request: &Request) -> Result<PipelineId, EngineError> {
        let request = Request {
            paths: vec![word.into()],
            ..request.clone()
        };
        let survey = self.survey(&request, &|_| {})?;
        let path = self
            .world
            .files()
            .canonical(&request.cwd.join(word))
            .unwrap_or_default();
        let exact: Vec<&Pipeline> = survey
            .pipelines
            .iter()
            .filter(|p| is_at(p, &path))
            .collect();
        let of_all: Vec<&Pipeline> = survey.pipelines.iter().collect();
        match (exact.as_slice(), of_all.as_slice()) {
            ([one], _) | ([], [one]) => Ok(one.id.clone()),
            ([], []) => Err(nothing_at(word, &survey)),
            ([], several) | (several, _) => Err(ambiguous(word, several)),
        }
    }
}

fn is_at(pipeline: &Pipeline, path: &Path) -> bool {
    let files = pipeline
        .state_files
        .iter()
        .any(|file| file == path || file.parent() == Some(path));
    files || pipeline.work_tree.as_deref() == Some(path) || pipeline.root == path
}

/// Exact id first, then exact native key, then prefixes of either.
fn by_word(named: &OsStr, pipelines: &[Pipeline]) -> Result<PipelineId, EngineError> {
    let word = named.as_bytes();
    let tests: [&dyn Fn(&&Pipeline) -> bool; 3] = [
        &|p| p.id.0.as_bytes() == word,
        &|p| p.native.as_bytes() == word,
        &|p| p.id.0.as_bytes().starts_with(word) || p.native.as_bytes().starts_with(word),
    ];
    for test in tests {
        let fitting: Vec<&Pipeline> = pipelines.iter().filter(test).collect();
        match fitting.as_slice() {
            [] => {}
            [one] => return Ok(one.id.clone()),
            several => return Err(ambiguous(named, several)),
        }
    }
    Err(EngineError::not_found(word))
}

fn ambiguous(word: &OsStr, fitting: &[&Pipeline]) -> EngineError {
    let error = EngineError::new(
        ErrorKind::Ambiguous,
        [
            word.as_bytes(),
            format!(" means {} pipelines.", fitting.len()).as_bytes(),
        ]
        .concat(),
    );
    fitting
        .iter()
        .take(8)
        .fold(error, |error, p| error.hint(Foreign::from(p.id.0.as_str())))
}

fn nothing_at(word: &OsStr, survey: &Survey) -> EngineError {
    let error = EngineError::new(
        ErrorKind::NotFound,
        [b"There is no pipeline at ", word.as_bytes(), b"."].concat(),
    );
    survey.skipped.iter().take(3).fold(error, |error, skipped| {
        error.hint(format!(
            "{} is not one: {}",
            skipped.path.to_string_lossy(),
            skipped.reason.lossy()
        ))
    })
}
