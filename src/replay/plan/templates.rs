//! The templates that dispatches were made from: in a folder that the person named or in the installed plugin, as
//! they are now, as they were when the run began, and as a commit has them. Reads only, under those folders only.

mod folder;
mod pinned_commit;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use chrono::{DateTime, Utc};

use super::mutation;
use crate::foreign;
use crate::model::{
    EngineError, Experiment, Foreign, Place, ReplayAsk, ReplayPart, Result, short_id,
};
use crate::text::distinct;
use crate::world::World;
use crate::world::git::Commit;

use folder::{Shelf, rank};
use pinned_commit::Pin;

/// How many commits of one template are read.
const COMMITS: usize = 500;

/// Other files of a template's name that are read.
const OTHERS: usize = 16;

/// One text of a template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Text {
    /// The bytes.
    pub(super) bytes: Vec<u8>,
    /// Where they are from, for a person.
    pub(super) from: Foreign,
    /// Whether a commit contains them, so that they can be reproduced later.
    pub(super) committed: bool,
}

/// The texts of one template.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Versions {
    /// At the commit that all templates are pinned to.
    pub(super) pinned: Option<Text>,
    /// At the newest commit from before the run that changed it.
    pub(super) before: Option<Text>,
    /// The file as it is.
    pub(super) now: Option<Text>,
    /// Other files with its name, such as those of another version of the plugin, likeliest first.
    pub(super) others: Vec<Text>,
    /// Whether it was changed after the run began; by its commits, else by the file's time.
    pub(super) newer: bool,
}

impl Versions {
    /// The texts that a dispatch may have been made from, likeliest first.
    pub(super) fn bases(&self) -> impl Iterator<Item = &Text> {
        let own = [&self.pinned, &self.before, &self.now];
        own.into_iter().flatten().chain(&self.others)
    }
}

/// All available templates.
pub(super) struct Library<'a> {
    world: &'a dyn World,
    shelves: Vec<Shelf>,
    pin: Option<Pin>,
    skill: Vec<u8>,
    began: Option<DateTime<Utc>>,
    read: BTreeMap<Vec<Vec<u8>>, Versions>,
    /// Every text of a template that its repository has, read only where none of its versions fits.
    all: BTreeMap<Foreign, Vec<Text>>,
}

impl<'a> Library<'a> {
    /// Opens the folders, and resolves the commit that the templates are pinned to.
    pub(super) fn open(
        ask: &ReplayAsk,
        experiment: &Experiment,
        world: &'a dyn World,
    ) -> Result<Self> {
        let shelves = if let Some(named) = &ask.templates {
            vec![Self::named(named, world)?]
        } else {
            let folders = experiment.plugin_templates.iter();
            let shelves = folders.filter_map(|folder| Shelf::open(folder, world));
            shelves.collect()
        };
        let pin = |revision: &String| Pin::resolve(revision, &shelves, world);
        let pin = ask.template_ref.as_ref().map(pin).transpose();
        let pin = pin.map_err(|refused| refused.about(ReplayPart::TemplateRef))?;
        Ok(Self {
            world,
            shelves,
            pin,
            skill: experiment.skill.as_bytes().to_vec(),
            began: began(experiment),
            read: BTreeMap::new(),
            all: BTreeMap::new(),
        })
    }

    fn named(folder: &Path, world: &dyn World) -> Result<Shelf> {
        Shelf::open(folder, world).ok_or_else(|| {
            EngineError::usage(foreign!("There is no directory {}.", folder))
                .hint("--templates takes the directory that contains the templates, or its parent.")
                .about(ReplayPart::Templates)
        })
    }

    /// Whether templates are pinned.
    pub(super) fn is_pinned(&self) -> bool {
        self.pin.is_some()
    }

    /// The folders that are looked into.
    pub(super) fn folders(&self) -> impl Iterator<Item = &Path> {
        self.shelves.iter().map(|shelf| shelf.root.as_path())
    }

    /// The texts of a template. `asked` is the file's name as a mutation says it, which is looked for first.
    pub(super) fn versions(&mut self, template: &Foreign, asked: Option<&Foreign>) -> Versions {
        let asked = asked.map(|name| name.as_bytes().to_vec());
        let names = distinct(asked.into_iter().chain(mutation::file_names(template)));
        if let Some(known) = self.read.get(&names) {
            return known.clone();
        }
        let versions = self.look_up(&names);
        self.read.insert(names, versions.clone());
        versions
    }

    /// Every text of a template in the history of its repository, newest first, each once.
    pub(super) fn history_texts(&mut self, template: &Foreign) -> &[Text] {
        if !self.all.contains_key(template) {
            let texts = self.read_history(&mutation::file_names(template));
            self.all.insert(template.clone(), texts);
        }
        self.all.get(template).map_or(&[], Vec::as_slice)
    }

