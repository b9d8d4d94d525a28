//! The rules that apply, indexed by program.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use super::index::Index;
use super::pattern::{self, is_plain_name};
use super::{Access, Needs, Place, Rule, Signature};
use crate::programs::ProgramTable;

/// The rules, places and programs by which commands are judged.
#[derive(Debug, Clone)]
pub struct RuleSet<'t> {
    rules: Vec<Rule<'t>>,
    index: Index<'t>,
    places: Vec<Place<'t>>,
    /// The index of the place with each name.
    by_place: HashMap<&'t str, usize>,
    place_patterns: PlacePatterns<'t>,
    programs: ProgramTable<'t>,
    access: Vec<Access<'t>>,
    /// The optional sets that are active.
    active: Vec<String>,
}

impl<'t> RuleSet<'t> {
    /// Returns a set of these rules, places and programs.
    pub fn new(rules: &[Rule<'t>], places: &[Place<'t>], programs: ProgramTable<'t>) -> Self {
        let mut set = Self {
            rules: Vec::new(),
            index: Index::default(),
            places: Vec::new(),
            by_place: HashMap::new(),
            place_patterns: PlacePatterns::default(),
            programs,
            access: Vec::new(),
            active: Vec::new(),
        };
        set.add_places(places);
        set.add(rules);
        set
    }

    /// Adds rules, such as those of a user.
    pub fn add(&mut self, rules: &[Rule<'t>]) {
        for rule in rules {
            if self.is_active(rule) {
                self.index.add(self.rules.len(), &rule.conditions);
            }
            self.rules.push(*rule);
        }
    }

    /// Returns these rules with the optional rules of some sets, in addition to those that are active already. A rule of another
    /// set stays inactive: it matches nothing, and costs nothing. A name that no rule has is ignored.
    ///
    /// ```
    /// use toolc_commands::programs::USUAL;
    /// use toolc_commands::rules::{Conditions, Rule, RuleSet, Verdict};
    /// use toolc_commands::{Surroundings, judge};
    ///
    /// let push = Rule {
    ///     name: "push",
    ///     description: "Sends commits to another machine.",
    ///     check: "",
    ///     verdict: Verdict::Ask,
    ///     can_be_exempted: true,
    ///     low_risk: false,
    ///     optional: Some("push"),
    ///     exempts: &[],
    ///     conditions: Conditions { programs: &["git"], subcommands: &[&["push"]], ..Conditions::EMPTY },
    /// };
    /// let rules = RuleSet::new(&[push], &[], USUAL);
    /// let verdict = |rules| judge("git push", rules, &Surroundings::default()).verdict;
    /// assert_eq!(verdict(&rules), Verdict::Allow);
    /// assert_eq!(verdict(&rules.with_optional(&["push"])), Verdict::Ask);
    /// ```
    #[must_use]
    pub fn with_optional(&self, sets: &[&str]) -> Self {
        let mut active = self.active.clone();
        for set in sets {
            if !active.iter().any(|known| known == set) {
                active.push((*set).to_owned());
            }
        }
        let mut rules = Self { index: Index::default(), active, ..self.clone() };
        for (index, rule) in self.rules.iter().enumerate() {
            if rules.is_active(rule) {
                rules.index.add(index, &rule.conditions);
            }
        }
        rules
    }

    /// Returns whether commands are compared with a rule: it is not optional, or its set is active.
    pub fn is_active(&self, rule: &Rule<'_>) -> bool {
        rule.optional.is_none_or(|set| self.active.iter().any(|active| active == set))
    }

    /// Returns the names of the optional sets, active or not, in alphabetical order.
    pub fn optional_sets(&self) -> Vec<&'t str> {
        let sets: BTreeSet<&str> = self.rules.iter().filter_map(|rule| rule.optional).collect();
        sets.into_iter().collect()
    }

