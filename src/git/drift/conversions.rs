//! Whether git may have stored other bytes than those on disk (`autocrlf`, `text`, `ident`, filters). If so, a file
//! whose bytes differ may still be what git stored.

use std::path::Path;

use git2::{ObjectType, Oid};

use crate::model::Place;
use crate::world::files::Files as _;
use crate::world::real_files::RealFiles;

use super::super::config::{LocalConfig, OwnConfig, is_off};

/// How many bytes of an attributes or ignore file are read.
pub(super) const CAP: u64 = 1 << 20;

const TEXT: [&[u8]; 4] = [b"text", b"crlf", b"eol", b"ident"];
const OTHER_BYTES: [&[u8]; 2] = [b"filter", b"working-tree-encoding"];

/// What git may have stored of a file, the worst last.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Conversion {
    /// Its bytes.
    #[default]
    None,
    /// Its text with other line ends.
    Text,
    /// What a program made of it, for example the pointer of Git LFS, or its text in another encoding.
    Filter,
}

/// The worst that an attributes file sets for any file.
pub(super) fn in_attributes(bytes: &[u8]) -> Conversion {
    let words = bytes
        .split(|byte| *byte == b'\n')
        .filter(|line| !line.trim_ascii_start().starts_with(b"#"))
        .flat_map(|line| {
            let words = line.split(u8::is_ascii_whitespace);
            words.filter(|word| !word.is_empty()).skip(1)
        })
        .map(|word| {
            // `-text` and `!text` are other words: they switch a conversion off.
            match word.split(|byte| *byte == b'=').next().unwrap_or_default() {
                name if OTHER_BYTES.contains(&name) => Conversion::Filter,
                name if TEXT.contains(&name) => Conversion::Text,
                _ => Conversion::None,
            }
        });
    words.max().unwrap_or(Conversion::None)
}

/// What configuration and attributes outside the tree set: those of the git directory, and the person's own, which were
/// in force when git wrote the index.
pub(super) fn outside_the_tree(
    (common_dir, git_dir): (&Path, &Path),
    own: &OwnConfig,
) -> Conversion {
    let local = LocalConfig::of_work_tree(common_dir, git_dir).unwrap_or_default();
    // The repository's setting overrides the person's, as in git.
    let lines = local.get("core.autocrlf").or(own.autocrlf.as_deref());
    let lines = lines.filter(|value| !is_off(value));
    let lines = lines.map(|_| Conversion::Text);
    // Which file the repository's own configuration names is not believed, so it may say anything.
    let unread = local.get("core.attributesfile").map(|_| Conversion::Filter);
    let of_repository = file(common_dir.join("info"), "attributes");
    let of_person = own.attributes.as_ref();
    let of_person = of_person.and_then(|path| file(path.parent()?, path.file_name()?));
    let all = [lines, unread, of_repository, of_person];
    all.into_iter().flatten().max().unwrap_or(Conversion::None)
}

/// Whether bytes with Unix line endings have this blob id.
pub(super) fn same_text(bytes: &[u8], id: &[u8]) -> bool {
    let mut text = Vec::with_capacity(bytes.len());
    for (at, byte) in bytes.iter().enumerate() {
        if *byte != b'\r' || bytes.get(at + 1) != Some(&b'\n') {
            text.push(*byte);
        }
    }
    Oid::hash_object(ObjectType::Blob, &text).is_ok_and(|hash| hash.as_bytes() == id)
}

fn file(folder: impl AsRef<Path>, name: impl AsRef<Path>) -> Option<Conversion> {
    small(folder.as_ref(), name).map(|bytes| in_attributes(&bytes))
}

/// The content of a file with rules, if it can be read.
pub(in crate::git) fn small(folder: &Path, name: impl AsRef<Path>) -> Option<Vec<u8>> {
    let place = Place::known(folder, name).ok()?;
    RealFiles.read(&place, CAP).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tells_what_converts_from_what_does_not() {
        use Conversion::{Filter, None, Text};
        let table: &[(&str, Conversion)] = &[
            ("* text=auto", Text),
            ("*.c text eol=lf", Text),
            ("*.psd filter=lfs diff=lfs merge=lfs -text", Filter),
            ("*.c text\n*.psd filter=lfs\n*.h ident", Filter),
            ("[attr]large filter=lfs -text", Filter),
            ("*.h ident", Text),
            ("*.txt working-tree-encoding=UTF-16", Filter),
            ("[attr]mine text", Text),
            ("# * text", None),
            ("text", None),
            ("*.png binary", None),
            ("*.png -text -filter", None),
            ("*.rs diff=rust linguist-generated", None),
        ];
        for (text, want) in table {
            assert_eq!(in_attributes(text.as_bytes()), *want, "{text}");
        }
    }
}
