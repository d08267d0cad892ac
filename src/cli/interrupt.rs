//! Ctrl-C, and the other signals that mean to end, while something runs that must be ended well.

use std::io;
use std::thread;

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::{Handle, Signals};

use crate::model::Cancel;

/// While this lives, those signals set a switch in the place of ending the process at once. A second one changes
/// nothing: what runs has been told to stop, and is stopped for certain after a few seconds.
pub(super) struct Interrupt {
    cancel: Cancel,
    handle: Handle,
}

impl Interrupt {
    /// Begins to listen; `told` is called once, when the first of them comes.
    pub(super) fn listen(told: impl FnOnce() + Send + 'static) -> io::Result<Self> {
        let mut signals = Signals::new([SIGINT, SIGTERM, SIGHUP])?;
        let handle = signals.handle();
        let cancel = Cancel::new();
        let switch = cancel.clone();
        thread::spawn(move || {
            if signals.forever().next().is_some() {
                switch.cancel();
                told();
            }
        });
        Ok(Self { cancel, handle })
    }

    /// The switch.
    pub(super) fn cancel(&self) -> &Cancel {
        &self.cancel
    }
}

impl Drop for Interrupt {
    fn drop(&mut self) {
        self.handle.close();
    }
}
