//! Hostile things that a failed agent or a cloned repository may contain: special files with the name of a state
//! file, paths that lead outside, endless directories. Reading never blocks, follows a link or leaves the root.

mod kit;

use std::os::unix::fs::symlink;
use std::sync::atomic::{AtomicBool, Ordering};

use relight::model::{PathRefusal, Place, PlanOptions, PointChoice, RelPath};
use relight::world::files::{FileKind, Files as _, ReadError, SMALL_CAP};
use relight::world::real_files::RealFiles;

use super::act_systems::site::Site;
use kit::{CANARY, DEEP, Kind, Thing, every_thing, in_time};

const GIB: u64 = 1 << 30;

#[test]
fn things_that_are_no_files_are_refused_at_once() {
    let thing = Thing::new();
    for (kind, expected) in [
        (Kind::Pipe, ReadError::NotRegular),
        (Kind::Socket, ReadError::NotRegular),
        (Kind::Folder, ReadError::NotRegular),
        (Kind::LinkOut, ReadError::Link),
        (Kind::LinkToItself, ReadError::Link),
        (Kind::LinkNowhere, ReadError::Link),
        (Kind::LinkToDevice, ReadError::Link),
        (
            Kind::Sparse(5 * GIB),
            ReadError::TooLarge {
                size: 5 * GIB,
                cap: SMALL_CAP,
            },
        ),
    ] {
        let place = thing.make("state.json", kind);
        let found = in_time("reading", move || RealFiles.read(&place, SMALL_CAP));
        assert_eq!(found, Err(expected), "{kind:?}");
        let place = thing.place("state.json");
        let listed = in_time("listing", move || RealFiles.list(&place));
        assert_eq!(listed.is_ok(), kind == Kind::Folder, "{kind:?}");
    }
}

#[test]
fn a_device_is_never_opened() {
    let place = Place::known("/dev", "zero").unwrap();
    let found = in_time("reading a device", move || RealFiles.read(&place, 10));
    assert_eq!(found, Err(ReadError::NotRegular));
}

#[test]
fn the_middle_of_a_huge_file_is_read_without_the_rest() {
    let thing = Thing::new();
    let place = thing.make("log.jsonl", Kind::Sparse(5 * GIB));
    let stat = RealFiles.stat(&place).unwrap();
    assert_eq!((stat.kind, stat.size), (FileKind::File, 5 * GIB));
    for (offset, len) in [
        (0, 100),
        (4 * GIB, 100),
        (5 * GIB - 10, 10),
        (5 * GIB, 0),
        (u64::MAX, 0),
    ] {
        let there = place.clone();
        let found = in_time("reading a range", move || {
            RealFiles.read_range(&there, offset, 100)
        });
        assert_eq!(found.unwrap().len(), len, "{offset}");
    }
}

#[test]
fn circles_of_links_and_folders_beyond_the_longest_path_end() {
    let dir = crate::support::temporary::directory();
    symlink("b", dir.path().join("a")).unwrap();
    symlink("a", dir.path().join("b")).unwrap();
    symlink(".", dir.path().join("here")).unwrap();
    for rel in ["a", "a/x", "b/a/b", "here/here/x"] {
        let place = Place::known(dir.path(), rel).unwrap();
        assert_eq!(RealFiles.read(&place, 9), Err(ReadError::Link), "{rel}");
    }
    kit::deep(dir.path(), "d", DEEP);
    let long = vec!["d"; DEEP].join("/");
    assert_eq!(RelPath::parse(long.as_bytes()), Err(PathRefusal::TooLong));
    let reachable = Place::known(dir.path(), vec!["d"; 1500].join("/")).unwrap();
    assert_eq!(RealFiles.list(&reachable).unwrap().len(), 1);
    kit::remove_deep(dir.path(), "d", DEEP);
}

#[test]
fn a_folder_of_a_hundred_thousand_entries_is_listed_in_order() {
    let dir = crate::support::temporary::directory();
    kit::many(dir.path(), 100_000);
    let place = Place::root(dir.path());
    let entries = in_time("listing", move || RealFiles.list(&place)).unwrap();
    assert_eq!(entries.len(), 100_000);
    assert!(entries.windows(2).all(|pair| pair[0].name < pair[1].name));
}

