//! Where slots are put, and where never.

use super::*;
use crate::apply::disk::RealDir;

use crate::apply::rerun::{mount, with_own_mounts};
use crate::model::{ErrorKind, Result};

/// A transaction in a context, and what takes part in it.
struct Tx<'a> {
    context: &'a Context,
    dir: RealDir,
    path: PathBuf,
    roots: Vec<PathBuf>,
    brief: bool,
}

impl<'a> Tx<'a> {
    fn new(context: &'a Context) -> Self {
        let home = context.make().unwrap();
        context
            .disk
            .mkdir(&home.dir, OsStr::new("7"), 0o700)
            .unwrap();
        let dir = context.disk.dir(&home.dir, Path::new("7")).unwrap();
        let path = home.path.join("7");
        Self {
            context,
            dir,
            path,
            roots: vec![context.root()],
            brief: false,
        }
    }

    fn slots(&self, common: Option<&Path>, root: &Path) -> Result<PathBuf> {
        let seat = Seat {
            disk: &self.context.disk,
            tx: "7",
            dir: &self.dir,
            path: &self.path,
            roots: &self.roots,
            me: self.context.me,
            brief: self.brief,
        };
        let place = self.context.disk.root(root).unwrap();
        let slots = seat.slots_for(&place, common, root)?;
        // It opens again by its path, is private, and the probes are gone.
        let again = self.context.disk.root(&slots.path).unwrap();
        let node = |dir| self.context.disk.node(dir).unwrap();
        assert_eq!(node(&again), node(&slots.dir));
        assert_eq!(node(&again).mode, 0o700);
        assert!(self.context.disk.list(&slots.dir).unwrap().is_empty());
        Ok(slots.path)
    }

    fn pointers(&self) -> Vec<PathBuf> {
        pointers(&self.context.disk, &self.dir).unwrap()
    }
}

#[test]
fn slots_lie_with_their_transaction_where_they_can() {
    let context = Context::new();
    let tx = Tx::new(&context);
    for _ in 0..2 {
        let path = tx.slots(None, &context.root()).unwrap();
        assert_eq!(path, tx.path.join("slots"));
    }
    assert!(tx.pointers().is_empty());
}

#[test]
fn a_transaction_inside_a_root_keeps_its_slots_elsewhere() {
    let context = Context::new();
    let mut tx = Tx::new(&context);
    tx.roots.push(context.path.join("home"));
    let git = context.root().join(".git");
    std::fs::create_dir(&git).unwrap();
    let path = tx.slots(Some(&git), &context.root()).unwrap();
    assert_eq!(path, git.join("relight/7/slots"));
    assert_eq!(tx.pointers(), [path]);
    // A git directory in a root under another name is content of that root.
    let odd = context.root().join("mirror.git");
    std::fs::create_dir(&odd).unwrap();
    let path = tx.slots(Some(&odd), &context.root()).unwrap();
    assert_eq!(path, context.path.join("work/.relight/7/slots"));
    assert_eq!(std::fs::read_dir(&odd).unwrap().count(), 0);
    assert_eq!(tx.pointers().len(), 2);
}

#[test]
fn what_is_kept_elsewhere_is_given_back_and_nothing_else() {
    let context = Context::new();
    let mut tx = Tx::new(&context);
    tx.roots.push(context.path.join("home"));
    let git = context.root().join(".git");
    std::fs::create_dir(&git).unwrap();
    std::fs::write(git.join("HEAD"), "ref: refs/heads/main\n").unwrap();
    let in_git = tx.slots(Some(&git), &context.root()).unwrap();
    let beside = tx.slots(None, &context.root()).unwrap();
    for slots in [&in_git, &beside] {
        std::fs::create_dir(slots.join("0")).unwrap();
        std::fs::write(slots.join("0/file"), "kept").unwrap();
    }
    // Another transaction keeps something there, too.
    let other = context.root().join(".git/relight/8");
    std::fs::create_dir(&other).unwrap();
    for _ in 0..2 {
        forget(&context.disk, "7", &tx.dir).unwrap();
        assert!(!in_git.parent().unwrap().exists());
        assert!(!context.path.join("work/.relight").exists());
        assert!(other.exists() && git.join("HEAD").exists());
    }
    // A pointer that does not end as this transaction's do is not followed.
    let bystander = context.path.join("work/bystander/7/slots-not");
    std::fs::create_dir_all(&bystander).unwrap();
    let pointer = tx.path.join("kept-in-9");
    std::fs::write(&pointer, bystander.as_os_str().as_bytes()).unwrap();
    assert!(forget(&context.disk, "7", &tx.dir).is_err());
    assert!(bystander.exists());
}

#[test]
fn no_slot_lies_in_a_work_tree() {
    let context = Context::new();
    let mut tx = Tx::new(&context);
    tx.roots.push(context.path.join("home"));
    // The root is a folder in a repository that does not take part: `git clean` there must not reach a slot.
    std::fs::create_dir(context.path.join("work/.git")).unwrap();
    let path = tx.slots(None, &context.root()).unwrap();
    assert_eq!(path, context.path.join(".relight/7/slots"));
    assert!(!context.path.join("work/.relight").exists());
}

