//! [`CancellationToken`]: cancels queries from any thread, and wakes those that wait.

use super::parker::{Parker, Signal};
use super::sync::Mutex;
use std::sync::{Arc, Weak};

/// Cancels queries. Clones are the same token; a cancelled token stays cancelled.
///
/// A query checks its token before each attempt, while it waits (for its turn, for a compilation, before a retry), between
/// batches, and every few thousand rows on the CPU. A launch that is running on another device finishes first.
///
/// ```
/// # use pointsman::{CancellationToken, ErrorKind, Session};
/// # fn main() -> pointsman::Result<()> {
/// let (s, stop) = (Session::open()?, CancellationToken::new());
/// stop.cancel();
/// let error = s.from(&[1.0f32]).map(|x| x + 1.0).cancelled_by(&stop).run().unwrap_err();
/// assert_eq!(error.kind(), ErrorKind::Cancelled);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct CancellationToken(Arc<Mutex<TokenState>>);

#[derive(Debug, Default)]
struct TokenState {
    is_cancelled: bool,
    /// Waiting threads, to be signalled on cancellation.
    parkers: Vec<Weak<Parker>>,
    /// Tokens that are cancelled with this one.
    children: Vec<Weak<Mutex<TokenState>>>,
}

impl Default for CancellationToken {
    fn default() -> CancellationToken {
        CancellationToken(Arc::new(Mutex::new(TokenState::default())))
    }
}

impl CancellationToken {
    /// A token that is not cancelled.
    pub fn new() -> CancellationToken {
        CancellationToken::default()
    }

    /// A token that is cancelled together with this one. Cancelling it leaves this one alone.
    pub fn child(&self) -> CancellationToken {
        let child = CancellationToken::new();
        let mut state = self.0.lock();
        if state.is_cancelled {
            drop(state);
            child.cancel();
            return child;
        }
        state.children.retain(|child| child.strong_count() > 0);
        state.children.push(Arc::downgrade(&child.0));
        child
    }

    /// Cancels the token and its children. Queries that have it stop.
    pub fn cancel(&self) {
        let (parkers, children) = {
            let mut state = self.0.lock();
            state.is_cancelled = true;
            (std::mem::take(&mut state.parkers), std::mem::take(&mut state.children))
        };
        for parker in parkers.iter().filter_map(Weak::upgrade) {
            parker.signal(Signal::Cancel);
        }
        for child in children.iter().filter_map(Weak::upgrade) {
            CancellationToken(child).cancel();
        }
    }

    /// Whether the token is cancelled.
    pub fn is_cancelled(&self) -> bool {
        self.0.lock().is_cancelled
    }

    /// Signals `parker` when the token is cancelled; at once if it is.
    pub(crate) fn signal_on_cancel(&self, parker: &Arc<Parker>) {
        let mut state = self.0.lock();
        if state.is_cancelled {
            drop(state);
            parker.signal(Signal::Cancel);
            return;
        }
        state.parkers.retain(|parker| parker.strong_count() > 0);
        state.parkers.push(Arc::downgrade(parker));
    }
}
