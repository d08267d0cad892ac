//! Ctrl-C and the other signals that mean to end, and those that only look as if they did.
//!
//! A command that only reads dies of them as any program does. One that writes must end well: it listens, and what
//! a signal does depends on how far the work has come ([`Reach`]).

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread;

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGTSTP, SIGXFSZ};
use signal_hook::flag;
use signal_hook::iterator::Signals;
use signal_hook::low_level::emulate_default_handler;

use crate::engine::launching;
use crate::model::{Cancel, Reach};

const SIGNALS: [i32; 3] = [SIGINT, SIGTERM, SIGHUP];

/// What hears of a signal that must not end the process at once.
type Told = Box<dyn FnMut(Reach) + Send>;

/// Who a signal is for.
enum For {
    /// The work, if any is under way: nobody else waits for one.
    Work,
    /// A question that a person may leave.
    Question(Sender<Option<String>>),
    /// The answer, which is being printed; true where a signal has been waited with already.
    Answer(bool),
}

/// What the thread and the rest of the process share.
struct Listener {
    cancel: Cancel,
    /// Whether one came that the thread has not heard of yet.
    fresh: Arc<AtomicBool>,
    whose: Mutex<For>,
    told: Mutex<Told>,
    /// Whether a stop (Ctrl-Z) waits for the end of the work.
    stop: AtomicBool,
}

static LISTENER: OnceLock<Arc<Listener>> = OnceLock::new();

/// A write beyond a limit on file sizes is an error like any other from here on, not the end of the process. Of
/// pipes that nobody reads, the standard library says the same.
pub(super) fn survive_limits() {
    // Without the handler it is as it was: the recovery that follows settles what is cut short.
    drop(flag::register(SIGXFSZ, Arc::new(AtomicBool::new(false))));
}

/// Listens from here on, to the end of the process; `told` hears of every signal that comes while work is under
/// way, with how far the work is by then. Gives the switch that the signals set.
pub(super) fn listen(told: impl FnMut(Reach) + Send + 'static) -> io::Result<Cancel> {
    let listener = listener()?;
    *lock(&listener.told) = Box::new(told);
    Ok(listener.cancel.clone())
}

/// Whether such a signal has come.
pub(super) fn came() -> bool {
    LISTENER
        .get()
        .is_some_and(|listener| listener.cancel.is_cancelled())
}

/// Until this is dropped, a signal answers a question with nothing.
pub(super) struct Asking(Arc<Listener>);

/// A question begins.
pub(super) fn asking(nothing: Sender<Option<String>>) -> io::Result<Asking> {
    let listener = listener()?;
    *lock(&listener.whose) = For::Question(nothing);
    Ok(Asking(Arc::clone(listener)))
}

impl Drop for Asking {
    fn drop(&mut self) {
        *lock(&self.0.whose) = For::Work;
    }
}

/// The work is over, and its answer is about to be printed: a signal waits for that, a second one does not.
pub(super) fn answering() {
    if let Some(listener) = LISTENER.get() {
        // The thread may hear only now of one that came before: that was for the work.
        listener.fresh.store(false, Ordering::SeqCst);
        *lock(&listener.whose) = For::Answer(listener.cancel.is_cancelled());
        listener.stop_now();
    }
}

/// Nothing is left that must end well: a signal ends the process as it would any other.
pub(super) fn answered() {
    if let Some(listener) = LISTENER.get() {
        listener.fresh.store(false, Ordering::SeqCst);
        *lock(&listener.whose) = For::Answer(true);
        listener.stop_now();
    }
}

fn listener() -> io::Result<&'static Arc<Listener>> {
    static BEGINNING: Mutex<()> = Mutex::new(());
    let _one = lock(&BEGINNING);
    if let Some(listener) = LISTENER.get() {
        return Ok(listener);
    }
    let listener = Arc::new(Listener {
        cancel: Cancel::new(),
        fresh: Arc::default(),
        whose: Mutex::new(For::Work),
        told: Mutex::new(Box::new(|_| {})),
        stop: AtomicBool::new(false),
    });
    for signal in SIGNALS {
        // Before the thread's own: whoever looks at these after a signal must find them set.
        flag::register(signal, listener.cancel.flag())?;
        flag::register(signal, Arc::clone(&listener.fresh))?;
    }
    let mut signals = Signals::new(SIGNALS.into_iter().chain([SIGTSTP]))?;
    let heard = Arc::clone(&listener);
    thread::Builder::new()
        .name("relight-signals".to_owned())
        .spawn(move || {
            for signal in signals.forever() {
                match signal {
                    SIGTSTP => heard.stop(),
                    // An interrupt of a program that has the terminal was meant for that program.
                    SIGINT if launching() => {}
                    signal => heard.take(signal),
                }
            }
        })?;
    Ok(LISTENER.get_or_init(|| listener))
}

impl Listener {
    /// Stops the process as Ctrl-Z asks. While files are exchanged git is locked, and a stopped process would keep
    /// it so: then the stop waits for the end of the work.
    fn stop(&self) {
        // What cannot be emulated is no signal that was listened to.
        let in_time = self
            .cancel
            .unless_late(|| drop(emulate_default_handler(SIGTSTP)));
        if !in_time {
            self.stop.store(true, Ordering::SeqCst);
            // The work may have ended since it was looked at.
            if !matches!(*lock(&self.whose), For::Work) {
                self.stop_now();
            }
        }
    }

    /// Makes up for a stop that had to wait.
    fn stop_now(&self) {
        if self.stop.swap(false, Ordering::SeqCst) {
            drop(emulate_default_handler(SIGTSTP));
        }
    }

    fn take(&self, signal: i32) {
        let mut whose = lock(&self.whose);
        let fresh = self.fresh.swap(false, Ordering::SeqCst);
        match &mut *whose {
            For::Question(nothing) => {
                // Whoever asked may have its answer by now; then the signal comes too late for it.
                let _answered = nothing.send(None);
            }
            For::Answer(_) if !fresh => {}
            For::Answer(waited) if !*waited => *waited = true,
            For::Work if self.cancel.reach() != Reach::Idle => {
                drop(whose);
                let reach = self.cancel.reach();
                (lock(&self.told))(reach);
            }
            For::Answer(_) | For::Work => {
                // What cannot be emulated is no signal that was listened to.
                let _unknown = emulate_default_handler(signal);
            }
        }
    }
}

fn lock<T>(what: &Mutex<T>) -> MutexGuard<'_, T> {
    what.lock().unwrap_or_else(PoisonError::into_inner)
}
