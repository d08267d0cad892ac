//! The plans that the proof is about, one for each kind of change and some for several at once.

use std::sync::Arc;

use super::kit::{Case, folder, id};
use crate::apply::bytes::Bytes;
use crate::apply::disk::sim::SimDisk;
use crate::apply::draft::{Change, Content, Draft, DraftAppend, Expect, Mode, Place, Want};
use crate::apply::exchange::BaseKind;
use crate::apply::journal::RefMove;
use crate::apply::undo;

/// Adds changes to a draft by absolute paths.
#[derive(Default)]
pub(super) struct Sketch(pub(super) Draft);

impl Sketch {
    fn place(&mut self, path: &str) -> Place {
        let (kind, root) = [
            (BaseKind::Git, "/p/.git"),
            (BaseKind::Files, "/p"),
            (BaseKind::Files, "/other/q"),
        ]
        .into_iter()
        .find(|(_, root)| path.starts_with(root))
        .unwrap();
        let rel = std::path::Path::new(path)
            .strip_prefix(root)
            .unwrap()
            .into();
        let base = self.0.base(kind, root.into());
        Place { base, rel }
    }

    pub(super) fn want(mut self, path: &str, want: Want) -> Self {
        let place = self.place(path);
        self.0.changes.push(Change {
            place,
            want,
            expect: Expect::Anything,
        });
        self
    }

    pub(super) fn file(self, path: &str, bytes: &str) -> Self {
        let content = Content::Bytes(bytes.as_bytes().to_vec());
        let mode = Mode::Kept;
        self.want(path, Want::File { content, mode })
    }

    fn blob(self, path: &str, pieces: &'static [&'static str]) -> Self {
        let write = move |out: &mut dyn std::io::Write| {
            pieces
                .iter()
                .try_for_each(|piece| out.write_all(piece.as_bytes()))
        };
        let content = Content::Source(Arc::new(write));
        let mode = Mode::Executable;
        self.want(path, Want::File { content, mode })
    }

    pub(super) fn link(self, path: &str, target: &str) -> Self {
        let target = target.as_bytes().to_vec();
        self.want(path, Want::Link { target })
    }

    pub(super) fn dir(self, path: &str) -> Self {
        self.want(path, Want::Dir)
    }

    pub(super) fn nothing(self, path: &str) -> Self {
        self.want(path, Want::Nothing)
    }

    pub(super) fn moved(mut self, from: &str, to: &str) -> Self {
        let to = self.place(to);
        self.want(from, Want::With(to))
    }

    fn append(mut self, path: &str, block: &str) -> Self {
        let place = self.place(path);
        let block = block.as_bytes().to_vec();
        self.0.appends.push(DraftAppend { place, block });
        self
    }

    fn locked(mut self) -> Self {
        self.0.lock.push("/p/.git".into());
        self
    }

    fn reference(mut self, name: &str, old: Option<&str>, new: Option<&str>) -> Self {
        self.0.refs.push(RefMove {
            git_dir: Bytes::from(std::path::Path::new("/p/.git")),
            name: name.to_owned(),
            old: old.map(str::to_owned),
            new: new.map(str::to_owned),
        });
        self
    }
}

fn replace() -> Draft {
    let sketch = Sketch::default().file("/p/a.txt", "a after\n");
    let sketch = sketch.file("/p/secret", "secret after\n");
    let sketch = sketch.file("/p/dir/line\nbreak", "odd after\n");
    sketch.blob("/p/dir/b.txt", &["b ", "after", "\n"]).0
}

fn create() -> Draft {
    let sketch = Sketch::default().file("/p/new.txt", "new\n");
    let sketch = sketch
        .blob("/p/new/deep/f", &["f\n"])
        .file("/p/new/g", "g\n");
    sketch
        .dir("/p/new/hollow")
        .file("/p/dir/sub/more", "more\n")
        .0
}

fn remove() -> Draft {
    let sketch = Sketch::default().nothing("/p/dir/b.txt").nothing("/p/old");
    sketch
        .nothing("/p/empty")
        .nothing("/p/link")
        .nothing("/p/pipe")
        .0
}

fn remove_inside_out() -> Draft {
    let sketch = Sketch::default().nothing("/p/old/x").nothing("/p/old/y");
    sketch.nothing("/p/old/up").nothing("/p/old").0
}

fn file_to_folder() -> Draft {
    let sketch = Sketch::default().nothing("/p/a.txt");
    sketch
        .file("/p/a.txt/in/side", "inside\n")
        .file("/p/a.txt/z", "z\n")
        .0
}

