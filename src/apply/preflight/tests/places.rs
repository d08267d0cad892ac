//! Free space, owners, attributes, mounts and git directories.

use super::*;
use crate::apply::rerun::{mount, with_own_mounts};

#[test]
fn a_file_system_has_space_for_what_is_needed_and_a_reserve() {
    if !with_own_mounts(concat!(
        module_path!(),
        "::a_file_system_has_space_for_what_is_needed_and_a_reserve"
    )) {
        return;
    }
    let context = Context::new();
    let path = context.path.join("small");
    std::fs::create_dir(&path).unwrap();
    let words = ["-t", "tmpfs", "-o", "size=65m,nr_inodes=101", "tmpfs"].map(OsStr::new);
    if !mount(&[&words[..], &[path.as_os_str()]].concat()) {
        return;
    }
    let small = context.disk.root(&path).unwrap();
    let room = |bytes, files| {
        let need = Need { bytes, files };
        context.preflight().room(&small, &path, need)
    };
    let all = 1024 * 1024;
    assert_eq!(room(all, 36), Ok(()));
    assert_eq!(room(0, 0), Ok(()));
    said(
        room(all + 1, 0),
        &[
            "has 68157440 bytes free, but 68157441 are needed",
            "free at least 1 more byte there",
        ],
    );
    said(
        room(0, 37),
        &[
            "can hold 100 more files, but 101 are needed",
            "delete at least 1 file there",
        ],
    );
    said(room(u64::MAX, 0), &["are needed"]);
}

#[test]
fn what_is_replaced_belongs_to_the_user() {
    let mut context = Context::new();
    let sub = context.dir("sub");
    let owned = |context: &Context, name: &str| {
        let shown = context.project("sub").join(name);
        context.preflight().owned(&sub, OsStr::new(name), &shown)
    };
    assert_eq!(owned(&context, "file"), Ok(()));
    assert_eq!(owned(&context, "none"), Ok(()));
    let uid = context.me;
    context.me = uid + 7;
    let words = format!(
        "belongs to user {uid}, but relight runs as user {}",
        uid + 7
    );
    said(
        owned(&context, "file"),
        &["sub/file", &words, "run relight as its owner"],
    );
    assert_eq!(owned(&context, "none"), Ok(()));
    if uid == 0 {
        std::os::unix::fs::chown(context.project("sub/file"), Some(4321), None).unwrap();
    }
    context.me = 0;
    assert_eq!(owned(&context, "file"), Ok(()));
}

#[test]
fn what_is_frozen_says_how_it_thaws() {
    let context = Context::new();
    let sub = context.dir("sub");
    let file = context.project("sub/file");
    let thawed = |name: Option<&str>| {
        let shown = context.project("sub").join(name.unwrap_or_default());
        context
            .preflight()
            .thawed(&sub, name.map(OsStr::new), &shown)
    };
    for name in [None, Some("file"), Some("none")] {
        assert_eq!(thawed(name), Ok(()));
    }
    for (letter, words) in [("i", "is immutable"), ("a", "is append-only")] {
        for (name, path) in [(Some("file"), &file), (None, &context.project("sub"))] {
            let chattr = |sign: &str| {
                std::process::Command::new("chattr")
                    .arg(format!("{sign}{letter}"))
                    .arg(path)
                    .output()
                    .is_ok_and(|output| output.status.success())
            };
            if !chattr("+") {
                println!("SKIPPED: chattr is not possible here.");
                return;
            }
            let found = thawed(name);
            // A probe is never made where it could not be removed again.
            let probed = context.preflight().writable(&[context.parent("sub")]);
            assert!(chattr("-"));
            said(found, &[words, &format!("chattr -{letter}")]);
            assert_eq!(probed.len(), usize::from(name.is_none()), "{probed:?}");
            let left: Vec<_> = std::fs::read_dir(context.project("sub")).unwrap().collect();
            assert_eq!(left.len(), 2);
        }
    }
}

#[test]
fn a_place_and_its_slots_are_one_mount() {
    if !with_own_mounts(concat!(
        module_path!(),
        "::a_place_and_its_slots_are_one_mount"
    )) {
        return;
    }
    let context = Context::new();
    let deep = context.project("sub/deep");
    let one = |dir: &RealDir| context.preflight().one_mount(dir, &context.slots, &deep);
    assert_eq!(one(&context.dir("sub/deep")), Ok(()));
    let source = context.project("sub");
    let bind = [OsStr::new("--bind"), source.as_os_str(), deep.as_os_str()];
    if !mount(&bind) {
        return;
    }
    let other = context.dir("sub/deep");
    said(one(&other), &["sub/deep", "another mount", "unmount it"]);
    let parent = Parent {
        dir: other,
        ..context.parent("sub/deep")
    };
    assert_eq!(context.preflight().writable(&[parent]).len(), 1);
}

#[test]
fn no_part_of_a_path_is_a_git_directory() {
    let mut context = Context::new();
    let real = context.project("sub/store");
    std::fs::create_dir_all(real.join("hooks")).unwrap();
    std::os::unix::fs::symlink("store", context.project("sub/link")).unwrap();
    let meta = real.metadata().unwrap();
    context.git_dirs = vec![Identity {
        dev: meta.dev(),
        ino: meta.ino(),
    }];
    let check = |rel: &str| {
        let shown = context.project(rel);
        context
            .preflight()
            .outside_git(&context.root, Path::new(rel), &shown)
    };
    for fine in [
        "file",
        "sub/file",
        "sub/new/deep/file",
        ".gitignore",
        "sub/.github/x",
        "sub/link",
        "git",
        "sub/.gitmodules",
        "sub/link/file",
    ] {
        assert_eq!(check(fine), Ok(()), "{fine}");
    }
    for bad in [
        ".git",
        ".git/index",
        "sub/.GIT/x",
        "new/git~1/x",
        "sub/.git ",
        "sub/.git./x",
        "sub/.g\u{200c}it",
        "sub/.git::$INDEX_ALLOCATION/x",
        "sub/store",
        "sub/store/hooks/x",
        "sub/store/new/deep",
    ] {
        said(check(bad), &[bad, "leads into a git directory"]);
    }
    let store = context.disk.root(&real).unwrap();
    said(
        context
            .preflight()
            .outside_git(&store, Path::new("hooks"), &real),
        &["leads into a git directory"],
    );
}
