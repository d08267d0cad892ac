//! A program in a pseudo-terminal, with a parsed screen.

use std::io::{Read as _, Write};
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};
use rustix::process::{Pid, Signal, kill_process};

/// How long anything may take on a slow machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// How often it is looked.
const LOOK: Duration = Duration::from_millis(15);

/// What the terminal has seen.
struct Seen {
    parser: vt100::Parser,
    bytes: usize,
    /// All of it, as it came.
    raw: Vec<u8>,
    ended: bool,
}

/// A program in a pseudo-terminal.
pub(crate) struct Tty {
    master: Box<dyn MasterPty + Send>,
    keys: Box<dyn Write + Send>,
    child: Box<dyn Child + Send + Sync>,
    seen: Arc<Mutex<Seen>>,
}

fn size(cols: u16, rows: u16) -> PtySize {
    PtySize {
        rows,
        cols,
        pixel_width: 0,
        pixel_height: 0,
    }
}

impl Tty {
    /// Starts a program in a terminal of this size, with a home of its own.
    pub(crate) fn start(program: &str, args: &[&str], home: &Path, cols: u16, rows: u16) -> Self {
        let pair = native_pty_system().openpty(size(cols, rows)).unwrap();
        let mut command = CommandBuilder::new(program);
        command.args(args);
        command.cwd(home);
        command.env("HOME", home.join("home"));
        command.env("TMPDIR", home.join("home/tmp"));
        command.env("XDG_CONFIG_HOME", home.join("home/.config"));
        command.env("XDG_STATE_HOME", home.join("home/.local/state"));
        command.env("TERM", "xterm-256color");
        command.env("RUST_BACKTRACE", "0");
        command.env_remove("NO_COLOR");
        command.env_remove("CLAUDE_CONFIG_DIR");
        let child = pair.slave.spawn_command(command).unwrap();
        drop(pair.slave);
        let seen = Arc::new(Mutex::new(Seen {
            parser: vt100::Parser::new(rows, cols, 0),
            bytes: 0,
            raw: Vec::new(),
            ended: false,
        }));
        let mut output = pair.master.try_clone_reader().unwrap();
        let shared = Arc::clone(&seen);
        std::thread::spawn(move || {
            let mut buffer = vec![0; 65_536];
            loop {
                let read = output.read(&mut buffer).unwrap_or(0);
                let mut seen = shared.lock().unwrap();
                seen.parser.process(&buffer[..read]);
                seen.bytes += read;
                seen.raw.extend_from_slice(&buffer[..read]);
                if read == 0 {
                    seen.ended = true;
                    return;
                }
            }
        });
        let keys = pair.master.take_writer().unwrap();
        Self {
            master: pair.master,
            keys,
            child,
            seen,
        }
    }

    /// Asks the screen something.
    pub(crate) fn screen<T>(&self, ask: impl FnOnce(&vt100::Screen) -> T) -> T {
        ask(self.seen.lock().unwrap().parser.screen())
    }

    /// All that was written, once the program has ended.
    pub(crate) fn written(&self) -> String {
        let begun = Instant::now();
        while !self.seen.lock().unwrap().ended && begun.elapsed() < PATIENCE {
            std::thread::sleep(LOOK);
        }
        String::from_utf8_lossy(&self.seen.lock().unwrap().raw).into_owned()
    }

    /// Waits until the screen is as wanted.
    pub(crate) fn wait(&self, what: &str, wanted: impl Fn(&vt100::Screen) -> bool) {
        let begun = Instant::now();
        while !self.screen(&wanted) {
            let text = || self.screen(vt100::Screen::contents);
            assert!(
                begun.elapsed() < PATIENCE,
                "waited for {what}; there is:\n{}",
                text()
            );
            std::thread::sleep(LOOK);
        }
    }

    /// Types.
    pub(crate) fn keys(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).unwrap();
        self.keys.flush().unwrap();
    }

    /// Gives the terminal another size.
    pub(crate) fn resize(&self, cols: u16, rows: u16) {
        self.seen
            .lock()
            .unwrap()
            .parser
            .screen_mut()
            .set_size(rows, cols);
        self.master.resize(size(cols, rows)).unwrap();
    }

    /// The program's id.
    pub(crate) fn pid(&self) -> Pid {
        let pid = self.child.process_id().unwrap();
        Pid::from_raw(i32::try_from(pid).unwrap()).unwrap()
    }

    /// Sends a signal to the program itself.
    pub(crate) fn signal(&self, signal: Signal) {
        kill_process(self.pid(), signal).unwrap();
    }

    /// Waits until the program is stopped as a job.
    pub(crate) fn wait_stopped(&self) {
        let begun = Instant::now();
        let file = format!("/proc/{}/stat", self.pid().as_raw_nonzero());
        loop {
            let stat = std::fs::read_to_string(&file).unwrap();
            let state = stat
                .rsplit(')')
                .next()
                .unwrap_or_default()
                .trim_start()
                .chars()
                .next();
            if state == Some('T') {
                return;
            }
            assert!(begun.elapsed() < PATIENCE, "not stopped: {stat}");
            std::thread::sleep(LOOK);
        }
    }

    /// Waits for the end of the program and of its output; gives the exit code.
    pub(crate) fn ended(&mut self) -> Option<u32> {
        let begun = Instant::now();
        loop {
            let status = self.child.try_wait().unwrap();
            if let Some(status) = status
                && self.seen.lock().unwrap().ended
            {
                return Some(status.exit_code());
            }
            if begun.elapsed() > PATIENCE {
                let text = self.screen(vt100::Screen::contents);
                panic!("it did not end; there is:\n{text}");
            }
            std::thread::sleep(LOOK);
        }
    }

    /// How many bytes the program has written.
    pub(crate) fn bytes(&self) -> usize {
        self.seen.lock().unwrap().bytes
    }

    /// Waits until nothing was written for a while; gives the number of bytes.
    pub(crate) fn settled(&self) -> usize {
        let mut last = (self.bytes(), Instant::now());
        let begun = Instant::now();
        while last.1.elapsed() < Duration::from_millis(600) {
            assert!(begun.elapsed() < PATIENCE, "it never came to rest");
            std::thread::sleep(LOOK);
            if self.bytes() != last.0 {
                last = (self.bytes(), Instant::now());
            }
        }
        last.0
    }

    /// Waits until more than this was written.
    pub(crate) fn wait_bytes(&self, before: usize) {
        let begun = Instant::now();
        while self.bytes() <= before {
            assert!(begun.elapsed() < PATIENCE, "nothing was written");
            std::thread::sleep(LOOK);
        }
    }

    /// The terminal is as it was before: first screen, cursor, no mouse, no bracketed paste.
    pub(crate) fn assert_given_back(&self) {
        self.screen(|screen| {
            assert!(!screen.alternate_screen(), "still on the other screen");
            assert!(!screen.hide_cursor(), "the cursor is hidden");
            assert!(!screen.bracketed_paste(), "still bracketed paste");
            assert_eq!(screen.mouse_protocol_mode(), vt100::MouseProtocolMode::None);
        });
    }
}

impl Drop for Tty {
    fn drop(&mut self) {
        // A failed test must not leave a console behind.
        drop(self.child.kill());
    }
}
