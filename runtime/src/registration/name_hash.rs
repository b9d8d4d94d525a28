//! Where each of a list of names stands in it: what a model's call is found by. With a map of std, whose hash withstands
//! who chooses the keys, a whole call takes 6 % longer; here such keys do little.

/// The positions of names, in buckets by a hash of the name. It is made in time that does not depend on the names: who
/// chooses them so that they share a bucket makes his own calls a little slower.
#[derive(Default)]
pub(crate) struct NameHashIndex {
    /// Where each bucket begins; at last, where all of them end.
    starts: Vec<u32>,
    places: Vec<u32>,
}

impl NameHashIndex {
    /// Of at most 2^32 names.
    pub(crate) fn new<'n>(names: impl ExactSizeIterator<Item = &'n str>) -> Self {
        let (count, buckets) = (names.len(), (2 * names.len()).next_power_of_two());
        let all: Vec<usize> = names.map(|name| bucket(name, buckets)).collect();
        let mut starts = vec![0; buckets + 1];
        for &bucket in &all {
            starts[bucket] += 1;
        }
        // Where each ends. As one after the other is put before that, it becomes where the bucket begins.
        let mut end = 0;
        for start in &mut starts {
            end += *start;
            *start = end;
        }
        let mut places = vec![0; count];
        for (place, bucket) in (0..).zip(all) {
            let start = &mut starts[bucket];
            *start -= 1;
            places[*start as usize] = place;
        }
        Self { starts, places }
    }

    /// Where the name may stand.
    pub(crate) fn of(&self, name: &str) -> &[u32] {
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
    let name = name.as_bytes();
    let half = |bytes: &[u8; 4]| u64::from(u32::from_le_bytes(*bytes));
    // What is left of whole words: the last bytes of a long name, with some that were there before.
    let last = match (name.last_chunk(), name.first_chunk(), name.last_chunk()) {
        (Some(word), ..) => u64::from_le_bytes(*word),
        (None, Some(first), Some(last)) => half(first) << 32 | half(last),
        _ => name.iter().fold(0, |word, byte| word << 8 | u64::from(*byte)),
    };
    let mix = |hash: u64, word: u64| {
        // By an odd number without a pattern (2^64 divided by the golden ratio): both halves together depend on every bit.
        let product = u128::from(hash ^ word) * 0x9e37_79b9_7f4a_7c15;
        product as u64 ^ (product >> 64) as u64
    };
    let words = name.as_chunks().0.iter().map(|word| u64::from_le_bytes(*word));
    words.fold(mix(0, last), mix) as usize & (buckets - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_found_and_few_share_a_bucket() {
        for count in [0, 1, 2, 3, 40, 1_000] {
            let names: Vec<String> = (0..count).map(|at| format!("tool_{at}_of_{}", "x".repeat(at % 20))).collect();
            let places = NameHashIndex::new(names.iter().map(String::as_str));
            for (place, name) in (0..).zip(&names) {
                let found = places.of(name);
                assert!(found.contains(&place) && found.len() < 8, "{count}: {name} {found:?}");
            }
            assert!(places.of("").len() < 8);
        }
        assert!(NameHashIndex::default().of("tool").is_empty());
    }
}
