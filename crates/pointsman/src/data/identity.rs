//! [`ColumnIdentity`]: identifies a column and all its clones, so that devices can keep copies of it. Dropping the last
//! clone and the last part of the column drops the copies.

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
    /// The column of which this one is a part, if a device that has that one has this one, too.
    whole: Option<WholeColumn>,
    /// The memories that may have a copy.
    copies: Mutex<Vec<Weak<dyn ColumnCopies>>>,
}

/// The column that another one is a part of.
struct WholeColumn {
    identity: Arc<SharedIdentity>,
    first_row: usize,
    /// The byte where the values of the part begin.
    first_byte: u64,
}

impl ColumnIdentity {
    /// The shared identity, allocated on the first call.
    pub(crate) fn shared(&self) -> &Arc<SharedIdentity> {
        self.0.get_or_init(SharedIdentity::of_new_column)
    }

    /// The identity of the part of this column that begins at a row, whose values take so many bytes each.
    pub(crate) fn part(&self, first_row: usize, value_bytes: usize) -> ColumnIdentity {
        let shared = self.shared();
        let (identity, before) = shared.whole.as_ref().map_or((shared, 0), |whole| (&whole.identity, whole.first_row));
        let first_row = before + first_row;
        let first_byte = first_row as u64 * value_bytes as u64;
        let whole = WholeColumn { identity: identity.clone(), first_row, first_byte };
        ColumnIdentity(OnceLock::from(Arc::new(SharedIdentity::new(Some(whole)))))
    }

    /// The id of the column of which this one is a part, and the row where it begins there, if ranges of buffers may
    /// begin at multiples of `align` bytes.
    pub(crate) fn whole(&self, align: u64) -> Option<(u64, usize)> {
        let whole = self.0.get()?.whole.as_ref().filter(|whole| whole.first_byte.is_multiple_of(align.max(1)))?;
        Some((whole.identity.id, whole.first_row))
    }

    /// Whether no other query can refer to the column, only to one of which it is a part.
    pub(crate) fn is_temporary_part(&self) -> bool {
        self.0.get().is_some_and(|shared| shared.whole.is_some() && Arc::strong_count(shared) == 1)
    }

    /// The id, if the column was ever cloned or copied to a device. If not, no other query can refer to it.
    pub(crate) fn known_id(&self) -> Option<u64> {
        self.0.get().map(|shared| shared.id)
    }
}

impl From<Arc<SharedIdentity>> for ColumnIdentity {
    fn from(shared: Arc<SharedIdentity>) -> ColumnIdentity {
        ColumnIdentity(OnceLock::from(shared))
    }
}

impl Clone for ColumnIdentity {
    fn clone(&self) -> ColumnIdentity {
        ColumnIdentity(OnceLock::from(self.shared().clone()))
    }
}

impl SharedIdentity {
    /// The identity of a new column, which is no part of another one.
    pub(crate) fn of_new_column() -> Arc<SharedIdentity> {
        Arc::new(SharedIdentity::new(None))
    }

    fn new(whole: Option<WholeColumn>) -> SharedIdentity {
        SharedIdentity { id: NEXT_ID.fetch_add(1, Ordering::Relaxed), whole, copies: Mutex::default() }
    }

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_parts_belong_to_the_whole_and_begin_at_addressable_bytes() {
        let whole = ColumnIdentity::default();
        let part = whole.part(32, 8);
        let id = whole.shared().id;
        assert_eq!((part.whole(1), part.whole(256), part.whole(512)), (Some((id, 32)), Some((id, 32)), None));
        assert_eq!((part.part(1, 8).whole(8), part.part(1, 8).whole(16)), (Some((id, 33)), None));
        assert_eq!((whole.whole(1), ColumnIdentity::default().whole(1)), (None, None));
        assert!(part.known_id() != whole.known_id() && !whole.is_temporary_part());
        assert!(part.is_temporary_part());
        let clone = part.clone();
        assert!(!part.is_temporary_part() && clone.whole(1) == part.whole(1) && clone.known_id() == part.known_id());
    }
}
