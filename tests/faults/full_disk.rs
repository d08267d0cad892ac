//! A disk that is full after so many bytes, or so many files.

use super::deeds::{DEEDS, Deed};
use super::ground::Ground;
use super::judge::{Judge, State};
use super::own::{admin, mounts, word};
use super::slice;
use super::tally::Tally;
use super::temporary;

/// What was reached.
#[derive(Debug, Default)]
struct Figures {
    sizes: usize,
    done: usize,
    refused: usize,
    rolled_back: usize,
    unclear: usize,
}

/// One limit of the file system.
#[derive(Debug, Clone, Copy)]
enum Limit {
    /// So many KiB beyond what is used.
    Kib(u64),
    /// So many files beyond those there are.
    Files(u64),
}

impl Limit {
    fn set(self, at: &Ground, mount: &str) {
        let found = rustix::fs::statvfs(at.root()).unwrap();
        let used = (found.f_blocks - found.f_bfree) * found.f_frsize / 1024;
        let files = found.f_files - found.f_ffree;
        let options = match self {
            Self::Kib(free) => format!("remount,size={}k", used + free),
            Self::Files(free) => format!("remount,nr_inodes={}", files + free),
        };
        assert!(admin(&["mount", "-o", &options, mount]));
    }
}

fn roomy(mount: &str) {
    assert!(admin(&[
        "mount",
        "-o",
        "remount,size=256m,nr_inodes=100000",
        mount
    ]));
}

#[test]
fn a_disk_that_fills_up_leaves_before_or_after() {
    if !mounts("full_disk::a_disk_that_fills_up_leaves_before_or_after") {
        return;
    }
    let dir = temporary::directory();
    let mount = word(dir.path());
    if !admin(&[
        "mount",
        "-t",
        "tmpfs",
        "-o",
        "size=256m,nr_inodes=100000",
        "tmpfs",
        mount,
    ]) {
        return;
    }
    let ground = Ground::at(dir.path());
    let mut figures = Figures::default();
    for deed in slice(DEEDS.to_vec(), 2) {
        let judge = learn(&ground, &deed);
        let bytes = (0..300).map(|step| Limit::Kib(step * 4));
        let more = (300..400).map(|step| Limit::Kib(step * 16 - 3600));
        let files = (0..60).map(Limit::Files);
        let limits: Vec<Limit> = bytes.chain(more).chain(files).collect();
        for limit in slice(limits, 7) {
            one(&ground, &deed, &judge, limit, mount, &mut figures);
        }
    }
    println!("full disk: {figures:?}");
    Tally::new("full disks").add(figures.sizes);
    drop(ground);
    assert!(admin(&["umount", mount]));
}

fn learn(ground: &Ground, deed: &Deed) -> Judge {
    ground.reset();
    let logs = deed.logs(ground);
    let (before, all) = (ground.persons(), ground.everything());
    let ran = deed.act(ground);
    assert_eq!(ran.code, 0, "{deed:?}: {ran:?}");
    Judge {
        before,
        after: ground.persons(),
        logs,
        all,
    }
}

fn one(
    ground: &Ground,
    deed: &Deed,
    judge: &Judge,
    limit: Limit,
    mount: &str,
    figures: &mut Figures,
) {
    let case = format!("{:?} {limit:?}", deed.what);
    ground.reset();
    limit.set(ground, mount);
    let ran = deed.act(ground);
    figures.sizes += 1;
    match ran.code {
        0 => figures.done += 1,
        3 => figures.refused += 1,
        6 => figures.rolled_back += 1,
        7 => figures.unclear += 1,
        _ => panic!("{case}: {ran:?}"),
    }
    // What is left is settled without a byte more of room; only lines for a log need some.
    let again = ground.run(
        deed.project,
        &["recover", "--assume-stopped", "--yes", "--json"],
    );
    roomy(mount);
    let fits = matches!(again.code, 0 | 1) || !judge.logs.is_empty();
    assert!(fits, "{case}: {ran:?} recover: {again:?}");
    Judge::recover(ground, deed.project, &case);
    let state = judge.settled(ground, 0, &case);
    match ran.code {
        0 => assert_eq!(state, State::After, "{case}"),
        3 | 6 => assert_eq!(state, State::Before, "{case}"),
        _ => {}
    }
}
