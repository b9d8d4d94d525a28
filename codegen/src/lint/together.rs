//! Whether one tool can be shown without another.
//!
//! A session selects toolsets, and requirements hide tools. Two tools can be separated if a toolset contains only one of them, or if
//! one has a requirement that the other does not imply. A host that disables single tools can separate any two.

use std::collections::BTreeSet;

use toolc_lower::text::atoms::{AtomId, When};
use toolc_lower::text::condition::Condition;

use super::Lint;
use crate::catalog::{Atom, ExternalId, Tool, ToolId, VariableId};
use crate::diagnostic::Place;

/// Why a tool can be shown without another.
#[derive(Debug)]
pub(super) struct Separation {
    /// The place that separates them.
    pub place: Place,
    /// The reason.
    pub why: String,
}

/// What a tool requires, together with its home and the tools that it requires.
#[derive(Default)]
struct Needs<'c> {
    env: BTreeSet<VariableId>,
    any_env: BTreeSet<Vec<VariableId>>,
    programs: BTreeSet<&'c str>,
    systems: Vec<Vec<&'c str>>,
    external: BTreeSet<ExternalId>,
    checks: BTreeSet<&'c str>,
    conditions: Vec<Condition<Option<Atom>>>,
    /// Tools and toolsets that require one of several alternatives.
    alternatives: BTreeSet<&'c str>,
}

impl Lint<'_> {
    /// Returns how the tool can be shown without the other one by selecting toolsets, or because the other one requires more.
    /// Returns `None` if only a host that disables single tools can separate them.
    pub(super) fn separation(&self, tool: ToolId, other: ToolId) -> Option<Separation> {
        let implied = self.implied_tools(tool);
        if implied.contains(&other) {
            return None;
        }
        let separation = |needed: ToolId| {
            let separation =
                self.separating_toolset(tool, needed).or_else(|| self.separating_requirement(&implied, tool, needed));
            separation
                .map(|separation| if needed == other { separation } else { self.through(other, needed, &separation) })
        };
        // The tools that the other one requires, and itself first.
        let needed = self.implied_tools(other);
        let needed = needed.iter().copied().filter(|needed| *needed != other && !implied.contains(needed));
        separation(other).or_else(|| needed.clone().find_map(separation)).or_else(|| {
            let any = [other].into_iter().chain(needed).flat_map(|needed| &self[needed].requires.any_tools);
            let any: Vec<(ToolId, Place)> = any.copied().collect();
            let is_separable =
                |(one, _): &(ToolId, Place)| !implied.contains(one) && self.separating_toolset(tool, *one).is_some();
            let place = any.first().filter(|_| any.iter().all(is_separable))?.1;
            Some(Separation { place, why: format!("`{}` requires one of these", self[other].name()) })
        })
    }

    fn through(&self, other: ToolId, needed: ToolId, separation: &Separation) -> Separation {
        let why = format!("`{}` requires `{}`: {}", self[other].name(), self[needed].name(), separation.why);
        Separation { place: separation.place, why }
    }

    /// Finds a toolset that separates the tools: enabling it shows only one of them, or disabling it hides only the other.
    fn separating_toolset(&self, tool: ToolId, other: ToolId) -> Option<Separation> {
        let contains = |set, tool: ToolId| self.resolve(set).binary_search(&tool).is_ok();
        let separates = |(set, _): &(_, _)| contains(*set, tool) != contains(*set, other);
        let is_with_tool = |(set, _): &(_, _)| contains(*set, tool);
        let separating: Vec<_> = self.toolsets().filter(|(_, set)| set.declared).filter(separates).collect();
        let (set, toolset) = *separating.iter().find(|one| is_with_tool(one)).or(separating.first())?;
        let [one, another] = if contains(set, tool) { [tool, other] } else { [other, tool] };
        let why = format!("`{}` contains `{}`, but not `{}`", toolset.name(), self[one].name(), self[another].name());
        Some(Separation { place: toolset.manifest.name.place, why })
    }

    /// Finds a requirement of the other tool that those of the tool do not imply.
    fn separating_requirement(&self, implied: &BTreeSet<ToolId>, tool: ToolId, other: ToolId) -> Option<Separation> {
        let mut known = Needs::default();
        for &tool in implied.iter().chain([&tool]) {
            known.add(self, &self[tool]);
        }
        let mut needs = Needs::default();
        needs.add(self, &self[other]);
        let what = needs.beyond(&known, self)?;
        let manifest = &self[other].manifest;
        Some(Separation { place: manifest.name.place, why: format!("`{}` requires {what}", manifest.name.value) })
    }
}

impl<'c> Needs<'c> {
    fn add(&mut self, lint: &Lint<'c>, tool: &'c Tool) {
        let home = &lint.catalog[tool.home];
        let parts = [
            (&tool.requires, &tool.manifest.requires, tool.name(), &tool.atoms),
            (&home.requires, &home.manifest.requires, home.name(), &home.atoms),
        ];
        for (requires, manifest, name, atoms) in parts {
            self.env.extend(&requires.env);
            if !requires.any_env.is_empty() {
                self.any_env.insert(requires.any_env.iter().copied().collect::<BTreeSet<_>>().into_iter().collect());
            }
            self.programs.extend(manifest.programs.iter().map(|program| program.value.as_str()));
            if !manifest.os.is_empty() {
                self.systems.push(manifest.os.iter().map(|system| system.value.as_str()).collect());
            }
            self.external.extend(&requires.external);
            self.checks.extend(manifest.checked().map(|_| name));
            self.alternatives.extend((!manifest.any.is_empty()).then_some(name));
            self.conditions.extend(manifest.when.as_ref().map(|when| resolved(&when.value, atoms)));
        }
    }

    /// Returns what is required in addition to what is known to be met.
    fn beyond(&self, known: &Self, lint: &Lint<'_>) -> Option<String> {
        let is_met = |any: &&Vec<VariableId>| {
            any.iter().any(|id| known.env.contains(id))
                || known.any_env.iter().any(|known| known.iter().all(|id| any.contains(id)))
        };
        let variable = self.env.difference(&known.env).next().or(self
            .any_env
            .iter()
            .find(|any| !is_met(any))
            .and_then(|any| any.first()));
        if let Some(&variable) = variable {
            return Some(format!("`{}`", lint[variable].name.value));
        }
        if let Some(program) = self.programs.difference(&known.programs).next() {
            return Some(format!("the program `{program}`"));
        }
        let is_among =
            |systems: &&Vec<&str>| known.systems.iter().any(|known| known.iter().all(|one| systems.contains(one)));
        if self.systems.iter().any(|systems| !is_among(&systems)) {
            return Some("a certain operating system".to_owned());
        }
        if let Some(&external) = self.external.difference(&known.external).next() {
            return Some(format!("`{}`", lint[external]));
        }
        if self.checks.difference(&known.checks).next().is_some() {
            return Some("a check of its handlers".to_owned());
        }
        if self.alternatives.difference(&known.alternatives).next().is_some() {
            return Some("one of several alternatives".to_owned());
        }
        self.conditions.iter().any(|condition| !known.conditions.contains(condition)).then(|| "a condition".to_owned())
    }
}

/// Returns a condition that can be compared with those of other manifests.
fn resolved(when: &When, atoms: &[Atom]) -> Condition<Option<Atom>> {
    when.clone().map(&mut |AtomId(atom)| atoms.get(atom).cloned())
}
