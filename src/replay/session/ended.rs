//! How a session ended, `ended.json`: not there while it runs, and after a crash.

use std::io;

use serde::{Deserialize, Serialize};

use super::folder::{ENDED, Folder};
use crate::model::{Foreign, OutsideChange, SessionState};

/// How a session ended.
#[derive(Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Ended {
    pub(super) schema: u32,
    pub(super) state: SessionState,
    /// When.
    pub(super) at: String,
    /// What its end had to say, a sentence each.
    pub(super) trouble: Vec<Foreign>,
    pub(super) outside: Vec<OutsideChange>,
    pub(super) cut_short: bool,
}

impl Ended {
    /// Reads it, if it is there. The error is a sentence.
    pub(super) fn read(folder: &Folder) -> Result<Option<Self>, String> {
        let bytes = folder.find(ENDED);
        let bytes = bytes.map_err(|error| format!("{ENDED} cannot be read: {error}."))?;
        let ended: Option<Self> =
            bytes.map(|bytes| serde_json::from_slice(&bytes).unwrap_or_default());
        let silent = [SessionState::Running, SessionState::Unreadable];
        match ended {
            Some(ended) if silent.contains(&ended.state) => {
                Err(format!("{ENDED} does not say how it ended."))
            }
            ended => Ok(ended),
        }
    }

    /// Writes it down.
    pub(super) fn keep(&self, folder: &Folder) -> io::Result<()> {
        let mut bytes = serde_json::to_vec(self).map_err(io::Error::other)?;
        bytes.push(b'\n');
        folder.put(ENDED, &bytes)
    }
}
