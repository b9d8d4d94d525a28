//! The paths by which a session's selection reaches a tool.

use super::{Denial, Grant};
use crate::availability::selection::pick;
use crate::data::graph::Pick;
use crate::registration::ids::ToolId;
use crate::session::turn::Turn;
use std::borrow::Cow;

impl Turn {
    /// Returns what grants a tool, and what removes it.
    pub(crate) fn ways(&self, tool: ToolId) -> (Vec<Grant>, Vec<Denial>) {
        let (state, host) = (self.state(), self.config());
        let named = |path: Vec<usize>| {
            path.into_iter().map(|set| state.toolsets[set].clone()).collect::<Vec<Cow<'static, str>>>()
        };
        let path = |set| state.graph.path(set, tool.0).map(named);
        let (mut grants, mut denials) = (Vec::new(), Vec::new());
        let is_named = |tools: &[String]| tools.iter().any(|name| name == self.name(tool));
        if host.selection.is_all() {
            grants.push(Grant::NothingEnabled);
        }
        if is_named(&host.selection.enabled_tools) {
            grants.push(Grant::Tool);
        }
        if is_named(&host.selection.disabled_tools) {
            denials.push(Denial::Tool);
        }
        for name in &host.selection.enabled {
            grants.extend(match pick(state, name) {
                Some(Pick::All) => Some(Grant::All(name.clone().into())),
                Some(Pick::Set(set)) => path(set).map(Grant::Path),
                None => None,
            });
        }
        for name in &host.selection.disabled {
            denials.extend(match pick(state, name) {
                Some(Pick::All) => Some(Denial::All(name.clone().into())),
                // Disabling a set keeps its base.
                Some(Pick::Set(set)) => match state.graph.sets[set].base {
                    Some(base) if state.graph.path(base, tool.0).is_some() => None,
                    _ => path(set).map(Denial::Disabled),
                },
                None => None,
            });
        }
        if grants.is_empty() {
            denials.extend(host.selection.enabled.iter().filter_map(|name| {
                let Some(Pick::Set(set)) = pick(state, name) else { return None };
                let (path, by) = state.graph.exclusion(set, tool.0)?;
                Some(Denial::Excluded { path: named(path), by: state.toolsets[by].clone() })
            }));
        }
        (grants, denials)
    }

    /// Returns the toolsets that hold a tool.
    pub(crate) fn bringers(&self, tool: ToolId) -> Vec<Cow<'static, str>> {
        let state = self.state();
        let brings = |set: usize| state.graph.path(set, tool.0).is_some();
        state.toolsets.iter().enumerate().filter(|(set, _)| brings(*set)).map(|(_, name)| name.clone()).collect()
    }
}
