//! Determines which of the granted tools are shown. First, requirements on the environment, facts and checks are evaluated.
//! Then tools whose required tools are missing are removed, repeatedly, until a fixpoint. The time is linear in the number of
//! requirements.

use std::borrow::Cow;
use std::ptr;
use std::sync::Arc;

use crate::availability::HiddenReason;
use crate::availability::selection::GrantedTools;
use crate::data::dialect::Dialect;
use crate::env::Env;
use crate::graph::{ToolRequirements, remove_unmet};
use crate::provider::probe_cache::{Expiry, Probe, ProbePolicy, ProbeStatus, ProbeSubject, VERDICT_TTL};
use crate::registration::atoms::{FactLookup, ResolvedAtom};
use crate::registration::definition_table::DefinitionSlot;
use crate::registration::dialect_names::UnavailableName;
use crate::registration::ids::{RequirementId, ToolId};
use crate::registration::requirements::{ResolvedRequirement, ResolvedRequirements};
use crate::registration::state::RegistrySnapshot;
use crate::run::clock::Clock;
use crate::sorted;

/// The granted tools of a session in one state of the registry, with the results of environment lookups.
pub(crate) struct EnvSnapshot {
    state: Arc<RegistrySnapshot>,
    /// The granted tools, sorted.
    pub(crate) granted: Vec<ToolId>,
    /// The toolsets of the session that do not exist or are empty.
    pub(crate) missing: Arc<[Cow<'static, str>]>,
    /// For each requirement of the state: the reason if the environment does not meet it. `None` also for requirements of other
    /// kinds, and for those that no granted tool has.
    unmet: Vec<Option<HiddenReason>>,
    expiry: Expiry,
    /// The change counter at the time of the lookups: see
    /// [`ProbeCache::changes`](crate::provider::probe_cache::ProbeCache::changes).
    changes: u64,
}

/// The granted tools that may be shown, if their checks pass.
pub(crate) struct Candidates {
    /// Sorted.
    tools: Vec<ToolId>,
    hidden: Vec<(ToolId, HiddenReason)>,
    /// The checks to run.
    checks: Vec<RequirementId>,
    /// The checks in the form that the cache runs, in the order of `checks`.
    pub(crate) probes: Vec<Probe>,
}

/// The set of tools of a turn.
pub(crate) struct AvailabilityResult {
    /// The shown tools, sorted.
    pub(crate) tools: Vec<ToolId>,
    pub(crate) inputs: TurnInputs,
    /// The time until which the result is valid if nothing changes.
    pub(crate) expiry: Expiry,
}

/// The inputs from which a turn was made.
pub(crate) struct TurnInputs {
    /// Granted tools that are hidden, sorted, with the reason.
    pub(crate) hidden: Vec<(ToolId, HiddenReason)>,
    pub(crate) env: Arc<EnvSnapshot>,
    /// The checks of the turn with their status, sorted by requirement.
    pub(crate) checks: Vec<(RequirementId, ProbeStatus)>,
    /// The clock of the checks.
    pub(crate) clock: Clock,
}

impl EnvSnapshot {
    pub(crate) fn new(
        state: Arc<RegistrySnapshot>,
        granted: GrantedTools,
        changes: u64,
        policy: &ProbePolicy<'_>,
    ) -> Self {
        let GrantedTools { members, missing } = granted;
        let mut granted = Vec::with_capacity(members.len());
        granted.extend(state.tool_ids().filter(|id| members.get(id.0) == Some(&true)));
        let requirements = &state.requirements;
        let mut is_needed = vec![false; requirements.len()];
        if !requirements.is_empty() {
            for id in granted.iter().flat_map(|&tool| requirements.for_tool(tool)) {
                is_needed[id.0] = true;
            }
        }
        let mut expiry = Expiry::Never;
        let mut unmet = Vec::with_capacity(requirements.len());
        for (id, requirement) in requirements.iter() {
            if !is_needed[id.0] {
                unmet.push(None);
                continue;
            }
            if expiry == Expiry::Never && requirement.may_change(policy.env) {
                // Taken before the first lookup, so that no result is used for too long.
                let expires = policy.clock.now().and_then(|now| now.checked_add(VERDICT_TTL));
                expiry = expires.map_or(Expiry::Expired, Expiry::At);
            }
            unmet.push(look_up(requirement, policy.env).err());
        }
        Self { state, granted, missing, unmet, expiry, changes }
    }

