//! [`WriteQueue`]: program images on their way to the store. Callers queue them and continue; one thread at a time
//! writes them. A full queue drops the image and counts the loss.

use super::Programs;
use super::store::Key;
use crate::sync::Mutex;
use pointsman_device::{Device, ProgramImage};
use pointsman_ir::kernel::Kernel;
use std::collections::VecDeque;
use std::sync::Arc;

/// The maximum number of images that wait to be written; further ones are not stored.
pub(super) const PENDING_MAX: usize = 64;

/// The images that wait to be written to the store.
#[derive(Default)]
pub(super) struct WriteQueue(Mutex<WriteQueueState>);

#[derive(Default)]
struct WriteQueueState {
    pending: VecDeque<(Key, ProgramImage)>,
    /// Whether a thread is writing.
    has_writer: bool,
}

impl WriteQueue {
    /// Returns the next image for the writing thread. That thread must end when there is none.
    fn next(&self) -> Option<(Key, ProgramImage)> {
        let mut state = self.0.lock();
        let next = state.pending.pop_front();
        state.has_writer = next.is_some();
        next
    }
}

impl Programs {
    /// Queues an image for the store if its device stores images, and starts the writing thread if none runs.
    pub(super) fn queue_write(self: &Arc<Self>, kernel: &Kernel, device: &Arc<dyn Device>, image: ProgramImage) {
        if self.store_for(&**device).is_none() {
            return;
        }
        let key = Key::new(kernel, &**device);
        let mut state = self.write_queue.0.lock();
        if state.pending.len() >= PENDING_MAX {
            drop(state);
            return self.record_loss(format!("{PENDING_MAX} programs wait for the disk already"));
        }
        state.pending.push_back((key, image));
        let has_writer = std::mem::replace(&mut state.has_writer, true);
        drop(state);
        if has_writer {
            return;
        }
        let programs = self.clone();
        let write_all = move || {
            while let Some((key, image)) = programs.write_queue.next() {
                if let Ok(store) = programs.store()
                    && let Err(error) = store.write(&key, &image)
                {
                    programs.record_loss(error.to_string());
                }
            }
        };
        if let Err(error) = self.threads.start("pointsman-store", write_all) {
            while self.write_queue.next().is_some() {
                self.record_loss(format!("no thread to store it: {error}"));
            }
        }
    }
}
