//! Which parameters of a call have been repaired: recorded while the arguments are repaired, because it costs almost nothing.
//! What has been repaired is found later, if the host wants to know.

/// The repaired parameters of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct RepairedParameters(u64);

/// The bit for the arguments as a whole.
const WHOLE: u32 = 62;
/// The bit for repairs that cannot be attributed without a look at the arguments.
const UNKNOWN: u32 = 63;

impl RepairedParameters {
    /// Adds the property of the arguments object with this index.
    pub(super) fn add(&mut self, index: usize) {
        let bit = u32::try_from(index).ok().filter(|bit| *bit < WHOLE);
        self.0 |= 1 << bit.unwrap_or(UNKNOWN);
    }

    /// Adds the arguments as a whole.
    pub(super) fn add_whole(&mut self) {
        self.0 |= 1 << WHOLE;
    }

    /// Adds a repair of an unknown property.
    pub(super) fn add_unknown(&mut self) {
        self.0 |= 1 << UNKNOWN;
    }

    /// Returns whether no parameter has been repaired.
    #[inline]
    pub(crate) const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Returns whether the arguments as a whole have been repaired.
    pub(crate) const fn has_whole(self) -> bool {
        self.0 & (1 << WHOLE) != 0
    }

    /// Returns the indices of the repaired properties of the arguments object, or `None` if they are not all known.
    pub(crate) fn indices(self) -> Option<impl Iterator<Item = usize>> {
        let is_known = self.0 & (1 << UNKNOWN) == 0;
        let mut rest = self.0 & !(1 << WHOLE);
        let next = move || {
            let index = rest.trailing_zeros();
            rest &= rest.wrapping_sub(1);
            (index < WHOLE).then_some(index as usize)
        };
        is_known.then(|| std::iter::from_fn(next))
    }
}
