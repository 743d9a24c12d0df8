//! The way of requests and replies between a session and its solver's thread.
//!
//! A channel that waits by yielding gives its turn away several times for every query: where there are more threads
//! than cores, queries of a tenth of a millisecond take a hundred times as long. Here who waits sleeps, and is woken.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

struct Mailbox<T> {
    state: Mutex<MailboxState<T>>,
    changed: Condvar,
}

struct MailboxState<T> {
    items: VecDeque<T>,
    /// Whether one of the ends is gone.
    is_closed: bool,
}

impl<T> Mailbox<T> {
    fn lock(&self) -> MutexGuard<'_, MailboxState<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn close(&self) {
        self.lock().is_closed = true;
        self.changed.notify_all();
    }
}

/// The end that gives.
pub(super) struct Sender<T>(Arc<Mailbox<T>>);

/// The end that takes.
pub(super) struct Receiver<T>(Arc<Mailbox<T>>);

/// Why nothing was received.
pub(super) enum Nothing {
    /// Nothing came in time.
    Timeout,
    /// Nothing will come.
    Closed,
}

/// The two ends of a new mailbox.
pub(super) fn mailbox<T>() -> (Sender<T>, Receiver<T>) {
    let mailbox = Arc::new(Mailbox {
        state: Mutex::new(MailboxState {
            items: VecDeque::new(),
            is_closed: false,
        }),
        changed: Condvar::new(),
    });
    (Sender(Arc::clone(&mailbox)), Receiver(mailbox))
}

impl<T> Sender<T> {
    /// Sends; false if nobody is there to take it.
    pub(super) fn send(&self, item: T) -> bool {
        let mut state = self.0.lock();
        if state.is_closed {
            return false;
        }
        state.items.push_back(item);
        drop(state);
        self.0.changed.notify_one();
        true
    }
}

impl<T> Receiver<T> {
    /// The next item; none if none will come any more.
    pub(super) fn receive(&self) -> Option<T> {
        let mut state = self.0.lock();
        loop {
            if let Some(item) = state.items.pop_front() {
                return Some(item);
            }
            if state.is_closed {
                return None;
            }
            let woken = self.0.changed.wait(state);
            state = woken.unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// The next item, if it comes in time.
    pub(super) fn receive_within(&self, limit: Duration) -> Result<T, Nothing> {
        let begun = Instant::now();
        let mut state = self.0.lock();
        loop {
            if let Some(item) = state.items.pop_front() {
                return Ok(item);
            }
            if state.is_closed {
                return Err(Nothing::Closed);
            }
            let left = limit.saturating_sub(begun.elapsed());
            if left.is_zero() {
                return Err(Nothing::Timeout);
            }
            let woken = self.0.changed.wait_timeout(state, left);
            state = woken.unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

impl<T> Drop for Sender<T> {
    fn drop(&mut self) {
        self.0.close();
    }
}

impl<T> Drop for Receiver<T> {
    fn drop(&mut self) {
        self.0.close();
        // What nobody will take any more may hold ends of other mailboxes, which others wait at.
        let left = std::mem::take(&mut self.0.lock().items);
        drop(left);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_come_in_order_and_the_last_ones_after_the_end_is_gone() {
        let (sender, receiver) = mailbox();
        let other = std::thread::spawn(move || (0..100).all(|number| sender.send(number)));
        let received: Vec<i32> = std::iter::from_fn(|| receiver.receive()).collect();
        assert_eq!(received, (0..100).collect::<Vec<_>>());
        assert!(other.join().expect("it only sends"));
    }

    #[test]
    fn waiting_ends_in_time_and_with_the_other_end() {
        let (sender, receiver) = mailbox::<()>();
        let limit = Duration::from_millis(5);
        assert!(matches!(
            receiver.receive_within(limit),
            Err(Nothing::Timeout)
        ));
        drop(sender);
        assert!(matches!(
            receiver.receive_within(limit),
            Err(Nothing::Closed)
        ));
        let (sender, receiver) = mailbox();
        let (inner, waiting) = mailbox::<()>();
        assert!(sender.send(inner));
        drop(receiver);
        assert!(waiting.receive().is_none());
        assert!(!sender.send(mailbox().0));
    }
}
