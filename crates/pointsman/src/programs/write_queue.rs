//! Images on their way to the disk: callers leave them here and go on, and one thread at a time stores them.

use super::Programs;
use super::key::Key;
use pointsman_device::{Device, ProgramImage};
use pointsman_ir::kernel::Kernel;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The most images that wait for the disk; those beyond it are not stored.
pub(super) const WAITING_MAX: usize = 64;

/// What waits for the disk.
#[derive(Default)]
pub(super) struct WriteQueue(Mutex<State>);

#[derive(Default)]
struct State {
    waiting: VecDeque<(Key, ProgramImage)>,
    /// Whether a thread stores them.
    is_served: bool,
}

impl WriteQueue {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next one for the thread that stores them, whose service ends where there is none.
    fn next(&self) -> Option<(Key, ProgramImage)> {
        let mut state = self.lock();
        let next = state.waiting.pop_front();
        state.is_served = next.is_some();
        next
    }
}

impl Programs {
    /// Has an image stored, behind the caller's back.
    pub(super) fn store_later(self: &Arc<Self>, kernel: &Kernel, device: &Arc<dyn Device>, image: ProgramImage) {
        if self.store_for(&**device).is_none() {
            return;
        }
        let key = Key::new(kernel, &**device);
        let mut state = self.outbox.lock();
        if state.waiting.len() >= WAITING_MAX {
            drop(state);
            return self.counts.lost(format!("{WAITING_MAX} programs wait for the disk already"));
        }
        state.waiting.push_back((key, image));
        let is_served = std::mem::replace(&mut state.is_served, true);
        drop(state);
        if is_served {
            return;
        }
        let programs = self.clone();
        if let Err(error) = self.crew.start("pointsman-store", move || programs.empty_outbox()) {
            while self.outbox.next().is_some() {
                self.counts.lost(format!("no thread to store it: {error}"));
            }
        }
    }

    /// Stores what waits, until nothing does.
    fn empty_outbox(&self) {
        while let Some((key, image)) = self.outbox.next() {
            if let Ok(store) = self.store()
                && let Err(error) = store.write(&key, &image)
            {
                self.counts.lost(error.to_string());
            }
        }
    }
}
