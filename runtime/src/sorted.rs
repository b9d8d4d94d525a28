//! Sorted vectors instead of trees and hash tables: these, and generic sorting, add much machine code for each type.

use std::cmp::Ordering;

/// Returns the positions below `count`, in this order.
pub(crate) fn positions(count: usize, order: &dyn Fn(usize, usize) -> Ordering) -> Vec<usize> {
    let mut positions: Vec<usize> = (0..count).collect();
    positions.sort_unstable_by(|&a, &b| order(a, b));
    positions
}

/// Inserts an item at its place in a sorted list, if it is not in the list.
pub(crate) fn insert<T: Ord>(list: &mut Vec<T>, one: T) {
    if let Err(place) = list.binary_search(&one) {
        list.insert(place, one);
    }
}
