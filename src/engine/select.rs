//! Which pipeline an argument of the command line means.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::survey::Keep;
use super::{Engine, EngineError, ErrorKind, Request, Result, Scope, Skipped, Survey, ids};
use crate::foreign;
use crate::model::{Pipeline, PipelineId, lock};
use crate::replay::session;
use crate::systems::Candidate;
use crate::world::cached::CachedWorld;

impl Engine {
    /// The pipeline that an id, a prefix of an id or native key, or a path means.
    pub fn select(&self, word: &OsStr, request: &Request) -> Result<PipelineId> {
        if word.is_empty() {
            let error = EngineError::usage("The name of the pipeline is empty.");
            return Err(error.hint("relight list --all shows the pipelines with their ids."));
        }
        let wide = Request {
            all: true,
            ..request.clone()
        };
        let said = request.work_tree.as_deref();
        let said = said.map(|tree| self.existing(&request.cwd, tree));
        let said = said.transpose()?;
        let by_chance = |error: &EngineError| {
            matches!(error.kind, ErrorKind::NotFound | ErrorKind::Unreadable) && !has_slash(word)
        };
        let found = if self.is_path(word, &request.cwd) {
            match self.by_path(word, &wide) {
                // Something here may have the name of a pipeline by chance.
                Err(error) if by_chance(&error) => self.by_name(word, wide).or(Err(error)),
                other => other,
            }
        } else {
            self.by_name(word, wide)
        };
        let id = found.map_err(|error| match &request.system {
            Some(system) if error.kind == ErrorKind::NotFound => error.first(format!(
                "Only pipelines of {system} were looked for, because of --system."
            )),
            _ => error,
        })?;
        if let Some(tree) = said {
            self.place(&id, tree)?;
        }
        *lock(&self.fresh) = Some(id.clone());
        Ok(id)
    }

    /// An id, or a beginning of an id or native key: in the scope, then on the machine, then where relight
    /// itself has been at work.
    fn by_name(&self, word: &OsStr, wide: Request) -> Result<PipelineId> {
        let look = &self.cached();
        if let Some(id) = self.by_whole_id(word, &wide, look)? {
            return Ok(id);
        }
        let (mut known, mut looked) = (Vec::new(), Vec::new());
        // Each search adds to what the ones before it found.
        let mut within = |request: Request| {
            let survey = self.survey_for(word, &request, look)?;
            known.extend(survey.pipelines);
            looked.push(request);
            match self.by_word(word, &known) {
                Err(error) if error.kind == ErrorKind::NotFound => Ok((None, survey.scope)),
                other => other.map(|id| (Some(id), survey.scope)),
            }
        };
        let (mut found, scope) = within(wide.clone())?;
        if found.is_none() && scope != Scope::Machine {
            let machine = Request {
                scope: Some(Scope::Machine),
                paths: Vec::new(),
                ..wide.clone()
            };
            found = within(machine)?.0;
        }
        let been = found.is_none().then(|| self.been());
        if let Some(paths) = been.filter(|been| !been.is_empty()) {
            found = within(Request { paths, ..wide })?.0;
        }
        match found {
            Some(id) => Ok(id),
            None => Err(self.unknown(word, &looked, look)?),
        }
    }

    /// A whole id names its system, so that no other system's files need to be looked at.
    fn by_whole_id(
        &self,
        word: &OsStr,
        wide: &Request,
        look: &CachedWorld<'_>,
    ) -> Result<Option<PipelineId>> {
        let word = word.as_bytes();
        let named = |system: &&str| {
            let rest = word.strip_prefix(system.as_bytes());
            rest.is_some_and(|rest| rest.starts_with(b"-") && rest.contains(&b'~'))
        };
        let Some(system) = self.systems().find(named).filter(|_| wide.system.is_none()) else {
            return Ok(None);
        };
        let of_system = Request {
            system: Some(system.to_owned()),
            ..wide.clone()
        };
        let survey = self.survey_for(OsStr::from_bytes(word), &of_system, look)?;
        let mut ids = survey.pipelines.into_iter().map(|pipeline| pipeline.id);
        Ok(ids.find(|id| id.0.as_bytes() == word))
    }

    /// A survey of the pipelines that a word may mean; the others are not read.
    fn survey_for(
        &self,
        word: &OsStr,
        request: &Request,
        look: &CachedWorld<'_>,
    ) -> Result<Survey> {
        let wanted = |one: &Candidate| ids::may_mean(word.as_bytes(), one.system, &one.native);
        self.survey_in(look, request, &wanted, &|_| {}, Keep::All)
    }

