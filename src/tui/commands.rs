//! The one table of everything a key can do.
//!
//! Dispatch, the footer, the help, the palette and the README's table are all made from [`COMMANDS`]. Each screen has
//! its own rows, and the commands that no other screen has; here is what several screens share. The table has its own
//! tests.

mod keyed;
mod keymap;

use std::sync::LazyLock;

use crate::tui::screens::{self, Follow, menu};
use crate::tui::update::{copying, keys};

pub(crate) use keyed::{keyed, keyed_below, keyed_on, named};
pub(crate) use keymap::DEFAULT;
pub use keymap::Keymap;

/// Every command of the console: the rows of every screen, then those that are heard on all of them.
pub static COMMANDS: LazyLock<Vec<Command>> = LazyLock::new(|| {
    let screens = screens::KEYS.iter().copied().flatten();
    screens.chain(KEYS).copied().collect()
});

/// The commands of a context.
pub(crate) fn of(context: Context) -> impl Iterator<Item = &'static Command> {
    let commands = COMMANDS.iter();
    commands.filter(move |command| command.context == context)
}

/// An operation of the console. Each is an associated constant, so that a screen can declare its own beside its keys
/// with `commands!` and match on them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Cmd {
    name: &'static str,
    acts: bool,
}

impl Cmd {
    /// An operation; `commands!` declares them.
    pub(crate) const fn new(name: &'static str, acts: bool) -> Self {
        Self { name, acts }
    }

    /// Whether it asks to write something or to start a program, which `--read-only` refuses.
    pub(crate) fn acts(self) -> bool {
        self.acts
    }
}

/// Declares commands; with `acting:`, those that ask to write something or to start a program.
macro_rules! commands {
    (acting: $($name:ident),+ $(,)?) => { commands!(@declare true, $($name),+); };
    (@declare $acts:literal, $($name:ident),+) => {
        #[expect(non_upper_case_globals, reason = "matched and read like the variants of an enum")]
        impl $crate::tui::commands::Cmd {
            $(pub(crate) const $name: Self = Self::new(stringify!($name), $acts);)+
        }
    };
    ($($name:ident),+ $(,)?) => { commands!(@declare false, $($name),+); };
}
pub(crate) use commands;

/// Writes one row of a screen's keys, on one line: command, name, context, keys, label, help, then what only some rows
/// have. With `does`, the command calls that function on every screen; otherwise the screen itself handles it.
macro_rules! row {
    ($id:ident => $name:literal, $context:path, [$($key:literal),*], $label:literal, $help:literal $(, cli $cli:literal)? $(, foot $foot:literal)? $(, does $does:path)?) => {
        $crate::tui::commands::Command {
            id: $crate::tui::commands::Cmd::$id,
            name: $name,
            context: $context,
            keys: &[$($key),*],
            label: $label,
            help: $help,
            cli: row!(@option $($cli)?),
            footer: row!(@option $($foot)?),
            does: row!(@option $($does)?),
        }
    };
    (@option) => { None };
    (@option $value:expr) => { Some($value) };
}
pub(crate) use row;

// What several screens have.
commands! {
    Down, Up, First, Last, HalfDown, HalfUp, PageDown, PageUp, Left, Right, Help, Palette, Back,
    Quit, Cancel, Suspend, Copy, Open, Reload, Mouse, Redraw, Enter, Filter, NextHit, PrevHit,
    Points, Plan, NextPane, PrevPane, Pane1, Pane2, Pane3, Pane4, NextWarning, PrevWarning,
    Include, Amend, Handoff, Recoveries, Undo, Redo, NextChange, PrevChange, Replays, Compare,
    Side, ShowPlan,
}

commands! { acting: Recover, Export, Purge }

/// Where a command is available: a screen, or a part of one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Context {
    /// The heading in the help.
    pub title: &'static str,
    within: Option<&'static Self>,
}

/// Every screen.
pub const EVERYWHERE: Context = Context {
    title: "Everywhere",
    within: None,
};

impl Context {
    /// The context of a screen.
    pub const fn new(title: &'static str) -> Self {
        Self::within(title, &EVERYWHERE)
    }

