//! The look-up of a name that a model or a person gave, which may be another spelling of a name or an alias.
//!
//! Such a name means a tool only if it is unambiguous. Names come before aliases.

use super::ids::ToolId;
use super::state::RegistrySnapshot;
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

/// The delimiters of the tokens of chat templates. GPT writes `<|channel|>` after a name.
const TOKENS: &[(&str, &str)] = &[("<|", "|>"), ("<｜", "｜>")];

/// The maximum length of a name that may be corrected, in bytes.
const MAX_BYTES: usize = 256;

/// A name as it was given.
#[derive(Clone, Copy)]
pub(crate) struct GivenName<'n> {
    given: &'n str,
    /// The name without what cannot be a part of it.
    bare: Option<&'n str>,
}

impl<'n> GivenName<'n> {
    /// Returns `None` for a name that is too long to be corrected.
    pub(crate) fn new(given: &'n str) -> Option<Self> {
        (given.len() <= MAX_BYTES).then(|| Self { given, bare: undecorated(given) })
    }

    /// Returns whether this is another spelling of `name`.
    pub(crate) fn fits(&self, name: &str) -> bool {
        same_spelling(self.given, name) || self.bare.is_some_and(|bare| same_spelling(bare, name))
    }
}

impl RegistrySnapshot {
    /// Finds the tool that a person calls `given`: by its own name, or else the only tool whose name it spells, or else the only one with
    /// such an alias. `other_name` returns a second name of a tool, such as that in a dialect.
    #[cold]
    pub(crate) fn resolve_name_with<'t>(
        &'t self,
        given: &str,
        other_name: impl Fn(ToolId) -> &'t str,
    ) -> Option<ToolId> {
        if let Some(id) = self.find(given) {
            return Some(id);
        }
        let given = GivenName::new(given)?;
        let mut named = self.tool_ids().filter(|&id| given.fits(&self[id].name) || given.fits(other_name(id)));
        match named.next() {
            Some(first) => Some(first).filter(|_| named.next().is_none()),
            None => self.find_by_alias(&given),
        }
    }

    /// Finds the tool that a person calls `given`: see [`resolve_name_with`](Self::resolve_name_with).
    pub(crate) fn resolve_name(&self, given: &str) -> Option<ToolId> {
        self.resolve_name_with(given, |id| &self[id].name)
    }

    /// Finds the only tool with an alias of this spelling.
    pub(crate) fn find_by_alias(&self, given: &GivenName<'_>) -> Option<ToolId> {
        let has_alias = |id: &ToolId| self.tool(*id).aliases.iter().any(|alias| given.fits(alias));
        let mut known_as = self.tool_ids().filter(has_alias);
        known_as.next().filter(|_| known_as.next().is_none())
    }
}

/// Removes what models and servers are known to add to a name: white space, tokens of a chat template and what follows them, the number of
/// the call, and a namespace. Returns `None` if nothing was added, or nothing remains.
pub(crate) fn undecorated(name: &str) -> Option<&str> {
    let text = without_tokens(name);
    let text = without_number(text).unwrap_or(text);
    let bare = without_prefix(text).unwrap_or(text).trim();
    (!bare.is_empty() && bare != name).then_some(bare)
}

/// Returns a text without the tokens of a chat template at its beginning, and without what follows a later one.
fn without_tokens(name: &str) -> &str {
    let mut text = name.trim();
    while let Some(end) = TOKENS.iter().find_map(|(open, close)| {
        let inner = text.strip_prefix(open)?;
        Some(open.len() + inner.find(close)? + close.len())
    }) {
        text = text[end..].trim_start();
    }
    let end = TOKENS.iter().filter_map(|(open, _)| text.find(open)).min();
    text[..end.unwrap_or(text.len())].trim_end()
}

/// Returns a name without the number of the call, which Kimi appends.
fn without_number(name: &str) -> Option<&str> {
    let (bare, number) = name.rsplit_once(':')?;
    let is_number = !number.is_empty() && number.bytes().all(|digit| digit.is_ascii_digit());
    is_number.then_some(bare)
}

/// Returns a name without the prefix that models are known to put before it, or `None` if it has none.
fn without_prefix(name: &str) -> Option<&str> {
    let rest = NAMESPACES.iter().find_map(|namespace| name.strip_prefix(namespace))?;
    SEPARATORS.iter().find_map(|separator| rest.strip_prefix(separator)).filter(|bare| !bare.is_empty())
}
