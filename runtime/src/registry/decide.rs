//! Which of the granted tools are there: the environment, the facts and the handlers are asked first, and then those
//! tools leave whose tools are not there, until no more do. Linear in the requirements.

use std::ptr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::graph::Members;
use crate::registry::State;
use crate::registry::facts::{Asked, Facts};
use crate::registry::gates::{Gate, Gates};
use crate::registry::sheet::Line;
use crate::run::panics;
use crate::run::panics::Panicked;
use crate::{Availability, Check, Dialect, Env, Reason, Text};

/// How long an answer of the environment or of handlers is believed.
const BELIEVED: Duration = Duration::from_secs(30);

/// What a session is granted of one state of a registry, and what the environment and the handlers said last of that.
pub(crate) struct Verdicts {
    state: Arc<State>,
    /// By position.
    granted: Vec<usize>,
    /// Whether anybody was asked who may change their mind.
    asked: bool,
    /// When the first of them was. None: there is no clock, or nobody was.
    since: Option<Instant>,
    /// For each gate, whether it was open.
    of: Vec<Option<Result<(), Reason>>>,
}

/// What is asked.
pub(crate) struct World<'a> {
    pub(crate) env: &'a Env,
    pub(crate) facts: Facts<'a>,
    pub(crate) clock: fn() -> Option<Instant>,
}

/// The set that a turn is made of.
pub(crate) struct Decided {
    /// Tools by position, which is by name.
    pub(crate) there: Vec<usize>,
    /// Granted tools that are not there, by position, and why.
    pub(crate) hidden: Vec<(usize, Reason)>,
}

impl Verdicts {
    pub(crate) fn new(state: Arc<State>, members: &Members) -> Self {
        let of = vec![None; state.gates.all.len()];
        let mut granted = Vec::with_capacity(members.len());
        granted.extend((0..members.len()).filter(|&id| members[id]));
        Self { state, granted, asked: false, since: None, of }
    }

    /// Whether these are of `state`, and still believed.
    pub(crate) fn hold(&self, state: &State, clock: fn() -> Option<Instant>) -> bool {
        let is_young = |since| clock().is_some_and(|now| now.saturating_duration_since(since) < BELIEVED);
        ptr::eq(&raw const *self.state, state) && (!self.asked || self.since.is_some_and(is_young))
    }

    /// Which of the granted tools are there.
    pub(crate) fn decide(&mut self, dialect: Dialect, world: &World<'_>) -> Decided {
        let state = Arc::clone(&self.state);
        let sheet = state.sheet(dialect);
        let (mut there, mut hidden) = (Vec::with_capacity(self.granted.len()), Vec::new());
        for &id in &self.granted {
            match sheet.get(id) {
                None | Some(Line::Absent) => hidden.push((id, Reason::Dialect)),
                Some(Line::Static(_) | Line::Pieces { .. }) => there.push(id),
            }
        }
        if !state.gates.is_empty() {
            let mut members = vec![false; state.tools.len()];
            for &id in &there {
                members[id] = true;
            }
            self.shut(&state, &mut members, &mut hidden, world);
            there.retain(|&id| members[id]);
            hidden.sort_unstable_by_key(|(id, _)| *id);
        }
        Decided { there, hidden }
    }

    /// Takes those out of `there` whose gates are closed.
    fn shut(&mut self, state: &State, there: &mut Members, hidden: &mut Vec<(usize, Reason)>, world: &World<'_>) {
        // Facts are told anew at any time.
        for (gate, verdict) in state.gates.all.iter().zip(&mut self.of) {
            if let Gate::Facts { .. } = gate {
                *verdict = None;
            }
        }
        for (id, there) in there.iter_mut().enumerate().filter(|(_, there)| **there) {
            let mut gates = state.gates.of[id].iter();
            if let Some(reason) = gates.find_map(|&gate| self.closed(state, gate, id, world)) {
                *there = false;
                hidden.push((id, reason));
            }
        }
        leave(&state.gates, there, hidden);
    }

