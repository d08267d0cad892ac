//! Mounts: none is crossed under a root, and each is told from the others. In a process that has mounts of
//! its own, where one may be had.

use rustix::io::Errno;

use super::super::open::{Mounts, step_by_step};
use super::*;
use crate::apply::disk::Frozen;
use crate::apply::rerun::{mount, with_own_mounts};

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
    let context = Context::new();
    for sub in ["other/deep", "bound/deep", "plain/deep"] {
        std::fs::create_dir_all(context.project(sub)).unwrap();
    }
    let (other, bound) = (context.project("other"), context.project("bound"));
    let bind = [
        OsStr::new("--bind"),
        context.path.as_os_str(),
        bound.as_os_str(),
    ];
    if !tmpfs(&other, "size=1m") || !mount(&bind) {
        return;
    }
    std::fs::create_dir(other.join("deep")).unwrap();
    let disk = &context.disk;
    assert!(disk.dir(&context.root, Path::new("plain/deep")).is_ok());
    for path in ["other", "other/deep", "bound", "bound/outside"] {
        let path = Path::new(path);
        assert_eq!(
            errno(disk.dir(&context.root, path)),
            Some(Errno::XDEV),
            "{path:?}"
        );
        let stepped = step_by_step(&context.root, path, Mounts::Stay);
        assert_eq!(stepped.unwrap_err(), Errno::XDEV, "{path:?}");
    }
    // A root's own path may lead over mounts, and a bind mount of one file system is another mount.
    let bound = disk.root(&context.project("bound/project")).unwrap();
    assert_eq!(
        disk.node(&bound).unwrap(),
        disk.node(&context.root).unwrap()
    );
    assert_ne!(
        disk.mount(&bound).unwrap(),
        disk.mount(&context.root).unwrap()
    );
    assert_eq!(
        disk.mount(&context.slots).unwrap(),
        disk.mount(&context.root).unwrap()
    );
    context.write("file", "old");
    context.stage("0", b"new");
    for there in [&bound, &disk.root(&other).unwrap()] {
        let found = disk.shift((&context.slots, name("0")), (there, name("new")));
        assert_eq!(errno(found), Some(Errno::XDEV));
    }
}

#[test]
fn room_is_what_is_left() {
    if !with_own_mounts(concat!(module_path!(), "::room_is_what_is_left")) {
        return;
    }
    let context = Context::new();
    let small = context.path.join("outside");
    if !tmpfs(&small, "size=64k,nr_inodes=10") {
        return;
    }
    let dir = context.disk.root(&small).unwrap();
    let before = context.disk.room(&dir).unwrap();
    assert_eq!((before.bytes, before.inodes), (64 * 1024, 9));
    std::fs::write(small.join("file"), vec![1; 5000]).unwrap();
    let after = context.disk.room(&dir).unwrap();
    assert_eq!((after.bytes, after.inodes), (56 * 1024, 8));
    let mut file = context.disk.create(&dir, name("large"), 0o600).unwrap();
    let full = context.disk.write(&mut file, &vec![1; 100_000]);
    assert_eq!(errno(full), Some(Errno::NOSPC));
}

#[test]
fn a_read_only_mount_takes_nothing() {
    if !with_own_mounts(concat!(module_path!(), "::a_read_only_mount_takes_nothing")) {
        return;
    }
    let context = Context::new();
    let there = context.path.join("outside");
    if !tmpfs(&there, "ro") {
        return;
    }
    let dir = context.disk.root(&there).unwrap();
    let disk = &context.disk;
    let readonly = Some(Errno::ROFS);
    assert_eq!(errno(disk.create(&dir, name("x"), 0o600)), readonly);
    assert_eq!(errno(disk.mkdir(&dir, name("x"), 0o700)), readonly);
    assert_eq!(errno(disk.append(&dir, name("x"), b"x")), readonly);
    disk.barrier(&[dir]).unwrap();
}

