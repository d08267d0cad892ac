//! The project of a run. The marker does not name it, so it is found by other records: the first match wins, and a path
//! is never guessed.

use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};

use super::Sources;
use crate::formats::{json, jsonl};
use crate::model::{Finding, Origin, Place};
use crate::text::Shown as _;
use crate::world::World;
use crate::world::git::GitError;

/// How many bytes of a transcript are searched for its working directory.
const HEAD: usize = 256 << 10;
/// How many directories are listed while a folder name is decoded.
const LISTINGS: usize = 2_000;

/// The first 16 hex digits of the SHA-256 of a working directory's path, without a newline: the name of its checkpoint
/// store, and the third naming scheme of project folders.
pub(crate) fn dir_hash(path: &Path) -> String {
    use std::os::unix::ffi::OsStrExt as _;
    let digest = Sha256::digest(path.as_os_str().as_bytes());
    let first = digest.first_chunk().copied().unwrap_or_default();
    format!("{:016x}", u64::from_be_bytes(first))
}

/// Claude's own name for the folder of a working directory.
pub(crate) fn claude_name(path: &Path) -> String {
    let text = path.to_string_lossy();
    text.chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '-' })
        .collect()
}

/// The name that the routing hook makes: only slashes are replaced.
pub(crate) fn hook_name(path: &Path) -> String {
    path.to_string_lossy().replace('/', "-")
}

/// The possible names of a project's folder.
pub(crate) fn folder_names(path: &Path) -> [String; 3] {
    [claude_name(path), hook_name(path), dir_hash(path)]
}

/// How a project was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Project {
    /// Its canonical path.
    pub(crate) path: PathBuf,
    /// How it was inferred, for a person; `None` if a file states it.
    pub(crate) inferred: Option<&'static str>,
}

impl Project {
    /// Says so where it was inferred.
    pub(super) fn finding(&self, sources: &Sources) -> Option<Finding> {
        let how = self.inferred?;
        let place = sources.projects.first().cloned().unwrap_or_default();
        let path = self.path.shown();
        let text = format!("The project is {path}, inferred from {how}.");
        let origin = Origin::file(place);
        Some(Finding::inferred("inferred-project", origin, text))
    }
}

/// Finds the project of a run. `of_stores` are the work trees that checkpoint stores prove.
pub(crate) fn find(
    projects: &[PathBuf],
    of_stores: impl IntoIterator<Item = PathBuf>,
    baseline: Option<&str>,
    world: &dyn World,
) -> Option<Project> {
    let found = |path: Option<PathBuf>, inferred| {
        let path = world.files().canonical(&path?)?;
        Some(Project { path, inferred })
    };
    let cwds = || projects.iter().filter_map(|p| transcript_cwd(p, world));
    // Which of the projects with a run of this number is meant, a person must say.
    if projects.len() > 1 && cwds().next().is_some() && only(cwds()).is_none() {
        return None;
    }
    let from_transcript = || {
        let how = "a transcript of Claude in the same directory";
        found(cwds().next(), Some(how))
    };
    let hashed = || {
        let how = "the hash in the directory's name";
        found(of_hash(projects, world), Some(how))
    };
    let decoded = || {
        let path = decode(projects, world)?;
        let refuted = baseline.is_some_and(|sha| is_missing(&path, sha, world));
        found((!refuted).then_some(path), Some("the directory's name"))
    };
    let stated = found(only(of_stores), None).or_else(from_transcript);
    stated.or_else(hashed).or_else(decoded)
}

fn is_missing(path: &Path, sha: &str, world: &dyn World) -> bool {
    matches!(
        world.git().find_commit(path, sha),
        Err(GitError::Missing(_) | GitError::NotARepository)
    )
}

/// The path, if all of them are equal.
pub(crate) fn only(paths: impl IntoIterator<Item = PathBuf>) -> Option<PathBuf> {
    let mut paths = paths.into_iter();
    let first = paths.next()?;
    paths.all(|path| path == first).then_some(first)
}

