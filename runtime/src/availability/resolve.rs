//! Resolves which of the granted tools are shown. First the environment, the facts and the checks are evaluated. Then
//! tools whose required tools are missing are removed, repeatedly, until the set is stable. Linear in the number of
//! requirements.

use std::borrow::Cow;
use std::ptr;
use std::sync::Arc;

use crate::availability::HiddenReason;
use crate::availability::probe_cache::{
    Expiry, Probe, ProbePolicy, ProbeScope, ProbeStatus, ProbeSubject, VERDICT_TTL,
};
use crate::availability::selection::GrantedTools;
use crate::data::dialect::Dialect;
use crate::data::env::Env;
use crate::registration::atoms::{FactLookup, ResolvedAtom};
use crate::registration::definition_table::DefinitionSlot;
use crate::registration::requirements::{ResolvedRequirement, ResolvedRequirements};
use crate::registration::state::State;
use crate::run::clock::Clock;
use crate::sorted;

/// The tools that a session is granted in one state of a registry, and the results of environment lookups.
pub(crate) struct EnvSnapshot {
    state: Arc<State>,
    /// The granted tools, by position.
    pub(crate) granted: Vec<usize>,
    /// The session's toolsets that do not exist, and those that are empty.
    pub(crate) missing: Arc<[Cow<'static, str>]>,
    /// For each requirement on the environment that a granted tool has: why it is not met.
    closed: Vec<Option<HiddenReason>>,
    until: Expiry,
    /// The change counter at that time: see
    /// [`ProbeCache::changes`](crate::availability::probe_cache::ProbeCache::changes).
    changes: u64,
}

/// The set of tools of a turn.
pub(crate) struct AvailabilityResult {
    /// The tools by position, which is also the order of their names.
    pub(crate) there: Vec<usize>,
    pub(crate) found: TurnInputs,
    /// How long the set is valid if nothing changes.
    pub(crate) until: Expiry,
}

/// The inputs from which a turn was made.
pub(crate) struct TurnInputs {
    /// Granted tools that are hidden, by position, with the reason.
    pub(crate) hidden: Vec<(usize, HiddenReason)>,
    pub(crate) seen: Arc<EnvSnapshot>,
    /// The checks that were run, each with its requirement, by which they are sorted.
    pub(crate) checks: Vec<(usize, ProbeStatus)>,
    /// The clock of the checks.
    pub(crate) clock: Clock,
}

impl EnvSnapshot {
    pub(crate) fn new(state: Arc<State>, granted: GrantedTools, changes: u64, terms: &ProbePolicy<'_>) -> Self {
        let GrantedTools { members, missing } = granted;
        let granted: Vec<usize> = (0..members.len()).filter(|&id| members[id]).collect();
        let gates = &state.gates;
        let mut asked = vec![false; gates.all.len()];
        if !gates.is_empty() {
            granted.iter().flat_map(|&id| &gates.of[id]).for_each(|&gate| asked[gate] = true);
        }
        let now = terms.clock;
        let mut until = Expiry::Never;
        let closed = gates.all.iter().zip(asked).map(|(gate, is_asked)| {
            if is_asked && gate.may_change(terms.env) && until == Expiry::Never {
                // The time before the first lookup.
                until = now.now().and_then(|now| now.checked_add(VERDICT_TTL)).map_or(Expiry::Expired, Expiry::At);
            }
            if is_asked { looked_at(gate, terms.env).err() } else { None }
        });
        let closed = closed.collect();
        Self { state, granted, missing, closed, until, changes }
    }

    /// Returns whether the result is still valid.
    pub(crate) fn holds(&self, changes: u64, terms: &ProbePolicy<'_>) -> bool {
        self.changes == changes && !self.until.is_over(terms.clock)
    }

    /// Returns whether this belongs to `state`.
    pub(crate) fn is_of(&self, state: &State) -> bool {
        ptr::eq(&raw const *self.state, state)
    }

    /// Returns why a requirement on the environment or on facts is not met.
    pub(crate) fn closed(&self, gate: usize, facts: FactLookup<'_>) -> Option<HiddenReason> {
        match &self.state.gates.all[gate] {
            ResolvedRequirement::Facts { condition, asked } if !condition.holds(facts.atoms(asked, &|_| false)) => {
                let mut names = Vec::new();
                for name in asked.iter().filter_map(ResolvedAtom::fact) {
                    sorted::insert(&mut names, name.clone());
                }
                Some(HiddenReason::Facts(names))
            }
            _ => self.closed[gate].clone(),
        }
    }

