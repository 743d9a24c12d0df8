//! Ctrl-C: the first one ends the measurement in good order, the second one at once.

use std::io;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use signal_hook::SigId;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

/// As long as this lives, signals that ask us to end set a flag instead.
#[derive(Debug)]
pub(crate) struct Interrupt {
    flag: Arc<AtomicBool>,
    registered: Vec<SigId>,
}

/// The exit status by which shells know that a program was interrupted.
const INTERRUPTED: i32 = 130;

impl Interrupt {
    pub(crate) fn on_signals() -> io::Result<Interrupt> {
        let mut interrupt = Interrupt {
            flag: Arc::new(AtomicBool::new(false)),
            registered: Vec::new(),
        };
        for signal in [SIGINT, SIGTERM, SIGHUP] {
            // In this order: the first signal finds the flag unset and sets it, the second finds it set. Whatever still runs then is
            // killed by its supervisor.
            let exit = signal_hook::flag::register_conditional_shutdown(
                signal,
                INTERRUPTED,
                Arc::clone(&interrupt.flag),
            )?;
            interrupt.registered.push(exit);
            interrupt.registered.push(signal_hook::flag::register(
                signal,
                Arc::clone(&interrupt.flag),
            )?);
        }
        Ok(interrupt)
    }

    pub(crate) fn flag(&self) -> &AtomicBool {
        &self.flag
    }
}

impl Drop for Interrupt {
    fn drop(&mut self) {
        for id in self.registered.drain(..) {
            signal_hook::low_level::unregister(id);
        }
    }
}
