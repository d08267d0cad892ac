//! Finds the command of a key in the active contexts.

use std::sync::LazyLock;

use super::{COMMANDS, Cmd, Command, Context, of};
use crate::clean;
use crate::model::Clean;
use crate::tui::keys::Key;

/// The keys of all commands, with the person's own keymap applied.
#[derive(Debug, Clone)]
pub struct Keymap {
    bindings: Vec<Binding>,
}

/// Where a key is heard, the key, and what it means.
type Binding = (Context, Key, &'static Command);

/// The keys of the table.
pub(crate) static DEFAULT: LazyLock<Keymap> = LazyLock::new(Keymap::default);

impl Default for Keymap {
    fn default() -> Self {
        Self::new(&[]).0
    }
}

impl Keymap {
    /// The default keys, changed by the person's pairs of a command's name and its keys. A configured key is removed
    /// from the command that has it by default. This, and every pair that cannot be used, is returned as a sentence;
    /// the other pairs apply, and a command none of whose keys can be used keeps its own.
    pub fn new(wishes: &[(String, Vec<String>)]) -> (Self, Vec<String>) {
        let mut said = Vec::new();
        let mut bindings: Vec<Binding> = Vec::new();
        let wish = |command: &Command| wishes.iter().find(|(name, _)| name == command.name);
        for command in COMMANDS.iter() {
            for name in wish(command).map_or(&Vec::new(), |(_, names)| names) {
                let Some(key) = Self::key(name) else {
                    continue;
                };
                match clash(&bindings, key, command) {
                    Some(other) => said.push(format!(
                        "`{name}` is {} already: {} does not get it.",
                        other.name, command.name
                    )),
                    None => bindings.push((command.context, key, command)),
                }
            }
        }
        let met = |command: &Command| {
            let has_one = || bindings.iter().any(|(.., of)| of.name == command.name);
            wish(command).is_some_and(|(_, names)| names.is_empty() || has_one())
        };
        let unmet: Vec<&Command> = COMMANDS.iter().filter(|command| !met(command)).collect();
        for command in unmet {
            for key in command.keys.iter().filter_map(|name| Key::parse(name)) {
                match clash(&bindings, key, command) {
                    Some(other) if wish(other).is_some() => said.push(format!(
                        "{} takes `{key}` from {}.",
                        other.name, command.name
                    )),
                    _ => bindings.push((command.context, key, command)),
                }
            }
        }
        said.extend(Self::unknown(wishes));
        (Self { bindings }, said)
    }

    /// The names in a person's pairs that no command or key has, a sentence each.
    pub fn unknown(wishes: &[(String, Vec<String>)]) -> Vec<String> {
        let known = |id: &String| COMMANDS.iter().any(|command| command.name == id);
        let mut said = Vec::new();
        for (id, names) in wishes {
            if known(id) {
                let odd = names.iter().filter(|name| Self::key(name).is_none());
                said.extend(odd.map(|name| format!("`{name}` is not the name of a key ({id}).")));
            } else {
                said.push(format!("`{id}` is not the name of a command."));
            }
        }
        said
    }

    /// The key of a name, also as the console shows it: `Enter`, `Ctrl-R`.
    fn key(name: &str) -> Option<Key> {
        Key::parse(name).or_else(|| Key::shown(name))
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

    /// What a person presses for an operation: its first key in the first of these contexts that has it, in any other
    /// where none has it. The name that the palette runs it by, where the person left it no key.
    pub(crate) fn name(&self, cmd: Cmd, contexts: impl IntoIterator<Item = Context>) -> Clean {
        let is_meant = |command: &&Command| command.id == cmd;
        let mut contexts = contexts.into_iter();
        let here = contexts.find_map(|context| of(context).find(is_meant));
        let Some(command) = here.or_else(|| COMMANDS.iter().find(is_meant)) else {
            return Clean::empty();
        };
        self.name_of(command)
    }

    /// The same of a row of the table.
    pub(crate) fn name_of(&self, command: &Command) -> Clean {
        match self.keys(command).next() {
            Some(key) => Clean::new(&key.to_string()),
            None => clean!(":{}", command.name),
        }
    }

    /// The keys of a command.
    pub fn keys(&self, command: &Command) -> impl Iterator<Item = Key> + '_ {
        let name = command.name;
        self.bindings
            .iter()
            .filter(move |(.., bound)| bound.name == name)
            .map(|(_, key, _)| *key)
    }
}

/// The command that has a key already where another one would be heard too.
fn clash(bindings: &[Binding], key: Key, command: &Command) -> Option<&'static Command> {
    let heard = command.context.chain();
    let together =
        |other: Context| heard.contains(&other) || other.chain().contains(&command.context);
    let mut taken = bindings.iter().filter(|(_, bound, _)| *bound == key);
    let other = taken.find(|(context, ..)| together(*context));
    other.map(|(.., other)| *other)
}