#[test]
fn a_link_is_no_place_for_slots() {
    let context = Context::new();
    let mut tx = Tx::new(&context);
    tx.roots.push(context.path.join("home"));
    let git = context.root().join(".git");
    let elsewhere = context.path.join("elsewhere");
    std::fs::create_dir_all(&git).unwrap();
    std::fs::create_dir(&elsewhere).unwrap();
    std::os::unix::fs::symlink(&elsewhere, git.join("relight")).unwrap();
    let path = tx.slots(Some(&git), &context.root()).unwrap();
    assert_eq!(path, context.path.join("work/.relight/7/slots"));
    assert_eq!(std::fs::read_dir(elsewhere).unwrap().count(), 0);
}

#[test]
fn without_a_usable_place_the_error_gives_the_reason_for_each() {
    let context = Context::new();
    let mut tx = Tx::new(&context);
    tx.roots.push(context.path.join("home"));
    std::fs::create_dir(context.path.join("work/.relight")).unwrap();
    chmod(&context.path.join("work/.relight"), 0o777);
    let none = context.root().join(".git");
    let why = tx.slots(Some(&none), &context.root()).unwrap_err();
    assert_eq!(why.kind, ErrorKind::Refused);
    let (text, hints) = (why.text, why.hints);
    let why = text.lossy().into_owned();
    assert!(hints[0].lossy().contains("Set XDG_STATE_HOME"), "{hints:?}");
    for words in [
        format!(
            "There is no place for the backups of {}",
            context.root().display()
        ),
        format!("it is in {}", context.path.join("home").display()),
        format!("{}: it does not exist", none.display()),
        format!(
            "{0}: the directory {0}/.relight can be written by other users (chmod go-w {0}/.relight removes that)",
            context.path.join("work").display()
        ),
    ] {
        assert!(why.contains(&words), "{words:?} in {why:?}");
    }
    // The attempts left nothing but pointers.
    assert!(!tx.path.join("slots").exists());
}

#[test]
fn slots_lie_on_the_mount_of_what_they_exchange_with() {
    if !with_own_mounts(concat!(
        module_path!(),
        "::slots_lie_on_the_mount_of_what_they_exchange_with"
    )) {
        return;
    }
    let context = Context::new();
    let work = context.path.join("work");
    let words = ["-t", "tmpfs", "tmpfs"].map(OsStr::new);
    if !mount(&[&words[..], &[work.as_os_str()]].concat()) {
        return;
    }
    std::fs::create_dir_all(context.root().join("sub")).unwrap();
    let mut tx = Tx::new(&context);
    let beside = tx.slots(None, &context.root()).unwrap();
    assert_eq!(beside, work.join(".relight/7/slots"));
    // A second mount of the same file system is another mount.
    let bind = [
        OsStr::new("--bind"),
        context.path.as_os_str(),
        context.path.as_os_str(),
    ];
    assert!(mount(&bind));
    let top = context.path.join("top");
    std::fs::create_dir_all(&top).unwrap();
    let found = tx.slots(None, &top).unwrap();
    assert_eq!(found, context.path.join(".relight/7/slots"));
    // A root that is a mount itself has nothing beside it on that mount.
    let alone = context.path.join("alone");
    std::fs::create_dir(&alone).unwrap();
    assert!(mount(&[&words[..], &[alone.as_os_str()]].concat()));
    let why = tx.slots(None, &alone).unwrap_err();
    assert_eq!(why.kind, ErrorKind::Refused);
    let (text, hints) = (&why.text, &why.hints);
    assert!(text.lossy().contains("it is on another mount"), "{why:?}");
    let hint = hints[0].lossy();
    assert!(hint.contains("is a whole file system"), "{why:?}");
    // A record keeps nothing, so it may stage in the root itself, but not in a work tree.
    tx.roots.push(alone.clone());
    tx.brief = true;
    let within = tx.slots(None, &alone).unwrap();
    assert_eq!(within, alone.join(".relight/7/slots"));
    std::fs::create_dir(alone.join(".git")).unwrap();
    assert!(tx.slots(None, &alone).is_err());
}

#[test]
fn a_full_disk_is_named_by_its_own_path_and_is_no_refusal() {
    if !with_own_mounts(concat!(
        module_path!(),
        "::a_full_disk_is_named_by_its_own_path_and_is_no_refusal"
    )) {
        return;
    }
    let context = Context::new();
    let tx = Tx::new(&context);
    let state = context.path.join("state-of-its-own");
    std::fs::create_dir(&state).unwrap();
    let size = ["-t", "tmpfs", "-o", "size=64k", "tmpfs"].map(OsStr::new);
    if !mount(&[&size[..], &[state.as_os_str()]].concat()) {
        return;
    }
    std::fs::create_dir(state.join("7")).unwrap();
    chmod(&state.join("7"), 0o700);
    let tx = Tx {
        dir: context.disk.root(&state.join("7")).unwrap(),
        path: state.join("7"),
        ..tx
    };
    let _full = std::fs::write(state.join("filler"), vec![b'x'; 1 << 20]);
    let why = tx.slots(None, &context.root()).unwrap_err();
    assert_eq!(why.kind, ErrorKind::RolledBack);
    let (text, hints) = (&why.text, &why.hints);
    let wanted = format!("{}: no space is left.", tx.path.display());
    assert!(text.lossy().ends_with(&wanted), "{why:?}");
    assert!(hints[0].lossy().contains("Free some space"), "{why:?}");
}
