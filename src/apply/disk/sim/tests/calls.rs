//! The calls behave as those of the system do.

use super::super::{Errno, SimDisk};
use super::{disk, errno, make, name, open, shift, swap};
use crate::apply::disk::{Disk as _, FileKind};

#[test]
fn no_link_is_followed_and_no_way_leads_out() {
    let disk = disk();
    disk.folder("/p/real")
        .file("/p/real/x", "x")
        .file("/p/f", "f");
    disk.link("/p/link", "real")
        .link("/p/up", "..")
        .pipe("/p/pipe");
    disk.mounted("/p/mount").folder("/p/mount/in");
    let p = open(&disk, "/p");
    let table = [
        ("link", Errno::LOOP),
        ("link/deeper", Errno::LOOP),
        ("up/kept", Errno::LOOP),
        ("..", Errno::XDEV),
        ("real/../real", Errno::XDEV),
        ("/kept", Errno::XDEV),
        ("mount", Errno::XDEV),
        ("mount/in", Errno::XDEV),
        ("f", Errno::NOTDIR),
        ("pipe", Errno::NOTDIR),
        ("none", Errno::NOENT),
    ];
    for (rel, error) in table {
        assert_eq!(errno(disk.dir(&p, rel.as_ref())), error, "{rel}");
    }
    assert_eq!(disk.dir(&p, "".as_ref()).unwrap(), p);
    assert_eq!(errno(disk.root("/p/link".as_ref())), Errno::LOOP);
    assert_eq!(errno(disk.root("p".as_ref())), Errno::INVAL);
    let mount = open(&disk, "/p/mount/in");
    assert_ne!(disk.mount(&mount).unwrap(), disk.mount(&p).unwrap());
    assert_eq!(errno(disk.read(&p, name("link"), 9)), Errno::LOOP);
    assert_eq!(disk.target(&p, name("link")).unwrap(), b"real");
}

#[test]
fn a_name_is_one_component() {
    let disk = disk();
    let p = open(&disk, "/p");
    let long = "n".repeat(256);
    let table = [
        ("", Errno::INVAL),
        (".", Errno::INVAL),
        ("..", Errno::INVAL),
        ("a/b", Errno::INVAL),
        ("a\0b", Errno::INVAL),
        (long.as_str(), Errno::NAMETOOLONG),
    ];
    for (bad, error) in table {
        assert_eq!(errno(disk.look(&p, name(bad))), error, "{bad:?}");
        assert_eq!(errno(disk.mkdir(&p, name(bad), 0o755)), error, "{bad:?}");
    }
    assert_eq!(disk.look(&p, name("none")).unwrap(), None);
    make(&disk, &format!("/p/{}", "n".repeat(255)), b"", true);
    make(&disk, "/p/line\nbreak", b"", true);
}

#[test]
fn an_exchange_keeps_both_inodes_whole() {
    let disk = disk();
    disk.file("/p/a", "old").mode("/p/a", 0o640, 7);
    disk.attribute("/p/a", "user.note", b"kept");
    disk.folder("/kept/1").file("/kept/1/inside", "new");
    let (a, b) = (disk.picture("/p/a"), disk.picture("/kept/1"));
    swap(&disk, ("/p", "a"), ("/kept", "1"));
    assert_eq!(disk.picture("/kept/1"), a);
    assert_eq!(disk.picture("/p/a"), b);
    let both = disk.picture("/");
    swap(&disk, ("/p", "a"), ("/p", "a"));
    assert_eq!(disk.picture("/"), both);
}