    /// Nothing fits, with what may have been meant of all that is there.
    fn unknown(
        &self,
        word: &OsStr,
        looked: &[Request],
        look: &CachedWorld<'_>,
    ) -> Result<EngineError> {
        let mut known = Vec::new();
        let mut skipped = Vec::new();
        for request in looked {
            let survey = self.survey_in(look, request, &|_| true, &|_| {}, Keep::All)?;
            known.extend(survey.pipelines);
            skipped.extend(survey.skipped.into_iter().filter(|one| one.unread));
        }
        skipped.sort();
        skipped.dedup();
        let error = if self.settings.ignores_id(word) {
            let hint = "`ignore` in the configuration names it, so it is not looked for.";
            EngineError::not_found(word.as_bytes()).first(hint)
        } else {
            unknown(word, &known)
        };
        Ok(hinted(error, skipped.iter()))
    }

    /// The roots of the recoveries and experiments that relight keeps, as far as they are still there.
    fn been(&self) -> Vec<PathBuf> {
        let everywhere = Request::everywhere();
        let recoveries = self.recoveries(&everywhere).unwrap_or_default();
        let experiments = self.state_dir().map(|state| session::origins(&state));
        let roots = recoveries.into_iter().map(|recovery| recovery.root);
        let roots = roots.chain(experiments.unwrap_or_default());
        let real = roots.filter_map(|root| self.world.files().canonical(&root));
        let mut roots: Vec<PathBuf> = real.collect();
        roots.sort();
        roots.dedup();
        roots
    }

    /// Gives a pipeline whose project cannot be found the project that the person names. It keeps the id by which it
    /// was named.
    pub(super) fn place(&self, id: &PipelineId, tree: PathBuf) -> Result<()> {
        let before = self.recall(id)?;
        if before.pipeline.reading.work_tree.is_some() {
            return Ok(());
        }
        let candidate = Candidate {
            work_tree: Some(tree),
            ..before.candidate.clone()
        };
        if let Some(placed) = self.open_as(Some(id.clone()), candidate, &self.cached()) {
            self.remember(Arc::new(placed));
        }
        Ok(())
    }

    /// Whether a path that was named is the work tree of a pipeline.
    pub fn is_work_tree(&self, id: &PipelineId, cwd: &Path, path: &Path) -> bool {
        let known = self.recall(id).ok();
        let tree = known.and_then(|known| known.pipeline.reading.work_tree.clone());
        tree.is_some() && tree == self.existing(cwd, path).ok()
    }

    /// Exact id first, then exact name or native key, then beginnings of either. An id counts with more hex digits than
    /// it is printed with now: it had them where it was ambiguous.
    fn by_word(&self, named: &OsStr, pipelines: &[Pipeline]) -> Result<PipelineId> {
        let word = named.as_bytes();
        let long = |p: &&Pipeline| {
            let opened = self.recall(&p.id);
            opened.is_ok_and(|opened| {
                let id = ids::id(opened.case.reading(), ids::ALL);
                id.0.len() > p.id.0.len() && id.0.as_bytes().starts_with(word)
            })
        };
        let tests: [&dyn Fn(&&Pipeline) -> bool; 4] = [
            &|p| p.id.0.as_bytes() == word,
            &|p| {
                let name = p.id.0.split('~').next().unwrap_or_default();
                p.reading.native.as_bytes() == word || name.as_bytes() == word
            },
            &|p| {
                p.id.0.as_bytes().starts_with(word) || p.reading.native.as_bytes().starts_with(word)
            },
            &|p| word.contains(&b'~') && long(p),
        ];
        for test in tests {
            let mut fitting: Vec<&Pipeline> = pipelines.iter().filter(test).collect();
            fitting.sort_by(|a, b| a.id.cmp(&b.id));
            // One that was found in two places is one.
            fitting.dedup_by(|a, b| a.id == b.id);
            match fitting.as_slice() {
                [] => {}
                [one] => return Ok(one.id.clone()),
                several => return Err(ambiguous(named, several)),
            }
        }
        Err(EngineError::not_found(word))
    }

    /// A word is a path when it looks like one, or when there is something of that name here.
    fn is_path(&self, word: &OsStr, cwd: &Path) -> bool {
        has_slash(word) || word == "." || word == ".." || self.is_there(cwd, Path::new(word))
    }

    /// A path: the pipeline whose file, folder or work tree it is, else the only one under it.
    fn by_path(&self, word: &OsStr, request: &Request) -> Result<PipelineId> {
        let request = Request {
            paths: vec![word.into()],
            ..request.clone()
        };
        let survey = self.survey(&request, &|_| {})?;
        let path = self.world.files().canonical(&request.cwd.join(word));
        let path = path.unwrap_or_default();
        let of_all: Vec<&Pipeline> = survey.pipelines.iter().collect();
        let exact = of_all.iter().copied().filter(|one| is_at(one, &path));
        let exact: Vec<&Pipeline> = exact.collect();
        match (exact.as_slice(), of_all.as_slice()) {
            ([one], _) | ([], [one]) => Ok(one.id.clone()),
            ([], []) => Err(nothing_at(word, &survey)),
            ([], several) | (several, _) => Err(ambiguous(word, several)),
        }
    }
}

