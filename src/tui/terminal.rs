//! The terminal: set up, restored on every exit, drawn with one write a frame. The only module of the
//! console that writes to it.

mod ask;
mod input;
mod links;
mod plain;
mod restore;
mod signals;

use std::io::{self, BufWriter, Stdout, Write as _};
use std::mem::ManuallyDrop;
use std::sync::mpsc::Sender;

use base64::Engine as _;
use crossterm::cursor::{Hide, MoveTo};
use crossterm::event::EnableBracketedPaste;
use crossterm::queue;
use crossterm::terminal::{EnterAlternateScreen, enable_raw_mode};
use ratatui::Terminal;
use ratatui::backend::{Backend as _, ClearType, CrosstermBackend};

use crate::clean;
use crate::config::Notify;
use crate::model::Clean;
use crate::tui::geometry::Geometry;
use crate::tui::msg::Msg;
use crate::tui::run::{Face, text_of};
use crate::tui::state::State;
use crate::tui::theme::Palette;
use crate::tui::view;

pub(super) use ask::{Heard, background};
use input::Input;
use links::Links;
pub(super) use plain::Plain;
pub(super) use restore::on_panic;
pub(super) use signals::{listen, stop_here};

/// Bytes that a frame may have before it takes a second write.
const FRAME: usize = 256 * 1024;

/// The longest text that terminals take into their clipboard, before it is written in base 64.
const CLIPBOARD: usize = 74_000;

/// Buttons, the wheel and movement while a button is down, with coordinates of any size.
const MOUSE_ON: &str = "\x1b[?1002h\x1b[?1006h";
const MOUSE_OFF: &str = "\x1b[?1006l\x1b[?1002l";

type Out = BufWriter<Stdout>;

/// The terminal, in raw mode on the alternate screen. Restored when dropped.
pub(super) struct Screen {
    /// Never dropped: it would show the cursor once more, and panic where the terminal is gone.
    terminal: ManuallyDrop<Terminal<CrosstermBackend<Out>>>,
    mouse: bool,
    notify: Notify,
    /// `None` if the terminal does not support links.
    links: Option<Links>,
    /// Reads keys, once they are read.
    input: Option<Input>,
}

impl Screen {
    /// Takes the terminal.
    pub(super) fn take(mouse: bool, notify: Notify) -> io::Result<Self> {
        let out = BufWriter::with_capacity(FRAME, io::stdout());
        let terminal = Terminal::new(CrosstermBackend::new(out))?;
        let mut screen = Self {
            terminal: ManuallyDrop::new(terminal),
            mouse,
            notify,
            links: supports_hyperlinks::supports_hyperlinks().then(Links::default),
            input: None,
        };
        screen.enter()?;
        Ok(screen)
    }

    /// Asks the terminal which palette fits it, before anything else reads its answers.
    pub(super) fn ask(&mut self) -> (Palette, Heard) {
        ask::palette(self.terminal.backend_mut(), &|name| std::env::var_os(name))
    }

    /// Columns and rows.
    pub(super) fn size(&self) -> io::Result<(u16, u16)> {
        let size = self.terminal.size()?;
        Ok((size.width, size.height))
    }

    fn enter(&mut self) -> io::Result<()> {
        // Recorded first: if a step below fails, the steps before it are undone.
        restore::taken(true);
        enable_raw_mode()?;
        let out = self.terminal.backend_mut();
        queue!(
            out,
            EnterAlternateScreen,
            EnableBracketedPaste,
            Hide,
            MoveTo(0, 0)
        )?;
        if self.mouse {
            out.write_all(MOUSE_ON.as_bytes())?;
        }
        io::Write::flush(out)
    }

    /// Starts to read keys, with what was typed while the terminal was asked.
    pub(super) fn read(&mut self, out: Sender<Msg>, heard: &Heard) -> io::Result<()> {
        self.input = Some(Input::start(out, heard)?);
        Ok(())
    }
}

impl Face for Screen {
    /// Draws the state: one write, and only what changed.
    fn show(&mut self, state: &State) -> io::Result<Geometry> {
        let mut geometry = Geometry::default();
        let frame = self
            .terminal
            .draw(|frame| geometry = view::view(state, frame))?;
        if let Some(links) = &mut self.links {
            let frame = frame.buffer.clone();
            links.draw(self.terminal.backend_mut(), &frame, &geometry.files)?;
        }
        Ok(geometry)
    }

    /// Makes the next frame draw every cell. `Terminal::clear` would ask the terminal where its cursor is
    /// and wait for an answer that some never give.
    fn forget(&mut self) -> io::Result<()> {
        self.terminal.backend_mut().clear_region(ClearType::All)?;
        if let Some(links) = &mut self.links {
            links.forget();
        }
        self.terminal.swap_buffers();
        self.terminal.swap_buffers();
        Ok(())
    }

    /// Captures the mouse, or releases it to the terminal.
    fn mouse(&mut self, mouse: bool) -> io::Result<()> {
        self.mouse = mouse;
        let out = self.terminal.backend_mut();
        out.write_all(if mouse { MOUSE_ON } else { MOUSE_OFF }.as_bytes())?;
        io::Write::flush(out)
    }

    /// Tells the person that something has ended, in the way that the configuration names.
    fn notify(&mut self, text: &str) -> io::Result<()> {
        let out = self.terminal.backend_mut();
        match self.notify {
            Notify::None => {}
            Notify::Bell => out.write_all(b"\x07")?,
            Notify::Osc9 => write!(out, "\x1b]9;relight: {text}\x1b\\")?,
            Notify::Osc777 => write!(out, "\x1b]777;notify;relight;{text}\x1b\\")?,
        }
        io::Write::flush(out)
    }

    fn copy(&mut self, lines: &[Clean], what: &Clean) -> io::Result<Clean> {
        let text = text_of(lines);
        if text.len() > CLIPBOARD {
            let text = "Not copied: too long for the terminal's clipboard.";
            return Ok(Clean::new(text));
        }
        let encoded = base64::engine::general_purpose::STANDARD.encode(&text);
        let out = self.terminal.backend_mut();
        write!(out, "\x1b]52;c;{encoded}\x1b\\")?;
        io::Write::flush(out)?;
        // Whether the terminal takes it cannot be asked.
        Ok(clean!(
            "Sent to the terminal's clipboard (some terminals ignore it): {}",
            what
        ))
    }

    fn aside<T>(&mut self, away: impl FnOnce() -> T) -> io::Result<T> {
        let input = self.input.take();
        // Keys are read again only once the terminal is taken again.
        let leave = || {
            restore::restore();
            let result = away();
            self.enter()?;
            self.forget()?;
            Ok(result)
        };
        let result = match &input {
            Some(input) => input.aside(leave),
            None => leave(),
        };
        self.input = input;
        result
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        restore::restore();
    }
}
