//! Launching the hand-off in place: exactly the command that was shown, in exactly that directory.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use super::{Engine, EngineError, ErrorKind, Result};
use crate::foreign;
use crate::model::{Foreign, Handoff, LaunchEnd};
use crate::text::Shown as _;
use crate::world::launch;

/// True while a program that was started here has the terminal, and for a moment after: an interrupt or a
/// stop that comes then was meant for that program.
pub fn launching() -> bool {
    launch::under_way()
}

impl Engine {
    /// Runs the command of a hand-off in its directory and waits until it has ended. The terminal must be
    /// free: the program gets it. What was restored stays, whatever comes of this.
    pub fn launch(&self, handoff: &Handoff) -> Result<LaunchEnd> {
        self.launch_found(handoff, std::env::var_os("PATH").as_deref())
    }

    fn launch_found(&self, handoff: &Handoff, path: Option<&OsStr>) -> Result<LaunchEnd> {
        let (name, rest) = handoff.argv.split_first().ok_or_else(|| {
            EngineError::nothing_to_do("This hand-off has no command to launch.")
                .hint("Give the briefing to the orchestrator.")
        })?;
        // A line that may not be copied may not be launched either: the person cannot have seen what it says.
        let line = handoff.command_line().ok_or_else(|| {
            let text = "The command holds a control or hidden character, or bytes that are not text, and \
                        is neither launched nor copied.";
            EngineError::refused(text)
                .hint("Start the orchestrator yourself and give it the briefing.")
        })?;
        let by_hand = |error: EngineError| error.hint(format!("To start it yourself: {line}"));
        // A command that begins with `cd` to a directory that is not there, or is another one now, is of no use.
        let dir = self.directory(&handoff.cwd)?;
        let found = launch::program(name.as_path().as_os_str(), path)
            .ok_or_else(|| by_hand(missing(name)))?;
        let args: Vec<&OsStr> = rest.iter().map(|arg| arg.as_path().as_os_str()).collect();
        launch::run(&found, &args, Some(&dir)).map_err(|why| {
            let text = format!("{} could not be started: {why}.", name.shown());
            by_hand(EngineError::new(ErrorKind::NotFound, text))
        })
    }

    /// The directory of a hand-off, if it is still the one that was shown: there, a directory, and no link
    /// put in its way. Links above the person's own places are theirs.
    fn directory(&self, shown: &Path) -> Result<PathBuf> {
        let files = self.world.files();
        let there = files.canonical(shown).ok_or_else(|| {
            let text = foreign!("The directory {} no longer exists, so nothing was launched.", shown);
            let back = "Bring the directory back (git worktree add, git clone, a mount or a backup), then launch again.";
            EngineError::new(ErrorKind::NotFound, text)
                .hint(back)
                .hint("To see which checkpoints have its files: relight checkpoints PIPELINE")
        })?;
        let places = self.world.places();
        let own = places
            .claude
            .iter()
            .chain(&places.home)
            .chain(&places.temp)
            .filter_map(|place| {
                let rest = shown.strip_prefix(place).ok()?;
                Some(files.canonical(place)?.join(rest))
            });
        let as_shown = std::iter::once(shown.to_owned())
            .chain(own)
            .any(|expected| expected == there);
        if !as_shown {
            return Err(EngineError::refused(foreign!(
                "{} is not the directory that was shown: it is a symbolic link to {}.",
                shown,
                &there
            )));
        }
        Ok(there)
    }
}

