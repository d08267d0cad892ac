//! Whether git may have stored other bytes than it found (`autocrlf`, `text`, `ident`, filters). Where it
//! may have, a clean index entry does not mean equal bytes, and the file itself is read.

use std::path::Path;

use git2::{ObjectType, Oid};

use crate::model::Place;
use crate::world::files::Files as _;
use crate::world::real_files::RealFiles;

use super::super::config::LocalConfig;

/// The most that is read of an attributes or an ignore file.
pub(in crate::git) const CAP: u64 = 1 << 20;

const CONVERT: [&[u8]; 6] = [
    b"text",
    b"crlf",
    b"eol",
    b"ident",
    b"filter",
    b"working-tree-encoding",
];

/// Whether an attributes file sets anything that converts.
pub(super) fn in_attributes(bytes: &[u8]) -> bool {
    bytes
        .split(|byte| *byte == b'\n')
        .filter(|line| !line.trim_ascii_start().starts_with(b"#"))
        .flat_map(|line| {
            let words = line.split(u8::is_ascii_whitespace);
            words.filter(|word| !word.is_empty()).skip(1)
        })
        .any(|word| {
            // `-text` and `!text` are other words: they switch a conversion off.
            let name = word.split(|byte| *byte == b'=').next().unwrap_or_default();
            CONVERT.contains(&name)
        })
}

/// Whether configuration or attributes outside the tree convert: those of the git directory, and the
/// person's own, which were in force when git wrote the index.
pub(super) fn outside_the_tree(git_dir: &Path) -> bool {
    let local = LocalConfig::read(git_dir).unwrap_or_default();
    let own = git2::Config::open_default().ok();
    let text = |name: &str| {
        // The repository's own setting wins over the person's, as in git.
        let local = local.get(name).map(<[u8]>::to_vec);
        let own = || own.as_ref()?.get_bytes(name).ok().map(<[u8]>::to_vec);
        local.or_else(own)
    };
    let off = |value: &[u8]| {
        ["false", "no", "off", "0", ""]
            .iter()
            .any(|no| value.eq_ignore_ascii_case(no.as_bytes()))
    };
    if text("core.autocrlf").is_some_and(|value| !off(&value)) {
        return true;
    }
    let named = own
        .as_ref()
        .and_then(|own| own.get_path("core.attributesfile").ok());
    let usual = git2::Config::find_xdg().ok();
    let usual = usual.and_then(|config| Some(config.parent()?.join("attributes")));
    local.get("core.attributesfile").is_some()
        || file(git_dir.join("info"), "attributes")
        || named.or(usual).is_some_and(|path| {
            let (parent, name) = (path.parent(), path.file_name());
            parent
                .zip(name)
                .is_some_and(|(parent, name)| file(parent, name))
        })
}

/// Whether bytes with Unix line ends are the blob of this id.
pub(super) fn same_text(bytes: &[u8], id: &[u8]) -> bool {
    let mut text = Vec::with_capacity(bytes.len());
    for (at, byte) in bytes.iter().enumerate() {
        if *byte != b'\r' || bytes.get(at + 1) != Some(&b'\n') {
            text.push(*byte);
        }
    }
    Oid::hash_object(ObjectType::Blob, &text).is_ok_and(|hash| hash.as_bytes() == id)
}

fn file(folder: impl AsRef<Path>, name: impl AsRef<Path>) -> bool {
    Place::known(folder.as_ref(), name)
        .ok()
        .and_then(|place| RealFiles.read(&place, CAP).ok())
        .is_some_and(|bytes| in_attributes(&bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tells_what_converts_from_what_does_not() {
        let table: &[(&str, bool)] = &[
            ("* text=auto", true),
            ("*.c text eol=lf", true),
            ("*.psd filter=lfs diff=lfs merge=lfs -text", true),
            ("*.h ident", true),
            ("*.txt working-tree-encoding=UTF-16", true),
            ("[attr]mine text", true),
            ("# * text", false),
            ("text", false),
            ("*.png binary", false),
            ("*.png -text", false),
            ("*.rs diff=rust linguist-generated", false),
        ];
        for (text, want) in table {
            assert_eq!(in_attributes(text.as_bytes()), *want, "{text}");
        }
    }
}
