//! The project's ignore rules: `.gitignore` files and `info/exclude`. The person's global excludes do not count,
//! because the checkpoints of other people do not know them.

use std::ffi::{CStr, OsStr};
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::sync::Arc;

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

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

impl Rules {
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

/// The rules in force in a directory: those from above, and those of its own ignore file.
pub(super) fn of_directory(job: &Job, dir: Option<&OwnedFd>, listing: &Listing) -> Rules {
    const NAME: &CStr = c".gitignore";
    let file = dir
        .filter(|_| !job.ignored && listing.find(NAME.to_bytes()) == Some(FileKind::File))
        .and_then(|dir| disk::small(dir, NAME, CAP));
    file.map_or_else(
        || job.rules.clone(),
        |bytes| job.rules.with(job.path.len(), &bytes),
    )
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
