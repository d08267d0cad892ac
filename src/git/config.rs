//! A repository's own `config` file, parsed as text: enough to judge a repository before libgit2 opens it. It includes
//! no other files and acts on nothing.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use crate::text::Shown as _;
use crate::world::files::{Files as _, ReadError};
use crate::world::git::GitError;
use crate::world::real_files::RealFiles;

use super::error;

const CAP: u64 = 1 << 20;

/// The values of a `config` file, in order.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct LocalConfig {
    values: Vec<(Vec<u8>, Vec<u8>)>,
    /// True if a section includes another file.
    pub(super) includes: bool,
}

/// What the person's configuration says for all repositories, so that one look need not read it for each of them.
#[derive(Debug, Default)]
pub(super) struct OwnConfig {
    /// The file with patterns that are ignored everywhere.
    pub(super) excludes: Option<PathBuf>,
    /// The file with attributes.
    pub(super) attributes: Option<PathBuf>,
    pub(super) autocrlf: Option<Vec<u8>>,
}

impl OwnConfig {
    /// Reads it, with the files that it includes.
    pub(super) fn read() -> Self {
        Self::of(git2::Config::open_default())
    }

    fn of(config: Result<git2::Config, git2::Error>) -> Self {
        // Bytes are read of a snapshot only.
        let config = config.and_then(|mut config| config.snapshot()).ok();
        let path = |name: &str| config.as_ref()?.get_path(name).ok();
        let usual = || Some(git2::Config::find_xdg().ok()?.parent()?.join("attributes"));
        let autocrlf = || config.as_ref()?.get_bytes("core.autocrlf").ok();
        Self {
            excludes: path("core.excludesfile"),
            attributes: path("core.attributesfile").or_else(usual),
            autocrlf: autocrlf().map(<[u8]>::to_vec),
        }
    }
}

impl LocalConfig {
    /// Reads `config` of a git directory. A missing one is empty, as for git.
    pub(super) fn read(git_dir: &Path) -> Result<Self, GitError> {
        Self::read_file(git_dir, "config")
    }

    fn read_file(git_dir: &Path, name: &str) -> Result<Self, GitError> {
        let place = error::place(git_dir, name)?;
        match RealFiles.read(&place, CAP) {
            Ok(bytes) => Ok(Self::parse(&bytes)),
            Err(ReadError::NotFound) => Ok(Self::default()),
            Err(e) => Err(error::file(name, &e)),
        }
    }

    /// The same for a work tree, which can have a file of its own in its git directory.
    pub(super) fn of_work_tree(common_dir: &Path, git_dir: &Path) -> Result<Self, GitError> {
        let mut config = Self::read(common_dir)?;
        let has_own = config.get("extensions.worktreeconfig");
        if has_own.is_some_and(|value| !is_off(value)) {
            let own = Self::read_file(git_dir, "config.worktree")?;
            config.includes |= own.includes;
            config.values.extend(own.values);
        }
        Ok(config)
    }

    /// Parses a file. Invalid lines are left out.
    pub(super) fn parse(bytes: &[u8]) -> Self {
        let mut config = Self::default();
        let mut section = Vec::new();
        let mut lines = bytes.split(|byte| *byte == b'\n');
        while let Some(line) = lines.next() {
            let mut line = line.trim_ascii();
            if let Some(rest) = line.strip_prefix(b"[") {
                let Some(end) = header_end(rest) else {
                    continue;
                };
                let (header, after) = rest.split_at(end);
                section = section_name(header);
                config.includes |= section == b"include" || section.starts_with(b"includeif.");
                line = after.get(1..).unwrap_or_default().trim_ascii();
            }
            if line.is_empty() || matches!(line.first(), Some(b'#' | b';')) {
                continue;
            }
            let split = line.iter().position(|byte| *byte == b'=');
            let (key, raw) = line.split_at(split.unwrap_or(line.len()));
            let name = [&section, &b"."[..], &key.trim_ascii().to_ascii_lowercase()].concat();
            let value = match raw.strip_prefix(b"=") {
                Some(raw) => unquote(raw.trim_ascii(), &mut lines),
                None => b"true".to_vec(),
            };
            config.values.push((name, value));
        }
        config
    }

    /// The last value of a lower-case name such as `core.worktree`.
    pub(super) fn get(&self, name: &str) -> Option<&[u8]> {
        let found = self.values.iter().rev();
        found
            .into_iter()
            .find(|(key, _)| key == name.as_bytes())
            .map(|(_, value)| value.as_slice())
    }

    /// Whether a setting is there and switched off.
    pub(super) fn is_off(&self, name: &str) -> bool {
        self.get(name).is_some_and(is_off)
    }

    /// `core.worktree`, as written.
    pub(super) fn work_tree(&self) -> Option<PathBuf> {
        self.get("core.worktree")
            .map(|value| PathBuf::from(OsStr::from_bytes(value)))
    }

    /// Refuses what this build's libgit2 cannot read.
    pub(super) fn supported(&self) -> Result<(), GitError> {
        let format = self.get("extensions.objectformat").unwrap_or(b"sha1");
        if !format.eq_ignore_ascii_case(b"sha1") {
            return Err(unsupported("objects named by", format));
        }
        let storage = self.get("extensions.refstorage").unwrap_or(b"files");
        if !storage.eq_ignore_ascii_case(b"files") {
            return Err(unsupported("references stored as", storage));
        }
        Ok(())
    }
}

