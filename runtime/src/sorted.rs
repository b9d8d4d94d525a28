//! Helpers for sorted vectors. Trees, hash tables and generic sorting would add much more machine code for each type.

use std::cmp::Ordering;

/// Returns the indices from 0 to below `count`, sorted by `order`.
pub(crate) fn positions(count: usize, order: &dyn Fn(usize, usize) -> Ordering) -> Vec<usize> {
    let mut positions: Vec<usize> = (0..count).collect();
    positions.sort_unstable_by(|&a, &b| order(a, b));
    positions
}

/// Inserts an item into a sorted list without duplicates.
pub(crate) fn insert<T: Ord>(list: &mut Vec<T>, item: T) {
    if let Err(position) = list.binary_search(&item) {
        list.insert(position, item);
    }
}
