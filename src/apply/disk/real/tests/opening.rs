//! Directories: no link is followed, at any component, with `openat2` and without.

use std::os::unix::fs::symlink;

use rustix::io::Errno;

use super::super::open::{Mounts, step_by_step};
use super::*;

/// Paths under the project, and whether they may be opened.
const PATHS: [(&str, Option<Errno>); 10] = [
    ("", None),
    ("a", None),
    ("a/b/c", None),
    ("a//b/./c", None),
    ("link", Some(Errno::LOOP)),
    ("link/b", Some(Errno::LOOP)),
    ("a/out", Some(Errno::LOOP)),
    ("a/out/deeper", Some(Errno::LOOP)),
    ("a/b/file", Some(Errno::NOTDIR)),
    ("a/none", Some(Errno::NOENT)),
];

fn context() -> Context {
    let context = Context::new();
    context.write("a/b/file", "x");
    std::fs::create_dir(context.project("a/b/c")).unwrap();
    std::fs::create_dir(context.path.join("outside/deeper")).unwrap();
    symlink("a", context.project("link")).unwrap();
    symlink(context.path.join("outside"), context.project("a/out")).unwrap();
    context
}

#[test]
fn no_component_may_be_a_link() {
    let context = context();
    for (path, refusal) in PATHS {
        let found = context.disk.dir(&context.root, Path::new(path));
        match refusal {
            None => assert!(found.is_ok(), "{path}: {found:?}"),
            Some(wanted) => assert_eq!(errno(found), Some(wanted), "{path}"),
        }
    }
}

#[test]
fn without_openat2_the_promise_is_the_same() {
    let context = context();
    for (path, refusal) in PATHS.iter().skip(1) {
        let path = Path::new(path);
        let found = step_by_step(&context.root, path, Mounts::Stay);
        assert_eq!(found.as_ref().err(), refusal.as_ref(), "{path:?}");
        if let Ok(dir) = found {
            let same = context.disk.dir(&context.root, path).unwrap();
            let node = context.disk.node(&std::sync::Arc::new(dir)).unwrap();
            assert_eq!(node, context.disk.node(&same).unwrap(), "{path:?}");
        }
    }
}

#[test]
fn a_path_of_other_than_plain_names_is_not_opened() {
    let context = context();
    for path in ["..", "a/..", "a/../a", "/", "/etc", "../outside"] {
        let found = context.disk.dir(&context.root, Path::new(path));
        assert_eq!(
            found.unwrap_err().kind(),
            std::io::ErrorKind::InvalidInput,
            "{path}"
        );
    }
    for path in ["", "a", "./a", "../a"] {
        assert!(context.disk.root(Path::new(path)).is_err(), "{path}");
    }
}

#[test]
fn a_root_is_opened_by_its_canonical_path_alone() {
    let context = context();
    let real = context.disk.root(&context.project("a")).unwrap();
    let beneath = context.disk.dir(&context.root, Path::new("a")).unwrap();
    assert_eq!(
        context.disk.node(&real).unwrap(),
        context.disk.node(&beneath).unwrap()
    );
    for path in ["link", "link/b", "a/out"] {
        let found = context.disk.root(&context.project(path));
        assert_eq!(errno(found), Some(Errno::LOOP), "{path}");
    }
    assert!(context.disk.root(Path::new("/")).is_ok());
}

#[test]
fn a_name_is_one_component() {
    let context = context();
    let disk = &context.disk;
    for bad in ["", ".", "..", "a/b", "/etc", "a/"] {
        let place = (&context.root, name(bad));
        let slot = (&context.slots, name("0"));
        let refused = [
            disk.look(place.0, place.1).err(),
            disk.read(place.0, place.1, 9).err(),
            disk.read_from(place.0, place.1, 0, 9).err(),
            disk.digest(place.0, place.1).err(),
            disk.target(place.0, place.1).err(),
            disk.mkdir(place.0, place.1, 0o700).err(),
            disk.create(place.0, place.1, 0o600).err(),
            disk.symlink(place.0, place.1, b"x").err(),
            disk.copy_metadata(place, 0o600, None).err(),
            disk.remove(place.0, place.1).err(),
            disk.lock(place.0, place.1).err(),
            disk.swap(place, slot).err(),
            disk.swap(slot, place).err(),
            disk.shift(place, slot).err(),
            disk.shift(slot, place).err(),
            disk.append(place.0, place.1, b"x").err(),
            disk.frozen(place.0, Some(place.1)).err(),
        ];
        for (n, why) in refused.into_iter().enumerate() {
            assert_eq!(
                why.map(|why| why.kind()),
                Some(std::io::ErrorKind::InvalidInput),
                "call {n} with {bad:?}"
            );
        }
    }
}

#[test]
fn a_directory_stays_what_it_is_when_a_link_takes_its_place() {
    let context = context();
    let dir = context.disk.dir(&context.root, Path::new("a/b")).unwrap();
    std::fs::rename(context.project("a"), context.project("moved")).unwrap();
    symlink(context.path.join("outside"), context.project("a")).unwrap();
    context.disk.mkdir(&dir, name("made"), 0o755).unwrap();
    assert!(context.project("moved/b/made").is_dir());
    assert_eq!(census(&context.path.join("outside")).len(), 3);
    let again = context.disk.dir(&context.root, Path::new("a/b"));
    assert_eq!(errno(again), Some(Errno::LOOP));
}

#[test]
fn a_path_longer_than_the_kernel_takes_is_opened_in_steps() {
    let context = Context::new();
    let part = "d".repeat(200);
    let mut dir = context.root.clone();
    let mut path = PathBuf::new();
    for _ in 0..25 {
        context.disk.mkdir(&dir, name(&part), 0o755).unwrap();
        dir = context.disk.dir(&dir, Path::new(&part)).unwrap();
        path.push(&part);
    }
    assert!(path.as_os_str().len() > 4096);
    let found = context.disk.dir(&context.root, &path).unwrap();
    assert_eq!(
        context.disk.node(&found).unwrap(),
        context.disk.node(&dir).unwrap()
    );
}
