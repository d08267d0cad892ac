//! What staged content takes over, and what it may not.

use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};

use rustix::fs::{XattrFlags, lgetxattr, llistxattr, lsetxattr};

use super::*;

fn chmod(path: &Path, mode: u32) {
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
}

fn value(path: &Path, attribute: &str) -> Option<Vec<u8>> {
    let mut value = vec![0; 70_000];
    let len = lgetxattr(path, attribute, &mut value).ok()?;
    value.truncate(len);
    Some(value)
}

#[test]
fn a_mode_is_given_without_the_bits_that_lend_rights() {
    let context = Context::new();
    context.stage("file", b"x");
    context
        .disk
        .mkdir(&context.slots, name("dir"), 0o700)
        .unwrap();
    context
        .disk
        .symlink(&context.slots, name("link"), b"x")
        .unwrap();
    let table = [
        ("file", 0o644, 0o644),
        ("file", 0o4755, 0o755),
        ("file", 0o2755, 0o755),
        ("file", 0o600, 0o600),
        ("file", 0o1777, 0o777),
        ("dir", 0o755, 0o755),
        ("dir", 0o2775, 0o2775),
        ("dir", 0o6755, 0o2755),
    ];
    for (entry, mode, wanted) in table {
        context
            .disk
            .copy_metadata((&context.slots, name(entry)), mode, None)
            .unwrap();
        let found = context.look(&context.slots, entry).unwrap().mode;
        assert_eq!(found, wanted, "{entry} {mode:o}: {found:o}");
    }
    let link = (&context.slots, name("link"));
    context.disk.copy_metadata(link, 0o644, None).unwrap();
    assert!(
        context
            .disk
            .copy_metadata((&context.slots, name("none")), 0o644, None)
            .is_err()
    );
}

#[test]
fn attributes_are_carried_over() {
    let context = Context::new();
    context.write("old", "x");
    let old = context.project("old");
    if lsetxattr(&old, "user.note", b"kept", XattrFlags::empty()).is_err() {
        println!("SKIPPED: no extended attributes on the file system of the tests.");
        return;
    }
    let large = vec![7; 3000];
    lsetxattr(&old, "user.large", &large, XattrFlags::empty()).unwrap();
    lsetxattr(&old, "user.empty", b"", XattrFlags::empty()).unwrap();
    chmod(&old, 0o4640);
    context.stage("0", b"new");
    context
        .disk
        .copy_metadata(
            (&context.slots, name("0")),
            0o640,
            Some((&context.root, name("old"))),
        )
        .unwrap();
    let staged = context.path.join("slots/0");
    assert_eq!(value(&staged, "user.note").unwrap(), b"kept");
    assert_eq!(value(&staged, "user.large").unwrap(), large);
    assert_eq!(value(&staged, "user.empty").unwrap(), b"");
    assert_eq!(staged.metadata().unwrap().mode() & 0o7777, 0o640);
    assert_eq!(std::fs::read(&staged).unwrap(), b"new");
}

#[test]
fn an_access_list_is_carried_and_one_from_the_slots_is_not() {
    // One named user beside the owner, the group and others.
    let entry = |tag: u16, perm: u16, id: u32| {
        [
            &tag.to_le_bytes()[..],
            &perm.to_le_bytes(),
            &id.to_le_bytes(),
        ]
        .concat()
    };
    let none = u32::MAX;
    let list = [
        2_u32.to_le_bytes().to_vec(),
        entry(1, 6, none),
        entry(2, 4, 12345),
        entry(4, 0, none),
        entry(0x10, 4, none),
        entry(0x20, 0, none),
    ]
    .concat();
    let access = "system.posix_acl_access";
    let context = Context::new();
    context.write("listed", "x");
    context.write("plain", "x");
    let listed = context.project("listed");
    if lsetxattr(&listed, access, &list, XattrFlags::empty()).is_err() {
        println!("SKIPPED: no access lists on the file system of the tests.");
        return;
    }
    context.stage("0", b"new");
    let staged = (&context.slots, name("0"));
    let path = context.path.join("slots/0");
    let dress = |mode, like| {
        let like = Some((&context.root, name(like)));
        context.disk.copy_metadata(staged, mode, like).unwrap();
    };
    dress(0o640, "listed");
    assert_eq!(value(&path, access).unwrap(), list);
    dress(0o600, "plain");
    assert_eq!(value(&path, access), None);
    assert_eq!(path.metadata().unwrap().mode() & 0o7777, 0o600);
}

