//! [`CancellationToken`]: one part of a program tells others to stop.

use super::parker::{Parker, Signal};
use super::sync::{Mutex, PoisonError};
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
pub struct CancellationToken(Arc<Mutex<Listeners>>);

#[derive(Debug, Default)]
struct Listeners {
    is_cancelled: bool,
    bells: Vec<Weak<Parker>>,
    /// Tokens that are cancelled with this one.
    children: Vec<Weak<Mutex<Listeners>>>,
}

impl Default for CancellationToken {
    fn default() -> CancellationToken {
        CancellationToken(Arc::new(Mutex::new(Listeners::default())))
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
        let mut listeners = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if listeners.is_cancelled {
            drop(listeners);
            child.cancel();
            return child;
        }
        listeners.children.retain(|child| child.strong_count() > 0);
        listeners.children.push(Arc::downgrade(&child.0));
        child
    }

    /// Cancels the token and its children. Queries that have it stop.
    pub fn cancel(&self) {
        let (bells, children) = {
            let mut listeners = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            listeners.is_cancelled = true;
            (std::mem::take(&mut listeners.bells), std::mem::take(&mut listeners.children))
        };
        for bell in bells.iter().filter_map(Weak::upgrade) {
            bell.tell(Signal::Stop);
        }
        for child in children.iter().filter_map(Weak::upgrade) {
            CancellationToken(child).cancel();
        }
    }

    /// Whether the token is cancelled.
    pub fn is_cancelled(&self) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).is_cancelled
    }

    /// Rings this bell when the token is cancelled, at once if it was.
    pub(crate) fn ring(&self, bell: &Arc<Parker>) {
        let mut listeners = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if listeners.is_cancelled {
            drop(listeners);
            bell.tell(Signal::Stop);
            return;
        }
        listeners.bells.retain(|bell| bell.strong_count() > 0);
        listeners.bells.push(Arc::downgrade(bell));
    }
}
