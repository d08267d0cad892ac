//! `export`: copies files of a pipeline into a new private folder.

use std::ffi::OsStr;
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use super::{Engine, EngineError, ErrorKind, Result};
use crate::apply::disk::RealDisk;
use crate::apply::{export, home};
use crate::foreign;
use crate::model::path::is_git_dir;
use crate::model::{Export, Exported, Foreign, PipelineId};

impl Engine {
    /// Writes the export of a pipeline into a folder that does not exist yet.
    pub fn export_run(&self, id: &PipelineId, dir: &Path) -> Result<Exported> {
        let opened = self.recall(id)?;
        let Some(export) = opened.case.export(self.world.as_ref()) else {
            let system = opened.pipeline.reading.system;
            let text = format!("A pipeline of {system} has nothing to export.");
            let hint = format!(
                "Its results are files of its project. To export reports of it: relight export {id} DIR --report"
            );
            return Err(EngineError::refused(text).hint(hint));
        };
        let (parent, name) = self.new_place(dir)?;
        self.write_export(&parent, name, export)
    }

    /// Writes what the commands report of a pipeline, and what its system exports, into a new folder with the name of
    /// the pipeline. `into` is the folder around it; it is created where it does not exist.
    pub fn export_report(&self, id: &PipelineId, into: &Path) -> Result<Exported> {
        let mut export = Export {
            files: (self.reports)(self, id)?,
            gaps: Vec::new(),
        };
        if let Some(own) = self.recall(id)?.case.export(self.world.as_ref()) {
            export.files.extend(own.files);
            export.gaps = own.gaps;
        }
        let around = if let Some(around) = self.world.files().canonical(into) {
            self.must_not_be_owned(&around)?;
            around
        } else {
            let (parent, name) = self.new_place(into)?;
            export::folder(&RealDisk::new(), &parent, name)
                .map_err(|error| failed(into, &error))?;
            parent.join(name)
        };
        self.write_export(&around, OsStr::new(&id.0), export)
    }

    /// The folder that is to hold a new one, and the name of the new one.
    fn new_place<'a>(&self, dir: &'a Path) -> Result<(PathBuf, &'a OsStr)> {
        let Some(name) = dir.file_name() else {
            return Err(EngineError::usage("The directory needs a name."));
        };
        let parent = parent(dir);
        let Some(found) = self.world.files().canonical(parent) else {
            let text = foreign!("There is no directory {}.", parent);
            return Err(EngineError::new(ErrorKind::NotFound, text).hint("Create it first."));
        };
        self.must_not_be_owned(&found.join(name))?;
        Ok((found, name))
    }

    /// Refuses a folder that is somebody's own: agents delete what is in theirs by its age, and git what it does not
    /// know.
    fn must_not_be_owned(&self, dir: &Path) -> Result<()> {
        let places = self.world.places();
        let agents = [
            &places.claude,
            &places.codex,
            &places.gemini,
            &places.opencode,
        ];
        let own = places.state.as_ref().map(|state| home::own(state));
        let owners = agents.into_iter().flatten().chain(&own);
        let real = |owner: &PathBuf| self.world.files().canonical(owner);
        let in_git = |dir: &&Path| {
            let name = dir.file_name().unwrap_or_default();
            is_git_dir(name.as_bytes())
        };
        let found = owners.filter_map(real).find(|owner| dir.starts_with(owner));
        let found = found.or_else(|| dir.ancestors().find(in_git).map(Path::to_owned));
        let Some(owner) = found else {
            return Ok(());
        };
        let text = foreign!("{} is in {}, which is no place for exports.", dir, &owner);
        Err(EngineError::refused(text).hint("Name a directory outside it."))
    }

    fn write_export(&self, parent: &Path, name: &OsStr, export: Export) -> Result<Exported> {
        let dir = parent.join(name);
        export::write(&RealDisk::new(), parent, name, &export.files)
            .map_err(|error| failed(&dir, &error))?;
        Ok(Exported {
            files: export.files.into_iter().map(|file| file.name).collect(),
            gaps: export.gaps,
            warnings: self.warnings(&dir),
            dir,
        })
    }

    /// Whether a folder is in a work tree that does not ignore it.
    fn may_be_committed(&self, dir: &Path) -> bool {
        let git = self.world.git();
        let top = git.repo(dir).ok().and_then(|repo| repo.work_tree);
        top.is_some_and(|top| {
            // A pattern for folders ignores what is in them.
            let inside = dir.join("README.md");
            let rel = inside.strip_prefix(&top).unwrap_or(&inside);
            !git.is_ignored(&top, rel).unwrap_or(false)
        })
    }

    fn warnings(&self, dir: &Path) -> Vec<Foreign> {
        let mut warnings = vec![Foreign::from(
            "Results and prompts are in this directory in clear text. They may contain secrets.",
        )];
        if self.may_be_committed(dir) {
            let path = Foreign::from(dir).clean();
            warnings.push(
                format!("The directory is in a git work tree: do not commit it ({path}).").into(),
            );
        }
        warnings
    }
}

fn failed(dir: &Path, error: &io::Error) -> EngineError {
    if error.kind() == io::ErrorKind::AlreadyExists {
        let text = "The directory exists already, and an export never writes into one.";
        return EngineError::refused(text).hint("Name a directory that does not exist yet.");
    }
    let text = foreign!("The export to {} failed: {}.", dir, error.to_string());
    EngineError::full(text.clone(), error).unwrap_or_else(|| {
        EngineError::new(ErrorKind::RolledBack, text).hint("Name a directory where you may write.")
    })
}

/// The folder that is to hold `dir`; the current one for a bare name.
fn parent(dir: &Path) -> &Path {
    match dir.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        Some(_) | None => Path::new("."),
    }
}
