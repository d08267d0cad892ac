//! The project's ignore rules: `.gitignore` files and `info/exclude`. The person's global excludes do not count,
//! because the checkpoints of other people do not know them.
//!
//! What the commit's own rules ignore may be older than the commit, which would not have it. What only the rules on the
//! disk ignore was not measured by them when the commit was made.

use std::ffi::{CStr, OsStr};
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::sync::Arc;

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

use super::Measure;
use super::attributes::Recorded;
use super::conversions::CAP;
use super::disk::{self, FileKind, Listing};
use super::walk::Job;

/// Rules in force in one directory, the deepest first.
#[derive(Debug, Clone, Default)]
pub(in crate::git) struct Rules(Option<Arc<Layer>>);

#[derive(Debug)]
struct Layer {
    above: Rules,
    /// Length of the path of the directory that has these rules.
    base: usize,
    matcher: Gitignore,
}

/// The same by the files on the disk, and by those of the commit.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Sides<T> {
    pub(super) now: T,
    pub(super) then: T,
}

impl Rules {
    fn is(&self, other: &Self) -> bool {
        let layer = |rules: &Self| rules.0.as_ref().map(Arc::as_ptr);
        layer(self) == layer(other)
    }

    /// These rules plus one more file, for the directory whose path (with its slash) is `base` bytes long. Invalid
    /// lines are left out.
    pub(in crate::git) fn with(&self, base: usize, bytes: &[u8]) -> Self {
        let mut builder = GitignoreBuilder::new("");
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        for line in bytes.split(|byte| *byte == b'\n') {
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            // A bad pattern matches nothing, as in git.
            let _unread = builder.add_line(None, &literal_braces(line));
        }
        match builder.build() {
            Ok(matcher) if !matcher.is_empty() => Self(Some(Arc::new(Layer {
                above: self.clone(),
                base,
                matcher,
            }))),
            _ => self.clone(),
        }
    }

    /// Whether a path is ignored, assuming that its parents are not. The path is relative to the work tree.
    pub(in crate::git) fn ignore(&self, path: &[u8], is_dir: bool) -> bool {
        let mut rules = self;
        while let Some(layer) = &rules.0 {
            let inside = path.get(layer.base..).unwrap_or_default();
            let inside = Path::new(OsStr::from_bytes(inside));
            // The deepest file that has a matching rule decides, as in git.
            match layer.matcher.matched(inside, is_dir) {
                Match::Ignore(_) => return true,
                Match::Whitelist(_) => return false,
                Match::None => rules = &layer.above,
            }
        }
        false
    }
}

impl Sides<Rules> {
    /// The rules in force in a directory: those from above, and those of its own ignore file.
    pub(super) fn in_directory(
        job: &Job,
        recorded: &Recorded<'_>,
        (dir, listing): (Option<&OwnedFd>, &Listing),
        measure: Measure,
    ) -> Self {
        const NAME: &CStr = c".gitignore";
        let on_disk = dir
            .filter(|_| listing.find(NAME.to_bytes()) == Some(FileKind::File))
            .and_then(|dir| disk::small(dir, NAME, CAP));
        let recorded = match measure {
            Measure::AsGit => on_disk.clone(),
            Measure::Restore => {
                let entry = recorded.find(NAME.to_bytes());
                entry.and_then(|entry| recorded.content(entry))
            }
        };
        let Self { now, then } = &job.rules;
        let with = |rules: &Rules, ignored: bool, bytes: Option<&Vec<u8>>| match bytes {
            Some(bytes) if !ignored => rules.with(job.path.len(), bytes),
            Some(_) | None => rules.clone(),
        };
        let is_same = now.is(then) && job.ignored.now == job.ignored.then && on_disk == recorded;
        let now = with(now, job.ignored.now, on_disk.as_ref());
        let then = if is_same {
            now.clone()
        } else {
            with(then, job.ignored.then, recorded.as_ref())
        };
        Self { now, then }
    }

    /// Whether a path is ignored, where this is true of the directory that it is in.
    pub(super) fn ignore(&self, above: Sides<bool>, path: &[u8], is_dir: bool) -> Sides<bool> {
        let now = above.now || self.now.ignore(path, is_dir);
        let then = if self.now.is(&self.then) && above.now == above.then {
            now
        } else {
            above.then || self.then.ignore(path, is_dir)
        };
        Sides { now, then }
    }
}

/// Braces are plain characters to git, but alternatives to the matcher.
fn literal_braces(line: &[u8]) -> String {
    let text = String::from_utf8_lossy(line);
    let mut plain = String::with_capacity(text.len());
    let mut escaped = false;
    for c in text.chars() {
        if matches!(c, '{' | '}') && !escaped {
            plain.push('\\');
        }
        escaped = c == '\\' && !escaped;
        plain.push(c);
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deeper_rules_win_and_braces_are_plain() {
        let root = Rules::default().with(0, b"*.log\r\n/build\nkeep/*\n!keep/x\n*.{a,b}\n");
        let deep = root.with(2, b"!special.log\nlocal\n");
        let table: &[(&Rules, &str, bool, bool)] = &[
            (&root, "x.log", false, true),
            (&root, "d/x.log", false, true),
            (&root, "build", true, true),
            (&root, "d/build", true, false),
            (&root, "keep/y", false, true),
            (&root, "keep/x", false, false),
            (&root, "f.a", false, false),
            (&root, "f.{a,b}", false, true),
            (&deep, "d/special.log", false, false),
            (&deep, "d/other.log", false, true),
            (&deep, "d/local", true, true),
        ];
        for (rules, path, is_dir, want) in table {
            assert_eq!(rules.ignore(path.as_bytes(), *is_dir), *want, "{path}");
        }
    }
}