fn missing(name: &Foreign) -> EngineError {
    let text = foreign!("{} is not installed, or not on PATH.", name);
    EngineError::new(ErrorKind::NotFound, text)
        .hint("Install it, or name another command under [agent] in the configuration.")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world::fake::FakeWorld;

    fn engine() -> Engine {
        Engine::new(
            Box::new(FakeWorld::from("2026-11-21T07:00:00+00:00")),
            Vec::new(),
        )
    }

    fn handoff(cwd: &Path, argv: &[&str]) -> Handoff {
        Handoff {
            cwd: cwd.to_owned(),
            argv: argv.iter().map(|arg| Foreign::from(*arg)).collect(),
            ..Handoff::default()
        }
    }

    fn refusal(handoff: &Handoff) -> (ErrorKind, String) {
        let error = engine().launch(handoff).unwrap_err();
        let hints: Vec<String> = error.hints.iter().map(|h| h.lossy().into_owned()).collect();
        (
            error.kind,
            format!("{} {}", error.text.lossy(), hints.join(" ")),
        )
    }

    #[test]
    fn runs_in_the_directory_and_tells_the_end() {
        let dir = crate::world::temporary::directory();
        let at = dir.path().canonicalize().unwrap();
        let argv = ["/bin/sh", "-c", "pwd > \"$1\"; exit 4", "sh", "out"];
        let end = engine().launch(&handoff(&at, &argv)).unwrap();
        assert_eq!(end, LaunchEnd::Exited(4));
        let out = std::fs::read_to_string(at.join("out")).unwrap();
        assert_eq!(out.trim_end(), at.to_str().unwrap());
    }

    #[test]
    fn a_program_that_is_not_there_leaves_the_command_to_type() {
        let dir = crate::world::temporary::directory();
        let at = dir.path().canonicalize().unwrap();
        for name in ["no-such-agent", "./agent", "/no/such/agent"] {
            let (kind, said) = refusal(&handoff(&at, &[name, "/mgw:run 5"]));
            assert_eq!(kind, ErrorKind::NotFound, "{name}");
            let line = format!("cd {} && {name} '/mgw:run 5'", at.display());
            assert!(said.contains(&line), "{said}");
        }
    }

    #[test]
    fn what_a_terminal_obeys_or_hides_is_never_launched() {
        let dir = crate::world::temporary::directory();
        let at = dir.path().canonicalize().unwrap();
        for odd in [
            "a\nb",
            "\u{1b}[201~",
            "x\u{202e}y",
            "zero\u{200b}width",
            "tab\t",
        ] {
            let made = at.join("made");
            let argv = ["/bin/sh", "-c", "touch made", odd];
            let (kind, said) = refusal(&handoff(&at, &argv));
            assert_eq!(kind, ErrorKind::Refused, "{odd:?}");
            assert!(!said.contains("To start it yourself"), "{said}");
            assert!(!made.exists(), "{odd:?}");
        }
        let mut bytes = handoff(&at, &["/bin/true"]);
        bytes.argv.push(Foreign::from(&b"\xff"[..]));
        assert_eq!(refusal(&bytes).0, ErrorKind::Refused);
        assert_eq!(refusal(&handoff(&at, &[])).0, ErrorKind::NothingToDo);
    }

    #[test]
    fn a_directory_that_went_or_was_swapped_for_a_link_is_refused() {
        let dir = crate::world::temporary::directory();
        let at = dir.path().canonicalize().unwrap();
        let (kind, said) = refusal(&handoff(&at.join("gone"), &["/bin/true"]));
        assert_eq!(kind, ErrorKind::NotFound);
        assert!(said.contains("/gone no longer exists"), "{said}");
        assert!(said.contains("Bring the directory back"), "{said}");
        assert!(!said.contains("cd "), "{said}");
        std::fs::create_dir(at.join("other")).unwrap();
        std::os::unix::fs::symlink("other", at.join("project")).unwrap();
        let (kind, said) = refusal(&handoff(&at.join("project"), &["/bin/true"]));
        assert_eq!(kind, ErrorKind::Refused);
        assert!(said.contains("/other.") && !said.contains("cd "), "{said}");
    }

    #[test]
    fn a_link_above_the_persons_own_place_is_theirs() {
        let dir = crate::world::temporary::directory();
        let at = dir.path().canonicalize().unwrap();
        std::fs::create_dir_all(at.join("real/projects")).unwrap();
        std::os::unix::fs::symlink("real", at.join("claude")).unwrap();
        let mut world = FakeWorld::from("2026-11-21T07:00:00+00:00");
        world.places.claude = Some(at.join("claude"));
        let engine = Engine::new(Box::new(world), Vec::new());
        let end = engine.launch(&handoff(&at.join("claude/projects"), &["/bin/true"]));
        assert_eq!(end.unwrap(), LaunchEnd::Exited(0));
    }
}
