//! [`ColumnIdentity`]: identifies a column and all its clones, so that devices can keep copies of it. Dropping the last
//! clone drops the copies.

use crate::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock, Weak};

/// The id of the next column that is cloned or copied to a device.
static NEXT_ID: AtomicU64 = AtomicU64::new(0);

/// A memory that keeps copies of columns.
pub(crate) trait ColumnCopies: Send + Sync {
    /// Drops the copy of a column.
    fn forget(&self, column: u64);
}

/// The identity of a column. It is allocated when it is first needed: most columns never see a device.
#[derive(Default)]
pub(crate) struct ColumnIdentity(OnceLock<Arc<SharedIdentity>>);

/// The identity that all clones of a column share.
pub(crate) struct SharedIdentity {
    pub(crate) id: u64,
    /// The memories that may have a copy.
    copies: Mutex<Vec<Weak<dyn ColumnCopies>>>,
}

impl ColumnIdentity {
    /// The shared identity, allocated on the first call.
    pub(crate) fn shared(&self) -> &Arc<SharedIdentity> {
        let new = || SharedIdentity { id: NEXT_ID.fetch_add(1, Ordering::Relaxed), copies: Mutex::default() };
        self.0.get_or_init(|| Arc::new(new()))
    }

    /// The id, if the column was ever cloned or copied to a device. If not, no other query can refer to it.
    pub(crate) fn known_id(&self) -> Option<u64> {
        self.0.get().map(|shared| shared.id)
    }
}

impl Clone for ColumnIdentity {
    fn clone(&self) -> ColumnIdentity {
        ColumnIdentity(OnceLock::from(self.shared().clone()))
    }
}

impl SharedIdentity {
    /// Records that a memory may have a copy of the column.
    pub(crate) fn add_copy(&self, memory: Weak<dyn ColumnCopies>) {
        let mut copies = self.copies.lock();
        if !copies.iter().any(|known| known.ptr_eq(&memory)) {
            copies.retain(|known| known.strong_count() > 0);
            copies.push(memory);
        }
    }
}

impl Drop for SharedIdentity {
    fn drop(&mut self) {
        let copies = self.copies.get_mut();
        copies.iter().filter_map(Weak::upgrade).for_each(|memory| memory.forget(self.id));
    }
}
