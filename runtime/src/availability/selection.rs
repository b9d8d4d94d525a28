//! The toolsets and tools that a session enables and disables by name, and the tools that this selection grants in a state
//! of the registry.
//!
//! If a toolset is removed from the registry, it grants nothing, and the tools that it denied stay denied. So a removal never
//! makes a selection grant more tools.

use crate::graph::{Graph, Members, Pick};
use crate::registration::EVERYTHING;
use crate::registration::state::RegistrySnapshot;
use std::borrow::Cow;
use std::sync::Arc;

/// The toolsets and single tools that a session enables and disables.
#[derive(Debug, Clone, Default)]
pub(crate) struct ToolSelection {
    pub(crate) enabled: Vec<String>,
    pub(crate) disabled: Vec<String>,
    pub(crate) enabled_tools: Vec<String>,
    pub(crate) disabled_tools: Vec<String>,
}

/// The latest state in which the selection was resolved, and the tools that were denied by toolsets that have been removed.
pub(crate) struct DeniedTools {
    state: Arc<RegistrySnapshot>,
    /// For each disabled toolset: the names of the tools that it denied, if it has been removed.
    tools: Vec<Vec<Cow<'static, str>>>,
}

/// The tools that a selection grants.
#[derive(Default)]
pub(crate) struct GrantedTools {
    pub(crate) members: Members,
    /// The toolsets of the selection that do not exist, and enabled toolsets that are empty.
    pub(crate) missing: Arc<[Cow<'static, str>]>,
}

impl ToolSelection {
    /// Returns the first toolset of the selection that is unknown in `state`.
    pub(crate) fn unknown_toolset(&self, state: &RegistrySnapshot) -> Option<&str> {
        self.names().find(|name| pick(state, name).is_none())
    }

    /// Replaces the names of tools by their own names, so that tools that are registered later do not change what they mean. Returns the
    /// first one that is unknown in `state`.
    pub(crate) fn resolve_tools(&mut self, state: &RegistrySnapshot) -> Result<(), String> {
        for name in self.enabled_tools.iter_mut().chain(&mut self.disabled_tools) {
            let id = state.resolve_name(name).ok_or_else(|| name.clone())?;
            if state[id].name != *name {
                *name = state[id].name.to_string();
            }
        }
        Ok(())
    }

    /// Returns whether no toolset or tool is enabled by name: all of them are granted.
    pub(crate) fn is_all(&self) -> bool {
        self.enabled.is_empty() && self.enabled_tools.is_empty()
    }

    /// Resolves the selection in `state`.
    pub(crate) fn granted(&self, state: &Arc<RegistrySnapshot>, denied: &mut DeniedTools) -> GrantedTools {
        denied.update(&self.disabled, state);
        let graph = &state.graph;
        let disabled: Vec<Pick> = self.disabled.iter().filter_map(|name| pick(state, name)).collect();
        let (mut members, empty) = self.granted_by(state);
        graph.deny(&mut members, &disabled);
        let still_denied = denied.tools.iter().flatten().filter_map(|tool| state.find(tool));
        let denied_by_name = self.disabled_tools.iter().filter_map(|tool| state.find(tool));
        still_denied.chain(denied_by_name).for_each(|tool| members[tool.0] = false);
        let removed = self.names().filter(|name| pick(state, name).is_none());
        let missing = removed.chain(empty).map(|name| Cow::from(name.to_owned())).collect();
        GrantedTools { members, missing }
    }

    /// Returns the tools of all enabled toolsets, and the toolsets that are empty.
    fn granted_by<'c>(&'c self, state: &RegistrySnapshot) -> (Members, Vec<&'c str>) {
        let Graph { tools, .. } = state.graph;
        // A selection that enables nothing grants all tools, but not one whose enabled toolsets have all been removed.
        if self.is_all() {
            return (vec![true; tools], Vec::new());
        }
        let (mut members, mut empty) = (vec![false; tools], Vec::new());
        for name in &self.enabled {
            match pick(state, name) {
                Some(Pick::All) => members.fill(true),
                Some(Pick::Set(set)) => {
                    let more = state.graph.resolve(set);
                    if !more.contains(&true) {
                        empty.push(name.as_str());
                    }
                    members.iter_mut().zip(more).for_each(|(member, new)| *member |= new);
                }
                None => {}
            }
        }
        for tool in self.enabled_tools.iter().filter_map(|tool| state.find(tool)) {
            members[tool.0] = true;
        }
        (members, empty)
    }

    fn names(&self) -> impl Iterator<Item = &str> {
        self.enabled.iter().chain(&self.disabled).map(String::as_str)
    }
}

impl DeniedTools {
    /// Returns the initial value for a selection that is valid in `state`.
    pub(crate) fn new(state: Arc<RegistrySnapshot>) -> Self {
        Self { state, tools: Vec::new() }
    }

    /// Switches to `state`, and remembers the tools that were denied by toolsets that have been removed.
    fn update(&mut self, disabled: &[String], state: &Arc<RegistrySnapshot>) {
        self.tools.resize_with(disabled.len(), Vec::new);
        for (name, tools) in disabled.iter().zip(&mut self.tools) {
            if pick(state, name).is_some() {
                tools.clear();
            } else if let Some(pick) = pick(&self.state, name) {
                let mut kept = vec![true; self.state.tools.len()];
                self.state.graph.deny(&mut kept, &[pick]);
                let denied = self.state.tools.iter().zip(kept).filter(|(_, kept)| !kept);
                *tools = denied.map(|(tool, _)| tool.name.clone()).collect();
            }
        }
        self.state = Arc::clone(state);
    }
}

