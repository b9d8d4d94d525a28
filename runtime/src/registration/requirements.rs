//! The requirements of a state's tools, with all names resolved to ids.

use std::borrow::Cow;
use std::ops::Index;

use crate::data::catalog::{Tool, Toolset};
use crate::data::requirement::Requirement;
use crate::data::segment::{Atom, Comparison, Condition, FactValue};
use crate::env::Env;
use crate::registration::atoms::ResolvedAtom;
use crate::registration::ids::{NameLookup, ProviderIndex, RequirementId, ToolId, ToolsetId};

/// The requirements of all tools of a state.
#[derive(Default)]
pub(crate) struct ResolvedRequirements {
    all: Vec<ResolvedRequirement>,
    /// For each requirement, the toolset that declares it, or `None` if a tool does.
    toolsets: Vec<Option<Cow<'static, str>>>,
    /// For each tool, its requirements, in the order in which they are evaluated.
    by_tool: Vec<Vec<RequirementId>>,
    /// For each requirement, the tools that have it.
    dependents: Vec<Vec<ToolId>>,
    /// For each tool, the requirements that name it.
    naming: Vec<Vec<RequirementId>>,
}

type Names = Vec<Cow<'static, str>>;

/// A requirement with resolved names. All home tools of a toolset share the toolset's requirements.
pub(crate) enum ResolvedRequirement {
    Env(Names),
    AnyEnv(Names),
    Programs(Names),
    Os(Names),
    Facts {
        condition: Condition,
        atoms: Vec<ResolvedAtom>,
    },
    /// Alternatives on the environment or on facts.
    Any(Vec<ResolvedRequirement>),
    /// A check, which this tool provider runs.
    Check {
        provider: ProviderIndex,
    },
    /// Each tool with its id, or `None` if no tool provider has it.
    Tools {
        tools: Vec<(Cow<'static, str>, Option<ToolId>)>,
        any: bool,
    },
}

impl ResolvedRequirement {
    /// Returns whether the environment decides the requirement, and the result may change over time. The variables of a custom
    /// environment do not change.
    pub(crate) fn may_change(&self, env: &Env) -> bool {
        match self {
            ResolvedRequirement::Env(_) | ResolvedRequirement::AnyEnv(_) => !env.is_closed(),
            ResolvedRequirement::Programs(_) => true,
            ResolvedRequirement::Any(alternatives) => alternatives.iter().any(|one| one.may_change(env)),
            ResolvedRequirement::Os(_)
            | ResolvedRequirement::Facts { .. }
            | ResolvedRequirement::Check { .. }
            | ResolvedRequirement::Tools { .. } => false,
        }
    }
}

impl ResolvedRequirement {
    fn new(requirement: &Requirement, lookup: &dyn NameLookup, provider: ProviderIndex) -> Self {
        let find = |name: &Cow<'static, str>| (name.clone(), lookup.find(name));
        match requirement {
            Requirement::Env(names) => Self::Env(names.clone()),
            Requirement::AnyEnv(names) => Self::AnyEnv(names.clone()),
            Requirement::Programs(names) => Self::Programs(names.clone()),
            Requirement::Os(names) => Self::Os(names.clone()),
            Requirement::When { condition, atoms } => Self::Facts {
                condition: condition.clone(),
                atoms: atoms.iter().map(|atom| ResolvedAtom::new(atom, lookup)).collect(),
            },
            Requirement::Any(alternatives) => {
                Self::Any(alternatives.iter().map(|one| Self::new(one, lookup, provider)).collect())
            }
            Requirement::Check => Self::Check { provider },
            Requirement::Tools(names) => Self::Tools { tools: names.iter().map(find).collect(), any: false },
            Requirement::AnyTools(names) => Self::Tools { tools: names.iter().map(find).collect(), any: true },
        }
    }

