//! The keys that are heard on every screen.

use super::{Command, EVERYWHERE, row};
use crate::tui::screens::menu;
use crate::tui::update::{copying, keys};

/// Its keys.
pub(super) const KEYS: &[Command] = &[
    // Moving.
    row!(Down => "down", EVERYWHERE, ["j", "down"], "down", "Go one row down."),
    row!(Up => "up", EVERYWHERE, ["k", "up"], "up", "Go one row up."),
    row!(First => "first", EVERYWHERE, ["g", "home"], "first", "Go to the first row."),
    row!(Last => "last", EVERYWHERE, ["G", "end"], "last", "Go to the last row."),
    row!(HalfDown => "half-down", EVERYWHERE, ["ctrl-d"], "half page down", "Go half a page down."),
    row!(HalfUp => "half-up", EVERYWHERE, ["ctrl-u"], "half page up", "Go half a page up."),
    row!(PageDown => "page-down", EVERYWHERE, ["pgdn"], "page down", "Go a page down."),
    row!(PageUp => "page-up", EVERYWHERE, ["pgup"], "page up", "Go a page up."),
    row!(Left => "left", EVERYWHERE, ["h", "left"], "left", "Fold, go to the pane on the left, or scroll left."),
    row!(Right => "right", EVERYWHERE, ["l", "right"], "right", "Unfold, go to the pane on the right, or scroll right."),
    // What every screen has.
    row!(Copy => "copy", EVERYWHERE, ["y"], "copy", "Copy the id, path or command of the selected row.", does copying::copy),
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