    /// Returns whether the lookups are still valid.
    pub(crate) fn is_valid(&self, changes: u64, policy: &ProbePolicy<'_>) -> bool {
        self.changes == changes && !self.expiry.is_over(policy.clock)
    }

    /// Returns whether the snapshot was made from `state`.
    pub(crate) fn belongs_to(&self, state: &RegistrySnapshot) -> bool {
        ptr::eq(&raw const *self.state, state)
    }

    /// Returns why a requirement on the environment or on facts is not met.
    pub(crate) fn unmet(&self, id: RequirementId, facts: FactLookup<'_>) -> Option<HiddenReason> {
        match &self.state.requirements[id] {
            ResolvedRequirement::Facts { condition, atoms } if !condition.holds(facts.evaluate(atoms, &[])) => {
                let mut names = Vec::new();
                for name in atoms.iter().filter_map(ResolvedAtom::fact) {
                    sorted::insert(&mut names, name.clone());
                }
                Some(HiddenReason::Facts(names))
            }
            ResolvedRequirement::Any(alternatives) => {
                let holds = |one: &ResolvedRequirement| match one {
                    ResolvedRequirement::Facts { condition, atoms } => condition.holds(facts.evaluate(atoms, &[])),
                    _ => false,
                };
                self.unmet[id.0].clone().filter(|_| !alternatives.iter().any(holds))
            }
            _ => self.unmet[id.0].clone(),
        }
    }

    /// Evaluates all requirements of the granted tools except checks and required tools, and determines the checks to run.
    pub(crate) fn candidates(&self, dialect: Dialect, facts: FactLookup<'_>) -> Candidates {
        let (requirements, definitions) = (&self.state.requirements, self.state.definitions(dialect));
        let mut tools = Vec::with_capacity(self.granted.len());
        let mut hidden = Vec::new();
        for &tool in &self.granted {
            match &definitions[tool] {
                DefinitionSlot::Absent => hidden.push((tool, self.undefined(tool, dialect))),
                DefinitionSlot::Static(_) | DefinitionSlot::Rendered { .. } => tools.push(tool),
            }
        }
        if requirements.is_empty() {
            return Candidates { tools, hidden, checks: Vec::new(), probes: Vec::new() };
        }
        let first_unmet = |tool| requirements.for_tool(tool).iter().find_map(|&id| self.unmet(id, facts));
        hide(&mut tools, &mut hidden, &first_unmet);
        let (checks, probes) = self.checks(&tools);
        Candidates { tools, hidden, checks, probes }
    }

    /// Returns why a tool has no definition in `dialect`.
    #[cold]
    fn undefined(&self, tool: ToolId, dialect: Dialect) -> HiddenReason {
        if let Some(UnavailableName { name, taken_by }) = self.state.definitions(dialect).names.unavailable(tool) {
            let taken_by = taken_by.map(|other| self.state[other].name.clone());
            return HiddenReason::DialectName { dialect, name: name.clone(), taken_by };
        }
        let (provider, _) = self.state.provider(tool);
        let is_undeclared = provider.definitions(dialect).is_empty();
        if is_undeclared { HiddenReason::UndeclaredDialect(dialect) } else { HiddenReason::Dialect }
    }

