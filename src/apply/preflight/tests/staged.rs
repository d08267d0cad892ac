//! The checks of exchanges, as staging makes them.

use super::*;
use crate::apply::bytes::Bytes;
use crate::apply::disk::{Disk as _, FileKind, Node};
use crate::apply::exchange::{Base, BaseKind, Exchange, Known, Spot};
use crate::apply::rerun::{mount, with_own_mounts};

/// The bases: the project and the slots.
fn bases(context: &Context) -> Vec<Base> {
    let base = |kind, rel: &str, dir| Base {
        kind,
        path: Bytes::from(context.path.join(rel).as_path()),
        id: context.disk.node(dir).unwrap().id,
    };
    vec![
        base(BaseKind::Files, "project", &context.root),
        base(BaseKind::Slots, "tx/slots", &context.slots),
    ]
}

/// An exchange for a name in a directory of the project; `bytes` of new content are staged for it.
fn exchange(context: &Context, parent: &str, bytes: u64) -> Exchange {
    let dir = context.disk.dir(&context.root, Path::new(parent));
    let id = dir.map_or(Identity { dev: 0, ino: 0 }, |dir| {
        context.disk.node(&dir).unwrap().id
    });
    let spot = |base, parent: &str, parent_id| Spot {
        base,
        parent: Bytes::from(Path::new(parent)),
        parent_id,
        name: Bytes::from(Path::new("new")),
    };
    let node = Node {
        kind: FileKind::File,
        id,
        mode: 0o644,
        uid: 0,
        gid: 0,
        size: bytes,
        mtime_ns: 0,
    };
    Exchange {
        batch: 0,
        here: spot(0, parent, id),
        there: spot(1, "", context.disk.node(&context.slots).unwrap().id),
        here_had: None,
        there_had: Some(Known { node, digest: None }),
        within: None,
        here_within: None,
    }
}

#[test]
fn what_is_staged_for_sound_places_passes_and_leaves_nothing() {
    let context = Context::new();
    let before = context.census();
    let parents = ["", "sub", "sub", "sub/deep", "still/to/come"];
    let exchanges: Vec<_> = parents.iter().map(|p| exchange(&context, p, 3)).collect();
    let found = context.preflight().staged(&bases(&context), &exchanges);
    assert!(found.is_empty(), "{found:?}");
    assert_eq!(context.census(), before);
    let probes = std::fs::read(context.path.join("tx/probes")).unwrap();
    assert_eq!(probes.split(|byte| *byte == 0).count(), 3);
}

#[test]
fn a_full_file_system_is_named() {
    if !with_own_mounts(concat!(module_path!(), "::a_full_file_system_is_named")) {
        return;
    }
    let mut context = Context::new();
    let words = ["-t", "tmpfs", "-o", "size=65m", "tmpfs"].map(OsStr::new);
    let project = context.path.join("project");
    if !mount(&[&words[..], &[project.as_os_str()]].concat()) {
        return;
    }
    std::fs::create_dir(project.join("slots")).unwrap();
    context.root = context.disk.root(&project).unwrap();
    context.slots = context.disk.root(&project.join("slots")).unwrap();
    let mut bases = bases(&context);
    bases[1].path = Bytes::from(project.join("slots").as_path());
    let check = |exchange: Exchange| context.preflight().staged(&bases, &[exchange]);
    let none: Vec<Foreign> = Vec::new();
    assert_eq!(check(exchange(&context, "", 1 << 20)), none);
    let full = check(exchange(&context, "", (1 << 20) + 1));
    assert_eq!(full.len(), 1, "{full:?}");
    said(
        Err(full[0].clone()),
        &["slots has ", "free at least 1 more byte there"],
    );
}
