//! The doctor: a report on all granted tools, what the hidden ones lack, and the environment variables to set.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::{MissingTool, RequirementState, RequirementStatus};
use crate::availability::HiddenReason;
use crate::data::catalog::Variable;
use crate::data::requirement::Requirement;
use crate::session::turn::Turn;

/// A report on all tools that a session grants: see [`Turn::doctor`]. Its `Display` form is for people. Its
/// [JSON](crate::ToJson) form is an object with the names of these fields. It contains no values of environment variables.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Doctor {
    /// The granted tools, sorted by name.
    pub tools: Vec<Diagnosis>,
    /// The toolsets of the session that no longer exist or are empty: see [`missing_toolsets`](Turn::missing_toolsets).
    pub missing_toolsets: Vec<Cow<'static, str>>,
    /// The environment variables that tools require and that are not set, sorted by name.
    pub variables: Vec<MissingVariable>,
}

/// The report on one granted tool.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Diagnosis {
    /// The tool's own name.
    pub tool: Cow<'static, str>,
    /// The home toolset.
    pub toolset: Cow<'static, str>,
    /// Whether the tool is shown.
    pub is_shown: bool,
    /// Why the tool is hidden: the requirements that are not met. Checks are only included if all other requirements are met,
    /// because otherwise they do not run.
    pub unmet: Vec<HiddenReason>,
    /// The checks that failed just now, but count as flakes.
    pub flakes: Vec<RequirementStatus>,
    /// The tools that are missing for this one, directly or indirectly.
    pub missing: Vec<MissingTool>,
}

/// A required environment variable that is not set. The texts come from its manifest, and are empty if it has no manifest.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct MissingVariable {
    /// The name of the variable.
    pub name: Cow<'static, str>,
    /// What the variable is for.
    pub description: Cow<'static, str>,
    /// What to ask the user for.
    pub prompt: Cow<'static, str>,
    /// A page that explains how to get a value.
    pub url: Cow<'static, str>,
    /// Whether the value is secret. True if the variable has no manifest.
    pub secret: bool,
    /// The tools that require the variable, possibly as one of several alternatives. Sorted by name.
    pub tools: Vec<Cow<'static, str>>,
    /// The other variables that are alternatives to this one for each of the tools: one of them is enough. Empty if a tool requires it.
    pub alternatives: Vec<Cow<'static, str>>,
}

impl Turn {
    /// Reports for each granted tool whether it is shown and what it lacks, and which environment variables to set. For a
    /// session that names no toolset or tool to enable, these are all tools of the registry.
    ///
    /// ```
    /// # let registry = toolc::Registry::new();
    /// let doctor = registry.session().build()?.turn_blocking(toolc::Dialect::OpenAi).doctor();
    /// println!("{doctor}");
    /// for variable in &doctor.variables {
    ///     println!("{}: {}", variable.prompt, variable.url);
    /// }
    /// # Ok::<(), toolc::error::SessionError>(())
    /// ```
    pub fn doctor(&self) -> Doctor {
        let state = self.state();
        let mut hidden = self.hidden_ids().peekable();
        let mut variables: BTreeMap<Cow<'static, str>, MissingVariable> = BTreeMap::new();
        let mut tools = Vec::new();
        for (id, entry) in state.tool_ids().zip(&state.tools) {
            let first = hidden.next_if(|(hidden, _)| *hidden == id).map(|(_, reason)| reason);
            if first.is_none() && !self.has(id) {
                continue;
            }
            let requirements = self.requirement_statuses(id);
            let missing = if first.is_some() { self.missing_tools(id, &requirements) } else { Vec::new() };
            let (mut unmet, mut flakes) = (Vec::new(), Vec::new());
            for requirement in requirements {
                match requirement.state {
                    // A toolset and its tool may have the same requirement.
                    RequirementState::Unmet(reason) if !unmet.contains(&reason) => unmet.push(reason),
                    RequirementState::Flake(_) => flakes.push(requirement),
                    RequirementState::Unmet(_) | RequirementState::Met | RequirementState::NotEvaluated => {}
                }
            }
            // The reason may not be a requirement, for example if the tool has no definition in the dialect.
            if let Some(first) = first.filter(|first| !unmet.contains(first)) {
                unmet.insert(0, first.clone());
            }
            for reason in &unmet {
                let (names, are_alternatives) = required_variables(reason);
                for name in &names {
                    let others = || names.iter().filter(|other| *other != name).map(|other| (*other).clone());
                    let others: Vec<_> = if are_alternatives { others().collect() } else { Vec::new() };
                    let missing = || MissingVariable { alternatives: others.clone(), ..self.missing_variable(name) };
                    let variable = variables.entry((*name).clone()).or_insert_with(missing);
                    // Another tool may require it in any case.
                    variable.alternatives.retain(|other| others.contains(other));
                    // A tool may require a variable twice.
                    if variable.tools.last() != Some(&entry.name) {
                        variable.tools.push(entry.name.clone());
                    }
                }
            }
            let toolset = state.tool(id).toolset.clone();
            tools.push(Diagnosis {
                tool: entry.name.clone(),
                toolset,
                is_shown: first.is_none(),
                unmet,
                flakes,
                missing,
            });
        }
        let missing_toolsets = self.missing_toolsets().map(|name| Cow::from(name.to_owned())).collect();
        Doctor { tools, missing_toolsets, variables: variables.into_values().collect() }
    }

    /// Returns the declaration of a variable, without tools.
    fn missing_variable(&self, name: &str) -> MissingVariable {
        let declared = self.state().providers.iter().flat_map(|provider| provider.variables());
        let declared =
            declared.into_iter().find(|variable| variable.name == name).cloned().unwrap_or_else(|| Variable {
                name: Cow::Owned(name.to_owned()),
                description: Cow::default(),
                prompt: Cow::default(),
                url: Cow::default(),
                secret: true,
            });
        let Variable { name, description, prompt, url, secret } = declared;
        MissingVariable { name, description, prompt, url, secret, tools: Vec::new(), alternatives: Vec::new() }
    }
}

/// Returns the environment variables that a reason is about, and whether one of them is enough.
fn required_variables(reason: &HiddenReason) -> (Vec<&Cow<'static, str>>, bool) {
    match reason {
        HiddenReason::Env(names) => (names.iter().collect(), false),
        HiddenReason::AnyEnv(names) => (names.iter().collect(), names.len() > 1),
        HiddenReason::Any(alternatives) => {
            let variables = alternatives.iter().filter_map(|one| match one {
                Requirement::Env(names) => Some(names),
                _ => None,
            });
            (variables.flatten().collect(), true)
        }
        _ => (Vec::new(), false),
    }
}
