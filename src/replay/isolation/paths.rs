//! Absolute paths of the original inside dispatch texts, and the run's own folders in their place.

use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use crate::model::Experiment;

/// The folders of the original that a dispatch may name and that every run has one of its own for: the project, the
/// notes, and the dispatches.
pub(crate) type Folders<'a> = [Option<&'a Path>; 3];

pub(crate) fn folders(experiment: &Experiment) -> Folders<'_> {
    [
        &experiment.work_tree,
        &experiment.scratch_dir,
        &experiment.dispatch_dir,
    ]
    .map(Option::as_deref)
}

/// What is in a text for one folder.
struct Spelling {
    /// As it is written.
    written: Vec<u8>,
    /// Which folder it means.
    folder: usize,
}

/// The ways in which texts spell some folders, the longest first: of nested folders the inner one is meant.
pub(crate) struct Spellings(Vec<Spelling>);

/// A place in a text that names a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Mention {
    /// Where it begins.
    pub(crate) start: usize,
    /// Where the folder's own path ends; what follows may lead into it.
    pub(crate) end: usize,
    /// Which folder it means: a place in [`Folders`].
    pub(crate) folder: usize,
}

impl Spellings {
    /// Of each folder its path, and the forms that begin with the home folder's variable or `~`.
    pub(crate) fn of(folders: Folders<'_>, home: Option<&Path>) -> Self {
        let mut all = Vec::new();
        for (folder, path) in folders.into_iter().enumerate() {
            // The root itself would be every path there is.
            let named = |path: &&Path| path.is_absolute() && path.parent().is_some();
            let Some(path) = path.filter(named) else {
                continue;
            };
            let mut add = |written: Vec<u8>| all.push(Spelling { written, folder });
            let bytes = path.as_os_str().as_bytes();
            add(bytes.strip_suffix(b"/").unwrap_or(bytes).to_vec());
            let beneath = home.and_then(|home| path.strip_prefix(home).ok());
            if let Some(rest) = beneath.filter(|rest| !rest.as_os_str().is_empty()) {
                for home in [&b"~/"[..], b"$HOME/", b"${HOME}/"] {
                    add([home, rest.as_os_str().as_bytes()].concat());
                }
            }
        }
        all.sort_by_key(|one| std::cmp::Reverse(one.written.len()));
        Self(all)
    }

    /// Where a text names the folders, in order.
    pub(crate) fn mentions(&self, text: &[u8]) -> Vec<Mention> {
        let mut found = Vec::new();
        let mut from = 0;
        let next = |from: usize| memchr::memchr3(b'/', b'~', b'$', text.get(from..)?);
        while let Some(step) = next(from) {
            let start = from + step;
            let (before, rest) = text.split_at(start);
            let spelled = self.0.iter().find(|one| {
                let after = rest.strip_prefix(one.written.as_slice());
                after.is_some_and(ends_a_name) && begins_a_path(before)
            });
            match spelled {
                Some(one) => {
                    let end = start + one.written.len();
                    found.push(Mention {
                        start,
                        end,
                        folder: one.folder,
                    });
                    from = end;
                }
                None => from = start + 1,
            }
        }
        found
    }

    /// The text with the folders replaced by others, by their places; those without one stay.
    pub(crate) fn rewrite(&self, text: &[u8], own: Folders<'_>) -> Vec<u8> {
        let mut written = Vec::with_capacity(text.len());
        let mut from = 0;
        for mention in self.mentions(text) {
            let Some(path) = own.get(mention.folder).copied().flatten() else {
                continue;
            };
            written.extend_from_slice(text.get(from..mention.start).unwrap_or_default());
            written.extend_from_slice(path.as_os_str().as_bytes());
            from = mention.end;
        }
        written.extend_from_slice(text.get(from..).unwrap_or_default());
        written
    }
}

/// What follows a folder's name where a text leads into it: the rest of the path, without a slash at its beginning.
pub(crate) fn rest_of_path<'t>(text: &'t [u8], mention: &Mention) -> &'t [u8] {
    let rest = text.get(mention.end..).unwrap_or_default();
    let Some(rest) = rest.strip_prefix(b"/") else {
        return &[];
    };
    let ends = |byte: &u8| byte.is_ascii_whitespace() || b"\"'`()<>[]{},;|*?:\\".contains(byte);
    let end = rest.iter().position(ends).unwrap_or(rest.len());
    let path = rest.get(..end).unwrap_or_default();
    // The full stop of a sentence.
    let dots = path.iter().rev().take_while(|byte| **byte == b'.').count();
    path.get(..path.len() - dots).unwrap_or_default()
}

