//! Paths that come from foreign files, as components only.

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Component, Path, PathBuf};

/// A relative path of plain components: never absolute, never `..`, never a git directory.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RelPath(OsString);

/// Why a foreign path was refused. The path is never opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PathRefusal {
    /// Empty, or nothing but dots.
    Empty,
    /// Begins with `/` and is under none of the opened roots.
    Outside,
    /// Has a `..` component.
    Upwards,
    /// Holds a NUL byte.
    Nul,
    /// Longer than 4096 bytes, or a component longer than 255.
    TooLong,
    /// A component is a git directory, or one that a file system folds into one.
    GitDirectory,
    /// Begins with `~` or a drive letter, or holds a backslash: it means another place elsewhere.
    OtherSystem,
}

impl fmt::Display for PathRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Empty => "the path is empty",
            Self::Outside => "the path lies outside the opened roots",
            Self::Upwards => "the path climbs with `..`",
            Self::Nul => "the path holds a NUL byte",
            Self::TooLong => "the path is too long",
            Self::GitDirectory => "the path leads into a git directory",
            Self::OtherSystem => "the path is written for another system or shell",
        })
    }
}

impl RelPath {
    /// Takes a path apart and refuses whatever could lead elsewhere.
    pub fn parse(bytes: &[u8]) -> Result<Self, PathRefusal> {
        Self::check(bytes)?;
        let path = Path::new(OsStr::from_bytes(bytes));
        // Without the dots and slashes that say nothing.
        let kept: PathBuf = path
            .components()
            .filter(|part| *part != Component::CurDir)
            .collect();
        Ok(Self(kept.into_os_string()))
    }

    /// Whether [`Self::parse`] takes it.
    pub fn check(bytes: &[u8]) -> Result<(), PathRefusal> {
        if bytes.contains(&0) {
            return Err(PathRefusal::Nul);
        }
        if bytes.len() > 4096 {
            return Err(PathRefusal::TooLong);
        }
        if bytes.first() == Some(&b'/') {
            return Err(PathRefusal::Outside);
        }
        if bytes.first() == Some(&b'~') || bytes.contains(&b'\\') || has_drive(bytes) {
            return Err(PathRefusal::OtherSystem);
        }
        let mut is_empty = true;
        for part in Path::new(OsStr::from_bytes(bytes)).components() {
            match part {
                Component::CurDir => {}
                Component::Normal(name) => {
                    if name.len() > 255 {
                        return Err(PathRefusal::TooLong);
                    }
                    if is_git_dir(name.as_bytes()) {
                        return Err(PathRefusal::GitDirectory);
                    }
                    is_empty = false;
                }
                Component::ParentDir => return Err(PathRefusal::Upwards),
                Component::RootDir | Component::Prefix(_) => return Err(PathRefusal::Outside),
            }
        }
        if is_empty {
            return Err(PathRefusal::Empty);
        }
        Ok(())
    }

    /// The path as components, to be joined to an opened root.
    pub fn as_path(&self) -> &Path {
        Path::new(&self.0)
    }
}

/// A path that may be opened: a root that was opened on purpose, and plain components under it. Files are
/// read only by places, so that no link and no `..` leads out of the root.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Place {
    // No path: a run looks every place up again and again in what it remembers, and a path is hashed part by part.
    root: OsString,
    rel: Option<RelPath>,
}

impl Place {
    /// The root itself: a directory the person named, or one that discovery reached without following links.
    pub fn root(root: impl Into<PathBuf>) -> Self {
        Self {
            root: root.into().into_os_string(),
            rel: None,
        }
    }

    /// A name of relight's own knowledge under a root, such as `workflow-state.json`. A name that is not
    /// plain is treated as foreign and refused.
    pub fn known(root: impl Into<PathBuf>, rel: impl AsRef<Path>) -> Result<Self, PathRefusal> {
        Ok(Self {
            root: root.into().into_os_string(),
            rel: Some(RelPath::parse(rel.as_ref().as_os_str().as_bytes())?),
        })
    }

    /// A path that relight found itself, opened from its own folder; `None` where it has no name, or one that is not
    /// plain.
    pub fn of(path: &Path) -> Option<Self> {
        Self::known(path.parent()?, path.file_name()?).ok()
    }

