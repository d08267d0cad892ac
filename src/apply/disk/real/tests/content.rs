//! Content: of regular files alone, within a cap, without waiting.

use std::os::unix::fs::symlink;

use rustix::fs::{CWD, FileType, Mode, mknodat};
use sha2::{Digest as _, Sha256};

use super::*;

#[test]
fn content_is_read_within_its_cap() {
    let context = Context::new();
    context.write("file", "12345");
    context.write("empty", "");
    let read = |file, cap| context.disk.read(&context.root, name(file), cap);
    assert_eq!(read("file", 5).unwrap(), b"12345");
    assert_eq!(read("empty", 0).unwrap(), b"");
    assert_eq!(read("file", u64::MAX).unwrap(), b"12345");
    for cap in [0, 4] {
        let why = read("file", cap).unwrap_err();
        assert_eq!(why.kind(), std::io::ErrorKind::FileTooLarge, "{cap}");
    }
    let why = read("none", 9).unwrap_err();
    assert_eq!(why.kind(), std::io::ErrorKind::NotFound);
}

#[test]
fn a_log_is_read_from_where_it_was() {
    let context = Context::new();
    context.write("log", "12345");
    let table: [(u64, u64, &[u8]); 6] = [
        (0, 99, b"12345"),
        (2, 99, b"345"),
        (2, 2, b"34"),
        (5, 99, b""),
        (99, 99, b""),
        (0, 0, b""),
    ];
    for (offset, cap, wanted) in table {
        let found = context
            .disk
            .read_from(&context.root, name("log"), offset, cap)
            .unwrap();
        assert_eq!(found, wanted, "{offset} {cap}");
    }
}

#[test]
fn a_digest_is_of_all_the_bytes() {
    let context = Context::new();
    for len in [0, 1, 128 * 1024, 128 * 1024 + 1, 400_000] {
        let bytes: Vec<u8> = (0..=250).cycle().take(len).collect();
        context.write("file", &bytes);
        let wanted: [u8; 32] = Sha256::digest(&bytes).into();
        let found = context.disk.digest(&context.root, name("file")).unwrap();
        assert_eq!(found, wanted, "{len}");
    }
    symlink("/some/where", context.project("link")).unwrap();
    let wanted: [u8; 32] = Sha256::digest("/some/where").into();
    let found = context.disk.digest(&context.root, name("link")).unwrap();
    assert_eq!(found, wanted);
    assert_eq!(
        context.disk.target(&context.root, name("link")).unwrap(),
        b"/some/where"
    );
}

#[test]
fn what_is_not_a_regular_file_is_neither_read_nor_waited_for() {
    let context = Context::new();
    let path = context.project("pipe");
    mknodat(CWD, &path, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
    std::fs::create_dir(context.project("dir")).unwrap();
    symlink(context.path.join("outside/canary"), context.project("link")).unwrap();
    symlink("/dev/zero", context.project("zero")).unwrap();
    let disk = &context.disk;
    for other in ["pipe", "dir", "link", "zero"] {
        let found = [
            disk.read(&context.root, name(other), 9).err(),
            disk.read_from(&context.root, name(other), 0, 9).err(),
            disk.append(&context.root, name(other), b"x").err(),
        ];
        assert!(found.iter().all(Option::is_some), "{other}: {found:?}");
    }
    for other in ["pipe", "dir"] {
        assert!(disk.digest(&context.root, name(other)).is_err(), "{other}");
    }
    let canary = context.path.join("outside/canary");
    assert_eq!(std::fs::read(canary).unwrap(), b"alive");
}

#[test]
fn nothing_that_is_there_is_made_again() {
    let context = Context::new();
    context.write("file", "old");
    symlink(context.path.join("outside/new"), context.project("link")).unwrap();
    std::fs::create_dir(context.project("dir")).unwrap();
    let disk = &context.disk;
    for there in ["file", "link", "dir"] {
        let there = name(there);
        let exist = Some(rustix::io::Errno::EXIST);
        assert_eq!(errno(disk.create(&context.root, there, 0o600)), exist);
        assert_eq!(errno(disk.mkdir(&context.root, there, 0o700)), exist);
        assert_eq!(errno(disk.symlink(&context.root, there, b"x")), exist);
    }
    assert_eq!(std::fs::read(context.project("file")).unwrap(), b"old");
    assert!(!context.path.join("outside/new").exists());
}