#[test]
fn renames_refuse_what_the_system_refuses() {
    let disk = disk();
    disk.folder("/p/d/e").file("/p/x", "x").file("/p/y", "y");
    disk.mounted("/p/mount").file("/p/mount/z", "z");
    let before = disk.picture("/");
    let at = |place: (&str, &'static str)| (open(&disk, place.0), name(place.1));
    let shifts = [
        (("/p", "none"), ("/p", "n"), Errno::NOENT),
        (("/p", "x"), ("/p", "y"), Errno::EXIST),
        (("/p", "x"), ("/p", "d"), Errno::EXIST),
        (("/p", "x"), ("/p/mount", "x"), Errno::XDEV),
        (("/p", "mount"), ("/p", "m"), Errno::BUSY),
        (("/p", "d"), ("/p/d/e", "d"), Errno::INVAL),
    ];
    for (from, to, error) in shifts {
        let (from, to) = (at(from), at(to));
        let result = disk.shift((&from.0, from.1), (&to.0, to.1));
        assert_eq!(errno(result), error, "{from:?} to {to:?}");
    }
    let swaps = [
        (("/p", "x"), ("/p", "none"), Errno::NOENT),
        (("/p", "none"), ("/p", "x"), Errno::NOENT),
        (("/p", "x"), ("/p/mount", "z"), Errno::XDEV),
        (("/p", "mount"), ("/p", "x"), Errno::BUSY),
        (("/p", "d"), ("/p/d", "e"), Errno::INVAL),
    ];
    for (a, b, error) in swaps {
        let (a, b) = (at(a), at(b));
        let result = disk.swap((&a.0, a.1), (&b.0, b.1));
        assert_eq!(errno(result), error, "{a:?} with {b:?}");
    }
    assert_eq!(disk.picture("/"), before);
}

#[test]
fn an_open_directory_stays_what_it_is() {
    let disk = disk();
    disk.folder("/p/d")
        .file("/p/d/x", "x")
        .link("/p/l", "/kept");
    let d = open(&disk, "/p/d");
    shift(&disk, ("/p", "d"), ("/kept", "moved"));
    shift(&disk, ("/p", "l"), ("/p", "d"));
    assert_eq!(disk.read(&d, name("x"), 9).unwrap(), b"x");
    make(&disk, "/kept/moved/y", b"y", true);
    assert_eq!(disk.list(&d).unwrap(), [name("x"), name("y")]);
    disk.removed("/kept/moved");
    assert!(disk.mkdir(&d, name("late"), 0o755).is_err());
}

#[test]
fn a_directory_that_was_removed_takes_nothing_in() {
    let disk = disk();
    disk.folder("/p/d").file("/p/x", "x");
    let (p, d) = (open(&disk, "/p"), open(&disk, "/p/d"));
    disk.remove(&p, name("d")).unwrap();
    assert_eq!(errno(disk.mkdir(&d, name("late"), 0o755)), Errno::NOENT);
    let moved = disk.shift((&p, name("x")), (&d, name("x")));
    assert_eq!(errno(moved), Errno::NOENT);
}

#[test]
fn nothing_is_made_where_something_is_and_no_full_folder_goes() {
    let disk = disk();
    disk.link("/p/l", "nowhere").folder("/p/d/e");
    let p = open(&disk, "/p");
    assert_eq!(errno(disk.create(&p, name("l"), 0o600)), Errno::EXIST);
    assert_eq!(errno(disk.mkdir(&p, name("d"), 0o700)), Errno::EXIST);
    assert_eq!(errno(disk.symlink(&p, name("d"), b"x")), Errno::EXIST);
    assert_eq!(errno(disk.remove(&p, name("d"))), Errno::NOTEMPTY);
    disk.remove(&p, name("l")).unwrap();
    assert_eq!(disk.list(&p).unwrap(), [name("d")]);
}

#[test]
fn content_is_read_whole_or_in_part_and_never_of_a_pipe() {
    let disk = disk();
    disk.file("/p/x", "12345")
        .pipe("/p/pipe")
        .link("/p/l", "12345");
    let p = open(&disk, "/p");
    assert_eq!(disk.read(&p, name("x"), 5).unwrap(), b"12345");
    assert_eq!(errno(disk.read(&p, name("x"), 4)), Errno::FBIG);
    assert_eq!(disk.read_from(&p, name("x"), 3, 9).unwrap(), b"45");
    assert_eq!(disk.read_from(&p, name("x"), 1, 2).unwrap(), b"23");
    assert_eq!(disk.read_from(&p, name("x"), 9, 9).unwrap(), b"");
    assert!(disk.read(&p, name("pipe"), 9).is_err());
    assert!(disk.digest(&p, name("pipe")).is_err());
    let digests = [name("x"), name("l")].map(|leaf| disk.digest(&p, leaf).unwrap());
    assert_eq!(digests[0], digests[1], "a link's is that of its target");
}

#[test]
fn a_lock_keeps_others_out_until_it_is_dropped() {
    let disk = disk();
    let other = disk.clone();
    let kept = open(&disk, "/kept");
    let lock = disk.lock(&kept, name("lock")).unwrap().unwrap();
    disk.sign(&lock, b"me").unwrap();
    assert_eq!(disk.content("/kept/lock").unwrap(), b"me");
    assert!(other.lock(&kept, name("lock")).unwrap().is_none());
    drop(lock);
    assert!(other.lock(&kept, name("lock")).unwrap().is_some());
}

#[test]
fn what_is_staged_gets_the_mode_asked_for_and_the_owner_of_what_it_replaces() {
    let disk = disk();
    disk.file("/p/a", "old").mode("/p/a", 0o644, 7);
    disk.attribute("/p/a", "user.note", b"kept");
    make(&disk, "/kept/1", b"new", true);
    let (p, kept) = (open(&disk, "/p"), open(&disk, "/kept"));
    let staged = (&kept, name("1"));
    disk.copy_metadata(staged, 0o755, Some((&p, name("a"))))
        .unwrap();
    let seen = disk.picture("/kept/1").into_values().next().unwrap();
    assert_eq!((seen.node.mode, seen.node.uid), (0o755, 7));
    assert_eq!(seen.attributes["user.note"], b"kept");
    assert_eq!(seen.node.kind, FileKind::File);
}

#[test]
fn a_full_disk_takes_a_part_and_then_says_so() {
    let disk = disk();
    let kept = open(&disk, "/kept");
    disk.limit(6, 5);
    let mut file = disk.create(&kept, name("1"), 0o600).unwrap();
    disk.write(&mut file, b"1234").unwrap();
    assert_eq!(disk.room(&kept).unwrap().bytes, 2);
    assert_eq!(errno(disk.write(&mut file, b"5678")), Errno::NOSPC);
    assert_eq!(disk.content("/kept/1").unwrap(), b"123456");
    disk.mkdir(&kept, name("2"), 0o700).unwrap();
    assert_eq!(errno(disk.mkdir(&kept, name("3"), 0o700)), Errno::NOSPC);
    disk.remove(&kept, name("1")).unwrap();
    assert_eq!(disk.room(&kept).unwrap().bytes, 6);
}

#[test]
fn hard_links_are_one_inode() {
    let disk = disk();
    disk.file("/p/a", "x").hard_link("/p/a", "/kept/b");
    make(&disk, "/kept/1", b"new", true);
    swap(&disk, ("/p", "a"), ("/kept", "1"));
    assert_eq!(disk.content("/kept/b").unwrap(), b"x");
    let ino = |disk: &SimDisk, path: &str| disk.picture(path).values().next().unwrap().node.id;
    assert_eq!(ino(&disk, "/kept/1"), ino(&disk, "/kept/b"));
}
