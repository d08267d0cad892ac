//! The folders themselves: private, and found again.

use super::*;

#[test]
fn links_on_the_way_to_the_state_folder_are_resolved_and_what_is_missing_is_kept() {
    let context = Context::new();
    std::fs::create_dir(context.path.join("real")).unwrap();
    std::os::unix::fs::symlink(context.path.join("real"), context.path.join("link")).unwrap();
    let table = [
        ("link", "real"),
        ("link/a/b", "real/a/b"),
        ("work/project", "work/project"),
        ("work/none", "work/none"),
    ];
    for (path, wanted) in table {
        let found = canonical(&context.path.join(path)).unwrap();
        assert_eq!(found, context.path.join(wanted), "{path}");
    }
    std::os::unix::fs::symlink("loop", context.path.join("loop")).unwrap();
    assert!(canonical(&context.path.join("loop/x")).is_err());
}

#[test]
fn an_id_follows_from_the_root_and_its_path() {
    let id = |dev, ino, path| project_id(Identity { dev, ino }, Path::new(path));
    let first = id(1, 2, "/a");
    assert_eq!(first.len(), 16);
    assert_eq!(first, id(1, 2, "/a"));
    // After a restart the same file system may have another number.
    assert_eq!(first, id(2, 2, "/a"));
    for other in [id(1, 3, "/a"), id(1, 2, "/b")] {
        assert_ne!(first, other);
    }
    assert_eq!(
        first,
        id(2, 2, "/a"),
        "a device may have another number tomorrow"
    );
}

#[test]
fn every_folder_is_private_and_is_found_again() {
    let context = Context::new();
    assert_eq!(
        projects(&context.disk, &context.state()).unwrap(),
        Vec::<String>::new()
    );
    assert!(!context.path.join("home").exists(), "reading makes nothing");
    let home = context.make().unwrap();
    for dir in [
        context.path.join("home"),
        context.state().join("relight"),
        context.state().join("relight/locks"),
        home.path.clone(),
    ] {
        assert_eq!(mode(&dir), 0o700, "{dir:?}");
    }
    let again = context.make().unwrap();
    assert_eq!((&again.path, &again.project), (&home.path, &home.project));
    let found = projects(&context.disk, &context.state()).unwrap();
    assert_eq!(found, std::slice::from_ref(&home.project));
    let open = |id| Home::open(&context.disk, &context.state(), id).unwrap();
    assert_eq!(open(&home.project).unwrap().path, home.path);
    assert!(open("0123456789abcdef").is_none());
}

#[test]
fn a_folder_of_others_is_refused_and_an_open_one_closed() {
    let context = Context::new();
    let relight = context.state().join("relight");
    std::fs::create_dir_all(&relight).unwrap();
    chmod(&relight, 0o755);
    context.make().unwrap();
    assert_eq!(mode(&relight), 0o700);
    for open in [0o770, 0o707, 0o777] {
        chmod(&relight, open);
        let why = context.make().unwrap_err();
        assert_eq!(why.kind(), io::ErrorKind::PermissionDenied, "{open:o}");
    }
    chmod(&relight, 0o700);
    let root = context.root();
    let other = Home::make(
        &context.disk,
        &context.state(),
        (context.identity(), &root),
        context.me + 1,
    );
    assert_eq!(other.unwrap_err().kind(), io::ErrorKind::PermissionDenied);
}

#[test]
fn a_link_or_a_file_in_place_of_a_folder_is_refused() {
    for link in [true, false] {
        let context = Context::new();
        let elsewhere = context.path.join("elsewhere");
        std::fs::create_dir(&elsewhere).unwrap();
        std::fs::create_dir_all(context.state()).unwrap();
        let relight = context.state().join("relight");
        if link {
            std::os::unix::fs::symlink(&elsewhere, relight).unwrap();
        } else {
            std::fs::write(relight, "x").unwrap();
        }
        assert!(context.make().is_err());
        assert_eq!(std::fs::read_dir(elsewhere).unwrap().count(), 0);
    }
}

#[test]
fn a_project_has_one_lock_whatever_its_path() {
    let context = Context::new();
    let first = context.make().unwrap();
    let second = Home::make(
        &context.disk,
        &context.state(),
        (context.identity(), Path::new("/another/path/to/it")),
        context.me,
    )
    .unwrap();
    assert_ne!(first.path, second.path);
    let held = first
        .project_lock(&context.disk, context.identity())
        .unwrap();
    context.disk.sign(held.as_ref().unwrap(), b"me").unwrap();
    let other = second
        .project_lock(&context.disk, context.identity())
        .unwrap();
    assert!(other.is_none());
    assert_eq!(second.holder(&context.disk, context.identity()), b"me");
    let free = Identity { dev: 1, ino: 2 };
    assert!(second.project_lock(&context.disk, free).unwrap().is_some());
    assert_eq!(
        second.holder(&context.disk, Identity { dev: 3, ino: 4 }),
        b""
    );
    let own = first.lock(&context.disk).unwrap();
    assert!(own.is_some() && first.lock(&context.disk).unwrap().is_none());
}
