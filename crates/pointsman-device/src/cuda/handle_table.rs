//! [`HandleTable`]: maps a device's handles of one kind to objects.

use crate::sync::Mutex;
use crate::{DeviceError, DeviceResult};
use std::collections::BTreeMap;

/// Maps a device's handles of one kind to objects.
pub(super) struct HandleTable<T> {
    kind: &'static str,
    pub(super) entries: Mutex<BTreeMap<u64, T>>,
}

impl<T> HandleTable<T> {
    pub(super) fn new(kind: &'static str) -> HandleTable<T> {
        HandleTable { kind, entries: Mutex::default() }
    }

    pub(super) fn unknown(&self, id: u64) -> DeviceError {
        DeviceError::invalid(format!("there is no {} {id}", self.kind))
    }

    pub(super) fn insert(&self, id: u64, entry: T) {
        self.entries.lock().insert(id, entry);
    }

    pub(super) fn remove(&self, id: u64) -> DeviceResult<T> {
        self.entries.lock().remove(&id).ok_or_else(|| self.unknown(id))
    }

    pub(super) fn get(&self, id: u64) -> DeviceResult<T>
    where
        T: Clone,
    {
        self.entries.lock().get(&id).cloned().ok_or_else(|| self.unknown(id))
    }
}
