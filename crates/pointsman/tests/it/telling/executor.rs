//! The smallest executor: it polls on the thread that waits, and sleeps until it is woken.

use std::future::Future;
use std::pin::{Pin, pin};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::task::{Context, Poll, Wake, Waker};
use std::thread::Thread;

/// Wakes a thread, and counts how often.
pub(crate) struct Alarm {
    thread: Thread,
    pub(crate) rings: AtomicUsize,
}

impl Alarm {
    pub(crate) fn new() -> Arc<Alarm> {
        Arc::new(Alarm { thread: std::thread::current(), rings: AtomicUsize::new(0) })
    }
}

impl Wake for Alarm {
    fn wake(self: Arc<Self>) {
        self.rings.fetch_add(1, Ordering::SeqCst);
        self.thread.unpark();
    }
}

/// Polls until it is ready.
pub(crate) fn block_on<F: Future>(future: F) -> F::Output {
    let waker = Waker::from(Alarm::new());
    let mut future = pin!(future);
    loop {
        match future.as_mut().poll(&mut Context::from_waker(&waker)) {
            Poll::Ready(output) => return output,
            Poll::Pending => std::thread::park(),
        }
    }
}

/// All of them, in the order in which they were given.
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

/// A door that threads stop at until it is opened.
#[derive(Default)]
pub(crate) struct Door {
    /// How many came, and whether it is open.
    state: Mutex<(usize, bool)>,
    moved: Condvar,
}

impl Door {
    pub(crate) fn new() -> Arc<Door> {
        Arc::default()
    }

    /// Comes to the door and waits until it is open.
    pub(crate) fn pass(&self) {
        let mut state = self.state.lock().unwrap();
        state.0 += 1;
        self.moved.notify_all();
        drop(self.moved.wait_while(state, |(_, is_open)| !*is_open).unwrap());
    }

    /// Waits until someone stands at the door.
    pub(crate) fn until_arrived(&self) {
        let state = self.state.lock().unwrap();
        drop(self.moved.wait_while(state, |(came, _)| *came == 0).unwrap());
    }

    pub(crate) fn open(&self) {
        self.state.lock().unwrap().1 = true;
        self.moved.notify_all();
    }
}
