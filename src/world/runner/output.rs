//! The output of a program: read as it arrives, its beginning kept up to a cap, and its end, in which an agent says how
//! it ended.

use std::collections::VecDeque;
use std::io::{self, Read as _};
use std::thread;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};

use super::{CUT, End, Outcome};
use crate::model::Foreign;

/// How many bytes are read at a time.
const CHUNK: usize = 64 << 10;

/// How many bytes of the end are kept at most, in memory until it is over.
const TAIL: u64 = 1 << 20;

/// How many bytes of a line are kept.
const LINE: usize = 4 << 10;

/// How long the pipe is read after the end: a process that left the group may write forever.
const REST: Duration = Duration::from_millis(500);

/// The poll interval for a program that has closed its output and keeps running.
const IDLE: Duration = Duration::from_millis(2);

/// The reading end of a program's pipe.
pub(super) struct Output<'a> {
    /// `None` once it is closed.
    pipe: Option<io::PipeReader>,
    sink: &'a mut dyn io::Write,
    /// How many bytes are kept of the beginning, and how many of the end.
    keep: (u64, usize),
    kept: u64,
    tail: VecDeque<u8>,
    unkept: Option<String>,
    bytes: u64,
    chars: u64,
    line: Vec<u8>,
    last_line: Vec<u8>,
    chunk: Vec<u8>,
}

impl<'a> Output<'a> {
    pub(super) fn new(pipe: io::PipeReader, sink: &'a mut dyn io::Write, keep: u64) -> Self {
        let tail = TAIL.min(keep / 2);
        Self {
            pipe: Some(pipe),
            sink,
            keep: (keep - tail - CUT, usize::try_from(tail).unwrap_or_default()),
            kept: 0,
            tail: VecDeque::new(),
            unkept: None,
            bytes: 0,
            chars: 0,
            line: Vec::new(),
            last_line: Vec::new(),
            chunk: vec![0; CHUNK],
        }
    }

    /// Waits at most `most` for output and reads it. True if there was some.
    pub(super) fn wait(&mut self, most: Duration) -> bool {
        let Some(pipe) = &mut self.pipe else {
            thread::sleep(most.min(IDLE));
            return false;
        };
        let limit = Timespec::try_from(most).ok();
        let mut fds = [PollFd::new(&*pipe, PollFlags::IN)];
        // A signal only shortens the wait.
        if !poll(&mut fds, limit.as_ref()).is_ok_and(|ready| ready > 0) {
            return false;
        }
        match pipe.read(&mut self.chunk) {
            Ok(0) => self.pipe = None,
            Ok(read) => self.take(read),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_closed) => self.pipe = None,
        }
        self.pipe.is_some()
    }

    /// Reads the available output without waiting.
    pub(super) fn drain(&mut self) {
        let begun = Instant::now();
        while begun.elapsed() < REST && self.wait(Duration::ZERO) {}
    }

    /// The result of the whole run.
    pub(super) fn outcome(
        mut self,
        end: End,
        took: Duration,
        left_behind: Vec<Foreign>,
    ) -> Outcome {
        self.end_line();
        self.write_tail();
        if let (None, Err(why)) = (&self.unkept, self.sink.flush()) {
            self.unkept = Some(why.to_string());
        }
        Outcome {
            end,
            took,
            bytes: self.bytes,
            kept: self.kept,
            chars: self.chars,
            last_line: self.last_line,
            left_behind,
            unkept: self.unkept,
        }
    }

    fn take(&mut self, read: usize) {
        let chunk = std::mem::take(&mut self.chunk);
        let new = chunk.get(..read).unwrap_or_default();
        self.keep(new);
        self.bytes += u64::try_from(read).unwrap_or_default();
        let chars = new.iter().filter(|byte| *byte & 0xc0 != 0x80).count();
        self.chars += u64::try_from(chars).unwrap_or_default();
        let mut lines = new.split(|byte| *byte == b'\n').peekable();
        while let Some(part) = lines.next() {
            let room = LINE.saturating_sub(self.line.len()).min(part.len());
            self.line
                .extend_from_slice(part.get(..room).unwrap_or_default());
            if lines.peek().is_some() {
                self.end_line();
            }
        }
        self.chunk = chunk;
    }

    /// Writes what fits into the beginning, and remembers the rest as far as it may be the end.
    fn keep(&mut self, new: &[u8]) {
        let (head, tail) = self.keep;
        let room = usize::try_from(head.saturating_sub(self.kept)).unwrap_or(usize::MAX);
        let (first, rest) = new.split_at(room.min(new.len()));
        self.write(first);
        self.tail.extend(rest);
        let over = self.tail.len().saturating_sub(tail);
        self.tail.drain(..over);
    }

    fn write_tail(&mut self) {
        let mut tail = std::mem::take(&mut self.tail);
        let tail = tail.make_contiguous();
        let missing = self.bytes - self.kept - tail.len() as u64;
        if missing > 0 {
            let kept = self.kept;
            self.write(format!("\n[{missing} bytes were not kept]\n").as_bytes());
            self.kept = kept;
        }
        self.write(tail);
    }

    /// After an error of the sink, nothing more is written to it; the program continues.
    fn write(&mut self, kept: &[u8]) {
        if self.unkept.is_some() || kept.is_empty() {
            return;
        }
        match self.sink.write_all(kept) {
            Ok(()) => self.kept += kept.len() as u64,
            Err(why) => self.unkept = Some(why.to_string()),
        }
    }

    fn end_line(&mut self) {
        if self.line.iter().any(|byte| !byte.is_ascii_whitespace()) {
            std::mem::swap(&mut self.line, &mut self.last_line);
        }
        self.line.clear();
    }
}
