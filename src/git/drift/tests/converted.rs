//! Files that git converts on their way into and out of a commit of their own repository.

use std::fs;
use std::path::Path;

use super::drift;
use crate::git::scratch::Scratch;
use crate::git::testing::{at, brief, git, git_is_there, git_with, project, uncovered};
use crate::model::{LineEnds, PathState};

const WHO: [&str; 4] = ["-c", "user.name=x", "-c", "user.email=x"];

/// Writes files, commits them and checks that git finds no change; returns the commit.
fn committed(scratch: &Scratch, files: &[(&str, &str)]) -> String {
    let top = scratch.work_tree();
    for (name, text) in files {
        fs::write(top.join(name), text).unwrap();
    }
    git(top, &["add", "-A"]);
    git(top, &[&WHO[..], &["commit", "-qm", "x"]].concat());
    assert_eq!(git(top, &["status", "--porcelain"]), "");
    scratch.head().unwrap()
}

/// Writes the bytes of a file again, so that the index no longer vouches for it.
fn save_again(path: &Path) {
    let bytes = fs::read(path).unwrap();
    fs::remove_file(path).unwrap();
    fs::write(path, bytes).unwrap();
}

#[test]
fn line_ends_that_git_converted_are_no_difference_from_an_own_commit() {
    if !git_is_there() {
        return;
    }
    let dir = crate::world::temporary::directory();
    let (scratch, _) = project(dir.path());
    let top = scratch.work_tree();
    let files = [
        (".gitattributes", "*.txt text\n"),
        ("crlf.txt", "a\r\nb\r\n"),
    ];
    let head = committed(&scratch, &files);
    assert_eq!(brief(&drift(top, &head, top)), []);
    save_again(&top.join("crlf.txt"));
    assert_eq!(brief(&drift(top, &head, top)), []);
    fs::write(top.join("crlf.txt"), "a\r\nc\r\n").unwrap();
    let found = drift(top, &head, top);
    assert_eq!(brief(&found), [('M', b"crlf.txt".to_vec())]);
}

/// A store is written by `git add` with the attributes of the project, so its commits are what git made of the files.
#[test]
fn a_store_is_compared_as_git_wrote_it() {
    if !git_is_there() {
        return;
    }
    let dir = crate::world::temporary::directory();
    let (scratch, shadow) = project(dir.path());
    let top = scratch.work_tree();
    let env = [
        ("GIT_DIR", shadow.store().as_os_str()),
        ("GIT_WORK_TREE", top.as_os_str()),
    ];
    for name in ["filter.rot.clean", "filter.rot.smudge"] {
        git_with(top, &["config", name, "tr a-z n-za-m"], &env);
    }
    // Of the project, but not of the store: git stored these as they are.
    git(top, &["config", "filter.mine.smudge", "tr a-z n-za-m"]);
    let attributes =
        "*.txt text\n*.key filter=rot\n*.raw filter=mine\n*.utf working-tree-encoding=UTF-16LE\n";
    let files = [
        (".gitattributes", attributes),
        ("crlf.txt", "a\r\nb\r\n"),
        ("other.txt", "a\r\nb\r\n"),
        ("one.key", "secret\n"),
        ("two.key", "hidden\n"),
        ("one.raw", "plain\n"),
        ("wide.utf", "w\0i\0d\0e\0"),
    ];
    for (name, text) in files {
        fs::write(top.join(name), text).unwrap();
    }
    for args in [
        &["add", "-A"][..],
        &[&WHO[..], &["commit", "-qm", "x"]].concat(),
    ] {
        git_with(top, args, &env);
    }
    let head = git_with(top, &["rev-parse", "HEAD"], &env);
    let now = || {
        let found = drift(shadow.store(), head.trim(), top);
        (brief(&found), uncovered(&found))
    };
    assert_eq!(now(), (vec![], vec![]));
    // Without the index that vouches for them.
    fs::remove_file(shadow.store().join("index")).unwrap();
    let left = ["one.key", "two.key", "wide.utf"].map(str::to_owned);
    assert_eq!(now(), (vec![], left.to_vec()));
    // The project's own index vouches for them where git stored the same there.
    for name in ["filter.rot.clean", "filter.rot.smudge"] {
        git(top, &["config", name, "tr a-z n-za-m"]);
    }
    git(top, &["add", "-A"]);
    assert_eq!(now(), (vec![], vec![]));
    fs::remove_file(top.join(".git/index")).unwrap();

    fs::write(top.join("other.txt"), "c\r\n").unwrap();
    fs::write(top.join("one.raw"), "other\n").unwrap();
    fs::remove_file(top.join("two.key")).unwrap();
    let changed = ["one.raw", "other.txt"].map(|name| ('M', name.as_bytes().to_vec()));
    assert_eq!(now(), (changed.to_vec(), left.to_vec()));
}

