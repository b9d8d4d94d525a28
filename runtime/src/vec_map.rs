//! A map for few entries, as a sorted vector. Trees and hash tables would add much more machine code for each type.

use std::borrow::Borrow;
use std::mem;
use std::ops::Deref;

/// A map of a few entries, sorted by key. Inserting an entry moves all later entries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct VecMap<K, V>(Vec<(K, V)>);

impl<K: Ord, V> VecMap<K, V> {
    pub(crate) const fn new() -> Self {
        Self(Vec::new())
    }

    pub(crate) fn get<Q: Ord + ?Sized>(&self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
    {
        self.position(key).ok().map(|position| &self.0[position].1)
    }

    /// Inserts a value, and returns the previous value of the key.
    pub(crate) fn insert(&mut self, key: K, value: V) -> Option<V> {
        match self.position(&key) {
            Ok(position) => Some(mem::replace(&mut self.0[position].1, value)),
            Err(position) => {
                self.0.insert(position, (key, value));
                None
            }
        }
    }

    pub(crate) fn keys(&self) -> impl Iterator<Item = &K> {
        self.0.iter().map(|(key, _)| key)
    }

    fn position<Q: Ord + ?Sized>(&self, key: &Q) -> Result<usize, usize>
    where
        K: Borrow<Q>,
    {
        self.0.binary_search_by(|(other, _)| other.borrow().cmp(key))
    }
}

impl<K, V> Default for VecMap<K, V> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<K, V> Deref for VecMap<K, V> {
    type Target = [(K, V)];

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl<K, V> IntoIterator for VecMap<K, V> {
    type Item = (K, V);
    type IntoIter = std::vec::IntoIter<(K, V)>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

/// Collects entries that are sorted by unique keys.
impl<K: Ord, V> FromIterator<(K, V)> for VecMap<K, V> {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(entries: I) -> Self {
        let entries: Vec<(K, V)> = entries.into_iter().collect();
        debug_assert!(entries.is_sorted_by(|(a, _), (b, _)| a < b));
        Self(entries)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_inserted_found_and_replaced() {
        let mut map: VecMap<String, u8> = [("b".to_owned(), 2), ("d".to_owned(), 4)].into_iter().collect();
        let inserted = [("c", 3), ("a", 1), ("b", 20), ("e", 5)];
        let previous = inserted.map(|(key, value)| map.insert(key.to_owned(), value));
        assert_eq!(previous, [None, None, Some(2), None]);
        assert_eq!(map.keys().map(String::as_str).collect::<String>(), "abcde");
        assert_eq!([map.get("b"), map.get("e"), map.get("f")], [Some(&20), Some(&5), None]);
        assert_eq!(map.into_iter().map(|(_, value)| value).collect::<Vec<_>>(), [1, 20, 3, 4, 5]);
    }
}