#[test]
fn attributes_that_freeze_are_seen() {
    let context = Context::new();
    for (file, letter, wanted) in [
        ("fixed", "i", Frozen::Immutable),
        ("log", "a", Frozen::AppendOnly),
    ] {
        context.write(file, "x");
        let path = context.project(file);
        let chattr = |sign: &str| {
            std::process::Command::new("chattr")
                .arg(format!("{sign}{letter}"))
                .arg(&path)
                .output()
                .is_ok_and(|output| output.status.success())
        };
        let frozen = || {
            context
                .disk
                .frozen(&context.root, Some(name(file)))
                .unwrap()
        };
        assert_eq!(frozen(), None, "{file}");
        if !chattr("+") {
            println!("SKIPPED: chattr is not possible here.");
            return;
        }
        let found = frozen();
        let moved = context
            .disk
            .shift((&context.root, name(file)), (&context.slots, name("0")));
        assert!(chattr("-"));
        assert_eq!(found, Some(wanted), "{file}");
        assert_eq!(errno(moved), Some(Errno::PERM), "{file}");
    }
    assert_eq!(context.disk.frozen(&context.root, None).unwrap(), None);
    let gone = context.disk.frozen(&context.root, Some(name("none")));
    assert_eq!(errno(gone), Some(Errno::NOENT));
}

/// An overlay on two file systems, its upper one in memory. Gives its top, or nothing where that cannot be.
fn overlay(context: &Context) -> Option<PathBuf> {
    let at = |rel: &str| context.path.join(rel);
    for dir in ["lower/sub", "memory", "top"] {
        std::fs::create_dir_all(at(dir)).unwrap();
    }
    std::fs::write(at("lower/sub/file"), "old").unwrap();
    std::fs::write(at("lower/sub/named"), "old").unwrap();
    std::fs::hard_link(at("lower/sub/named"), at("lower/sub/peer")).unwrap();
    if !tmpfs(&at("memory"), "size=4m") {
        return None;
    }
    for dir in ["memory/upper", "memory/work"] {
        std::fs::create_dir(at(dir)).unwrap();
    }
    let options = format!(
        "lowerdir={0}/lower,upperdir={0}/memory/upper,workdir={0}/memory/work",
        context.path.display()
    );
    let words = ["-t", "overlay", "-o", &options, "overlay"].map(OsStr::new);
    let top = at("top");
    mount(&[&words[..], &[top.as_os_str()]].concat()).then_some(top)
}

#[test]
fn on_an_overlay_what_is_exchanged_stays_itself_or_is_refused() {
    if !with_own_mounts(concat!(
        module_path!(),
        "::on_an_overlay_what_is_exchanged_stays_itself_or_is_refused"
    )) {
        return;
    }
    let context = Context::new();
    let Some(top) = overlay(&context) else { return };
    std::fs::create_dir(top.join("slots")).unwrap();
    let disk = &context.disk;
    let sub = disk.root(&top.join("sub")).unwrap();
    let slots = disk.root(&top.join("slots")).unwrap();
    assert_eq!(disk.mount(&sub).unwrap(), disk.mount(&slots).unwrap());
    let mut file = disk.create(&slots, name("0"), 0o600).unwrap();
    disk.write(&mut file, b"new").unwrap();
    // The file may say another device than its directory; the barrier is for it all the same.
    let dev = disk.node(&slots).unwrap().id.dev;
    assert!(disk.loose.holds(dev));
    disk.barrier(std::slice::from_ref(&slots)).unwrap();
    assert!(!disk.loose.holds(dev));

    let old = context.look(&sub, "file");
    let new = context.look(&slots, "0");
    assert_eq!(disk.frozen(&sub, Some(name("file"))).unwrap(), None);
    disk.swap((&sub, name("file")), (&slots, name("0")))
        .unwrap();
    assert_eq!(context.look(&slots, "0"), old);
    assert_eq!(context.look(&sub, "file"), new);
    assert_eq!(disk.read(&slots, name("0"), 9).unwrap(), b"old");

    let found = disk.frozen(&sub, Some(name("named"))).unwrap();
    assert_eq!(found, Some(Frozen::Layered));
    let named = context.look(&sub, "named");
    disk.shift((&sub, name("named")), (&slots, name("1")))
        .unwrap();
    assert_ne!(
        context.look(&slots, "1"),
        named,
        "the reason for the refusal"
    );
    // Off an overlay several names are no hindrance.
    context.write("one", "x");
    std::fs::hard_link(context.project("one"), context.project("two")).unwrap();
    assert_eq!(disk.frozen(&context.root, Some(name("one"))).unwrap(), None);
}
