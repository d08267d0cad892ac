//! The only module that prints. Text arrives clean; a broken pipe is no error.

pub(super) mod bug;
mod person;
mod progress;
mod replay;
mod replay_lines;
pub(super) mod stdout;

pub(super) use person::AtTerminal;
pub(super) use progress::{Progress, search_line};
pub(super) use replay::ReplayLines;

use std::io::{self, IsTerminal as _, Write};
use std::path::Path;

use super::answer::{Answer, Line, Span, Tone};
use super::args::ColorChoice;
use super::{Exit, interrupt, json, report};
use crate::engine::{EngineError, Result};
use crate::model::{Clean, Foreign};
use crate::text::Present as _;
use crate::text::format::link;
use stdout::{io_text, stdout};

/// Where and how answers are printed.
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of its own")]
pub(super) struct Printer {
    pub(super) color: bool,
    color_err: bool,
    /// Whether stdout is a terminal that opens links.
    links: bool,
    pub(super) quiet: bool,
}

impl Printer {
    pub(super) fn new(color: ColorChoice, quiet: bool) -> Self {
        let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
        let plain = dumb || std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        let wanted = |terminal: bool| match color {
            ColorChoice::Always => true,
            ColorChoice::Never => false,
            ColorChoice::Auto => terminal && !plain,
        };
        let terminal = io::stdout().is_terminal();
        let links = terminal && wanted(terminal) && !dumb;
        Self {
            color: wanted(terminal),
            links: links && supports_hyperlinks::supports_hyperlinks(),
            color_err: wanted(io::stderr().is_terminal()),
            quiet,
        }
    }

    /// Cells of a line of stdout.
    pub(super) fn width() -> usize {
        cells(io::stdout().is_terminal())
    }

    /// Stdout for the stub runner, whose output is read only by a replay and may not be text.
    pub(super) fn raw() -> impl Write {
        io::stdout()
    }

    /// Cells of a line of stderr.
    pub(super) fn width_err() -> usize {
        cells(io::stderr().is_terminal())
    }

    /// Prints lines on stderr, unless `--quiet`.
    pub(super) fn say(&self, lines: &[Line]) {
        if !self.quiet {
            self.tell(lines);
        }
    }

    /// Prints lines on stderr. If it is closed, nobody reads them.
    fn tell(&self, lines: &[Line]) {
        for line in lines {
            let parts: Vec<(Tone, &str)> = line.iter().map(|s| (s.0, s.1.as_str())).collect();
            self.complain(&parts);
        }
    }

    /// Whether stdin and stdout both are terminals.
    pub(super) fn interactive() -> bool {
        io::stdout().is_terminal() && io::stdin().is_terminal()
    }

