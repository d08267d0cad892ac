//! Threads that answer questions: a pool that answers all, and slots in which the newest wins.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;

/// How the names of the worker's threads begin; the panic hook leaves the terminal alone for them.
pub(in crate::tui) const THREAD: &str = "relight-worker";

/// Something to do on a thread of a lane.
pub(super) type Job = Box<dyn FnOnce() + Send>;

pub(super) fn lock<T>(of: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Where a question waits for its thread.
pub(super) trait Lane {
    fn put(&self, job: Job);
}

/// A few threads that answer every question.
pub(super) struct Pool {
    jobs: Sender<Job>,
}

impl Pool {
    pub(super) fn new(name: &str, threads: usize) -> std::io::Result<Self> {
        let (jobs, queue) = channel::<Job>();
        let queue = Arc::new(Mutex::new(queue));
        for _ in 0..threads {
            let queue = Arc::clone(&queue);
            thread::Builder::new()
                .name(format!("{THREAD}-{name}"))
                .spawn(move || {
                    while let Some(job) = next(&queue) {
                        job();
                    }
                })?;
        }
        Ok(Self { jobs })
    }
}

impl Lane for Pool {
    fn put(&self, job: Job) {
        let _ended = self.jobs.send(job);
    }
}

fn next(queue: &Mutex<Receiver<Job>>) -> Option<Job> {
    lock(queue).recv().ok()
}

/// One thread that does everything it was given, in order. Dropping it waits until that is done: what was
/// begun is never cut short.
pub(super) struct Serial {
    jobs: Option<Sender<Job>>,
    thread: Option<thread::JoinHandle<()>>,
}

impl Serial {
    pub(super) fn new(name: &str) -> std::io::Result<Self> {
        let (jobs, queue) = channel::<Job>();
        let thread = thread::Builder::new()
            .name(format!("{THREAD}-{name}"))
            .spawn(move || {
                while let Ok(job) = queue.recv() {
                    job();
                }
            })?;
        Ok(Self {
            jobs: Some(jobs),
            thread: Some(thread),
        })
    }
}

impl Lane for Serial {
    fn put(&self, job: Job) {
        if let Some(jobs) = &self.jobs {
            let _ended = jobs.send(job);
        }
    }
}

impl Drop for Serial {
    fn drop(&mut self) {
        self.jobs = None;
        if let Some(thread) = self.thread.take() {
            // Its panics were answered where they happened.
            let _ended = thread.join();
        }
    }
}

#[derive(Default)]
struct Place {
    job: Option<Job>,
    ended: bool,
}

/// One thread with room for one question: a newer one takes the place of one that has not begun.
pub(super) struct Slot {
    place: Arc<(Mutex<Place>, Condvar)>,
}

impl Slot {
    pub(super) fn new(name: &str) -> std::io::Result<Self> {
        let place = Arc::new((Mutex::new(Place::default()), Condvar::new()));
        let shared = Arc::clone(&place);
        thread::Builder::new()
            .name(format!("{THREAD}-{name}"))
            .spawn(move || {
                while let Some(job) = wait(&shared) {
                    job();
                }
            })?;
        Ok(Self { place })
    }
}

impl Lane for Slot {
    fn put(&self, job: Job) {
        let (place, rung) = &*self.place;
        lock(place).job = Some(job);
        rung.notify_one();
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        let (place, rung) = &*self.place;
        lock(place).ended = true;
        rung.notify_one();
    }
}

fn wait(shared: &(Mutex<Place>, Condvar)) -> Option<Job> {
    let (place, rung) = shared;
    let mut place = lock(place);
    loop {
        if place.ended {
            return None;
        }
        if let Some(job) = place.job.take() {
            return Some(job);
        }
        place = rung.wait(place).unwrap_or_else(PoisonError::into_inner);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn in_a_slot_the_newest_job_wins() {
        let (out, answers) = channel();
        let slot = Slot::new("test").unwrap();
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
        let lane = Serial::new("test").unwrap();
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
