//! The rules that apply, indexed by program.

use std::collections::HashMap;

use super::{Place, Rule, pattern};
use crate::programs::ProgramTable;

/// The rules, places and programs by which commands are judged.
#[derive(Debug, Clone)]
pub struct RuleSet<'t> {
    rules: Vec<Rule<'t>>,
    places: Vec<Place<'t>>,
    programs: ProgramTable<'t>,
    /// For each program, the indexes of the rules that name it without a pattern.
    by_program: HashMap<&'t str, Vec<usize>>,
    /// The indexes of the rules without programs, or with patterns for their names.
    others: Vec<usize>,
}

impl<'t> RuleSet<'t> {
    /// Returns a set of these rules, places and programs.
    pub fn new(rules: &[Rule<'t>], places: &[Place<'t>], programs: ProgramTable<'t>) -> Self {
        let mut set = Self {
            rules: Vec::new(),
            places: places.to_vec(),
            programs,
            by_program: HashMap::new(),
            others: Vec::new(),
        };
        set.add(rules);
        set
    }

    /// Adds rules, such as those of a user.
    pub fn add(&mut self, rules: &[Rule<'t>]) {
        for rule in rules {
            let index = self.rules.len();
            let programs = rule.conditions.programs;
            if programs.is_empty() || programs.iter().any(|name| name.contains(['*', '?', '['])) {
                self.others.push(index);
            } else {
                for name in programs {
                    self.by_program.entry(name).or_default().push(index);
                }
            }
            self.rules.push(*rule);
        }
    }

    /// Adds places, such as those of a user. If several places have the same name, the first one counts.
    pub fn add_places(&mut self, places: &[Place<'t>]) {
        self.places.extend_from_slice(places);
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
        self.places.iter().find(|place| place.name == name)
    }

    /// Returns the programs.
    pub fn programs(&self) -> &ProgramTable<'t> {
        &self.programs
    }

    /// Returns the rules that apply to a program with this name and this canonical name. A name is `None` if it is unknown.
    pub(crate) fn of_program<'s>(&'s self, names: [Option<&str>; 2]) -> impl Iterator<Item = &'s Rule<'t>> {
        let [own, canonical] = names;
        let second = canonical.filter(|_| canonical != own);
        let by_name = [own, second].into_iter().flatten().filter_map(|name| self.by_program.get(name)).flatten();
        let is_called = |patterns: &[&str]| {
            patterns.is_empty()
                || patterns
                    .iter()
                    .any(|pattern| [own, second].into_iter().flatten().any(|name| pattern::matches(pattern, name)))
        };
        let mut found: Vec<usize> = by_name.copied().collect();
        found.extend(self.others.iter().filter(|index| is_called(self.rules[**index].conditions.programs)));
        found.sort_unstable();
        found.dedup();
        found.into_iter().map(|index| &self.rules[index])
    }
}
