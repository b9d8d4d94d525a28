//! Sorting, and insertion into sorted vectors. Trees, hash tables and generic sorting would add much more machine code for each type.

use std::cmp::Ordering;

/// Returns the indices `0..count`, sorted by `order`.
pub(crate) fn positions(count: usize, order: &dyn Fn(usize, usize) -> Ordering) -> Vec<usize> {
    let mut positions: Vec<usize> = (0..count).collect();
    positions.sort_unstable_by(|&a, &b| order(a, b));
    positions
}

/// Inserts `item` into a sorted list, unless the list already contains it.
pub(crate) fn insert<T: Ord>(list: &mut Vec<T>, item: T) {
    if let Err(position) = list.binary_search(&item) {
        list.insert(position, item);
    }
}
