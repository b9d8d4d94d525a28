//! Where each of a list of names stands in it: what a model's call is found by.

use std::iter;

/// The positions of names, in buckets by a hash of the name. A bucket keeps them in the names' order, so that names which
/// somebody chose to share one cost no more than a binary search.
#[derive(Default)]
pub(super) struct Places {
    /// Where each bucket begins; at last, where all of them end.
    starts: Vec<u32>,
    places: Vec<u32>,
}

impl Places {
    /// Of at most 2^32 names.
    pub(super) fn new<'n>(names: impl Iterator<Item = &'n str> + Clone) -> Self {
        let count = names.clone().count();
        let buckets = (2 * count).next_power_of_two();
        let mut starts = vec![0; buckets + 1];
        for name in names.clone() {
            starts[bucket(name, buckets)] += 1;
        }
        // Where each ends; filled from behind, that becomes where it begins.
        let mut end = 0;
        for start in &mut starts {
            end += *start;
            *start = end;
        }
        let mut places = vec![0; count];
        let all: Vec<(u32, &str)> = iter::zip(0.., names).collect();
        for (place, name) in all.into_iter().rev() {
            let start = &mut starts[bucket(name, buckets)];
            *start -= 1;
            places[*start as usize] = place;
        }
        Self { starts, places }
    }

    /// Where the name may stand, ascending.
    pub(super) fn of(&self, name: &str) -> &[u32] {
        let Some(buckets) = self.starts.len().checked_sub(1) else { return &[] };
        match self.starts[bucket(name, buckets)..] {
            [start, end, ..] => &self.places[start as usize..end as usize],
            _ => &[],
        }
    }
}

/// In which of `buckets`, a power of two, a name belongs.
#[allow(clippy::cast_possible_truncation, reason = "the mask leaves what an index holds")]
fn bucket(name: &str, buckets: usize) -> usize {
    let (words, rest) = name.as_bytes().as_chunks::<8>();
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    let mix = |hash: u64, word: &[u8; 8]| {
        // An odd number without a pattern (2^64 divided by the golden ratio) spreads every bit upwards.
        let hash = (hash ^ u64::from_le_bytes(*word)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        hash ^ (hash >> 32)
    };
    words.iter().chain([&last]).fold(0, mix) as usize & (buckets - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_found_and_few_share_a_bucket() {
        for count in [0, 1, 2, 3, 40, 1_000] {
            let names: Vec<String> = (0..count).map(|at| format!("tool_{at}_of_{}", "x".repeat(at % 20))).collect();
            let places = Places::new(names.iter().map(String::as_str));
            for (place, name) in (0..).zip(&names) {
                let found = places.of(name);
                assert!(found.contains(&place) && found.is_sorted() && found.len() < 8, "{count}: {name} {found:?}");
            }
            assert!(places.of("").len() < 8);
        }
        assert!(Places::default().of("tool").is_empty());
    }
}
