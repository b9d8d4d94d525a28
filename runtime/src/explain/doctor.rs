//! The doctor: a report of a turn's tools, what the hidden ones lack, and what to do about it.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::{Missing, Need, NeedState};
use crate::availability::HiddenReason;
use crate::data::catalog::Variable;
use crate::session::turn::Turn;

/// The doctor's report on each tool that a session grants: see [`Turn::doctor`]. Its `Display` form is for people. Its
/// [JSON](crate::ToJson) form has the names of these fields. It contains no values of variables.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Doctor {
    /// The tools, by name.
    pub tools: Vec<Diagnosis>,
    /// The session's toolsets that no longer exist or are empty: see [`missing_toolsets`](Turn::missing_toolsets).
    pub missing_toolsets: Vec<Cow<'static, str>>,
    /// The environment variables that tools require and that are not set, by name.
    pub variables: Vec<Lacking>,
}

/// The report on one tool.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Diagnosis {
    /// The name.
    pub tool: Cow<'static, str>,
    /// The home toolset.
    pub toolset: Cow<'static, str>,
    /// Whether the tool is shown.
    pub is_shown: bool,
    /// The unmet requirements, as far as they were evaluated: checks do not run if another requirement is not met.
    pub lacks: Vec<HiddenReason>,
    /// Checks that failed just now, and count as flakes.
    pub flakes: Vec<Need>,
    /// Why the tools that it requires are missing, and those that these require.
    pub missing: Vec<Missing>,
}

/// An environment variable that is not set. The texts are those of its manifest; they are empty if it has none.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Lacking {
    /// The name.
    pub name: Cow<'static, str>,
    /// What the variable is for.
    pub description: Cow<'static, str>,
    /// What to ask the user for.
    pub prompt: Cow<'static, str>,
    /// Where to get the value.
    pub url: Cow<'static, str>,
    /// Whether the value must not be shown.
    pub secret: bool,
    /// The tools that require it, alone or as one of several alternatives.
    pub tools: Vec<Cow<'static, str>>,
}

impl Turn {
    /// Reports whether each granted tool is shown, what the hidden ones lack, and where to get it. If the session
    /// enables nothing, these are all tools of the registry.
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
        let mut lacking: BTreeMap<Cow<'static, str>, Lacking> = BTreeMap::new();
        let mut tools = Vec::new();
        for (id, entry) in state.tool_ids().zip(&state.tools) {
            let first = hidden.next_if(|(hidden, _)| *hidden == id).map(|(_, reason)| reason);
            if first.is_none() && !self.has(id) {
                continue;
            }
            let needs = self.needs(id);
            let missing = if first.is_some() { self.missing(id, &needs) } else { Vec::new() };
            let (mut lacks, mut flakes) = (Vec::new(), Vec::new());
            for need in needs {
                match need.state {
                    // A toolset and its tool may have the same requirement.
                    NeedState::Unmet(reason) if !lacks.contains(&reason) => lacks.push(reason),
                    NeedState::Flake(_) => flakes.push(need),
                    NeedState::Unmet(_) | NeedState::Met | NeedState::Unasked => {}
                }
            }
            // For example the dialect, which is not a requirement.
            if let Some(first) = first.filter(|first| !lacks.contains(first)) {
                lacks.insert(0, first.clone());
            }
            for name in lacks.iter().filter_map(variables).flatten() {
                let lacking = lacking.entry(name.clone()).or_insert_with(|| self.lacking(name));
                // A tool may require it twice.
                if lacking.tools.last() != Some(&entry.name) {
                    lacking.tools.push(entry.name.clone());
                }
            }
            let toolset = state.tool(id).toolset.clone();
            tools.push(Diagnosis {
                tool: entry.name.clone(),
                toolset,
                is_shown: first.is_none(),
                lacks,
                flakes,
                missing,
            });
        }
        let missing_toolsets = self.missing_toolsets().map(|name| Cow::from(name.to_owned())).collect();
        Doctor { tools, missing_toolsets, variables: lacking.into_values().collect() }
    }

    /// Returns what a tool provider declares about a variable.
    fn lacking(&self, name: &Cow<'static, str>) -> Lacking {
        let said = self.state().providers.iter().flat_map(|provider| provider.variables());
        let said = said.into_iter().find(|variable| variable.name == *name).cloned().unwrap_or_else(|| Variable {
            name: name.clone(),
            description: Cow::default(),
            prompt: Cow::default(),
            url: Cow::default(),
            secret: true,
        });
        let Variable { name, description, prompt, url, secret } = said;
        Lacking { name, description, prompt, url, secret, tools: Vec::new() }
    }
}

fn variables(reason: &HiddenReason) -> Option<&[Cow<'static, str>]> {
    match reason {
        HiddenReason::Env(names) | HiddenReason::AnyEnv(names) => Some(names),
        _ => None,
    }
}
