//! Clients without a register of running sessions. Each has its own file layout; the rest is shared.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use chrono::{DateTime, Utc};
use sha2::{Digest as _, Sha256};

use super::matching::Subject;
use super::{ASKED, Depth, Head, LISTED, judged};
use crate::conversations::claude::Transcript;
use crate::conversations::opencode::database::Database;
use crate::conversations::{codex, gemini, opencode};
use crate::model::{Aliveness, Client, Conversation, Place, Stamp};
use crate::text::format::hex;
use crate::world::World;
use crate::world::files::FileKind;

/// How the conversations of a client are found and read.
pub(in crate::conversations) struct Source {
    /// The client.
    pub(in crate::conversations) client: Client,
    /// The command that resumes a conversation, without its id.
    pub(in crate::conversations) resume: [&'static str; 2],
    /// The folders with its conversations. Opens no file of a conversation.
    pub(in crate::conversations) folders: fn(&dyn World) -> Vec<Folder>,
    /// The files in a folder.
    pub(in crate::conversations) files: fn(&dyn World, &Path) -> Vec<Stored>,
    /// The beginning of a file; `None` if it is not a separate conversation.
    pub(in crate::conversations) begin: fn(&dyn World, &Stored) -> Option<Beginning>,
    /// The end of a conversation; `None` if it is not a separate one.
    pub(in crate::conversations) read: fn(&dyn World, &Stored, Depth) -> Option<Transcript>,
}

/// The clients.
const SOURCES: &[Source] = &[codex::SOURCE, gemini::SOURCE, opencode::SOURCE];

/// A folder with conversations.
pub(in crate::conversations) struct Folder {
    dir: PathBuf,
    cwd: Cwd,
    /// Its files, listed once.
    files: OnceLock<Vec<Stored>>,
}

/// What a folder says about the directory of its conversations.
pub(in crate::conversations) enum Cwd {
    /// Nothing: each file names its directory.
    InFiles,
    /// The directory.
    Is(PathBuf),
    /// The SHA-256 of the directory in hexadecimal.
    Hashed(String),
}

/// A file that may be a conversation.
pub(in crate::conversations) struct Stored {
    /// The file.
    pub(in crate::conversations) place: Place,
    /// Its name.
    pub(in crate::conversations) name: String,
    /// Its size.
    pub(in crate::conversations) size: u64,
    /// The database, if the conversation is a row of one instead of a file.
    pub(in crate::conversations) database: Option<Arc<Database>>,
    modified: DateTime<Utc>,
    /// Its beginning and its end as a list needs them, read once, because several pipelines share a project.
    begun: OnceLock<Option<Beginning>>,
    end: OnceLock<Option<Transcript>>,
}

/// The beginning of a conversation.
pub(in crate::conversations) struct Beginning {
    /// The id that resumes it.
    pub(in crate::conversations) id: String,
    /// Its directory and its first time.
    pub(in crate::conversations) head: Head,
}

impl Folder {
    /// A folder whose files are not yet listed.
    pub(in crate::conversations) fn new(dir: PathBuf, cwd: Cwd) -> Self {
        Self {
            dir,
            cwd,
            files: OnceLock::new(),
        }
    }

    /// The directory of its conversations, if it is known or equals the pipeline's.
    fn cwd(&self, subject: &Subject<'_>) -> Option<PathBuf> {
        match &self.cwd {
            Cwd::InFiles => None,
            Cwd::Is(dir) => Some(dir.clone()),
            Cwd::Hashed(hash) => {
                let of = |dir: &&Path| hex(&Sha256::digest(dir.as_os_str().as_encoded_bytes()));
                let dir = subject.dirs().find(|dir| of(dir) == *hash);
                dir.map(Path::to_owned)
            }
        }
    }

    fn may_be(&self, subject: &Subject<'_>, cwd: Option<&Path>) -> bool {
        match cwd {
            Some(cwd) => subject.holds(cwd),
            None => matches!(self.cwd, Cwd::InFiles),
        }
    }
}

impl Stored {
    /// A regular file in a folder; `None` for anything else.
    fn of(world: &dyn World, dir: &Path, name: &str) -> Option<Self> {
        let place = Place::known(dir, name).ok()?;
        let stat = world.files().stat(&place).ok()?;
        (stat.kind == FileKind::File).then(|| Self {
            place,
            name: name.to_owned(),
            size: stat.size,
            database: None,
            modified: stat.modified,
            begun: OnceLock::new(),
            end: OnceLock::new(),
        })
    }

    /// The regular files in a folder with such names.
    pub(in crate::conversations) fn all(
        world: &dyn World,
        dir: &Path,
        is_one: impl Fn(&str) -> bool,
    ) -> Vec<Self> {
        let entries = world.files().list(&Place::root(dir)).unwrap_or_default();
        let names = entries.iter().filter_map(|entry| entry.name.to_str());
        let names = names.filter(|name| is_one(name));
        names
            .filter_map(|name| Self::of(world, dir, name))
            .collect()
    }

