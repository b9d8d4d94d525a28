//! Finds the rules that can match a command by the name of its program and by what the command has, without a look at each rule.

use std::collections::{BTreeMap, HashMap};

use super::pattern::{self, is_plain_name};
use super::{Conditions, Needs, Signature};

/// The indexes of rules, by what a command must have so that they can match it.
#[derive(Debug, Clone, Default)]
pub(super) struct Index<'t> {
    /// The rules about each name of a program.
    names: HashMap<&'t str, Names>,
    /// The same for patterns of names, each of which is there once, by their first byte. Those that begin with a wildcard have none.
    patterns: BTreeMap<Option<u8>, Vec<(&'t str, Names)>>,
    /// The rules for all programs.
    for_all: Set,
    /// The rules that need each thing.
    needs: Vec<(Needs, Set)>,
    /// The signature of each rule. Rules that were not added have none that matters.
    signatures: Vec<Signature>,
}

/// The rules about a name, or about a pattern of names.
#[derive(Debug, Clone, Default)]
struct Names {
    /// Those that apply to it.
    with: Vec<usize>,
    /// Those that do not apply to it, although they would otherwise.
    without: Vec<usize>,
}

impl<'t> Index<'t> {
    /// Adds the rule with this index.
    pub(super) fn add(&mut self, rule: usize, conditions: &Conditions<'t>) {
        self.signatures.resize(rule + 1, Signature::ANY);
        self.signatures[rule] = Signature::of(conditions);
        if conditions.programs.is_empty() {
            self.for_all.insert(rule);
        }
        conditions.programs.iter().for_each(|name| self.names_of(name).with.push(rule));
        conditions.without_programs.iter().for_each(|name| self.names_of(name).without.push(rule));
        for need in Needs::of(conditions).each() {
            if !self.needs.iter().any(|(other, _)| *other == need) {
                self.needs.push((need, Set::default()));
            }
            let same = self.needs.iter_mut().filter(|(other, _)| *other == need);
            same.for_each(|(_, rules)| rules.insert(rule));
        }
    }

    fn names_of(&mut self, name: &'t str) -> &mut Names {
        if is_plain_name(name) {
            return self.names.entry(name).or_default();
        }
        let first = name.bytes().next().filter(|_| is_plain_name(&name[..name.floor_char_boundary(1)]));
        let patterns = self.patterns.entry(first).or_default();
        let at = patterns.iter().position(|(other, _)| *other == name).unwrap_or_else(|| {
            patterns.push((name, Names::default()));
            patterns.len() - 1
        });
        &mut patterns[at].1
    }

    /// Returns the rules that can match a command which has these things, and whose program has one of these names, in their order.
    pub(super) fn of_program(
        &self,
        names: [Option<&str>; 2],
        has: Needs,
        signature: Signature,
    ) -> impl Iterator<Item = usize> {
        let [own, canonical] = names;
        let mut found = self.for_all.clone();
        let mut without: Vec<&[usize]> = Vec::new();
        for name in [own, canonical.filter(|_| canonical != own)].into_iter().flatten() {
            let patterns = [None, name.bytes().next()].into_iter().filter_map(|first| self.patterns.get(&first));
            let of_patterns = patterns.flatten().filter(|(pattern, _)| pattern::matches(pattern, name));
            for rules in self.names.get(name).into_iter().chain(of_patterns.map(|(_, rules)| rules)) {
                rules.with.iter().for_each(|rule| found.insert(*rule));
                without.push(&rules.without);
            }
        }
        without.into_iter().flatten().for_each(|rule| found.remove(*rule));
        let missing = self.needs.iter().filter(|(need, _)| !need.are_in(has));
        missing.for_each(|(_, rules)| found.remove_all(rules));
        found.into_iter().filter(move |rule| signature.can_meet(self.signatures[*rule]))
    }
}

/// A set of indexes.
#[derive(Debug, Clone, Default)]
struct Set(Vec<u64>);

impl Set {
    fn insert(&mut self, index: usize) {
        let (word, bit) = (index / 64, index % 64);
        if word >= self.0.len() {
            self.0.resize(word + 1, 0);
        }
        self.0[word] |= 1 << bit;
    }

    fn remove(&mut self, index: usize) {
        if let Some(word) = self.0.get_mut(index / 64) {
            *word &= !(1 << (index % 64));
        }
    }

    fn remove_all(&mut self, others: &Self) {
        self.0.iter_mut().zip(&others.0).for_each(|(word, other)| *word &= !other);
    }

    /// Returns the indexes in ascending order.
    fn into_iter(self) -> impl Iterator<Item = usize> {
        self.0.into_iter().enumerate().flat_map(|(at, mut word)| {
            std::iter::from_fn(move || {
                let bit = word.trailing_zeros();
                word &= word.wrapping_sub(1);
                (bit < u64::BITS).then(|| at * 64 + bit as usize)
            })
        })
    }
}