    /// Returns the requirement from which this one was made.
    pub(crate) fn declared(&self) -> Requirement {
        match self {
            Self::Env(names) => Requirement::Env(names.clone()),
            Self::AnyEnv(names) => Requirement::AnyEnv(names.clone()),
            Self::Programs(names) => Requirement::Programs(names.clone()),
            Self::Os(names) => Requirement::Os(names.clone()),
            Self::Facts { condition, atoms } => {
                let atom = |atom: &ResolvedAtom| match atom {
                    ResolvedAtom::Fact(name, Comparison::Equal, FactValue::Boolean(true)) => Atom::Fact(name.clone()),
                    ResolvedAtom::Fact(name, comparison, with) => {
                        Atom::Compared(name.clone(), *comparison, with.clone())
                    }
                    // Cannot happen: the compiler allows only facts here.
                    ResolvedAtom::Tool(_) => Atom::Tool("?".into()),
                };
                Requirement::When { condition: condition.clone(), atoms: atoms.iter().map(atom).collect() }
            }
            Self::Any(alternatives) => Requirement::Any(alternatives.iter().map(Self::declared).collect()),
            Self::Check { .. } => Requirement::Check,
            Self::Tools { tools, any } => {
                let names = tools.iter().map(|(name, _)| name.clone()).collect();
                if *any { Requirement::AnyTools(names) } else { Requirement::Tools(names) }
            }
        }
    }
}

impl ResolvedRequirements {
    /// Resolves the requirements of the tools of a state, which are given in order, each with its tool provider and its home
    /// toolset, one of `toolset_count`. `declared` has all declared toolsets with their tool provider.
    pub(crate) fn new(
        names: &dyn NameLookup,
        tools: &[(&Tool, ProviderIndex, ToolsetId)],
        toolset_count: usize,
        declared: &[(ProviderIndex, &Toolset)],
    ) -> Self {
        let mut homes: Vec<HomeRequirements<'_>> = (0..toolset_count).map(|_| HomeRequirements::default()).collect();
        for &(provider, toolset) in declared.iter().filter(|(_, toolset)| !toolset.requires.is_empty()) {
            let Some(ToolsetId(id)) = names.toolset(&toolset.name) else { continue };
            homes[id].toolset = Some(toolset);
            homes[id].checks.push((provider, None));
        }
        let count = tools.len();
        if homes.iter().all(|home| home.toolset.is_none()) && tools.iter().all(|(tool, ..)| tool.requires.is_empty()) {
            return Self::default();
        }
        let mut resolved =
            Self { by_tool: vec![Vec::new(); count], naming: vec![Vec::new(); count], ..Self::default() };
        for (position, &(tool, owner, home)) in tools.iter().enumerate() {
            let id = ToolId(position);
            let home = &mut homes[home.0];
            let mut own = Vec::new();
            // Checks are evaluated last, because they may use what the other requirements ensure, for example an API key.
            for checks in [false, true] {
                own.extend_from_slice(home.resolve(&mut resolved, names, owner, checks));
                for requirement in tool.requires.iter().filter(|requirement| is_check(requirement) == checks) {
                    own.push(resolved.add(names, requirement, owner, None));
                }
            }
            for requirement in &own {
                resolved.dependents[requirement.0].push(id);
            }
            resolved.by_tool[id.0] = own;
        }
        resolved
    }

    /// Returns whether no tool has a requirement.
    pub(crate) fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Returns the number of requirements.
    pub(crate) fn len(&self) -> usize {
        self.all.len()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (RequirementId, &ResolvedRequirement)> {
        self.all.iter().enumerate().map(|(id, requirement)| (RequirementId(id), requirement))
    }

    /// Returns the requirements of a tool, in the order in which they are evaluated.
    pub(crate) fn for_tool(&self, tool: ToolId) -> &[RequirementId] {
        &self.by_tool[tool.0]
    }

    /// Returns the toolset that declares a requirement, or `None` if a tool does.
    pub(crate) fn toolset(&self, id: RequirementId) -> Option<&Cow<'static, str>> {
        self.toolsets[id.0].as_ref()
    }

    /// Returns the tools that have a requirement.
    pub(crate) fn dependents(&self, id: RequirementId) -> &[ToolId] {
        &self.dependents[id.0]
    }

    /// Returns the requirements that name a tool.
    pub(crate) fn naming(&self, tool: ToolId) -> &[RequirementId] {
        &self.naming[tool.0]
    }

    fn add(
        &mut self,
        names: &dyn NameLookup,
        requirement: &Requirement,
        provider: ProviderIndex,
        toolset: Option<Cow<'static, str>>,
    ) -> RequirementId {
        let resolved = ResolvedRequirement::new(requirement, names, provider);
        let id = RequirementId(self.all.len());
        if let ResolvedRequirement::Tools { tools, .. } = &resolved {
            for tool in tools.iter().filter_map(|(_, tool)| *tool) {
                self.naming[tool.0].push(id);
            }
        }
        self.all.push(resolved);
        self.toolsets.push(toolset);
        self.dependents.push(Vec::new());
        id
    }
}

impl Index<RequirementId> for ResolvedRequirements {
    type Output = ResolvedRequirement;

    fn index(&self, id: RequirementId) -> &ResolvedRequirement {
        &self.all[id.0]
    }
}

/// The requirements of a toolset, which its home tools share.
#[derive(Default)]
struct HomeRequirements<'s> {
    /// The toolset, or `None` if it has no requirements.
    toolset: Option<&'s Toolset>,
    /// The resolved requirements without checks, or `None` before they are resolved.
    data: Option<Vec<RequirementId>>,
    /// The tool providers that declare the toolset, in order, each with its resolved checks, or `None` before they are
    /// resolved.
    checks: Vec<(ProviderIndex, Option<Vec<RequirementId>>)>,
}

impl HomeRequirements<'_> {
    /// Returns the checks, or the other requirements, for a tool of the tool provider `owner`.
    fn resolve(
        &mut self,
        resolved: &mut ResolvedRequirements,
        names: &dyn NameLookup,
        owner: ProviderIndex,
        checks: bool,
    ) -> &[RequirementId] {
        let Some(toolset) = self.toolset else { return &[] };
        // The tool's own provider runs the checks if it declares the toolset, otherwise the first provider that does.
        let answering = self.checks.binary_search_by_key(&owner, |(provider, _)| *provider).unwrap_or(0);
        let (provider, of_provider) = &mut self.checks[answering];
        let ids = if checks { of_provider } else { &mut self.data };
        ids.get_or_insert_with(|| {
            let requirements = toolset.requires.iter().filter(|requirement| is_check(requirement) == checks);
            let name = || Some(toolset.name.clone());
            requirements.map(|requirement| resolved.add(names, requirement, *provider, name())).collect()
        })
    }
}

fn is_check(requirement: &Requirement) -> bool {
    matches!(requirement, Requirement::Check)
}
