//! [`Cache`]: a bounded map that evicts the least recently used entry. Callers that still hold an evicted value keep
//! it.

use crate::sync::Mutex;
use std::collections::HashMap;
use std::hash::Hash;
use std::sync::Arc;

/// A least-recently-used cache of at most `limit` entries, shared between threads.
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
    pub(crate) fn new(limit: usize) -> Cache<K, V> {
        Cache { limit, entries: Mutex::new(Entries { map: HashMap::new(), clock: 0 }) }
    }

    /// Returns the value of `key` and counts that as a use.
    pub(crate) fn get(&self, key: &K) -> Option<Arc<V>> {
        let mut entries = self.entries.lock();
        entries.clock += 1;
        let now = entries.clock;
        let entry = entries.map.get_mut(key)?;
        entry.last_use = now;
        Some(entry.value.clone())
    }

    /// Inserts a value. If `key` has a value already, that one stays and is returned.
    pub(crate) fn put(&self, key: K, value: Arc<V>) -> Arc<V> {
        let mut entries = self.entries.lock();
        entries.clock += 1;
        let now = entries.clock;
        if entries.map.len() >= self.limit && !entries.map.contains_key(&key) {
            // Uses are numbered, so exactly one entry is the oldest, whatever the order of the map.
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
    fn evicts_the_least_recently_used_entry() {
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
