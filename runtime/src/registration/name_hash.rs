//! A hash index from names to positions, which finds the tool of a model's call. With a `HashMap` of the standard library,
//! whose hash resists chosen keys, a whole call takes 6 % longer. Here, chosen keys do little harm.

use crate::args::three_words;

/// The positions of names, in buckets by a hash of the name. The time to build it does not depend on the hashes. Names that
/// are chosen to share a bucket only slow down calls of these names.
#[derive(Default)]
pub(crate) struct NameHashIndex {
    /// The beginning of each bucket, and the end of the last one.
    starts: Vec<u32>,
    entries: Vec<Entry>,
}

/// A name, by which most lookups need not read the name itself, somewhere else in memory.
#[derive(Clone, Copy, Default)]
struct Entry {
    key: Key,
    position: u32,
}

/// The bytes of a name of 8 to 24 bytes, and its length. Of other names, only a hash is kept.
#[derive(Clone, Copy, PartialEq, Default)]
struct Key {
    words: [u64; 3],
    len: u32,
}

impl Key {
    /// The length of a key that has only a hash.
    const HASHED: u32 = u32::MAX;

    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "a name with three words has at most 24 bytes")]
    fn of(name: &str) -> Self {
        match three_words(name.as_bytes()) {
            Some(words) => Self { words, len: name.len() as u32 },
            None => Self::hashed(name.as_bytes()),
        }
    }

    fn hashed(name: &[u8]) -> Self {
        let (words, rest) = name.as_chunks();
        let rest = rest.iter().fold(name.len() as u64, |word, byte| word << 8 | u64::from(*byte));
        let hash = words.iter().map(|word| u64::from_le_bytes(*word)).fold(mix(0, rest), mix);
        Self { words: [hash, 0, 0], len: Self::HASHED }
    }

    /// Returns the bucket. `buckets` is a power of two.
    #[expect(clippy::cast_possible_truncation, reason = "the mask leaves what an index holds")]
    fn bucket(&self, buckets: usize) -> usize {
        self.words.into_iter().fold(0, mix) as usize & (buckets - 1)
    }
}

/// Multiplies by an odd number without a pattern (2^64 divided by the golden ratio), so that both halves together depend on
/// every bit.
#[expect(clippy::cast_possible_truncation, reason = "it takes the lower half")]
fn mix(hash: u64, word: u64) -> u64 {
    let product = u128::from(hash ^ word) * 0x9e37_79b9_7f4a_7c15;
    product as u64 ^ (product >> 64) as u64
}

impl NameHashIndex {
    /// Builds the index of at most 2^32 names.
    pub(crate) fn new<'n>(names: impl ExactSizeIterator<Item = &'n str>) -> Self {
        let (count, buckets) = (names.len(), (2 * names.len()).next_power_of_two());
        let keys: Vec<Key> = names.map(Key::of).collect();
        let mut starts = vec![0; buckets + 1];
        for key in &keys {
            starts[key.bucket(buckets)] += 1;
        }
        // First the end of each bucket; it moves to the beginning while entries are inserted before it.
        let mut end = 0;
        for start in &mut starts {
            end += *start;
            *start = end;
        }
        let mut entries = vec![Entry::default(); count];
        for (position, key) in (0..).zip(keys) {
            let start = &mut starts[key.bucket(buckets)];
            *start -= 1;
            entries[*start as usize] = Entry { key, position };
        }
        Self { starts, entries }
    }

    /// Returns the position of a name. `is` returns whether the name at a position is this one.
    pub(crate) fn find(&self, name: &str, is: impl Fn(usize) -> bool) -> Option<usize> {
        let (buckets, key) = (self.starts.len().checked_sub(1)?, Key::of(name));
        let [start, end, ..] = self.starts[key.bucket(buckets)..] else { return None };
        let entries = self.entries[start as usize..end as usize].iter();
        let mut positions = entries.filter(|entry| entry.key == key).map(|entry| entry.position as usize);
        positions.find(|&position| key.len != Key::HASHED || is(position))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_names_are_found_and_no_others() {
        for count in [0, 1, 2, 3, 40, 1_000] {
            let names: Vec<String> = (0..count).map(|at| format!("tool_{at}_of_{}", "x".repeat(at % 20))).collect();
            let index = NameHashIndex::new(names.iter().map(String::as_str));
            let find = |name: &str| index.find(name, |position| names[position] == name);
            for (position, name) in names.iter().enumerate() {
                assert_eq!(find(name), Some(position), "{count}: {name}");
                for other in [format!("{name}x"), name[1..].to_owned(), name.replace('o', "0")] {
                    assert_eq!(find(&other), names.iter().position(|name| *name == other), "{count}: {other}");
                }
            }
            assert_eq!(find(""), None);
        }
    }

    #[test]
    fn names_of_every_length_are_found() {
        let text = "abcdefghijklmnopqrstuvwxyz0123456789";
        let names: Vec<&str> = (0..text.len()).map(|len| &text[..len]).collect();
        let index = NameHashIndex::new(names.iter().copied());
        for (position, name) in names.iter().enumerate() {
            assert_eq!(index.find(name, |position| names[position] == *name), Some(position));
            for at in 0..name.len() {
                let other = format!("{}-{}", &name[..at], &name[at + 1..]);
                assert_eq!(index.find(&other, |position| names[position] == other), None, "{other}");
            }
        }
    }

    #[test]
    fn buckets_hold_few_names() {
        let names: Vec<String> = (0..1_000).map(|at| format!("tool_{at}_of_{}", "x".repeat(at % 20))).collect();
        let index = NameHashIndex::new(names.iter().map(String::as_str));
        assert!(index.starts.windows(2).all(|pair| pair[1] - pair[0] < 8));
    }
}
