//! What a file holds, shared between the branches of a disk.

use std::sync::OnceLock;

use sha2::{Digest as _, Sha256};

use crate::apply::disk::Digest;

/// The bytes of a file with the time they were written. The digest is computed once for all branches.
#[derive(Debug, Default)]
pub(super) struct Content {
    pub(super) bytes: Vec<u8>,
    pub(super) mtime_ns: i64,
    digest: OnceLock<Digest>,
}

impl Content {
    pub(super) fn new(bytes: Vec<u8>, mtime_ns: i64) -> Self {
        Self {
            bytes,
            mtime_ns,
            digest: OnceLock::new(),
        }
    }

    pub(super) fn digest(&self) -> Digest {
        *self.digest.get_or_init(|| digest(&self.bytes))
    }
}

pub(super) fn digest(bytes: &[u8]) -> Digest {
    Sha256::digest(bytes).into()
}
