//! A minimal executor that polls on the waiting thread and parks it until it is woken.

use std::future::Future;
use std::pin::{Pin, pin};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::task::{Context, Poll, Wake, Waker};
use std::thread::Thread;

/// A waker that unparks a thread and counts how often.
pub(crate) struct CountingWaker {
    thread: Thread,
    pub(crate) wakes: AtomicUsize,
}

impl CountingWaker {
    pub(crate) fn new() -> Arc<CountingWaker> {
        Arc::new(CountingWaker { thread: std::thread::current(), wakes: AtomicUsize::new(0) })
    }
}

impl Wake for CountingWaker {
    fn wake(self: Arc<Self>) {
        self.wakes.fetch_add(1, Ordering::SeqCst);
        self.thread.unpark();
    }
}

/// Polls a future until it is ready.
pub(crate) fn block_on<F: Future>(future: F) -> F::Output {
    let waker = Waker::from(CountingWaker::new());
    let mut future = pin!(future);
    loop {
        match future.as_mut().poll(&mut Context::from_waker(&waker)) {
            Poll::Ready(output) => return output,
            Poll::Pending => std::thread::park(),
        }
    }
}

/// Awaits all futures; returns their outputs in order.
pub(crate) async fn all<F: Future + Unpin>(futures: Vec<F>) -> Vec<F::Output> {
    let mut slots: Vec<Result<F::Output, F>> = futures.into_iter().map(Err).collect();
    std::future::poll_fn(move |context| {
        for slot in &mut slots {
            if let Err(future) = slot
                && let Poll::Ready(output) = Pin::new(future).poll(context)
            {
                *slot = Ok(output);
            }
        }
        if slots.iter().any(Result::is_err) {
            return Poll::Pending;
        }
        Poll::Ready(slots.drain(..).filter_map(Result::ok).collect())
    })
    .await
}

/// Blocks threads until it is opened.
#[derive(Default)]
pub(crate) struct Latch {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    arrivals: usize,
    is_open: bool,
}

impl Latch {
    pub(crate) fn new() -> Arc<Latch> {
        Arc::default()
    }

    /// Counts the thread as arrived and blocks it until the latch is open.
    pub(crate) fn wait(&self) {
        let mut state = self.state.lock().unwrap();
        state.arrivals += 1;
        self.changed.notify_all();
        drop(self.changed.wait_while(state, |state| !state.is_open).unwrap());
    }

    /// Blocks until a thread has arrived.
    pub(crate) fn wait_for_arrival(&self) {
        let state = self.state.lock().unwrap();
        drop(self.changed.wait_while(state, |state| state.arrivals == 0).unwrap());
    }

    pub(crate) fn open(&self) {
        self.state.lock().unwrap().is_open = true;
        self.changed.notify_all();
    }
}
