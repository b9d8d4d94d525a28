//! Resolved requirements: every requirement of a registry's tools, resolved once, at registration.

use crate::data::catalog::{Tool, Toolset};
use crate::data::env::Env;
use crate::data::requirement::Requirement;
use crate::data::segment::Condition;
use crate::registration::atoms::ResolvedAtom;
use crate::registration::state::State;
use crate::registration::state::ToolEntry;
use std::borrow::Cow;

/// The resolved requirements of a registry's tools. Tools and requirements are identified by their positions.
#[derive(Default)]
pub(crate) struct ResolvedRequirements {
    pub(crate) all: Vec<ResolvedRequirement>,
    /// For each requirement, the toolset that declares it, or `None` if a tool does.
    pub(crate) toolsets: Vec<Option<Cow<'static, str>>>,
    /// For each tool, its requirements, in the order in which they are evaluated.
    pub(crate) of: Vec<Vec<usize>>,
    /// For each requirement, the tools that have it.
    pub(crate) behind: Vec<Vec<usize>>,
    /// For each tool, the requirements that refer to it.
    pub(crate) asking: Vec<Vec<usize>>,
}

type Names = Vec<Cow<'static, str>>;

/// A resolved requirement. A toolset's requirement is shared by all its home tools.
pub(crate) enum ResolvedRequirement {
    Env(Names),
    AnyEnv(Names),
    Programs(Names),
    Os(Names),
    Facts {
        condition: Condition,
        asked: Vec<ResolvedAtom>,
    },
    /// The provider that answers for the toolset, or else for the only tool with this requirement.
    Check {
        provider: usize,
    },
    /// Each tool with its position, if it is registered.
    Tools {
        tools: Vec<(Cow<'static, str>, Option<usize>)>,
        any: bool,
    },
}

impl ResolvedRequirement {
    /// Returns whether the requirement can change by itself: variables of an environment that was made by hand do not.
    pub(crate) fn may_change(&self, env: &Env) -> bool {
        match self {
            ResolvedRequirement::Env(_) | ResolvedRequirement::AnyEnv(_) => !env.is_closed(),
            ResolvedRequirement::Programs(_) => true,
            ResolvedRequirement::Os(_)
            | ResolvedRequirement::Facts { .. }
            | ResolvedRequirement::Check { .. }
            | ResolvedRequirement::Tools { .. } => false,
        }
    }
}

impl ResolvedRequirements {
    /// Resolves the requirements of the tools of `state` and of the declared toolsets, each with its provider.
    pub(crate) fn new(state: &State, tools: &[&Tool], declared: &[(usize, &Toolset)]) -> Self {
        let mut homes: Vec<Home<'_>> = state.toolsets.iter().map(|_| Home::default()).collect();
        for &(provider, toolset) in declared.iter().filter(|(_, toolset)| !toolset.requires.is_empty()) {
            let Some(id) = state.toolset(&toolset.name) else { continue };
            homes[id].toolset = Some(toolset);
            homes[id].declaring.push((provider, None));
        }
        let count = tools.len();
        if homes.iter().all(|home| home.toolset.is_none()) && tools.iter().all(|tool| tool.requires.is_empty()) {
            return Self::default();
        }
        let mut gates = Self { of: vec![Vec::new(); count], asking: vec![Vec::new(); count], ..Self::default() };
        for (id, tool) in tools.iter().enumerate() {
            let ToolEntry { provider: owner, home, .. } = state.tools[id];
            let mut passed = Vec::new();
            // Requirements that are data come first: no check runs for a tool without its key.
            for check in [false, true] {
                passed.extend_from_slice(homes[home].gates(&mut gates, state, owner, check));
                for requirement in tool.requires.iter().filter(|requirement| is_check(requirement) == check) {
                    passed.push(gates.add(state, requirement, owner, None));
                }
            }
            for &gate in &passed {
                gates.behind[gate].push(id);
            }
            gates.of[id] = passed;
        }
        gates
    }

    /// Returns whether there are no requirements, so that every granted tool is shown.
    pub(crate) fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    fn add(
        &mut self,
        state: &State,
        requirement: &Requirement,
        provider: usize,
        toolset: Option<Cow<'static, str>>,
    ) -> usize {
        let find = |name: &Cow<'static, str>| (name.clone(), state.find(name));
        let gate = match requirement {
            Requirement::Env(names) => ResolvedRequirement::Env(names.clone()),
            Requirement::AnyEnv(names) => ResolvedRequirement::AnyEnv(names.clone()),
            Requirement::Programs(names) => ResolvedRequirement::Programs(names.clone()),
            Requirement::Os(names) => ResolvedRequirement::Os(names.clone()),
            Requirement::When { condition, atoms } => ResolvedRequirement::Facts {
                condition: condition.clone(),
                asked: atoms.iter().map(|atom| ResolvedAtom::new(atom, state)).collect(),
            },
            Requirement::Check => ResolvedRequirement::Check { provider },
            Requirement::Tools(names) => {
                ResolvedRequirement::Tools { tools: names.iter().map(find).collect(), any: false }
            }
            Requirement::AnyTools(names) => {
                ResolvedRequirement::Tools { tools: names.iter().map(find).collect(), any: true }
            }
        };
        let id = self.all.len();
        if let ResolvedRequirement::Tools { tools, .. } = &gate {
            tools.iter().filter_map(|&(_, tool)| tool).for_each(|tool| self.asking[tool].push(id));
        }
        self.all.push(gate);
        self.toolsets.push(toolset);
        self.behind.push(Vec::new());
        id
    }
}

/// A toolset with requirements, which its home tools share.
#[derive(Default)]
struct Home<'s> {
    /// The toolset, or `None` if it is not declared.
    toolset: Option<&'s Toolset>,
    /// Its requirements without checks, once they are resolved.
    data: Option<Vec<usize>>,
    /// The providers that declare it, in order, each with its checks, once they are resolved.
    declaring: Vec<(usize, Option<Vec<usize>>)>,
}

impl Home<'_> {
    /// Returns its checks, or its other requirements, for a tool of the provider `owner`.
    fn gates(&mut self, gates: &mut ResolvedRequirements, state: &State, owner: usize, check: bool) -> &[usize] {
        let Some(toolset) = self.toolset else { return &[] };
        // The tool's own provider answers if it declares the toolset, otherwise the first that does.
        let knowing = self.declaring.binary_search_by_key(&owner, |(provider, _)| *provider).unwrap_or(0);
        let (asked, checks) = &mut self.declaring[knowing];
        let made = if check { checks } else { &mut self.data };
        made.get_or_insert_with(|| {
            let requirements = toolset.requires.iter().filter(|requirement| is_check(requirement) == check);
            requirements.map(|requirement| gates.add(state, requirement, *asked, Some(toolset.name.clone()))).collect()
        })
    }
}

fn is_check(requirement: &Requirement) -> bool {
    matches!(requirement, Requirement::Check)
}
