//! Threads that answer questions: a pool that answers all, and slots in which the newest wins.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;

use crate::tui::msg::{Msg, Reply, Ticket};

/// How the names of the worker's threads begin; the panic hook leaves the terminal alone for them.
pub(in crate::tui) const THREAD: &str = "relight-worker";

/// A question on its way to a thread.
pub(super) struct Job {
    ticket: Ticket,
    work: Box<dyn FnOnce() -> Reply + Send>,
    /// The answer if the work panics, so that nobody waits for ever.
    broken: Reply,
}

impl Job {
    pub(super) fn new(
        ticket: Ticket,
        broken: Reply,
        work: impl FnOnce() -> Reply + Send + 'static,
    ) -> Self {
        Self {
            ticket,
            work: Box::new(work),
            broken,
        }
    }

    /// The answer, made here and now.
    #[cfg(test)]
    pub(super) fn answer(self) -> Msg {
        Msg::Reply(self.ticket, (self.work)())
    }

    fn run(self, out: &Sender<Msg>) {
        let reply = catch_unwind(AssertUnwindSafe(self.work)).unwrap_or(self.broken);
        // Nobody listens any more when the console is ending.
        let _ended = out.send(Msg::Reply(self.ticket, reply));
    }
}

/// A few threads that answer every question.
pub(super) struct Pool {
    jobs: Sender<Job>,
}

impl Pool {
    pub(super) fn new(name: &str, threads: usize, out: &Sender<Msg>) -> std::io::Result<Self> {
        let (jobs, queue) = channel::<Job>();
        let queue = Arc::new(Mutex::new(queue));
        for _ in 0..threads {
            let (queue, out) = (Arc::clone(&queue), out.clone());
            thread::Builder::new()
                .name(format!("{THREAD}-{name}"))
                .spawn(move || {
                    while let Some(job) = next(&queue) {
                        job.run(&out);
                    }
                })?;
        }
        Ok(Self { jobs })
    }

    pub(super) fn put(&self, job: Job) {
        let _ended = self.jobs.send(job);
    }
}

fn next(queue: &Mutex<Receiver<Job>>) -> Option<Job> {
    let queue = queue.lock().unwrap_or_else(PoisonError::into_inner);
    queue.recv().ok()
}

/// One thread that does everything it was given, in order. Dropping it waits until that is done: what was
/// begun is never cut short.
pub(super) struct Serial {
    jobs: Option<Sender<Job>>,
    thread: Option<thread::JoinHandle<()>>,
}

impl Serial {
    pub(super) fn new(name: &str, out: &Sender<Msg>) -> std::io::Result<Self> {
        let (jobs, queue) = channel::<Job>();
        let out = out.clone();
        let thread = thread::Builder::new()
            .name(format!("{THREAD}-{name}"))
            .spawn(move || {
                while let Ok(job) = queue.recv() {
                    job.run(&out);
                }
            })?;
        Ok(Self {
            jobs: Some(jobs),
            thread: Some(thread),
        })
    }

    pub(super) fn put(&self, job: Job) {
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
    pub(super) fn new(name: &str, out: &Sender<Msg>) -> std::io::Result<Self> {
        let place = Arc::new((Mutex::new(Place::default()), Condvar::new()));
        let (shared, out) = (Arc::clone(&place), out.clone());
        thread::Builder::new()
            .name(format!("{THREAD}-{name}"))
            .spawn(move || {
                while let Some(job) = wait(&shared) {
                    job.run(&out);
                }
            })?;
        Ok(Self { place })
    }

    pub(super) fn put(&self, job: Job) {
        let (place, rung) = &*self.place;
        let mut place = place.lock().unwrap_or_else(PoisonError::into_inner);
        place.job = Some(job);
        rung.notify_one();
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        let (place, rung) = &*self.place;
        let mut place = place.lock().unwrap_or_else(PoisonError::into_inner);
        place.ended = true;
        rung.notify_one();
    }
}

fn wait(shared: &(Mutex<Place>, Condvar)) -> Option<Job> {
    let (place, rung) = shared;
    let mut place = place.lock().unwrap_or_else(PoisonError::into_inner);
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

    fn reply(number: usize) -> Reply {
        Reply::Sought(Some(number))
    }

    #[test]
    fn in_a_slot_the_newest_question_wins() {
        let (out, answers) = channel();
        let slot = Slot::new("test", &out).unwrap();
        let (go, gate) = channel::<()>();
        let (say, said) = channel::<()>();
        slot.put(Job::new(Ticket(1), reply(0), move || {
            say.send(()).unwrap();
            gate.recv().unwrap();
            reply(1)
        }));
        said.recv().unwrap();
        slot.put(Job::new(Ticket(2), reply(0), || reply(2)));
        slot.put(Job::new(Ticket(3), reply(0), || reply(3)));
        go.send(()).unwrap();
        let tickets: Vec<Ticket> = answers
            .iter()
            .take(2)
            .map(|msg| match msg {
                Msg::Reply(ticket, _) => ticket,
                other => panic!("{other:?}"),
            })
            .collect();
        assert_eq!(tickets, [Ticket(1), Ticket(3)]);
    }

    #[test]
    fn what_was_begun_is_done_before_the_lane_ends() {
        let (out, answers) = channel();
        let lane = Serial::new("test", &out).unwrap();
        let (go, gate) = channel::<()>();
        lane.put(Job::new(Ticket(1), reply(0), move || {
            gate.recv().unwrap();
            reply(1)
        }));
        lane.put(Job::new(Ticket(2), reply(0), || reply(2)));
        go.send(()).unwrap();
        drop(lane);
        assert_eq!(answers.try_iter().count(), 2);
    }

    #[test]
    fn a_mistake_is_answered_too() {
        let (out, answers) = channel();
        let pool = Pool::new("test", 1, &out).unwrap();
        pool.put(Job::new(Ticket(1), reply(7), || panic!("a mistake")));
        pool.put(Job::new(Ticket(2), reply(0), || reply(2)));
        let texts: Vec<String> = answers
            .iter()
            .take(2)
            .map(|msg| format!("{msg:?}"))
            .collect();
        assert_eq!(
            texts,
            [
                "Reply(Ticket(1), Sought(Some(7)))",
                "Reply(Ticket(2), Sought(Some(2)))"
            ]
        );
    }
}