/// relight stores the bytes of each file, so nothing of its own checkpoints is converted.
#[test]
fn a_checkpoint_of_relight_is_compared_byte_for_byte() {
    let dir = crate::world::temporary::directory();
    let (scratch, shadow) = project(dir.path());
    let top = scratch.work_tree();
    let files = [
        (
            ".gitattributes",
            "*.txt text eol=crlf\n*.key filter=rot\n*.utf working-tree-encoding=UTF-16LE\n",
        ),
        ("lf.txt", "a\nb\n"),
        ("crlf.txt", "a\r\nb\r\n"),
        ("one.key", "secret\n"),
        ("wide.utf", "w\0i\0d\0e\0"),
    ];
    for (name, text) in files {
        fs::write(top.join(name), text).unwrap();
    }
    let id = shadow.snapshot("pre-wave-1", "build", at(3)).unwrap();
    assert_eq!(brief(&drift(shadow.store(), &id, top)), []);

    fs::write(top.join("lf.txt"), "a\r\nb\r\n").unwrap();
    for name in ["crlf.txt", "one.key", "wide.utf"] {
        fs::remove_file(top.join(name)).unwrap();
    }
    let found = drift(shadow.store(), &id, top);
    let names = found.paths.iter().map(|path| path.path.lossy());
    assert_eq!(
        names.collect::<Vec<_>>(),
        ["crlf.txt", "lf.txt", "one.key", "wide.utf"]
    );
    for path in &found.paths {
        assert!(path.state != PathState::NotCovered, "{path:?}");
        let ends = path.blob.as_ref().map(|blob| blob.line_ends);
        assert_eq!(ends, Some(LineEnds::AsStored), "{path:?}");
    }
}

/// Crucible's git writes `index` of the same store, which vouches for what git stored.
#[test]
fn a_checkpoint_of_relight_is_not_vouched_for_by_the_index_of_git() {
    if !git_is_there() {
        return;
    }
    let dir = crate::world::temporary::directory();
    let (scratch, shadow) = project(dir.path());
    let top = scratch.work_tree();
    fs::write(top.join(".gitattributes"), "*.txt text eol=crlf\n").unwrap();
    let file = top.join("crlf.txt");
    fs::write(&file, "a\r\nb\r\n").unwrap();
    // Older than the index, which vouches for no file of its own second.
    let old = std::time::SystemTime::from(at(0));
    fs::File::options()
        .append(true)
        .open(&file)
        .unwrap()
        .set_modified(old)
        .unwrap();
    let env = [
        ("GIT_DIR", shadow.store().as_os_str()),
        ("GIT_WORK_TREE", top.as_os_str()),
    ];
    git_with(top, &["add", "-A"], &env);
    let id = shadow.boundary(&|_, _| false, 99, "mine", at(3)).unwrap();
    assert_eq!(brief(&drift(shadow.store(), &id, top)), []);
}

/// What git itself checks out decides which line ends a path gets.
#[test]
fn a_file_gets_the_line_ends_that_git_writes() {
    if !git_is_there() {
        return;
    }
    let attributes = [
        "text",
        "-text",
        "text=auto",
        "text eol=crlf",
        "text eol=lf",
        "text=auto eol=crlf",
        "eol=crlf",
        "-text eol=crlf",
        "crlf",
        "crlf=input",
        "-crlf",
        "!text",
    ];
    let contents: [&[u8]; 3] = [b"a\nb\n", b"a\r\nb\n", b"a\n\0\n"];
    let lines = attributes.iter().enumerate();
    let rules: Vec<String> = lines.map(|(at, a)| format!("*.{at} {a}\n")).collect();
    let rules = rules.concat();
    let kinds = (0..attributes.len()).flat_map(|at| contents.map(|bytes| (at, bytes)));
    let files = kinds.enumerate();
    let files = files.map(|(n, (at, bytes))| (format!("f{n}.{at}"), bytes));
    let files: Vec<(String, &[u8])> = files.collect();
    for (autocrlf, eol) in [
        ("false", "lf"),
        ("true", "lf"),
        ("input", "crlf"),
        ("false", "crlf"),
    ] {
        let dir = crate::world::temporary::directory();
        let (scratch, _) = project(dir.path());
        let top = scratch.work_tree();
        let stored = files.iter().map(|(name, bytes)| (name.as_str(), *bytes));
        let stored = stored.chain([(".gitattributes", rules.as_bytes())]);
        let stored: Vec<_> = stored.map(|(name, bytes)| (name, Some(bytes))).collect();
        // Stored as they are, as if the attributes had come later.
        let head = scratch.commit(&stored, "Files", "", at(3)).unwrap();
        git(top, &["config", "core.autocrlf", autocrlf]);
        git(top, &["config", "core.eol", eol]);
        for (name, _) in &files {
            fs::remove_file(top.join(name)).unwrap();
        }
        let found = drift(top, &head, top);
        git(top, &["checkout", "-q", "HEAD", "--", "."]);
        for (name, stored) in &files {
            let path = found.paths.iter().find(|path| path.path.lossy() == *name);
            let ends = path.unwrap().blob.as_ref().unwrap().line_ends;
            let wanted = fs::read(top.join(name)).unwrap();
            assert_eq!(*ends.written(stored), *wanted, "{name}: {autocrlf}, {eol}");
        }
    }
}

