//! [`CancellationToken`]: cancels queries from any thread, and wakes those that wait.

use super::parker::{Parker, Signal};
use super::sync::Mutex;
use std::sync::{Arc, Weak};

/// Cancels queries. Clones are the same token; a cancelled token stays cancelled.
///
/// A query checks its token before each attempt, while it waits (for its turn, for a compilation, before a retry),
/// between batches, and every few thousand rows on the CPU. A launch that is running on another device finishes first.
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
#[derive(Clone, Debug, Default)]
pub struct CancellationToken(Arc<TokenShared>);

#[derive(Debug, Default)]
struct TokenShared {
    state: Mutex<TokenState>,
    /// The token that cancels this one with it.
    parent: Option<CancellationToken>,
}

#[derive(Debug, Default)]
struct TokenState {
    is_cancelled: bool,
    /// Waiting threads, to be signalled on cancellation.
    parkers: Vec<Weak<Parker>>,
}

impl CancellationToken {
    /// A token that is not cancelled.
    pub fn new() -> CancellationToken {
        CancellationToken::default()
    }

    /// A token that is cancelled together with this one. Cancelling it leaves this one alone.
    pub fn child(&self) -> CancellationToken {
        CancellationToken(Arc::new(TokenShared { state: Mutex::default(), parent: Some(self.clone()) }))
    }

    /// Cancels the token and its children. Queries that have it stop.
    pub fn cancel(&self) {
        let parkers = {
            let mut state = self.0.state.lock();
            state.is_cancelled = true;
            std::mem::take(&mut state.parkers)
        };
        for parker in parkers.iter().filter_map(Weak::upgrade) {
            parker.signal(Signal::Cancel);
        }
    }

    /// Whether the token is cancelled.
    pub fn is_cancelled(&self) -> bool {
        self.0.state.lock().is_cancelled || self.0.parent.as_ref().is_some_and(CancellationToken::is_cancelled)
    }

    /// Signals `parker` when the token is cancelled; immediately if it already is.
    pub(crate) fn signal_on_cancel(&self, parker: &Arc<Parker>) {
        if let Some(parent) = &self.0.parent {
            parent.signal_on_cancel(parker);
        }
        let mut state = self.0.state.lock();
        if state.is_cancelled {
            drop(state);
            parker.signal(Signal::Cancel);
            return;
        }
        state.parkers.retain(|parker| parker.strong_count() > 0);
        state.parkers.push(Arc::downgrade(parker));
    }
}
