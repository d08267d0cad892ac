//! The only room that prints. Text arrives clean; a broken pipe is success.

mod person;
mod progress;
mod replay;

pub(super) use person::AtTerminal;
pub(super) use progress::Progress;
pub(super) use replay::ReplayLines;

use std::io::{self, BufWriter, IsTerminal as _, Write};

use super::answer::{Answer, Failure, Line, Tone};
use super::args::ColorChoice;
use super::report::ErrorReport;
use super::{Exit, interrupt, json};
use crate::engine::{EngineError, ErrorKind};
use crate::model::Clean;

/// Where and how answers are printed.
pub(super) struct Printer {
    color: bool,
    color_err: bool,
    quiet: bool,
}

impl Printer {
    pub(super) fn new(color: ColorChoice, quiet: bool) -> Self {
        let wanted = |terminal: bool| match color {
            ColorChoice::Always => true,
            ColorChoice::Never => false,
            ColorChoice::Auto => {
                terminal && std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty())
            }
        };
        Self {
            color: wanted(io::stdout().is_terminal()),
            color_err: wanted(io::stderr().is_terminal()),
            quiet,
        }
    }

    /// Cells of a line of stdout.
    #[expect(
        clippy::unused_self,
        reason = "asked of the printer because it knows where the lines go"
    )]
    pub(super) fn width(&self) -> usize {
        cells(io::stdout().is_terminal())
    }

    /// Stdout for the stand-in, whose output is read by nobody but a replay and may be no text at all.
    #[expect(
        clippy::unused_self,
        reason = "asked of the printer because only its room prints"
    )]
    pub(super) fn raw(&self) -> impl Write {
        io::stdout()
    }

    /// The lines of the stages of something that takes its time.
    pub(super) fn progress(&self) -> Progress {
        Progress::new(self.quiet)
    }

    /// The lines of the dispatches of a replay.
    pub(super) fn replay_lines(&self) -> ReplayLines {
        ReplayLines::new(self.quiet)
    }

    /// Cells of a line of stderr.
    #[expect(
        clippy::unused_self,
        reason = "asked of the printer because it knows where the lines go"
    )]
    pub(super) fn width_err(&self) -> usize {
        cells(io::stderr().is_terminal())
    }

    /// Says something beside the answer, unless nothing is to be said there.
    pub(super) fn say(&self, lines: &[Line]) {
        if self.quiet {
            return;
        }
        for line in lines {
            let parts: Vec<(Tone, &str)> = line.iter().map(|s| (s.0, s.1.as_str())).collect();
            self.complain(&parts);
        }
    }

    /// Whether stdout is written in colours.
    pub(super) fn colored(&self) -> bool {
        self.color
    }

    /// Whether a person sits at both ends.
    #[expect(
        clippy::unused_self,
        reason = "asked of the printer because it knows where the lines go"
    )]
    pub(super) fn interactive(&self) -> bool {
        io::stdout().is_terminal() && io::stdin().is_terminal()
    }

    /// Prints an answer or a failure and says how it ended.
    pub(super) fn finish(&self, answer: Result<Answer, Failure>, as_json: bool) -> Exit {
        match &answer {
            Ok(answer) if answer.done.is_none() => interrupt::answered(),
            Ok(_) | Err(_) => interrupt::answering(),
        }
        match answer {
            Ok(answer) => {
                for note in answer.notes.iter().filter(|_| !self.quiet) {
                    self.complain(&[(Tone::Warn, "note: "), (Tone::Plain, note.as_str())]);
                }
                let printed = if as_json {
                    stdout(|out| answer.wire.write(out))
                } else {
                    stdout(|out| self.page(out, answer.page))
                };
                let exit = match (printed, &answer.done) {
                    (Ok(()), _) => answer.exit,
                    (Err(error), done) => self.unprinted(&error, done.as_ref()),
                };
                match &answer.done {
                    Some(done) if interrupt::came() && answer.exit == Exit::Done => {
                        self.complain(&[
                            (Tone::Warn, "cancelled too late: "),
                            (Tone::Plain, done.as_str()),
                        ]);
                        Exit::Cancelled
                    }
                    Some(_) | None => exit,
                }
            }
            Err(failure) => self.fail(&failure.0, as_json),
        }
    }

    /// Prints an error: as an object on stdout under `--json`, in words on stderr otherwise.
    pub(super) fn fail(&self, error: &EngineError, as_json: bool) -> Exit {
        let exit = Exit::from(error.kind);
        if as_json {
            let report = ErrorReport::new(error);
            if stdout(|out| json::write(out, &report)).is_ok() {
                return exit;
            }
            // Where the object cannot be printed, the words still can.
        }
        self.complain(&[
            (Tone::Bad, "error: "),
            (Tone::Plain, error.text.clean().as_str()),
        ]);
        for guard in error.guards.iter().filter(|g| !g.holds) {
            self.complain(&[
                (Tone::Warn, "  refused: "),
                (Tone::Plain, guard.text.clean().as_str()),
            ]);
        }
        for hint in &error.hints {
            self.complain(&[
                (Tone::Faint, "  hint: "),
                (Tone::Plain, hint.clean().as_str()),
            ]);
        }
        exit
    }

    /// Prints text of our own making.
    pub(super) fn bytes(&self, text: &[u8]) -> Exit {
        match stdout(|out| out.write_all(text)) {
            Ok(()) => Exit::Done,
            Err(error) => self.unprinted(&error, None),
        }
    }

    /// The answer could not be printed: what was done for good is said all the same. A reader that went away has
    /// what it wanted.
    fn unprinted(&self, error: &io::Error, done: Option<&Clean>) -> Exit {
        let gone = error.kind() == io::ErrorKind::BrokenPipe;
        if let (true, Some(done)) = (gone, done) {
            self.complain(&[(Tone::Warn, "note: "), (Tone::Plain, done.as_str())]);
        }
        if gone {
            return Exit::Done;
        }
        let text = format!("stdout cannot be written: {}.", words(error));
        self.complain(&[(Tone::Bad, "error: "), (Tone::Plain, &text)]);
        let (rest, exit) = match done {
            // Nothing failed but the answer, and only a person can look that up.
            Some(done) => (done.as_str(), Exit::Unclear),
            None => ("Nothing was changed.", Exit::RolledBack),
        };
        self.complain(&[(Tone::Faint, "  "), (Tone::Plain, rest)]);
        exit
    }

    fn page(&self, out: &mut dyn Write, lines: impl Iterator<Item = Line>) -> io::Result<()> {
        lines.into_iter().try_for_each(|line| {
            for span in &line {
                write!(out, "{}", Painted(self.color, span.0, span.1.as_str()))?;
            }
            out.write_all(b"\n")
        })
    }

    fn complain(&self, parts: &[(Tone, &str)]) {
        let mut line = String::new();
        for (tone, text) in parts {
            line.push_str(&Painted(self.color_err, *tone, text).to_string());
        }
        line.push('\n');
        // Nobody is left to tell when stderr is gone.
        drop(io::stderr().write_all(line.as_bytes()));
    }
}