    /// Decides which of the granted tools are shown.
    pub(crate) fn decide(
        self: &Arc<Self>,
        dialect: Dialect,
        facts: FactLookup<'_>,
        world: &ProbeScope,
        terms: &ProbePolicy<'_>,
    ) -> AvailabilityResult {
        let (state, sheet) = (&self.state, self.state.sheet(dialect));
        let (mut there, mut hidden) = (Vec::with_capacity(self.granted.len()), Vec::new());
        for &id in &self.granted {
            match sheet[id] {
                DefinitionSlot::Absent => hidden.push((id, HiddenReason::Dialect)),
                DefinitionSlot::Static(_) | DefinitionSlot::Pieces { .. } => there.push(id),
            }
        }
        let (mut checks, mut until) = (Vec::new(), self.until);
        if !state.gates.is_empty() {
            let of = |id: usize| state.gates.of[id].iter();
            let closed = |id| of(id).find_map(|&gate| self.closed(gate, facts));
            there.retain(|&id| closed(id).map(|reason| hidden.push((id, reason))).is_none());
            checks = self.ask(&there, world, terms);
            until = checks.iter().map(|(_, standing)| standing.until).fold(until, Expiry::min);
            if !checks.is_empty() {
                let failed = |id| of(id).find_map(|&gate| standing(&checks, gate)?.verdict.clone().err());
                there.retain(|&id| failed(id).map(|reason| hidden.push((id, reason))).is_none());
            }
            leave(&state.gates, &mut there, &mut hidden, state.tools.len());
            hidden = in_order(hidden, state.tools.len());
        }
        AvailabilityResult {
            there,
            found: TurnInputs { hidden, seen: Arc::clone(self), checks, clock: terms.clock.clone() },
            until,
        }
    }

