//! A bounded map that forgets what was not used for longest. What it forgets is dropped, never lost to its users.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, PoisonError};

/// At most `limit` entries, shared between threads.
pub(crate) struct Cache<K, V> {
    limit: usize,
    entries: Mutex<Entries<K, V>>,
}

struct Entries<K, V> {
    map: HashMap<K, Entry<V>>,
    clock: u64,
}

struct Entry<V> {
    value: Arc<V>,
    last_use: u64,
}

impl<K: Hash + Eq + Clone, V> Cache<K, V> {
    /// An empty cache.
    pub(crate) fn new(limit: usize) -> Cache<K, V> {
        Cache { limit, entries: Mutex::new(Entries { map: HashMap::new(), clock: 0 }) }
    }

    /// The value of a key.
    pub(crate) fn get(&self, key: &K) -> Option<Arc<V>> {
        let mut entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        entries.clock += 1;
        let now = entries.clock;
        let entry = entries.map.get_mut(key)?;
        entry.last_use = now;
        Some(entry.value.clone())
    }

    /// Keeps a value. If another thread was quicker, its value stays and is returned.
    pub(crate) fn put(&self, key: K, value: Arc<V>) -> Arc<V> {
        let mut entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        entries.clock += 1;
        let now = entries.clock;
        if entries.map.len() >= self.limit && !entries.map.contains_key(&key) {
            // Uses are numbered, so the oldest is one entry, whatever the order of the map.
            let oldest = entries.map.iter().min_by_key(|(_, entry)| entry.last_use).map(|(key, _)| key.clone());
            oldest.map(|oldest| entries.map.remove(&oldest));
        }
        entries.map.entry(key).or_insert(Entry { value, last_use: now }).value.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_unused_entry_goes() {
        let cache = Cache::new(2);
        cache.put("a", Arc::new(1));
        cache.put("b", Arc::new(2));
        assert_eq!(cache.get(&"a").as_deref(), Some(&1));
        cache.put("c", Arc::new(3));
        assert_eq!(cache.get(&"b"), None);
        assert_eq!(cache.get(&"a").as_deref(), Some(&1));
        assert_eq!(*cache.put("a", Arc::new(9)), 1, "the first value stays");
    }
}
