//! Sorted vectors, in place of trees and hash tables: those, and generic sorting, are much machine code, once more for
//! each type.

use std::cmp::Ordering;

/// The positions below `count`, in this order.
pub(crate) fn positions(count: usize, order: &dyn Fn(usize, usize) -> Ordering) -> Vec<usize> {
    let mut positions: Vec<usize> = (0..count).collect();
    positions.sort_unstable_by(|&a, &b| order(a, b));
    positions
}

/// Puts something where it belongs in a list, if it is not there.
pub(crate) fn insert<T: Ord>(list: &mut Vec<T>, one: T) {
    if let Err(place) = list.binary_search(&one) {
        list.insert(place, one);
    }
}