    /// Adds places, such as those of a user. If several places have the same name, the first one counts.
    pub fn add_places(&mut self, places: &[Place<'t>]) {
        for place in places {
            self.by_place.entry(place.name).or_insert(self.places.len());
            self.place_patterns.add(self.places.len(), place.paths, place.except);
            self.places.push(*place);
        }
    }

    /// Returns the rules, in the order in which they were added, with the optional ones.
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

    /// Returns these rules with another table of programs.
    #[must_use]
    pub fn with_programs(mut self, programs: ProgramTable<'t>) -> Self {
        self.programs = programs;
        self
    }

    /// Adds what programs need, such as that of a user's programs.
    pub fn add_access(&mut self, access: &[Access<'t>]) {
        self.access.extend(access);
    }

    /// Returns what programs need, in the order in which it was added.
    pub fn access(&self) -> &[Access<'t>] {
        &self.access
    }

    /// Returns the entry about the rights that a program needs, if it needs more than those of every program.
    pub fn rights_of(&self, program: &str) -> Option<&Access<'t>> {
        self.access.iter().find(|access| access.rights.is_some() && access.programs.contains(&program))
    }

    /// Returns the rules that can match a command which has these things, and whose program has this name and this canonical name.
    /// A name is `None` if it is unknown.
    pub(crate) fn of_program<'s>(
        &'s self,
        names: [Option<&str>; 2],
        has: Needs,
        signature: Signature,
    ) -> impl Iterator<Item = &'s Rule<'t>> {
        self.index.of_program(names, has, signature).map(|index| &self.rules[index])
    }
}

/// The folder in which a pattern of a place begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Root {
    /// `/`.
    System,
    /// The home folder: `~`.
    Home,
    /// The directory in which the line starts: `.`.
    Start,
    /// The caller's own folder: `@`.
    Own,
    /// Every folder above that: `@/..`.
    AboveOwn,
}

/// The pattern for every folder above the caller's own one.
pub(crate) const ABOVE_OWN: &str = "@/..";

/// A pattern of a place.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PlacePattern<'t> {
    pub(crate) root: Root,
    /// The pattern without its first `~`, `.` or `/`.
    pub(crate) rest: &'t str,
    /// The first component, if it has no wildcards.
    pub(crate) first: Option<&'t str>,
    /// The last component, with which the last one of a path must match. `None` for `**`.
    pub(crate) last: Option<&'t str>,
    /// The index of the place.
    pub(crate) place: usize,
}

impl<'t> PlacePattern<'t> {
    fn new(pattern: &'t str, place: usize) -> Self {
        let (root, rest) = match pattern.as_bytes().first() {
            Some(b'~') => (Root::Home, &pattern[1..]),
            Some(b'.') => (Root::Start, &pattern[1..]),
            Some(b'@') if pattern == ABOVE_OWN => (Root::AboveOwn, ""),
            Some(b'@') => (Root::Own, &pattern[1..]),
            _ => (Root::System, pattern),
        };
        let rest = rest.strip_prefix('/').unwrap_or(rest);
        let last = rest.rsplit('/').next().filter(|last| !matches!(*last, "" | "**"));
        let first = rest.split('/').next().filter(|first| !first.is_empty() && is_plain_name(first));
        Self { root, rest, first, last, place }
    }
}

/// The patterns of the same root that begin with the same component.
#[derive(Debug, Clone)]
pub(crate) struct PatternGroup<'t> {
    pub(crate) root: Root,
    /// The first component, if it has no wildcards.
    pub(crate) first: Option<&'t str>,
    pub(crate) patterns: Vec<PlacePattern<'t>>,
}

/// The names in the patterns of places.
#[derive(Debug, Clone, Default)]
pub(crate) struct PlaceNames<'t> {
    /// The names without wildcards.
    plain: HashSet<&'t str>,
    /// The others but for `*` and `**`, by their first byte.
    by_first: BTreeMap<u8, Vec<&'t str>>,
    /// Those that begin with a wildcard, by their last byte.
    by_last: BTreeMap<u8, Vec<&'t str>>,
    /// Those that do both.
    others: Vec<&'t str>,
    /// Whether one of these matches [`ORDINARY_NAME`], too.
    are_any_ordinary: bool,
}

/// A name that no pattern contains: only `*` and `**` match it.
pub(crate) const ORDINARY_NAME: &str = "\u{0}file";

