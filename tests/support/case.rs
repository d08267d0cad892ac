//! The shapes of `case.json` and `expect.json`. A key that is not known is an error: a misspelt expectation
//! would otherwise never fail.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use chrono::{DateTime, FixedOffset, Utc};
use serde::Deserialize;

use super::Trouble;

/// A moment, written as RFC 3339.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(try_from = "String")]
pub(crate) struct At(pub(crate) DateTime<FixedOffset>);

impl At {
    pub(crate) fn utc(self) -> DateTime<Utc> {
        self.0.to_utc()
    }
}

impl TryFrom<String> for At {
    type Error = chrono::ParseError;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        DateTime::parse_from_rfc3339(&text).map(Self)
    }
}

/// A situation on disk.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Case {
    /// One sentence: what happened and what must be concluded.
    pub(crate) about: String,
    /// The clock; its offset is also the zone of naive times.
    pub(crate) now: At,
    /// How long ago every file and directory was written, in seconds.
    #[serde(default)]
    pub(crate) age_s: i64,
    /// The same for single paths.
    #[serde(default)]
    pub(crate) ages_s: BTreeMap<String, i64>,
    /// Repositories, built first.
    #[serde(default)]
    pub(crate) git: Vec<Repo>,
    /// Shadow checkpoint stores, built next.
    #[serde(default)]
    pub(crate) shadow: Vec<Shadow>,
    /// Directories without content.
    #[serde(default)]
    pub(crate) empty_dirs: Vec<String>,
    /// Files by content.
    #[serde(default)]
    pub(crate) files: BTreeMap<String, String>,
    /// Files whose content is not text.
    #[serde(default)]
    pub files_b64: BTreeMap<String, String>,
    /// Symbolic links by target.
    #[serde(default)]
    pub(crate) links: BTreeMap<String, String>,
    /// Files that are a part of another.
    #[serde(default)]
    pub(crate) copies: BTreeMap<String, Copied>,
    /// Paths that are taken away in the end.
    #[serde(default)]
    pub(crate) removed: Vec<String>,
    /// What runs.
    #[serde(default)]
    pub(crate) processes: Vec<Running>,
    /// Why the processes cannot be listed.
    pub(crate) processes_unreadable: Option<String>,
    /// What relight runs under, by process id.
    #[serde(default)]
    pub(crate) ancestors: Vec<u32>,
    /// Sessions.
    #[serde(default)]
    pub(crate) tmux: Vec<Session>,
    /// Why tmux cannot be asked.
    pub(crate) tmux_unreadable: Option<String>,
    /// Programs on the path.
    #[serde(default)]
    pub(crate) programs: Vec<String>,
    /// Paths handed to relight.
    #[serde(default = "whole")]
    pub(crate) open: Vec<String>,
}

fn whole() -> Vec<String> {
    vec![".".to_owned()]
}

/// A repository, or a linked worktree of one.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Repo {
    /// Its work tree.
    pub(crate) dir: String,
    /// Its first branch.
    pub(crate) branch: String,
    /// Its commits, oldest first.
    #[serde(default)]
    pub(crate) commits: Vec<Commit>,
    /// More branches, by the commit they are at.
    #[serde(default)]
    pub(crate) branches: BTreeMap<String, String>,
    /// Upstream tips of branches, by the commit they are at.
    #[serde(default)]
    pub(crate) upstream: BTreeMap<String, String>,
    /// What HEAD names in the end: a branch, or `detached:REF`.
    pub(crate) checkout: Option<String>,
    /// Linked worktrees.
    #[serde(default)]
    pub(crate) worktrees: Vec<Self>,
    /// Lines of a `.gitignore` in the first commit.
    #[serde(default)]
    pub(crate) ignore: Vec<String>,
    /// An operation that is under way.
    pub(crate) busy: Option<String>,
    /// Whether `index.lock` is there.
    #[serde(default)]
    pub(crate) index_lock: bool,
}

/// A commit, or a checkpoint of a shadow store.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Commit {
    /// Its name in this case.
    #[serde(default)]
    pub(crate) r#ref: String,
    /// First line of its message.
    #[serde(default)]
    pub(crate) subject: String,
    /// The rest.
    #[serde(default)]
    pub(crate) body: String,
    /// A checkpoint's reason.
    #[serde(default)]
    pub(crate) reason: String,
    /// A checkpoint's source.
    #[serde(default)]
    pub(crate) source: String,
    /// When.
    pub(crate) at: At,
    /// Files it writes.
    #[serde(default)]
    pub(crate) files: BTreeMap<String, String>,
    /// Files it takes away.
    #[serde(default)]
    pub(crate) remove: Vec<String>,
}

/// A shadow checkpoint store.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Shadow {
    /// Its git directory.
    pub(crate) store: String,
    /// The work tree whose states it keeps. Each checkpoint's files are written there before it is taken.
    pub(crate) work_tree: String,
    /// The checkpoints, oldest first.
    pub(crate) commits: Vec<Commit>,
    /// Which of them have a row in the table; absent for all, empty for no table.
    pub(crate) table: Option<Vec<String>>,
}

