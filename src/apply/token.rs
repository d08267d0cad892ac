//! Tokens: the renames that a transaction is made of.
//!
//! A token is a swap between two spots. Before it, `here` holds what the person has and `there` what was staged
//! (or nothing); after it, the other way round. Its inverse is the token with the two contents exchanged, so
//! that rolling back, undoing and redoing are the same movement.

use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::bytes::Bytes;
use super::disk::{Digest, Disk, Identity, Kind, Node};

/// What a folder that tokens reach into is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum BaseKind {
    /// A person's files: a work tree, or a folder of state files.
    Files,
    /// A git directory; only its `index` is ever exchanged.
    Git,
    /// A folder of slots, relight's own.
    Slots,
}

/// A folder that tokens reach into.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Base {
    /// What it is.
    pub kind: BaseKind,
    /// Its canonical absolute path.
    pub path: Bytes,
    /// Which directory it was.
    pub id: Identity,
}

/// A name in a folder beneath a base.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Spot {
    /// Place of the base in the journal's list.
    pub base: usize,
    /// The folder, relative to the base; empty for the base itself.
    pub parent: Bytes,
    /// Which directory that folder is when the token is moved.
    pub parent_id: Identity,
    /// The name in it.
    pub name: Bytes,
}

impl Spot {
    /// The path beneath the base.
    pub fn rel(&self) -> PathBuf {
        self.parent.path().join(self.name.name())
    }
}

/// What a spot holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Known {
    /// Facts that a rename does not change.
    pub node: Node,
    /// SHA-256 of its content, for files and links.
    pub digest: Option<Digest>,
}

/// One rename.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Token {
    /// Waves are moved one after another, with a barrier between them.
    pub wave: u32,
    /// Among the person's files, or in a git directory.
    pub here: Spot,
    /// In a folder of slots, or for a move aside another place among the person's files.
    pub there: Spot,
    /// What `here` holds before.
    pub here_had: Option<Known>,
    /// What `there` holds before.
    pub there_had: Option<Known>,
}

/// Where a token stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// Not moved.
    Before,
    /// Moved.
    After,
    /// Neither: something else is in one of its spots.
    Unclear,
}

/// Facts about what is at a name, with the digest of its content.
pub fn know<D: Disk>(disk: &D, dir: &D::Dir, name: &OsStr) -> io::Result<Option<Known>> {
    let Some(node) = disk.look(dir, name)? else {
        return Ok(None);
    };
    let digest = match node.kind {
        Kind::File | Kind::Link => Some(disk.digest(dir, name)?),
        Kind::Dir | Kind::Other => None,
    };
    Ok(Some(Known { node, digest }))
}

/// The opened bases of a transaction.
pub struct Opened<'a, D: Disk> {
    disk: &'a D,
    bases: Vec<D::Dir>,
}

impl<'a, D: Disk> Opened<'a, D> {
    /// Opens the bases, each of which must still be the directory it was.
    pub fn open(disk: &'a D, bases: &[Base]) -> io::Result<Self> {
        let open = |base: &Base| {
            let path = base.path.path();
            let dir = disk.root(&path).map_err(|error| {
                let text = format!("{} cannot be opened: {error}", path.to_string_lossy());
                io::Error::new(error.kind(), text)
            })?;
            if disk.node(&dir)?.id == base.id {
                Ok(dir)
            } else {
                Err(io::Error::other(format!(
                    "{} is another folder now",
                    path.to_string_lossy()
                )))
            }
        };
        let bases = bases.iter().map(open).collect::<io::Result<_>>()?;
        Ok(Self { disk, bases })
    }

    /// The opened base.
    pub fn base(&self, at: usize) -> io::Result<&D::Dir> {
        self.bases
            .get(at)
            .ok_or_else(|| io::Error::other("the journal names a folder that it does not list"))
    }