/// Whether an absolute path may begin after this text. After a letter, a dot or another path it would be the end of
/// a longer path: a backup in `/mnt/home/u/project` is not the project. An option may be glued to its path (`-I/usr`),
/// and a URL has its slashes before.
fn begins_a_path(before: &[u8]) -> bool {
    match before {
        [] | [.., b':', b'/', b'/'] => true,
        [b'-', letter] => letter.is_ascii_alphabetic() || !is_name(*letter),
        [.., lead, b'-', letter] if letter.is_ascii_alphabetic() => !is_name(*lead),
        [.., last] => !is_name(*last) && !b"/.~$}".contains(last),
    }
}

/// Whether a folder's name ends where this text goes on. A dot is part of a name only where the name goes on after
/// it (`project.git`), else it ends the sentence.
fn ends_a_name(after: &[u8]) -> bool {
    match after {
        [b'.' | b'\\', next, ..] => !is_name(*next) && *next != b' ' || after.starts_with(b". "),
        [next, ..] => !is_name(*next),
        [] => true,
    }
}

/// Whether a byte is part of a name: letters of any language among them.
fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"_-+@%".contains(&byte) || byte >= 0x80
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spellings() -> Spellings {
        let folders = [
            "/home/u/proj",
            "/home/u/.claude/projects/p/memory",
            "/tmp/crucible-dispatch-17/",
        ];
        let folders = folders.map(|path| Some(Path::new(path)));
        Spellings::of(folders, Some(Path::new("/home/u")))
    }

    fn rewritten(text: &str) -> String {
        let own = ["/r/tree", "/r/scratch", "/r/dispatch"].map(|path| Some(Path::new(path)));
        String::from_utf8(spellings().rewrite(text.as_bytes(), own)).unwrap()
    }

    #[test]
    fn paths_of_the_original_become_the_runs_own() {
        let table = [
            ("cd /home/u/proj && make", "cd /r/tree && make"),
            ("so - /home/u/proj", "so - /r/tree"),
            ("Read /home/u/proj/src/a.rs.", "Read /r/tree/src/a.rs."),
            ("in `/home/u/proj`, /home/u/proj.", "in `/r/tree`, /r/tree."),
            (
                "~/proj/x $HOME/proj ${HOME}/proj/",
                "/r/tree/x /r/tree /r/tree/",
            ),
            ("file:///home/u/proj/a", "file:///r/tree/a"),
            (
                "DIR=/home/u/proj -I/home/u/proj/inc",
                "DIR=/r/tree -I/r/tree/inc",
            ),
            (
                "/home/u/.claude/projects/p/memory/plan.md",
                "/r/scratch/plan.md",
            ),
            ("(/tmp/crucible-dispatch-17/3-x.md)", "(/r/dispatch/3-x.md)"),
            ("/tmp/crucible-dispatch-17", "/r/dispatch"),
        ];
        for (text, own) in table {
            assert_eq!(rewritten(text), own);
        }
    }

    #[test]
    fn other_paths_that_look_alike_stay() {
        for text in [
            "/home/u/proj2 /home/u/proj-old /home/u/proj.git /home/u/projé",
            "/mnt/home/u/proj ./home/u/proj a/home/u/proj ../home/u/proj",
            "/home/u/proj\\ copy",
            "/tmp/crucible-dispatch-170/",
            "~u/proj x~/proj $XHOME/proj",
            "",
        ] {
            assert_eq!(rewritten(text), text);
        }
    }

    #[test]
    fn mentions_are_counted_by_folder_and_lead_to_their_files() {
        let text = b"/home/u/proj/a.rs, /tmp/crucible-dispatch-17/7-x.md. /home/u/proj";
        let spellings = spellings();
        let found = spellings.mentions(text);
        let folders: Vec<usize> = found.iter().map(|one| one.folder).collect();
        assert_eq!(folders, [0, 2, 0]);
        let rests: Vec<&[u8]> = found.iter().map(|one| rest_of_path(text, one)).collect();
        assert_eq!(rests, [&b"a.rs"[..], b"7-x.md", b""]);
    }

    #[test]
    fn a_root_is_no_folder_and_nothing_is_spelled_without_one() {
        let folders = [Some(Path::new("/")), Some(Path::new("relative")), None];
        let spellings = Spellings::of(folders, None);
        assert_eq!(spellings.mentions(b"/ /a /relative relative"), []);
    }

    proptest::proptest! {
        #[test]
        fn nothing_of_the_original_is_left_where_it_is_named_plainly(
            words in proptest::collection::vec("[ -~]{0,12}", 0..6)
        ) {
            let text = words.join(" /home/u/proj ");
            let own = rewritten(&text);
            proptest::prop_assert!(!own.contains(" /home/u/proj "), "{}", own);
        }

        #[test]
        fn what_names_no_folder_stays_byte_for_byte(text in "[a-z/~$ .-]{0,60}") {
            proptest::prop_assert_eq!(rewritten(&text), text);
        }
    }
}
