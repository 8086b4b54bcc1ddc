//! [`Label`]: what a column is known by while it lives, the same for all its clones. When the last of them goes, its
//! copies on devices go too.

use super::Residency;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};

/// Numbers columns, in the order in which devices or clones ask for it.
static COLUMNS: AtomicU64 = AtomicU64::new(0);

/// A column's tag, made when it is first needed: most columns never see a device.
#[derive(Default)]
pub(crate) struct Label(OnceLock<Arc<Tag>>);

/// What all clones of a column have in common.
pub(crate) struct Tag {
    pub(crate) number: u64,
    /// Where copies of it may be.
    homes: Mutex<Vec<Weak<Residency>>>,
}

impl Label {
    /// The tag.
    pub(crate) fn tag(&self) -> &Tag {
        self.arc()
    }

    fn arc(&self) -> &Arc<Tag> {
        let new = || Tag { number: COLUMNS.fetch_add(1, Ordering::Relaxed), homes: Mutex::default() };
        self.0.get_or_init(|| Arc::new(new()))
    }

    /// Whether the column was ever cloned or known to a device: if not, its owner is the only one who can name it.
    pub(crate) fn is_known(&self) -> bool {
        self.0.get().is_some()
    }
}

impl Clone for Label {
    fn clone(&self) -> Label {
        Label(OnceLock::from(self.arc().clone()))
    }
}

impl Tag {
    /// From now on a copy may be there.
    pub(super) fn lives_at(&self, home: &Weak<Residency>) {
        let mut homes = self.homes.lock().unwrap_or_else(PoisonError::into_inner);
        if !homes.iter().any(|known| known.ptr_eq(home)) {
            homes.retain(|known| known.strong_count() > 0);
            homes.push(home.clone());
        }
    }
}

impl Drop for Tag {
    fn drop(&mut self) {
        let homes = self.homes.get_mut().unwrap_or_else(PoisonError::into_inner);
        homes.iter().filter_map(Weak::upgrade).for_each(|home| home.forget(self.number));
    }
}