    /// Why this gate, which `tool` has to pass, is closed, if it is. It is looked at once.
    fn closed(&mut self, state: &State, gate: usize, tool: usize, world: &World<'_>) -> Option<Reason> {
        if self.of[gate].is_none() {
            let asked = &state.gates.all[gate];
            let may_change = matches!(asked, Gate::Env(_) | Gate::AnyEnv(_) | Gate::Programs(_) | Gate::Check { .. });
            if may_change && !std::mem::replace(&mut self.asked, true) {
                self.since = (world.clock)();
            }
            self.of[gate] = Some(ask(state, asked, tool, world));
        }
        self.of[gate].clone()?.err()
    }
}

fn ask(state: &State, gate: &Gate, tool: usize, world: &World<'_>) -> Result<(), Reason> {
    let World { env, facts, .. } = world;
    let all = |names: &[Text], has: &dyn Fn(&Text) -> bool, reason: fn(Vec<Text>) -> Reason| {
        let missing: Vec<Text> = names.iter().filter(|name| !has(name)).cloned().collect();
        if missing.is_empty() { Ok(()) } else { Err(reason(missing)) }
    };
    let one = |names: &[Text], has: &dyn Fn(&Text) -> bool, reason: fn(Vec<Text>) -> Reason| {
        if names.iter().any(has) { Ok(()) } else { Err(reason(names.to_vec())) }
    };
    let is_set = |name: &Text| env.var(name).is_some();
    match gate {
        Gate::Env(names) => all(names, &is_set, Reason::Env),
        Gate::AnyEnv(names) => one(names, &is_set, Reason::AnyEnv),
        Gate::Programs(names) => all(names, &|name| env.has_program(name), Reason::Programs),
        Gate::Os(names) => one(names, &|name| name == std::env::consts::OS, Reason::Os),
        Gate::Facts { condition, asked } => {
            if condition.holds(facts.atoms(asked, |_| false)) {
                return Ok(());
            }
            let mut names: Vec<Text> = asked.iter().filter_map(Asked::fact).cloned().collect();
            names.sort_unstable();
            names.dedup();
            Err(Reason::Facts(names))
        }
        Gate::Check { provider, toolset } => {
            let check = match toolset {
                Some(name) => Check::Toolset(name),
                None => Check::Tool(state.tools[tool].index),
            };
            match panics::caught(|| state.providers[*provider].available(check, env)) {
                Ok(Availability::Available) => Ok(()),
                Ok(Availability::Unavailable(reason)) => Err(Reason::Check(reason)),
                Err(Panicked(message)) => {
                    Err(Reason::Check(format!("its check failed unexpectedly: {message}").into()))
                }
            }
        }
        // Those are for later: which tools are there is not known yet.
        Gate::Tools { .. } => Ok(()),
    }
}

/// Takes out those whose tools are not there, then those who asked for them, and so on.
fn leave(gates: &Gates, there: &mut [bool], hidden: &mut Vec<(usize, Reason)>) {
    // How many more of its tools a gate can lose until it closes.
    let mut spare: Vec<usize> = gates.all.iter().map(|gate| spare(gate, there)).collect();
    let asks = |gate: &Gate| matches!(gate, Gate::Tools { .. });
    let mut closing: Vec<usize> = (0..spare.len()).filter(|&id| spare[id] == 0 && asks(&gates.all[id])).collect();
    while !closing.is_empty() {
        // The reasons first: what leaves together with a tool is not why it leaves.
        let reasons: Vec<Reason> = closing.iter().map(|&id| missing(&gates.all[id], there)).collect();
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
}

fn spare(gate: &Gate, there: &[bool]) -> usize {
    let Gate::Tools { tools, any } = gate else { return 0 };
    let count = tools.iter().filter(|(_, tool)| tool.is_some_and(|tool| there[tool])).count();
    if *any { count } else { usize::from(count == tools.len()) }
}

fn missing(gate: &Gate, there: &[bool]) -> Reason {
    let Gate::Tools { tools, any } = gate else { return Reason::Tools(Vec::new()) };
    let names = |of: &dyn Fn(Option<usize>) -> bool| {
        tools.iter().filter(|(_, tool)| of(*tool)).map(|(name, _)| name.clone()).collect::<Vec<_>>()
    };
    let strange = names(&|tool| tool.is_none());
    if *any {
        Reason::AnyTools(names(&|_| true))
    } else if strange.is_empty() {
        Reason::Tools(names(&|tool| tool.is_some_and(|tool| !there[tool])))
    } else {
        Reason::Unregistered(strange)
    }
}

#[cfg(test)]
mod tests;
