//! Faults strike where they were put, once or from then on.

use std::io;

use super::super::{Errno, Fault, SimDisk};
use super::{disk, errno, name, open};
use crate::apply::disk::Disk as _;

/// Nine mutating calls of all kinds.
fn work(disk: &SimDisk) -> io::Result<()> {
    let (p, kept) = (disk.root("/p".as_ref())?, disk.root("/kept".as_ref())?);
    disk.mkdir(&kept, name("d"), 0o700)?;
    let mut file = disk.create(&kept, name("1"), 0o600)?;
    disk.write(&mut file, b"word")?;
    disk.sync(&file)?;
    disk.copy_metadata((&kept, name("1")), 0o644, None)?;
    disk.shift((&kept, name("1")), (&p, name("x")))?;
    disk.symlink(&kept, name("l"), b"x")?;
    disk.barrier(&[p, kept])?;
    disk.remove(&kept, name("l"))
}

const STEPS: u64 = 9;

fn fault(at: u64, errno: Errno, lasting: bool) -> Fault {
    Fault {
        at,
        errno,
        lasting,
        done: false,
    }
}

#[test]
fn a_process_dies_before_each_call_and_does_nothing_more() {
    let mut before = disk().picture("/");
    for step in 0..STEPS {
        let disk = disk();
        disk.die_at(step);
        work(&disk).unwrap_err();
        assert!(disk.is_dead());
        assert_eq!(disk.steps(), step);
        assert!(disk.root("/p".as_ref()).is_err(), "reading fails, too");
        assert!(work(&disk).is_err());
        before = disk.picture("/");
    }
    assert!(before.contains_key("p/x".as_ref() as &std::path::Path));
    let disk = disk();
    disk.die_at(STEPS);
    work(&disk).unwrap();
    assert_eq!((disk.steps(), disk.is_dead()), (STEPS, false));
}

#[test]
fn each_error_strikes_every_call_that_may_give_it() {
    let table = [
        (Errno::NOSPC, 8),
        (Errno::IO, STEPS + 2),
        (Errno::ROFS, 7),
        (Errno::ACCESS, 8),
        (Errno::MFILE, 5),
        (Errno::INTR, STEPS + 2),
        (Errno::XDEV, 1),
    ];
    for (error, calls) in table {
        for at in 0..calls {
            let disk = disk();
            disk.fail(fault(at, error, false));
            assert_eq!(errno(work(&disk)), error, "call {at}");
            assert!(disk.fault_struck());
        }
        let disk = disk();
        disk.fail(fault(calls, error, false));
        work(&disk).unwrap();
        assert!(
            !disk.fault_struck(),
            "{error:?} has {calls} calls to strike"
        );
    }
}

#[test]
fn a_lasting_error_strikes_again_and_another_does_not() {
    for lasting in [false, true] {
        let disk = disk();
        let p = open(&disk, "/p");
        disk.fail(fault(0, Errno::NOSPC, lasting));
        assert!(disk.mkdir(&p, name("1"), 0o755).is_err());
        assert_eq!(disk.mkdir(&p, name("2"), 0o755).is_err(), lasting);
        disk.heal();
        disk.mkdir(&p, name("3"), 0o755).unwrap();
    }
}

#[test]
fn a_call_may_do_its_work_and_say_it_failed() {
    let disk = disk();
    let p = open(&disk, "/p");
    disk.fail(Fault {
        done: true,
        ..fault(0, Errno::IO, false)
    });
    assert_eq!(errno(disk.mkdir(&p, name("d"), 0o755)), Errno::IO);
    assert_eq!(disk.list(&p).unwrap(), [name("d")]);
}

#[test]
fn a_write_that_fails_leaves_a_part() {
    let disk = disk();
    let p = open(&disk, "/p");
    disk.file("/p/log", "1\n");
    disk.fail(fault(0, Errno::NOSPC, false));
    assert_eq!(errno(disk.append(&p, name("log"), b"22\n\n")), Errno::NOSPC);
    assert_eq!(disk.content("/p/log").unwrap(), b"1\n22");
}

#[test]
fn short_writes_give_one_more_place_to_die() {
    let count = |short: bool| {
        let disk = disk();
        if short {
            disk.write_short();
        }
        disk.append(&open(&disk, "/p"), name("log"), b"1234")
            .unwrap();
        assert_eq!(disk.content("/p/log").unwrap(), b"1234");
        disk.steps()
    };
    assert_eq!((count(false), count(true)), (4, 5));
    let disk = disk();
    disk.write_short();
    disk.die_at(2);
    let p = open(&disk, "/p");
    disk.append(&p, name("log"), b"1234").unwrap_err();
    assert_eq!(disk.content("/p/log").unwrap(), b"12");
}

#[test]
fn somebody_else_may_act_before_a_call() {
    for step in 0..STEPS {
        let disk = disk();
        disk.meddle_at(step, |disk| {
            disk.file("/p/theirs", "theirs");
        });
        work(&disk).unwrap();
        assert_eq!(disk.content("/p/theirs").unwrap(), b"theirs");
    }
    let disk = disk();
    disk.meddle_at(5, |disk| {
        disk.file("/p/x", "theirs");
    });
    assert_eq!(errno(work(&disk)), Errno::EXIST);
}

#[test]
fn a_branch_goes_its_own_way() {
    let disk = disk();
    let p = open(&disk, "/p");
    let other = disk.branch();
    let shared = disk.clone();
    disk.mkdir(&p, name("d"), 0o755).unwrap();
    assert!(other.list(&p).unwrap().is_empty());
    assert_eq!(shared.list(&p).unwrap(), [name("d")]);
    other.mkdir(&p, name("e"), 0o755).unwrap();
    assert_eq!(disk.list(&p).unwrap(), [name("d")]);
}

#[test]
fn the_trace_tells_each_call_and_what_happened_between() {
    let disk = disk();
    disk.die_at(2);
    work(&disk).unwrap_err();
    let next = disk.after_kill();
    next.fail(fault(0, Errno::XDEV, false));
    let (p, kept) = (open(&next, "/p"), open(&next, "/kept"));
    assert_eq!(
        errno(next.shift((&kept, name("1")), (&p, name("x")))),
        Errno::XDEV
    );
    let lines: Vec<String> = next.trace().lines().map(str::to_owned).collect();
    let expected = [
        "   0 Make /kept/d",
        "   1 Make /kept/1",
        "   2 Write: The simulated process is dead.",
        "--- the process was killed",
        "   0 Rename /kept/1 /p/x: Invalid cross-device link (os error 18)",
    ];
    assert_eq!(lines, expected);
}