#[test]
fn a_capability_is_not_carried_over() {
    let context = Context::new();
    context.write("old", "x");
    let old = context.project("old");
    // `cap_net_raw=ep`, as setcap writes it.
    let mut capability = [0; 20];
    capability[..8].copy_from_slice(&[1, 0, 0, 2, 0, 0x20, 0, 0]);
    let name_of = "security.capability";
    if lsetxattr(&old, name_of, &capability, XattrFlags::empty()).is_err() {
        println!("SKIPPED: this user may not set capabilities.");
        return;
    }
    context.stage("0", b"new");
    let like = Some((&context.root, name("old")));
    context
        .disk
        .copy_metadata((&context.slots, name("0")), 0o755, like)
        .unwrap();
    let mut names = [0; 1024];
    let len = llistxattr(context.path.join("slots/0"), &mut names).unwrap();
    assert!(!String::from_utf8_lossy(&names[..len]).contains(name_of));
    assert!(value(&old, name_of).is_some());
}

#[test]
fn the_owner_is_given_where_it_may_be() {
    let context = Context::new();
    context.write("old", "x");
    context.stage("file", b"x");
    context
        .disk
        .symlink(&context.slots, name("link"), b"x")
        .unwrap();
    let old = context.project("old");
    let root = rustix::process::geteuid().is_root();
    if root {
        std::os::unix::fs::chown(&old, Some(4321), Some(4322)).unwrap();
    } else {
        println!("SKIPPED in part: this user may not give files away.");
    }
    let wanted = context.look(&context.root, "old").unwrap();
    for staged in ["file", "link"] {
        let like = Some((&context.root, name("old")));
        context
            .disk
            .copy_metadata((&context.slots, name(staged)), 0o755, like)
            .unwrap();
        let found = context.look(&context.slots, staged).unwrap();
        assert_eq!((found.uid, found.gid), (wanted.uid, wanted.gid), "{staged}");
    }
    // What is to be replaced may be a link: its owner is taken, what it names is not touched.
    symlink(context.path.join("outside/canary"), context.project("way")).unwrap();
    chmod(&context.path.join("outside/canary"), 0o604);
    let like = Some((&context.root, name("way")));
    context
        .disk
        .copy_metadata((&context.slots, name("file")), 0o640, like)
        .unwrap();
    let canary = context.path.join("outside/canary").metadata().unwrap();
    assert_eq!(canary.mode() & 0o7777, 0o604);
    let way = context.look(&context.root, "way").unwrap();
    let file = context.look(&context.slots, "file").unwrap();
    assert_eq!((file.uid, file.mode), (way.uid, 0o640));
}

#[test]
fn a_user_who_may_not_give_a_file_away_still_sets_its_mode() {
    if !crate::apply::rerun::as_nobody(concat!(
        module_path!(),
        "::a_user_who_may_not_give_a_file_away_still_sets_its_mode"
    )) {
        return;
    }
    let context = Context::new();
    context.stage("0", b"new");
    let disk = &context.disk;
    let foreign = disk.root(Path::new("/etc")).unwrap();
    let like = disk.look(&foreign, name("passwd")).unwrap().unwrap();
    disk.copy_metadata(
        (&context.slots, name("0")),
        0o640,
        Some((&foreign, name("passwd"))),
    )
    .unwrap();
    let found = context.look(&context.slots, "0").unwrap();
    assert_eq!(found.mode, 0o640);
    assert_ne!(found.uid, like.uid);
}
