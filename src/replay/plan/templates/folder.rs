//! A folder of templates: the files in it and in its `skills/*/`, found without following a link.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};

use crate::model::{Foreign, Place};
use crate::world::World;

/// How many folders deep templates are looked for: `skills/build/x-prompt.md`.
pub(super) const DEPTH: usize = 2;
/// The most folders that are opened.
const FOLDERS: usize = 2_000;
/// The most templates that are kept in mind.
const FILES: usize = 20_000;

/// A folder of templates.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Shelf {
    /// Its true path.
    pub(super) root: PathBuf,
    /// The top of the repository that it is in.
    pub(super) top: Option<PathBuf>,
    /// Markdown files under it, relative.
    files: Vec<PathBuf>,
}

impl Shelf {
    /// Lists a folder; `None` where it is none.
    pub(super) fn open(folder: &Path, world: &dyn World) -> Option<Self> {
        let root = world.files().canonical(folder)?;
        world.files().list(&Place::root(&root)).ok()?;
        let top = world
            .git()
            .repo(&root)
            .ok()
            .and_then(|facts| facts.work_tree);
        let top = top.and_then(|top| world.files().canonical(&top));
        let files = files(&root, world);
        Some(Self { root, top, files })
    }

    /// The files of one of these names, the likeliest first.
    pub(super) fn find<'a>(&'a self, names: &[Vec<u8>], skill: &[u8]) -> Vec<&'a Path> {
        let ranked = |rel: &'a PathBuf| Some((rank(rel, names, skill)?, rel.as_path()));
        let mut ranked: Vec<_> = self.files.iter().filter_map(ranked).collect();
        ranked.sort_unstable();
        ranked.into_iter().map(|(_, rel)| rel).collect()
    }
}

/// How likely a file is meant: by its name, then the folder of the skill that ran, then the shallowest. `None` for
/// another name. Smaller is likelier.
pub(super) fn rank(rel: &Path, names: &[Vec<u8>], skill: &[u8]) -> Option<(usize, bool, usize)> {
    let name = Foreign::from(rel.file_name()?);
    let at = names.iter().position(|one| one == name.as_bytes())?;
    let folder = rel.parent().and_then(Path::file_name).map(Foreign::from);
    let elsewhere = folder.is_none_or(|folder| folder.as_bytes() != skill);
    Some((at, elsewhere, rel.components().count()))
}

fn files(root: &Path, world: &dyn World) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut todo = VecDeque::from([(PathBuf::new(), 0)]);
    let mut opened = 0;
    while let Some((rel, depth)) = todo.pop_front() {
        opened += 1;
        if opened > FOLDERS || found.len() > FILES {
            break;
        }
        let place = if depth == 0 {
            Place::root(root)
        } else if let Ok(place) = Place::known(root, &rel) {
            place
        } else {
            continue;
        };
        for entry in world.files().list(&place).unwrap_or_default() {
            let path = rel.join(&entry.name);
            if entry.is_link || entry.name.as_encoded_bytes().starts_with(b".") {
                continue;
            }
            if entry.is_dir {
                if depth < DEPTH {
                    todo.push_back((path, depth + 1));
                }
            } else if path.extension().is_some_and(|end| end == "md") {
                found.push(path);
            }
        }
    }
    found
}
