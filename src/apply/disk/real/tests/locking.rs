//! Locks: one holder, whoever asks, however the file is treated.

use std::io::{BufRead as _, BufReader};

use super::*;
use crate::apply::rerun;

#[test]
fn a_lock_has_one_holder() {
    let context = Context::new();
    let take = || context.disk.lock(&context.slots, name("lock")).unwrap();
    let held = take().unwrap();
    assert!(take().is_none());
    context.disk.sign(&held, b"a long first text").unwrap();
    context.disk.sign(&held, b"pid 7").unwrap();
    let said = context.disk.read(&context.slots, name("lock"), 99).unwrap();
    assert_eq!(said.trim_ascii_end(), b"pid 7");
    assert_eq!(context.look(&context.slots, "lock").unwrap().mode, 0o600);
    drop(held);
    assert!(take().is_some());
}

#[test]
fn of_many_threads_one_wins() {
    let context = Context::new();
    for _ in 0..100 {
        let barrier = std::sync::Barrier::new(8);
        let held: Vec<_> = std::thread::scope(|scope| {
            let tries: Vec<_> = (0..8)
                .map(|_| {
                    scope.spawn(|| {
                        barrier.wait();
                        context.disk.lock(&context.slots, name("lock")).unwrap()
                    })
                })
                .collect();
            tries
                .into_iter()
                .filter_map(|t| t.join().unwrap())
                .collect()
        });
        assert_eq!(held.len(), 1);
    }
}

#[test]
fn a_lock_on_a_file_that_was_replaced_does_not_count() {
    let context = Context::new();
    let path = context.path.join("slots/lock");
    let held = context.disk.lock(&context.slots, name("lock")).unwrap();
    assert!(held.is_some());
    let before = context.look(&context.slots, "lock");
    std::fs::remove_file(&path).unwrap();
    // The old holder's file is gone: whoever comes now locks the new one, and keeps it.
    let second = context.disk.lock(&context.slots, name("lock")).unwrap();
    assert!(second.is_some());
    assert_ne!(context.look(&context.slots, "lock"), before);
    assert!(
        context
            .disk
            .lock(&context.slots, name("lock"))
            .unwrap()
            .is_none()
    );
}

#[test]
fn a_file_that_was_replaced_is_told_from_the_one_that_is_there() {
    let context = Context::new();
    let path = context.path.join("slots/lock");
    let is_there = |file: &std::fs::File| {
        super::super::lock::is_there(&context.slots, name("lock"), file).unwrap()
    };
    let first = std::fs::File::create(&path).unwrap();
    assert!(is_there(&first));
    std::fs::remove_file(&path).unwrap();
    assert!(!is_there(&first), "removed");
    let second = std::fs::File::create(&path).unwrap();
    assert!(!is_there(&first), "replaced");
    assert!(is_there(&second));
}

#[test]
fn while_the_file_is_replaced_no_two_hold_what_is_there() {
    let context = Context::new();
    let path = context.path.join("slots/lock");
    let done = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(std::sync::atomic::Ordering::Relaxed) {
                drop(std::fs::remove_file(&path));
            }
        });
        let _over = Over(&done);
        let mut held = 0;
        for _ in 0..2000 {
            // Whoever gets a lock got it on a file that was there after it was locked.
            match context.disk.lock(&context.slots, name("lock")) {
                Ok(Some(_)) => held += 1,
                Ok(None) => {}
                Err(why) => assert_eq!(why.kind(), std::io::ErrorKind::ResourceBusy),
            }
        }
        assert!(held > 0);
    });
}

#[test]
fn what_is_not_a_regular_file_is_no_lock() {
    let context = Context::new();
    let outside = context.path.join("outside/new");
    std::os::unix::fs::symlink(&outside, context.path.join("slots/link")).unwrap();
    std::fs::create_dir(context.path.join("slots/dir")).unwrap();
    for bad in ["link", "dir"] {
        assert!(
            context.disk.lock(&context.slots, name(bad)).is_err(),
            "{bad}"
        );
    }
    assert!(!outside.exists());
}

#[test]
fn a_lock_ends_with_the_process_that_held_it() {
    let test = concat!(
        module_path!(),
        "::a_lock_ends_with_the_process_that_held_it"
    );
    if rerun::inner() {
        let disk = RealDisk::new();
        let slots = disk.root(&rerun::argument()).unwrap();
        let held = disk.lock(&slots, name("lock")).unwrap();
        println!("\nheld: {}", held.is_some());
        // The first process ends this one.
        drop(std::io::stdin().lines().next());
        return;
    }
    let context = Context::new();
    let slots = context.path.join("slots");
    let mut child = rerun::command(test, &[], slots.as_os_str())
        .spawn()
        .unwrap();
    let out = BufReader::new(child.stdout.take().unwrap());
    let said = out.lines().map(Result::unwrap);
    let said: Vec<String> = said.take_while(|line| !line.starts_with("held")).collect();
    let take = || context.disk.lock(&context.slots, name("lock")).unwrap();
    let while_it_lives = take();
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(while_it_lives.is_none(), "{said:?}");
    assert!(take().is_some());
}

#[test]
fn a_program_that_is_started_inherits_nothing_open() {
    let context = Context::new();
    let held = context.disk.lock(&context.slots, name("lock")).unwrap();
    let file = context
        .disk
        .create(&context.slots, name("0"), 0o600)
        .unwrap();
    let deep = context.disk.root(&context.path.join("outside")).unwrap();
    let beneath = context.disk.dir(&context.root, Path::new("")).unwrap();
    let output = std::process::Command::new("sh")
        .args(["-c", "readlink /proc/self/fd/*; true"])
        .output()
        .unwrap();
    let open = String::from_utf8_lossy(&output.stdout);
    assert!(!open.contains(context.path.to_str().unwrap()), "{open}");
    drop((held, file, deep, beneath));
}

#[test]
fn a_program_that_is_started_inherits_no_lock() {
    let context = Context::new();
    let held = context.disk.lock(&context.slots, name("lock")).unwrap();
    let mut child = std::process::Command::new("cat")
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    assert!(held.is_some());
    drop(held);
    let again = context.disk.lock(&context.slots, name("lock")).unwrap();
    drop(child.stdin.take());
    child.wait().unwrap();
    assert!(again.is_some());
}
