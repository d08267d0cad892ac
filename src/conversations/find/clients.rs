//! Clients without a register of running sessions. Each has its own file layout; the rest is shared.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use super::marks::Marks;
use super::matching::Subject;
use super::sessions::going_on;
use super::stored::{Beginning, Folder, Noted, Stored, is_damaged, noted};
use super::{ASKED, Depth, Found, LISTED, Unread, judged};
use crate::conversations::claude::Transcript;
use crate::conversations::{codex, gemini, opencode};
use crate::model::{Aliveness, Client, Conversation, Stamp};
use crate::world::World;
use crate::world::noting::NotingWorld;

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

/// The conversations of one client, as one run of a command sees them.
pub(super) struct ClientIndex {
    source: &'static Source,
    folders: OnceLock<(Vec<Folder>, Noted)>,
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
    /// Adds the conversations that worked on a pipeline.
    pub(super) fn of(
        &self,
        subject: &Subject<'_>,
        depth: Depth,
        all: &mut Found,
        world: &dyn World,
    ) {
        let (mut candidates, mut unread) = self.candidates(subject, depth, world);
        candidates.sort_by_key(|one| std::cmp::Reverse(one.stored.modified));
        // A conversation elsewhere may have written the pipeline's files, but there can be thousands of them.
        let (mut fit, strange): (Vec<_>, Vec<_>) = candidates.into_iter().partition(|one| one.fits);
        if depth == Depth::All {
            fit.extend(strange.into_iter().take(ASKED));
        }
        let most = if depth == Depth::List { LISTED } else { ASKED };
        // A client that changed its format left the older record next to the newer one.
        let mut ids = HashSet::new();
        let readable = fit
            .iter()
            .filter(|one| match self.begun(one.stored, world) {
                Ok(_) => true,
                Err(why) => {
                    unread.push((one.stored.place.path(), why.to_owned()));
                    false
                }
            });
        let found = readable
            .filter_map(|one| self.conversation(one, subject, depth, world))
            .filter(|one| ids.insert(one.id.clone()));
        all.conversations.extend(found.take(most));
        all.unread.extend(self.said(unread, world));
    }

    /// What of this client cannot be read.
    pub(super) fn unread(&self, world: &dyn World) -> Vec<Unread> {
        let (folders, mut unread) = self.folders(world);
        for folder in folders {
            let (files, noted) = self.files(folder, world);
            unread.extend(noted.iter().cloned());
            unread.extend(files.iter().filter_map(|file| {
                let why = self.begun(file, world).err()?;
                Some((file.place.path(), why.to_owned()))
            }));
        }
        self.said(unread, world)
    }

    fn said(&self, noted: Noted, world: &dyn World) -> Vec<Unread> {
        let noted = noted.into_iter();
        let said = noted.map(|(path, why)| Unread::new(world, self.source.client, path, why));
        said.collect()
    }

    fn folders(&self, world: &dyn World) -> (&[Folder], Noted) {
        let (folders, noted) = self.folders.get_or_init(|| {
            let noting = NotingWorld::new(world);
            let folders = (self.source.folders)(&noting);
            (folders, noted(noting))
        });
        (folders, noted.clone())
    }

    fn files<'a>(&self, folder: &'a Folder, world: &dyn World) -> &'a (Vec<Stored>, Noted) {
        folder.files.get_or_init(|| {
            let noting = NotingWorld::new(world);
            let files = (self.source.files)(&noting, &folder.dir);
            (files, noted(noting))
        })
    }

    /// The beginning of a conversation; `None` where it is not one of its own, and an error where it cannot be read.
    fn begun<'a>(
        &self,
        stored: &'a Stored,
        world: &dyn World,
    ) -> Result<Option<&'a Beginning>, &'a str> {
        if let Some(why) = &stored.unread {
            return Err(why);
        }
        let begun = stored.begun.get_or_init(|| {
            let noting = NotingWorld::new(world);
            let begun = (self.source.begin)(&noting, stored);
            let damaged = begun.is_none() && is_damaged(world, stored);
            match noted(noting).into_iter().next() {
                Some((_, why)) => Err(why),
                None if damaged => Err("it is damaged".to_owned()),
                None => Ok(begun),
            }
        });
        begun.as_ref().map(Option::as_ref).map_err(String::as_str)
    }

    fn candidates(
        &self,
        subject: &Subject<'_>,
        depth: Depth,
        world: &dyn World,
    ) -> (Vec<Candidate<'_>>, Noted) {
        let (folders, mut unread) = self.folders(world);
        let mut found = Vec::new();
        for folder in folders {
            let cwd = folder.cwd(subject);
            let may_be = folder.may_be(subject, cwd.as_deref());
            if !may_be && depth == Depth::List {
                continue;
            }
            let (files, noted) = self.files(folder, world);
            unread.extend(noted.iter().cloned());
            let young = files
                .iter()
                .filter(|file| subject.began_before(file.modified));
            found.extend(young.map(|stored| Candidate {
                stored,
                cwd: cwd.clone(),
                fits: may_be,
            }));
        }
        (found, unread)
    }

    fn conversation(
        &self,
        candidate: &Candidate<'_>,
        subject: &Subject<'_>,
        depth: Depth,
        world: &dyn World,
    ) -> Option<Conversation> {
        let stored = candidate.stored;
        let begun = self.begun(stored, world).ok().flatten();
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
        // Without a recorded directory, the one that it wrote in is the likeliest.
        let home = cwd.as_deref().or_else(|| Some(subject.home()));
        let resume = judged::resume_command(world, &[program, verb, &begun.id], home, false);
        let file = stored.place.path();
        let cause = judged::cause(
            self.source.client,
            (&transcript, &Marks::default()),
            &file,
            None,
            resume.as_ref(),
            world.clock().now(),
        );
        let cause = subject.about(cause, &[cwd.as_deref()], &transcript);
        let later = subject.went_on(&cause, last_at, None, &transcript);
        let cause = later.map_or_else(|| cause.clone(), |later| going_on(&cause, later));
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
            went_on: later.is_some(),
            quotes: transcript.quotes,
        })
    }
}

/// Whether an id is one word that no program parses as an option. It comes from a file and becomes part of a command.
fn is_plain(id: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    !id.is_empty() && !id.starts_with('-') && id.bytes().all(plain)
}
