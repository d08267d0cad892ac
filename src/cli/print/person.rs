//! The person at this terminal. The question goes to stderr, so that stdout contains only the answer.

use std::io::{self, IsTerminal as _, Write as _};
use std::sync::mpsc::channel;
use std::thread;

use super::{Printer, cells};
use crate::cli::answer::Line;
use crate::cli::interrupt;
use crate::cli::person::Person;
use crate::model::Clean;

/// The person at the terminal of this process.
pub(in crate::cli) struct AtTerminal<'a>(pub(in crate::cli) &'a Printer);

impl Person for AtTerminal<'_> {
    fn present(&self) -> bool {
        io::stdin().is_terminal() && io::stderr().is_terminal()
    }

    fn width(&self) -> usize {
        cells(io::stderr().is_terminal())
    }

    fn show(&mut self, lines: &[Line]) {
        // A question must be readable; without one, these lines are notes.
        if !self.0.quiet || self.present() {
            self.0.tell(lines);
        }
    }

    fn ask(&mut self, prompt: &Clean) -> Option<String> {
        let mut err = io::stderr();
        err.write_all(prompt.as_str().as_bytes())
            .and_then(|()| err.flush())
            .ok()?;
        let line = typed();
        if line.is_none() {
            // The cursor is still after the prompt.
            drop(err.write_all(b"\n"));
        }
        line
    }
}

/// A line from stdin; `None` at its end and after a signal. The reading thread of a canceled question is not joined,
/// because the process is about to end.
fn typed() -> Option<String> {
    let (tell, heard) = channel();
    let _asking = interrupt::asking(tell.clone()).ok()?;
    thread::spawn(move || {
        let mut line = String::new();
        let read = io::stdin().read_line(&mut line);
        let whole = read.is_ok() && line.ends_with('\n');
        drop(tell.send(whole.then(|| line.trim_end_matches(['\r', '\n']).to_owned())));
    });
    heard.recv().ok().flatten()
}