/// The working directory in a project folder's newest transcript.
fn transcript_cwd(project: &Path, world: &dyn World) -> Option<PathBuf> {
    let claude = world.places().claude.as_ref()?;
    let place = Place::known(claude, project.strip_prefix(claude).ok()?).ok()?;
    let entries = world.files().list(&place).unwrap_or_default();
    let is_transcript = |name: &Path| name.extension().is_some_and(|e| e == "jsonl");
    let mut transcripts: Vec<_> = entries
        .into_iter()
        .filter(|entry| !entry.is_dir && is_transcript(Path::new(&entry.name)))
        .filter_map(|entry| {
            let place = place.join(&entry.name).ok()?;
            Some((world.files().stat(&place).ok()?.modified, place))
        })
        .collect();
    transcripts.sort_by_key(|(modified, _)| std::cmp::Reverse(*modified));
    transcripts.iter().take(3).find_map(|(_, place)| {
        let bytes = world.files().read_range(place, 0, HEAD).ok()?;
        let mut objects = jsonl::objects(&bytes);
        let cwd = objects.find_map(|(_, map)| json::text(&map, "cwd").map(PathBuf::from))?;
        (cwd.is_absolute() && world.files().canonical(&cwd).is_some()).then_some(cwd)
    })
}

/// For a project folder named by a hash, the candidate directory with this hash.
fn of_hash(projects: &[PathBuf], world: &dyn World) -> Option<PathBuf> {
    let is_hash = |name: &&str| name.len() == 16 && name.bytes().all(|b| b.is_ascii_hexdigit());
    let names = projects
        .iter()
        .filter_map(|path| path.file_name()?.to_str());
    let wanted: Vec<&str> = names.filter(is_hash).collect();
    if wanted.is_empty() {
        return None;
    }
    let claude = world.places().claude.as_ref()?;
    let entries = world.files().entries(claude, "projects");
    let mut candidates = entries.iter().filter(|e| e.is_dir).filter_map(|e| {
        let project = claude.join("projects").join(&e.name);
        transcript_cwd(&project, world).or_else(|| decode(&[project], world))
    });
    candidates.find(|path| wanted.contains(&dir_hash(path).as_str()))
}

/// Decodes `-home-u-proj` with the help of the existing directories. The name is ambiguous, so only a unique answer
/// counts.
fn decode(projects: &[PathBuf], world: &dyn World) -> Option<PathBuf> {
    projects.iter().find_map(|project| {
        let name = project.file_name()?.to_str()?;
        let mut todo = vec![(PathBuf::from("/"), name.strip_prefix('-')?)];
        let (mut found, mut left) = (Vec::new(), LISTINGS);
        while let Some((dir, rest)) = todo.pop() {
            left -= 1;
            for entry in world.files().list(&Place::root(&dir)).unwrap_or_default() {
                let Some(name) = entry.name.to_str().filter(|_| entry.is_dir) else {
                    continue;
                };
                let claude = claude_name(Path::new(name));
                let other = (name != claude).then_some(name);
                for spelling in [claude.as_str()].into_iter().chain(other) {
                    match rest.strip_prefix(spelling) {
                        Some("") => found.push(dir.join(name)),
                        Some(deeper) => {
                            let deeper = deeper.strip_prefix('-');
                            todo.extend(deeper.map(|deeper| (dir.join(name), deeper)));
                        }
                        None => {}
                    }
                }
            }
            if left == 0 || found.len() > 1 {
                return None;
            }
        }
        found.pop()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_and_names_follow_the_format() {
        let path = Path::new("/home/u/proj");
        assert_eq!(dir_hash(path), "9c09f8055a26c277");
        let dotted = Path::new("/home/u/my.app");
        assert_eq!(claude_name(dotted), "-home-u-my-app");
        assert_eq!(hook_name(dotted), "-home-u-my.app");
    }
}
