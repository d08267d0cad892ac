//! Probes: made, moved, gone; and what a crash leaves of them.

use super::*;
use crate::apply::rerun::{as_nobody, mount, with_own_mounts};

/// No sentence.
const NONE: [Foreign; 0] = [];

#[test]
fn a_probe_leaves_nothing() {
    let context = Context::new();
    let before = context.census();
    let parents = ["", "sub", "sub/deep", "sub"].map(|rel| context.parent(rel));
    for _ in 0..2 {
        assert_eq!(context.preflight().writable(&parents), NONE);
        assert_eq!(context.census(), before);
    }
    assert_eq!(context.preflight().writable(&[]), NONE);
}

#[test]
fn a_directory_without_the_right_to_write_is_named() {
    if !as_nobody(concat!(
        module_path!(),
        "::a_directory_without_the_right_to_write_is_named"
    )) {
        return;
    }
    let context = Context::new();
    chmod(&context.project("sub"), 0o500);
    let before = context.census();
    let parents = ["", "sub", "sub/deep"].map(|rel| context.parent(rel));
    let found = context.preflight().writable(&parents);
    chmod(&context.project("sub"), 0o700);
    assert_eq!(found.len(), 1, "{found:?}");
    let path = context.project("sub");
    said(
        Err(found[0].clone()),
        &[
            path.to_str().unwrap(),
            "is not writable",
            "permission is denied",
        ],
    );
    chmod(&context.project("sub"), 0o500);
    let after = context.census();
    chmod(&context.project("sub"), 0o700);
    assert_eq!(after, before);
}

#[test]
fn a_read_only_mount_is_named() {
    if !with_own_mounts(concat!(module_path!(), "::a_read_only_mount_is_named")) {
        return;
    }
    let context = Context::new();
    let (project, tx) = (context.path.join("project"), context.path.join("tx"));
    let bind = [
        OsStr::new("--bind"),
        context.path.as_os_str(),
        context.path.as_os_str(),
    ];
    let readonly = ["-o", "remount,ro,bind"].map(OsStr::new);
    if !mount(&bind) || !mount(&[&readonly[..], &[context.path.as_os_str()]].concat()) {
        return;
    }
    let open = |path: &Path| context.disk.root(path).unwrap();
    let parent = Parent {
        dir: open(&project),
        slots: open(&tx),
        path: project.clone(),
        slots_path: None,
    };
    let found = context.preflight().writable(&[parent]);
    assert_eq!(found.len(), 1);
    said(Err(found[0].clone()), &["project", "mounted read-only"]);
}

#[test]
fn what_a_crash_left_is_found_by_the_transaction_alone() {
    let context = Context::new();
    let before = context.census();
    let parents = ["", "sub", "sub/deep"].map(|rel| context.parent(rel));
    assert_eq!(context.preflight().writable(&parents), NONE);
    let probe = probe_name("7");
    assert_eq!(probe, ".relight-probe-7");
    for at in ["project", "project/sub/deep", "tx/slots"] {
        std::fs::write(context.path.join(at).join(&probe), "").unwrap();
    }
    // A folder that is gone by now keeps no probe.
    std::fs::rename(context.project("sub/deep"), context.project("moved")).unwrap();
    std::fs::rename(context.project("moved"), context.project("sub/deep")).unwrap();
    let slots = [context.slots.clone()];
    let sweep = || sweep(&context.disk, "7", &context.tx_dir, &slots).unwrap();
    assert_eq!(sweep(), Vec::<PathBuf>::new());
    assert_eq!(context.census(), before);
    assert_eq!(sweep(), Vec::<PathBuf>::new());
}

#[test]
fn a_sweep_takes_nothing_that_is_not_a_probe() {
    let context = Context::new();
    let slots = [context.slots.clone()];
    let sweep = || sweep(&context.disk, "7", &context.tx_dir, &slots).unwrap();
    assert_eq!(sweep(), Vec::<PathBuf>::new(), "nothing was announced");
    assert_eq!(
        context
            .preflight()
            .writable(&[context.parent("sub"), context.parent("")]),
        NONE
    );
    let probe = probe_name("7");
    std::fs::write(context.project("sub").join(&probe), "a person's").unwrap();
    std::fs::write(context.project("sub/.relight-probe-8"), "").unwrap();
    std::fs::create_dir(context.project("").join(&probe)).unwrap();
    let before = context.census();
    assert_eq!(sweep(), Vec::<PathBuf>::new());
    assert_eq!(context.census(), before);
    // And where one is in the way, the probe says so rather than take its place.
    let found = context.preflight().writable(&[context.parent("sub")]);
    said(Err(found[0].clone()), &["it already exists"]);
    assert_eq!(context.census(), before);
}

#[test]
fn a_disk_error_has_a_phrase() {
    let table = [
        (rustix::io::Errno::NOSPC, "no space is left"),
        (rustix::io::Errno::LOOP, "a part of it is a symbolic link"),
        (rustix::io::Errno::XDEV, "it is on another mount"),
        (rustix::io::Errno::IO, "the disk reports an I/O error"),
    ];
    for (errno, words) in table {
        assert_eq!(because(&errno.into()), words);
    }
    let own = io::Error::new(
        io::ErrorKind::InvalidInput,
        "the name is not a single path component",
    );
    assert_eq!(because(&own), "the name is not a single path component");
    assert_eq!(
        because(&io::ErrorKind::NotFound.into()),
        "it does not exist"
    );
    let rare = because(&rustix::io::Errno::PIPE.into());
    assert!(!rare.is_empty());
}
