//! Signals as messages, and stopping as a job of the shell.

use std::io;
use std::sync::mpsc::Sender;
use std::thread;

use signal_hook::consts::{SIGCONT, SIGHUP, SIGINT, SIGSTOP, SIGTERM, SIGTSTP};
use signal_hook::iterator::Signals;

use crate::tui::msg::{Msg, Signal};

/// Listens for the signals that the console answers.
pub(in crate::tui) fn listen(out: Sender<Msg>) -> io::Result<()> {
    let mut signals = Signals::new([SIGTERM, SIGHUP, SIGINT, SIGTSTP, SIGCONT])?;
    thread::Builder::new()
        .name("relight-signals".to_owned())
        .spawn(move || {
            for signal in signals.forever() {
                let signal = match signal {
                    SIGTSTP => Signal::Stop,
                    SIGCONT => Signal::Continue,
                    SIGINT => Signal::Interrupt,
                    _ => Signal::End,
                };
                if out.send(Msg::Signal(signal)).is_err() {
                    return;
                }
            }
        })?;
    Ok(())
}

/// Stops this process until the shell continues it. The terminal must be restored first.
pub(in crate::tui) fn stop_here() -> io::Result<()> {
    signal_hook::low_level::raise(SIGSTOP)
}
