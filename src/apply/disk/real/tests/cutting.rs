//! Power cuts: a file system in a file, copied while it is mounted, is what a power cut leaves. In a process that has mounts of its own, where a loop device may be had.

use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::process::Command;

use super::*;
use crate::apply::rerun::{mount, with_own_mounts};

/// Bytes of the file system.
const SIZE: u64 = 24 << 20;

/// A mounted file system that the power can be cut of.
struct Machine {
    context: Context,
    dir: RealDir,
}

impl Machine {
    fn new() -> Option<Self> {
        let context = Context::new();
        let image = context.path.join("image");
        let file = std::fs::File::create(&image).unwrap();
        file.set_len(SIZE).unwrap();
        let made = Command::new("mkfs.ext4")
            .args(["-q", "-F", "-O", "^metadata_csum"])
            .arg(&image)
            .output();
        if !made.as_ref().is_ok_and(|made| made.status.success()) {
            println!("SKIPPED: mkfs.ext4 is not possible here: {made:?}");
            return None;
        }
        let at = context.path.join("outside");
        if !mounted(&image, &at) {
            return None;
        }
        let dir = context.disk.root(&at).unwrap();
        Some(Self { context, dir })
    }

    /// Cuts the power, starts again, and looks.
    fn after_a_cut<T>(&self, look: impl FnOnce(&Path) -> T) -> T {
        let copy = self.context.path.join("copy");
        let at = self.context.path.join("project");
        std::fs::copy(self.context.path.join("image"), &copy).unwrap();
        assert!(mounted(&copy, &at));
        let found = look(&at);
        let ended = Command::new("umount").arg(&at).status().unwrap();
        assert!(ended.success());
        found
    }

    fn folder(&self, path: &str) -> RealDir {
        self.context
            .disk
            .mkdir(&self.dir, name(path), 0o755)
            .unwrap();
        self.context.disk.dir(&self.dir, Path::new(path)).unwrap()
    }

    fn file(&self, at: &RealDir, entry: &str, content: &[u8]) {
        let disk = &self.context.disk;
        let mut file = disk.create(at, name(entry), 0o600).unwrap();
        disk.write(&mut file, content).unwrap();
    }
}

fn mounted(image: &Path, at: &Path) -> bool {
    mount(&[
        OsStr::new("-o"),
        OsStr::new("loop,user_xattr"),
        image.as_os_str(),
        at.as_os_str(),
    ])
}

#[test]
fn what_is_behind_a_barrier_survives_a_power_cut() {
    if !with_own_mounts(concat!(
        module_path!(),
        "::what_is_behind_a_barrier_survives_a_power_cut"
    )) {
        return;
    }
    let Some(machine) = Machine::new() else {
        return;
    };
    let disk = &machine.context.disk;
    let (places, slots) = (machine.folder("places"), machine.folder("slots"));
    machine.file(&places, "file", b"old");
    disk.barrier(&[machine.dir.clone(), places.clone(), slots.clone()])
        .unwrap();

    // Staged content that nobody flushed, dressed afterwards, and a link.
    let large = vec![b'n'; 300_000];
    machine.file(&slots, "0", &large);
    disk.copy_metadata((&slots, name("0")), 0o640, None)
        .unwrap();
    disk.symlink(&slots, name("1"), b"somewhere").unwrap();
    disk.barrier(std::slice::from_ref(&slots)).unwrap();
    machine.after_a_cut(|at| {
        let staged = at.join("slots/0");
        assert_eq!(std::fs::read(&staged).unwrap(), large);
        assert_eq!(
            staged.metadata().unwrap().permissions().mode() & 0o777,
            0o640
        );
        let link = std::fs::read_link(at.join("slots/1")).unwrap();
        assert_eq!(link, Path::new("somewhere"));
    });

    // An exchange and a move, after one flush of each directory.
    disk.swap((&places, name("file")), (&slots, name("0")))
        .unwrap();
    disk.shift((&slots, name("1")), (&places, name("link")))
        .unwrap();
    disk.barrier(&[places.clone(), slots.clone()]).unwrap();
    let inode = machine.context.look(&slots, "0").unwrap().id.ino;
    machine.after_a_cut(|at| {
        assert_eq!(std::fs::read(at.join("places/file")).unwrap(), large);
        assert_eq!(std::fs::read(at.join("slots/0")).unwrap(), b"old");
        assert_eq!(at.join("slots/0").metadata().unwrap().ino(), inode);
        assert!(at.join("places/link").is_symlink() && !at.join("slots/1").is_symlink());
    });

    // Many directories at once.
    let many: Vec<RealDir> = (0..20)
        .map(|n| machine.folder(&format!("many{n}")))
        .collect();
    for dir in &many {
        machine.file(dir, "file", b"new");
    }
    let all = [&many[..], std::slice::from_ref(&machine.dir)].concat();
    disk.barrier(&all).unwrap();
    machine.after_a_cut(|at| {
        for n in 0..20 {
            let file = at.join(format!("many{n}/file"));
            assert_eq!(std::fs::read(file).unwrap(), b"new", "{n}");
        }
    });
}

#[test]
fn an_append_survives_a_power_cut() {
    if !with_own_mounts(concat!(module_path!(), "::an_append_survives_a_power_cut")) {
        return;
    }
    let Some(machine) = Machine::new() else {
        return;
    };
    let disk = &machine.context.disk;
    let mut wanted = Vec::new();
    for n in 0..5 {
        let line = format!("line {n}\n");
        disk.append(&machine.dir, name("log"), line.as_bytes())
            .unwrap();
        wanted.extend_from_slice(line.as_bytes());
        machine.after_a_cut(|at| {
            assert_eq!(std::fs::read(at.join("log")).unwrap(), wanted, "{n}");
        });
    }
}

#[test]
fn a_flush_takes_what_others_wrote_with_it() {
    if !with_own_mounts(concat!(
        module_path!(),
        "::a_flush_takes_what_others_wrote_with_it"
    )) {
        return;
    }
    let Some(machine) = Machine::new() else {
        return;
    };
    let theirs = machine.context.path.join("outside/theirs");
    std::fs::write(&theirs, vec![b't'; 100_000]).unwrap();
    let lost = machine.after_a_cut(|at| std::fs::read(at.join("theirs")).unwrap_or_default());
    if lost.len() == 100_000 {
        println!("SKIPPED in part: the kernel had written it by itself.");
    }
    machine.context.disk.flush(&machine.dir).unwrap();
    let kept = machine.after_a_cut(|at| std::fs::read(at.join("theirs")).unwrap());
    assert_eq!(kept, vec![b't'; 100_000]);
}
