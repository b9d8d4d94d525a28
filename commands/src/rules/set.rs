//! The rules that apply, indexed by program.

use std::collections::HashMap;

use super::{Place, Rule, pattern};
use crate::programs::ProgramTable;

/// The rules, places and programs by which commands are judged.
#[derive(Debug, Clone)]
pub struct RuleSet<'t> {
    rules: Vec<Rule<'t>>,
    places: Vec<Place<'t>>,
    /// The index of the place with each name.
    by_place: HashMap<&'t str, usize>,
    place_patterns: PlacePatterns<'t>,
    programs: ProgramTable<'t>,
    /// For each program, the indexes of the rules that name it without a pattern.
    by_program: HashMap<&'t str, Vec<usize>>,
    /// Patterns for names of programs, each with the index of its rule.
    by_pattern: Vec<(&'t str, usize)>,
    /// The indexes of the rules for all programs.
    for_all: Vec<usize>,
}

impl<'t> RuleSet<'t> {
    /// Returns a set of these rules, places and programs.
    pub fn new(rules: &[Rule<'t>], places: &[Place<'t>], programs: ProgramTable<'t>) -> Self {
        let mut set = Self {
            rules: Vec::new(),
            places: Vec::new(),
            by_place: HashMap::new(),
            place_patterns: PlacePatterns::default(),
            programs,
            by_program: HashMap::new(),
            by_pattern: Vec::new(),
            for_all: Vec::new(),
        };
        set.add_places(places);
        set.add(rules);
        set
    }

    /// Adds rules, such as those of a user.
    pub fn add(&mut self, rules: &[Rule<'t>]) {
        for rule in rules {
            let index = self.rules.len();
            for name in rule.conditions.programs {
                if name.contains(['*', '?', '[']) {
                    self.by_pattern.push((name, index));
                } else {
                    self.by_program.entry(name).or_default().push(index);
                }
            }
            if rule.conditions.programs.is_empty() {
                self.for_all.push(index);
            }
            self.rules.push(*rule);
        }
    }

    /// Adds places, such as those of a user. If several places have the same name, the first one counts.
    pub fn add_places(&mut self, places: &[Place<'t>]) {
        for place in places {
            self.by_place.entry(place.name).or_insert(self.places.len());
            place.paths.iter().for_each(|path| self.place_patterns.add(path, self.places.len()));
            self.places.push(*place);
        }
    }

    /// Returns the rules, in the order in which they were added.
    pub fn rules(&self) -> &[Rule<'t>] {
        &self.rules
    }

    /// Returns the rule with this name.
    pub fn rule(&self, name: &str) -> Option<&Rule<'t>> {
        self.rules.iter().find(|rule| rule.name == name)
    }

    /// Returns the places.
    pub fn places(&self) -> &[Place<'t>] {
        &self.places
    }

    /// Returns the place with this name.
    pub fn place(&self, name: &str) -> Option<&Place<'t>> {
        self.place_index(name).map(|index| &self.places[index])
    }

    /// Returns the index in [`places`](Self::places) of the place with this name.
    pub(crate) fn place_index(&self, name: &str) -> Option<usize> {
        self.by_place.get(name).copied()
    }

    /// Returns the patterns of all places.
    pub(crate) fn place_patterns(&self) -> &PlacePatterns<'t> {
        &self.place_patterns
    }

    /// Returns the programs.
    pub fn programs(&self) -> &ProgramTable<'t> {
        &self.programs
    }

    /// Returns the rules that apply to a program with this name and this canonical name. A name is `None` if it is unknown.
    pub(crate) fn of_program<'s>(&'s self, names: [Option<&str>; 2]) -> impl Iterator<Item = &'s Rule<'t>> {
        let [own, canonical] = names;
        let second = canonical.filter(|_| canonical != own);
        let names = || [own, second].into_iter().flatten();
        let by_name = names().filter_map(|name| self.by_program.get(name)).flatten();
        let mut found: Vec<usize> = by_name.chain(&self.for_all).copied().collect();
        let is_called = |pattern: &str| names().any(|name| pattern::matches(pattern, name));
        found.extend(self.by_pattern.iter().filter(|(pattern, _)| is_called(pattern)).map(|(_, index)| index));
        found.sort_unstable();
        found.dedup();
        found.into_iter().map(|index| &self.rules[index])
    }
}

/// A pattern of a place, without its first `~`, `.` or `/`, and the index of the place.
pub(crate) type PlacePattern<'t> = (&'t str, usize);

/// The patterns of places, by what they begin with. Most paths are in no place, which is then known without a comparison.
#[derive(Debug, Clone, Default)]
pub(crate) struct PlacePatterns<'t> {
    /// Patterns below the home folder: `~/...`.
    pub(crate) in_home: Vec<PlacePattern<'t>>,
    /// Patterns below the directory in which the line starts: `./...`.
    pub(crate) in_start: Vec<PlacePattern<'t>>,
    /// Patterns below the root, by their first component, if that is a name.
    by_name: HashMap<&'t str, Vec<PlacePattern<'t>>>,
    /// The other patterns below the root.
    others: Vec<PlacePattern<'t>>,
}

impl<'t> PlacePatterns<'t> {
    fn add(&mut self, pattern: &'t str, place: usize) {
        let rest = pattern.strip_prefix(['~', '.']).unwrap_or(pattern);
        let rest = rest.strip_prefix('/').unwrap_or(rest);
        let first = rest.split('/').next().unwrap_or_default();
        let patterns = match pattern.as_bytes().first() {
            Some(b'~') => &mut self.in_home,
            Some(b'.') => &mut self.in_start,
            _ if first.contains(['*', '?', '[']) => &mut self.others,
            _ => self.by_name.entry(first).or_default(),
        };
        patterns.push((rest, place));
    }

    /// Returns the patterns below the root that can match a path with this first component. `None` for all of them.
    pub(crate) fn in_root(&self, first: Option<&str>) -> impl Iterator<Item = &PlacePattern<'t>> {
        let named = first.map(|first| self.by_name.get(first));
        let all = first.is_none().then(|| self.by_name.values());
        named.flatten().into_iter().chain(all.into_iter().flatten()).flatten().chain(&self.others)
    }
}
