//! Watches the processes of a run for work in folders of others.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use super::descendants::{Mark, marked};
use crate::world::real_process::may_write;

/// The interval between two looks.
const PERIOD: Duration = Duration::from_millis(200);

/// How many open files of a process are looked at.
const FILES: usize = 1_024;

/// Whether a process with a mark worked in some folders, judged by its working directory or a file that it had open for
/// writing. A file that is opened and closed between two looks is missed.
#[derive(Debug)]
pub struct Witness {
    stop: Arc<AtomicBool>,
    saw: Arc<AtomicBool>,
}

impl Witness {
    /// Starts to watch; dropping it ends that.
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

    /// Whether such a process was seen so far.
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
