//! The checks of tokens, as staging makes them.

use super::*;
use crate::apply::again::{mount, with_own_mounts};
use crate::apply::bytes::Bytes;
use crate::apply::disk::{Disk as _, Kind, Node};
use crate::apply::token::{Base, BaseKind, Known, Spot, Token};

/// The bases: the project and the slots.
fn bases(ground: &Ground) -> Vec<Base> {
    let base = |kind, rel: &str, dir| Base {
        kind,
        path: Bytes::from(ground.path.join(rel).as_path()),
        id: ground.disk.node(dir).unwrap().id,
    };
    vec![
        base(BaseKind::Files, "project", &ground.root),
        base(BaseKind::Slots, "tx/slots", &ground.slots),
    ]
}

/// A token for a name in a directory of the project; `bytes` of new content are staged for it.
fn token(ground: &Ground, parent: &str, bytes: u64) -> Token {
    let dir = ground.disk.dir(&ground.root, Path::new(parent));
    let id = dir.map_or(Identity { dev: 0, ino: 0 }, |dir| {
        ground.disk.node(&dir).unwrap().id
    });
    let spot = |base, parent: &str, parent_id| Spot {
        base,
        parent: Bytes::from(Path::new(parent)),
        parent_id,
        name: Bytes::from(Path::new("new")),
    };
    let node = Node {
        kind: Kind::File,
        id,
        mode: 0o644,
        uid: 0,
        gid: 0,
        size: bytes,
        mtime_ns: 0,
    };
    Token {
        wave: 0,
        here: spot(0, parent, id),
        there: spot(1, "", ground.disk.node(&ground.slots).unwrap().id),
        here_had: None,
        there_had: Some(Known { node, digest: None }),
        within: None,
    }
}

#[test]
fn what_is_staged_for_sound_places_passes_and_leaves_nothing() {
    let ground = Ground::new();
    let before = ground.census();
    let parents = ["", "sub", "sub", "sub/deep", "still/to/come"];
    let tokens: Vec<_> = parents.iter().map(|p| token(&ground, p, 3)).collect();
    let found = ground.preflight().staged(&bases(&ground), &tokens);
    assert!(found.is_empty(), "{found:?}");
    assert_eq!(ground.census(), before);
    let probes = std::fs::read(ground.path.join("tx/probes")).unwrap();
    assert_eq!(probes.split(|byte| *byte == 0).count(), 3);
}

#[test]
fn a_full_file_system_is_named() {
    if !with_own_mounts(concat!(module_path!(), "::a_full_file_system_is_named")) {
        return;
    }
    let mut ground = Ground::new();
    let words = ["-t", "tmpfs", "-o", "size=65m", "tmpfs"].map(OsStr::new);
    let project = ground.path.join("project");
    if !mount(&[&words[..], &[project.as_os_str()]].concat()) {
        return;
    }
    std::fs::create_dir(project.join("slots")).unwrap();
    ground.root = ground.disk.root(&project).unwrap();
    ground.slots = ground.disk.root(&project.join("slots")).unwrap();
    let mut bases = bases(&ground);
    bases[1].path = Bytes::from(project.join("slots").as_path());
    let check = |token: Token| ground.preflight().staged(&bases, &[token]);
    let none: Vec<Foreign> = Vec::new();
    assert_eq!(check(token(&ground, "", 1 << 20)), none);
    let full = check(token(&ground, "", (1 << 20) + 1));
    assert_eq!(full.len(), 1, "{full:?}");
    said(
        Err(full[0].clone()),
        &["slots has room for", "with 1 byte more free"],
    );
}
