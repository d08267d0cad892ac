//! What a power cut leaves of one file that was not synced.

use std::sync::Arc;

use super::content::Content;
use super::rng::Rng;
use super::tree::Ino;

/// What comes back of an inode that was not synced.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Remains {
    /// Bytes of the unsynced tail that are as they were written.
    pub(super) kept: usize,
    /// The rest of the tail is NUL bytes; else it is missing.
    pub(super) nuls: bool,
    /// Mode, owner and attributes are the new ones.
    pub(super) meta: bool,
}

/// An inode that was not synced.
#[derive(Debug)]
pub(super) struct Dirty {
    pub(super) ino: Ino,
    /// Length of what was written since; 0 where only the mode is unsynced.
    pub(super) tail: usize,
    /// True where the mode, owner or attributes are unsynced.
    pub(super) meta: bool,
}

/// Length of what was written since the content was last durable.
pub(super) fn tail(old: &Arc<Content>, new: &Arc<Content>) -> usize {
    if Arc::ptr_eq(old, new) || old.bytes == new.bytes {
        return 0;
    }
    let added = new.bytes.strip_prefix(old.bytes.as_slice());
    added.map_or_else(|| new.bytes.len().max(1), <[u8]>::len)
}

impl Remains {
    pub(super) const NOTHING: Self = Self {
        kept: 0,
        nuls: false,
        meta: false,
    };

    /// The content that this leaves.
    pub(super) fn of(self, old: &Arc<Content>, new: &Arc<Content>) -> Arc<Content> {
        if self.kept == 0 && !self.nuls {
            return Arc::clone(old);
        }
        let before = if new.bytes.starts_with(&old.bytes) {
            old.bytes.len()
        } else {
            0
        };
        let kept = (before + self.kept).min(new.bytes.len());
        if kept == new.bytes.len() {
            return Arc::clone(new);
        }
        let mut bytes = new.bytes[..kept].to_vec();
        if self.nuls {
            bytes.resize(new.bytes.len(), 0);
        }
        Arc::new(Content::new(bytes, new.mtime_ns))
    }
}

impl Dirty {
    /// Everything survived.
    pub(super) fn whole(&self) -> Remains {
        Remains {
            kept: self.tail,
            nuls: false,
            meta: true,
        }
    }

    /// Every kind of loss once: nothing, half, all of it, NUL bytes from the start and from the middle.
    pub(super) fn ways(&self) -> Vec<Remains> {
        let half = self.tail / 2;
        let cuts = [
            (0, false),
            (half, false),
            (self.tail, false),
            (0, true),
            (half, true),
        ];
        let mut ways = Vec::new();
        for meta in [false, true] {
            for (kept, nuls) in cuts {
                let way = Remains {
                    kept,
                    nuls: nuls && kept < self.tail,
                    meta,
                };
                if meta <= self.meta && !ways.contains(&way) {
                    ways.push(way);
                }
            }
        }
        ways
    }

    /// Any loss, cut anywhere.
    pub(super) fn some_way(&self, rng: &mut Rng) -> Remains {
        let kept = match rng.below(4) {
            0 => 0,
            1 => self.tail,
            _ => rng.below(self.tail + 1),
        };
        Remains {
            kept,
            nuls: kept < self.tail && rng.below(2) == 0,
            meta: self.meta && rng.below(2) == 0,
        }
    }
}
