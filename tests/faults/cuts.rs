//! Power cuts on ext4: the process is killed, and of its disk only what had reached the drive is taken on. The copy is mounted at the same path with another device number, as after a restart.

use std::fs;
use std::path::Path;

use super::calls::{Call, changing, strace};
use super::census;
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
    cuts: usize,
    before: usize,
    after: usize,
}

/// A drive: an image, and where it is mounted.
struct Drive<'a> {
    image: std::path::PathBuf,
    at: &'a Path,
}

impl Drive<'_> {
    fn mount(&self) -> bool {
        let options = "loop,noatime,nodiratime";
        admin(&["mount", "-o", options, word(&self.image), word(self.at)])
    }

    fn unmount(&self) {
        assert!(admin(&["umount", word(self.at)]));
    }

    /// What would be found on the drive if the power went now.
    fn cut(&self, to: &Path) {
        let copy = ["cp", "--sparse=always", word(&self.image), word(to)];
        assert!(admin(&copy));
    }
}

#[test]
fn a_power_cut_leaves_before_or_after() {
    if !mounts("cuts::a_power_cut_leaves_before_or_after") || !strace() {
        return;
    }
    let dir = temporary::directory();
    let at = dir.path().join("mnt");
    fs::create_dir(&at).unwrap();
    let image = dir.path().join("drive");
    fs::File::create(&image).unwrap().set_len(96 << 20).unwrap();
    if !admin(&["mkfs.ext4", "-q", "-F", "-N", "8192", word(&image)]) {
        return;
    }
    let drive = Drive { image, at: &at };
    if !drive.mount() {
        return;
    }
    let ground = Ground::at(&at);
    let mut figures = Figures::default();
    for deed in slice(DEEDS.to_vec(), 2) {
        let (judge, calls) = learn(&ground, &deed);
        for call in slice(calls, 4) {
            cut(&drive, &ground, &deed, &judge, &call, &mut figures);
        }
    }
    println!("power cuts: {figures:?}");
    Tally::new("power cuts on ext4").add(figures.cuts);
    drop(ground);
    drive.unmount();
}

fn learn(ground: &Ground, deed: &Deed) -> (Judge, Vec<Call>) {
    ground.reset();
    let logs = deed.logs(ground);
    let (before, all) = (ground.persons(), ground.everything());
    let (ran, calls) = changing(ground, deed.project, &deed.resume(ground));
    assert_eq!(ran.code, 0, "{deed:?}: {ran:?}");
    let judge = Judge {
        before,
        after: ground.persons(),
        logs,
        all,
    };
    (judge, calls)
}

fn cut(
    drive: &Drive<'_>,
    ground: &Ground,
    deed: &Deed,
    judge: &Judge,
    call: &Call,
    figures: &mut Figures,
) {
    let case = format!("{:?} {call:?} power cut", deed.what);
    ground.reset();
    // The person's files are old: they are on the drive.
    assert!(admin(&["sync", "-f", word(drive.at)]));
    call.kill(ground, deed.project, &deed.resume(ground));
    let copy = Drive {
        image: drive.image.with_extension("copy"),
        at: drive.at,
    };
    drive.cut(&copy.image);
    // Over the other one, so that its device is another.
    assert!(copy.mount());
    let found = ground.persons();
    assert!(!found.is_empty(), "{case}");
    Judge::recover(ground, deed.project, &case);
    let state = judge.settled(ground, 0, &case);
    figures.cuts += 1;
    match state {
        State::Before => figures.before += 1,
        State::After => figures.after += 1,
    }
    if state == State::After {
        let age = census::take(&ground.root(), &census::persons);
        assert!(!age.is_empty());
        undone(ground, deed, judge, &case);
    }
    copy.unmount();
}

/// What was committed before the cut can be undone after it, although every device has another number.
fn undone(ground: &Ground, deed: &Deed, judge: &Judge, case: &str) {
    let ran = ground.run(deed.project, &["undo", "--yes", "--json"]);
    if ran.code == 1 && !judge.logs.is_empty() {
        return;
    }
    assert_eq!(ran.code, 0, "{case}: undo: {ran:?}");
    assert_eq!(judge.state(ground, case), State::Before, "{case}: undone");
}
