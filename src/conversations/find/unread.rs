//! Conversations that are there and were not read.

use std::path::PathBuf;

use chrono::{DateTime, Utc};

use crate::foreign;
use crate::model::{Client, Foreign, Place};
use crate::text::format::count;
use crate::world::World;

/// A file or a folder of conversations that was not read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unread {
    /// The client that keeps it.
    pub client: Client,
    /// Where it is.
    pub path: PathBuf,
    /// Why it was not read.
    pub why: Foreign,
    /// Its last write, if that is known.
    pub modified: Option<DateTime<Utc>>,
}

impl Unread {
    /// Whether a person could mend it: a client compresses its old conversations, and that is no fault.
    pub fn is_trouble(&self) -> bool {
        self.path.extension().is_none_or(|kind| kind != "zst")
    }

    /// What could not be read.
    pub(super) fn new(
        world: &dyn World,
        client: Client,
        path: PathBuf,
        why: impl Into<Foreign>,
    ) -> Self {
        let place = Place::of(&path);
        Self {
            client,
            modified: place.and_then(|place| world.files().modified(&place)),
            path,
            why: why.into(),
        }
    }

    /// A sentence for each client, with the first that was not read.
    pub fn sentences(all: &[Self]) -> Vec<Foreign> {
        let mut clients: Vec<Client> = all.iter().map(|one| one.client).collect();
        clients.sort();
        clients.dedup();
        let sentence = |client: Client| {
            let mut own = all.iter().filter(|one| one.client == client);
            let first = own.next()?;
            let more = match own.count() {
                0 => String::new(),
                more => format!(" and {} more", count(more, "path")),
            };
            Some(foreign!(
                "Conversations of {} were not read: {}{} ({}).",
                client.name(),
                &first.path,
                more,
                &first.why
            ))
        };
        clients.into_iter().filter_map(sentence).collect()
    }
}
