//! From a key and the contexts that listen to a command.

use super::{COMMANDS, Cmd, Command, Context};
use crate::tui::keys::Key;

/// Which keys mean what, after the person's own wishes.
#[derive(Debug, Clone)]
pub struct Keymap {
    bindings: Vec<(Context, Key, &'static Command)>,
}

impl Default for Keymap {
    fn default() -> Self {
        Self::new(&[]).0
    }
}

impl Keymap {
    /// The table's keys, changed by pairs of a command's name and its keys. Wishes that cannot be met are
    /// returned, a sentence each; the rest holds.
    pub fn new(wishes: &[(String, Vec<String>)]) -> (Self, Vec<String>) {
        let mut refused = Vec::new();
        let mut bindings = Vec::new();
        for command in COMMANDS {
            let wish = wishes.iter().find(|(name, _)| name == command.name);
            let names: Vec<&str> = match wish {
                Some((_, names)) => names.iter().map(String::as_str).collect(),
                None => command.keys.to_vec(),
            };
            for name in names {
                match Key::parse(name) {
                    Some(key) => bindings.push((command.context, key, command)),
                    None => refused.push(format!(
                        "`{name}` is not the name of a key ({}).",
                        command.name
                    )),
                }
            }
        }
        let unknown = wishes
            .iter()
            .filter(|(name, _)| !COMMANDS.iter().any(|command| command.name == name))
            .map(|(name, _)| format!("`{name}` is not the name of a command."));
        refused.extend(unknown);
        (Self { bindings }, refused)
    }

    /// The command that a key means here; the first context that knows the key decides.
    pub fn command(&self, key: Key, contexts: &[Context]) -> Option<&'static Command> {
        contexts.iter().find_map(|context| {
            self.bindings
                .iter()
                .find(|(heard, bound, _)| heard == context && *bound == key)
                .map(|(.., command)| *command)
        })
    }

    /// The keys of a command.
    pub fn keys(&self, command: &Command) -> impl Iterator<Item = Key> + '_ {
        let name = command.name;
        self.bindings
            .iter()
            .filter(move |(.., bound)| bound.name == name)
            .map(|(_, key, _)| *key)
    }

    /// The key to show for a command that is heard in one of the contexts.
    pub fn first_key(&self, id: Cmd, contexts: &[Context]) -> Option<Key> {
        let command = super::find(id, contexts)?;
        self.keys(command).next()
    }
}
