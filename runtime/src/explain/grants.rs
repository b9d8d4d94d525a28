//! The parts of a session's selection that grant or deny a tool.

use super::{Denial, Grant};
use crate::availability::selection::pick;
use crate::graph::Pick;
use crate::registration::ids::ToolId;
use crate::session::turn::Turn;
use std::borrow::Cow;

impl Turn {
    /// Returns the parts of the session's selection that grant a tool, and those that deny it.
    pub(crate) fn grants_and_denials(&self, tool: ToolId) -> (Vec<Grant>, Vec<Denial>) {
        let (state, selection) = (self.state(), &self.config().selection);
        let named = |path: Vec<usize>| {
            path.into_iter().map(|set| state.toolsets[set].clone()).collect::<Vec<Cow<'static, str>>>()
        };
        let path = |set| state.graph.path(set, tool.0).map(named);
        let (mut grants, mut denials) = (Vec::new(), Vec::new());
        let is_named = |tools: &[String]| tools.iter().any(|name| name == self.name(tool));
        if selection.is_all() {
            grants.push(Grant::NothingEnabled);
        }
        if is_named(&selection.enabled_tools) {
            grants.push(Grant::Tool);
        }
        if is_named(&selection.disabled_tools) {
            denials.push(Denial::Tool);
        }
        for name in &selection.enabled {
            grants.extend(match pick(state, name) {
                Some(Pick::All) => Some(Grant::All(name.clone().into())),
                Some(Pick::Set(set)) => path(set).map(Grant::Path),
                None => None,
            });
        }
        for name in &selection.disabled {
            denials.extend(match pick(state, name) {
                Some(Pick::All) => Some(Denial::All(name.clone().into())),
                // Disabling a toolset keeps the tools of its base.
                Some(Pick::Set(set)) => match state.graph.sets[set].base {
                    Some(base) if state.graph.path(base, tool.0).is_some() => None,
                    _ => path(set).map(Denial::Disabled),
                },
                None => None,
            });
        }
        if grants.is_empty() {
            denials.extend(selection.enabled.iter().filter_map(|name| {
                let Some(Pick::Set(set)) = pick(state, name) else { return None };
                let (path, by) = state.graph.exclusion(set, tool.0)?;
                Some(Denial::Excluded { path: named(path), by: state.toolsets[by].clone() })
            }));
        }
        (grants, denials)
    }

    /// Returns the names of the toolsets that contain a tool, sorted.
    pub(crate) fn toolsets_with(&self, tool: ToolId) -> Vec<Cow<'static, str>> {
        let state = self.state();
        let contains = |set: usize| state.graph.path(set, tool.0).is_some();
        state.toolsets.iter().enumerate().filter(|(set, _)| contains(*set)).map(|(_, name)| name.clone()).collect()
    }
}