    /// A row of a database.
    pub(in crate::conversations) fn in_database(
        place: Place,
        modified: DateTime<Utc>,
        begun: Beginning,
        database: Arc<Database>,
    ) -> Self {
        Self {
            place,
            name: begun.id.clone(),
            size: 0,
            database: Some(database),
            modified,
            begun: OnceLock::from(Some(begun)),
            end: OnceLock::new(),
        }
    }
}

/// The conversations of one client, as one run of a command sees them.
pub(super) struct ClientIndex {
    source: &'static Source,
    folders: OnceLock<Vec<Folder>>,
}

/// An index for each client. Nothing is read yet.
pub(super) fn client_indexes() -> Vec<ClientIndex> {
    let index = |source| ClientIndex {
        source,
        folders: OnceLock::new(),
    };
    SOURCES.iter().map(index).collect()
}

/// A file with the directory that its folder names, and whether that can be the pipeline's.
struct Candidate<'a> {
    stored: &'a Stored,
    cwd: Option<PathBuf>,
    fits: bool,
}

impl ClientIndex {
    /// The conversations that worked on a pipeline.
    pub(super) fn of(
        &self,
        subject: &Subject<'_>,
        depth: Depth,
        world: &dyn World,
    ) -> Vec<Conversation> {
        let mut candidates = self.candidates(subject, depth, world);
        candidates.sort_by_key(|one| std::cmp::Reverse(one.stored.modified));
        // A conversation elsewhere may have written the pipeline's files, but there can be thousands of them.
        let (mut fit, strange): (Vec<_>, Vec<_>) = candidates.into_iter().partition(|one| one.fits);
        if depth == Depth::All {
            fit.extend(strange.into_iter().take(ASKED));
        }
        let most = if depth == Depth::List { LISTED } else { ASKED };
        // A client that changed its format left the older record next to the newer one.
        let mut ids = HashSet::new();
        let found = fit
            .iter()
            .filter_map(|one| self.conversation(one, subject, depth, world))
            .filter(|one| ids.insert(one.id.clone()));
        found.take(most).collect()
    }

    fn candidates(
        &self,
        subject: &Subject<'_>,
        depth: Depth,
        world: &dyn World,
    ) -> Vec<Candidate<'_>> {
        let folders = self.folders.get_or_init(|| (self.source.folders)(world));
        let mut found = Vec::new();
        for folder in folders {
            let cwd = folder.cwd(subject);
            let may_be = folder.may_be(subject, cwd.as_deref());
            if !may_be && depth == Depth::List {
                continue;
            }
            let files = folder
                .files
                .get_or_init(|| (self.source.files)(world, &folder.dir));
            let young = files
                .iter()
                .filter(|file| subject.began_before(file.modified));
            found.extend(young.map(|stored| Candidate {
                stored,
                cwd: cwd.clone(),
                fits: may_be,
            }));
        }
        found
    }

    fn conversation(
        &self,
        candidate: &Candidate<'_>,
        subject: &Subject<'_>,
        depth: Depth,
        world: &dyn World,
    ) -> Option<Conversation> {
        let stored = candidate.stored;
        let open = || (self.source.begin)(world, stored);
        let begun = stored.begun.get_or_init(open).as_ref();
        let begun = begun.filter(|begun| is_plain(&begun.id))?;
        let cwd = begun.head.cwd.clone().or_else(|| candidate.cwd.clone());
        if depth == Depth::List && cwd.as_deref().is_some_and(|cwd| !subject.holds(cwd)) {
            return None;
        }
        let read = || (self.source.read)(world, stored, depth);
        let mut transcript = match depth {
            Depth::List => stored.end.get_or_init(read).clone(),
            Depth::All => read(),
        }?;
        // A client may store file names relative to its directory, as its tools wrote them.
        if let Some(cwd) = &cwd {
            for file in &mut transcript.written {
                *file = cwd.join(&*file);
            }
        }
        let last_at = transcript
            .last_at
            .or_else(|| Some(Stamp::utc(stored.modified)));
        let times = (begun.head.at, last_at);
        let reasons = subject.reasons(&[cwd.as_deref()], times, &transcript)?;
        let [program, verb] = self.source.resume;
        let resume = judged::resume_command(world, [program, verb, &begun.id], cwd.as_deref());
        let file = stored.place.path();
        let cause = judged::cause(
            self.source.client,
            &transcript,
            &file,
            None,
            resume.as_ref(),
            world.clock().now(),
        );
        let cause = subject.about(cause, &[cwd.as_deref()], &transcript);
        Some(Conversation {
            client: self.source.client,
            id: begun.id.as_str().into(),
            file,
            cwd,
            branch: transcript.branch,
            started_at: begun.head.at,
            last_at,
            tokens: transcript.context_tokens,
            alive: Aliveness::Unknown,
            reasons,
            expires_at: None,
            resume,
            cause,
            quotes: transcript.quotes,
        })
    }
}

/// Whether an id is one word that no program parses as an option. It comes from a file and becomes part of a command.
fn is_plain(id: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    !id.is_empty() && !id.starts_with('-') && id.bytes().all(plain)
}
