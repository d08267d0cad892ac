//! Keys and the mouse, read by a thread that can be paused.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Sender;
use std::thread;
use std::time::{Duration, Instant};

use crossterm::event::{self, Event, KeyCode, KeyEvent, KeyModifiers, MouseButton, MouseEventKind};
use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;

use super::ask::{Heard, Late};
use crate::tui::keys::Key;
use crate::tui::msg::{MouseAction, Msg, Signal};

/// How long the thread waits before it checks whether it should pause.
const WAIT: Duration = Duration::from_millis(200);

/// The thread that reads keys.
pub(in crate::tui) struct Input {
    away: Arc<AtomicBool>,
    parked: Arc<AtomicBool>,
}

impl Input {
    /// Starts reading, with the keys that were typed while the terminal was asked.
    pub(in crate::tui) fn start(out: Sender<Msg>, heard: &Heard) -> io::Result<Self> {
        for key in &heard.typed {
            let code = match key {
                '\r' => KeyCode::Enter,
                '\t' => KeyCode::Tab,
                key => KeyCode::Char(*key),
            };
            let key = Key::from_event(KeyEvent::new(code, KeyModifiers::NONE));
            if let Some(key) = key {
                let _received_later = out.send(Msg::Key(key));
            }
        }
        watch(out.clone())?;
        let mut late = Late::new(heard, Instant::now());
        let away = Arc::new(AtomicBool::new(false));
        let parked = Arc::new(AtomicBool::new(false));
        let (keep_away, say_parked) = (Arc::clone(&away), Arc::clone(&parked));
        thread::Builder::new()
            .name("relight-input".to_owned())
            .spawn(move || {
                read(&out, &mut late, &keep_away, &say_parked);
            })?;
        Ok(Self { away, parked })
    }

    /// Runs something that reads the terminal itself.
    pub(in crate::tui) fn aside<T>(&self, away: impl FnOnce() -> T) -> T {
        self.away.store(true, Ordering::SeqCst);
        let begun = Instant::now();
        while !self.parked.load(Ordering::SeqCst) && begun.elapsed() < 2 * WAIT {
            thread::sleep(Duration::from_millis(5));
        }
        let result = away();
        self.away.store(false, Ordering::SeqCst);
        result
    }
}

/// Reports when the terminal is gone. Only the session's leader gets a signal of that, and crossterm then reads without
/// end what has no end.
fn watch(out: Sender<Msg>) -> io::Result<()> {
    thread::Builder::new()
        .name("relight-terminal".to_owned())
        .spawn(move || {
            let terminal = io::stdout();
            // Nothing is asked for, so that only its end is answered.
            let mut gone = [PollFd::new(&terminal, PollFlags::empty())];
            while poll(&mut gone, None) == Err(Errno::INTR) {}
            let _ended = out.send(Msg::Signal(Signal::End));
        })?;
    Ok(())
}

fn read(out: &Sender<Msg>, late: &mut Late, away: &AtomicBool, parked: &AtomicBool) {
    loop {
        if away.load(Ordering::SeqCst) {
            parked.store(true, Ordering::SeqCst);
            thread::sleep(Duration::from_millis(20));
            continue;
        }
        parked.store(false, Ordering::SeqCst);
        let event = match event::poll(WAIT) {
            Ok(false) => continue,
            Ok(true) => event::read(),
            Err(error) => Err(error),
        };
        let msg = match event {
            Ok(Event::Key(key)) if late.swallows(&key, Instant::now()) => None,
            Ok(event) => message(event),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => None,
            // The terminal has gone.
            Err(_) => {
                let _ended = out.send(Msg::Signal(Signal::End));
                return;
            }
        };
        if let Some(msg) = msg
            && out.send(msg).is_err()
        {
            return;
        }
    }
}

fn message(event: Event) -> Option<Msg> {
    match event {
        Event::Key(key) => Key::from_event(key).map(Msg::Key),
        Event::Paste(text) => Some(Msg::Paste(text)),
        Event::Resize(width, height) => Some(Msg::Resize(width, height)),
        Event::Mouse(mouse) => {
            let operation = match mouse.kind {
                MouseEventKind::Down(MouseButton::Left) => MouseAction::Press,
                MouseEventKind::Drag(MouseButton::Left) => MouseAction::Drag,
                MouseEventKind::Up(MouseButton::Left) => MouseAction::Release,
                MouseEventKind::ScrollUp => MouseAction::WheelUp,
                MouseEventKind::ScrollDown => MouseAction::WheelDown,
                _ => return None,
            };
            Some(Msg::Mouse(operation, mouse.column, mouse.row))
        }
        Event::FocusGained | Event::FocusLost => None,
    }
}
