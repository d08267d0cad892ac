//! What is in the place of a file that a system needs: a link, a directory or a FIFO is not a missing file, and what
//! helps against one does not help against the other.

use std::path::Path;

use crate::model::Place;
use crate::text::Shown as _;
use crate::text::format::shell_path;
use crate::world::World;
use crate::world::files::{FileKind, ReadError};

/// A file that exists and cannot be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct OddFile {
    /// What it is, as a clause without a subject: `is a directory`.
    pub(crate) problem: String,
    /// The command or the instruction that helps.
    pub(crate) remedy: String,
}

/// The problem of a file that a reader did without, as a clause: what is in its place, else `absent`. Nothing that is
/// there is said to be missing, whatever it is.
pub(crate) fn lack<'a>(odd: Option<&'a OddFile>, absent: &'a str) -> &'a str {
    odd.map_or(absent, |odd| odd.problem.as_str())
}

/// Why a place could not be read; `None` if nothing is there.
pub(crate) fn odd_file(place: &Place, why: &ReadError, world: &dyn World) -> Option<OddFile> {
    if let Err(ReadError::NotFound) = world.files().stat(place) {
        return None;
    }
    let shown = quoted(&place.path());
    let unreadable = || OddFile {
        problem: format!("cannot be read: {why}"),
        remedy: match why {
            ReadError::Denied => format!("Let your user read it: chmod u+r {shown}"),
            ReadError::TooLarge { .. } => {
                format!("Move {shown} away, or shorten it: relight reads no file of that size.")
            }
            ReadError::NotFound | ReadError::Link | ReadError::NotRegular | ReadError::Other(_) => {
                format!("Make {shown} a regular file that can be read.")
            }
        },
    };
    Some(no_file(place, world).unwrap_or_else(unreadable))
}

/// Why it is unknown what a directory holds; `None` if its listing, or the lack of it, is an answer.
pub(crate) fn closed(dir: &Place, why: &ReadError) -> Option<OddFile> {
    why.leaves_unknown().then(|| OddFile {
        problem: format!("cannot be read: {why}"),
        remedy: look_into(&dir.path()),
    })
}

/// What a directory holds can be looked at only with both rights.
fn look_into(dir: &Path) -> String {
    let shown = quoted(dir);
    format!("Let your user look into the directory: chmod u+rx {shown}")
}

/// What is in the place of a file and is none, or why that cannot be found out; `None` for a file, and if nothing is
/// there.
pub(crate) fn no_file(place: &Place, world: &dyn World) -> Option<OddFile> {
    let (files, path) = (world.files(), place.path());
    let shown = quoted(&path);
    let kind = match files.stat(place) {
        Ok(stat) => stat.kind,
        Err(why) => return closed(&Place::of(path.parent()?)?, &why),
    };
    let (problem, remedy) = match kind {
        FileKind::File => return None,
        FileKind::Link => {
            let target = files.canonical(&path);
            // Without a file at its end the link is worth nothing.
            let remedy = if target.is_some_and(|to| !files.is_dir(&Place::root(&to))) {
                format!(
                    "Replace the link with a copy of its target: cp {shown} {shown}.copy && mv {shown}.copy {shown}"
                )
            } else {
                away(&path, "link")
            };
            ("is a symbolic link, and links are not followed", remedy)
        }
        FileKind::Dir => ("is a directory", away(&path, "directory")),
        FileKind::Other => ("is a FIFO, socket or device", away(&path, "special file")),
    };
    let problem = problem.to_owned();
    Some(OddFile { problem, remedy })
}

fn away(path: &Path, what: &str) -> String {
    let mut aside = path.as_os_str().to_owned();
    aside.push(".aside");
    let (from, to) = (quoted(path), quoted(Path::new(&aside)));
    format!("Move the {what} away: mv {from} {to}")
}

/// A path as an operand. If it cannot be given to a shell as text, its unusual characters are replaced.
pub(crate) fn quoted(path: &Path) -> String {
    let shown = || path.shown().to_string().replace('\'', r"'\''");
    shell_path(path).unwrap_or_else(|| format!("'{}'", shown()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world::fake::FakeWorld;

    #[test]
    fn what_is_in_the_place_of_a_file_is_named() {
        let dir = crate::world::temporary::directory();
        let root = dir.path().canonicalize().unwrap();
        std::fs::create_dir(root.join("dir")).unwrap();
        std::fs::write(root.join("file"), "content").unwrap();
        std::os::unix::fs::symlink("file", root.join("link")).unwrap();
        std::os::unix::fs::symlink("elsewhere", root.join("dangling")).unwrap();
        let made = std::process::Command::new("mkfifo")
            .arg(root.join("fifo"))
            .status();
        assert!(made.unwrap().success());
        let world = FakeWorld::from("2026-04-08T15:00:00Z");
        let odd = |name: &str| {
            let place = Place::known(&root, name).unwrap();
            let why = world.files().whole(&place).unwrap_err();
            odd_file(&place, &why, &world)
        };
        for (name, problem, remedy) in [
            ("dir", "is a directory", "mv "),
            ("fifo", "is a FIFO, socket or device", "mv "),
            (
                "link",
                "is a symbolic link, and links are not followed",
                "cp ",
            ),
            (
                "dangling",
                "is a symbolic link, and links are not followed",
                "Move the link away: mv ",
            ),
        ] {
            let odd = odd(name).unwrap();
            assert_eq!(odd.problem, problem);
            assert!(odd.remedy.contains(remedy), "{odd:?}");
        }
        assert_eq!(odd("nothing"), None);
        let place = Place::known(&root, "file").unwrap();
        let remedy = |why: ReadError| odd_file(&place, &why, &world).unwrap().remedy;
        assert!(remedy(ReadError::Denied).starts_with("Let your user read it: chmod u+r /"));
        let large = ReadError::TooLarge { size: 9, cap: 8 };
        assert!(remedy(large).contains("shorten it"));
    }
}
