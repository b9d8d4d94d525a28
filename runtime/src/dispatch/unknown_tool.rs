//! The error for a call of a tool that this turn does not have.

use crate::registration::given_name::undecorated;
use crate::result::error::{ErrorKind, ToolError};
use crate::session::turn::Turn;
use crate::text::display::short_name;
use crate::text::names::same_spelling;
use crate::text::nearest::nearest_name;

/// The maximum number of tools that the error lists.
const MAX_LISTED: usize = 20;

impl Turn {
    /// Returns the error for a call of a tool that the turn does not show, with a reason or a suggestion.
    #[cold]
    pub(crate) fn unknown_tool(&self, name: &str) -> ToolError {
        // Otherwise, tags and tokens in the name would be removed from the error.
        let shown = short_name(name).replace('<', "\\u{3c}");
        let bare = undecorated(name).unwrap_or(name);
        let meant = self.tool_meant(name);
        for (id, reason) in self.hidden_ids() {
            let is_name = |name: &str| self.name(id) == name || self.dialect_name(id) == name;
            if meant == Some(id) || is_name(name) || is_name(bare) {
                let text = format!("the tool `{shown}` is not available now: {reason}");
                return ToolError::with_kind(ErrorKind::UnknownTool, text);
            }
        }
        let hint = self.hint_for_unknown(bare);
        ToolError::with_kind(ErrorKind::UnknownTool, format!("unknown tool `{shown}`: {hint}"))
    }

    /// Returns the names of the tools that the model may mean: those with a similar name or alias. The model may also write the own name of
    /// a tool that has another name in this dialect.
    fn nearest_tools(&self, name: &str) -> Vec<&str> {
        let shown = || self.state().tool_ids().filter(|&id| self.has(id));
        let names = |id| [self.dialect_name(id), self.name(id)];
        let known_as = |id| names(id).into_iter().chain(self.state().tool(id).aliases.iter().map(|alias| &**alias));
        let known = || shown().flat_map(|id| known_as(id).map(move |known| (known, id)));
        let similar = if known().any(|(known, _)| same_spelling(known, name)) {
            vec![name]
        } else {
            nearest_name(name, known().map(|(known, _)| known))
        };
        let mut near: Vec<&str> = Vec::new();
        for (_, id) in similar.iter().flat_map(|similar| known().filter(|(known, _)| same_spelling(known, similar))) {
            let called = self.dialect_name(id);
            if !near.contains(&called) {
                near.push(called);
            }
        }
        near
    }

    fn hint_for_unknown(&self, name: &str) -> String {
        let suggestions = self.nearest_tools(name);
        if !suggestions.is_empty() {
            return format!("did you mean `{}`?", suggestions.join("` or `"));
        }
        if let [.., search] = self.search_tool_names() {
            return format!("search for it with `{search}`");
        }
        let all: Vec<&str> = self.callable_names().collect();
        match all.len() {
            0 => "no tool is available".to_owned(),
            1..=MAX_LISTED => format!("the available tools are {}", all.join(", ")),
            count => format!("call one of the {count} tools that are defined"),
        }
    }
}
