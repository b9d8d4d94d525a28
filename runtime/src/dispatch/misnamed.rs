//! Names that models get wrong in known ways: with a prefix or another decoration, in another case, with `-` instead of `_`, or by an alias that the tool declares.
//!
//! Such a name is corrected only if it is unambiguous: it fits exactly one tool of the registry, and the turn shows this tool. Tools that
//! the turn does not show count, too, so that a call never reaches a tool that the model did not name. Names come before aliases.

use crate::registration::given_name::GivenName;
use crate::registration::ids::ToolId;
use crate::session::turn::Turn;

/// What a misspelled name is corrected to.
#[derive(Clone, Copy)]
enum Corrected {
    Tool(ToolId),
    /// One of the three tools of tool search.
    SearchTool(&'static str),
}

impl Turn {
    /// Finds the tool that the model calls `name`, also if the name must be corrected.
    #[inline]
    pub(crate) fn resolve_name(&self, name: &str) -> Option<ToolId> {
        self.find(name).or_else(|| match self.corrected(name) {
            Some(Corrected::Tool(id)) => Some(id),
            _ => None,
        })
    }

    /// Returns the name of the tool of tool search that the model calls `name`, also if it must be corrected.
    pub(super) fn resolve_search_tool(&self, name: &str) -> Option<&'static str> {
        let exact = self.search_tool_names().iter().find(|tool| **tool == name);
        exact.copied().or_else(|| match self.corrected(name) {
            Some(Corrected::SearchTool(name)) => Some(name),
            _ => None,
        })
    }

    /// Returns what a wrong name is corrected to: the only tool that it means, if the turn shows it.
    #[cold]
    fn corrected(&self, sent: &str) -> Option<Corrected> {
        self.meant(sent).filter(|meant| match meant {
            Corrected::Tool(id) => self.has(*id),
            Corrected::SearchTool(_) => true,
        })
    }

    /// Returns the tool that a name means, also one that the turn does not show.
    pub(super) fn tool_meant(&self, sent: &str) -> Option<ToolId> {
        match self.meant(sent)? {
            Corrected::Tool(id) => Some(id),
            Corrected::SearchTool(_) => None,
        }
    }

    /// Returns the only tool whose name a wrong name fits, or else the only one with an alias that it fits. The time is linear in the
    /// number of tools, which is why an exact name comes first.
    fn meant(&self, sent: &str) -> Option<Corrected> {
        let given = GivenName::new(sent)?;
        let fits = |name: &str| given.fits(name);
        let search = self.search_tool_names().iter().filter(|name| fits(name)).map(|name| Corrected::SearchTool(name));
        let tools = self.state().tool_ids().filter(|&id| fits(self.name(id)) || fits(self.dialect_name(id)));
        let mut named = search.chain(tools.map(Corrected::Tool));
        if let Some(first) = named.next() {
            // The model sees only the name in the dialect.
            let is_shown = |meant: &Corrected| match meant {
                Corrected::Tool(id) => fits(self.dialect_name(*id)),
                Corrected::SearchTool(_) => true,
            };
            return Some(first).filter(|first| named.next().is_none() && is_shown(first));
        }
        self.state().find_by_alias(&given).map(Corrected::Tool)
    }
}

#[cfg(test)]
mod alias_tests;
#[cfg(test)]
mod tests;
