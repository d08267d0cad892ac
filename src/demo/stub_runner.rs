//! The stub runner (`relight stub-runner`): a runner without an agent, with which a whole replay can be tried and tested.
//!
//! Its answer is computed from the dispatch's text (without timestamp and folder) and the number of the run: the same
//! replay gives the same answers, repeats differ as an agent's would, and the text of a template changes the odds. Its
//! answers say nothing about the quality of the template.
//!
//! It only works in a replay, writes only into one folder of its tree, and never follows a symbolic link.

mod answer;
mod directive;
mod odds;

use std::ffi::OsStr;
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;
use std::thread;
use std::time::Duration;

use answer::Answer;
use directive::Directive;
use odds::Odds;

/// The folder that it writes into.
const FOLDER: &str = "stand-in";

/// The largest dispatch that it reads.
const LARGEST: u64 = 8 << 20;

/// Bytes printed when a dispatch asks for a flood: more than is kept of any output.
const FLOOD: usize = 20 << 20;

/// Its arguments.
pub struct Call<'a> {
    /// The dispatch file.
    pub file: &'a Path,
    /// `RELIGHT_SESSION`; without it this is no replay.
    pub session: Option<&'a OsStr>,
    /// The current directory: the tree of the replay.
    pub tree: &'a Path,
    /// Starts a program that nobody ends, for a dispatch that asks for one.
    pub stray: &'a dyn Fn() -> io::Result<()>,
}

/// Answers a dispatch, and returns the exit status. The error is a sentence.
pub fn run(call: &Call<'_>, out: &mut dyn Write) -> Result<u8, String> {
    let Some(session) = call.session.filter(|id| !id.is_empty()) else {
        return Err(
            "The stub runner only answers dispatches of a replay: relight replay … --runner stub"
                .to_owned(),
        );
    };
    let text = read(call.file).map_err(|why| format!("{}: {why}.", call.file.display()))?;
    let odds = Odds::new(&text, repeat(&session.to_string_lossy()));
    let answer = Answer::of(&text, &odds, work_is_tested(call.tree));
    if let Some((name, content)) = &answer.file {
        append(call.tree, name, content)
            .map_err(|why| format!("{FOLDER}/{name} cannot be written: {why}."))?;
    }
    obey(directive::of(&text), &answer, call, out)
        .map_err(|why| format!("The stub runner cannot continue: {why}."))
}

/// Prints the answer, or does what the dispatch asks for instead.
fn obey(
    directive: Option<Directive>,
    answer: &Answer,
    call: &Call<'_>,
    out: &mut dyn Write,
) -> io::Result<u8> {
    let mut said =
        |text: &str| writeln!(out, "The dispatch asks for {text}.").and_then(|()| out.flush());
    match directive {
        None => {}
        Some(Directive::Exit(status)) => {
            said(&format!("status {status}"))?;
            return Ok(status);
        }
        Some(Directive::Hang) => {
            said("no end")?;
            // If the process that started it is killed, nobody else ends it.
            let parent = rustix::process::getppid();
            while rustix::process::getppid() == parent {
                thread::sleep(Duration::from_millis(100));
            }
            return Ok(1);
        }
        Some(Directive::Crash) => {
            said("a crash")?;
            let own = rustix::process::getpid();
            rustix::process::kill_process(own, rustix::process::Signal::KILL)?;
        }
        Some(Directive::Flood) => {
            let line = [b"much ado ".repeat(100), b"\n".to_vec()].concat();
            for _ in 0..FLOOD.div_ceil(line.len()) {
                out.write_all(&line)?;
            }
        }
        Some(Directive::Garbage) => {
            let garbage: Vec<u8> = (0..=u8::MAX).cycle().take(4096).collect();
            out.write_all(&garbage)?;
            out.write_all(b"\n\x1b[31m\xff\xfe not text\x00\n")?;
            out.flush()?;
            return Ok(0);
        }
        Some(Directive::Stray) => (call.stray)()?,
    }
    out.write_all(answer.text().as_bytes())?;
    out.flush()?;
    Ok(0)
}

fn read(file: &Path) -> io::Result<String> {
    let length = fs::metadata(file)?.len();
    if length > LARGEST {
        return Err(io::ErrorKind::FileTooLarge.into());
    }
    Ok(String::from_utf8_lossy(&fs::read(file)?).into_owned())
}

/// Which of several independent runs a session is: the number after its dash.
fn repeat(session: &str) -> u64 {
    let number = session.rsplit_once('-').map(|(_, number)| number);
    number.and_then(|text| text.parse().ok()).unwrap_or(1)
}

/// Whether all that implementers wrote into a tree was tested before they ended; `None` where they wrote nothing.
fn work_is_tested(tree: &Path) -> Option<bool> {
    let entries = fs::read_dir(tree.join(FOLDER)).ok()?;
    let files = entries.filter_map(Result::ok).map(|entry| entry.path());
    let tasks = files.filter(|path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with("task-")
    });
    let mut tested = tasks.map(|path| read(&path).is_ok_and(|text| text.contains(answer::TESTED)));
    let first = tested.next()?;
    Some(first && tested.all(|one| one))
}

/// Appends to a file in its folder. The tree came from a checkpoint, which may have a symbolic link of that name.
fn append(tree: &Path, name: &str, content: &str) -> io::Result<()> {
    let folder = tree.join(FOLDER);
    match fs::create_dir(&folder) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            if !fs::symlink_metadata(&folder)?.is_dir() {
                return Err(io::ErrorKind::NotADirectory.into());
            }
        }
        made => made?,
    }
    let no_link = i32::try_from(rustix::fs::OFlags::NOFOLLOW.bits()).unwrap_or_default();
    let mut file = OpenOptions::new()
        .append(true)
        .create(true)
        .custom_flags(no_link)
        .open(folder.join(name))?;
    file.write_all(content.as_bytes())
}

#[cfg(test)]
mod tests;
