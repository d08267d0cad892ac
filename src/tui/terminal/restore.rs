//! Restores the terminal, wherever the console ends.

use std::io::{self, Write as _};
use std::panic;
use std::sync::atomic::{AtomicBool, Ordering};

use crossterm::cursor::Show;
use crossterm::event::DisableBracketedPaste;
use crossterm::queue;
use crossterm::style::ResetColor;
use crossterm::terminal::{LeaveAlternateScreen, disable_raw_mode};

use crate::tui::worker::THREAD;

/// Whether the terminal is ours.
static TAKEN: AtomicBool = AtomicBool::new(false);

/// Notes that the terminal is ours, or no longer.
pub(super) fn taken(taken: bool) {
    TAKEN.store(taken, Ordering::SeqCst);
}

/// Restores the terminal, once. Continues after an error, because the next step may still work.
pub(super) fn restore() {
    if !TAKEN.swap(false, Ordering::SeqCst) {
        return;
    }
    let mut out = io::stdout().lock();
    let shown = out
        .write_all(super::MOUSE_OFF.as_bytes())
        .and_then(|()| {
            queue!(
                out,
                DisableBracketedPaste,
                ResetColor,
                LeaveAlternateScreen,
                Show
            )
        })
        .and_then(|()| out.flush());
    let cooked = disable_raw_mode();
    // An error cannot be reported, and a closed terminal needs no restoring.
    drop((shown, cooked));
}

/// From now on the terminal is restored before a panic is reported. A panic in a worker's thread is
/// answered there, and the console continues.
pub(in crate::tui) fn on_panic() {
    let report = panic::take_hook();
    panic::set_hook(Box::new(move |info| {
        let thread = std::thread::current();
        let worker = thread.name().is_some_and(|name| name.starts_with(THREAD));
        if worker && TAKEN.load(Ordering::SeqCst) {
            return;
        }
        restore();
        report(info);
    }));
}