/// Cells of a line: `COLUMNS`, the terminal's, or as many as the text has when nobody's screen limits it.
fn cells(terminal: bool) -> usize {
    let told = std::env::var("COLUMNS")
        .ok()
        .and_then(|c| c.parse().ok())
        .filter(|c| *c > 0);
    let asked = || {
        terminal
            .then(crossterm::terminal::size)
            .and_then(Result::ok)
    };
    told.or_else(|| asked().map(|(columns, _)| usize::from(columns)))
        .unwrap_or(usize::MAX)
}

/// Writes to stdout.
fn stdout(write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let mut out = BufWriter::new(io::stdout().lock());
    let written = write(&mut out).and_then(|()| out.flush());
    // What could not be written is not tried again when the writer goes.
    drop(out.into_parts());
    written
}

/// An error of the terminal or file behind stdout, in words.
fn words(error: &io::Error) -> String {
    let known = [
        (io::ErrorKind::StorageFull, "no space is left"),
        (
            io::ErrorKind::FileTooLarge,
            "it is larger than this process may write",
        ),
        (io::ErrorKind::QuotaExceeded, "the quota is used up"),
    ];
    let found = known.iter().find(|(kind, _)| *kind == error.kind());
    found.map_or_else(|| error.to_string(), |(_, words)| (*words).to_owned())
}

/// Text in a tone, with or without colour.
struct Painted<'a>(bool, Tone, &'a str);

impl std::fmt::Display for Painted<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let code = match self.1 {
            Tone::Plain => "",
            Tone::Strong => "1",
            Tone::Faint => "2",
            Tone::Good => "32",
            Tone::Warn => "33",
            Tone::Bad => "31",
        };
        if self.0 && !code.is_empty() && !self.2.is_empty() {
            write!(f, "\u{1b}[{code}m{}\u{1b}[0m", self.2)
        } else {
            f.write_str(self.2)
        }
    }
}

/// Help and version are answers; everything else clap has to say is a usage error.
pub(super) fn clap_answer(error: &clap::Error, as_json: bool) -> Exit {
    if !error.use_stderr() {
        let printer = Printer::new(ColorChoice::Auto, false);
        return printer.bytes(error.render().to_string().as_bytes());
    }
    if as_json {
        let text = error.render().to_string();
        // The sentence may go on over lines: what is missing, which values are possible.
        let said: Vec<&str> = text
            .lines()
            .take_while(|line| !line.is_empty() && !line.starts_with("Usage:"))
            .map(str::trim)
            .collect();
        let first = said.join(" ").trim_start_matches("error: ").to_owned();
        let tips = text.lines().map(str::trim);
        let tips = tips.filter_map(|line| line.strip_prefix("tip: "));
        let error = tips
            .fold(EngineError::new(ErrorKind::Usage, first), EngineError::hint)
            .hint("relight --help lists the commands.");
        return Printer::new(ColorChoice::Auto, false).fail(&error, true);
    }
    // Clap quotes what was typed; it becomes presentable line by line like all foreign text.
    let lines: Vec<String> = error
        .render()
        .to_string()
        .lines()
        .map(|line| Clean::new(line).into_string())
        .collect();
    drop(io::stderr().write_all(format!("{}\n", lines.join("\n")).as_bytes()));
    Exit::Usage
}