#[test]
fn what_a_filter_of_git_writes_is_never_written_as_stored() {
    if !git_is_there() {
        return;
    }
    let dir = crate::world::temporary::directory();
    let (scratch, _) = project(dir.path());
    let top = scratch.work_tree();
    for name in ["filter.rot.clean", "filter.rot.smudge"] {
        git(top, &["config", name, "tr a-z n-za-m"]);
    }
    let files = [
        (
            ".gitattributes",
            "*.key filter=rot\n*.txt filter=unknown\n*.utf working-tree-encoding=UTF-16LE\n",
        ),
        ("one.key", "secret\n"),
        ("two.key", "hidden\n"),
        ("plain.txt", "plain\n"),
        ("wide.utf", "w\0i\0d\0e\0"),
    ];
    let head = committed(&scratch, &files);
    let now = || {
        let found = drift(top, &head, top);
        (brief(&found), uncovered(&found))
    };
    assert_eq!(now(), (vec![], vec![]));

    // The filter is not run: whether the content is the same cannot be known, and what is stored is not the file.
    save_again(&top.join("one.key"));
    fs::remove_file(top.join("two.key")).unwrap();
    fs::write(top.join("plain.txt"), "other\n").unwrap();
    fs::write(top.join("wide.utf"), "o\0t\0h\0").unwrap();
    let left = ["one.key", "two.key", "wide.utf"].map(str::to_owned);
    let changed = vec![('M', b"plain.txt".to_vec())];
    assert_eq!(now(), (changed, left.to_vec()));

    // A folder in the place of such a file is left too.
    fs::create_dir(top.join("two.key")).unwrap();
    fs::write(top.join("two.key/own"), "own\n").unwrap();
    assert!(!brief(&drift(top, &head, top)).contains(&('M', b"two.key".to_vec())));
}

/// Rules about other files convert nothing of this one, and what git would write for it is what the commit has.
#[test]
fn line_ends_that_git_does_not_convert_are_a_difference() {
    if !git_is_there() {
        return;
    }
    let dir = crate::world::temporary::directory();
    let (scratch, shadow) = project(dir.path());
    let top = scratch.work_tree();
    // `is` is whether git converts the line ends of a file with that name.
    let attributes = "*.rc text eol=crlf\n*.end eol=lf\n*.old crlf\n*.raw -text\n*.bin binary\n*.auto text=auto\n";
    let table: &[(&str, &str, bool)] = &[
        ("x.rc", "a\r\n", true),
        ("x.end", "a\r\n", true),
        ("x.old", "a\r\n", true),
        ("x.auto", "a\r\n", true),
        ("nul.auto", "a\0\r\n", false),
        ("lone.auto", "a\rb\r\n", false),
        ("control.auto", "\u{1}\r\n", false),
        ("end.auto", "a\r\n\u{1a}", true),
        ("x.raw", "a\r\n", false),
        ("x.bin", "a\r\n", false),
        ("x.sh", "a\r\n", false),
    ];
    let mut files = vec![(".gitattributes", attributes.to_owned())];
    files.extend(
        table
            .iter()
            .map(|(name, text, _)| (*name, text.replace("\r\n", "\n"))),
    );
    let files: Vec<_> = files
        .iter()
        .map(|(name, text)| (*name, text.as_str()))
        .collect();
    let head = committed(&scratch, &files);
    let env = [
        ("GIT_DIR", shadow.store().as_os_str()),
        ("GIT_WORK_TREE", top.as_os_str()),
    ];
    git_with(top, &["add", "-A"], &env);
    git_with(top, &[&WHO[..], &["commit", "-qm", "x"]].concat(), &env);
    let stored = git_with(top, &["rev-parse", "HEAD"], &env);
    for (name, text, _) in table {
        fs::write(top.join(name), text).unwrap();
    }
    let mut want: Vec<_> = table
        .iter()
        .filter(|(_, _, is)| !is)
        .map(|(name, _, _)| ('M', name.as_bytes().to_vec()))
        .collect();
    want.sort();
    // git is the judge of the table itself.
    let by_git = git(top, &["diff", "--name-only", "HEAD"]);
    let by_git: Vec<_> = by_git
        .lines()
        .map(|line| ('M', line.as_bytes().to_vec()))
        .collect();
    assert_eq!(by_git, want);
    assert_eq!(brief(&drift(top, &head, top)), want);
    assert_eq!(brief(&drift(shadow.store(), stored.trim(), top)), want);
}