fn is_at(pipeline: &Pipeline, path: &Path) -> bool {
    let reading = &pipeline.reading;
    let is_at = |file: &PathBuf| file == path || file.parent() == Some(path);
    reading.state_files.iter().any(is_at)
        || reading.work_tree.as_deref() == Some(path)
        || reading.root == path
}

fn ambiguous(word: &OsStr, fitting: &[&Pipeline]) -> EngineError {
    let text = foreign!("{} matches {} pipelines.", word, fitting.len().to_string());
    let said = fitting.iter().map(|p| {
        let root = p.reading.work_tree.as_ref().unwrap_or(&p.reading.root);
        let (id, title) = (p.id.0.as_str(), &p.reading.title);
        foreign!("{}: {} ({})", id, title, root)
    });
    EngineError::ambiguous(text, said)
}

fn has_slash(word: &OsStr) -> bool {
    word.as_bytes().contains(&b'/')
}

/// Nothing fits, with what may have been meant: a pipeline's name is as good as its id.
fn unknown(word: &OsStr, known: &[Pipeline]) -> EngineError {
    let error = EngineError::not_found(word.as_bytes());
    let Some(word) = word.to_str() else {
        return error;
    };
    let names = known.iter().flat_map(|p| {
        let (native, id) = (p.reading.native.as_str(), p.id.0.as_str());
        [(native.unwrap_or_default(), id), (id, id)]
    });
    error.near_as(word, names)
}

fn nothing_at(word: &OsStr, survey: &Survey) -> EngineError {
    // A path is quoted: `.` and the end of the sentence would be one.
    let text = foreign!("No pipeline was found in `{}`.", word);
    let (unread, odd): (Vec<&Skipped>, _) = survey.skipped.iter().partition(|one| one.unread);
    let kind = if unread.is_empty() {
        ErrorKind::NotFound
    } else {
        ErrorKind::Unreadable
    };
    let error = hinted(EngineError::new(kind, text), unread.into_iter().chain(odd));
    error.hint("relight list --all --scope machine shows all that can be found.")
}

/// The error with why the first of what was skipped is not among the pipelines.
fn hinted<'a>(error: EngineError, skipped: impl Iterator<Item = &'a Skipped>) -> EngineError {
    error.hints(skipped.take(3).map(|skipped| {
        let (path, reason) = (&skipped.path, &skipped.reason);
        if skipped.unread {
            foreign!("{} {}", path, reason)
        } else {
            foreign!("{} is not a pipeline: {}", path, reason)
        }
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::testing::Scene;
    use crate::text::Shown as _;

    /// Where two ids were alike, both were printed longer. They are looked for elsewhere, too.
    #[test]
    fn s2_an_id_works_with_every_length_that_it_was_printed_with() {
        let scene = Scene::shared();
        let request = Request {
            cwd: scene.path("projects"),
            ..Request::default()
        };
        for id in &scene.ids {
            let opened = scene.engine.recall(id).unwrap();
            let whole = ids::id(opened.case.reading(), ids::ALL);
            for digits in [ids::USUAL, ids::USUAL * 3, ids::ALL] {
                let printed = ids::id(opened.case.reading(), digits);
                let found = scene.engine.select(OsStr::new(&printed.0), &request);
                assert_eq!(found.unwrap(), *id, "{printed}");
            }
            // Another hash is another pipeline, however long.
            let (name, hash) = whole.0.split_once('~').unwrap();
            let other: String = hash.chars().rev().collect();
            let other = format!("{name}~{other}");
            let error = scene.engine.select(OsStr::new(&other), &request);
            assert_eq!(error.unwrap_err().kind, ErrorKind::NotFound, "{other}");
        }
    }

    #[test]
    fn what_the_system_leaves_out_is_not_denied() {
        let scene = Scene::shared();
        let request = Request {
            cwd: scene.path("projects"),
            system: Some("crucible".to_owned()),
            ..Request::default()
        };
        let others = scene.ids.iter().filter(|id| !id.0.starts_with("crucible"));
        for id in others {
            let tree = scene
                .engine
                .recall(id)
                .unwrap()
                .pipeline
                .reading
                .root
                .clone();
            for word in [OsStr::new(&id.0), tree.as_os_str()] {
                let Err(error) = scene.engine.select(word, &request) else {
                    continue;
                };
                let hint = "Only pipelines of crucible were looked for, because of --system.";
                assert_eq!(error.hints.first(), Some(&hint.into()), "{}", word.shown());
            }
        }
    }

    #[test]
    fn more_than_are_named_are_counted() {
        let several =
            |number: usize| EngineError::ambiguous("", (0..number).map(|n| n.to_string()));
        assert_eq!(several(8).hints.len(), 8);
        assert_eq!(several(10).hints.last(), Some(&"and 2 more".into()));
    }
}
