//! Files that Git LFS keeps elsewhere: the commit has only a pointer to the content, and writing the pointer in the place
//! of the file would destroy it.

use std::ffi::CStr;
use std::os::fd::OwnedFd;

use rustix::fs::Stat;

use super::disk;
use crate::model::text::hex;

/// The largest pointer, in bytes, by the specification of Git LFS.
pub(super) const LARGEST: usize = 1024;

/// A pointer: the digest and the size of the content.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Pointer {
    sha256: String,
    size: i64,
}

impl Pointer {
    /// Reads a pointer; `None` for any other text.
    pub(super) fn parse(bytes: &[u8]) -> Option<Self> {
        let text = std::str::from_utf8(bytes).ok()?;
        let rest = text.strip_prefix("version https://git-lfs.github.com/spec/v1\n")?;
        let value = |key: &str| rest.lines().find_map(|line| line.strip_prefix(key));
        let sha256 = value("oid sha256:").filter(|hex| hex.len() == 64)?;
        Some(Self {
            sha256: sha256.to_owned(),
            size: value("size ")?.parse().ok()?,
        })
    }

    /// Whether a file has the content that this points to. One of another size is not read.
    pub(super) fn is_of(&self, dir: &OwnedFd, name: &CStr, stat: &Stat) -> bool {
        stat.st_size == self.size
            && disk::sha256(dir, name).is_ok_and(|digest| hex(&digest) == self.sha256)
    }
}

/// Whether a file is itself a pointer: where Git LFS is not installed, or was told to leave it.
pub(super) fn is_pointer(dir: &OwnedFd, name: &CStr, stat: &Stat) -> bool {
    usize::try_from(stat.st_size).is_ok_and(|size| size <= LARGEST)
        && disk::small(dir, name, LARGEST as u64).is_some_and(|b| Pointer::parse(&b).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tells_a_pointer_from_other_texts() {
        let digest = "4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393";
        let head = "version https://git-lfs.github.com/spec/v1\n";
        let whole = format!("{head}oid sha256:{digest}\nsize 12345\n");
        let pointer = Pointer::parse(whole.as_bytes()).unwrap();
        assert_eq!((pointer.sha256.as_str(), pointer.size), (digest, 12345));
        for other in [
            "",
            "a text about version https://git-lfs.github.com/spec/v1\n",
            head,
            &format!("{head}oid sha256:4d7a\nsize 1\n"),
            &format!("{head}oid sha256:{digest}\n"),
            &format!("{head}oid sha256:{digest}\nsize many\n"),
        ] {
            assert_eq!(Pointer::parse(other.as_bytes()), None, "{other}");
        }
    }
}