    /// The context of a part of a screen.
    pub const fn within(title: &'static str, whole: &'static Self) -> Self {
        Self {
            title,
            within: Some(whole),
        }
    }

    /// The contexts in which a key is looked up, the most specific first.
    pub fn chain(self) -> Vec<Self> {
        std::iter::successors(Some(self), |context| context.within.copied()).collect()
    }
}

/// A row of the table.
#[derive(Debug, Clone, Copy)]
pub struct Command {
    /// What it does.
    pub id: Cmd,
    /// Its stable name in a keymap.
    pub name: &'static str,
    /// Where it is available.
    pub context: Context,
    /// Names of its default keys.
    pub keys: &'static [&'static str],
    /// One or two words for the footer.
    pub label: &'static str,
    /// One sentence for the help.
    pub help: &'static str,
    /// The command that gives the same without a console; `PIPELINE` and `POINT` are filled in.
    pub cli: Option<&'static str>,
    /// Its place in the footer, the smallest first; `None` keeps it to the help.
    pub footer: Option<u8>,
    /// What it does on every screen; `None` where the topmost screen handles it.
    pub(crate) does: Option<Follow>,
}

/// The keys that are heard on every screen.
const KEYS: &[Command] = &[
    // Moving.
    row!(Down => "down", EVERYWHERE, ["j", "down"], "down", "Go one row down."),
    row!(Up => "up", EVERYWHERE, ["k", "up"], "up", "Go one row up."),
    row!(First => "first", EVERYWHERE, ["g", "home"], "first", "Go to the first row."),
    row!(Last => "last", EVERYWHERE, ["G", "end"], "last", "Go to the last row."),
    row!(HalfDown => "half-down", EVERYWHERE, ["ctrl-d"], "half page down", "Go half a page down."),
    row!(HalfUp => "half-up", EVERYWHERE, ["ctrl-u"], "half page up", "Go half a page up."),
    row!(PageDown => "page-down", EVERYWHERE, ["pgdn", "ctrl-f"], "page down", "Go a page down."),
    row!(PageUp => "page-up", EVERYWHERE, ["pgup", "ctrl-b"], "page up", "Go a page up."),
    row!(Left => "left", EVERYWHERE, ["h", "left"], "left", "Fold, go to the pane on the left, or scroll left."),
    row!(Right => "right", EVERYWHERE, ["l", "right"], "right", "Unfold, go to the pane on the right, or scroll right."),
    // What every screen has.
    row!(Copy => "copy", EVERYWHERE, ["y"], "copy", "Copy the id, path or command of the selected row.", foot 1, does copying::copy),
    row!(Open => "editor", EVERYWHERE, ["o"], "editor", "Open the file of the selected row in $EDITOR, else in $PAGER.", does copying::open),
    row!(Reload => "reload", EVERYWHERE, ["f5"], "reload", "Read everything on this screen again.", does keys::reload),
    row!(Palette => "palette", EVERYWHERE, [":"], "commands", "List every command of this screen, and run one by name.", does menu::palette),
    row!(Mouse => "mouse", EVERYWHERE, ["f2"], "mouse", "Capture the mouse, or release it to the terminal for selecting text.", does keys::mouse),
    row!(Redraw => "redraw", EVERYWHERE, ["ctrl-l"], "redraw", "Redraw the screen."),
    row!(Suspend => "suspend", EVERYWHERE, ["ctrl-z"], "suspend", "Suspend the console as a job of the shell; `fg` continues it.", does keys::suspend),
    row!(Back => "back", EVERYWHERE, ["esc"], "back", "Close the topmost screen or dialog, or clear the filter.", does keys::back),
    row!(Quit => "quit", EVERYWHERE, ["q"], "quit", "Go back; quit from the list of pipelines.", foot 9, does keys::quit),
    row!(Cancel => "cancel", EVERYWHERE, ["ctrl-c"], "cancel", "Cancel the topmost dialog; quit if there is none.", does keys::cancel),
    row!(Help => "help", EVERYWHERE, ["?", "f1"], "help", "Show every key of this screen, with the equivalent command line.", foot 8, does menu::help),
];

#[cfg(test)]
mod tests;
