//! The console without a screen: what a screen shows is read as lines of text, and keys are typed as lines. For screen
//! readers, dumb terminals and scripts.

use std::io::{self, BufRead as _, IsTerminal as _, Write as _};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use crate::clean;
use crate::config::Notify;
use crate::model::Clean;
use crate::text::format;
use crate::tui::geometry::Geometry;
use crate::tui::msg::{Msg, Signal};
use crate::tui::run::Face;
use crate::tui::screens::diff::SPLIT_WIDTH;
use crate::tui::state::State;
use crate::tui::view::{Spoken, speak};

/// How long a person waits for a screen that is not complete, before they may type.
const PATIENCE: Duration = Duration::from_secs(3);

/// How long a script waits: its lines are meant for the screen that is complete.
const SCRIPT: Duration = Duration::from_secs(600);

/// What a person must know before the first line.
const HELP: &str = "\
Type the number of a row to open it, the name of a key, or a command; 2 space presses Space on row 2.
An empty line changes nothing. ? lists the keys.
A Tab at the end of a line completes a path; the next line continues it, or replaces it if it begins with / or ~.";

/// The console as lines of text.
pub(in crate::tui) struct Plain {
    /// Asks for the next line.
    asks: Sender<()>,
    patience: Duration,
    notify: Notify,
    /// The last printed lines.
    before: Spoken,
    /// Since when something is awaited.
    since: Option<Instant>,
    /// How many lines had been typed when the next one was asked for.
    asked: Option<u64>,
}

impl Plain {
    /// The size that screens assume: the widest that lays out a difference one line below the other.
    pub(in crate::tui) const SIZE: (u16, u16) = (SPLIT_WIDTH - 1, 40);

    /// Starts reading lines.
    pub(in crate::tui) fn start(out: Sender<Msg>, notify: Notify) -> io::Result<Self> {
        let (asks, asked) = channel();
        thread::Builder::new()
            .name("relight-input".to_owned())
            .spawn(move || read(&out, &asked))?;
        let typed = io::stdin().is_terminal();
        Ok(Self {
            asks,
            patience: if typed { PATIENCE } else { SCRIPT },
            notify,
            before: Spoken::default(),
            since: None,
            asked: None,
        })
    }

    fn tell(&mut self, now: Spoken) -> io::Result<()> {
        let mut out = io::stdout().lock();
        if self.before == Spoken::default() {
            writeln!(out, "{HELP}")?;
        }
        for line in news(&self.before, &now) {
            writeln!(out, "{line}")?;
        }
        write!(out, "> ")?;
        self.before = now;
        out.flush()
    }
}

/// The lines to print: the whole of a new screen, else only the changed lines.
fn news(before: &Spoken, now: &Spoken) -> Vec<Clean> {
    let mut lines = Vec::new();
    let another = before.title != now.title;
    if another {
        lines.extend([Clean::empty(), now.title.clone()]);
    }
    let new = |line: &&Clean| another || !before.lines.contains(line);
    lines.extend(now.lines.iter().filter(new).cloned());
    if let Some(selected) = now
        .selected
        .as_ref()
        .filter(|_| another || before.selected != now.selected)
    {
        lines.push(clean!("Selected: {}", selected));
    }
    lines.extend(now.word.clone());
    if !now.keys.is_empty() && (another || before.keys != now.keys) {
        lines.push(clean!(
            "Keys: {}",
            format::clean_list(&now.keys, now.keys.len())
        ));
    }
    // Whoever typed a line hears that it was read.
    if lines.is_empty() {
        lines.push(Clean::new("Nothing changed on this screen."));
    }
    lines
}

impl Face for Plain {
    fn show(&mut self, state: &State) -> io::Result<Geometry> {
        let (spoken, geometry) = speak(state);
        if self.asked == Some(state.heard) {
            return Ok(geometry);
        }
        let since = *self.since.get_or_insert_with(Instant::now);
        if state.awaits_answers() && since.elapsed() < self.patience {
            return Ok(geometry);
        }
        self.since = None;
        self.asked = Some(state.heard);
        self.tell(spoken)?;
        // Without a reader, the end of the input was reported already.
        let _reader_has_ended = self.asks.send(());
        Ok(geometry)
    }

    fn copy(&mut self, lines: &[Clean], what: &Clean) -> io::Result<Clean> {
        let mut out = io::stdout().lock();
        for line in lines {
            writeln!(out, "{line}")?;
        }
        out.flush()?;
        Ok(clean!(
            "Written above, because there is no clipboard: {}",
            what
        ))
    }

    fn aside<T>(&mut self, away: impl FnOnce() -> T) -> io::Result<T> {
        // Nobody reads lines before they are asked for.
        Ok(away())
    }

    fn notify(&mut self, text: &str) -> io::Result<()> {
        // Before the prompt, the screen says it itself.
        if self.since.is_some() {
            return Ok(());
        }
        let mut out = io::stdout().lock();
        let bell = if self.notify == Notify::None {
            ""
        } else {
            "\x07"
        };
        writeln!(out, "\n{text}{bell}")?;
        write!(out, "> ")?;
        out.flush()
    }

    fn mouse(&mut self, _: bool) -> io::Result<()> {
        Ok(())
    }

    fn forget(&mut self) -> io::Result<()> {
        self.before = Spoken::default();
        Ok(())
    }
}

/// Reads a line each time that one is asked for.
fn read(out: &Sender<Msg>, asked: &Receiver<()>) {
    let mut lines = io::stdin().lock().lines();
    while asked.recv().is_ok() {
        let msg = match lines.next() {
            Some(Ok(line)) => Msg::Line(line),
            None => Msg::Signal(Signal::EndOfInput),
            // What is no text.
            Some(Err(_)) => Msg::Signal(Signal::End),
        };
        let end = matches!(msg, Msg::Signal(_));
        if out.send(msg).is_err() || end {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_typed_line_is_answered() {
        let screen = Spoken {
            title: Clean::new("relight"),
            lines: vec![Clean::new("1. a row")],
            ..Spoken::default()
        };
        let told = news(&Spoken::default(), &screen);
        assert!(told.contains(&screen.title) && told.contains(&screen.lines[0]));
        let said = Clean::new("Nothing changed on this screen.");
        assert_eq!(news(&screen, &screen), [said]);
    }
}
