//! Bytes of any kind in JSON: names and paths need not be UTF-8, so they are written in base 64.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::{Component, Path, PathBuf};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use crate::model::path::is_git_dir;

/// Bytes that are written as base 64.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Bytes(pub Vec<u8>);

/// Whether a path is made of plain names only, none of them a git directory in any spelling.
/// Names that other systems would read otherwise are allowed: they are the person's own files.
pub fn is_plain(path: &Path) -> bool {
    let plain = |part: Component<'_>| matches!(part, Component::Normal(name) if !is_git_dir(name.as_bytes()));
    path.as_os_str().len() <= 4096 && path.components().all(plain)
}

impl std::fmt::Debug for Bytes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?}", String::from_utf8_lossy(&self.0))
    }
}

impl Bytes {
    /// As a path.
    pub fn path(&self) -> PathBuf {
        PathBuf::from(OsString::from_vec(self.0.clone()))
    }

    /// As a name.
    pub fn name(&self) -> &OsStr {
        OsStr::from_bytes(&self.0)
    }
}

impl From<&Path> for Bytes {
    fn from(path: &Path) -> Self {
        Self(path.as_os_str().as_bytes().to_vec())
    }
}

impl From<&OsStr> for Bytes {
    fn from(name: &OsStr) -> Self {
        Self(name.as_bytes().to_vec())
    }
}

impl From<&[u8]> for Bytes {
    fn from(bytes: &[u8]) -> Self {
        Self(bytes.to_vec())
    }
}

impl Serialize for Bytes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&STANDARD.encode(&self.0))
    }
}

impl<'de> Deserialize<'de> for Bytes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        STANDARD
            .decode(text)
            .map(Self)
            .map_err(|_bad| de::Error::custom("not base 64"))
    }
}
