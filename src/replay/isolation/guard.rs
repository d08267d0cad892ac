//! The check that a run left the original alone: its files are compared by identity, size and time before and after,
//! objects of git without the time.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use super::of_the_original;
use crate::apply::disk::{Disk as _, RealDisk};
use crate::model::{Foreign, OutsideChange, OutsideWriter, Place, ReplayPlan, Sandbox};
use crate::text::Shown as _;
use crate::text::format::{count, list_first};
use crate::world::World;
use crate::world::file_facts::FileFacts;
use crate::world::files::SMALL_CAP;
use crate::world::runner::Witness;

/// The most of one of the run's files that is searched for names of the original's folders.
const SEARCHED: u64 = 16 << 20;

/// Guards the original while a run is under way.
pub(crate) struct Guard {
    folders: Vec<PathBuf>,
    session: PathBuf,
    before: FileFacts,
    sandboxed: bool,
    words: Vec<OsString>,
    /// The values of the variables that the runner inherits.
    inherited: Vec<OsString>,
    witness: Witness,
}

impl Guard {
    /// Looks at the original as it is before a run in this folder.
    pub(crate) fn begin(plan: &ReplayPlan, session: &Path, tree: &Path, world: &dyn World) -> Self {
        let folders = of_the_original(plan, world);
        let mark = [("RELIGHT_TREE".into(), tree.as_os_str().to_owned())];
        let runner = plan.runner.iter().flat_map(|runner| &runner.argv);
        Self {
            before: FileFacts::take(&folders, session),
            witness: Witness::watch(Box::new(mark), folders.clone()),
            folders,
            session: session.to_owned(),
            sandboxed: matches!(plan.isolation.sandbox, Sandbox::Bwrap(_)),
            words: runner.chain(&plan.ask.isolation.setup).cloned().collect(),
            inherited: inherited(),
        }
    }

    /// What changed since.
    pub(crate) fn end(&self, world: &dyn World) -> Vec<OutsideChange> {
        let after = FileFacts::take(&self.folders, &self.session);
        let changes = self.before.changes(&after);
        if changes.is_empty() {
            return Vec::new();
        }
        let by = self.writer(world);
        let change = |(path, kind)| OutsideChange { path, kind, by };
        changes.into_iter().map(change).collect()
    }

    /// Who made the changes. In a sandbox no process of the run can. Without one the kernel does not tell who wrote a
    /// file, so what speaks for the run is enough: a process of it was seen at work there, or what it was given or
    /// printed names the original. Where nothing does, it may have been the run all the same.
    fn writer(&self, world: &dyn World) -> OutsideWriter {
        let inherits_it = || {
            let mut values = self.inherited.iter();
            values.any(|value| self.names_it(value.as_bytes()))
        };
        if self.sandboxed {
            OutsideWriter::Other
        } else if self.witness.saw()
            || inherits_it()
            || self.words_name_it(world)
            || self.files_name_it()
        {
            OutsideWriter::Run
        } else {
            OutsideWriter::Unknown
        }
    }

    fn names_it(&self, text: &[u8]) -> bool {
        let named =
            |folder: &PathBuf| memchr::memmem::find(text, folder.as_os_str().as_bytes()).is_some();
        self.folders.iter().any(named)
    }

    /// The runner's words, and the scripts among them.
    fn words_name_it(&self, world: &dyn World) -> bool {
        self.words.iter().any(|word| {
            let path = Path::new(word);
            let place = Place::of(path).filter(|_| path.is_absolute());
            let script = place.and_then(|place| world.files().read(&place, SMALL_CAP).ok());
            self.names_it(word.as_bytes()) || script.is_some_and(|text| self.names_it(&text))
        })
    }

    /// The run's dispatch files and what its runners printed.
    fn files_name_it(&self) -> bool {
        let disk = RealDisk::new();
        ["dispatch", "outputs"].iter().any(|name| {
            let Ok(dir) = disk.root(&self.session.join(name)) else {
                return false;
            };
            let names = disk.list(&dir).unwrap_or_default();
            names.iter().any(|file| {
                let text = disk.read_from(&dir, file, 0, SEARCHED);
                text.is_ok_and(|text| self.names_it(&text))
            })
        })
    }
}

/// What a runner inherits of relight's own environment, without what only says where relight was started or where
/// programs are: that names the original also where no runner uses it.
fn inherited() -> Vec<OsString> {
    let here = std::env::current_dir().unwrap_or_default();
    let says_nothing = |(name, value): &(OsString, OsString)| {
        let name = name.as_os_str();
        name == OsStr::new("PATH") || name == OsStr::new("OLDPWD") || value == here.as_os_str()
    };
    let all = std::env::vars_os().filter(|one| !says_nothing(one));
    all.map(|(_, value)| value).collect()
}

/// What is said of the changes: a sentence for each writer.
pub(crate) fn sentences(changes: &[OutsideChange]) -> Vec<String> {
    use OutsideWriter::{Other, Run, Unknown};
    let sentence = |by: OutsideWriter| {
        const SHOWN: usize = 3;
        let of = || changes.iter().filter(move |one| one.by == by);
        let shown =
            of().map(|one| format!("{} ({})", Foreign::from(&one.path).shown(), one.kind.word()));
        let named = list_first(shown, SHOWN);
        let files = (!named.is_empty()).then(|| count(of().count(), "file"))?;
        Some(match by {
            Run => format!(
                "This run changed {files} of the original: {named}. The experiment was stopped; restore them before you trust either."
            ),
            Unknown => format!(
                "While this run was under way, {files} of the original changed: {named}. Without a sandbox (bwrap) it is \
                 not known whether the run did it or another program. Its block is left out of the comparison."
            ),
            Other => format!(
                "While this run was under way, another program changed {files} of the original: {named}. The comparison is confounded."
            ),
        })
    };
    OutsideWriter::ALL
        .into_iter()
        .filter_map(sentence)
        .collect()
}