#[test]
fn no_spelling_of_a_foreign_path_leads_out() {
    let outside = crate::support::temporary::directory();
    std::fs::write(outside.path().join("secret"), CANARY).unwrap();
    let dir = crate::support::temporary::directory();
    let root = dir.path().canonicalize().unwrap().join("root");
    std::fs::create_dir_all(root.join("sub")).unwrap();
    std::fs::create_dir_all(root.join(".git")).unwrap();
    std::fs::write(dir.path().join("beside"), CANARY).unwrap();
    std::fs::write(root.join(".git/config"), CANARY).unwrap();
    symlink(outside.path(), root.join("out")).unwrap();
    symlink("..", root.join("up")).unwrap();
    symlink("/", root.join("sub/top")).unwrap();
    let absolute = outside.path().join("secret");
    let absolute = absolute.to_str().unwrap();
    let mut paths: Vec<String> = kit::WAYS_OUT.iter().map(|way| (*way).to_owned()).collect();
    paths.push(absolute.to_owned());
    paths.push(format!("sub/top{absolute}"));
    paths.push(format!("{}/../beside", root.display()));
    paths.push(format!("{}x/../beside", root.display()));
    // Each also beneath a folder, after a dot, doubled slashes and with something behind it.
    let variants = paths.iter().flat_map(|path| {
        [
            path.clone(),
            format!("sub/{path}"),
            format!("./{path}"),
            format!("sub//{path}"),
            format!("{path}/"),
        ]
    });
    let mut refused = 0;
    for path in variants {
        match Place::foreign(&[&root], path.as_bytes()) {
            Err(_) => refused += 1,
            Ok(place) => {
                let found = RealFiles.read(&place, SMALL_CAP);
                assert!(found.is_err(), "{path:?} gave {found:?}");
                if RealFiles.list(&place).is_ok() {
                    let leads = RealFiles.canonical(&place.path()).unwrap();
                    assert!(leads.starts_with(&root), "{path:?} lists {leads:?}");
                }
            }
        }
    }
    assert!(
        refused > 100,
        "only {refused} were refused by their spelling"
    );
}

#[test]
fn every_spelling_of_a_git_directory_is_refused() {
    for name in kit::GIT_NAMES {
        for path in [
            (*name).to_owned(),
            format!("a/{name}"),
            format!("{name}/config"),
        ] {
            assert_eq!(
                RelPath::parse(path.as_bytes()),
                Err(PathRefusal::GitDirectory),
                "{path:?}"
            );
        }
    }
    for name in [
        ".gitignore",
        ".github",
        "git",
        ".gitmodules",
        "x.git",
        ".git2",
        ".git-keep",
    ] {
        assert!(RelPath::parse(name.as_bytes()).is_ok(), "{name}");
    }
}

#[test]
fn a_folder_that_turns_into_a_link_while_it_is_read_never_leads_out() {
    let outside = crate::support::temporary::directory();
    std::fs::create_dir(outside.path().join("sub")).unwrap();
    std::fs::write(outside.path().join("sub/file"), CANARY).unwrap();
    let dir = crate::support::temporary::directory();
    let root = dir.path().to_owned();
    std::fs::create_dir_all(root.join("a/sub")).unwrap();
    std::fs::write(root.join("a/sub/file"), "inside").unwrap();
    symlink(outside.path(), root.join("b")).unwrap();
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !stop.load(Ordering::Relaxed) {
                kit::exchange(&root.join("a"), &root.join("b"));
            }
        });
        let place = Place::known(&root, "a/sub/file").unwrap();
        let mut read = 0;
        for _ in 0..20_000 {
            match RealFiles.read(&place, 100) {
                Ok(bytes) => {
                    assert_eq!(bytes, b"inside");
                    read += 1;
                }
                Err(ReadError::Link | ReadError::NotFound | ReadError::Other(_)) => {}
                Err(other) => panic!("{other:?}"),
            }
        }
        stop.store(true, Ordering::Relaxed);
        assert!(read > 0, "the directory was never seen as a directory");
    });
}

#[test]
fn a_whole_survey_of_hostile_things_ends_and_reads_nothing_outside() {
    let scene = kit::Scene::new();
    for (at, kind) in every_thing().into_iter().enumerate() {
        for name in kit::marker_names() {
            scene.make(&format!("{at}"), &name, kind);
        }
    }
    scene.entangle();
    let found = scene.ask();
    assert!(!found.contains(CANARY), "{found}");
}

/// The sources of the fixtures are pipelines that nothing was prepared for: damaged, without their projects, and all
/// in one repository, as in a clone of this one.
#[test]
fn every_question_about_every_fixture_of_a_repository_is_answered() {
    if !crate::judge::git_is_there() {
        return;
    }
    let dir = crate::support::temporary::directory();
    let root = dir.path().canonicalize().unwrap();
    let projects = root.join("projects");
    std::fs::create_dir_all(root.join("home/.local/state")).unwrap();
    let run = |program: &str, args: &[&std::ffi::OsStr]| {
        let status = std::process::Command::new(program).args(args).status();
        assert!(status.unwrap().success(), "{program}");
    };
    let fixtures = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
    let to = projects.as_os_str();
    run("cp", &["-R".as_ref(), fixtures.as_os_str(), to]);
    run("git", &["init".as_ref(), "-q".as_ref(), to]);
    let now = chrono::DateTime::parse_from_rfc3339("2031-03-02T12:00:00Z").unwrap();
    let site = Site::of_sandbox(&root, now);
    let engine = site.engine().unwrap();
    let found = engine.survey(&site.request, &|_| {}).unwrap().pipelines;
    assert!(found.len() > 90, "{}", found.len());
    let mut plans = 0;
    for pipeline in found {
        let id = &pipeline.id;
        drop((engine.checks(id), engine.why(id, true)));
        let Ok(dossier) = engine.dossier(id) else {
            continue;
        };
        for checkpoint in &dossier.checkpoints {
            drop(engine.drift(id, checkpoint));
        }
        for point in dossier.points {
            let choice = PointChoice::Id(point.boundary.id);
            plans += usize::from(engine.plan(id, &choice, &PlanOptions::default()).is_ok());
        }
    }
    assert!(plans > 300, "{plans}");
}