impl<'t> PlaceNames<'t> {
    fn add(&mut self, path: &'t str) {
        for name in path.split('/').filter(|name| !matches!(*name, "" | "*" | "**")) {
            if is_plain_name(name) {
                self.plain.insert(name);
                continue;
            }
            let certain = |byte: Option<u8>| byte.filter(|byte| !matches!(byte, b'*' | b'?' | b'[' | b']'));
            let patterns = match (certain(name.bytes().next()), certain(name.bytes().next_back())) {
                (Some(first), _) => self.by_first.entry(first).or_default(),
                (None, Some(last)) => self.by_last.entry(last).or_default(),
                (None, None) => &mut self.others,
            };
            if !patterns.contains(&name) {
                patterns.push(name);
            }
            self.are_any_ordinary |= pattern::matches(name, ORDINARY_NAME);
        }
    }

    /// Returns whether a name can stand for [`ORDINARY_NAME`]: no pattern tells them apart.
    pub(crate) fn is_ordinary(&self, name: &str) -> bool {
        let (Some(first), Some(last)) = (name.bytes().next(), name.bytes().next_back()) else { return false };
        let is_one = |patterns: &Vec<&str>| patterns.iter().any(|pattern| pattern::matches(pattern, name));
        !self.are_any_ordinary
            && first != b'\0'
            && !self.by_first.get(&first).is_some_and(is_one)
            && !self.by_last.get(&last).is_some_and(is_one)
            && !is_one(&self.others)
            && !self.plain.contains(name)
    }
}

/// The patterns of places, by a name that they contain. Most paths are in no place, which is then known without a comparison.
#[derive(Debug, Clone, Default)]
pub(crate) struct PlacePatterns<'t> {
    /// Patterns by their last component without wildcards. Only a path with such a component can match.
    by_name: HashMap<&'t str, Vec<PlacePattern<'t>>>,
    /// The other patterns.
    others: Vec<PlacePattern<'t>>,
    /// All patterns, for paths with unknown components.
    groups: Vec<PatternGroup<'t>>,
    /// The patterns of what each place excludes.
    exceptions: Vec<Vec<PlacePattern<'t>>>,
    /// The names in all patterns.
    names: PlaceNames<'t>,
}

impl<'t> PlacePatterns<'t> {
    fn add(&mut self, place: usize, paths: &'t [&'t str], except: &'t [&'t str]) {
        for pattern in paths.iter().map(|path| PlacePattern::new(path, place)) {
            let is_name = |component: &&str| !component.is_empty() && is_plain_name(component);
            let patterns = match pattern.rest.rsplit('/').find(is_name) {
                Some(name) => self.by_name.entry(name).or_default(),
                None => &mut self.others,
            };
            patterns.push(pattern);
            let (root, first) = (pattern.root, pattern.first);
            match self.groups.iter_mut().find(|group| (group.root, group.first) == (root, first)) {
                Some(group) => group.patterns.push(pattern),
                None => self.groups.push(PatternGroup { root, first, patterns: vec![pattern] }),
            }
        }
        paths.iter().chain(except).for_each(|path| self.names.add(path));
        self.exceptions.resize(place, Vec::new());
        self.exceptions.push(except.iter().map(|path| PlacePattern::new(path, place)).collect());
    }

    /// Returns the patterns that can match a path with a component of this name.
    pub(crate) fn with_name(&self, name: &str) -> &[PlacePattern<'t>] {
        self.by_name.get(name).map_or(&[], Vec::as_slice)
    }

    /// Returns the patterns that can match a path with any names.
    pub(crate) fn without_name(&self) -> &[PlacePattern<'t>] {
        &self.others
    }

    /// Returns all patterns, by how they begin.
    pub(crate) fn groups(&self) -> &[PatternGroup<'t>] {
        &self.groups
    }

    /// Returns all patterns.
    pub(crate) fn all(&self) -> impl Iterator<Item = &PlacePattern<'t>> {
        self.groups.iter().flat_map(|group| &group.patterns)
    }

    /// Returns the names in all patterns.
    pub(crate) fn names(&self) -> &PlaceNames<'t> {
        &self.names
    }

    /// Returns the patterns of what a place excludes.
    pub(crate) fn exceptions(&self, place: usize) -> &[PlacePattern<'t>] {
        self.exceptions.get(place).map_or(&[], Vec::as_slice)
    }
}
