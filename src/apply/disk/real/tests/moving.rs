//! The two renames: what they keep, and what they refuse.

use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};

use rustix::fs::{CWD, FileType, Mode, XattrFlags, lgetxattr, lsetxattr, mknodat};
use rustix::io::Errno;

use super::*;

#[test]
fn an_exchange_keeps_inode_mode_attributes_times_and_peers() {
    let context = Context::new();
    context.write("sub/file", "old");
    let file = context.project("sub/file");
    let peer = context.path.join("outside/peer");
    std::fs::hard_link(&file, &peer).unwrap();
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o640)).unwrap();
    let tagged = lsetxattr(&file, "user.tag", b"kept", XattrFlags::empty()).is_ok();
    let before = file.metadata().unwrap();
    let dir = context.disk.dir(&context.root, Path::new("sub")).unwrap();
    let node = context.look(&dir, "file").unwrap();
    context.stage("0", b"new");

    context
        .disk
        .swap((&dir, name("file")), (&context.slots, name("0")))
        .unwrap();

    assert_eq!(std::fs::read(&file).unwrap(), b"new");
    assert_eq!(context.look(&context.slots, "0"), Some(node));
    let kept = context.path.join("slots/0");
    let after = kept.metadata().unwrap();
    assert_eq!(
        (after.ino(), after.mode(), after.nlink(), after.mtime_nsec()),
        (before.ino(), before.mode(), 2, before.mtime_nsec())
    );
    assert_eq!(std::fs::read(&peer).unwrap(), b"old");
    assert_eq!(peer.metadata().unwrap().ino(), before.ino());
    if tagged {
        let mut value = [0; 8];
        let len = lgetxattr(&kept, "user.tag", &mut value).unwrap();
        assert_eq!(&value[..len], b"kept");
    } else {
        println!("SKIPPED: no extended attributes on the file system of the tests.");
    }

    context
        .disk
        .swap((&context.slots, name("0")), (&dir, name("file")))
        .unwrap();
    assert_eq!(context.look(&dir, "file"), Some(node));
}

#[test]
fn anything_changes_places_with_anything() {
    let context = Context::new();
    let outside = context.path.join("outside");
    let kinds = ["file", "full", "link", "dangling", "pipe"];
    for a in kinds {
        for b in kinds {
            for (kind, path) in [
                (a, context.project("place")),
                (b, context.path.join("slots/0")),
            ] {
                match kind {
                    "file" => std::fs::write(&path, "x").unwrap(),
                    "full" => {
                        std::fs::create_dir_all(path.join("deep")).unwrap();
                        std::fs::write(path.join("deep/file"), "x").unwrap();
                    }
                    "link" => symlink(&outside, &path).unwrap(),
                    "dangling" => symlink("nowhere", &path).unwrap(),
                    _ => mknodat(CWD, &path, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap(),
                }
            }
            let (place, slot) = ((&context.root, name("place")), (&context.slots, name("0")));
            let before = (context.look(place.0, "place"), context.look(slot.0, "0"));
            context.disk.swap(place, slot).unwrap();
            let after = (context.look(slot.0, "0"), context.look(place.0, "place"));
            assert_eq!(before, after, "{a} with {b}");
            for path in [context.project("place"), context.path.join("slots/0")] {
                if path.symlink_metadata().unwrap().is_dir() {
                    std::fs::remove_dir_all(path).unwrap();
                } else {
                    std::fs::remove_file(path).unwrap();
                }
            }
        }
    }
    assert_eq!(std::fs::read(outside.join("canary")).unwrap(), b"alive");
}

#[test]
fn a_move_never_replaces_and_an_exchange_never_makes() {
    let context = Context::new();
    context.write("there", "old");
    context.write("dir/in", "old");
    symlink("nowhere", context.project("link")).unwrap();
    let before = census(&context.path.join("project"));
    context.stage("0", b"new");
    for place in ["there", "dir", "link"] {
        let found = context
            .disk
            .shift((&context.slots, name("0")), (&context.root, name(place)));
        assert_eq!(errno(found), Some(Errno::EXIST), "{place}");
    }
    for (a, b) in [("none", "0"), ("there", "none"), ("none", "nothing")] {
        let found = context
            .disk
            .swap((&context.root, name(a)), (&context.slots, name(b)));
        assert_eq!(errno(found), Some(Errno::NOENT), "{a} with {b}");
    }
    assert_eq!(census(&context.path.join("project")), before);
    let node = context.look(&context.root, "dir");
    context
        .disk
        .shift((&context.root, name("dir")), (&context.slots, name("1")))
        .unwrap();
    assert_eq!(context.look(&context.slots, "1"), node);
    assert_eq!(context.look(&context.root, "dir"), None);
    assert_eq!(
        std::fs::read(context.path.join("slots/1/in")).unwrap(),
        b"old"
    );
}

#[test]
fn names_are_bytes() {
    let context = Context::new();
    let long = "n".repeat(255);
    let odd: [&[u8]; 9] = [
        b"\xff\xfe",
        b"new\nline",
        b"tab\tand\x1b[31m",
        "\u{202e}bidi".as_bytes(),
        "u\u{308}".as_bytes(),
        "\u{fc}".as_bytes(),
        b" ",
        b"-rf",
        long.as_bytes(),
    ];
    for (n, bytes) in odd.iter().enumerate() {
        let odd = OsStr::from_bytes(bytes);
        context.write(Path::new(odd), [u8::try_from(n).unwrap()]);
        let slot = n.to_string();
        context.stage(&slot, b"new");
        let old = context.disk.look(&context.root, odd).unwrap();
        context
            .disk
            .swap((&context.root, odd), (&context.slots, name(&slot)))
            .unwrap();
        assert_eq!(context.look(&context.slots, &slot), old, "{odd:?}");
        assert_eq!(
            context.disk.read(&context.root, odd, 3).unwrap(),
            b"new",
            "{odd:?}"
        );
    }
    let mut wanted: Vec<_> = odd
        .iter()
        .map(|b| OsStr::from_bytes(b).to_owned())
        .collect();
    wanted.sort();
    assert_eq!(context.disk.list(&context.root).unwrap(), wanted);
    let longer = "n".repeat(256);
    let found = context.disk.look(&context.root, name(&longer));
    assert_eq!(errno(found), Some(Errno::NAMETOOLONG));
}

#[test]
fn a_node_says_what_an_entry_is() {
    let context = Context::new();
    context.write("file", "12345");
    std::fs::set_permissions(
        context.project("file"),
        std::fs::Permissions::from_mode(0o4751),
    )
    .unwrap();
    let meta = context.project("file").metadata().unwrap();
    let node = context.look(&context.root, "file").unwrap();
    let wanted = Node {
        kind: crate::apply::disk::FileKind::File,
        id: Identity {
            dev: meta.dev(),
            ino: meta.ino(),
        },
        mode: 0o4751,
        uid: meta.uid(),
        gid: meta.gid(),
        size: 5,
        mtime_ns: meta.mtime() * 1_000_000_000 + meta.mtime_nsec(),
    };
    assert_eq!(node, wanted);
    symlink("12", context.project("link")).unwrap();
    let link = context.look(&context.root, "link").unwrap();
    assert_eq!(
        (link.kind, link.size),
        (crate::apply::disk::FileKind::Link, 2)
    );
    let before = context.disk.node(&context.root).unwrap();
    context.write("another", "x");
    assert_eq!(context.disk.node(&context.root).unwrap(), before);
    assert_eq!(context.look(&context.root, "none"), None);
}
