//! What a journal says of itself.

use std::path::Path;

use super::*;
use crate::apply::disk::{FileKind, Node};

/// A move aside of what is at a name of the person's.
fn aside(name: &str, kind: FileKind) -> Exchange {
    let id = Identity { dev: 1, ino: 1 };
    let spot = |base| Spot {
        base,
        parent: Bytes::from(Path::new("")),
        parent_id: id,
        name: Bytes::from(Path::new(name)),
    };
    let node = Node {
        kind,
        id,
        mode: 0o644,
        uid: 0,
        gid: 0,
        size: 0,
        mtime_ns: 0,
    };
    let digest = (kind == FileKind::File).then_some([0; 32]);
    Exchange {
        batch: 0,
        here: spot(0),
        there: spot(1),
        here_had: Some(Known { node, digest }),
        there_had: None,
        within: None,
        here_within: None,
    }
}

#[test]
fn only_a_directory_is_moved_as_a_directory() {
    let mut journal = Journal::new("1".to_owned(), String::new());
    let base = |kind, path| Base {
        kind,
        path: Bytes::from(Path::new(path)),
        id: Identity { dev: 1, ino: 1 },
    };
    journal.bases = vec![base(BaseKind::Files, "/p"), base(BaseKind::Slots, "/s")];
    for (kind, expected) in [
        (FileKind::File, (1, 1, 0)),
        (FileKind::Other, (1, 1, 0)),
        (FileKind::Dir, (0, 0, 1)),
    ] {
        journal.exchanges = vec![aside("x", kind)];
        assert_eq!(journal.paths(), expected, "{kind:?}");
    }
}
