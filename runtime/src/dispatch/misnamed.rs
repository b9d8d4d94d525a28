//! Names that models get wrong in known ways: with a prefix, in another case, or with `-` instead of `_`.
//!
//! Such a name is corrected only if it is unambiguous: it fits exactly one tool of the registry, and the turn shows this tool. Tools that
//! the turn does not show count, too, so that a call never reaches a tool that the model did not name.

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

    /// Returns what a misspelled name is corrected to: the only tool that it fits. The time is linear in the number of tools, which is why
    /// an exact name comes first.
    #[cold]
    fn corrected(&self, sent: &str) -> Option<Corrected> {
        if sent.len() > MAX_BYTES {
            return None;
        }
        let bare = without_prefix(sent);
        let fits = |name: &str| same_spelling(sent, name) || bare.is_some_and(|bare| same_spelling(bare, name));
        let search = self.search_tool_names().iter().filter(|name| fits(name)).map(|name| Corrected::SearchTool(name));
        let tools = self.state().tool_ids().filter(|&id| fits(self.name(id)) || fits(self.dialect_name(id)));
        let mut all = search.chain(tools.map(Corrected::Tool));
        let only = all.next().filter(|_| all.next().is_none())?;
        match only {
            // The model sees only the name in the dialect.
            Corrected::Tool(id) => (self.has(id) && fits(self.dialect_name(id))).then_some(only),
            Corrected::SearchTool(_) => Some(only),
        }
    }
}

/// Returns a name without the prefix that models are known to put before it, or `None` if it has none.
pub(super) fn without_prefix(name: &str) -> Option<&str> {
    let rest = NAMESPACES.iter().find_map(|namespace| name.strip_prefix(namespace))?;
    SEPARATORS.iter().find_map(|separator| rest.strip_prefix(separator)).filter(|bare| !bare.is_empty())
}

#[cfg(test)]
mod tests;
