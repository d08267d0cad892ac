//! Watches the files of what is shown.

use std::sync::mpsc::{Receiver, Sender};
use std::thread;
use std::time::Duration;

use super::lanes::THREAD;
use crate::engine::Watcher;
use crate::tui::msg::Msg;

/// How long further changes are collected after one was reported.
const QUIET: Duration = Duration::from_millis(250);

/// A watcher that reports changes to the console.
pub(super) fn watcher(out: &Sender<Msg>) -> std::io::Result<Watcher> {
    let (watcher, changes) = Watcher::new();
    let out = out.clone();
    thread::Builder::new()
        .name(format!("{THREAD}-watch"))
        .spawn(move || tell(&changes, &out))?;
    Ok(watcher)
}

/// Reports the first change at once, and those that follow closely as one.
fn tell(changes: &Receiver<()>, out: &Sender<Msg>) {
    while changes.recv().is_ok() {
        loop {
            if out.send(Msg::Changed).is_err() {
                return;
            }
            thread::sleep(QUIET);
            if changes.try_iter().count() == 0 {
                break;
            }
        }
    }
}
