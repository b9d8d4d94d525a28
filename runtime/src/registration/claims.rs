//! The claims of names: which tool providers use each name.
//!
//! A sorted vector in chunks, because a change to a registry of many tools must not move all names. A `BTreeMap` would do the same with
//! much more machine code, which every program contains.

use std::borrow::Cow;

use crate::registration::ProviderId;

/// The maximum number of names in a chunk.
const MAX_CHUNK: usize = 64;

/// The claims of each name, in the order in which their providers were added.
#[derive(Default)]
pub(crate) struct Claims {
    /// Sorted, and so is each chunk. None is empty.
    chunks: Vec<Vec<Claimed>>,
}

struct Claimed {
    name: Cow<'static, str>,
    /// At least one.
    claims: Vec<Claim>,
}

/// A claim of a name: the provider that uses the name, and the index of an item of the provider. If the name is the home toolset of
/// a tool, the item is the tool. If it is an alias, the item is the toolset.
#[derive(Clone, Copy)]
pub(crate) struct Claim {
    pub(crate) id: ProviderId,
    pub(crate) index: usize,
}

impl Claims {
    /// Returns the chunk and the position in it at which a name is, or at which it can be inserted.
    fn place(&self, name: &str) -> (usize, Result<usize, usize>) {
        let chunk = self.chunks.partition_point(|chunk| &*chunk[0].name <= name).saturating_sub(1);
        let of_chunk = self.chunks.get(chunk).map_or(&[][..], Vec::as_slice);
        (chunk, of_chunk.binary_search_by(|claimed| (*claimed.name).cmp(name)))
    }

    /// Returns the claims of a name.
    #[inline(never)]
    pub(crate) fn get(&self, name: &str) -> &[Claim] {
        match self.place(name) {
            (chunk, Ok(at)) => &self.chunks[chunk][at].claims,
            _ => &[],
        }
    }

    /// Adds a claim after those of earlier providers.
    #[expect(clippy::ptr_arg, reason = "a static name is not copied, and a claimed one not cloned")]
    pub(crate) fn insert(&mut self, name: &Cow<'static, str>, claim: Claim) {
        let (chunk, at) = match self.place(name) {
            (chunk, Ok(at)) => {
                let claims = &mut self.chunks[chunk][at].claims;
                claims.insert(claims.partition_point(|other| other.id <= claim.id), claim);
                return;
            }
            (chunk, Err(at)) => (chunk, at),
        };
        if self.chunks.is_empty() {
            self.chunks.push(Vec::new());
        }
        let names = &mut self.chunks[chunk];
        names.insert(at, Claimed { name: name.clone(), claims: vec![claim] });
        if names.len() > MAX_CHUNK {
            let rest = names.split_off(MAX_CHUNK / 2);
            self.chunks.insert(chunk + 1, rest);
        }
    }

    /// Removes the claims of a provider from a name.
    pub(crate) fn remove(&mut self, name: &str, id: ProviderId) {
        let (chunk, Ok(at)) = self.place(name) else { return };
        let names = &mut self.chunks[chunk];
        names[at].claims.retain(|claim| claim.id != id);
        if names[at].claims.is_empty() {
            names.remove(at);
            if names.is_empty() {
                self.chunks.remove(chunk);
            }
        }
    }

    /// Returns all names with their claims, sorted.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&Cow<'static, str>, &[Claim])> {
        self.chunks.iter().flatten().map(|claimed| (&claimed.name, &*claimed.claims))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(claims: &Claims) -> Vec<String> {
        claims.iter().map(|(name, _)| name.to_string()).collect()
    }

    #[test]
    fn names_stay_sorted_whatever_is_added_and_removed() {
        let (mut claims, mut expected) = (Claims::default(), std::collections::BTreeSet::new());
        let mut number = 1_u32;
        for step in 0..20_000_u32 {
            // A sequence without a pattern.
            number = number.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let name = format!("tool_{}", (number >> 8) % 700);
            // First more is added than removed, and then the reverse.
            if (number >> 24) % 8 < if step < 10_000 { 6 } else { 2 } {
                if expected.insert(name.clone()) {
                    claims.insert(&name.into(), Claim { id: ProviderId(1), index: 0 });
                }
            } else {
                claims.remove(&name, ProviderId(1));
                expected.remove(&name);
            }
            assert_eq!(
                claims.chunks.iter().find(|chunk| chunk.is_empty() || chunk.len() > MAX_CHUNK).map(Vec::len),
                None
            );
        }
        assert_eq!(names(&claims), expected.iter().cloned().collect::<Vec<_>>());
        for name in (0..700).map(|number| format!("tool_{number}")) {
            assert_eq!(claims.get(&name).len(), usize::from(expected.contains(&name)), "{name}");
            claims.remove(&name, ProviderId(1));
        }
        assert!(claims.chunks.is_empty());
    }

    #[test]
    fn claims_of_a_name_are_in_the_order_of_their_providers() {
        let mut claims = Claims::default();
        for id in [3, 1, 2, 1] {
            claims.insert(&"web".into(), Claim { id: ProviderId(id), index: 7 });
        }
        let ids = |claims: &Claims| claims.get("web").iter().map(|claim| claim.id.0).collect::<Vec<_>>();
        assert_eq!(ids(&claims), [1, 1, 2, 3]);
        claims.remove("web", ProviderId(1));
        assert_eq!(ids(&claims), [2, 3]);
        assert!(claims.get("we").is_empty() && claims.get("webs").is_empty());
    }
}
