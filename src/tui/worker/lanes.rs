//! Threads that answer questions: all of them, one after the other, or only the newest.

use std::io;
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};

/// How the names of the worker's threads begin; the panic hook leaves the terminal alone for them.
pub(in crate::tui) const THREAD: &str = "relight-worker";

/// Something to do on a thread of a lane.
pub(super) type Job = Box<dyn FnOnce() + Send>;

pub(super) fn lock<T>(of: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A queue of questions, and the threads that answer them.
pub(super) struct Lane {
    jobs: Option<Sender<Job>>,
    /// Its thread, if the end of the lane waits for what has started.
    awaited: Option<JoinHandle<()>>,
}

impl Lane {
    /// A few threads that answer every question.
    pub(super) fn pool(name: &str, threads: usize) -> io::Result<Self> {
        let (jobs, queue) = channel::<Job>();
        let queue = Arc::new(Mutex::new(queue));
        for _ in 0..threads {
            let queue = Arc::clone(&queue);
            let next = move || lock(&queue).recv().ok();
            spawn(name, next)?;
        }
        Ok(Self {
            jobs: Some(jobs),
            awaited: None,
        })
    }

    /// One thread that runs every job in order. Dropping the lane waits for them: a job that has started is never
    /// interrupted.
    pub(super) fn serial(name: &str) -> io::Result<Self> {
        let (jobs, queue) = channel();
        Ok(Self {
            jobs: Some(jobs),
            awaited: Some(spawn(name, move || queue.recv().ok())?),
        })
    }

    /// One thread with room for one question: a newer one replaces one that has not started.
    pub(super) fn newest(name: &str) -> io::Result<Self> {
        let (jobs, queue) = channel();
        spawn(name, move || {
            let first = queue.recv().ok()?;
            Some(queue.try_iter().last().unwrap_or(first))
        })?;
        Ok(Self {
            jobs: Some(jobs),
            awaited: None,
        })
    }

    pub(super) fn put(&self, job: Job) {
        if let Some(jobs) = &self.jobs {
            let _ended = jobs.send(job);
        }
    }
}

impl Drop for Lane {
    fn drop(&mut self) {
        self.jobs = None;
        if let Some(thread) = self.awaited.take() {
            // Its panics were answered where they happened.
            let _ended = thread.join();
        }
    }
}

/// A thread that runs one job after the other, until there is none.
fn spawn(
    name: &str,
    mut next: impl FnMut() -> Option<Job> + Send + 'static,
) -> io::Result<JoinHandle<()>> {
    let named = thread::Builder::new().name(format!("{THREAD}-{name}"));
    named.spawn(move || {
        while let Some(job) = next() {
            job();
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_job_replaces_the_waiting_one() {
        let (out, answers) = channel();
        let slot = Lane::newest("test").unwrap();
        let (go, gate) = channel::<()>();
        let (say, said) = channel::<()>();
        let send = |number: u8| {
            let out = out.clone();
            Box::new(move || out.send(number).unwrap())
        };
        let first = send(1);
        slot.put(Box::new(move || {
            say.send(()).unwrap();
            gate.recv().unwrap();
            first();
        }));
        said.recv().unwrap();
        slot.put(send(2));
        slot.put(send(3));
        go.send(()).unwrap();
        assert_eq!(answers.iter().take(2).collect::<Vec<_>>(), [1, 3]);
    }

    #[test]
    fn what_was_started_is_done_before_the_lane_ends() {
        let (out, answers) = channel();
        let lane = Lane::serial("test").unwrap();
        let (go, gate) = channel::<()>();
        let first = out.clone();
        lane.put(Box::new(move || {
            gate.recv().unwrap();
            first.send(1).unwrap();
        }));
        lane.put(Box::new(move || out.send(2).unwrap()));
        go.send(()).unwrap();
        drop(lane);
        assert_eq!(answers.try_iter().count(), 2);
    }
}
