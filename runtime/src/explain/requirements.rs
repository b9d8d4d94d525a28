//! The requirements of a tool, whether they are met, and why required tools are missing.

use crate::availability::resolve;
use crate::registration::ids::{RequirementId, ToolId};
use std::borrow::Cow;
use std::collections::{BTreeSet, VecDeque};

use super::{Absence, Missing, Need, NeedState};
use crate::availability::HiddenReason;
use crate::availability::probe_cache::ProbeStatus;
use crate::data::requirement::Requirement;
use crate::data::segment::{Atom, Comparison, FactValue};
use crate::registration::atoms::ResolvedAtom;
use crate::registration::requirements::ResolvedRequirement;
use crate::session::turn::Turn;

impl Turn {
    /// Returns the requirements of a tool.
    pub(crate) fn needs(&self, tool: ToolId) -> Vec<Need> {
        let requirements = &self.state().requirements;
        if requirements.is_empty() {
            return Vec::new();
        }
        let is_granted = self.is_granted(tool);
        let need = |&id: &RequirementId| {
            let (state, standing) = if is_granted { self.need(id) } else { (NeedState::Unasked, None) };
            let since = standing.and_then(|standing| standing.since);
            let now = || self.found().and_then(|found| found.clock.now());
            let age = since.and_then(|since| Some(now()?.saturating_duration_since(since)));
            Need { requirement: requirement(&requirements[id]), toolset: requirements.toolset(id).cloned(), state, age }
        };
        requirements.of_tool(tool).iter().map(need).collect()
    }

    /// Returns whether a requirement is met, and the status of its check, if it is one.
    fn need(&self, id: RequirementId) -> (NeedState, Option<&ProbeStatus>) {
        let requirement = &self.state().requirements[id];
        let Some(found) = self.found() else { return (NeedState::Unasked, None) };
        match requirement {
            ResolvedRequirement::Check { .. } => {
                let standing = found.status(id);
                let state = match standing {
                    None => NeedState::Unasked,
                    Some(ProbeStatus { verdict: Err(reason), .. }) => NeedState::Unmet(reason.clone()),
                    Some(ProbeStatus { flake: Some(reason), .. }) => NeedState::Flake(reason.clone()),
                    Some(_) => NeedState::Met,
                };
                (state, standing)
            }
            ResolvedRequirement::Tools { tools, any } => {
                let is_there = |tool: &Option<ToolId>| tool.is_some_and(|tool| self.has(tool));
                let mut there = tools.iter().map(|(_, tool)| is_there(tool));
                let is_open = if *any { there.any(|there| there) } else { there.all(|there| there) };
                let closed = || NeedState::Unmet(resolve::missing_tools(requirement, &|tool| self.has(tool)));
                (if is_open { NeedState::Met } else { closed() }, None)
            }
            _ => (found.env.unmet(id, self.facts()).map_or(NeedState::Met, NeedState::Unmet), None),
        }
    }

    /// Returns the tools that are shown although a check failed, because the failure counts as a flake.
    #[cfg(feature = "tracing")]
    pub(crate) fn flakes(&self) -> impl Iterator<Item = (&str, &HiddenReason)> {
        let checks = self.found().into_iter().flat_map(|found| &found.checks);
        let failed = checks.filter_map(|(id, standing)| Some((*id, standing.flake.as_ref()?)));
        failed.flat_map(move |(id, reason)| {
            let dependents = self.state().requirements.dependents(id).iter().filter(|id| self.has(**id));
            dependents.map(move |tool| (self.name(*tool), reason))
        })
    }

    /// Explains why required tools are missing, and those that they require.
    pub(crate) fn missing(&self, tool: ToolId, needs: &[Need]) -> Vec<Missing> {
        let mut known: BTreeSet<Cow<'static, str>> = BTreeSet::from([self.state()[tool].name.clone()]);
        let (mut line, mut missing) = (VecDeque::new(), Vec::new());
        let mut next = |reasons: &[HiddenReason], line: &mut VecDeque<Cow<'static, str>>| {
            for reason in reasons {
                let (HiddenReason::Tools(names) | HiddenReason::AnyTools(names) | HiddenReason::Unregistered(names)) =
                    reason
                else {
                    continue;
                };
                line.extend(names.iter().filter(|name| known.insert((*name).clone())).cloned());
            }
        };
        next(&unmet(needs), &mut line);
        while let Some(name) = line.pop_front() {
            let absence = match self.state().find(&name) {
                None => Absence::Unregistered,
                Some(id) if self.has(id) => continue,
                Some(id) if !self.is_granted(id) => Absence::NotGranted,
                Some(id) => {
                    let mut reasons = unmet(&self.needs(id));
                    if reasons.is_empty() {
                        let hidden = self.hidden_ids().find(|(hidden, _)| *hidden == id);
                        reasons.extend(hidden.map(|(_, reason)| reason.clone()));
                    }
                    next(&reasons, &mut line);
                    Absence::Hidden(reasons)
                }
            };
            missing.push(Missing { tool: name, absence });
        }
        missing
    }

    /// Returns whether the session grants a tool.
    fn is_granted(&self, tool: ToolId) -> bool {
        self.has(tool) || self.found().is_some_and(|found| found.env.granted.binary_search(&tool).is_ok())
    }
}

fn unmet(needs: &[Need]) -> Vec<HiddenReason> {
    let reasons = needs.iter().filter_map(|need| match &need.state {
        NeedState::Unmet(reason) => Some(reason.clone()),
        _ => None,
    });
    reasons.collect()
}

/// Returns the requirement that was resolved.
fn requirement(resolved: &ResolvedRequirement) -> Requirement {
    match resolved {
        ResolvedRequirement::Env(names) => Requirement::Env(names.clone()),
        ResolvedRequirement::AnyEnv(names) => Requirement::AnyEnv(names.clone()),
        ResolvedRequirement::Programs(names) => Requirement::Programs(names.clone()),
        ResolvedRequirement::Os(names) => Requirement::Os(names.clone()),
        ResolvedRequirement::Facts { condition, atoms } => {
            let atom = |asked: &ResolvedAtom| match asked {
                ResolvedAtom::Fact(name, Comparison::Equal, FactValue::Boolean(true)) => Atom::Fact(name.clone()),
                ResolvedAtom::Fact(name, comparison, with) => Atom::Compared(name.clone(), *comparison, with.clone()),
                // The compiler allows facts only.
                ResolvedAtom::Tool(_) => Atom::Tool("?".into()),
            };
            Requirement::When { condition: condition.clone(), atoms: atoms.iter().map(atom).collect() }
        }
        ResolvedRequirement::Check { .. } => Requirement::Check,
        ResolvedRequirement::Tools { tools, any } => {
            let names = tools.iter().map(|(name, _)| name.clone()).collect();
            if *any { Requirement::AnyTools(names) } else { Requirement::Tools(names) }
        }
    }
}