    fn read_history(&self, names: &[Vec<u8>]) -> Vec<Text> {
        let found = self.shelves.iter().find_map(|shelf| {
            let rel = *shelf.find(names, &self.skill).first()?;
            self.history(shelf, rel)
        });
        let Some(history) = found else {
            return Vec::new();
        };
        let mut texts: Vec<Text> = Vec::new();
        for commit in &history.commits {
            let text = self.committed(&history.top, &commit.id, &history.path);
            let is_new = |text: &Text| texts.iter().all(|known| known.bytes != text.bytes);
            texts.extend(text.filter(is_new));
        }
        texts
    }

    /// The text of a file at a commit.
    fn committed(&self, top: &Path, commit: &str, path: &Path) -> Option<Text> {
        Some(Text {
            bytes: self.world.git().blob(top, commit, path).ok()?,
            from: foreign!("{} at {}", path, short_id(commit)),
            committed: true,
        })
    }

    fn look_up(&self, names: &[Vec<u8>]) -> Versions {
        let mut versions = Versions {
            pinned: self.pinned(names),
            ..Versions::default()
        };
        let mut found = self.shelves.iter().flat_map(|shelf| {
            let files = shelf.find(names, &self.skill);
            files.into_iter().map(move |rel| (shelf, rel))
        });
        let Some((folder, rel)) = found.next() else {
            return versions;
        };
        let others = found.take(OTHERS);
        let others = others.filter_map(|(folder, rel)| self.other(folder, rel));
        versions.others = others.collect();
        let Ok(place) = Place::known(&folder.root, rel) else {
            return versions;
        };
        let bytes = self.world.files().read(&place, mutation::CAP).ok();
        let history = self.history(folder, rel);
        versions.now = bytes.map(|bytes| Text {
            from: foreign!("{} as it is", rel),
            committed: history
                .as_ref()
                .is_some_and(|known| known.newest.as_ref() == Some(&bytes)),
            bytes,
        });
        let changed = match (&history, &versions.now) {
            (Some(known), Some(now)) if now.committed => known.commits.first().map(|c| c.time),
            _ => self
                .world
                .files()
                .stat(&place)
                .ok()
                .map(|stat| stat.modified),
        };
        let newer = changed.zip(self.began);
        versions.newer = newer.is_some_and(|(changed, began)| changed > began);
        versions.before = history.and_then(|known| {
            let began = self.began?;
            let then = known.commits.iter().find(|commit| commit.time <= began)?;
            self.committed(&known.top, &then.id, &known.path)
        });
        versions
    }

    fn pinned(&self, names: &[Vec<u8>]) -> Option<Text> {
        let pin = self.pin.as_ref()?;
        let found = self.shelves.iter().find_map(|shelf| {
            let beneath = shelf.root.strip_prefix(&pin.top).ok()?;
            let inside = pin.paths.iter().filter_map(|path| {
                let rel = path.strip_prefix(beneath).ok()?;
                (rel.components().count() <= folder::DEPTH + 1).then_some((path, rel))
            });
            let ranked =
                inside.filter_map(|(path, rel)| Some((rank(rel, names, &self.skill)?, path)));
            ranked.min().map(|(_, path)| path)
        })?;
        self.committed(&pin.top, &pin.commit, found)
    }

    /// Another file of the same name.
    fn other(&self, folder: &Shelf, rel: &Path) -> Option<Text> {
        let place = Place::known(&folder.root, rel).ok()?;
        let bytes = self.world.files().read(&place, mutation::CAP).ok()?;
        Some(Text {
            bytes,
            from: foreign!("{} as it is", &folder.root.join(rel)),
            committed: false,
        })
    }

    /// What the repository of a shelf knows about one of its files.
    fn history(&self, folder: &Shelf, rel: &Path) -> Option<History> {
        let top = folder.top.as_ref()?;
        let path = folder.root.join(rel).strip_prefix(top).ok()?.to_owned();
        let git = self.world.git();
        let commits = git.path_history(top, &path, COMMITS).ok()?;
        let newest = git.blob(top, &commits.first()?.id, &path).ok();
        Some(History {
            top: top.clone(),
            path,
            commits,
            newest,
        })
    }
}

/// The commits that changed one file, newest first.
struct History {
    top: PathBuf,
    path: PathBuf,
    commits: Vec<Commit>,
    /// What the newest of them holds.
    newest: Option<Vec<u8>>,
}

/// When the run began: as recorded, else with its first dispatch.
fn began(experiment: &Experiment) -> Option<DateTime<Utc>> {
    let first = || experiment.original().filter_map(|one| one.begun_at).min();
    experiment
        .started_at
        .or_else(first)
        .map(|stamp| stamp.at.to_utc())
}