    /// A path read from a foreign file, relative to the first of the roots, or absolute under any of them.
    pub fn foreign(roots: &[&Path], path: &[u8]) -> Result<Self, PathRefusal> {
        let trimmed = path.strip_suffix(b"/").unwrap_or(path);
        if trimmed.first() == Some(&b'/') {
            let absolute = Path::new(OsStr::from_bytes(trimmed));
            for root in roots {
                if let Ok(rest) = absolute.strip_prefix(root) {
                    if rest.as_os_str().is_empty() {
                        return Ok(Self::root(*root));
                    }
                    return Self::known(*root, rest);
                }
            }
            return Err(PathRefusal::Outside);
        }
        let first = roots.first().ok_or(PathRefusal::Outside)?;
        if trimmed == b"." {
            return Ok(Self::root(*first));
        }
        Self::known(*first, Path::new(OsStr::from_bytes(trimmed)))
    }

    /// A name under this place.
    pub fn join(&self, rel: impl AsRef<Path>) -> Result<Self, PathRefusal> {
        match &self.rel {
            None => Self::known(&self.root, rel),
            Some(above) => Self::known(&self.root, above.as_path().join(rel)),
        }
    }

    /// The opened root.
    pub fn opened_root(&self) -> &Path {
        Path::new(&self.root)
    }

    /// The part under the root; `None` for the root itself.
    pub fn beneath(&self) -> Option<&RelPath> {
        self.rel.as_ref()
    }

    /// The whole path, for showing and for findings; never for opening.
    pub fn path(&self) -> PathBuf {
        match &self.rel {
            None => self.opened_root().to_owned(),
            Some(rel) => self.opened_root().join(rel.as_path()),
        }
    }
}

fn has_drive(bytes: &[u8]) -> bool {
    matches!(bytes, [drive, b':', ..] if drive.is_ascii_alphabetic())
}

/// True for `.git` in every spelling that some file system folds into it: other case, trailing dots and
/// spaces, the 8.3 name, an NTFS stream, and code points that HFS+ ignores.
pub fn is_git_dir(name: &[u8]) -> bool {
    // Spares nearly every name what follows.
    let first = name.first();
    if first.is_none_or(|first| !matches!(first, b'.' | b'g' | b'G') && first.is_ascii()) {
        return false;
    }
    let text = String::from_utf8_lossy(name);
    let folded: String = text
        .chars()
        .filter(|c| !matches!(c, '\u{200c}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{206a}'..='\u{206f}' | '\u{feff}'))
        .flat_map(char::to_lowercase)
        .collect();
    let stem = folded
        .split(':')
        .next()
        .unwrap_or_default()
        .trim_end_matches(['.', ' ']);
    stem == ".git" || stem == "git~1"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refuses_every_way_out_and_into_git() {
        use PathRefusal::{Empty, GitDirectory, Nul, OtherSystem, Outside, TooLong, Upwards};
        let long = "a/".repeat(2100);
        let wide = "x".repeat(256);
        let table: &[(&str, PathRefusal)] = &[
            ("", Empty),
            (".", Empty),
            ("./.", Empty),
            ("/etc/passwd", Outside),
            ("//x", Outside),
            ("..", Upwards),
            ("a/../b", Upwards),
            ("a/..", Upwards),
            ("a\0b", Nul),
            (&long, TooLong),
            (&wide, TooLong),
            ("~/x", OtherSystem),
            ("~root", OtherSystem),
            ("C:x", OtherSystem),
            ("a\\..\\x", OtherSystem),
            (".git", GitDirectory),
            ("a/.git/config", GitDirectory),
            (".GIT", GitDirectory),
            ("git~1", GitDirectory),
            (".git ", GitDirectory),
            (".git.", GitDirectory),
            (".g\u{200d}it", GitDirectory),
            (".git\u{200c}", GitDirectory),
            (".git::$INDEX_ALLOCATION", GitDirectory),
            ("x/.Git/y", GitDirectory),
        ];
        for (text, why) in table {
            assert_eq!(RelPath::parse(text.as_bytes()), Err(*why), "{text:?}");
        }
    }

    #[test]
    fn keeps_ordinary_paths_whatever_their_bytes() {
        for bytes in [
            &b"stage-2/out.dat"[..],
            b"./a//b",
            b"\xff\xfe",
            "日本/ü".as_bytes(),
            b".gitignore",
            b"a b",
        ] {
            assert!(RelPath::parse(bytes).is_ok(), "{bytes:?}");
        }
        assert_eq!(
            RelPath::parse(b"./a//b").unwrap().as_path(),
            Path::new("a/b")
        );
    }
}