    /// Runs the checks of these tools, each of them once.
    fn ask(&self, tools: &[usize], world: &ProbeScope, terms: &ProbePolicy<'_>) -> Vec<(usize, ProbeStatus)> {
        let gates = &self.state.gates;
        let (mut asked, mut questions) = (Vec::new(), Vec::new());
        for (gate, behind) in gates.behind.iter().enumerate() {
            let ResolvedRequirement::Check { provider } = gates.all[gate] else { continue };
            let Some(&id) = behind.iter().find(|id| tools.binary_search(id).is_ok()) else { continue };
            let own = || ProbeSubject::Tool(self.state.tools[id].index);
            let subject = gates.toolsets[gate].clone().map_or_else(own, ProbeSubject::Toolset);
            questions.push(Probe { provider: &self.state.providers[provider], subject });
            asked.push(gate);
        }
        if asked.is_empty() {
            return Vec::new();
        }
        asked.into_iter().zip(world.ask(&questions, terms)).collect()
    }
}

impl TurnInputs {
    /// Returns the status of a requirement, if it is a check that was run.
    pub(crate) fn standing(&self, gate: usize) -> Option<&ProbeStatus> {
        standing(&self.checks, gate)
    }
}

fn standing(checks: &[(usize, ProbeStatus)], gate: usize) -> Option<&ProbeStatus> {
    let found = checks.binary_search_by_key(&gate, |(gate, _)| *gate);
    found.ok().map(|place| &checks[place].1)
}

/// Returns whether a requirement is met, as far as the environment decides it.
fn looked_at(gate: &ResolvedRequirement, env: &Env) -> Result<(), HiddenReason> {
    let all = |names: &[Cow<'static, str>],
               has: &dyn Fn(&Cow<'static, str>) -> bool,
               reason: fn(Vec<Cow<'static, str>>) -> HiddenReason| {
        let missing: Vec<Cow<'static, str>> = names.iter().filter(|name| !has(name)).cloned().collect();
        if missing.is_empty() { Ok(()) } else { Err(reason(missing)) }
    };
    let one = |names: &[Cow<'static, str>],
               has: &dyn Fn(&Cow<'static, str>) -> bool,
               reason: fn(Vec<Cow<'static, str>>) -> HiddenReason| {
        if names.iter().any(has) { Ok(()) } else { Err(reason(names.to_vec())) }
    };
    let is_set = |name: &Cow<'static, str>| env.var(name).is_some();
    match gate {
        ResolvedRequirement::Env(names) => all(names, &is_set, HiddenReason::Env),
        ResolvedRequirement::AnyEnv(names) => one(names, &is_set, HiddenReason::AnyEnv),
        ResolvedRequirement::Programs(names) => all(names, &|name| env.has_program(name), HiddenReason::Programs),
        ResolvedRequirement::Os(names) => one(names, &|name| name == std::env::consts::OS, HiddenReason::Os),
        // Facts can change at any time, checks run on threads, and the set of tools is not known yet.
        ResolvedRequirement::Facts { .. } | ResolvedRequirement::Check { .. } | ResolvedRequirement::Tools { .. } => {
            Ok(())
        }
    }
}

/// Removes tools whose required tools are missing, then those that require these, and so on.
fn leave(gates: &ResolvedRequirements, tools: &mut Vec<usize>, hidden: &mut Vec<(usize, HiddenReason)>, count: usize) {
    let mut there = vec![false; count];
    for &tool in tools.iter() {
        there[tool] = true;
    }
    let mut spare: Vec<usize> = gates.all.iter().map(|gate| spare(gate, &there)).collect();
    let asks = |gate: &ResolvedRequirement| matches!(gate, ResolvedRequirement::Tools { .. });
    let mut closing: Vec<usize> = (0..spare.len()).filter(|&id| spare[id] == 0 && asks(&gates.all[id])).collect();
    while !closing.is_empty() {
        // Determine all reasons first: tools that are removed in the same step are not reasons for each other.
        let reasons: Vec<HiddenReason> =
            closing.iter().map(|&id| missing(&gates.all[id], &|tool| there[tool])).collect();
        let mut left = Vec::new();
        for (id, reason) in std::mem::take(&mut closing).into_iter().zip(reasons) {
            for &tool in &gates.behind[id] {
                if std::mem::replace(&mut there[tool], false) {
                    hidden.push((tool, reason.clone()));
                    left.push(tool);
                }
            }
        }
        for &gate in left.iter().flat_map(|&tool| &gates.asking[tool]) {
            if spare[gate] > 0 {
                spare[gate] -= 1;
                if spare[gate] == 0 {
                    closing.push(gate);
                }
            }
        }
    }
    tools.retain(|&tool| there[tool]);
}

/// Sorts hidden tools by position.
fn in_order(hidden: Vec<(usize, HiddenReason)>, count: usize) -> Vec<(usize, HiddenReason)> {
    let mut reasons: Vec<Option<HiddenReason>> = (0..count).map(|_| None).collect();
    for (id, reason) in hidden {
        reasons[id] = Some(reason);
    }
    reasons.into_iter().enumerate().filter_map(|(id, reason)| Some((id, reason?))).collect()
}

/// Returns how many more of its tools such a requirement can lose and still be met.
fn spare(gate: &ResolvedRequirement, there: &[bool]) -> usize {
    let ResolvedRequirement::Tools { tools, any } = gate else { return 0 };
    let count = tools.iter().filter(|(_, tool)| tool.is_some_and(|tool| there[tool])).count();
    if *any { count } else { usize::from(count == tools.len()) }
}

/// Returns why such a requirement is not met.
pub(crate) fn missing(gate: &ResolvedRequirement, there: &dyn Fn(usize) -> bool) -> HiddenReason {
    let ResolvedRequirement::Tools { tools, any } = gate else { return HiddenReason::Tools(Vec::new()) };
    let names = |of: &dyn Fn(Option<usize>) -> bool| {
        tools.iter().filter(|(_, tool)| of(*tool)).map(|(name, _)| name.clone()).collect::<Vec<_>>()
    };
    let strange = names(&|tool| tool.is_none());
    if *any {
        HiddenReason::AnyTools(names(&|_| true))
    } else if strange.is_empty() {
        HiddenReason::Tools(names(&|tool| tool.is_some_and(|tool| !there(tool))))
    } else {
        HiddenReason::Unregistered(strange)
    }
}

#[cfg(test)]
mod tests;
