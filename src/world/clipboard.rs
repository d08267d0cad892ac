//! The person's clipboard, through a program of this session.

use std::ffi::OsString;
use std::io::Write as _;
use std::process::Stdio;
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use super::command::{find, scrubbed};

/// How long all programs together may take to read the text. The console waits for them.
const LIMIT: Duration = Duration::from_secs(1);

/// Copies a text to the clipboard and returns the clipboard's name. `None` if no program could take it, so that only
/// the terminal is left: over SSH, the programs here belong to another screen.
pub(crate) fn copy(text: &str, env: &dyn Fn(&str) -> Option<OsString>) -> Option<&'static str> {
    let is_set = |name: &str| env(name).is_some_and(|value| !value.is_empty());
    let near = !is_set("SSH_CONNECTION") && !is_set("SSH_TTY");
    let programs: [(bool, &str, &[&str], &str); 4] = [
        // With -w, tmux also passes it to the terminal's clipboard; older versions do not know the option.
        (
            is_set("TMUX"),
            "tmux",
            &["load-buffer", "-w", "-"],
            "tmux and the terminal's clipboard",
        ),
        (
            is_set("TMUX"),
            "tmux",
            &["load-buffer", "-"],
            "tmux (paste it with the prefix and ])",
        ),
        (
            near && is_set("WAYLAND_DISPLAY"),
            "wl-copy",
            &[],
            "the clipboard",
        ),
        (
            near && is_set("DISPLAY"),
            "xclip",
            &["-selection", "clipboard", "-in"],
            "the clipboard",
        ),
    ];
    let deadline = Instant::now() + LIMIT;
    let mut programs = programs.iter().filter(|(fits, ..)| *fits);
    let (.., place) = programs.find(|(_, program, args, _)| {
        Instant::now() < deadline && given((program, args), text, deadline, env) == Some(true)
    })?;
    Some(place)
}

/// Whether the program exited with status 0 after it got the text; `None` if it could not be started.
fn given(
    (program, args): (&str, &[&str]),
    text: &str,
    deadline: Instant,
    env: &dyn Fn(&str) -> Option<OsString>,
) -> Option<bool> {
    let program = find(program, env("PATH").as_deref())?;
    let args: Vec<&std::ffi::OsStr> = args.iter().map(std::ffi::OsStr::new).collect();
    // A process that stays to own the selection must not keep the console's own outputs open.
    let mut child = scrubbed(&program, &args)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    let (mut to, text) = (child.stdin.take()?, text.to_owned());
    // A program that does not read blocks whoever writes to it, once the pipe is full.
    let (tell, sent) = mpsc::channel();
    thread::spawn(move || tell.send(to.write_all(text.as_bytes()).is_ok()));
    let ended = super::command::ended_by(&mut child, deadline).ok()??;
    let left = deadline.saturating_duration_since(Instant::now());
    Some(ended.success() && sent.recv_timeout(left) == Ok(true))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;
    use std::path::Path;

    use super::*;

    fn program(folder: &Path, name: &str, script: &str) {
        let file = folder.join(name);
        std::fs::write(&file, format!("#!/bin/sh\n{script}\n")).unwrap();
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755)).unwrap();
    }

    #[test]
    fn a_program_that_does_not_read_holds_nothing_up() {
        let folder = crate::world::temporary::directory();
        let bin = folder.path();
        for name in ["tmux", "wl-copy", "xclip"] {
            program(bin, name, "exec sleep 1000");
        }
        let path = format!("{}:/usr/bin:/bin", bin.display());
        let env = |name: &str| match name {
            "PATH" => Some(OsString::from(&path)),
            "SSH_CONNECTION" | "SSH_TTY" => None,
            _ => Some(OsString::from("1")),
        };
        // More than a pipe holds.
        assert_eq!(copy(&"x".repeat(1 << 20), &env), None);
    }

    #[test]
    fn the_program_of_the_session_has_it() {
        let folder = crate::world::temporary::directory();
        let bin = folder.path();
        let got = bin.join("got");
        let save = format!(
            "printf '%s ' \"$0\" \"$@\" > '{0}'; cat >> '{0}'",
            got.display()
        );
        for name in ["wl-copy", "xclip"] {
            program(bin, name, &save);
        }
        // Simulates an older tmux.
        program(bin, "tmux", &format!("[ \"$2\" != -w ] || exit 1; {save}"));
        let path = format!("{}:/usr/bin:/bin", bin.display());
        let copied = |set: &[&str]| {
            let _none_yet = std::fs::remove_file(&got);
            let env = |name: &str| match name {
                "PATH" => Some(OsString::from(&path)),
                name => set.contains(&name).then(|| OsString::from("1")),
            };
            let place = copy("two\nlines", &env);
            let text = std::fs::read_to_string(&got).unwrap_or_default();
            (place, text.replace(&format!("{}/", bin.display()), ""))
        };
        let of = |place, text: &str| (Some(place), text.to_owned());
        assert_eq!(copied(&[]), (None, String::new()));
        assert_eq!(
            copied(&["WAYLAND_DISPLAY", "DISPLAY"]),
            of("the clipboard", "wl-copy two\nlines")
        );
        assert_eq!(
            copied(&["DISPLAY"]),
            of("the clipboard", "xclip -selection clipboard -in two\nlines")
        );
        assert_eq!(copied(&["DISPLAY", "SSH_TTY"]), (None, String::new()));
        assert_eq!(
            copied(&["TMUX", "SSH_TTY"]),
            of(
                "tmux (paste it with the prefix and ])",
                "tmux load-buffer - two\nlines"
            )
        );
        program(bin, "tmux", &save);
        assert_eq!(
            copied(&["TMUX"]),
            of(
                "tmux and the terminal's clipboard",
                "tmux load-buffer -w - two\nlines"
            )
        );
    }
}
