//! Ctrl-C and the other signals that end a program.
//!
//! Signals end a command that only reads, as they end any program. A command that writes handles them, because it must
//! not stop half-way: the effect of a signal depends on the progress of the work ([`Reach`]).

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, OnceLock};
use std::thread;

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGTSTP, SIGXFSZ};
use signal_hook::flag;
use signal_hook::iterator::Signals;
use signal_hook::low_level::emulate_default_handler;

use crate::engine::{EngineError, ErrorKind, Result, ignores_hang_ups, launching};
use crate::model::{Cancel, Reach, lock};

/// The signals that are handled. A hang-up that relight was started to ignore is still ignored.
fn handled() -> impl Iterator<Item = i32> {
    let hang_up = (!ignores_hang_ups()).then_some(SIGHUP);
    [SIGINT, SIGTERM].into_iter().chain(hang_up)
}

/// Called for a signal that must not end the process at once.
type Told = Box<dyn FnMut(Reach) + Send>;

/// Who a signal is for.
enum For {
    /// The work, if any is running.
    Work,
    /// A question that a person may cancel.
    Question(Sender<Option<String>>),
    /// The answer, which is being printed; true if a signal is already waiting.
    Answer(bool),
}

/// What the thread and the rest of the process share.
struct Listener {
    cancel: Cancel,
    /// Whether a signal came that the thread has not handled yet.
    fresh: Arc<AtomicBool>,
    whose: Mutex<For>,
    told: Mutex<Told>,
    /// Whether a stop (Ctrl-Z) waits for the end of the work.
    stop: AtomicBool,
}

static LISTENER: OnceLock<Arc<Listener>> = OnceLock::new();

/// Makes a write beyond the file size limit an error instead of the end of the process. The standard library does
/// the same for closed pipes.
pub(super) fn survive_limits() {
    // Where this fails, an interrupted recovery stays pending, as after any crash.
    drop(flag::register(SIGXFSZ, Arc::new(AtomicBool::new(false))));
}

/// Handles signals until the process ends. `told` is called for every signal during work, with the progress of the
/// work. Returns the switch that the signals set.
pub(super) fn listen(told: impl FnMut(Reach) + Send + 'static) -> Result<Cancel> {
    // Without signal handlers, nothing that writes is started.
    let listener = listener().map_err(|error| {
        let text = format!("Signal handlers cannot be installed: {error}.");
        EngineError::new(ErrorKind::Bug, text)
    })?;
    *lock(&listener.told) = Box::new(told);
    Ok(listener.cancel.clone())
}

/// Whether such a signal has come.
pub(super) fn came() -> bool {
    let listener = LISTENER.get();
    listener.is_some_and(|listener| listener.cancel.is_cancelled())
}

/// Until this is dropped, a signal cancels a question.
pub(super) struct Asking(Arc<Listener>);

/// A question starts.
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

/// The work is over, and its answer is about to be printed: a first signal waits for that, a second one does not.
pub(super) fn answering() {
    if let Some(listener) = LISTENER.get() {
        listener.end_of_work(listener.cancel.is_cancelled());
    }
}

/// Nothing needs to be finished any more: from now on a signal ends the process, as for any program.
pub(super) fn answered() {
    if let Some(listener) = LISTENER.get() {
        listener.end_of_work(true);
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
    let handled: Vec<i32> = handled().collect();
    for &signal in &handled {
        // Registered before the thread's own handler, so that these are set when the thread runs.
        flag::register(signal, listener.cancel.flag())?;
        flag::register(signal, Arc::clone(&listener.fresh))?;
    }
    let mut signals = Signals::new(handled.into_iter().chain([SIGTSTP]))?;
    let heard = Arc::clone(&listener);
    thread::Builder::new()
        .name("relight-signals".to_owned())
        .spawn(move || {
            for signal in signals.forever() {
                match signal {
                    SIGTSTP => heard.stop(),
                    // An interrupt while another program has the terminal is meant for that program.
                    SIGINT if launching() => {}
                    signal => heard.take(signal),
                }
            }
        })?;
    Ok(LISTENER.get_or_init(|| listener))
}

impl Listener {
    fn end_of_work(&self, waited: bool) {
        // A signal that the thread has not handled yet was for the work.
        self.fresh.store(false, Ordering::SeqCst);
        *lock(&self.whose) = For::Answer(waited);
        self.stop_now();
    }

    /// Stops the process as Ctrl-Z asks. While files are exchanged git is locked, and a stopped process would keep
    /// it so: then the stop waits for the end of the work.
    fn stop(&self) {
        // A stop has a default action, so emulating it does not fail.
        let stop = || drop(emulate_default_handler(SIGTSTP));
        let in_time = self.cancel.unless_late(stop);
        if !in_time {
            self.stop.store(true, Ordering::SeqCst);
            // The work may have ended in the meantime.
            if !matches!(*lock(&self.whose), For::Work) {
                self.stop_now();
            }
        }
    }

    /// Performs a stop that had to wait.
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
                // The question may have its answer by now; then the signal is too late.
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
                // Only signals without a default action cannot be emulated, and none is handled here.
                let _unknown = emulate_default_handler(signal);
            }
        }
    }
}