    /// The folder of a spot, whatever it is now; `None` where it is not there.
    pub fn folder(&self, base: usize, parent: &Path) -> io::Result<Option<D::Dir>> {
        match self.disk.dir(self.base(base)?, parent) {
            Ok(dir) => Ok(Some(dir)),
            Err(error) if is_absent(&error) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// The folder of a spot, which must be the one that was planned for.
    pub fn parent(&self, spot: &Spot) -> io::Result<D::Dir> {
        let parent = spot.parent.path();
        let dir = self.disk.dir(self.base(spot.base)?, &parent)?;
        if self.disk.node(&dir)?.id == spot.parent_id {
            Ok(dir)
        } else {
            Err(io::Error::other(format!(
                "{} is another folder now",
                parent.to_string_lossy()
            )))
        }
    }

    /// What a spot holds now, without its digest. Where its folder is not there, or is another one, nothing of
    /// the token's is in it.
    fn at(&self, spot: &Spot) -> io::Result<Option<Node>> {
        let Some(dir) = self.folder(spot.base, &spot.parent.path())? else {
            return Ok(None);
        };
        if self.disk.node(&dir)?.id != spot.parent_id {
            return Ok(None);
        }
        self.disk.look(&dir, spot.name.name())
    }

    /// Where a token stands, by identity.
    pub fn standing(&self, token: &Token) -> io::Result<Standing> {
        let (here, there) = (self.at(&token.here)?, self.at(&token.there)?);
        let had = |known: &Option<Known>| known.map(|known| known.node);
        let (old, new) = (had(&token.here_had), had(&token.there_had));
        Ok(if (here, there) == (old, new) {
            Standing::Before
        } else if (here, there) == (new, old) {
            Standing::After
        } else {
            Standing::Unclear
        })
    }

    /// Moves a token: forward, or back again. Looks once more at both spots before.
    pub fn turn(&self, token: &Token, back: bool) -> io::Result<[D::Dir; 2]> {
        let here = self.parent(&token.here)?;
        let there = self.parent(&token.there)?;
        let (a, b) = (
            (&here, token.here.name.name()),
            (&there, token.there.name.name()),
        );
        let had = |known: &Option<Known>| known.map(|known| known.node);
        let (mut at_a, mut at_b) = (had(&token.here_had), had(&token.there_had));
        if back {
            std::mem::swap(&mut at_a, &mut at_b);
        }
        if self.disk.look(a.0, a.1)? != at_a || self.disk.look(b.0, b.1)? != at_b {
            return Err(io::Error::other(format!(
                "{} changed in the meantime",
                token.here.rel().to_string_lossy()
            )));
        }
        match (at_a, at_b) {
            (Some(_), Some(_)) => self.disk.swap(a, b)?,
            (Some(_), None) => self.disk.shift(a, b)?,
            (None, Some(_)) => self.disk.shift(b, a)?,
            (None, None) => {}
        }
        Ok([here, there])
    }

    /// Holds what is on the disk against what a moved token must have left, contents included.
    pub fn verify(&self, token: &Token) -> io::Result<()> {
        for (spot, want) in [
            (&token.here, &token.there_had),
            (&token.there, &token.here_had),
        ] {
            let found = match self.parent(spot) {
                Ok(dir) => know(self.disk, &dir, spot.name.name())?,
                // Its folder went with it.
                Err(error) if want.is_none() && is_absent(&error) => None,
                Err(error) => return Err(error),
            };
            if found != *want {
                return Err(io::Error::other(format!(
                    "{} is not what was put there",
                    spot.rel().to_string_lossy()
                )));
            }
        }
        Ok(())
    }
}

/// True where an error means that there is nothing. A link where a folder is looked for is none: it may be
/// what the folder changes places with.
pub fn is_absent(error: &io::Error) -> bool {
    error.raw_os_error() == Some(rustix::io::Errno::LOOP.raw_os_error())
        || matches!(
            error.kind(),
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
        )
}
