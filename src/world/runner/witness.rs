//! Watches the processes of a run for those that work in folders that are not theirs.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use super::descendants::{Mark, marked};

/// How often they are looked at.
const PERIOD: Duration = Duration::from_millis(200);

/// The most open files of a process that are looked at.
const FILES: usize = 1_024;

/// Whether a process with a mark worked in some folders, seen by its working directory or by a file that it had
/// open for writing. What is written and closed between two looks is not seen.
#[derive(Debug)]
pub struct Witness {
    stop: Arc<AtomicBool>,
    saw: Arc<AtomicBool>,
}

impl Witness {
    /// Begins to watch; ends when it is dropped.
    pub fn watch(mark: Box<Mark>, folders: Vec<PathBuf>) -> Self {
        let (stop, saw) = (Arc::default(), Arc::default());
        let (stopped, seen) = (Arc::clone(&stop), Arc::clone(&saw));
        thread::spawn(move || {
            while !is(&stopped) && !is(&seen) {
                if marked(&mark).iter().any(|one| works_in(one.pid, &folders)) {
                    seen.store(true, Ordering::SeqCst);
                }
                thread::park_timeout(PERIOD);
            }
        });
        Self { stop, saw }
    }

    /// Whether one was seen so far.
    pub fn saw(&self) -> bool {
        is(&self.saw)
    }
}

impl Drop for Witness {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::SeqCst);
    }
}

fn is(flag: &AtomicBool) -> bool {
    flag.load(Ordering::SeqCst)
}

fn works_in(pid: u32, folders: &[PathBuf]) -> bool {
    let process = Path::new("/proc").join(pid.to_string());
    let within = |path: &Path| folders.iter().any(|folder| path.starts_with(folder));
    if std::fs::read_link(process.join("cwd")).is_ok_and(|cwd| within(&cwd)) {
        return true;
    }
    let files = std::fs::read_dir(process.join("fd")).into_iter().flatten();
    files.flatten().take(FILES).any(|file| {
        let target = std::fs::read_link(file.path());
        target.is_ok_and(|target| within(&target))
            && may_write(&process.join("fdinfo").join(file.file_name()))
    })
}

/// Whether a file was opened for writing, by the octal flags of its `fdinfo`.
fn may_write(fdinfo: &Path) -> bool {
    let text = std::fs::read_to_string(fdinfo).unwrap_or_default();
    let flags = text.lines().find_map(|line| line.strip_prefix("flags:"));
    let flags = flags.and_then(|flags| u64::from_str_radix(flags.trim(), 8).ok());
    flags.is_some_and(|flags| matches!(flags & 3, 1 | 2))
}
