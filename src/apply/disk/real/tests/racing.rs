//! A directory that is swapped for a link to the outside, again and again, while relight works under it.

use std::os::unix::fs::symlink;
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::fs::{CWD, RenameFlags, renameat_with};
use rustix::io::Errno;

use super::super::open::{Mounts, step_by_step};
use super::*;

/// Calls of `dir` with a `swap` each that are made while the racer races.
const CALLS: usize = 2000;

/// Calls after which a race that never showed both sides is given up.
const LIMIT: usize = 400_000;

/// How often each side must have been seen.
const FEW: usize = 50;

/// How a directory is opened in the race.
type Open<'a> = &'a dyn Fn(&Path) -> std::io::Result<RealDir>;

fn race(context: &Context, open: Open<'_>) {
    context.write("sub/inner/file", "0");
    let trap = context.path.join("outside/inner");
    std::fs::create_dir(&trap).unwrap();
    std::fs::write(trap.join("file"), "canary").unwrap();
    symlink(context.path.join("outside"), context.project("link")).unwrap();
    let canary = census(&context.path.join("outside"));
    context.stage("0", b"1");
    let done = AtomicBool::new(false);
    let (mut taken, mut refused) = (0, 0);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let (sub, link) = (context.project("sub"), context.project("link"));
            while !done.load(Ordering::Relaxed) {
                renameat_with(CWD, &sub, CWD, &link, RenameFlags::EXCHANGE).unwrap();
                std::thread::yield_now();
            }
        });
        let _over = Over(&done);
        for call in 0..LIMIT {
            if call >= CALLS && taken > FEW && refused > FEW {
                break;
            }
            match open(Path::new("sub/inner")) {
                Ok(dir) => {
                    let place = (&dir, name("file"));
                    context
                        .disk
                        .swap(place, (&context.slots, name("0")))
                        .unwrap();
                    taken += 1;
                }
                Err(why) => {
                    let why = Errno::from_io_error(&why);
                    assert!(matches!(why, Some(Errno::LOOP | Errno::NOTDIR)), "{why:?}");
                    refused += 1;
                    std::thread::yield_now();
                }
            }
        }
    });
    assert!(taken > 0 && refused > 0, "{taken} taken, {refused} refused");
    assert_eq!(census(&context.path.join("outside")), canary);
    println!("{taken} exchanges within, {refused} refused, none outside.");
}

#[test]
fn a_link_swapped_in_leads_nowhere() {
    let context = Context::new();
    race(&context, &|path| context.disk.dir(&context.root, path));
}

#[test]
fn a_link_swapped_in_leads_nowhere_without_openat2() {
    let context = Context::new();
    race(&context, &|path| {
        Ok(step_by_step(&context.root, path, Mounts::Stay).map(std::sync::Arc::new)?)
    });
}

#[test]
fn a_link_swapped_into_a_roots_own_path_leads_nowhere() {
    let context = Context::new();
    race(&context, &|path| context.disk.root(&context.project(path)));
}
