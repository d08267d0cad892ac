//! The two renames: what they keep, and what they refuse.

use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};

use rustix::fs::{CWD, FileType, Mode, XattrFlags, lgetxattr, lsetxattr, mknodat};
use rustix::io::Errno;

use super::*;

#[test]
fn an_exchange_keeps_inode_mode_attributes_times_and_peers() {
    let ground = Ground::new();
    ground.write("sub/file", "old");
    let file = ground.project("sub/file");
    let peer = ground.path.join("outside/peer");
    std::fs::hard_link(&file, &peer).unwrap();
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o640)).unwrap();
    let tagged = lsetxattr(&file, "user.tag", b"kept", XattrFlags::empty()).is_ok();
    let before = file.metadata().unwrap();
    let dir = ground.disk.dir(&ground.root, Path::new("sub")).unwrap();
    let node = ground.look(&dir, "file").unwrap();
    ground.stage("0", b"new");

    ground
        .disk
        .swap((&dir, name("file")), (&ground.slots, name("0")))
        .unwrap();

    assert_eq!(std::fs::read(&file).unwrap(), b"new");
    assert_eq!(ground.look(&ground.slots, "0"), Some(node));
    let kept = ground.path.join("slots/0");
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

    ground
        .disk
        .swap((&ground.slots, name("0")), (&dir, name("file")))
        .unwrap();
    assert_eq!(ground.look(&dir, "file"), Some(node));
}

#[test]
fn anything_changes_places_with_anything() {
    let ground = Ground::new();
    let outside = ground.path.join("outside");
    let kinds = ["file", "full", "link", "dangling", "pipe"];
    for a in kinds {
        for b in kinds {
            for (kind, path) in [
                (a, ground.project("place")),
                (b, ground.path.join("slots/0")),
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
            let (place, slot) = ((&ground.root, name("place")), (&ground.slots, name("0")));
            let before = (ground.look(place.0, "place"), ground.look(slot.0, "0"));
            ground.disk.swap(place, slot).unwrap();
            let after = (ground.look(slot.0, "0"), ground.look(place.0, "place"));
            assert_eq!(before, after, "{a} with {b}");
            for path in [ground.project("place"), ground.path.join("slots/0")] {
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
    let ground = Ground::new();
    ground.write("there", "old");
    ground.write("dir/in", "old");
    symlink("nowhere", ground.project("link")).unwrap();
    let before = census(&ground.path.join("project"));
    ground.stage("0", b"new");
    for place in ["there", "dir", "link"] {
        let found = ground
            .disk
            .shift((&ground.slots, name("0")), (&ground.root, name(place)));
        assert_eq!(errno(found), Some(Errno::EXIST), "{place}");
    }
    for (a, b) in [("none", "0"), ("there", "none"), ("none", "nothing")] {
        let found = ground
            .disk
            .swap((&ground.root, name(a)), (&ground.slots, name(b)));
        assert_eq!(errno(found), Some(Errno::NOENT), "{a} with {b}");
    }
    assert_eq!(census(&ground.path.join("project")), before);
    let node = ground.look(&ground.root, "dir");
    ground
        .disk
        .shift((&ground.root, name("dir")), (&ground.slots, name("1")))
        .unwrap();
    assert_eq!(ground.look(&ground.slots, "1"), node);
    assert_eq!(ground.look(&ground.root, "dir"), None);
    assert_eq!(
        std::fs::read(ground.path.join("slots/1/in")).unwrap(),
        b"old"
    );
}

#[test]
fn names_are_bytes() {
    let ground = Ground::new();
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
        ground.write(Path::new(odd), [u8::try_from(n).unwrap()]);
        let slot = n.to_string();
        ground.stage(&slot, b"new");
        let old = ground.disk.look(&ground.root, odd).unwrap();
        ground
            .disk
            .swap((&ground.root, odd), (&ground.slots, name(&slot)))
            .unwrap();
        assert_eq!(ground.look(&ground.slots, &slot), old, "{odd:?}");
        assert_eq!(
            ground.disk.read(&ground.root, odd, 3).unwrap(),
            b"new",
            "{odd:?}"
        );
    }
    let mut wanted: Vec<_> = odd
        .iter()
        .map(|b| OsStr::from_bytes(b).to_owned())
        .collect();
    wanted.sort();
    assert_eq!(ground.disk.list(&ground.root).unwrap(), wanted);
    let longer = "n".repeat(256);
    let found = ground.disk.look(&ground.root, name(&longer));
    assert_eq!(errno(found), Some(Errno::NAMETOOLONG));
}

#[test]
fn a_node_says_what_an_entry_is() {
    let ground = Ground::new();
    ground.write("file", "12345");
    std::fs::set_permissions(
        ground.project("file"),
        std::fs::Permissions::from_mode(0o4751),
    )
    .unwrap();
    let meta = ground.project("file").metadata().unwrap();
    let node = ground.look(&ground.root, "file").unwrap();
    let wanted = Node {
        kind: crate::apply::disk::Kind::File,
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
    symlink("12", ground.project("link")).unwrap();
    let link = ground.look(&ground.root, "link").unwrap();
    assert_eq!((link.kind, link.size), (crate::apply::disk::Kind::Link, 2));
    let before = ground.disk.node(&ground.root).unwrap();
    ground.write("another", "x");
    assert_eq!(ground.disk.node(&ground.root).unwrap(), before);
    assert_eq!(ground.look(&ground.root, "none"), None);
}
