//! The templates that dispatches were made from: in a folder that the person named or in the installed plugin, as
//! they are now, as they were when the run began, and as a commit has them. Reads only, under those folders only.

mod folder;
mod pinned_commit;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use chrono::{DateTime, Utc};

use super::{Refused, mutation};
use crate::model::{Experiment, Foreign, Place, ReplayAsk, ReplayPart, short_id};
use crate::text::Shown as _;
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
    ) -> Result<Self, Refused> {
        let shelves = match &ask.templates {
            Some(named) => vec![Self::named(named, world)?],
            None => experiment
                .plugin_templates
                .iter()
                .filter_map(|folder| Shelf::open(folder, world))
                .collect(),
        };
        let pin = match &ask.template_ref {
            Some(revision) => Some(
                Pin::resolve(revision, &shelves, world)
                    .map_err(|refused| refused.about(ReplayPart::TemplateRef))?,
            ),
            None => None,
        };
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

    fn named(folder: &Path, world: &dyn World) -> Result<Shelf, Refused> {
        Shelf::open(folder, world).ok_or_else(|| {
            let shown = Foreign::from(folder);
            Refused::usage(format!("There is no directory {}.", shown.shown()))
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
        let mut names: Vec<Vec<u8>> = asked
            .map(|name| name.as_bytes().to_vec())
            .into_iter()
            .collect();
        for name in mutation::file_names(template) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
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
        let git = self.world.git();
        let mut texts: Vec<Text> = Vec::new();
        for commit in &history.commits {
            let Ok(bytes) = git.blob(&history.top, &commit.id, &history.path) else {
                continue;
            };
            if texts.iter().all(|known| known.bytes != bytes) {
                texts.push(Text {
                    bytes,
                    from: at_commit(&history.path, &commit.id),
                    committed: true,
                });
            }
        }
        texts
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
        versions.others = others
            .filter_map(|(folder, rel)| self.other(folder, rel))
            .collect();
        let Ok(place) = Place::known(&folder.root, rel) else {
            return versions;
        };
        let bytes = self.world.files().read(&place, mutation::CAP).ok();
        let history = self.history(folder, rel);
        versions.now = bytes.map(|bytes| Text {
            from: format!("{} as it is", Foreign::from(rel).shown()).into(),
            committed: history.as_ref().is_some_and(|known| known.holds(&bytes)),
            bytes,
        });
        let changed = match (&history, &versions.now) {
            (Some(known), Some(now)) if now.committed => known.commits.first().map(|c| c.time),
            _ => {
                let stat = self.world.files().stat(&place).ok();
                stat.map(|stat| stat.modified)
            }
        };
        versions.newer = changed
            .zip(self.began)
            .is_some_and(|(changed, began)| changed > began);
        versions.before = history.and_then(|known| self.before(&known));
        versions
    }

    fn pinned(&self, names: &[Vec<u8>]) -> Option<Text> {
        let pin = self.pin.as_ref()?;
        let found = self.shelves.iter().find_map(|shelf| {
            let beneath = pin.beneath(&shelf.root)?;
            let inside = pin.paths.iter().filter_map(|path| {
                let rel = path.strip_prefix(beneath).ok()?;
                (rel.components().count() <= folder::DEPTH + 1).then_some((path, rel))
            });
            inside
                .filter_map(|(path, rel)| Some((rank(rel, names, &self.skill)?, path)))
                .min()
                .map(|(_, path)| path)
        })?;
        let bytes = self.world.git().blob(&pin.top, &pin.commit, found).ok()?;
        Some(Text {
            bytes,
            from: at_commit(found, &pin.commit),
            committed: true,
        })
    }

    /// Another file of the same name.
    fn other(&self, folder: &Shelf, rel: &Path) -> Option<Text> {
        let place = Place::known(&folder.root, rel).ok()?;
        let bytes = self.world.files().read(&place, mutation::CAP).ok()?;
        let shown = Foreign::from(&folder.root.join(rel));
        Some(Text {
            bytes,
            from: format!("{} as it is", shown.shown()).into(),
            committed: false,
        })
    }

    /// What the repository of a shelf knows about one of its files.
    fn history(&self, folder: &Shelf, rel: &Path) -> Option<History> {
        let top = folder.top.as_ref()?;
        let path = folder.root.join(rel).strip_prefix(top).ok()?.to_owned();
        let git = self.world.git();
        let commits = git.path_history(top, &path, COMMITS).ok()?;
        let newest = commits.first()?;
        let newest = git.blob(top, &newest.id, &path).ok();
        Some(History {
            top: top.clone(),
            path,
            commits,
            newest,
        })
    }

    fn before(&self, history: &History) -> Option<Text> {
        let began = self.began?;
        let then = history.commits.iter().find(|commit| commit.time <= began)?;
        let git = self.world.git();
        let bytes = git.blob(&history.top, &then.id, &history.path).ok()?;
        Some(Text {
            bytes,
            from: at_commit(&history.path, &then.id),
            committed: true,
        })
    }
}

/// The commits that changed one file, newest first.
struct History {
    top: PathBuf,
    path: PathBuf,
    commits: Vec<Commit>,
    newest: Option<Vec<u8>>,
}

impl History {
    /// Whether the newest commit holds these bytes.
    fn holds(&self, bytes: &[u8]) -> bool {
        self.newest.as_deref() == Some(bytes)
    }
}

/// When the run began: as recorded, else with its first dispatch.
fn began(experiment: &Experiment) -> Option<DateTime<Utc>> {
    let first = || experiment.original().filter_map(|one| one.begun_at).min();
    experiment
        .started_at
        .or_else(first)
        .map(|stamp| stamp.at.to_utc())
}

fn at_commit(path: &Path, commit: &str) -> Foreign {
    let short = short_id(commit);
    format!("{} at {short}", Foreign::from(path).shown()).into()
}
