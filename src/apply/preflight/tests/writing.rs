//! Probes: made, moved, gone; and what a crash leaves of them.

use super::*;
use crate::apply::again::{as_nobody, mount, with_own_mounts};

/// No sentence.
const NONE: [Foreign; 0] = [];

#[test]
fn a_probe_leaves_nothing() {
    let ground = Ground::new();
    let before = ground.census();
    let parents = ["", "sub", "sub/deep", "sub"].map(|rel| ground.parent(rel));
    for _ in 0..2 {
        assert_eq!(ground.preflight().writable(&parents), NONE);
        assert_eq!(ground.census(), before);
    }
    assert_eq!(ground.preflight().writable(&[]), NONE);
}

#[test]
fn a_directory_without_the_right_to_write_is_named() {
    if !as_nobody(concat!(
        module_path!(),
        "::a_directory_without_the_right_to_write_is_named"
    )) {
        return;
    }
    let ground = Ground::new();
    chmod(&ground.project("sub"), 0o500);
    let before = ground.census();
    let parents = ["", "sub", "sub/deep"].map(|rel| ground.parent(rel));
    let found = ground.preflight().writable(&parents);
    chmod(&ground.project("sub"), 0o700);
    assert_eq!(found.len(), 1, "{found:?}");
    let path = ground.project("sub");
    said(
        Err(found[0].clone()),
        &[path.to_str().unwrap(), "permission is denied", "would hold"],
    );
    chmod(&ground.project("sub"), 0o500);
    let after = ground.census();
    chmod(&ground.project("sub"), 0o700);
    assert_eq!(after, before);
}

#[test]
fn a_read_only_mount_is_named() {
    if !with_own_mounts(concat!(module_path!(), "::a_read_only_mount_is_named")) {
        return;
    }
    let ground = Ground::new();
    let (project, tx) = (ground.path.join("project"), ground.path.join("tx"));
    let bind = [
        OsStr::new("--bind"),
        ground.path.as_os_str(),
        ground.path.as_os_str(),
    ];
    let readonly = ["-o", "remount,ro,bind"].map(OsStr::new);
    if !mount(&bind) || !mount(&[&readonly[..], &[ground.path.as_os_str()]].concat()) {
        return;
    }
    let open = |path: &Path| ground.disk.root(path).unwrap();
    let parent = Parent {
        dir: open(&project),
        slots: open(&tx),
        path: project.clone(),
        slots_path: None,
    };
    let found = ground.preflight().writable(&[parent]);
    assert_eq!(found.len(), 1);
    said(Err(found[0].clone()), &["project", "mounted read-only"]);
}

#[test]
fn what_a_crash_left_is_found_by_the_transaction_alone() {
    let ground = Ground::new();
    let before = ground.census();
    let parents = ["", "sub", "sub/deep"].map(|rel| ground.parent(rel));
    assert_eq!(ground.preflight().writable(&parents), NONE);
    let probe = probe_name("7");
    assert_eq!(probe, ".relight-probe-7");
    for at in ["project", "project/sub/deep", "tx/slots"] {
        std::fs::write(ground.path.join(at).join(&probe), "").unwrap();
    }
    // A folder that is gone by now keeps no probe.
    std::fs::rename(ground.project("sub/deep"), ground.project("moved")).unwrap();
    std::fs::rename(ground.project("moved"), ground.project("sub/deep")).unwrap();
    let slots = [ground.slots.clone()];
    let sweep = || sweep(&ground.disk, "7", &ground.tx_dir, &slots).unwrap();
    assert_eq!(sweep(), Vec::<PathBuf>::new());
    assert_eq!(ground.census(), before);
    assert_eq!(sweep(), Vec::<PathBuf>::new());
}

#[test]
fn a_sweep_takes_nothing_that_is_not_a_probe() {
    let ground = Ground::new();
    let slots = [ground.slots.clone()];
    let sweep = || sweep(&ground.disk, "7", &ground.tx_dir, &slots).unwrap();
    assert_eq!(sweep(), Vec::<PathBuf>::new(), "nothing was announced");
    assert_eq!(
        ground
            .preflight()
            .writable(&[ground.parent("sub"), ground.parent("")]),
        NONE
    );
    let probe = probe_name("7");
    std::fs::write(ground.project("sub").join(&probe), "a person's").unwrap();
    std::fs::write(ground.project("sub/.relight-probe-8"), "").unwrap();
    std::fs::create_dir(ground.project("").join(&probe)).unwrap();
    let before = ground.census();
    assert_eq!(sweep(), Vec::<PathBuf>::new());
    assert_eq!(ground.census(), before);
    // And where one is in the way, the probe says so rather than take its place.
    let found = ground.preflight().writable(&[ground.parent("sub")]);
    said(Err(found[0].clone()), &["it is there already"]);
    assert_eq!(ground.census(), before);
}

#[test]
fn an_error_is_told_in_words() {
    let table = [
        (rustix::io::Errno::NOSPC, "no space is left"),
        (rustix::io::Errno::LOOP, "a part of it is a symbolic link"),
        (rustix::io::Errno::XDEV, "it lies on another mount"),
        (rustix::io::Errno::IO, "the drive reports an error"),
    ];
    for (errno, words) in table {
        assert_eq!(because(&errno.into()), words);
    }
    let own = io::Error::new(io::ErrorKind::InvalidInput, "the name is not a plain one");
    assert_eq!(because(&own), "the name is not a plain one");
    assert_eq!(because(&io::ErrorKind::NotFound.into()), "it is not there");
    let rare = because(&rustix::io::Errno::PIPE.into());
    assert!(!rare.is_empty());
}