    /// Returns the checks that these tools require, each one once.
    fn checks(&self, tools: &[ToolId]) -> (Vec<RequirementId>, Vec<Probe>) {
        let requirements = &self.state.requirements;
        let (mut ids, mut probes) = (Vec::new(), Vec::new());
        for (id, requirement) in requirements.iter() {
            let ResolvedRequirement::Check { provider } = requirement else { continue };
            let mut dependents = requirements.dependents(id).iter();
            let Some(&tool) = dependents.find(|tool| tools.binary_search(tool).is_ok()) else { continue };
            let subject = match requirements.toolset(id) {
                Some(toolset) => ProbeSubject::Toolset(toolset.clone()),
                None => ProbeSubject::Tool(self.state[tool].index.0),
            };
            probes.push(Probe { provider: Arc::clone(&self.state.providers[provider.0]), subject });
            ids.push(id);
        }
        (ids, probes)
    }

    /// Determines which of the candidates are shown. `statuses` has the status of each of their checks, in order.
    pub(crate) fn conclude(
        self: &Arc<Self>,
        candidates: Candidates,
        statuses: Vec<ProbeStatus>,
        clock: &Clock,
    ) -> AvailabilityResult {
        let Candidates { mut tools, mut hidden, checks, .. } = candidates;
        let requirements = &self.state.requirements;
        let checks: Vec<(RequirementId, ProbeStatus)> = checks.into_iter().zip(statuses).collect();
        let mut expiry = self.expiry;
        if !requirements.is_empty() {
            if !checks.is_empty() {
                let first_failed = |tool| {
                    let mut ids = requirements.for_tool(tool).iter();
                    ids.find_map(|&id| status(&checks, id)?.verdict.clone().err())
                };
                hide(&mut tools, &mut hidden, &first_failed);
                expiry = checks.iter().map(|(_, status)| status.until).fold(expiry, Expiry::min);
            }
            let count = self.state.tools.len();
            remove_dependents(requirements, &mut tools, &mut hidden, count);
            hidden = sort_hidden(hidden, count);
        }
        let inputs = TurnInputs { hidden, env: Arc::clone(self), checks, clock: clock.clone() };
        AvailabilityResult { tools, inputs, expiry }
    }
}

impl TurnInputs {
    /// Returns the status of a requirement, if it is a check that was run.
    pub(crate) fn status(&self, id: RequirementId) -> Option<&ProbeStatus> {
        status(&self.checks, id)
    }
}

fn status(checks: &[(RequirementId, ProbeStatus)], id: RequirementId) -> Option<&ProbeStatus> {
    let position = checks.binary_search_by_key(&id, |(id, _)| *id).ok()?;
    Some(&checks[position].1)
}

/// Moves the tools for which `reason` returns a reason from `tools` to `hidden`.
fn hide(
    tools: &mut Vec<ToolId>,
    hidden: &mut Vec<(ToolId, HiddenReason)>,
    reason: &dyn Fn(ToolId) -> Option<HiddenReason>,
) {
    tools.retain(|&tool| match reason(tool) {
        Some(reason) => {
            hidden.push((tool, reason));
            false
        }
        None => true,
    });
}

/// Evaluates a requirement on the environment. Requirements of other kinds count as met.
fn look_up(requirement: &ResolvedRequirement, env: &Env) -> Result<(), HiddenReason> {
    type Names = [Cow<'static, str>];
    let all = |names: &Names, has: &dyn Fn(&str) -> bool, reason: fn(Vec<Cow<'static, str>>) -> HiddenReason| {
        let missing: Vec<Cow<'static, str>> = names.iter().filter(|name| !has(name)).cloned().collect();
        if missing.is_empty() { Ok(()) } else { Err(reason(missing)) }
    };
    let any = |names: &Names, has: &dyn Fn(&str) -> bool, reason: fn(Vec<Cow<'static, str>>) -> HiddenReason| {
        if names.iter().any(|name| has(name)) { Ok(()) } else { Err(reason(names.to_vec())) }
    };
    let is_set = |name: &str| env.var(name).is_some();
    match requirement {
        ResolvedRequirement::Env(names) => all(names, &is_set, HiddenReason::Env),
        ResolvedRequirement::AnyEnv(names) => any(names, &is_set, HiddenReason::AnyEnv),
        ResolvedRequirement::Programs(names) => all(names, &|name| env.has_program(name), HiddenReason::Programs),
        ResolvedRequirement::Os(names) => any(names, &|name| name == std::env::consts::OS, HiddenReason::Os),
        ResolvedRequirement::Any(alternatives) => {
            let is_there = |one: &ResolvedRequirement| match one {
                ResolvedRequirement::Env(_) | ResolvedRequirement::Programs(_) => look_up(one, env).is_ok(),
                _ => false,
            };
            let unmet = || HiddenReason::Any(alternatives.iter().map(ResolvedRequirement::declared).collect());
            if alternatives.iter().any(is_there) { Ok(()) } else { Err(unmet()) }
        }
        // Evaluated elsewhere.
        ResolvedRequirement::Facts { .. } | ResolvedRequirement::Check { .. } | ResolvedRequirement::Tools { .. } => {
            Ok(())
        }
    }
}

/// Removes tools whose required tools are missing, then those that require these, and so on.
fn remove_dependents(
    requirements: &ResolvedRequirements,
    tools: &mut Vec<ToolId>,
    hidden: &mut Vec<(ToolId, HiddenReason)>,
    count: usize,
) {
    let mut is_shown = vec![false; count];
    for &tool in tools.iter() {
        is_shown[tool.0] = true;
    }
    let reason = |requirement: usize, is_shown: &[bool]| {
        missing_tools(&requirements[RequirementId(requirement)], &|tool| is_shown[tool.0])
    };
    remove_unmet(requirements, &mut is_shown, reason, |tool, reason| hidden.push((ToolId(tool), reason.clone())));
    tools.retain(|tool| is_shown[tool.0]);
}

impl ToolRequirements for ResolvedRequirements {
    fn count(&self) -> usize {
        self.iter().count()
    }

    fn slack(&self, requirement: usize, present: &[bool]) -> Option<usize> {
        let ResolvedRequirement::Tools { tools, any } = &self[RequirementId(requirement)] else { return None };
        let count = tools.iter().filter(|(_, tool)| tool.is_some_and(|tool| present[tool.0])).count();
        Some(if *any { count } else { usize::from(count == tools.len()) })
    }

    fn required_by(&self, requirement: usize) -> impl Iterator<Item = usize> {
        self.dependents(RequirementId(requirement)).iter().map(|tool| tool.0)
    }

    fn naming(&self, tool: usize) -> impl Iterator<Item = usize> {
        ResolvedRequirements::naming(self, ToolId(tool)).iter().map(|requirement| requirement.0)
    }
}

/// Sorts hidden tools by id. Each of them must occur only once.
fn sort_hidden(hidden: Vec<(ToolId, HiddenReason)>, count: usize) -> Vec<(ToolId, HiddenReason)> {
    let mut reasons: Vec<Option<HiddenReason>> = (0..count).map(|_| None).collect();
    for (tool, reason) in hidden {
        reasons[tool.0] = Some(reason);
    }
    reasons.into_iter().enumerate().filter_map(|(tool, reason)| Some((ToolId(tool), reason?))).collect()
}

/// Returns why a requirement on tools is not met.
pub(crate) fn missing_tools(requirement: &ResolvedRequirement, is_shown: &dyn Fn(ToolId) -> bool) -> HiddenReason {
    let ResolvedRequirement::Tools { tools, any } = requirement else { return HiddenReason::Tools(Vec::new()) };
    let names = |is_named: &dyn Fn(Option<ToolId>) -> bool| -> Vec<Cow<'static, str>> {
        tools.iter().filter(|(_, tool)| is_named(*tool)).map(|(name, _)| name.clone()).collect()
    };
    let unregistered = names(&|tool| tool.is_none());
    if *any {
        HiddenReason::AnyTools(names(&|_| true))
    } else if unregistered.is_empty() {
        HiddenReason::Tools(names(&|tool| tool.is_some_and(|tool| !is_shown(tool))))
    } else {
        HiddenReason::Unregistered(unregistered)
    }
}

#[cfg(test)]
mod tests;
