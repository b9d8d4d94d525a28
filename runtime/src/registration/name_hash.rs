//! A hash index from names to positions, which finds the tool of a model's call. With a `HashMap` of the standard library,
//! whose hash resists chosen keys, a whole call takes 6 % longer. Here, chosen keys do little harm.

/// The positions of names, in buckets by a hash of the name. The time to build it does not depend on the hashes. Names that
/// are chosen to share a bucket only slow down calls of these names.
#[derive(Default)]
pub(crate) struct NameHashIndex {
    /// The beginning of each bucket, and the end of the last one.
    starts: Vec<u32>,
    positions: Vec<u32>,
}

impl NameHashIndex {
    /// Builds the index of at most 2^32 names.
    pub(crate) fn new<'n>(names: impl ExactSizeIterator<Item = &'n str>) -> Self {
        let (count, buckets) = (names.len(), (2 * names.len()).next_power_of_two());
        let all: Vec<usize> = names.map(|name| bucket(name, buckets)).collect();
        let mut starts = vec![0; buckets + 1];
        for &bucket in &all {
            starts[bucket] += 1;
        }
        // First the end of each bucket; it moves to the beginning while positions are inserted before it.
        let mut end = 0;
        for start in &mut starts {
            end += *start;
            *start = end;
        }
        let mut positions = vec![0; count];
        for (position, bucket) in (0..).zip(all) {
            let start = &mut starts[bucket];
            *start -= 1;
            positions[*start as usize] = position;
        }
        Self { starts, positions }
    }

    /// Returns the positions that the name may have.
    pub(crate) fn candidates(&self, name: &str) -> &[u32] {
        let Some(buckets) = self.starts.len().checked_sub(1) else { return &[] };
        match self.starts[bucket(name, buckets)..] {
            [start, end, ..] => &self.positions[start as usize..end as usize],
            _ => &[],
        }
    }
}

/// Returns the bucket of a name. `buckets` is a power of two.
#[expect(clippy::cast_possible_truncation, reason = "the mask leaves what an index holds")]
fn bucket(name: &str, buckets: usize) -> usize {
    let name = name.as_bytes();
    let half = |bytes: &[u8; 4]| u64::from(u32::from_le_bytes(*bytes));
    // The last eight bytes, which may overlap with the words below. Shorter names are combined into one word.
    let last = match (name.last_chunk(), name.first_chunk(), name.last_chunk()) {
        (Some(word), ..) => u64::from_le_bytes(*word),
        (None, Some(first), Some(last)) => half(first) << 32 | half(last),
        _ => name.iter().fold(0, |word, byte| word << 8 | u64::from(*byte)),
    };
    let mix = |hash: u64, word: u64| {
        // Multiplies by an odd number without a pattern (2^64 divided by the golden ratio), so that both halves
        // together depend on every bit.
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
    fn all_names_are_found_with_few_collisions() {
        for count in [0, 1, 2, 3, 40, 1_000] {
            let names: Vec<String> = (0..count).map(|at| format!("tool_{at}_of_{}", "x".repeat(at % 20))).collect();
            let positions = NameHashIndex::new(names.iter().map(String::as_str));
            for (position, name) in (0..).zip(&names) {
                let found = positions.candidates(name);
                assert!(found.contains(&position) && found.len() < 8, "{count}: {name} {found:?}");
            }
            assert!(positions.candidates("").len() < 8);
        }
        assert!(NameHashIndex::default().candidates("tool").is_empty());
    }
}
