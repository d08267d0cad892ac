//! Text of any bytes in a record that a person may read: a string where it is UTF-8, else base 64.

use serde::{Deserialize, Serialize};

use crate::apply::bytes::Bytes;
use crate::model::{Stamp, Zone};

/// Bytes, readable where they can be.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub(in crate::replay::session) enum Text {
    Plain(String),
    Raw { b64: Bytes },
}

impl Text {
    pub(super) fn bytes(&self) -> &[u8] {
        match self {
            Self::Plain(text) => text.as_bytes(),
            Self::Raw { b64 } => &b64.0,
        }
    }
}

impl From<&[u8]> for Text {
    fn from(bytes: &[u8]) -> Self {
        match std::str::from_utf8(bytes) {
            Ok(text) => Self::Plain(text.to_owned()),
            Err(_) => Self::Raw {
                b64: Bytes(bytes.to_vec()),
            },
        }
    }
}

/// A moment, and whether its zone was only assumed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::replay::session) struct Moment {
    at: String,
    #[serde(default)]
    assumed: bool,
}

impl From<Stamp> for Moment {
    fn from(stamp: Stamp) -> Self {
        Self {
            at: stamp.at.to_rfc3339(),
            assumed: stamp.zone == Zone::Assumed,
        }
    }
}

impl Moment {
    /// The moment; `None` where it is none.
    pub(super) fn stamp(&self) -> Option<Stamp> {
        let at = chrono::DateTime::parse_from_rfc3339(&self.at).ok()?;
        let zone = if self.assumed {
            Zone::Assumed
        } else {
            Zone::Stated
        };
        Some(Stamp { at, zone })
    }
}