/// A file that is a part of another.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Copied {
    /// The other.
    pub(crate) from: String,
    /// How many of its bytes, from its beginning; all where absent.
    pub(crate) cut: Option<usize>,
}

/// A process.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Running {
    /// Its id.
    pub(crate) pid: u32,
    /// Its parent's.
    #[serde(default)]
    pub(crate) parent: u32,
    /// The kernel's name for it.
    pub(crate) name: String,
    /// Its argument vector.
    #[serde(default)]
    pub(crate) argv: Vec<String>,
    /// Its working directory.
    pub(crate) cwd: Option<String>,
    /// When it began.
    pub(crate) started: Option<At>,
    /// Its open files.
    #[serde(default)]
    pub(crate) open_files: Vec<String>,
    /// Those of them that are open for writing.
    #[serde(default)]
    pub(crate) writes: Vec<String>,
    /// Whether it may be looked at.
    #[serde(default = "yes")]
    pub(crate) readable: bool,
    /// Whether it belongs to whoever runs relight.
    #[serde(default = "yes")]
    pub(crate) own: bool,
}

fn yes() -> bool {
    true
}

/// A tmux session with one pane.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Session {
    /// Its name.
    pub(crate) name: String,
    /// When it was made.
    pub(crate) created: Option<At>,
    /// The pane's working directory.
    pub(crate) cwd: String,
    /// The pane's process.
    #[serde(default)]
    pub(crate) pid: u32,
    /// The command it was started with.
    #[serde(default)]
    pub(crate) command: String,
}

/// What must be concluded.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Expect {
    /// These pipelines, no more and no fewer.
    pub(crate) pipelines: Vec<serde_json::Map<String, serde_json::Value>>,
    /// How many files only look like one.
    pub(crate) skipped: Option<usize>,
}

/// The key of `case.json` that names another case.
const BASE: &str = "base";

type Keys = serde_json::Map<String, serde_json::Value>;

/// A case in `fixtures/`.
#[derive(Clone)]
pub(crate) struct Fixture {
    /// `crucible::torn_tail`, as it is filtered by.
    pub(crate) name: String,
    /// Its folder.
    pub(crate) dir: PathBuf,
}

/// All cases, by name.
pub(crate) fn all(root: &Path) -> Result<Vec<Fixture>, Trouble> {
    let mut found = Vec::new();
    for system in folders(root)? {
        for dir in folders(&system)? {
            let part = |path: &Path| path.file_name().map(|n| n.to_string_lossy().into_owned());
            let name = [part(&system), part(&dir)].map(Option::unwrap_or_default);
            found.push(Fixture {
                name: name.join("::"),
                dir,
            });
        }
    }
    found.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(found)
}

fn folders(dir: &Path) -> Result<Vec<PathBuf>, Trouble> {
    let mut found = Vec::new();
    if dir.is_dir() {
        for entry in std::fs::read_dir(dir)? {
            let path = entry?.path();
            if path.is_dir() {
                found.push(path);
            }
        }
    }
    Ok(found)
}

impl Fixture {
    /// The situation: the keys of the base, where it names one, with its own over them.
    pub(crate) fn case(&self) -> Result<Case, Trouble> {
        let mut keys = match self.base()? {
            Some(base) => base.keys()?,
            None => Keys::new(),
        };
        if keys.contains_key(BASE) {
            return Err(Trouble("case.json: its base has a base".to_owned()));
        }
        keys.extend(self.keys()?);
        keys.remove(BASE);
        serde_json::from_value(keys.into()).map_err(|why| Trouble(format!("case.json: {why}")))
    }

    /// The folders that are copied, the base's before its own.
    pub(crate) fn trees(&self) -> Result<Vec<PathBuf>, Trouble> {
        let base = self.base()?.map(|base| base.dir);
        let trees = base.into_iter().chain([self.dir.clone()]);
        let trees = trees.map(|dir| dir.join("tree"));
        Ok(trees.filter(|tree| tree.is_dir()).collect())
    }

    /// The case of the same system that it starts from.
    fn base(&self) -> Result<Option<Self>, Trouble> {
        let keys = self.keys()?;
        let Some(name) = keys.get(BASE).and_then(serde_json::Value::as_str) else {
            return Ok(None);
        };
        let dir = self.dir.with_file_name(name);
        let name = name.to_owned();
        Ok(Some(Self { name, dir }))
    }

    fn keys(&self) -> Result<Keys, Trouble> {
        serde_json::from_slice(&self.bytes("case.json")?)
            .map_err(|why| Trouble(format!("case.json: {why}")))
    }

    /// One of its files.
    pub(crate) fn bytes(&self, name: &str) -> Result<Vec<u8>, Trouble> {
        std::fs::read(self.dir.join(name))
            .map_err(|why| Trouble(format!("{name} cannot be read: {why}")))
    }
}
