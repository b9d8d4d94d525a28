//! The requirements of a tool, whether they are met, and why required tools are missing.

use crate::availability::resolve;
use crate::registration::ids::{RequirementId, ToolId};
use std::borrow::Cow;
use std::collections::{BTreeSet, VecDeque};

use super::{Absence, MissingTool, RequirementState, RequirementStatus};
use crate::availability::HiddenReason;
use crate::provider::probe_cache::ProbeStatus;
use crate::registration::requirements::ResolvedRequirement;
use crate::session::turn::Turn;

impl Turn {
    /// Returns the requirements of a tool, and whether they are met.
    pub(crate) fn requirement_statuses(&self, tool: ToolId) -> Vec<RequirementStatus> {
        let requirements = &self.state().requirements;
        if requirements.is_empty() {
            return Vec::new();
        }
        let is_granted = self.is_granted(tool);
        let status = |&id: &RequirementId| {
            let (state, probe) =
                if is_granted { self.requirement_state(id) } else { (RequirementState::NotEvaluated, None) };
            let since = probe.and_then(|probe| probe.since);
            let now = || self.inputs().and_then(|inputs| inputs.clock.now());
            let age = since.and_then(|since| Some(now()?.saturating_duration_since(since)));
            let (requirement, toolset) = (requirements[id].declared(), requirements.toolset(id).cloned());
            RequirementStatus { requirement, toolset, state, age }
        };
        requirements.for_tool(tool).iter().map(status).collect()
    }

    /// Returns whether a requirement is met, and, for a check, its status.
    fn requirement_state(&self, id: RequirementId) -> (RequirementState, Option<&ProbeStatus>) {
        let requirement = &self.state().requirements[id];
        let Some(inputs) = self.inputs() else { return (RequirementState::NotEvaluated, None) };
        match requirement {
            ResolvedRequirement::Check { .. } => {
                let status = inputs.status(id);
                let state = match status {
                    None => RequirementState::NotEvaluated,
                    Some(ProbeStatus { verdict: Err(reason), .. }) => RequirementState::Unmet(reason.clone()),
                    Some(ProbeStatus { flake: Some(reason), .. }) => RequirementState::Flake(reason.clone()),
                    Some(_) => RequirementState::Met,
                };
                (state, status)
            }
            ResolvedRequirement::Tools { tools, any } => {
                let is_shown = |tool: &Option<ToolId>| tool.is_some_and(|tool| self.has(tool));
                let mut shown = tools.iter().map(|(_, tool)| is_shown(tool));
                let is_met = if *any { shown.any(|shown| shown) } else { shown.all(|shown| shown) };
                if is_met {
                    return (RequirementState::Met, None);
                }
                (RequirementState::Unmet(resolve::missing_tools(requirement, &|tool| self.has(tool))), None)
            }
            _ => (inputs.env.unmet(id, self.facts()).map_or(RequirementState::Met, RequirementState::Unmet), None),
        }
    }

    /// Returns the tools that are shown although a check failed, because the failure counts as a flake.
    #[cfg(feature = "tracing")]
    pub(crate) fn flakes(&self) -> impl Iterator<Item = (&str, &HiddenReason)> {
        let checks = self.inputs().into_iter().flat_map(|inputs| &inputs.checks);
        let failed = checks.filter_map(|(id, status)| Some((*id, status.flake.as_ref()?)));
        failed.flat_map(move |(id, reason)| {
            let dependents = self.state().requirements.dependents(id).iter().filter(|id| self.has(**id));
            dependents.map(move |tool| (self.name(*tool), reason))
        })
    }

    /// Returns the tools that are missing for `tool`: those that it requires, those that these require, and so on.
    pub(crate) fn missing_tools(&self, tool: ToolId, requirements: &[RequirementStatus]) -> Vec<MissingTool> {
        let mut visited: BTreeSet<Cow<'static, str>> = BTreeSet::from([self.state()[tool].name.clone()]);
        let (mut queue, mut missing) = (VecDeque::new(), Vec::new());
        let mut enqueue = |reasons: &[HiddenReason], queue: &mut VecDeque<Cow<'static, str>>| {
            for reason in reasons {
                let (HiddenReason::Tools(names) | HiddenReason::AnyTools(names) | HiddenReason::Unregistered(names)) =
                    reason
                else {
                    continue;
                };
                queue.extend(names.iter().filter(|name| visited.insert((*name).clone())).cloned());
            }
        };
        enqueue(&unmet(requirements), &mut queue);
        while let Some(name) = queue.pop_front() {
            let absence = match self.state().find(&name) {
                None => Absence::Unregistered,
                Some(id) if self.has(id) => continue,
                Some(id) if !self.is_granted(id) => Absence::NotGranted,
                Some(id) => {
                    let mut reasons = unmet(&self.requirement_statuses(id));
                    if reasons.is_empty() {
                        let hidden = self.hidden_ids().find(|(hidden, _)| *hidden == id);
                        reasons.extend(hidden.map(|(_, reason)| reason.clone()));
                    }
                    enqueue(&reasons, &mut queue);
                    Absence::Hidden(reasons)
                }
            };
            missing.push(MissingTool { tool: name, absence });
        }
        missing
    }

    /// Returns whether the session grants a tool.
    fn is_granted(&self, tool: ToolId) -> bool {
        self.has(tool) || self.inputs().is_some_and(|inputs| inputs.env.granted.binary_search(&tool).is_ok())
    }
}

fn unmet(requirements: &[RequirementStatus]) -> Vec<HiddenReason> {
    let reasons = requirements.iter().filter_map(|requirement| match &requirement.state {
        RequirementState::Unmet(reason) => Some(reason.clone()),
        _ => None,
    });
    reasons.collect()
}
