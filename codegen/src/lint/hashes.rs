//! Fast hashes for comparing many names and texts with one another. Only findings depend on them, so nothing is gained by texts that are
//! written to collide.

/// A hash of texts and numbers in order.
#[derive(Debug, Clone, Copy)]
pub(super) struct Hash(u64);

impl Hash {
    /// The hash of nothing: the offset basis of FNV-1a.
    pub(super) const EMPTY: Self = Self(0xcbf2_9ce4_8422_2325);

    /// Adds a text.
    pub(super) fn text(self, text: &str) -> Self {
        text.bytes().fold(self, |Self(hash), byte| Self((hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)))
    }

    /// Adds a number, such as another hash.
    pub(super) fn number(self, number: u64) -> Self {
        Self((self.0.rotate_left(5) ^ number).wrapping_mul(0x9e37_79b9_7f4a_7c15))
    }

    /// Returns the hash. All its bits depend on all that was added.
    pub(super) fn finish(self) -> u64 {
        let mixed = (self.0 ^ (self.0 >> 32)).wrapping_mul(0xd6e8_feb8_6659_fd93);
        mixed ^ (mixed >> 32)
    }
}
