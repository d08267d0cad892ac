//! Builds a case in a folder of its own: git first, then shadow stores, then files over them, then times.

use std::fs;
use std::path::{Path, PathBuf};

use base64::Engine as _;
use chrono::TimeDelta;

use super::case::{Case, Fixture};
use super::words::Words;
use super::{Trouble, repos, temporary};

/// A case as it lies on disk; gone when dropped.
pub(crate) struct Built {
    /// Removes the folder.
    _dir: tempfile::TempDir,
    /// What placeholders stand for, the folder among it.
    pub(crate) words: Words,
}

impl Built {
    /// The folder.
    pub(crate) fn root(&self) -> &Path {
        &self.words.root
    }
}

/// Builds it.
pub(crate) fn build(fixture: &Fixture, case: &Case) -> Result<Built, Trouble> {
    let dir = temporary::named(tempfile::Builder::new().prefix("relight").rand_bytes(8));
    let mut words = Words::new(&dir.path().canonicalize()?);
    for repo in &case.git {
        repos::build(&mut words, repo, case)?;
    }
    for shadow in &case.shadow {
        repos::shadow(&mut words, shadow)?;
    }
    for tree in fixture.trees()? {
        let root = words.root.clone();
        copy(&words, &tree, &root)?;
    }
    files(&words, case)?;
    for path in &case.removed {
        let path = words.path(path)?;
        if path.is_dir() {
            fs::remove_dir_all(path)?;
        } else {
            fs::remove_file(path)?;
        }
    }
    ages(&words, case)?;
    Ok(Built { _dir: dir, words })
}

/// What git cannot keep in a fixture's tree.
fn files(words: &Words, case: &Case) -> Result<(), Trouble> {
    for dir in &case.empty_dirs {
        fs::create_dir_all(words.path(dir)?)?;
    }
    for (path, text) in &case.files {
        put(&words.path(path)?, &words.bytes(text.as_bytes())?)?;
    }
    for (path, text) in &case.files_b64 {
        let bytes = base64::engine::general_purpose::STANDARD
            .decode(text)
            .map_err(|why| Trouble(format!("files_b64, {path}: {why}")))?;
        put(&words.path(path)?, &bytes)?;
    }
    for (path, copied) in &case.copies {
        let bytes = fs::read(words.path(&copied.from)?)?;
        let cut = copied.cut.unwrap_or(bytes.len());
        put(
            &words.path(path)?,
            bytes.get(..cut).unwrap_or(bytes.as_slice()),
        )?;
    }
    for (path, target) in &case.links {
        let path = words.path(path)?;
        make_parent(&path)?;
        // A link may take the place of a file of the base.
        if path.is_file() {
            fs::remove_file(&path)?;
        }
        std::os::unix::fs::symlink(words.text(target)?, path)?;
    }
    Ok(())
}

/// Copies a fixture's tree, placeholders filled in names and contents.
fn copy(words: &Words, from: &Path, to: &Path) -> Result<(), Trouble> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let name = entry.file_name();
        let name = words.text(&name.to_string_lossy())?;
        let target = to.join(name);
        if entry.file_type()?.is_dir() {
            copy(words, &entry.path(), &target)?;
        } else {
            put(&target, &words.bytes(&fs::read(entry.path())?)?)?;
        }
    }
    Ok(())
}

/// Writes a file and what it lies in.
pub(crate) fn put(path: &Path, bytes: &[u8]) -> Result<(), Trouble> {
    make_parent(path)?;
    fs::write(path, bytes).map_err(|why| Trouble(format!("{}: {why}", path.display())))
}

fn make_parent(path: &Path) -> Result<(), Trouble> {
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent)?;
    }
    Ok(())
}

/// Sets the times of everything, then those of single paths.
fn ages(words: &Words, case: &Case) -> Result<(), Trouble> {
    let mut all = vec![words.root.clone()];
    beneath(&words.root, &mut all)?;
    for path in &all {
        age(path, case, case.age_s)?;
    }
    for (path, seconds) in &case.ages_s {
        let path = words.path(path)?;
        age(&path, case, *seconds)
            .map_err(|why| Trouble(format!("ages_s, {}: {}", path.display(), why.0)))?;
    }
    Ok(())
}

fn age(path: &Path, case: &Case, seconds: i64) -> Result<(), Trouble> {
    let at = case.now.0 - TimeDelta::seconds(seconds);
    let times = fs::FileTimes::new().set_modified(at.into());
    fs::File::open(path)?.set_times(times)?;
    Ok(())
}

/// Every file and directory beneath one, links left out.
fn beneath(dir: &Path, found: &mut Vec<PathBuf>) -> Result<(), Trouble> {
    for entry in fs::read_dir(dir)? {
        let entry = entry?;
        let kind = entry.file_type()?;
        if kind.is_dir() {
            found.push(entry.path());
            beneath(&entry.path(), found)?;
        } else if kind.is_file() {
            found.push(entry.path());
        }
    }
    Ok(())
}
