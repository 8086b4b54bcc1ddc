//! [`Promise`]: the answer of a query that runs on a thread of its session, for any executor to await.

use crate::error::{Error, Result};
use crate::instrument::phase::{Phase, PhaseTimer};
use crate::resilience::cancel::CancellationToken;
use crate::session::async_pool::{Task, TaskHandle, TaskLimit};
use crate::session::{RunLimits, Session, StartedCall, inherited};
use crate::sync::Mutex;
use crate::telemetry;
use crate::telemetry::receipt::Answer;
use crate::text::panic_text;
use pointsman_device::fork::Process;
use std::fmt;
use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

/// A future of the answer of a query that runs on a thread of its session. Any executor can await it; the query makes
/// progress whether it is polled or not.
///
/// Dropping the promise cancels the query and frees what it holds. A query that still waits for a thread is removed
/// from the queue. One that runs stops as soon as a cancelled query does ([`CancellationToken`]), and its thread runs
/// the next query; it does not wait for a driver that compiles, which goes on elsewhere. A token that the query was
/// given ([`Query::cancelled_by`](crate::Query::cancelled_by)) is not cancelled by the drop.
///
/// ```
/// use pointsman::{Column, Result, Session};
///
/// async fn total(session: &Session, prices: Column<f32>) -> Result<f32> {
///     Ok(session.from(prices).folds(|p| p.sum()).run_async().await?.into_value())
/// }
/// ```
#[doc(alias = "Future")]
#[must_use = "a promise that is dropped cancels its query"]
pub struct Promise<T> {
    shared: Arc<SharedPromise<T>>,
    token: CancellationToken,
    ticket: Option<TaskHandle>,
    /// The process whose threads run the query.
    process: Process,
}

struct SharedPromise<T>(Mutex<PromiseState<T>>);

enum PromiseState<T> {
    /// Whom to wake.
    Waiting(Option<Waker>),
    Done(Box<Result<Answer<T>>>),
    /// The answer was given, or its promise was dropped.
    Over,
}

impl<T> SharedPromise<T> {
    /// Gives the answer, if someone still waits for it.
    fn fulfil(&self, result: Result<Answer<T>>) {
        let mut state = self.0.lock();
        let waker = match &mut *state {
            PromiseState::Waiting(waker) => waker.take(),
            PromiseState::Done(_) | PromiseState::Over => return,
        };
        *state = PromiseState::Done(Box::new(result));
        drop(state);
        if let Some(waker) = waker {
            waker.wake();
        }
    }
}

impl Session {
    /// Has a query run by a thread of the session, within these limits; waiting for a thread counts. The query gets a
    /// child of their token, which the promise cancels on its own.
    pub(crate) fn promise<T: Send + 'static>(
        &self,
        mut limits: RunLimits,
        run: impl FnOnce(&RunLimits, &mut StartedCall) -> Result<Answer<T>> + Send + 'static,
    ) -> Promise<T> {
        let mut started = self.start(&limits);
        let token = limits.token.as_ref().map_or_else(CancellationToken::new, CancellationToken::child);
        let limit = TaskLimit { deadline: started.deadline, token: limits.token.replace(token.clone()) };
        let work = move || {
            started.timer.lap(Phase::Queue);
            run(&limits, &mut started)
        };
        let shared = Arc::new(SharedPromise(Mutex::new(PromiseState::Waiting(None))));
        let (answer, session, span) = (shared.clone(), self.clone(), telemetry::current_span());
        let task: Task = Box::new(move || {
            let result = catch_unwind(AssertUnwindSafe(|| span.in_scope(work)));
            let failed = |error| Err(session.record_failed_query(error, &PhaseTimer::start()));
            let panicked = |panic: Box<_>| Error::internal(format!("the query panicked: {}", panic_text(&*panic)));
            answer.fulfil(result.unwrap_or_else(|panic| failed(panicked(panic))));
            // Only after the answer, because dropping the last handle of a session may wait for its compilers.
            drop(session);
        });
        let refused = |error| shared.fulfil(Err(self.record_failed_query(error, &PhaseTimer::start())));
        let ticket = self.check_process().and_then(|()| self.0.async_pool.submit(task, limit)).map_err(refused).ok();
        Promise { shared, token, ticket, process: self.0.process }
    }
}

impl<T> Future for Promise<T> {
    type Output = Result<Answer<T>>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        if !self.process.is_same() {
            return Poll::Ready(Err(inherited()));
        }
        // Made before the lock is taken: it is code of the executor's.
        let waker = context.waker().clone();
        let mut state = self.shared.0.lock();
        match std::mem::replace(&mut *state, PromiseState::Over) {
            PromiseState::Waiting(before) => {
                *state = PromiseState::Waiting(Some(waker));
                drop(state);
                drop(before);
                Poll::Pending
            }
            PromiseState::Done(result) => Poll::Ready(*result),
            PromiseState::Over => Poll::Ready(Err(Error::invalid("the answer of this query was given already"))),
        }
    }
}

impl<T> Drop for Promise<T> {
    fn drop(&mut self) {
        // In a forked child the query does not run, and a thread of the parent may have held a lock of it.
        if !self.process.is_same() {
            return;
        }
        self.token.cancel();
        if let Some(ticket) = &self.ticket {
            ticket.withdraw();
        }
        let before = std::mem::replace(&mut *self.shared.0.lock(), PromiseState::Over);
        drop(before);
    }
}

impl<T> fmt::Debug for Promise<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = match &*self.shared.0.lock() {
            PromiseState::Waiting(_) => "not there yet",
            PromiseState::Done(_) => "there",
            PromiseState::Over => "given",
        };
        write!(f, "Promise({state})")
    }
}
