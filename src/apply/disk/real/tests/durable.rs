//! Appends, and what a barrier knows to be loose. That the kernel keeps its word is for tests with real power
//! cuts.

use std::os::unix::fs::{MetadataExt as _, symlink};

use super::super::durable::Loose;
use super::*;

#[test]
fn an_append_keeps_what_was_there() {
    let context = Context::new();
    let append = |bytes: &[u8]| context.disk.append(&context.root, name("log"), bytes);
    append(b"one\n").unwrap();
    let log = context.project("log");
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
fn only_the_last_bytes_that_are_expected_are_cut() {
    let context = Context::new();
    let (log, other) = (context.project("log"), context.project("other"));
    let cut = |keep, last: &[u8]| context.disk.cut(&context.root, name("log"), keep, last);
    for (text, keep, last, left) in [
        ("one\ntw", 4, "tw", Some("one\n")),
        ("one\n", 0, "one\n", Some("")),
        ("one\n", 4, "", Some("one\n")),
        // Another program has written meanwhile, or has shortened it.
        ("one\ntwx", 4, "tw", None),
        ("one\nt", 4, "tw", None),
        ("one\nxx", 4, "tw", None),
        ("on", 4, "tw", None),
    ] {
        std::fs::write(&log, text).unwrap();
        let done = cut(keep, last.as_bytes());
        assert_eq!(done.is_ok(), left.is_some(), "{text:?}: {done:?}");
        let found = std::fs::read_to_string(&log).unwrap();
        assert_eq!(found, left.unwrap_or(text), "{text:?}");
    }
    std::fs::hard_link(&log, &other).unwrap();
    let size = log.metadata().unwrap().len();
    assert!(cut(size - 1, b"n").is_err());
    std::fs::remove_file(&log).unwrap();
    symlink(&other, &log).unwrap();
    assert!(cut(size - 1, b"n").is_err());
    assert_eq!(std::fs::read(&other).unwrap(), b"on");
}

#[test]
fn an_append_follows_no_link_and_makes_nothing_beyond_one() {
    let context = Context::new();
    for target in ["outside/canary", "outside/new"] {
        let link = context.project("log");
        symlink(context.path.join(target), &link).unwrap();
        assert!(
            context
                .disk
                .append(&context.root, name("log"), b"x")
                .is_err()
        );
        std::fs::remove_file(link).unwrap();
    }
    assert_eq!(census(&context.path.join("outside")).len(), 2);
    let canary = context.path.join("outside/canary");
    assert_eq!(std::fs::read(canary).unwrap(), b"alive");
}

#[test]
fn barriers_take_few_many_and_no_directories() {
    let context = Context::new();
    let mut dirs = vec![context.slots.clone(), context.slots.clone()];
    context.disk.barrier(&[]).unwrap();
    context.disk.barrier(&dirs).unwrap();
    for n in 0..20 {
        let made = format!("dir{n}");
        context
            .disk
            .mkdir(&context.root, name(&made), 0o755)
            .unwrap();
        dirs.push(context.disk.dir(&context.root, Path::new(&made)).unwrap());
    }
    context.disk.barrier(&dirs).unwrap();
    context.disk.flush(&context.root).unwrap();
}

#[test]
fn what_was_written_stays_loose_until_it_is_flushed() {
    let context = Context::new();
    let disk = &context.disk;
    let dev = disk.node(&context.slots).unwrap().id.dev;
    let loose = || disk.loose.holds(dev);
    let mut file = disk.create(&context.slots, name("0"), 0o600).unwrap();
    assert!(!loose(), "an empty file has no content to lose");
    disk.write(&mut file, b"x").unwrap();
    assert!(loose());
    disk.sync(&file).unwrap();
    assert!(!loose());
    disk.write(&mut file, b"y").unwrap();
    drop(file);
    assert!(loose(), "it is loose whether or not it is still open");
    disk.barrier(std::slice::from_ref(&context.slots)).unwrap();
    assert!(!loose());
    disk.copy_metadata((&context.slots, name("0")), 0o644, None)
        .unwrap();
    assert!(loose());
    disk.flush(&context.slots).unwrap();
    assert!(!loose());
    disk.symlink(&context.slots, name("1"), b"x").unwrap();
    assert!(loose());
    assert!(disk.clone().loose.holds(dev), "clones share it");
    disk.barrier(std::slice::from_ref(&context.root)).unwrap();
    assert!(!loose(), "a barrier of one directory is for its device");
}

#[test]
fn another_device_stays_loose() {
    let loose = Loose::default();
    let context = Context::new();
    let here = context.disk.node(&context.slots).unwrap().id;
    let there = Identity {
        dev: here.dev + 1,
        ino: here.ino,
    };
    loose.add(here.dev, here);
    loose.add(there.dev, there);
    loose.barrier(std::slice::from_ref(&context.slots)).unwrap();
    assert!(!loose.holds(here.dev) && loose.holds(there.dev));
}

#[test]
fn what_relight_made_can_be_removed_but_no_full_directory() {
    let context = Context::new();
    let disk = &context.disk;
    context.stage("file", b"x");
    disk.symlink(&context.slots, name("link"), b"/").unwrap();
    disk.mkdir(&context.slots, name("dir"), 0o700).unwrap();
    disk.mkdir(&context.slots, name("full"), 0o700).unwrap();
    std::fs::write(context.path.join("slots/full/x"), "x").unwrap();
    for entry in ["file", "link", "dir"] {
        disk.remove(&context.slots, name(entry)).unwrap();
    }
    let found = disk.remove(&context.slots, name("full"));
    assert_eq!(errno(found), Some(rustix::io::Errno::NOTEMPTY));
    assert_eq!(disk.list(&context.slots).unwrap(), ["full"]);
}
