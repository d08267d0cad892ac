//! Which pipeline a word on the command line means (contract.md, Ids).

use std::path::Path;

use super::{Engine, EngineError, ErrorKind, Request, Scope, Survey};
use crate::model::{Foreign, Pipeline, PipelineId, Place};

impl Engine {
    /// The pipeline that an id, a prefix of an id or native key, or a path means.
    pub fn select(&self, word: &str, request: &Request) -> Result<PipelineId, EngineError> {
        let wide = Request {
            all: true,
            ..request.clone()
        };
        if self.is_path(word, &request.cwd) {
            return self.by_path(word, &wide);
        }
        let survey = self.survey(&wide, &|_| {})?;
        match by_word(word, &survey.pipelines) {
            Err(error)
                if word.contains('~')
                    && survey.scope != Scope::Machine
                    && request.paths.is_empty() =>
            {
                // A whole id says which pipeline is meant wherever one stands; a shortened one does not.
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

    /// A word is a path when it looks like one, or when there is something of that name here.
    fn is_path(&self, word: &str, cwd: &Path) -> bool {
        let here = Place::known(cwd, word).is_ok_and(|place| self.world.files().exists(&place));
        word.contains('/') || word == "." || word == ".." || here
    }

    /// A path: the pipeline whose file, folder or work tree it is, else the only one beneath it.
    fn by_path(&self, word: &str, request: &Request) -> Result<PipelineId, EngineError> {
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
fn by_word(word: &str, pipelines: &[Pipeline]) -> Result<PipelineId, EngineError> {
    let tests: [&dyn Fn(&&Pipeline) -> bool; 3] =
        [&|p| p.id.0 == word, &|p| p.native == word, &|p| {
            p.id.0.starts_with(word) || p.native.as_bytes().starts_with(word.as_bytes())
        }];
    for test in tests {
        let fitting: Vec<&Pipeline> = pipelines.iter().filter(test).collect();
        match fitting.as_slice() {
            [] => {}
            [one] => return Ok(one.id.clone()),
            several => return Err(ambiguous(word, several)),
        }
    }
    Err(EngineError::not_found(word.as_bytes()))
}

fn ambiguous(word: &str, fitting: &[&Pipeline]) -> EngineError {
    let error = EngineError::new(
        ErrorKind::Ambiguous,
        format!("{word} means {} pipelines.", fitting.len()),
    );
    fitting
        .iter()
        .take(8)
        .fold(error, |error, p| error.hint(Foreign::from(p.id.0.as_str())))
}

fn nothing_at(word: &str, survey: &Survey) -> EngineError {
    let error = EngineError::new(
        ErrorKind::NotFound,
        format!("There is no pipeline at {word}."),
    );
    survey.skipped.iter().take(3).fold(error, |error, skipped| {
        error.hint(format!(
            "{} is not one: {}",
            skipped.path.to_string_lossy(),
            skipped.reason.lossy()
        ))
    })
}
