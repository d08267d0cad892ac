//! Mounts: none is crossed beneath a root, and each is told from the others. In a process that has mounts of
//! its own, where one may be had.

use rustix::io::Errno;

use super::super::open::{Mounts, step_by_step};
use super::*;
use crate::apply::again::{mount, with_own_mounts};
use crate::apply::disk::Frozen;

fn tmpfs(at: &Path, options: &str) -> bool {
    let words = ["-t", "tmpfs", "-o", options, "tmpfs"].map(OsStr::new);
    mount(&[&words[..], &[at.as_os_str()]].concat())
}

#[test]
fn no_mount_is_crossed_beneath_a_root() {
    if !with_own_mounts(concat!(
        module_path!(),
        "::no_mount_is_crossed_beneath_a_root"
    )) {
        return;
    }
    let ground = Ground::new();
    for sub in ["other/deep", "bound/deep", "plain/deep"] {
        std::fs::create_dir_all(ground.project(sub)).unwrap();
    }
    let (other, bound) = (ground.project("other"), ground.project("bound"));
    let bind = [
        OsStr::new("--bind"),
        ground.path.as_os_str(),
        bound.as_os_str(),
    ];
    if !tmpfs(&other, "size=1m") || !mount(&bind) {
        return;
    }
    std::fs::create_dir(other.join("deep")).unwrap();
    let disk = &ground.disk;
    assert!(disk.dir(&ground.root, Path::new("plain/deep")).is_ok());
    for path in ["other", "other/deep", "bound", "bound/outside"] {
        let path = Path::new(path);
        assert_eq!(
            errno(disk.dir(&ground.root, path)),
            Some(Errno::XDEV),
            "{path:?}"
        );
        let stepped = step_by_step(&ground.root, path, Mounts::Stay);
        assert_eq!(stepped.unwrap_err(), Errno::XDEV, "{path:?}");
    }
    // A root's own path may lead over mounts, and a bind mount of one file system is another mount.
    let bound = disk.root(&ground.project("bound/project")).unwrap();
    assert_eq!(disk.node(&bound).unwrap(), disk.node(&ground.root).unwrap());
    assert_ne!(
        disk.mount(&bound).unwrap(),
        disk.mount(&ground.root).unwrap()
    );
    assert_eq!(
        disk.mount(&ground.slots).unwrap(),
        disk.mount(&ground.root).unwrap()
    );
    ground.write("file", "old");
    ground.stage("0", b"new");
    for there in [&bound, &disk.root(&other).unwrap()] {
        let found = disk.shift((&ground.slots, name("0")), (there, name("new")));
        assert_eq!(errno(found), Some(Errno::XDEV));
    }
}

#[test]
fn room_is_what_is_left() {
    if !with_own_mounts(concat!(module_path!(), "::room_is_what_is_left")) {
        return;
    }
    let ground = Ground::new();
    let small = ground.path.join("outside");
    if !tmpfs(&small, "size=64k,nr_inodes=10") {
        return;
    }
    let dir = ground.disk.root(&small).unwrap();
    let before = ground.disk.room(&dir).unwrap();
    assert_eq!((before.bytes, before.inodes), (64 * 1024, 9));
    std::fs::write(small.join("file"), vec![1; 5000]).unwrap();
    let after = ground.disk.room(&dir).unwrap();
    assert_eq!((after.bytes, after.inodes), (56 * 1024, 8));
    let mut file = ground.disk.create(&dir, name("large"), 0o600).unwrap();
    let full = ground.disk.write(&mut file, &vec![1; 100_000]);
    assert_eq!(errno(full), Some(Errno::NOSPC));
}

#[test]
fn a_read_only_mount_takes_nothing() {
    if !with_own_mounts(concat!(module_path!(), "::a_read_only_mount_takes_nothing")) {
        return;
    }
    let ground = Ground::new();
    let there = ground.path.join("outside");
    if !tmpfs(&there, "ro") {
        return;
    }
    let dir = ground.disk.root(&there).unwrap();
    let disk = &ground.disk;
    let readonly = Some(Errno::ROFS);
    assert_eq!(errno(disk.create(&dir, name("x"), 0o600)), readonly);
    assert_eq!(errno(disk.mkdir(&dir, name("x"), 0o700)), readonly);
    assert_eq!(errno(disk.append(&dir, name("x"), b"x")), readonly);
    disk.barrier(&[dir]).unwrap();
}

#[test]
fn attributes_that_freeze_are_seen() {
    let ground = Ground::new();
    for (file, letter, wanted) in [
        ("fixed", "i", Frozen::Immutable),
        ("log", "a", Frozen::AppendOnly),
    ] {
        ground.write(file, "x");
        let path = ground.project(file);
        let chattr = |sign: &str| {
            std::process::Command::new("chattr")
                .arg(format!("{sign}{letter}"))
                .arg(&path)
                .output()
                .is_ok_and(|output| output.status.success())
        };
        let frozen = || ground.disk.frozen(&ground.root, Some(name(file))).unwrap();
        assert_eq!(frozen(), None, "{file}");
        if !chattr("+") {
            println!("SKIPPED: chattr is not possible here.");
            return;
        }
        let found = frozen();
        let moved = ground
            .disk
            .shift((&ground.root, name(file)), (&ground.slots, name("0")));
        assert!(chattr("-"));
        assert_eq!(found, Some(wanted), "{file}");
        assert_eq!(errno(moved), Some(Errno::PERM), "{file}");
    }
    assert_eq!(ground.disk.frozen(&ground.root, None).unwrap(), None);
    let gone = ground.disk.frozen(&ground.root, Some(name("none")));
    assert_eq!(errno(gone), Some(Errno::NOENT));
}
