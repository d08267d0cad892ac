//! Opening a text in the person's editor, and reading it back.

use std::ffi::{OsStr, OsString};

use super::{Engine, EngineError, Result};
use crate::apply::disk::{Disk as _, RealDisk};
use crate::apply::home;
use crate::apply::session::new_id;
use crate::world::{clipboard, viewer};

/// The folder of relight's own state for a text while it is edited.
const FOLDER: &str = "edited";

/// The most bytes that are read back from the editor.
const MOST: u64 = 64 << 20;

impl Engine {
    /// Gives a text to the person's clipboard by a program of this session, and names what has it.
    pub fn copy_text(&self, text: &str) -> Option<&'static str> {
        clipboard::copy(text, &|name| std::env::var_os(name))
    }

    /// Gives a text to `$EDITOR`, in the foreground, waits, and answers with what was saved. The terminal must be
    /// free. The text is in a private folder of relight's own state meanwhile and is removed afterwards.
    pub fn edit_text(&self, text: &[u8]) -> Result<Vec<u8>> {
        self.edited_by(text, &|name| std::env::var_os(name))
    }

    /// The same with an environment.
    pub(super) fn edited_by(
        &self,
        text: &[u8],
        env: &dyn Fn(&str) -> Option<OsString>,
    ) -> Result<Vec<u8>> {
        let editor = env("EDITOR").filter(|value| !value.is_empty());
        if editor.is_none() {
            return Err(EngineError::refused("EDITOR does not name a program.")
                .hint("Set EDITOR to an editor that is installed."));
        }
        let failed = |error: std::io::Error| {
            let text = format!("The editor could not be started with the text: {error}.");
            EngineError::refused(text)
        };
        let disk = RealDisk::new();
        let (state, me) = (self.writable_state()?, self.world.places().uid);
        let folder = home::Home::rehearsal(&disk, &state, FOLDER, me);
        let (dir, path) = folder.map_err(failed)?;
        let name = format!("{}.md", new_id(self.now(), text));
        let name = OsStr::new(&name);
        let mut file = disk.create(&dir, name, 0o600).map_err(failed)?;
        disk.write(&mut file, text).map_err(failed)?;
        drop(file);
        // Without a pager: it could not save what was written.
        let shown = viewer::show(&path.join(name), None, &|wanted| {
            env(wanted).filter(|_| wanted != "PAGER")
        });
        let saved = disk.read(&dir, name, MOST).map_err(failed);
        // A text that is left is in the way of nobody: the next one has another name.
        let _removed = disk.remove(&dir, name);
        shown.map_err(|why| {
            EngineError::refused(format!("The editor failed: {why}."))
                .hint("Set EDITOR to an editor that is installed.")
        })?;
        saved
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::Scene;
    use super::*;

    #[test]
    fn what_is_saved_comes_back_and_nothing_is_left_behind() {
        let scene = Scene::new();
        // What the environment has, and what comes back.
        let table = [
            (Some("sed -i s/open/settled/"), Some("settled\n")),
            (Some("true"), Some("open\n")),
            (Some("false"), None),
            (Some("no-such-editor-of-relight"), None),
            (Some(""), None),
            (None, None),
        ];
        for (editor, expected) in table {
            let env = |name: &str| match name {
                "EDITOR" => editor.map(OsString::from),
                "PATH" => std::env::var_os("PATH"),
                // A pager is no editor.
                _ => Some(OsString::from("true")),
            };
            let saved = scene.engine.edited_by(b"open\n", &env);
            assert_eq!(
                saved.as_deref().ok(),
                expected.map(str::as_bytes),
                "{editor:?}"
            );
        }
        let folder = scene.path("home/.local/state/relight");
        let left: Vec<_> = std::fs::read_dir(folder)
            .unwrap()
            .flat_map(|one| std::fs::read_dir(one.unwrap().path().join(FOLDER)))
            .flatten()
            .collect();
        assert!(left.is_empty(), "{left:?}");
    }
}
