//! Appends, and what a barrier knows to be loose. That the kernel keeps its word is for tests with real power
//! cuts.

use std::os::unix::fs::{MetadataExt as _, symlink};

use super::super::durable::Loose;
use super::*;

#[test]
fn an_append_keeps_what_was_there() {
    let ground = Ground::new();
    let append = |bytes: &[u8]| ground.disk.append(&ground.root, name("log"), bytes);
    append(b"one\n").unwrap();
    let log = ground.project("log");
    let first = log.metadata().unwrap();
    append(b"two\n").unwrap();
    append(b"").unwrap();
    let large = vec![b'x'; 3 << 20];
    append(&large).unwrap();
    assert_eq!(log.metadata().unwrap().ino(), first.ino());
    assert_eq!(first.mode() & 0o7133, 0o000, "{:o}", first.mode());
    let found = std::fs::read(&log).unwrap();
    assert_eq!(found, [&b"one\ntwo\n"[..], &large].concat());
}

#[test]
fn an_append_follows_no_link_and_makes_nothing_beyond_one() {
    let ground = Ground::new();
    for target in ["outside/canary", "outside/new"] {
        let link = ground.project("log");
        symlink(ground.path.join(target), &link).unwrap();
        assert!(ground.disk.append(&ground.root, name("log"), b"x").is_err());
        std::fs::remove_file(link).unwrap();
    }
    assert_eq!(census(&ground.path.join("outside")).len(), 2);
    let canary = ground.path.join("outside/canary");
    assert_eq!(std::fs::read(canary).unwrap(), b"alive");
}

#[test]
fn barriers_take_few_many_and_no_directories() {
    let ground = Ground::new();
    let mut dirs = vec![ground.slots.clone(), ground.slots.clone()];
    ground.disk.barrier(&[]).unwrap();
    ground.disk.barrier(&dirs).unwrap();
    for n in 0..20 {
        let made = format!("dir{n}");
        ground.disk.mkdir(&ground.root, name(&made), 0o755).unwrap();
        dirs.push(ground.disk.dir(&ground.root, Path::new(&made)).unwrap());
    }
    ground.disk.barrier(&dirs).unwrap();
    ground.disk.flush(&ground.root).unwrap();
}

#[test]
fn what_was_written_stays_loose_until_it_is_flushed() {
    let ground = Ground::new();
    let disk = &ground.disk;
    let dev = disk.node(&ground.slots).unwrap().id.dev;
    let loose = || disk.loose.holds(dev);
    let mut file = disk.create(&ground.slots, name("0"), 0o600).unwrap();
    assert!(!loose(), "an empty file has no content to lose");
    disk.write(&mut file, b"x").unwrap();
    assert!(loose());
    disk.sync(&file).unwrap();
    assert!(!loose());
    disk.write(&mut file, b"y").unwrap();
    drop(file);
    assert!(loose(), "it is loose whether or not it is still open");
    disk.barrier(std::slice::from_ref(&ground.slots)).unwrap();
    assert!(!loose());
    disk.dress((&ground.slots, name("0")), 0o644, None).unwrap();
    assert!(loose());
    disk.flush(&ground.slots).unwrap();
    assert!(!loose());
    disk.symlink(&ground.slots, name("1"), b"x").unwrap();
    assert!(loose());
    assert!(disk.clone().loose.holds(dev), "clones share it");
    disk.barrier(std::slice::from_ref(&ground.root)).unwrap();
    assert!(!loose(), "a barrier of one directory is for its device");
}

#[test]
fn another_device_stays_loose() {
    let loose = Loose::default();
    let ground = Ground::new();
    let here = ground.disk.node(&ground.slots).unwrap().id;
    let there = Identity {
        dev: here.dev + 1,
        ino: here.ino,
    };
    loose.add(here.dev, here);
    loose.add(there.dev, there);
    loose.barrier(std::slice::from_ref(&ground.slots)).unwrap();
    assert!(!loose.holds(here.dev) && loose.holds(there.dev));
}

#[test]
fn what_relight_made_can_be_removed_but_no_full_directory() {
    let ground = Ground::new();
    let disk = &ground.disk;
    ground.stage("file", b"x");
    disk.symlink(&ground.slots, name("link"), b"/").unwrap();
    disk.mkdir(&ground.slots, name("dir"), 0o700).unwrap();
    disk.mkdir(&ground.slots, name("full"), 0o700).unwrap();
    std::fs::write(ground.path.join("slots/full/x"), "x").unwrap();
    for entry in ["file", "link", "dir"] {
        disk.remove(&ground.slots, name(entry)).unwrap();
    }
    let found = disk.remove(&ground.slots, name("full"));
    assert_eq!(errno(found), Some(rustix::io::Errno::NOTEMPTY));
    assert_eq!(disk.list(&ground.slots).unwrap(), ["full"]);
}
