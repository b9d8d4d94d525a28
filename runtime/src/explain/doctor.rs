//! The doctor: which of a turn's tools are there, what the others lack, what that is for and where to get it.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::{Missing, Need, NeedState};
use crate::availability::HiddenReason;
use crate::data::catalog::Variable;
use crate::session::turn::Turn;

/// What is the matter with each tool that a session grants: see [`Turn::doctor`]. Its `Display` is for a person; as
/// [JSON](crate::ToJson) it has the same names as here. It holds no values of variables.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Doctor {
    /// The tools, by name.
    pub tools: Vec<Diagnosis>,
    /// Toolsets that the session names and that are gone, or hold nothing now: see
    /// [`missing_toolsets`](Turn::missing_toolsets).
    pub missing_toolsets: Vec<Cow<'static, str>>,
    /// The environment variables that are not set and that tools need, by name.
    pub variables: Vec<Lacking>,
}

/// What is the matter with a tool.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Diagnosis {
    /// Its name.
    pub tool: Cow<'static, str>,
    /// Its home toolset.
    pub toolset: Cow<'static, str>,
    /// Whether the model is shown it.
    pub is_shown: bool,
    /// All that it lacks, as far as anybody has looked: handlers are not asked where something else is lacking.
    pub lacks: Vec<HiddenReason>,
    /// What failed just now, and is taken for a flake.
    pub flakes: Vec<Need>,
    /// Why tools are not there that it needs, and those that they need.
    pub missing: Vec<Missing>,
}

/// An environment variable that is not set, what it is for, and where to get it. As its manifest says; where there is
/// none, the texts are empty.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Lacking {
    /// Its name.
    pub name: Cow<'static, str>,
    /// What it is for.
    pub description: Cow<'static, str>,
    /// What to ask a person for it.
    pub prompt: Cow<'static, str>,
    /// Where to get it.
    pub url: Cow<'static, str>,
    /// Whether its value must not be shown.
    pub secret: bool,
    /// The tools that need it, or one of several of which it is one.
    pub tools: Vec<Cow<'static, str>>,
}

impl Turn {
    /// Whether each granted tool is there, what the others lack, what that is for and where to get it. The turn of a session
    /// that enables nothing has every tool of the registry.
    ///
    /// ```
    /// # let registry = toolc::Registry::new();
    /// let doctor = registry.session().build()?.turn(toolc::Dialect::OpenAi).doctor();
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
        for (id, entry) in state.tools.iter().enumerate() {
            let first = hidden.next_if(|(hidden, _)| *hidden == id).map(|(_, reason)| reason);
            if first.is_none() && !self.has(id) {
                continue;
            }
            let needs = self.needs(id);
            let missing = if first.is_some() { self.missing(id, &needs) } else { Vec::new() };
            let (mut lacks, mut flakes) = (Vec::new(), Vec::new());
            for need in needs {
                match need.state {
                    // A toolset and its tool may need the same.
                    NeedState::Unmet(reason) if !lacks.contains(&reason) => lacks.push(reason),
                    NeedState::Flake(_) => flakes.push(need),
                    NeedState::Unmet(_) | NeedState::Met | NeedState::Unasked => {}
                }
            }
            // Such as the dialect, which is nobody's requirement.
            if let Some(first) = first.filter(|first| !lacks.contains(first)) {
                lacks.insert(0, first.clone());
            }
            for name in lacks.iter().filter_map(variables).flatten() {
                let lacking = lacking.entry(name.clone()).or_insert_with(|| self.lacking(name));
                // A tool may need it twice.
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

    /// What a provider says of a variable.
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
