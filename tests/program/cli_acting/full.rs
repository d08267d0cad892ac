//! Where there is no room to write, every command that writes says so, what helps, and exits with 6.

use std::process::{Command, Output};

use super::sandbox::{Sandbox, differences};

/// Runs a command in which no file may become larger than this, in blocks of 512 bytes.
fn within(sandbox: &Sandbox, blocks: &str, args: &[&str]) -> Output {
    let run = sandbox.command(&sandbox.root(), args);
    let mut limited = Command::new("/bin/sh");
    let script = format!(r#"ulimit -f {blocks}; exec "$0" "$@""#);
    limited.args(["-c", &script]);
    limited.arg(run.get_program()).args(run.get_args());
    limited.env_clear().current_dir(sandbox.root());
    for (name, value) in run.get_envs() {
        limited.env(name, value.unwrap());
    }
    limited.output().unwrap()
}

#[test]
fn a_checkpoint_without_room_for_an_object_of_git_says_so_too() {
    let sandbox = Sandbox::new();
    let crucible = sandbox.crucible();
    // What cannot be compressed.
    let mut noise = 1_u32;
    let noise = std::iter::repeat_with(|| {
        noise = noise.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        noise.to_be_bytes()[0]
    });
    let noise: Vec<u8> = noise.take(500_000).collect();
    std::fs::write(sandbox.root().join("projects/shop/noise.bin"), noise).unwrap();
    let args = ["checkpoint", &crucible, "--reason", "now", "--tree"];
    let output = within(&sandbox, "400", &args);
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(6), "{said}");
    assert!(said.contains("Raise the limit of file sizes"), "{said}");
}

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
        let output = within(&sandbox, "0", args);
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