    /// Prints an answer or a failure and returns the exit code.
    pub(super) fn finish(&self, answer: Result<Answer>, as_json: bool) -> Exit {
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
                    stdout(|out| self.page(out, answer.lines))
                };
                let unprinted = |error| self.unprinted(&error, answer.exit, answer.done.as_ref());
                let exit = printed.map_or_else(unprinted, |()| answer.exit);
                match &answer.done {
                    Some(done)
                        if !answer.launched && answer.exit == Exit::Done && interrupt::came() =>
                    {
                        self.complain(&[
                            (Tone::Warn, "canceled too late: "),
                            (Tone::Plain, done.as_str()),
                        ]);
                        Exit::Cancelled
                    }
                    Some(_) | None => exit,
                }
            }
            Err(failure) => self.fail(&failure, as_json),
        }
    }

    /// Prints an error: as an object on stdout with `--json`, as text on stderr otherwise.
    pub(super) fn fail(&self, error: &EngineError, as_json: bool) -> Exit {
        let exit = Exit::from(error.kind);
        if as_json {
            let report = report::error(error);
            if stdout(|out| json::write(out, &report)).is_ok() {
                return exit;
            }
            // Where stdout is closed, stderr may still be open.
        }
        if exit == Exit::Bug {
            self.complain(&[(Tone::Plain, &bug::report(error))]);
            return exit;
        }
        let say = |tone, head, text: &Foreign| {
            self.complain(&[(tone, head), (Tone::Plain, text.clean().as_str())]);
        };
        say(Tone::Bad, "error: ", &error.text);
        for guard in error.guards.iter().filter(|guard| !guard.holds) {
            let refuses = guard.refuses();
            let head = if refuses {
                "  refused: "
            } else {
                "  unanswered: "
            };
            say(Tone::Warn, head, &guard.text);
        }
        for hint in &error.hints {
            say(Tone::Faint, "  hint: ", hint);
        }
        exit
    }

    /// Prints text that needs no cleaning.
    pub(super) fn bytes(&self, text: &[u8]) -> Exit {
        match stdout(|out| out.write_all(text)) {
            Ok(()) => Exit::Done,
            Err(error) => self.unprinted(&error, Exit::Done, None),
        }
    }

    /// Handles an answer that could not be printed: changes on disk are still reported. A closed pipe is no error,
    /// because the reader has what it wanted; the answer is what it is, and so is its exit code.
    fn unprinted(&self, error: &io::Error, answer: Exit, done: Option<&Clean>) -> Exit {
        let gone = error.kind() == io::ErrorKind::BrokenPipe;
        if let (true, Some(done)) = (gone, done) {
            self.complain(&[(Tone::Warn, "note: "), (Tone::Plain, done.as_str())]);
        }
        if gone {
            return answer;
        }
        let text = format!("cannot write to stdout: {}.", io_text(error));
        self.complain(&[(Tone::Bad, "error: "), (Tone::Plain, &text)]);
        let (rest, exit) = match done {
            // Only printing failed; the person must look up the result.
            Some(done) => (done.as_str(), Exit::Unclear),
            None => ("Nothing was changed.", Exit::RolledBack),
        };
        self.complain(&[(Tone::Faint, "  "), (Tone::Plain, rest)]);
        exit
    }

    fn page(&self, out: &mut dyn Write, lines: impl Iterator<Item = Line>) -> io::Result<()> {
        lines.into_iter().try_for_each(|line| {
            for span in &line {
                match span.2.as_deref().filter(|_| self.links) {
                    Some(file) => write!(out, "{}", linked(self.color, span, file))?,
                    None => write!(out, "{}", Painted(self.color, span.0, span.1.as_str()))?,
                }
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
        // If stderr is closed too, the error cannot be reported.
        drop(io::stderr().write_all(line.as_bytes()));
    }
}

/// Cells of a line: `COLUMNS`, the terminal's, or no limit.
fn cells(terminal: bool) -> usize {
    let told = std::env::var("COLUMNS").ok();
    let told = told
        .and_then(|told| told.parse().ok())
        .filter(|cells| *cells > 0);
    let asked = || Some(terminal.then(crossterm::terminal::size)?.ok()?.0.into());
    told.or_else(asked).unwrap_or(usize::MAX)
}

/// A span with a link on its file name, or on the whole span if the name is shortened.
fn linked(color: bool, Span(tone, text, _): &Span, file: &Path) -> String {
    let (text, name) = (text.as_str(), file.present());
    let name = Some(name.as_str()).filter(|name| text.contains(name));
    let name = name.unwrap_or_else(|| text.trim());
    let (before, after) = text.split_once(name).unwrap_or((text, ""));
    let (begin, end) = link(file);
    let painted = |text| Painted(color, *tone, text);
    let (before, name, after) = (painted(before), painted(name), painted(after));
    format!("{before}{begin}{name}{end}{after}")
}

/// Text in a tone, with or without color.
struct Painted<'a>(bool, Tone, &'a str);

impl std::fmt::Display for Painted<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let code = match self.1 {
            // What a terminal dims is too faint to be read in every usual palette.
            Tone::Plain | Tone::Faint => "",
            Tone::Strong => "1",
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

/// Help and version are answers; everything else from clap is a usage error.
pub(super) fn clap_answer(error: &clap::Error, as_json: bool) -> Exit {
    if !error.use_stderr() {
        let printer = Printer::new(ColorChoice::Auto, false);
        return printer.bytes(error.render().to_string().as_bytes());
    }
    if as_json {
        let text = error.render().to_string();
        // The sentence may span lines: what is missing, which values are possible.
        let said: Vec<&str> = text
            .lines()
            .take_while(|line| !line.is_empty() && !line.starts_with("Usage:"))
            .map(str::trim)
            .collect();
        let first = said.join(" ").trim_start_matches("error: ").to_owned();
        let tips = text.lines().map(str::trim);
        let tips = tips.filter_map(|line| line.strip_prefix("tip: "));
        let error = EngineError::usage(first).hints(tips);
        let error = error.hint("To list the commands: relight --help");
        return Printer::new(ColorChoice::Auto, false).fail(&error, true);
    }
    // Clap quotes what was typed, so its lines are cleaned like all foreign text.
    let text = error.render().to_string();
    let lines = text.lines().map(|line| Clean::new(line).into_string());
    let lines: Vec<String> = lines.collect();
    drop(io::stderr().write_all(format!("{}\n", lines.join("\n")).as_bytes()));
    Exit::Usage
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clean;
    use crate::text::Naming;

    #[test]
    fn a_link_is_on_the_name_of_the_file_and_holds_no_sign_that_a_terminal_obeys() {
        let file = Path::new("/tmp/a b;\x07\x1b]8;;x");
        let (begin, end) = link(file);
        assert!(
            begin.contains("/tmp/a%20b%3b%07%1b%5d8%3b%3bx"),
            "{begin:?}"
        );
        let text = clean!("in {}:7", file);
        let name = file.present();
        let table = [
            (Tone::Plain.of(file), format!("{begin}{name}{end}")),
            (
                Tone::Plain.of(Naming(&text, file)),
                format!("in {begin}{name}{end}:7"),
            ),
            (
                Tone::Good.of(Naming(&Clean::new("  …/b  "), file)),
                format!("\x1b[32m  \x1b[0m{begin}\x1b[32m…/b\x1b[0m{end}\x1b[32m  \x1b[0m"),
            ),
        ];
        for (span, expected) in table {
            assert_eq!(linked(true, &span, file), expected);
        }
        assert_eq!(Tone::Plain.of(Path::new("relative")).2, None);
    }

    #[test]
    fn nothing_is_dimmed_in_the_terminals_own_colors() {
        assert_eq!(Painted(true, Tone::Faint, "beside").to_string(), "beside");
        assert_eq!(
            Painted(true, Tone::Strong, "title").to_string(),
            "\x1b[1mtitle\x1b[0m"
        );
    }
}