/// Whether a value means no, as git reads it.
pub(super) fn is_off(value: &[u8]) -> bool {
    ["false", "no", "off", "0", ""]
        .iter()
        .any(|no| value.eq_ignore_ascii_case(no.as_bytes()))
}

fn unsupported(what: &str, value: &[u8]) -> GitError {
    GitError::Unsupported(format!("{what} {}", value.shown()))
}

/// Where the header's closing bracket is; quoted brackets do not count.
fn header_end(header: &[u8]) -> Option<usize> {
    let mut quoted = false;
    let mut escaped = false;
    for (at, byte) in header.iter().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if quoted => escaped = true,
            b'"' => quoted = !quoted,
            b']' if !quoted => return Some(at),
            _ => {}
        }
    }
    None
}

/// `core`, `branch.main`: the section in lower case, the subsection as written.
fn section_name(header: &[u8]) -> Vec<u8> {
    let Some(quote) = header.iter().position(|byte| *byte == b'"') else {
        return header.trim_ascii().to_ascii_lowercase();
    };
    let (name, rest) = header.split_at(quote);
    let mut full = name.trim_ascii().to_ascii_lowercase();
    full.push(b'.');
    let mut bytes = rest.iter().skip(1);
    while let Some(byte) = bytes.next() {
        match byte {
            b'\\' => full.extend(bytes.next()),
            b'"' => break,
            other => full.push(*other),
        }
    }
    full
}

/// A value without quotes, escapes and comment; a backslash at the end of a line continues it on the next one.
fn unquote<'a>(first: &'a [u8], more: &mut impl Iterator<Item = &'a [u8]>) -> Vec<u8> {
    let mut value = Vec::new();
    let mut kept = 0;
    let mut quoted = false;
    let mut line = first;
    'lines: loop {
        let mut bytes = line.iter();
        while let Some(byte) = bytes.next() {
            match byte {
                b'"' => quoted = !quoted,
                b'#' | b';' if !quoted => break 'lines,
                b'\\' => match bytes.next() {
                    None => match more.next() {
                        Some(next) => {
                            line = next;
                            continue 'lines;
                        }
                        None => break 'lines,
                    },
                    Some(b'n') => value.push(b'\n'),
                    Some(b't') => value.push(b'\t'),
                    Some(other) => value.push(*other),
                },
                b' ' | b'\t' | b'\r' if !quoted => {
                    value.push(*byte);
                    continue;
                }
                other => value.push(*other),
            }
            kept = value.len();
        }
        break;
    }
    value.truncate(kept);
    value
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_person_s_own_settings_are_read() {
        let dir = crate::world::temporary::directory();
        let file = dir.path().join("gitconfig");
        let text = "[core]\n\tautocrlf = true\n\texcludesfile = /e\n\tattributesfile = /a\n";
        std::fs::write(&file, text).unwrap();
        let own = OwnConfig::of(git2::Config::open(&file));
        assert_eq!(own.autocrlf.as_deref(), Some(&b"true"[..]));
        assert_eq!(own.excludes, Some(PathBuf::from("/e")));
        assert_eq!(own.attributes, Some(PathBuf::from("/a")));
    }

    #[test]
    fn reads_what_git_reads() {
        let table: &[(&str, &str, Option<&str>)] = &[
            ("[core]\n\tworktree = /a b\n", "core.worktree", Some("/a b")),
            ("[CORE] WorkTree=/x # c\n", "core.worktree", Some("/x")),
            (
                "[core]\nworktree = \"/q \\\"x\\\" \" ; c",
                "core.worktree",
                Some("/q \"x\" "),
            ),
            (
                "[core]\nworktree=/a\nworktree=/b\n",
                "core.worktree",
                Some("/b"),
            ),
            (
                "[core]\nworktree = /a\\\n/b\n",
                "core.worktree",
                Some("/a/b"),
            ),
            ("[core]\nbare\n", "core.bare", Some("true")),
            ("[core \"x\"]\nworktree=/a\n", "core.worktree", None),
            (
                "[branch \"A]b\"]\nremote=o\n",
                "branch.A]b.remote",
                Some("o"),
            ),
            ("; worktree=/a\n[core\nworktree=/a", "core.worktree", None),
        ];
        for (text, name, want) in table {
            let config = LocalConfig::parse(text.as_bytes());
            assert_eq!(config.get(name), want.map(str::as_bytes), "{text:?}");
        }
    }

    #[test]
    fn every_kind_of_include_is_detected() {
        for text in [
            "[include]\npath=/x",
            "[Include] path=/x",
            "[includeIf \"gitdir:/\"]\npath=/x",
        ] {
            assert!(LocalConfig::parse(text.as_bytes()).includes, "{text}");
        }
        assert!(!LocalConfig::parse(b"[core]\ninclude=/x").includes);
    }

    #[test]
    fn unsupported_formats_are_named() {
        for text in [
            "[extensions]\nobjectFormat=sha256",
            "[extensions]\nrefStorage=reftable",
        ] {
            let config = LocalConfig::parse(text.as_bytes());
            assert!(matches!(config.supported(), Err(GitError::Unsupported(_))));
        }
    }
}