fn folder_to_file() -> Draft {
    let sketch = Sketch::default().file("/p/old", "a file now\n");
    sketch.file("/p/empty", "not empty\n").0
}

fn links() -> Draft {
    let sketch = Sketch::default().link("/p/link", "run.sh");
    let sketch = sketch.link("/p/a.txt", "../outside").link("/p/fresh", "x");
    sketch.file("/p/old/up", "a file now\n").0
}

fn aside() -> Draft {
    let sketch = Sketch::default().moved("/p/old", "/p/stage-1.v1");
    sketch.moved("/p/dir/sub/c.txt", "/p/kept/deep/c.txt").0
}

fn index() -> Draft {
    let sketch = Sketch::default().file("/p/.git/index", "index after");
    sketch.file("/p/a.txt", "a after\n").locked().0
}

fn appends() -> Draft {
    let sketch = Sketch::default().append("/p/log.jsonl", "{\"relight\":1}\n");
    let sketch = sketch.append("/p/torn.jsonl", "{\"relight\":1}\n{\"relight\":2}\n");
    sketch.append("/p/fresh.jsonl", "{\"relight\":1}\n").0
}

fn references() -> Draft {
    let sketch = Sketch::default().file("/p/.git/index", "index after");
    let sketch = sketch.reference("refs/relight/undo/x/head", None, Some("1111"));
    let sketch = sketch.reference("refs/heads/work", Some("1111"), Some("2222"));
    sketch.file("/p/run.sh", "run after\n").locked().0
}

fn roots() -> Draft {
    let sketch = Sketch::default().file("/p/a.txt", "a after\n");
    let sketch = sketch
        .file("/other/q/t.txt", "t after\n")
        .nothing("/other/q/in");
    sketch.file("/other/q/n/m", "m\n").0
}

fn everything() -> Draft {
    let sketch = Sketch::default().file("/p/a.txt", "a after\n");
    let sketch = sketch.file("/p/new/deep/f", "f\n").nothing("/p/dir/b.txt");
    let sketch = sketch
        .file("/p/empty/in", "in\n")
        .moved("/p/old", "/p/stage-1.v1");
    let sketch = sketch.nothing("/p/run.sh").file("/p/run.sh/x", "x\n");
    let sketch = sketch
        .link("/p/link", "secret")
        .file("/other/q/t.txt", "t after\n");
    let sketch = sketch.file("/p/.git/index", "index after").locked();
    let sketch = sketch.reference("refs/heads/work", Some("1111"), Some("2222"));
    sketch.append("/p/log.jsonl", "{\"relight\":1}\n").0
}

/// The draft that takes the nth recovery back.
fn undo_of(number: usize) -> impl Fn(&SimDisk) -> Draft {
    move |disk: &SimDisk| {
        let folder = folder(disk, &id(number)).unwrap();
        let journal = folder.journal(disk).unwrap().unwrap();
        let undo = undo::work_out(disk, &journal, &[], undo::Reading::All).unwrap();
        assert!(undo.lost.is_empty() && undo.drifted.is_empty(), "{undo:?}");
        undo.draft
    }
}

type Plain = (&'static str, fn() -> Draft);

const PLAIN: [Plain; 13] = [
    ("replace", replace),
    ("create", create),
    ("remove", remove),
    ("remove inside out", remove_inside_out),
    ("file to directory", file_to_folder),
    ("directory to file", folder_to_file),
    ("links", links),
    ("aside", aside),
    ("index", index),
    ("appends", appends),
    ("references", references),
    ("roots", roots),
    ("everything", everything),
];

/// Every plan, applied for the first time.
pub(super) fn plain() -> Vec<Case> {
    let plain = PLAIN.into_iter();
    plain
        .map(|(name, draft)| Case::new(name, move |_| draft()))
        .collect()
}

/// Each of them undone.
pub(super) fn undone() -> Vec<Case> {
    let plain = PLAIN.into_iter().filter(|(name, _)| *name != "appends");
    plain
        .map(|(name, draft)| Case {
            name,
            earlier: vec![Box::new(move |_| draft())],
            draft: Box::new(undo_of(0)),
        })
        .collect()
}

/// Some of them undone and redone.
pub(super) fn redone() -> Vec<Case> {
    let some = [
        "create",
        "file to directory",
        "aside",
        "roots",
        "everything",
    ];
    let plain = PLAIN.into_iter().filter(|(name, _)| some.contains(name));
    plain
        .map(|(name, draft)| Case {
            name,
            earlier: vec![Box::new(move |_| draft()), Box::new(undo_of(0))],
            draft: Box::new(undo_of(1)),
        })
        .collect()
}
