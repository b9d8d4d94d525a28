//! Names that models get wrong in known ways: with a prefix, in another case, with `-` instead of `_`, or by an alias that the tool declares.
//!
//! Such a name is corrected only if it is unambiguous: it fits exactly one tool of the registry, and the turn shows this tool. Tools that
//! the turn does not show count, too, so that a call never reaches a tool that the model did not name. Names come before aliases.

use crate::registration::ids::ToolId;
use crate::session::turn::Turn;
use crate::text::names::same_spelling;

/// The namespaces that models put before the names of tools, because functions had them in the training data. Each has a public report
/// (read 2026-11). Prefixes of MCP servers stay, because they distinguish tools of different servers.
const NAMESPACES: &[&str] = &[
    // GPT: https://github.com/tontinton/maki/issues/505. Gemma: https://github.com/lablup/mlxcel/issues/521.
    "functions",
    // Gemini: https://github.com/tya5/reyn/pull/1992.
    "default_api",
];

/// What models write between a namespace and a name.
const SEPARATORS: &[&str] = &[".", "::", ":", "/"];

/// The maximum length of a name that may be corrected, in bytes.
const MAX_BYTES: usize = 256;

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
    pub(crate) fn find_called(&self, name: &str) -> Option<ToolId> {
        self.find(name).or_else(|| match self.corrected(name) {
            Some(Corrected::Tool(id)) => Some(id),
            _ => None,
        })
    }

    /// Returns the name of the tool of tool search that the model calls `name`, also if it must be corrected.
    pub(super) fn search_tool_called(&self, name: &str) -> Option<&'static str> {
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
        if sent.len() > MAX_BYTES {
            return None;
        }
        let bare = without_prefix(sent);
        let fits = |name: &str| same_spelling(sent, name) || bare.is_some_and(|bare| same_spelling(bare, name));
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
        let has_alias = |id: &ToolId| self.state().tool(*id).aliases.iter().any(|alias| fits(alias));
        let mut known_as = self.state().tool_ids().filter(has_alias);
        known_as.next().filter(|_| known_as.next().is_none()).map(Corrected::Tool)
    }
}

/// Returns a name without the prefix that models are known to put before it, or `None` if it has none.
pub(super) fn without_prefix(name: &str) -> Option<&str> {
    let rest = NAMESPACES.iter().find_map(|namespace| name.strip_prefix(namespace))?;
    SEPARATORS.iter().find_map(|separator| rest.strip_prefix(separator)).filter(|bare| !bare.is_empty())
}

#[cfg(test)]
mod alias_tests;
#[cfg(test)]
mod tests;