/// Returns the tools that a name of a toolset selects, or `None` if the name is unknown.
pub(crate) fn pick(state: &RegistrySnapshot, name: &str) -> Option<Pick> {
    if EVERYTHING.contains(&name) {
        return Some(Pick::All);
    }
    state.toolset(name).map(|id| Pick::Set(id.0))
}

#[cfg(test)]
mod tests {
    use crate::data::catalog::Toolset;
    use crate::data::dialect::Dialect;
    use crate::env::Env;
    use crate::explain::{Denial, Grant, Status};
    use crate::fakes::{Fake, tool};
    use crate::registry::Registry;
    use crate::session::SessionBuilder;

    fn registry() -> Registry {
        let core = Toolset { name: "core".into(), tools: vec!["read".into(), "run".into()], ..Toolset::default() };
        Fake::new([tool("read", "file", &[]), tool("run", "shell", &[]), tool("write", "file", &[])])
            .toolset(core)
            .registry()
    }

    fn tools(session: SessionBuilder) -> Vec<String> {
        let turn = session.env(Env::empty()).build().unwrap().turn_blocking(Dialect::OpenAi);
        turn.tools().map(str::to_owned).collect()
    }

    #[test]
    fn enabled_tools_are_granted_in_addition_to_toolsets() {
        assert_eq!(tools(registry().session().enable(["core"]).enable_tools(["write"])), ["read", "run", "write"]);
        assert_eq!(tools(registry().session().enable_tools(["write"])), ["write"]);
    }

    #[test]
    fn disabling_wins_over_enabling() {
        let session = || registry().session().enable(["core"]).enable_tools(["write"]);
        assert_eq!(tools(session().disable_tools(["write", "run"])), ["read"]);
        assert_eq!(tools(session().disable(["file"])), ["run"]);
        assert_eq!(tools(registry().session().disable_tools(["run"])), ["read", "write"]);
    }

    #[test]
    fn tools_are_selected_by_the_names_and_aliases_that_a_call_may_use() {
        let cat = tool("read", "file", &[]).with_aliases(["cat", "file_read"]);
        let both = [tool("run", "shell", &[]).with_aliases(["sh"]), tool("ask", "shell", &[]).with_aliases(["sh"])];
        let registry = Fake::new([cat].into_iter().chain(both)).registry();
        for name in ["read", "Read", "cat", "CAT", "file-read", "functions.cat"] {
            assert_eq!(tools(registry.session().disable_tools([name])), ["ask", "run"], "{name}");
            assert_eq!(tools(registry.session().enable_tools([name])), ["read"], "{name}");
            assert_eq!(registry.tool_called(name).unwrap().name, "read", "{name}");
        }
        for name in ["sh", "rea", "reads", ""] {
            assert!(registry.session().disable_tools([name]).build().is_err(), "{name}");
            assert!(registry.tool_called(name).is_none(), "{name}");
        }
    }

    #[test]
    fn a_tool_that_was_disabled_by_an_alias_stays_disabled_if_another_tool_gets_the_alias() {
        let registry = Fake::new([tool("read", "file", &[]).with_aliases(["cat"])]).registry();
        let session = registry.session().env(Env::empty()).disable_tools(["cat"]).build().unwrap();
        registry.add(Box::new(Fake::new([tool("show", "home", &[]).with_aliases(["cat"])]))).unwrap();
        assert_eq!(session.turn_blocking(Dialect::OpenAi).tools().collect::<Vec<_>>(), ["show"]);
    }

    #[test]
    fn an_unknown_tool_is_an_error_with_a_suggestion() {
        for session in [registry().session().enable_tools(["wriet"]), registry().session().disable_tools(["wriet"])] {
            assert_eq!(session.build().unwrap_err().to_string(), "unknown tool `wriet`: did you mean `write`?");
        }
    }

    #[test]
    fn a_disabled_tool_stays_disabled_when_it_is_registered_again() {
        let registry = registry();
        let provider = || Box::new(Fake::new([tool("zap", "home", &[])]));
        let id = registry.add(provider()).unwrap();
        let session = registry.session().env(Env::empty()).disable_tools(["zap"]).build().unwrap();
        for _ in 0..2 {
            assert_eq!(session.turn_blocking(Dialect::OpenAi).tools().collect::<Vec<_>>(), ["read", "run", "write"]);
            registry.remove(id);
        }
        registry.add(provider()).unwrap();
        assert_eq!(session.turn_blocking(Dialect::OpenAi).tools().collect::<Vec<_>>(), ["read", "run", "write"]);
    }

    #[test]
    fn grants_and_denials_by_name_are_explained() {
        let session = registry().session().env(Env::empty()).enable_tools(["read", "write"]).disable_tools(["write"]);
        let turn = session.build().unwrap().turn_blocking(Dialect::OpenAi);
        assert_eq!(turn.why("read").unwrap().to_string(), "`read` is shown\n    granted: by its name");
        let (read, write) = (turn.why("read").unwrap(), turn.why("write").unwrap());
        assert_eq!((read.status, &read.grants[..]), (Status::Shown, &[Grant::Tool][..]));
        assert_eq!((write.status, &write.denials[..]), (Status::Disabled, &[Denial::Tool][..]));
    }
}
