//! Where there is no room to write, every command that writes says so, what helps, and exits with 6.

use std::process::Command;

use super::sandbox::{Sandbox, differences};

#[test]
fn a_command_without_room_exits_with_6_and_says_what_gives_room() {
    let sandbox = Sandbox::new();
    let crucible = sandbox.crucible();
    let (export, demo) = (sandbox.root().join("taken"), sandbox.root().join("demo2"));
    let (export, demo) = (export.to_str().unwrap(), demo.to_str().unwrap());
    let commands: [&[&str]; 7] = [
        &["resume", "mgw-57", "step-plan", "--yes"],
        &["record", "mgw-57", "--step", "execute"],
        &["checkpoint", "mgw-57", "--reason", "now"],
        &["checkpoint", &crucible, "--reason", "now", "--tree"],
        &["rehearse", &crucible],
        &["export", "projects/handbook", export],
        &["demo", "--no-console", demo],
    ];
    for args in commands {
        let before = sandbox.persons();
        let run = sandbox.command(&sandbox.root(), args);
        // No file may become larger than nothing.
        let mut limited = Command::new("/bin/sh");
        limited.args(["-c", r#"ulimit -f 0; exec "$0" "$@""#]);
        limited.arg(run.get_program()).args(run.get_args());
        limited.env_clear().current_dir(sandbox.root());
        for (name, value) in run.get_envs() {
            limited.env(name, value.unwrap());
        }
        let output = limited.output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(6), "{args:?}: {said}");
        assert!(
            said.contains("Raise the limit of file sizes"),
            "{args:?}: {said}"
        );
        let mut changed = differences(&before, &sandbox.persons());
        changed.retain(|path| !path.starts_with(demo) && !path.starts_with("demo2"));
        assert!(changed.is_empty(), "{args:?}: {changed:?}");
    }
}
